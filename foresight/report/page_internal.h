// The page that web/ builds, as the program carries it.
#pragma once

#include <string_view>

namespace foresight {

/// Empty if the program was built without it.
std::string_view page();

}  // namespace foresight
