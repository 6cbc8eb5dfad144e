// The Python module foresight._core: the library's names in snake_case. The package around it
// (python/foresight) adds what is Python's own.
#include "bindings.h"

#include "foresight/base/version.h"

NB_MODULE(_core, module) {
  using namespace foresight::python;
  module.doc() = "The C++ library behind the package; use the package's own names.";
  module.attr("version") = foresight::kVersion;
  define_errors(module);
  define_registries(module);
  define_data(module);
  define_solve(module);
  define_policy(module);
  define_evaluate(module);
  define_train(module);
  define_report(module);
  define_environments(module);
  define_registering(module);
}
