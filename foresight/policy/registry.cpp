#include "foresight/base/registry.h"

#include "foresight/policy/policy.h"

namespace foresight {

#define FORESIGHT_ENTRY(name) Entry<Policy> name##_policy();
#include "foresight/policy/registry.inc"
#undef FORESIGHT_ENTRY

Registry<Policy>& policies() {
  static Registry<Policy> registry("policy", {
#define FORESIGHT_ENTRY(name) name##_policy(),
#include "foresight/policy/registry.inc"
#undef FORESIGHT_ENTRY
                                             });
  return registry;
}

}  // namespace foresight
