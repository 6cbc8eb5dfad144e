#include "foresight/nn/mlp.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "foresight/base/error.h"

namespace foresight {

namespace {

// The rows that pass through all layers together. They and a panel of weights fit the first-level
// cache. With several times as many rows, `backward` loses a third of its speed.
constexpr std::size_t kChunk = 64;
static_assert(TallMatrix::kBlock % kChunk == 0);

/// The rows from `begin` on that can be multiplied at once: those of its block.
std::size_t rows_of_block(std::size_t begin, std::size_t end) {
  return std::min(end - begin, TallMatrix::kBlock - begin % TallMatrix::kBlock);
}

constexpr float kOne = 1;

void add(std::span<float> to, std::span<const float> values) {
  for (std::size_t i = 0; i < values.size(); ++i) to[i] += values[i];
}

}  // namespace

Mlp::Mlp(std::string prefix, std::vector<std::size_t> sizes, std::size_t shared)
    : prefix_(std::move(prefix)), sizes_(std::move(sizes)), shared_(shared) {
  if (sizes_.size() < 2) {
    fail(ErrorCode::kUsage, "perceptron \"{}\" needs at least 2 sizes, got {}", prefix_,
         sizes_.size());
  }
  if (std::ranges::find(sizes_, std::size_t{0}) != sizes_.end()) {
    fail(ErrorCode::kUsage, "perceptron \"{}\" has a layer of size 0; sizes must be at least 1",
         prefix_);
  }
  assert(shared == 0 || (shared < sizes_.front() && num_layers() > 1));
}

std::string Mlp::weight_name(std::size_t layer) const {
  return fmt::format("{}.{}.weight", prefix_, 2 * layer);
}

std::string Mlp::bias_name(std::size_t layer) const {
  return fmt::format("{}.{}.bias", prefix_, 2 * layer);
}

void Mlp::declare(Parameters& parameters) const {
  for (std::size_t i = 0; i < num_layers(); ++i) {
    parameters.add(weight_name(i), {sizes_[i + 1], sizes_[i]});
    parameters.add(bias_name(i), {sizes_[i + 1]});
  }
}

void Mlp::initialise(Parameters& parameters, Rng& rng) const {
  for (std::size_t i = 0; i < num_layers(); ++i) {
    initialise_linear(parameters[weight_name(i)], sizes_[i], rng);
    initialise_linear(parameters[bias_name(i)], sizes_[i], rng);
  }
}

PackedMlp::PackedMlp(Mlp mlp, const Kernels& kernels) : mlp_(std::move(mlp)), kernels_(&kernels) {
  for (std::size_t i = 0; i < mlp_.num_layers(); ++i) {
    const std::size_t inputs = mlp_.sizes()[i];
    const std::size_t outputs = mlp_.sizes()[i + 1];
    layers_.push_back({.weight = {kernels, outputs, inputs},
                       .transposed = {kernels, inputs, outputs},
                       .bias = {kernels, 1, outputs}});
  }
}

void PackedMlp::load(const Parameters& parameters) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    auto& [weight, transposed, bias] = layers_[i];
    const std::span<const float> values = parameters[mlp_.weight_name(i)];
    assert(values.size() == weight.columns() * transposed.columns());
    for (std::size_t output = 0; output < transposed.columns(); ++output) {
      const auto row = values.subspan(output * weight.columns(), weight.columns());
      std::ranges::copy(row, weight[output].begin());
      for (std::size_t k = 0; k < row.size(); ++k) transposed[k][output] = row[k];
    }
    std::ranges::copy(parameters[mlp_.bias_name(i)], bias[0].begin());
  }
}

/// What the new groups' shared inputs add to the first layer.
void PackedMlp::forward_shared(MlpTape& tape) const {
  auto& groups = tape.groups_;
  const Layer& first = layers_.front();
  while (groups.computed < groups.count) {
    const std::size_t rows = rows_of_block(groups.computed, groups.count);
    kernels_->multiply({.a = groups.inputs.from(groups.computed),
                        .b = first.transposed.from(mlp_.own()),
                        .c = groups.sums.from(groups.computed),
                        .rows = rows,
                        .columns = groups.sums.columns(),
                        .depth = mlp_.shared(),
                        .bias = first.bias[0].data()});
    groups.computed += rows;
  }
}

