#include "foresight/train/auto.h"

#include <algorithm>

#include "foresight/base/atomic_file.h"
#include "foresight/base/error.h"
#include "foresight/base/files.h"
#include "foresight/base/folder_lock.h"
#include "foresight/base/mapped_file.h"
#include "foresight/model/checkpoint.h"
#include "foresight/train/training_data.h"

namespace foresight {
namespace {

/// Do all instances have the same fixed nodes?
bool same_nodes(BoundInstances instances) {
  const Market& first = instances[0].market();
  return std::ranges::all_of(instances, [&](const Instance& instance) {
    const Market& market = instance.market();
    return market.num_fixed == first.num_fixed && std::ranges::equal(market.ids, first.ids) &&
           std::ranges::equal(market.attributes.values, first.attributes.values);
  });
}

/// The number of such instances that make about so many decisions; fewer if each is costly.
double affordable(double decisions, const Instance& instance) {
  // With 100 fixed nodes a decision costs about five times as much as with few, and invariant
  // models compute every node on offer.
  const int arrivals = std::max(1, instance.num_arrivals());
  const double degree = static_cast<double>(instance.num_edges()) / arrivals;
  const double cost = std::max(1 + instance.market().num_fixed / 25.0, degree / 2);
  return decisions / cost / arrivals;
}

/// The run of one candidate. If the caller does not set them, it has as many epochs and instances
/// as it can afford. `file_size` is the size of the file to learn from, 0 for fresh instances.
RunOptions plan(const std::string& model, const TrainingPlan& training, const RunOptions& options,
                const Instance& example, std::uint64_t file_size) {
  RunOptions run = options;
  run.model = model;
  run.trainer.clear();
  run.folder = options.folder / "candidates" / model;
  run.resume = true;
  if (options.instances > 0) return run;
  const auto trainer = trainers().make(training.trainer);
  const double total =
      affordable(training.automatic->decisions / trainer->episodes_per_instance(), example);
  const auto batch = static_cast<std::uint64_t>(trainer->batch_size());
  const auto smallest = static_cast<double>(file_size > 0 ? file_size : batch);
  const int fewest = std::min(5, options.epochs);
  run.epochs = static_cast<int>(std::clamp<double>(total / smallest, fewest, options.epochs));
  if (file_size > 0) {
    run.instances = file_size;
    return run;
  }
  const auto batches = static_cast<std::uint64_t>(total / run.epochs) / batch;
  run.instances = batch * std::max<std::uint64_t>(1, batches);
  // Validating a model must not take longer than training it.
  const auto played = run.instances * static_cast<std::uint64_t>(trainer->episodes_per_instance());
  run.validation_instances =
      std::min(options.validation_instances, std::max<std::uint64_t>(100, played));
  return run;
}

}  // namespace

std::uint64_t instances_for(double decisions, int epochs, const std::string& source) {
  const Instance example = bind_source(source).draw(0, 0);
  const double batches = affordable(decisions, example) / epochs / 200;
  return 200 * static_cast<std::uint64_t>(std::max(1.0, batches));
}

std::vector<RunOptions> auto_candidates(const RunOptions& options) {
  constexpr std::uint64_t kLooked = 20;
  const auto opened =
      options.train_data ? bind_data(*options.train_data) : open_data(options.train);
  const auto* source = std::get_if<BoundSource>(&opened);
  const std::uint64_t recorded =
      source ? source->size().value_or(0) : std::get<BoundDataset>(opened).size();
  const auto data =
      make_training_data(opened, kLooked, options.seed, false, options.threads, no_progress());
  data->begin_epoch(0);
  const auto examples = data->take(0, std::min(data->size(), kLooked)).instances;
  const bool same = same_nodes(examples);
  std::vector<RunOptions> runs;
  std::uint64_t fewest = options.validation_instances;
  for (const auto& entry : models().entries()) {
    const TrainingPlan training = models().make(entry.name)->plan();
    if (!training.automatic || (training.automatic->same_nodes && !same)) continue;
    runs.push_back(plan(entry.name, training, options, examples[0], recorded));
    fewest = std::min(fewest, runs.back().validation_instances);
  }
  for (RunOptions& run : runs) run.validation_instances = fewest;
  return runs;
}

AutoResult train_auto(const RunOptions& options, Progress& progress,
                      const EpochObserver& observer) {
  check(options, "train");
  if (!options.trainer.empty()) {
    fail(ErrorCode::kUsage, "train: auto uses the trainer of each model; leave out \"{}\"",
         options.trainer);
  }
  const std::vector<RunOptions> candidates = auto_candidates(options);
  for (const RunOptions& run : candidates) check_run(run, progress);
  const FolderLock lock(options.folder);
  const bool begun = path_exists(options.folder / "candidates");
  if (!begun && is_run_folder(options.folder)) {
    fail(ErrorCode::kUsage,
         "{}: this folder holds a run of one model, which auto would replace; give another folder",
         options.folder.string());
  }
  if (begun && !options.resume) {
    fail(ErrorCode::kUsage, "{}: this folder holds a run already; resume it, or use another folder",
         options.folder.string());
  }
  AutoResult best;
  for (const RunOptions& run : candidates) {
    LabelledProgress labelled(progress, run.model);
    const RunResult result = train(run, labelled, observer);
    best.ratios.push_back({run.model, result.best_ratio});
    if (best.model.empty() || result.best_ratio > best.run.best_ratio) {
      best.model = run.model;
      best.run = result;
    }
  }
  for (const char* name : kRunFiles) {
    const auto kept = options.folder / "candidates" / best.model / name;
    if (path_exists(kept)) {
      write_file_atomically(options.folder / name, MappedFile(kept).text());
    }
  }
  return best;
}

}  // namespace foresight
