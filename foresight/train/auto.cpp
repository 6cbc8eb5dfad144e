#include "foresight/train/auto.h"

#include <algorithm>

#include "foresight/base/error.h"
#include "foresight/base/options.h"
#include "foresight/train/training_data.h"

namespace foresight {
namespace {

struct Candidate {
  const char* model;
  bool same_nodes;   // only for fixed nodes that are the same in all instances
  double decisions;  // that it takes to learn
};

// Each takes one to three minutes on two cores.
constexpr Candidate kCandidates[] = {{"value", true, 60e6},
                                     {"ff-hist", true, 60e6},
                                     {"inv-ff-plus", false, 60e6},
                                     {"inv-value", false, 10e6},
                                     {"gnn-hist", false, 20e6}};

/// Do all instances have the same fixed nodes?
bool same_nodes(std::span<const Instance> instances) {
  const Market& first = instances.front().market();
  return std::ranges::all_of(instances, [&](const Instance& instance) {
    const Market& market = instance.market();
    return market.num_fixed == first.num_fixed && std::ranges::equal(market.ids, first.ids) &&
           std::ranges::equal(market.attributes.values, first.attributes.values);
  });
}

/// How many instances like this one make about so many decisions, fewer where each is costly.
double affordable(double decisions, const Instance& instance) {
  // With 100 fixed nodes a decision costs about five times as much as with few, and invariant
  // models compute every node on offer.
  const int arrivals = std::max(1, instance.num_arrivals());
  const double degree = static_cast<double>(instance.num_edges()) / arrivals;
  const double cost = std::max(1 + instance.market().num_fixed / 25.0, degree / 2);
  return decisions / cost / arrivals;
}

/// The run of one candidate. Where the caller leaves it open, as many epochs and instances as it
/// can afford; `file_size` is that of the file to learn from, 0 for fresh instances.
RunOptions plan(const Candidate& candidate, const RunOptions& options, const Instance& example,
                std::uint64_t file_size) {
  RunOptions run = options;
  run.model = candidate.model;
  run.trainer.clear();
  run.folder = options.folder / "candidates" / candidate.model;
  run.resume = true;
  if (options.instances > 0) return run;
  const auto trainer = trainers().make(trainer_for(run.model, ""));
  const double total = affordable(candidate.decisions / trainer->episodes_per_instance(), example);
  const auto batch = static_cast<std::uint64_t>(trainer->batch_size());
  const auto smallest = static_cast<double>(file_size > 0 ? file_size : batch);
  const int fewest = std::min(5, options.epochs);
  run.epochs = static_cast<int>(std::clamp<double>(total / smallest, fewest, options.epochs));
  if (file_size > 0) return run;
  const auto batches = static_cast<std::uint64_t>(total / run.epochs) / batch;
  run.instances = batch * std::max<std::uint64_t>(1, batches);
  // Judging a model must not take longer than training it.
  const auto played = run.instances * static_cast<std::uint64_t>(trainer->episodes_per_instance());
  run.validation_instances =
      std::min(options.validation_instances, std::max<std::uint64_t>(100, played));
  return run;
}

}  // namespace

std::uint64_t instances_for(double decisions, int epochs, const std::string& source) {
  const Instance example = sources().make(source)->draw(0, 0);
  const double batches = affordable(decisions, example) / epochs / 200;
  return 200 * static_cast<std::uint64_t>(std::max(1.0, batches));
}

std::vector<RunOptions> auto_candidates(const RunOptions& options) {
  const auto data = open_training_data(options.train, 20, options.seed, false, options.threads);
  data->begin_epoch(0);
  const auto examples = data->take(0, std::min<std::uint64_t>(data->size(), 20)).instances;
  const bool same = same_nodes(examples);
  const bool file = std::filesystem::exists(options.train);
  std::vector<RunOptions> runs;
  std::uint64_t fewest = options.validation_instances;
  for (const Candidate& candidate : kCandidates) {
    if (candidate.same_nodes && !same) continue;
    runs.push_back(plan(candidate, options, examples.front(), file ? data->size() : 0));
    fewest = std::min(fewest, runs.back().validation_instances);
  }
  for (RunOptions& run : runs) run.validation_instances = fewest;
  return runs;
}

AutoResult train_auto(const RunOptions& options, Progress& progress,
                      const EpochObserver& observer) {
  check(options, "train");
  AutoResult best;
  for (const RunOptions& run : auto_candidates(options)) {
    LabelledProgress labelled(progress, run.model);
    const RunResult result = train(run, labelled, observer);
    best.ratios.push_back({run.model, result.best_ratio});
    if (best.model.empty() || result.best_ratio > best.run.best_ratio) {
      best.model = run.model;
      best.run = result;
    }
  }
  for (const char* name : {"best.safetensors", "last.safetensors", "config.json", "metrics.csv"}) {
    std::filesystem::copy_file(options.folder / "candidates" / best.model / name,
                               options.folder / name,
                               std::filesystem::copy_options::overwrite_existing);
  }
  return best;
}

}  // namespace foresight
