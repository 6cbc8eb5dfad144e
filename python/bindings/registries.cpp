// What can be named in a spec: sources, problems, policies, models, trainers.
#include "bindings.h"
#include <nanobind/stl/string.h>

#include "foresight/data/source.h"
#include "foresight/model/model.h"
#include "foresight/problem/problem.h"
#include "foresight/train/trainer.h"

namespace foresight::python {
namespace {

template <typename T>
nb::list entries(const Registry<T>& registry) {
  nb::list list;
  for (const Entry<T>& entry : registry.entries()) {
    nb::list options;
    for (const OptionInfo& option : registry.options(entry)) {
      nb::dict described;
      described["name"] = option.name;
      described["default"] = option.default_value;
      described["range"] = option.range;
      described["text"] = option.text;
      options.append(described);
    }
    nb::dict described;
    described["name"] = entry.name;
    described["summary"] = entry.summary;
    described["options"] = options;
    list.append(described);
  }
  return list;
}

}  // namespace

void bind_registries(nb::module_& module) {
  module.def(
      "sources", [] { return entries(sources()); },
      nb::sig("def sources() -> list[dict[str, typing.Any]]"), DOC(sources));
  module.def(
      "problems", [] { return entries(problems()); },
      nb::sig("def problems() -> list[dict[str, typing.Any]]"), DOC(problems));
  module.def(
      "policies", [] { return entries(policies()); },
      nb::sig("def policies() -> list[dict[str, typing.Any]]"), DOC(policies));
  module.def(
      "models", [] { return entries(models()); },
      nb::sig("def models() -> list[dict[str, typing.Any]]"), DOC(models));
  module.def(
      "trainers", [] { return entries(trainers()); },
      nb::sig("def trainers() -> list[dict[str, typing.Any]]"), DOC(trainers));
}

}  // namespace foresight::python
