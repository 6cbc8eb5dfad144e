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
                                     {"inv-value", false, 10e6}};

/// Do all instances have the same fixed nodes?
bool same_nodes(TrainingData& data) {
  data.begin_epoch(0);
  const auto instances = data.take(0, std::min<std::uint64_t>(data.size(), 20)).instances;
  const Market& first = instances.front().market();
  return std::ranges::all_of(instances, [&](const Instance& instance) {
    const Market& market = instance.market();
    return market.num_fixed == first.num_fixed && std::ranges::equal(market.ids, first.ids) &&
           std::ranges::equal(market.attributes.values, first.attributes.values);
  });
}

}  // namespace

std::uint64_t instances_for(double decisions, int epochs, const std::string& source) {
  const Instance instance = sources().make(source)->draw(0, 0);
  // With 100 fixed nodes a decision costs about five times as much as with few, and invariant
  // models compute every node on offer.
  const double degree =
      static_cast<double>(instance.num_edges()) / std::max(1, instance.num_arrivals());
  const double cost = std::max(1 + instance.market().num_fixed / 25.0, degree / 2);
  const double batches = decisions / cost / epochs / std::max(1, instance.num_arrivals()) / 200;
  return 200 * static_cast<std::uint64_t>(std::max(1.0, batches));
}

AutoResult train_auto(const RunOptions& options, Progress& progress,
                      const EpochObserver& observer) {
  const bool same =
      same_nodes(*open_training_data(options.train, 20, options.seed, false, options.threads));
  const bool file = std::filesystem::exists(options.train);
  AutoResult best;
  for (const Candidate& candidate : kCandidates) {
    if (candidate.same_nodes && !same) continue;
    RunOptions run = options;
    run.model = candidate.model;
    run.trainer.clear();
    run.folder = options.folder / "candidates" / candidate.model;
    run.resume = true;
    if (options.instances == 0 && !file) {
      run.instances = instances_for(candidate.decisions, options.epochs, options.train);
    }
    LabelledProgress labelled(progress, candidate.model);
    const RunResult result = train(run, labelled, observer);
    best.ratios.push_back({candidate.model, result.best_ratio});
    if (best.model.empty() || result.best_ratio > best.run.best_ratio) {
      best.model = candidate.model;
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
