// How inputs are mutated: not byte by byte alone, but also along their structure, so that most of
// them get past the parser and reach the checks behind it.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "tests/fuzz/target.h"

namespace foresight {

/// Changes `content` a little, as an input of this kind.
std::string mutate(const std::string& content, FuzzTarget::Input input, std::uint32_t seed);

}  // namespace foresight
