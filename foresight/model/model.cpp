#include "foresight/model/model.h"

#include "foresight/base/error.h"

namespace foresight {

Traits ModelContext::traits() const {
  return problems().make(schema.problem)->traits();
}

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

std::shared_ptr<const Policy> Model::fitted(const Problem&, const Schema& schema) const {
  if (!rebuild_) return nullptr;  // not made by an architecture, so it is used as it is
  ColumnPlaces places = fit_columns(title(), needs(), schema);
  if (places == context_.places) return nullptr;
  ModelContext context = context_;
  context.places = std::move(places);
  auto model = rebuild_(context);
  model->set_parameters(parameters());
  return model;
}

std::shared_ptr<Model> Architecture::build(const ModelContext& context) const {
  std::shared_ptr<Model> model = make(context);
  model->name_ = name_;
  model->context_ = context;
  model->rebuild_ = [self = shared_from_this()](const ModelContext& other) {
    return self->build(other);
  };
  return model;
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
