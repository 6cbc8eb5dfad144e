// When a solver may stop before the optimum is proven, and in which unit it computes.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <span>

#include "foresight/data/instance.h"

namespace foresight {

/// When a search ends, whatever it has found.
struct Deadline {
  using Clock = std::chrono::steady_clock;

  Clock::time_point end;
  std::function<bool()> stop;  // if set, asked often, from the thread that searches

  bool passed() const { return Clock::now() >= end || (stop && stop()); }
  double seconds_left() const {
    return std::max(0.0, std::chrono::duration<double>(end - Clock::now()).count());
  }
};

struct SolveLimits {
  double time_limit_seconds = std::numeric_limits<double>::infinity();
  double gap = 0;                   // stop once bound - value <= gap * bound
  std::function<bool()> stop = {};  // true is as if time ran out

  /// The deadline of a search that begins now.
  Deadline deadline() const {
    constexpr double kLongest = 1e9;  // that can be added to a time of the clock
    const std::chrono::duration<double> seconds(std::min(time_limit_seconds, kLongest));
    return {Deadline::Clock::now() + std::chrono::duration_cast<Deadline::Clock::duration>(seconds),
            stop};
  }
};

/// Is the label as good as asked for?
inline bool reaches(const Label& label, double gap) {
  return label.bound - label.value <= gap * label.bound;
}

/// Integer programs have absolute tolerances. So amounts are computed in this unit, in which the
/// largest is above 1/2 and at most 1. It is a power of two, with which nothing is rounded: data that
/// is larger by a power of two has the same matching, and exactly so much more value.
inline double unit_of(std::span<const float> amounts) {
  float largest = 0;
  for (const float amount : amounts) largest = std::fmax(largest, amount);
  if (largest == 0) return 1;
  int exponent = 0;
  const bool is_power = std::frexp(largest, &exponent) == 0.5F;
  return std::ldexp(1.0, is_power ? exponent - 1 : exponent);
}

}  // namespace foresight
