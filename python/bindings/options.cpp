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
    // A choice is written as a|b.
    const bool number = option != described.end() && option->range != "text" &&
                        option->range.find('|') == std::string::npos;
    const std::string what = owner + ": " + name;
    const std::string text = number ? number_text(what, value) : word_text(what, value);
    const bool not_positive = text == "0" || text == "0.0" || text.starts_with('-');
    if (not_positive && std::ranges::find(left_open, name) != left_open.end()) {
      fail(ErrorCode::kUsage, "{}: {} must be more than 0, got \"{}\"; None stands for the default",
           owner, name, text);
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
