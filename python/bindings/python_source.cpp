#include "python_source.h"

#include "arguments.h"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "foresight/base/error.h"

namespace foresight::python {
namespace {

/// What the object has under this name, if it has it.
template <typename T>
T attribute(const std::string& source, nb::handle object, const char* name, T otherwise) {
  const nb::object found = nb::getattr(object, name, nb::none());
  if (found.is_none()) return otherwise;
  T value;
  if (!nb::try_cast(found, value)) {
    throw nb::type_error(
        fmt::format("source \"{}\": {} cannot be {}", source, name, shown(found)).c_str());
  }
  return value;
}

Names names(const std::string& source, nb::handle object, const char* name) {
  const nb::object found = nb::getattr(object, name, nb::none());
  if (found.is_none()) return {};
  return names_argument(fmt::format("source \"{}\": {}", source, name), found);
}

}  // namespace

PythonSource::PythonSource(std::string name, nb::object source)
    : name_(std::move(name)), object_(source) {
  if (!nb::hasattr(source, "draw")) {
    throw nb::type_error(
        fmt::format("source \"{}\": make must return an object with draw(seed, index), got {}",
                    name_, shown(source))
            .c_str());
  }
  schema_.problem = attribute<std::string>(name_, source, "problem", "e-obm");
  schema_.fixed_attributes = names(name_, source, "fixed_attributes");
  schema_.arrival_attributes = names(name_, source, "arrival_attributes");
  schema_.topics = names(name_, source, "topics");
  schema_.capacities = attribute<bool>(name_, source, "capacities", false);
  schema_.costs = attribute<bool>(name_, source, "costs", false);
  size_ = attribute<std::optional<std::uint64_t>>(name_, source, "size", {});
  digest_ = attribute<std::string>(name_, source, "digest", "");
}

Instance PythonSource::draw(std::uint64_t seed, std::uint64_t index) const {
  return object_.use([&](nb::handle source) {
    const nb::object drawn = source.attr("draw")(seed, index);
    if (!nb::isinstance<Instance>(drawn)) {
      throw nb::type_error(
          fmt::format("source \"{}\": draw must return a foresight.Instance, got {}", name_,
                      shown(drawn))
              .c_str());
    }
    return nb::cast<Instance>(drawn);
  });
}

}  // namespace foresight::python
