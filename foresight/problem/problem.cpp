#include "foresight/problem/problem.h"

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

}  // namespace foresight
