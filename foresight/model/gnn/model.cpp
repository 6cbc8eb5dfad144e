#include "foresight/model/gnn/model.h"

#include "foresight/base/error.h"

namespace foresight {

std::string GnnShape::edge_weight(std::size_t layer) {
  return fmt::format("embedder.l{}.weight", layer);
}

std::string GnnShape::edge_bias(std::size_t layer) {
  return fmt::format("embedder.l{}.bias", layer);
}

std::string GnnShape::root(std::size_t layer) {
  return fmt::format("embedder.conv{}.lin.weight", layer);
}

std::string GnnShape::layer_bias(std::size_t layer) {
  return fmt::format("embedder.conv{}.bias", layer);
}

Mlp GnnShape::decoder(std::size_t num_inputs, std::size_t shared) const {
  std::vector<std::size_t> sizes = {num_inputs};
  sizes.insert(sizes.end(), hidden.begin(), hidden.end());
  sizes.push_back(1);
  return Mlp("ff", std::move(sizes), shared);
}

void GnnShape::declare(Parameters& parameters) const {
  parameters.add(kInitial, {1, 1, embed});
  for (std::size_t layer = 1; layer <= layers; ++layer) {
    parameters.add(edge_weight(layer), {embed * embed, 1});
    parameters.add(edge_bias(layer), {embed * embed});
  }
  parameters.add(kFixedWeight, {embed, inputs.fixed() - 1});
  parameters.add(kFixedBias, {embed});
  if (!inputs.one_embedding()) {
    parameters.add(kArrivalWeight, {embed, inputs.arrival() - 1});
    parameters.add(kArrivalBias, {embed});
  }
  for (std::size_t layer = 1; layer <= layers; ++layer) {
    parameters.add(layer_bias(layer), {embed});
    parameters.add(root(layer), {embed, embed});
  }
  parameters.add(kSolutionWeight, {embed, 2 * embed});
  parameters.add(kSolutionBias, {embed});
  decoder(decoder_inputs()).declare(parameters);
}

void GnnShape::initialise(Parameters& parameters, Rng& rng) const {
  initialise_linear(parameters[kInitial], embed, rng);
  for (std::size_t layer = 1; layer <= layers; ++layer) {
    initialise_linear(parameters[edge_weight(layer)], 1, rng);
    initialise_linear(parameters[edge_bias(layer)], 1, rng);
  }
  initialise_linear(parameters[kFixedWeight], inputs.fixed() - 1, rng);
  initialise_linear(parameters[kFixedBias], inputs.fixed() - 1, rng);
  if (!inputs.one_embedding()) {
    initialise_linear(parameters[kArrivalWeight], inputs.arrival() - 1, rng);
    initialise_linear(parameters[kArrivalBias], inputs.arrival() - 1, rng);
  }
  for (std::size_t layer = 1; layer <= layers; ++layer) {
    initialise_linear(parameters[root(layer)], embed, rng);
  }
  initialise_linear(parameters[kSolutionWeight], 2 * embed, rng);
  initialise_linear(parameters[kSolutionBias], 2 * embed, rng);
  decoder(decoder_inputs()).initialise(parameters, rng);
}

GnnModel::GnnModel(GnnShape shape) : shape_(std::move(shape)) {
  shape_.declare(parameters_);
}

void GnnModel::set_parameters(const Parameters& parameters) {
  parameters_ = parameters;
  load(parameters_);
}

Parameters GnnModel::initial_parameters(Rng& rng) const {
  Parameters fresh = parameters_.zeros();
  shape_.initialise(fresh, rng);
  return fresh;
}

Schema GnnModel::needs() const {
  Schema needed = Model::needs();
  (shape_.inputs.topics ? needed.topics : needed.fixed_attributes) = shape_.inputs.fixed_attributes;
  needed.arrival_attributes = shape_.inputs.arrival_attributes;
  return needed;
}

std::unique_ptr<Batch> GnnModel::open(std::span<const Opening> openings) const {
  auto batch = make_batch(MlpTape::Record::kNo);
  batch->restart(openings);
  return batch;
}

std::unique_ptr<RecordingBatch> GnnModel::open_recording(std::span<const Opening> openings,
                                                         Record what) const {
  if (what == Record::kOutputs) {
    fail(ErrorCode::kUsage,
         "imitation needs a model with an output for every fixed node: "
         "ff-supervised, ff-hist or ff");
  }
  auto batch = make_batch(MlpTape::Record::kYes);
  batch->restart(openings);
  return batch;
}

GnnBatch::GnnBatch(const PackedMlp& decoder, MlpTape::Record record)
    : decoder_(decoder), recording_(record == MlpTape::Record::kYes), tape_(decoder, record) {}

void GnnBatch::restart(std::span<const Opening> openings) {
  forget_rows();
  open(openings);
}

void GnnBatch::forget_rows() {
  tape_.clear();
  rows_.clear();
  decisions_ = 0;
  forget();
}

std::size_t GnnBatch::bytes() const {
  return bytes_of(tape_.rows(), decisions_) + rows_.size() * sizeof(Rows);
}

std::size_t GnnBatch::bytes_for(const State& state) const {
  const std::size_t offers = state.offers().size();
  return sizeof(Rows) + (offers == 0 ? 0 : bytes_of(offers + 1, 1));
}

void GnnBatch::score(std::span<const Turn> turns, Scores& scores) {
  if (!recording_) forget_rows();
  for (const Turn& turn : turns) {
    observe(turn);
    const std::size_t offers = turn.state->offers().size();
    rows_.push_back(offers == 0 ? Rows{0, 0} : Rows{tape_.append(offers + 1), offers + 1});
    decisions_ += offers == 0 ? 0 : 1;
  }
  const auto rows = std::span(rows_).last(turns.size());
  fill(turns, rows);
  decoder_.forward(tape_);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const auto row = scores.row(i);
    row[0] = 0;
    for (std::size_t k = 0; k < rows[i].count; ++k) row[k] = tape_.output(rows[i].first + k)[0];
  }
}

void GnnBatch::backward(std::span<const float> score_gradients, Parameters& gradient) {
  std::size_t entry = 0;
  for (const auto& [first, count] : rows_) {
    if (count == 0) ++entry;
    for (std::size_t k = 0; k < count; ++k) {
      tape_.output_gradient(first + k)[0] = score_gradients[entry++];
    }
  }
  backward(gradient);
}

}  // namespace foresight
