// Imitation (behaviour cloning) of the hindsight optimum, as the paper trains ff-supervised. The
// model plays its own best choice, and at every arrival the target is what the optimum did there.
// The loss is the weighted cross-entropy over skip and all fixed nodes, unmasked. Skip has weight
// |U|/|V|, every node 1.
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
    double total_weight = 0;
    for (std::size_t i = 0; i < batch.instances.size(); ++i) {
      for (const NodeId target : batch.labels[i].matching) {
        total_weight += weight(batch.instances[i], target);
      }
    }
    UpdateStats stats = step(batch, [&](const Shard& shard, const DecisionRow& row) {
      const Decision& decision = shard.decisions[row.decision];
      const std::size_t i = shard.first_episode + decision.episode;
      const NodeId target = batch.labels[i].matching[static_cast<std::size_t>(decision.time)];
      const double share = weight(batch.instances[i], target) / total_weight;
      return share *
             imitation_loss(row.scores, static_cast<std::size_t>(target + 1), share, row.gradient);
    });
    for (const Shard& shard : shards()) stats.loss += shard.loss;
    return stats;
  }

 private:
  static double weight(const Instance& instance, NodeId target) {
    if (target != kSkip) return 1;
    return static_cast<double>(instance.market().num_fixed) / instance.num_arrivals();
  }
};

}  // namespace

Entry<Trainer> imitation_trainer() {
  return make_entry<Trainer, Imitation, ImitationOptions>(
      "imitation", "cross-entropy against the hindsight optimum's decisions");
}

}  // namespace foresight
