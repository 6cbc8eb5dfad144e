// A learner that can be trusted: it is followed only as long as at least rho times the value of an
// expert stays guaranteed, whatever arrives (after Li, Yang and Ren, "Learning for edge-weighted
// online bipartite matching with robustness guarantees", 2023).
//
// The expert plays the same arrivals in a state of its own. Let V be our value, E the expert's, and
// a_u and b_u what is left of node u here and there. The expert can earn on u what we cannot only
// if b_u > a_u, and then at most reserve_u in all:
//   nodes that are matched once  wmax (b_u - a_u)
//   budgets                      min(b_u, b_u - a_u + wmax): all its bids there but the last fit
//                                into b_u - a_u
// The reserves together need not exceed wmax times the arrivals left.
// The learner's choice is taken if afterwards V >= rho (E + sum of reserves). Otherwise the
// expert's is, or none where we cannot have that. Neither can break the inequality: what the expert
// earns, we earn too or have reserved. Hence in the end V >= rho E, on every instance, provided
// that no edge weighs more than wmax; one that does is an error. E is what the expert earns with
// ties broken by this policy's own draws. rho = 0 is the learner, rho = 1 at least the expert.
//
// For problems whose gains do not depend on earlier matches, with nodes that are matched once or have
// budgets. O(fixed nodes) per arrival besides what learner and expert take.
#pragma once

#include <memory>
#include <string>

#include "foresight/policy/policy.h"

namespace foresight {

/// What is promised, and what is taken for granted.
struct RobustTerms {
  double rho = 0.8;  // the share of the expert's value to guarantee
  double wmax = 1;   // no edge weighs more
};

std::unique_ptr<Policy> make_robust(std::shared_ptr<const Policy> learner,
                                    std::shared_ptr<const Policy> expert, const RobustTerms& terms);

}  // namespace foresight
