#include "foresight/base/registry.h"

#include "foresight/problem/problem.h"

namespace foresight {

#define FORESIGHT_ENTRY(name) Entry<Problem> name##_problem();
#include "foresight/problem/registry.inc"
#undef FORESIGHT_ENTRY

Registry<Problem>& problems() {
  static Registry<Problem> registry("problem", {
#define FORESIGHT_ENTRY(name) name##_problem(),
#include "foresight/problem/registry.inc"
#undef FORESIGHT_ENTRY
                                               });
  return registry;
}

}  // namespace foresight
