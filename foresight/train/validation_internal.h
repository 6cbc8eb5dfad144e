// How good policies are on the validation set of a run: its model, and simple rules to compare it
// with.
#pragma once

#include <string>
#include <vector>

#include "foresight/policy/policy.h"
#include "foresight/problem/bound.h"

namespace foresight {

/// The data with optima, if it has none, that are good enough to compare policies by: within 0.1 % of a
/// bound. With budgets, the last digits of an optimum take a thousand times as long.
BoundDataset with_optima(BoundDataset data, int threads, Progress& progress);

/// What a policy reaches on a labelled set with its best choices.
struct Validation {
  std::vector<double> values;  // per instance
  std::vector<double> ratios;
  double ratio = 0;  // the mean
};
Validation validate(const BoundDataset& data, const Policy& policy, int threads,
                    const Progress& progress);

/// What rules reach that need no training. A model that is no better is not worth its trouble.
struct Rivals {
  Validation greedy;
  Validation threshold;  // greedy-t, its threshold tuned on past instances

  const Validation& best() const { return threshold.ratio > greedy.ratio ? threshold : greedy; }
};
Rivals play_rivals(const BoundDataset& validation, const BoundDataset& past, int threads,
                   const Progress& progress);

}  // namespace foresight
