// Finds the input of a network that is furthest from 0.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace foresight {

/// The first one among equals. An input that is not a number is further from 0 than all others.
struct LargestInput {
  std::size_t column = 0;
  float value = 0;

  /// Looks at the inputs of the columns from `first` on.
  void add(std::span<const float> inputs, std::size_t first = 0) {
    for (std::size_t j = 0; j < inputs.size(); ++j) {
      if (std::isnan(value) || std::abs(inputs[j]) <= std::abs(value)) continue;
      column = first + j;
      value = inputs[j];
    }
  }
};

}  // namespace foresight
