// A learner with a guarantee: it is followed only while at least rho times the value of an expert
// stays guaranteed, whatever arrives (after Li, Yang and Ren, "Learning for edge-weighted online
// bipartite matching with robustness guarantees", 2023).
//
//   auto policy = policies().make("robust(policy=runs/a,expert=greedy,rho=0.8)");
//
// The expert plays the same arrivals in its own state. Let V be our value and E the expert's. Let
// a_u be what we have left of node u, and b_u what the expert has left. The expert can earn on u
// what we cannot only if b_u > a_u, and then at most reserve_u in all:
//   nodes that are matched once  wmax (b_u - a_u)
//   budgets                      min(b_u, b_u - a_u + wmax): all its bids there but the last fit
//                                into b_u - a_u
// The reserves together never need to exceed wmax times the arrivals left.
//
// The learner's choice is taken if afterwards V >= rho (E + sum of reserves). Otherwise the choice
// of the expert is taken, or a skip if we cannot take it. Neither can break the inequality: what
// the expert earns, we also earn or have reserved. So in the end V >= rho E on every instance, if
// no edge gains more than wmax. E is what the expert earns with ties broken by this policy's own
// draws. rho = 0 is the learner; rho = 1 is at least the expert.
//
// Whoever gives wmax vouches for it, and a larger gain is an error. Otherwise wmax is the largest
// gain in the data that the learner learned from. Where a larger one comes up, that becomes wmax
// until the episode ends, and only what was reserved before it may be too little.
//
// It works for problems whose gains do not depend on earlier matches, and whose nodes are matched
// once or have budgets. An arrival takes O(fixed nodes), plus the time of learner and expert.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "foresight/policy/policy.h"

namespace foresight {

/// What is guaranteed, and what is assumed.
struct RobustTerms {
  double rho = 0.8;                 // the share of the expert's value to guarantee
  std::optional<double> wmax = {};  // no edge gains more; else what the learner has seen
};

/// Throws Error(kUsage) if wmax is neither given nor known to the learner.
std::unique_ptr<Policy> make_robust(std::shared_ptr<const Policy> learner,
                                    std::shared_ptr<const Policy> expert, const RobustTerms& terms);

}  // namespace foresight
