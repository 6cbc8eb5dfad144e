#include "foresight/base/registry.h"

#include "foresight/data/source.h"

namespace foresight {

#define FORESIGHT_ENTRY(name) Entry<Source> name##_source();
#include "foresight/data/registry.inc"
#undef FORESIGHT_ENTRY

const Registry<Source>& sources() {
  static const Registry<Source> registry("source", {
#define FORESIGHT_ENTRY(name) name##_source(),
#include "foresight/data/registry.inc"
#undef FORESIGHT_ENTRY
                                                   });
  return registry;
}

}  // namespace foresight
