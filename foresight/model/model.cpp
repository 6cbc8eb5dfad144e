#include "foresight/model/model.h"

#include "foresight/base/error.h"

namespace foresight {

void ModelContext::check_parameters(double count) const {
  if (count <= most_parameters) return;
  fail(ErrorCode::kData, "the model has {} parameters for {} fixed nodes, but only {} are given",
       count, num_fixed, most_parameters);
}

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

const Registry<Architecture>& models() {
  static const Registry<Architecture> registry("model", {
#define FORESIGHT_ENTRY(name) name##_model(),
#include "foresight/model/registry.inc"
#undef FORESIGHT_ENTRY
                                                        });
  return registry;
}

}  // namespace foresight