void PackedMlp::forward(MlpTape& tape) const {
  const bool shares = mlp_.shared() > 0;
  if (shares) forward_shared(tape);
  const bool record = tape.record_ == MlpTape::Record::kYes;
  while (tape.computed_ < tape.rows_) {
    const std::size_t begin = tape.computed_;
    const std::size_t rows = std::min(kChunk, rows_of_block(begin, tape.rows_));
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const Layer& layer = layers_[i];
      const bool first = i == 0;
      const bool last = i + 1 == layers_.size();
      TallMatrix& input = tape.activations_[i];
      TallMatrix& output = tape.activations_[i + 1];
      Product product = {.a = input.from(record || first ? begin : 0),
                         .b = layer.transposed.from(0),
                         .c = output.from(record || last ? begin : 0),
                         .rows = rows,
                         .columns = output.columns(),
                         .depth = input.columns(),
                         .bias = layer.bias[0].data(),
                         .relu = !last};
      if (first && shares) {
        for (std::size_t k = 0; k < product.rows; ++k) {
          const auto sums = tape.groups_.sums[tape.groups_.of_row[begin + k]];
          std::ranges::copy(sums, product.c.data + k * product.c.stride);
        }
        product.bias = nullptr;
        product.add = true;
      }
      if (last && output.columns() == 1) {
        product.b = layer.weight.from(0);
        kernels_->dot(product);
      } else {
        kernels_->multiply(product);
      }
    }
    tape.computed_ += rows;
  }
}

/// The gradient of the shared inputs' weights, given that of the groups' sums.
void PackedMlp::backward_shared(MlpTape& tape) const {
  auto& groups = tape.groups_;
  groups.weight.set_zero();
  for (std::size_t begin = 0; begin < groups.count; begin += kChunk) {
    kernels_->multiply_transposed({.a = groups.gradients.from(begin),
                                   .b = groups.inputs.from(begin),
                                   .c = groups.weight.from(0),
                                   .rows = groups.gradients.columns(),
                                   .columns = mlp_.shared(),
                                   .depth = std::min(kChunk, groups.count - begin),
                                   .add = true});
  }
}

void PackedMlp::backward(MlpTape& tape, Parameters& gradient, InputGradient input_gradient) const {
  assert(tape.record_ == MlpTape::Record::kYes && tape.computed_ == tape.rows_);
  const bool shares = mlp_.shared() > 0;
  const bool wants_input = input_gradient == InputGradient::kYes;
  if (wants_input) tape.input_gradients_.reserve(tape.rows_);
  tape.groups_.gradients.set_zero();
  for (auto& work : tape.work_) {
    work.weight.set_zero();
    work.bias.set_zero();
  }
  for (std::size_t begin = 0; begin < tape.rows_; begin += kChunk) {
    const std::size_t rows = std::min(kChunk, tape.rows_ - begin);
    ConstRows delta = tape.output_gradients_.from(begin);
    for (std::size_t i = layers_.size(); i-- > 0;) {
      const Layer& layer = layers_[i];
      auto& work = tape.work_[i];
      const std::size_t inputs = tape.activations_[i].columns();
      const std::size_t outputs = layer.transposed.columns();
      const ConstRows input = tape.activations_[i].from(begin);
      kernels_->multiply_transposed({.a = delta,
                                     .b = input,
                                     .c = work.weight.from(0),
                                     .rows = outputs,
                                     .columns = inputs,
                                     .depth = rows,
                                     .add = true});
      kernels_->multiply_transposed({.a = {&kOne, 0},
                                     .b = delta,
                                     .c = work.bias.from(0),
                                     .rows = 1,
                                     .columns = outputs,
                                     .depth = rows,
                                     .add = true});
      if (i == 0 && shares) {
        for (std::size_t k = 0; k < rows; ++k) {
          add(tape.groups_.gradients[tape.groups_.of_row[begin + k]],
              {delta.data + k * delta.stride, outputs});
        }
      }
      if (i == 0 && !wants_input) break;
      const MutableRows next = i > 0 ? work.delta.from(0) : tape.input_gradients_.from(begin);
      kernels_->multiply({.a = delta,
                          .b = layer.weight.from(0),
                          .c = next,
                          .rows = rows,
                          .columns = inputs,
                          .depth = outputs,
                          .mask = i > 0 ? input.data : nullptr});
      delta = next;
    }
  }
  if (shares) backward_shared(tape);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const auto& [delta, weight, bias] = tape.work_[i];
    const std::span<float> to = gradient[mlp_.weight_name(i)];
    for (std::size_t output = 0; output < bias.columns(); ++output) {
      const auto row = to.subspan(output * mlp_.sizes()[i], mlp_.sizes()[i]);
      add(row, weight[output]);
      if (i == 0 && shares) add(row.subspan(mlp_.own()), tape.groups_.weight[output]);
    }
    add(gradient[mlp_.bias_name(i)], bias[0]);
  }
}

