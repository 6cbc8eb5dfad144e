// The record of a training run: its settings, its data, and how it went.
//
//   const RunRecord record = read_run("runs/a");
//   if (record.done()) use(record.best_ratio);
//
// The trainer writes it into the run's last checkpoint after every epoch, in one step with the
// parameters. config.json and metrics.csv are copies of it for people. Resumed runs, the check
// whether a run is done, reports, Python and the tuner read only this record.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace foresight {

class SafeTensors;
class SafeTensorsWriter;

/// The numbers of one epoch, by name. Every epoch has the same names in the same order.
using MetricsRow = std::vector<std::pair<std::string, double>>;

/// Columns of numbers by name, all of the same length.
class MetricsColumns {
 public:
  void add(const MetricsRow& row);
  void set(std::string name, std::vector<double> values);

  std::size_t size() const { return columns_.empty() ? 0 : columns_.front().second.size(); }
  const std::vector<std::pair<std::string, std::vector<double>>>& all() const { return columns_; }
  /// Empty if there is no such column.
  const std::vector<double>& operator[](const std::string& name) const;
  /// As CSV, with a header.
  std::string to_csv() const;

  friend bool operator==(const MetricsColumns&, const MetricsColumns&) = default;

 private:
  std::vector<std::pair<std::string, std::vector<double>>> columns_;
};

/// A rule to compare a model with.
struct Rival {
  std::string name;
  double ratio = 0;  // on the validation set
  double p = 1;      // of a paired t-test: that the model is only by chance better
};

struct RunRecord {
  // The settings. Specs have all their options filled in, so that equal specs are equal text.
  std::string model, trainer;
  std::string problem;
  std::string train, validation;  // a spec or a file
  std::string train_digest, validation_digest;
  std::uint64_t instances = 0;  // per epoch; on a dataset several passes, or a part of one
  int batch = 0;                // instances per update; 0 in runs from before it could be chosen
  std::uint64_t validation_instances = 0;
  int epochs = 0;
  std::uint64_t seed = 0;
  std::uint64_t validation_seed = 0;  // of fresh validation instances; mostly that of the run
  std::string horizon = "known";      // what the policy is told of the number of arrivals
  std::string units = "raw";          // "data": it sees gains in the units of the training data
  std::string augment = "none";       // what is done to the training instances
  std::string start, start_digest;    // the model that it began with, if any, and its parameters
  double setback = 0;                 // how far a model may fall before it goes back to its best
  int patience = 0;                   // epochs that may pass without a better one; 0: any number

  // What happened so far.
  MetricsColumns metrics;   // a row per epoch; equal settings give equal metrics
  int best_epoch = 0;       // of the model in best.safetensors; 0 before the first epoch
  double best_ratio = 0;    // the validation ratio of that model
  std::string best_digest;  // of its parameters
  /// What rules reach on the validation set: greedy, and greedy-t with a threshold that was tuned on
  /// training data. Unknown before the first epoch, and of runs of earlier versions.
  std::optional<double> greedy_ratio, threshold_ratio;
  double rival_p = 1;  // that the best model is only by chance better than the better of these

  // Not compared: the command line of the first start, and how long epochs took.
  std::string command;
  MetricsColumns timing;

  int epochs_done() const { return static_cast<int>(metrics.size()); }
  /// Did too many epochs pass without a better model?
  bool out_of_patience() const { return patience > 0 && epochs_done() - best_epoch >= patience; }
  bool done() const { return epochs_done() >= epochs || out_of_patience(); }
  /// The better of the rules, if the best model is not better beyond doubt (one-sided, at 0.05).
  std::optional<Rival> unbeaten() const;
};

/// The first difference in settings: a sentence that names the field and both values, or nothing if
/// they agree. `epochs` are compared only if the trainer's schedule depends on them; `patience` only
/// says when to stop and is not compared.
std::string difference(const RunRecord& found, const RunRecord& asked, bool epochs_matter);

/// The record in a checkpoint. Reading throws Error(kData) if it is missing or damaged.
void write_record(SafeTensorsWriter& writer, const RunRecord& record);
RunRecord read_record(const SafeTensors& file);

/// The record as config.json.
std::string to_json(const RunRecord& record);

/// Do the specs of two sources differ in nothing but where their files are?
bool is_moved(const std::string& then, const std::string& now);

/// A search keeps its record in this file of its folder (auto/auto.h). The folder is not for runs.
inline constexpr const char* kSearchFile = "auto.json";
/// Throws Error(kUsage) if the folder is that of a search.
void refuse_search_folder(const std::filesystem::path& folder);

bool is_run_folder(const std::filesystem::path& path);

/// Throws Error(kData) if the folder does not hold a run, or if the run is damaged.
RunRecord read_run(const std::filesystem::path& folder);

}  // namespace foresight
