#include "options.h"

#include <algorithm>

#include "python_object.h"
#include <nanobind/stl/string.h>

#include "foresight/base/error.h"

namespace foresight::python {
namespace {

bool is_instance(nb::handle value, const char* kind) {
  return nb::isinstance(value, nb::module_::import_("numbers").attr(kind));
}

[[noreturn]] void reject_type(const std::string& owner, const std::string& name, const char* wanted,
                              nb::handle value) {
  throw nb::type_error(
      fmt::format("{}: {} must be {}, got {}", owner, name, wanted, shown(value)).c_str());
}

/// NumPy's numbers, too. True and False are not meant as 1 and 0.
std::string number_text(const std::string& owner, const std::string& name, nb::handle value) {
  if (is_whole_number(value)) return nb::cast<std::string>(nb::str(nb::int_(value)));
  if (!is_number(value)) reject_type(owner, name, "a number", value);
  return nb::cast<std::string>(nb::repr(nb::float_(value)));
}

std::string word_text(const std::string& owner, const std::string& name, nb::handle value) {
  const nb::object path =
      nb::hasattr(value, "__fspath__") ? nb::object(value.attr("__fspath__")()) : nb::borrow(value);
  if (!nb::isinstance<nb::str>(path)) reject_type(owner, name, "a text", value);
  return nb::cast<std::string>(path);
}

}  // namespace

bool is_whole_number(nb::handle value) {
  return is_instance(value, "Integral") && !nb::isinstance<nb::bool_>(value);
}

bool is_number(nb::handle value) {
  return is_instance(value, "Real") && !nb::isinstance<nb::bool_>(value);
}

Spec spec_of(const std::string& owner, const nb::dict& given,
             const std::vector<OptionInfo>& described, const LeftOpen& left_open) {
  Spec spec;
  for (const auto& [key, value] : given) {
    if (value.is_none()) continue;
    const auto name = nb::cast<std::string>(key);
    const auto option = std::ranges::find(described, name, &OptionInfo::name);
    const bool number = option != described.end() && option->range != "text";
    const std::string text =
        number ? number_text(owner, name, value) : word_text(owner, name, value);
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