MlpTape::MlpTape(const PackedMlp& packed, Record record)
    : record_(record),
      output_gradients_(*packed.kernels_, 0, packed.mlp_.sizes().back()),
      input_gradients_(*packed.kernels_, 0, packed.mlp_.own()),
      groups_{.inputs = {*packed.kernels_, 0, packed.mlp_.shared()},
              .sums = {*packed.kernels_, 0, packed.mlp_.sizes()[1]},
              .gradients = {*packed.kernels_, 0, packed.mlp_.sizes()[1]},
              .weight = {*packed.kernels_, packed.mlp_.sizes()[1], packed.mlp_.shared()}} {
  const Kernels& kernels = *packed.kernels_;
  for (std::size_t i = 0; i < packed.mlp_.sizes().size(); ++i) {
    activations_.emplace_back(kernels, kChunk, i == 0 ? packed.mlp_.own() : packed.mlp_.sizes()[i]);
  }
  row_bytes_ = output_gradients_.row_bytes();
  for (const TallMatrix& matrix : activations_) row_bytes_ += matrix.row_bytes();
  if (packed.mlp_.shared() > 0) {
    row_bytes_ += sizeof(groups_.of_row[0]);
    for (const TallMatrix* matrix : {&groups_.inputs, &groups_.sums, &groups_.gradients}) {
      group_bytes_ += matrix->row_bytes();
    }
  }
  if (record == Record::kNo) return;
  for (std::size_t i = 0; i < packed.layers_.size(); ++i) {
    const std::size_t inputs = activations_[i].columns();
    const std::size_t outputs = packed.mlp_.sizes()[i + 1];
    work_.push_back({.delta = {kernels, kChunk, inputs},
                     .weight = {kernels, outputs, inputs},
                     .bias = {kernels, 1, outputs}});
  }
}

std::size_t MlpTape::append(std::size_t rows) {
  const std::size_t first = std::exchange(rows_, rows_ + rows);
  const bool record = record_ == Record::kYes;
  for (TallMatrix& matrix : activations_) {
    const bool hidden = &matrix != &activations_.front() && &matrix != &activations_.back();
    if (record || !hidden) matrix.reserve(rows_);
  }
  if (record) {
    output_gradients_.reserve(rows_);
    for (std::size_t row = first; row < rows_; ++row)
      std::ranges::fill(output_gradients_[row], 0.0f);
  }
  if (groups_.inputs.columns() > 0) {
    groups_.of_row.resize(first);
    groups_.of_row.resize(rows_, groups_.count++);
    groups_.inputs.reserve(groups_.count);
    groups_.sums.reserve(groups_.count);
    if (record) groups_.gradients.reserve(groups_.count);
  }
  return first;
}

}  // namespace foresight
