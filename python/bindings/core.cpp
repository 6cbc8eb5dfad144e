// The Python module foresight._core: the library's names in snake_case. The package around it
// (python/foresight) adds what is Python's own.
#include "bindings.h"

#include "foresight/base/version.h"

NB_MODULE(_core, module) {
  using namespace foresight::python;
  module.doc() = "The C++ library behind the package; use the package's own names.";
  module.attr("version") = foresight::kVersion;
  bind_errors(module);
  bind_registries(module);
  bind_data(module);
  bind_solve(module);
  bind_policy(module);
  bind_evaluate(module);
  bind_train(module);
  bind_report(module);
  bind_environments(module);
}
