// Arguments of Python calls that are refused with a sentence. nanobind would list C++ signatures
// instead, so functions take any object and say what it should have been.
//
//   const std::string spec = text_argument("generate: source", given);  // TypeError, ValueError
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bindings.h"

namespace foresight::python {

using Names = std::vector<std::string>;

/// Raises TypeError. `what` is the call and the argument.
[[noreturn]] void reject_argument(const std::string& what, std::string_view wanted,
                                  nb::handle value);

/// Raises ValueError for text that is not valid Unicode.
std::string text_argument(const std::string& what, nb::handle value);

/// Raises ValueError for what no file can be called, such as a name with a NUL character.
std::filesystem::path path_argument(const std::string& what, nb::handle value);

bool flag_argument(const std::string& what, nb::handle value);

/// A whole number from `least` to 2^64 - 1.
std::uint64_t whole_argument(const std::string& what, nb::handle value, std::uint64_t least = 0);

/// Names of columns. Raises ValueError for an empty one and for equal ones.
Names names_argument(const std::string& what, nb::handle value);

/// NumPy's numbers, too. True and False are not numbers.
bool is_whole_number(nb::handle value);
bool is_number(nb::handle value);

}  // namespace foresight::python
