// Policies that spread the load over budgets:
//   msvv     bid x (1 - exp(-remaining share)) (Mehta, Saberi, Vazirani and Vazirani, 2005)
//   balance  the largest remaining share (Kalyanasundaram and Pruhs, 2000)
// The remaining share of a node is the share of its capacity that is left, from 1 down to 0.
#include <algorithm>
#include <cmath>

#include "foresight/policy/policy.h"

namespace foresight {
namespace {

using Rule = double (*)(double gain, double share);

double msvv_score(double gain, double share) {
  return gain * (1 - std::exp(-share));
}

double balance_score(double gain, double share) {
  return gain > 0 ? share : 0;
}

template <Rule rule>
class ShareBatch : public EpisodeBatch {
  void score(const State& state, std::size_t, std::span<float> row) override {
    row[0] = 0;
    for (std::size_t i = 1; i < row.size(); ++i) {
      const Offer& offer = state.offers()[i - 1];
      const double score =
          rule(offer.gain, state.remaining(offer.node) / state.capacity(offer.node));
      row[i] = score > 0 ? static_cast<float>(score) : kNever;
    }
  }
};

template <Rule rule>
class SharePolicy : public Policy {
 public:
  explicit SharePolicy(NoOptions) {}
  std::unique_ptr<Batch> open(std::span<const Opening>) const override {
    return std::make_unique<ShareBatch<rule>>();
  }
};

}  // namespace

Entry<Policy> msvv_policy() {
  return make_entry<Policy, SharePolicy<msvv_score>, NoOptions>(
      "msvv", "the largest gain x (1 - exp(-remaining share of the budget))");
}

Entry<Policy> balance_policy() {
  return make_entry<Policy, SharePolicy<balance_score>, NoOptions>(
      "balance", "the neighbour with the largest remaining share of its budget");
}

}  // namespace foresight
