// Policies that look only at the current arrival: random, greedy.
#include "foresight/policy/policy.h"

namespace foresight {
namespace {

/// Any available neighbour, all equally likely. Skips only if there is none.
class RandomBatch : public EpisodeBatch {
  void score(const State&, std::size_t, std::span<float> row) override {
    for (float& score : row) score = 1;
    row[0] = 0;
  }
};

/// The largest gain. Skips only if no match gains anything.
class GreedyBatch : public EpisodeBatch {
  void score(const State& state, std::size_t, std::span<float> row) override {
    row[0] = 0;
    for (std::size_t i = 1; i < row.size(); ++i) {
      const float gain = state.offers()[i - 1].gain;
      // A match that gains nothing only uses up the node.
      row[i] = gain > 0 ? gain : kNever;
    }
  }
};

template <typename BatchType>
class MemorylessPolicy : public Policy {
 public:
  explicit MemorylessPolicy(NoOptions) {}
  std::unique_ptr<Batch> open(std::span<const Opening>) const override {
    return std::make_unique<BatchType>();
  }
};

}  // namespace

Entry<Policy> random_policy() {
  return make_entry<Policy, MemorylessPolicy<RandomBatch>, NoOptions>(
      "random", "any available neighbour, all equally likely");
}

Entry<Policy> greedy_policy() {
  return make_entry<Policy, MemorylessPolicy<GreedyBatch>, NoOptions>(
      "greedy", "the largest gain now; ties at random");
}

}  // namespace foresight
