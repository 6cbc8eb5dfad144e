// Experiments that can be interrupted at any time: datasets, policies trained on them, and tests of
// these and other policies. Finished work stays in the folder and is not done again. An interrupted
// training run continues where it stopped. A folder is for one scale and one seed. With others it
// is refused, so that results are never mixed.
//
//   FOLDER/laboratory.json                 the scale and the seed
//   FOLDER/data/NAME.{train,tune,test}     instances, rarely needed again
//   FOLDER/runs/NAME/MODEL                 training runs
//   FOLDER/results/TEST.json               evaluations
//
//   Laboratory laboratory("results", scale, /*seed=*/1, /*threads=*/0, progress);
//   const auto file = laboratory.run({"crowd", {"crowd", "crowd(u=10,v=30)"}, {"greedy"}, {}});
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "foresight/base/folder_lock.h"
#include "foresight/base/progress.h"
#include "foresight/eval/evaluate.h"
#include "foresight/train/run.h"

namespace foresight {

/// How much work to put in.
struct Scale {
  std::string name;
  int epochs = 100;
  /// Decisions per training run in all; fewer if many fixed nodes make them costly. 0: as many as
  /// `instances` per epoch have.
  double decisions = 0;
  std::uint64_t instances = 20'000;
  std::uint64_t validation_instances = 1'000;
  std::uint64_t test_instances = 2'000;
};

/// Where instances come from, with a name for files and tables.
struct DataSpec {
  std::string name;    // e.g. "er-10x30-p0.05"
  std::string source;  // e.g. "er(u=10,v=30,p=0.05)"
};

/// A model to train on fresh instances, or on labelled ones if its trainer needs labels.
struct Training {
  std::string model;  // spec
  DataSpec data;
};

/// Policies side by side on the same instances.
struct Contest {
  std::string name;  // of the result's file
  DataSpec data;
  std::vector<std::string> baselines;  // specs; greedy-t is tuned on `tuned_on`
  std::vector<Training> learned;
  bool ceiling = false;    // with the optimal online policy, if it can be computed
  DataSpec tuned_on = {};  // default: other instances of `data`
};

class Laboratory {
 public:
  /// Locks the folder. Throws Error(kUsage) if it was made with another scale or seed.
  Laboratory(std::filesystem::path folder, Scale scale, std::uint64_t seed, int threads,
             Progress& progress);

  /// Trains to the end and returns the run folder.
  std::filesystem::path train(const Training& training);

  /// Completes the test and returns the result's file.
  std::filesystem::path run(const Contest& test);

  const std::filesystem::path& folder() const { return folder_; }
  const Scale& scale() const { return scale_; }

 private:
  /// Limits a run to the scale's number of decisions.
  void limit(RunOptions& options, bool labelled, const std::string& source) const;
  std::filesystem::path dataset(const DataSpec& data, const std::string& use, bool labelled);
  void claim_folder() const;

  std::filesystem::path folder_;
  FolderLock lock_;
  Scale scale_;
  std::uint64_t seed_;
  int threads_;
  Progress& progress_;
};

}  // namespace foresight
