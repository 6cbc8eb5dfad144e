// What can be named in a spec: sources, problems, policies, models, trainers.
#include "arguments.h"
#include "bindings.h"
#include "options.h"
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
    nb::dict described;
    described["name"] = entry.name;
    described["summary"] = entry.summary;
    described["options"] = list_options(registry.options(entry));
    list.append(described);
  }
  return list;
}

/// With what people call each, and a source to try it with.
nb::list problem_entries() {
  nb::list list = entries(problems());
  for (nb::handle described : list) {
    const auto problem = problems().make(nb::cast<std::string>(described["name"]));
    described["title"] = problem->title();
    described["example"] = problem->example();
  }
  return list;
}

std::string canonical(nb::handle given_kind, nb::handle given_spec) {
  const std::string kind = text_argument("canonical: kind", given_kind);
  const std::string spec = text_argument("canonical: spec", given_spec);
  std::string found;
  const auto ask = [&](const auto& registry) {
    if (registry.kind() == kind) found = registry.canonical(spec);
  };
  ask(sources());
  ask(problems());
  ask(policies());
  ask(models());
  ask(trainers());
  if (found.empty()) {
    fail(ErrorCode::kUsage,
         "there is no kind \"{}\"; there are: source, problem, policy, model, trainer", kind);
  }
  return found;
}

}  // namespace

void define_registries(nb::module_& module) {
  module.def(
      "sources", [] { return entries(sources()); },
      nb::sig("def sources() -> list[dict[str, typing.Any]]"), DOC(sources));
  module.def("problems", &problem_entries, nb::sig("def problems() -> list[dict[str, typing.Any]]"),
             DOC(problems));
  module.def(
      "policies", [] { return entries(policies()); },
      nb::sig("def policies() -> list[dict[str, typing.Any]]"), DOC(policies));
  module.def(
      "models", [] { return entries(models()); },
      nb::sig("def models() -> list[dict[str, typing.Any]]"), DOC(models));
  module.def(
      "trainers", [] { return entries(trainers()); },
      nb::sig("def trainers() -> list[dict[str, typing.Any]]"), DOC(trainers));
  module.def(
      "canonical", &canonical, nb::arg("kind").none(), nb::arg("spec").none(),
      nb::sig("def canonical(kind: str, spec: str) -> str"),
      "A spec with all its options: the same text for all specs that mean the same. The kind "
      "is source, problem, policy, model or trainer.");
}

}  // namespace foresight::python
