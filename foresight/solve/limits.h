// When a solver may stop before the optimum is proven.
#pragma once

#include <limits>

#include "foresight/data/instance.h"

namespace foresight {

struct SolveLimits {
  double time_limit_seconds = std::numeric_limits<double>::infinity();
  double gap = 0;  // stop once bound - value <= gap * bound
};

/// Is the label as good as asked for?
inline bool reaches(const Label& label, double gap) {
  return label.bound - label.value <= gap * label.bound;
}

}  // namespace foresight
