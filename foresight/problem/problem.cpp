#include "foresight/problem/problem.h"

#include <cmath>

#include "foresight/base/error.h"
#include "foresight/base/index.h"

namespace foresight {
namespace {

/// Beyond this, neighbouring whole numbers are the same float.
constexpr float kLargestCount = 1 << 24;

void check_counts(const Problem& problem, const Market& market) {
  for (std::size_t u = 0; u < market.capacities.size(); ++u) {
    const float capacity = market.capacities[u];
    if (capacity == std::floor(capacity) && capacity <= kLargestCount) continue;
    fail(ErrorCode::kData,
         "the capacity of fixed node {} is {}; in problem \"{}\" a match takes 1 of it, so it must "
         "be a whole number up to {}",
         u, capacity, problem.name(), kLargestCount);
  }
}

}  // namespace

std::string describe(const Traits& traits) {
  using Gain = Traits::Gain;
  using Use = Traits::Use;
  const bool covers = traits.gain == Gain::kCoverage;
  const char* gains = traits.additive() ? "gains that do not depend on each other"
                      : covers          ? "coverage gains"
                                        : "gains that depend on earlier matches";
  const char* use = traits.use == Use::kUnit   ? "each match takes 1 of its node"
                    : traits.use == Use::kGain ? "each match takes its gain of its node's budget"
                    : traits.use == Use::kCost
                        ? "each match takes its edge's cost of its node's capacity"
                        : "capacities that the problem defines itself";
  return fmt::format("{}, {}", gains, use);
}

float Problem::capacity(const Market& market, NodeId u) const {
  return market.capacities.empty() ? 1 : market.capacities[index(u)];
}

void check_instance(const Problem& problem, const Instance& instance) {
  using Use = Traits::Use;
  const Market& market = instance.market();
  const Use use = problem.traits().use;
  if (use == Use::kUnit) check_counts(problem, market);
  const bool must_have = use == Use::kGain || use == Use::kCost;
  if (must_have && market.capacities.empty() && market.num_fixed > 0) {
    fail(ErrorCode::kData, "problem \"{}\" needs a {} for every fixed node", problem.name(),
         use == Use::kGain ? "budget (capacity)" : "capacity");
  }
  const bool costs = !instance.view().costs.empty();
  if (use == Use::kCost && !costs && instance.num_edges() > 0) {
    fail(ErrorCode::kData, "problem \"{}\" needs a cost for every edge", problem.name());
  }
  if (costs && (use == Use::kUnit || use == Use::kGain)) {
    fail(ErrorCode::kData,
         "the edges have costs, but in problem \"{}\" a match takes {} of its node; a problem with "
         "costs is \"gen-assignment\"",
         problem.name(), use == Use::kUnit ? "1" : "what it gains");
  }
  problem.check(instance);
}

void check_price(const Problem& problem, const Offer& offer) {
  const auto good = [](float amount) { return std::isfinite(amount) && amount >= 0; };
  if (good(offer.gain) && good(offer.cost)) return;
  fail(ErrorCode::kData,
       "problem \"{}\" gives the edge to node {} the gain {} and the cost {}; both must be finite "
       "numbers >= 0",
       problem.name(), offer.node, offer.gain, offer.cost);
}

}  // namespace foresight
