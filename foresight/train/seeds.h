// The same training with several seeds: how much of a result is luck?
//
//   FOLDER/seed-1, FOLDER/seed-2, ...   the runs, each as train() leaves it
//
//   const SeedsResult found = train_seeds(options, /*seeds=*/3, progress);
//   fmt::print("{:.3f} +- {:.3f}", found.ratio.mean, found.ratio.standard_deviation);
//
// All runs are validated on the same instances, so that their ratios can be compared.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "foresight/base/statistics.h"
#include "foresight/train/run.h"

namespace foresight {

/// What one training gave.
struct Trained {
  std::string model;
  double ratio = 0;  // of its best model on the validation set
};

/// Trains once: `train`, or something like it for callers that do not train one model.
using TrainOnce = std::function<Trained(const RunOptions& options, Progress& progress)>;

struct SeedRun {
  std::uint64_t seed = 0;
  std::filesystem::path folder;
  Trained trained;
};

struct SeedsResult {
  std::vector<SeedRun> runs;
  Summary ratio;         // of all runs
  std::size_t best = 0;  // the run with the best ratio
};

/// Trains with the seeds `options.seed`, `options.seed` + 1, ... in folders of `options.folder`.
/// Throws Error(kUsage) if there are runs already and `resume` is not asked for. With it, runs that
/// are done stay as they are, so that more seeds can be added.
SeedsResult train_seeds(const RunOptions& options, int seeds, Progress& progress,
                        const TrainOnce& once);
/// The same with `train`.
SeedsResult train_seeds(const RunOptions& options, int seeds, Progress& progress);

}  // namespace foresight
