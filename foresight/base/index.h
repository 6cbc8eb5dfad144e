// Numbers of nodes and arrivals are signed, since -1 means none; places in a vector are not.
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
