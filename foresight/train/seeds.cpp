#include "foresight/train/seeds.h"

#include "foresight/base/error.h"
#include "foresight/base/files.h"

namespace foresight {
namespace {

std::filesystem::path folder_of(const RunOptions& options, std::uint64_t seed) {
  return options.folder / fmt::format("seed-{}", seed);
}

void check_folder(const RunOptions& options, std::uint64_t seeds) {
  refuse_search_folder(options.folder);
  if (is_run_folder(options.folder)) {
    fail(ErrorCode::kUsage,
         "{}: this folder holds a run of one seed; give another folder for several",
         options.folder.string());
  }
  if (options.resume) return;
  for (std::uint64_t i = 0; i < seeds; ++i) {
    const auto folder = folder_of(options, options.seed + i);
    if (!path_exists(folder)) continue;
    fail(ErrorCode::kUsage, "{}: this folder is there already; resume it, or use another folder",
         folder.string());
  }
}

}  // namespace

SeedsResult train_seeds(const RunOptions& options, int seeds, Progress& progress,
                        const TrainOnce& once) {
  check(options, "train");
  if (seeds < 1) fail(ErrorCode::kUsage, "train: seeds must be 1 or more, got {}", seeds);
  const auto count = static_cast<std::uint64_t>(seeds);
  if (options.seed + (count - 1) < options.seed) {
    fail(ErrorCode::kUsage, "train: there are no {} seeds from {} on", count, options.seed);
  }
  check_folder(options, count);
  SeedsResult result;
  std::vector<double> ratios;
  for (std::uint64_t i = 0; i < count; ++i) {
    RunOptions run = options;
    run.seed = options.seed + i;
    run.validation_seed = options.validation_seed.value_or(options.seed);
    run.folder = folder_of(options, run.seed);
    run.resume = true;
    LabelledProgress labelled(progress, fmt::format("with seed {}", run.seed));
    result.runs.push_back({run.seed, run.folder, once(run, labelled)});
    ratios.push_back(result.runs.back().trained.ratio);
    if (ratios.back() > ratios[result.best]) result.best = ratios.size() - 1;
  }
  result.ratio = summarize(ratios);
  return result;
}

SeedsResult train_seeds(const RunOptions& options, int seeds, Progress& progress) {
  return train_seeds(options, seeds, progress, [](const RunOptions& run, Progress& shown) {
    return Trained{run.model, train(run, shown).best_ratio};
  });
}

}  // namespace foresight
