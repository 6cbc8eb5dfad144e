// Ranking (Karp, Vazirani and Vazirani, 1990): the fixed nodes are ranked at random once per
// episode, and each arrival takes its best-ranked available neighbour. It is made for unweighted
// matching.
#include "foresight/policy/policy.h"

namespace foresight {
namespace {

class RankingBatch : public EpisodeBatch {
 public:
  explicit RankingBatch(std::span<const Opening> openings) {
    for (const Opening& opening : openings) {
      Rng rng = opening.rng;
      ranks_.push_back(rng.sample(opening.market.num_fixed, opening.market.num_fixed));
    }
  }

 private:
  void score(const State& state, std::size_t episode, std::span<float> row) override {
    row[0] = -1;
    for (std::size_t i = 1; i < row.size(); ++i) {
      const auto node = static_cast<std::size_t>(state.offers()[i - 1].node);
      row[i] = static_cast<float>(ranks_[episode][node]);
    }
  }

  std::vector<std::vector<std::int32_t>> ranks_;
};

class Ranking : public Policy {
 public:
  explicit Ranking(NoOptions) {}
  std::unique_ptr<Batch> open(std::span<const Opening> openings) const override {
    return std::make_unique<RankingBatch>(openings);
  }
};

}  // namespace

Entry<Policy> ranking_policy() {
  return make_entry<Policy, Ranking, NoOptions>(
      "ranking", "the first neighbour in one random order per episode; for unweighted matching");
}

}  // namespace foresight
