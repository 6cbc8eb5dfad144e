// How long a search for an optimum may take, and in which unit it computes.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <utility>

namespace foresight {

/// A search ends with the best that it found when its time is over, or when `stop` says so.
struct SearchLimits {
  SearchLimits(double most_seconds = std::numeric_limits<double>::infinity(),
               std::function<bool()> when = {})
      : seconds(most_seconds), stop(std::move(when)) {}

  double seconds;
  std::function<bool()> stop;  // asked often, from the thread that searches
};

/// Integer programs have absolute tolerances. So very large or small amounts are computed in this
/// unit instead. It is a power of two, with which nothing is rounded, and 1 for ordinary amounts.
inline double unit_of(std::span<const float> amounts) {
  constexpr double kSmallest = 1e-3, kLargest = 1e6;
  double largest = 0;
  for (const float amount : amounts) largest = std::fmax(largest, amount);
  if (largest == 0 || (largest >= kSmallest && largest <= kLargest)) return 1;
  return std::exp2(std::ceil(std::log2(largest)));
}

}  // namespace foresight
