#include "tests/fuzz/target.h"

namespace foresight {

#define FUZZ_TARGET(name, input)              \
  void fuzz_##name(std::string_view content); \
  std::vector<std::string> name##_seeds();
#include "tests/fuzz/targets.inc"
#undef FUZZ_TARGET

const std::vector<FuzzTarget>& fuzz_targets() {
  static const std::vector<FuzzTarget> targets = {
#define FUZZ_TARGET(name, input) {#name, FuzzTarget::Input::input, fuzz_##name, name##_seeds},
#include "tests/fuzz/targets.inc"
#undef FUZZ_TARGET
  };
  return targets;
}

}  // namespace foresight
