#pragma once

#include <span>
#include <vector>

namespace foresight {

template <typename T>
void append(std::vector<T>& to, std::span<const T> from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace foresight
