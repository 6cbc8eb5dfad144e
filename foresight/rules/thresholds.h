// Greedy with a threshold, for code that has past instances but no file of them.
#pragma once

#include <memory>

#include "foresight/policy/policy.h"
#include "foresight/problem/bound.h"

namespace foresight {

/// greedy-t with the threshold that earns most on these instances. Throws Error(kData) if there are
/// none.
std::shared_ptr<const Policy> tuned_greedy_t(const BoundDataset& past, Progress& progress);

}  // namespace foresight
