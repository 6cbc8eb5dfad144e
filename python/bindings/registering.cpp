// Sources, policies and problems written in Python, as entries of the library's registries.
#include <limits>
#include <variant>

#include "arguments.h"
#include "bindings.h"
#include "options.h"
#include "python_policy.h"
#include "python_problem.h"
#include "python_source.h"
#include <nanobind/stl/string.h>

#include "foresight/base/error.h"

namespace foresight::python {
namespace {

/// One option: the type of its default says what it takes.
struct PythonOption {
  std::string name;
  std::variant<int, double, std::string> value;

  void read(OptionReader& reader) {
    using Limits = std::numeric_limits<int>;
    constexpr double kAny = std::numeric_limits<double>::infinity();
    if (auto* number = std::get_if<int>(&value)) {
      reader.integer(name, *number, Limits::min(), Limits::max(), "");
    } else if (auto* real = std::get_if<double>(&value)) {
      reader.real(name, *real, -kAny, kAny, "");
    } else {
      reader.text(name, std::get<std::string>(value), "");
    }
  }
  nb::object object() const {
    return std::visit([](const auto& held) { return nb::cast(held); }, value);
  }
};

struct PythonOptions {
  std::vector<PythonOption> options;

  void read(OptionReader& reader) {
    for (PythonOption& option : options) option.read(reader);
  }
};

PythonOption option_of(const std::string& owner, const std::string& name, nb::handle value) {
  if (!is_spec_name(name)) {
    fail(ErrorCode::kUsage,
         "{}: an option cannot be called \"{}\": use letters, digits, '-' and '_'", owner, name);
  }
  if (is_whole_number(value)) {
    const nb::int_ number(value);
    int fitting = 0;
    if (nb::try_cast(number, fitting)) return {name, fitting};
    fail(ErrorCode::kUsage, "{}: the default of option \"{}\" is too large: {}", owner, name,
         shown(value));
  }
  if (is_number(value)) return {name, nb::cast<double>(nb::float_(value))};
  if (nb::isinstance<nb::str>(value)) return {name, nb::cast<std::string>(value)};
  throw nb::type_error(
      fmt::format("{}: the default of option \"{}\" must be an int, a float or a str, got {}",
                  owner, name, shown(value))
          .c_str());
}

PythonOptions options_of(const std::string& owner, const nb::dict& given) {
  PythonOptions result;
  for (const auto& [key, value] : given) {
    result.options.push_back(
        option_of(owner, text_argument(owner + ": an option's name", key), value));
  }
  OptionReader reader({}, owner);
  result.read(reader);  // refuses what no spec could say, such as NaN
  return result;
}

/// `wrap(name, object)` makes an entry's object of what Python's `make` returns. It is called with the
/// interpreter's lock.
template <typename T, typename Wrap>
void add_entry(Registry<T>& registry, const std::string& name, nb::object function,
               const nb::dict& given, const std::string& summary, Wrap wrap) {
  const PythonOptions defaults = options_of(fmt::format("{} \"{}\"", registry.kind(), name), given);
  const auto make = std::make_shared<const PythonObject>(std::move(function));
  registry.add({name, summary,
                [defaults](OptionReader& reader) { PythonOptions(defaults).read(reader); },
                [defaults, name, make, wrap](OptionReader& reader) -> std::shared_ptr<T> {
                  PythonOptions options = defaults;
                  options.read(reader);
                  reader.finish();
                  const nb::gil_scoped_acquire acquired;
                  nb::dict arguments;
                  for (const PythonOption& option : options.options) {
                    arguments[option.name.c_str()] = option.object();
                  }
                  return wrap(name, nb::object(make->get()(**arguments)));
                }});
}

std::shared_ptr<Policy> wrap_policy(const std::string& name, nb::object made) {
  if (!is_policy(made)) {
    throw nb::type_error(
        fmt::format("policy \"{}\": make must return a foresight.Policy, got {}", name, shown(made))
            .c_str());
  }
  return std::make_shared<PythonPolicy>(std::move(made));
}

}  // namespace

void define_registering(nb::module_& module) {
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&PythonObject::release_all));
  const auto define = [&](const char* function, auto& registry, auto wrap) {
    module.def(
        function,
        [&registry, wrap, call = std::string(function)](
            nb::handle name, nb::object make, const nb::dict& options, nb::handle summary) {
          if (!PyCallable_Check(make.ptr())) reject_argument(call + ": make", "a function", make);
          add_entry(registry, text_argument(call + ": name", name), std::move(make), options,
                    text_argument(call + ": summary", summary), wrap);
        },
        nb::arg("name").none(), nb::arg("make").none(), nb::arg("options"),
        nb::arg("summary").none());
  };
  define("register_source", sources(), [](const std::string& name, nb::object made) {
    return std::make_shared<PythonSource>(name, std::move(made));
  });
  define("register_problem", problems(), [](const std::string& name, nb::object made) {
    return std::make_shared<PythonProblem>(name, std::move(made));
  });
  define("register_policy", policies(), wrap_policy);
}

}  // namespace foresight::python
