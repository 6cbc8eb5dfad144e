#include "foresight/problem/problem.h"

#include <cmath>

#include "foresight/base/error.h"

namespace foresight {

std::string describe(const Traits& traits) {
  using Gain = Traits::Gain;
  using Use = Traits::Use;
  const bool covers = traits.gain == Gain::kCoverage;
  const char* gains = traits.additive() ? "gains that do not depend on each other"
                      : covers          ? "coverage gains"
                                        : "gains that depend on earlier matches";
  const char* use = traits.use == Use::kOnce     ? "each node once"
                    : traits.use == Use::kBudget ? "out of budgets"
                                                 : "capacities that the problem defines itself";
  return fmt::format("{}, {}", gains, use);
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
