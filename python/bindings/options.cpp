#include "options.h"

#include <algorithm>

#include "arguments.h"
#include <nanobind/stl/string.h>

#include "foresight/base/error.h"

namespace foresight::python {
namespace {

std::string number_text(const std::string& what, nb::handle value) {
  if (is_whole_number(value)) return nb::cast<std::string>(nb::str(nb::int_(value)));
  if (!is_number(value)) reject_argument(what, "a number", value);
  return nb::cast<std::string>(nb::repr(nb::float_(value)));
}

std::string word_text(const std::string& what, nb::handle value) {
  if (!nb::hasattr(value, "__fspath__")) return text_argument(what, value);
  return path_argument(what, value).string();
}

}  // namespace

Spec spec_of(const std::string& owner, const nb::dict& given,
             const std::vector<OptionInfo>& described, const LeftOpen& left_open) {
  Spec spec;
  for (const auto& [key, value] : given) {
    if (value.is_none()) continue;
    const auto name = nb::cast<std::string>(key);
    const auto option = std::ranges::find(described, name, &OptionInfo::name);
    const bool number = option != described.end() && option->range != "text";
    const std::string what = owner + ": " + name;
    const std::string text = number ? number_text(what, value) : word_text(what, value);
    const bool below_one = text == "0" || text.starts_with('-');
    if (below_one && std::ranges::find(left_open, name) != left_open.end()) {
      // Its range is 0..SOMETHING.
      fail(ErrorCode::kUsage,
           "{}: {} must be a whole number 1{}, got \"{}\"; None stands for the default", owner,
           name, option->range.substr(1), text);
    }
    spec.values.emplace_back(name, text);
  }
  return spec;
}

nb::list list_options(const std::vector<OptionInfo>& options) {
  nb::list list;
  for (const OptionInfo& option : options) {
    nb::dict described;
    described["name"] = option.name;
    described["default"] = option.default_value;
    described["range"] = option.range;
    described["text"] = option.text;
    list.append(described);
  }
  return list;
}

}  // namespace foresight::python
