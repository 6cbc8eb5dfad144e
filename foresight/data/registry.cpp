#include "foresight/base/registry.h"

#include "foresight/data/source.h"

namespace foresight {

#define FORESIGHT_ENTRY(name) Entry<Source> name##_source();
#include "foresight/data/registry.inc"
#undef FORESIGHT_ENTRY

Registry<Source>& sources() {
  static Registry<Source> registry("source", {
#define FORESIGHT_ENTRY(name) name##_source(),
#include "foresight/data/registry.inc"
#undef FORESIGHT_ENTRY
                                             });
  return registry;
}

}  // namespace foresight
