#include "foresight/model/model.h"

#include "foresight/base/error.h"

namespace foresight {

std::span<const float> RecordingBatch::outputs(std::size_t) const {
  fail(ErrorCode::kUsage, "this model has no output for every fixed node");
}

void RecordingBatch::backward_outputs(std::span<const float>, Parameters&) {
  fail(ErrorCode::kUsage, "this model has no output for every fixed node");
}

void RecordingBatch::add_inputs(std::span<Moments>) {
  fail(ErrorCode::kUsage, "this model has no perceptron that takes its features");
}

#define FORESIGHT_ENTRY(name) Entry<Architecture> name##_model();
#include "foresight/model/registry.inc"
#undef FORESIGHT_ENTRY

Registry<Architecture>& models() {
  static Registry<Architecture> registry("model", {
#define FORESIGHT_ENTRY(name) name##_model(),
#include "foresight/model/registry.inc"
#undef FORESIGHT_ENTRY
                                                  });
  return registry;
}

}  // namespace foresight
