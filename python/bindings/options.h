// Arguments of Python calls, read by the library's own description of its options: names, ranges and
// errors are those of the command line.
//
//   const auto options = read_options<SolveOptions>("solve", given);  // ValueError, TypeError
#pragma once

#include <string>
#include <vector>

#include "bindings.h"

#include "foresight/base/options.h"
#include "foresight/base/registry.h"

namespace foresight::python {

/// Options whose 0 says in the library that they are left open. In Python None does, so 0 is refused.
using LeftOpen = std::vector<std::string>;

/// What was given as text for an OptionReader. None is left out. Raises TypeError for a value that is
/// not of the option's kind.
Spec spec_of(const std::string& owner, const nb::dict& given,
             const std::vector<OptionInfo>& described, const LeftOpen& left_open);

/// What the options of a struct are.
template <typename Options>
std::vector<OptionInfo> describe_options() {
  OptionReader reader({}, {});
  Options().read(reader);
  return reader.options();
}

/// A struct with `read(OptionReader&)`, from what was given by name. `owner` is the call.
template <typename Options>
Options read_options(const std::string& owner, const nb::dict& given,
                     const LeftOpen& left_open = {}) {
  OptionReader reader(spec_of(owner, given, describe_options<Options>(), left_open), owner,
                      [](std::string_view name) { return std::string(name); });
  Options options;
  options.read(reader);
  reader.finish();
  return options;
}

/// As a list of dicts: name, default, range, text.
nb::list list_options(const std::vector<OptionInfo>& options);

/// How the library is told a path: one that is called like an entry is named with its folder.
template <typename T>
std::string path_text(const std::string& path, const Registry<T>& registry) {
  return registry.knows(path) ? "./" + path : path;
}

}  // namespace foresight::python
