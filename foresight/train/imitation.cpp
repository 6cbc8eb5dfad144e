// Imitation (behaviour cloning) of the hindsight optimum, as the paper trains ff-supervised. The
// model plays its own best choice, and at every arrival the target is what the optimum did there.
// The loss is the weighted cross-entropy over skip and all fixed nodes, unmasked. Skip has weight
// |U|/|V|, every node 1.
#include <algorithm>

#include "foresight/base/error.h"
#include "foresight/train/learner.h"
#include "foresight/train/losses.h"

namespace foresight {
namespace {

struct ImitationOptions {
  LearnerOptions learner{.lr = 0.0006, .decay = 0.99};
  void read(OptionReader& o) { learner.read(o); }
};

class Imitation : public Learner {
 public:
  explicit Imitation(ImitationOptions options) : Learner(options.learner) {}

  bool needs_labels() const override { return true; }

  UpdateStats update(const TrainingBatch& batch) override {
    play_shards(batch, Decode::kArgmax, Model::Record::kOutputs);
    UpdateStats stats;
    double total_weight = 0;
    for (const Shard& shard : shards()) {
      for (std::size_t e = 0; e < shard.episodes; ++e) {
        stats.mean_value += shard.rollouts[e].value / static_cast<double>(batch.instances.size());
        stats.decisions += std::ssize(shard.rollouts[e].matching);
        const std::size_t i = shard.first_episode + e;
        for (const NodeId target : batch.labels[i].matching) {
          total_weight += weight(batch.instances[i], target);
        }
      }
    }
    std::vector<double> losses(shards().size());
    stats.gradient_norm = step(batch.threads, [&](Shard& shard) {
      const auto s = static_cast<std::size_t>(&shard - shards().data());
      losses[s] = differentiate(shard, batch, total_weight);
    });
    for (const double loss : losses) stats.loss += loss;
    return stats;
  }

 private:
  static double weight(const Instance& instance, NodeId target) {
    if (target != kSkip) return 1;
    return static_cast<double>(instance.market().num_fixed) / instance.num_arrivals();
  }

  /// Rows come step by step, and within a step episode by episode.
  double differentiate(Shard& shard, const TrainingBatch& batch, double total_weight) const {
    double loss = 0;
    std::vector<float> gradients;
    int longest = 0;
    for (std::size_t e = 0; e < shard.episodes; ++e) {
      longest = std::max(longest, batch.instances[shard.first_episode + e].num_arrivals());
    }
    std::size_t row = 0;
    for (int t = 0; t < longest; ++t) {
      for (std::size_t e = 0; e < shard.episodes; ++e) {
        const std::size_t i = shard.first_episode + e;
        if (t >= batch.instances[i].num_arrivals()) continue;
        const NodeId target = batch.labels[i].matching[static_cast<std::size_t>(t)];
        const double share = weight(batch.instances[i], target) / total_weight;
        const auto outputs = shard.model->outputs(row++);
        const std::size_t first = gradients.size();
        gradients.resize(first + outputs.size());
        loss += share * imitation_loss(outputs, static_cast<std::size_t>(target + 1), share,
                                       std::span(gradients).subspan(first));
      }
    }
    shard.model->backward_outputs(gradients, shard.gradient);
    return loss;
  }
};

}  // namespace

Entry<Trainer> imitation_trainer() {
  return make_entry<Trainer, Imitation, ImitationOptions>(
      "imitation", "cross-entropy against the hindsight optimum's decisions");
}

}  // namespace foresight
