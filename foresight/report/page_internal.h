// The page that web/ builds, as part of the program.
#pragma once

#include <string_view>

namespace foresight {

/// Empty if the program was built without the page.
std::string_view page();

}  // namespace foresight
