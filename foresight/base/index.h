// Node and arrival numbers are signed, because -1 means none. Indices of a vector are unsigned.
//
//   weights[index(node)]
#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>

namespace foresight {

constexpr std::size_t index(std::signed_integral auto number) {
  assert(number >= 0);
  return static_cast<std::size_t>(number);
}

}  // namespace foresight
