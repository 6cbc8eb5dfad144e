// Multi-layer perceptrons: linear layers with ReLU between them, trained and run on one thread.
//
//   Mlp mlp("ff", {63, 100, 100, 100, 11});
//   Parameters parameters;
//   mlp.declare(parameters);                      // ff.0.weight, ff.0.bias, ff.2.weight, ...
//   mlp.initialise(parameters, rng);
//
//   PackedMlp packed(mlp);                        // shared by threads
//   packed.load(parameters);                      // once per optimiser step
//   MlpTape tape(packed);                         // one per thread
//   for (each step of the episodes) {
//     const std::size_t first = tape.append(n);
//     for (i < n) fill(tape.input(first + i));
//     packed.forward(tape);                       // the rows appended since the last call
//     for (i < n) use(tape.output(first + i));
//   }
//   for (each row) fill(tape.output_gradient(row));
//   packed.backward(tape, gradient);              // all rows at once; adds to the gradient
//   tape.clear();
//
// Rows that differ only in their first inputs can share the others. These are then multiplied once
// for all such rows (see `Mlp::shared`).
//
// The bits of a row's outputs do not depend on the rows computed with it. The gradient depends on
// all rows and their order, but not on how they were split into calls of `forward`.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "foresight/base/rng.h"
#include "foresight/nn/kernels.h"
#include "foresight/nn/matrix.h"
#include "foresight/nn/parameters.h"

namespace foresight {

/// The layout of a perceptron: the name of its parameters, and the widths from input to output.
class Mlp {
 public:
  /// Throws Error(kUsage) unless there are at least two sizes, all positive.
  Mlp(std::string prefix, std::vector<std::size_t> sizes, std::size_t shared = 0);

  const std::vector<std::size_t>& sizes() const { return sizes_; }
  /// The number of last inputs that all rows of one `MlpTape::append` share. If it is not 0, there
  /// must be a hidden layer.
  std::size_t shared() const { return shared_; }
  std::size_t own() const { return sizes_.front() - shared_; }
  std::size_t num_layers() const { return sizes_.size() - 1; }

  /// The tensors of layer i, named as in a PyTorch Sequential of Linear and ReLU:
  /// PREFIX.2i.weight, a row of inputs per output, and PREFIX.2i.bias.
  std::string weight_name(std::size_t layer) const;
  std::string bias_name(std::size_t layer) const;

  /// Adds these tensors to a model's parameters.
  void declare(Parameters& parameters) const;
  /// Initialises as PyTorch does by default (see initialise_linear).
  void initialise(Parameters& parameters, Rng& rng) const;

 private:
  std::string prefix_;
  std::vector<std::size_t> sizes_;
  std::size_t shared_;
};

class MlpTape;

/// A perceptron's weights, laid out for the kernels. Threads may share it while none calls `load`.
class PackedMlp {
 public:
  explicit PackedMlp(Mlp mlp, const Kernels& kernels = best_kernels());

  void load(const Parameters& parameters);

  /// Computes the outputs of the rows appended since the last call.
  void forward(MlpTape& tape) const;

  /// Adds to `gradient` the gradient of sum(output_gradient * output) over all rows of a recording
  /// tape. On request it also computes the gradients of the rows' own inputs.
  enum class InputGradient { kNo, kYes };
  void backward(MlpTape& tape, Parameters& gradient,
                InputGradient input_gradient = InputGradient::kNo) const;

 private:
  friend class MlpTape;

  void forward_shared(MlpTape& tape) const;
  void backward_shared(MlpTape& tape) const;

  struct Layer {
    Matrix weight;      // a row per output
    Matrix transposed;  // a row per input
    Matrix bias;        // one row
  };

  Mlp mlp_;
  const Kernels* kernels_;
  std::vector<Layer> layers_;
};

/// Rows on their way through a perceptron, and what `backward` needs to know about them.
/// Spans are valid until the next `append`.
class MlpTape {
 public:
  enum class Record {
    kYes,  // keeps every activation, for `backward`
    kNo,   // keeps only inputs and outputs
  };

  explicit MlpTape(const PackedMlp& packed, Record record = Record::kYes);

  /// Adds rows whose inputs the caller fills, and returns the index of the first one.
  std::size_t append(std::size_t rows);
  /// Forgets the rows and keeps the memory.
  void clear() {
    rows_ = computed_ = 0;
    groups_.count = groups_.computed = 0;
  }
  std::size_t rows() const { return rows_; }

  /// The bytes that so many rows take on a recording tape, in so many groups (see below): inputs,
  /// activations, outputs and output gradients, each padded to whole vectors; and the gradients of
  /// inputs if they are asked for.
  std::size_t bytes_of(
      std::size_t rows, std::size_t groups,
      PackedMlp::InputGradient input_gradient = PackedMlp::InputGradient::kNo) const {
    const bool wants_input = input_gradient == PackedMlp::InputGradient::kYes;
    return rows * (row_bytes_ + (wants_input ? input_gradients_.row_bytes() : 0)) +
           groups * group_bytes_;
  }
  std::size_t groups() const { return groups_.count; }

  /// A row's own inputs, and those it shares with the rows appended with it.
  std::span<float> input(std::size_t row) { return activations_.front()[row]; }
  std::span<const float> input(std::size_t row) const { return activations_.front()[row]; }
  std::span<float> shared_input(std::size_t row) { return groups_.inputs[groups_.of_row[row]]; }
  std::span<const float> shared_input_of_group(std::size_t group) const {
    return groups_.inputs[group];
  }
  std::span<const float> output(std::size_t row) const { return activations_.back()[row]; }
  /// Fill it before `backward`; it is 0 at first.
  std::span<float> output_gradient(std::size_t row) { return output_gradients_[row]; }
  /// Filled by `backward` on request.
  std::span<const float> input_gradient(std::size_t row) const { return input_gradients_[row]; }

 private:
  friend class PackedMlp;

  Record record_;
  std::size_t row_bytes_ = 0;
  std::size_t group_bytes_ = 0;
  std::size_t rows_ = 0;
  std::size_t computed_ = 0;             // rows whose outputs are known
  std::vector<TallMatrix> activations_;  // input, hidden layers after ReLU, output
  TallMatrix output_gradients_;
  TallMatrix input_gradients_;

  // What `backward` works with.
  struct Work {
    Matrix delta;   // of one chunk of rows: the gradient of a layer's inputs
    Matrix weight;  // the layer's gradient, as in PackedMlp::Layer
    Matrix bias;
  };
  std::vector<Work> work_;

  // The rows of one `append` are a group. Groups are kept only if there are shared inputs.
  struct Groups {
    TallMatrix inputs;
    TallMatrix sums;       // what the inputs add to the first layer, with its bias
    TallMatrix gradients;  // of the sums
    Matrix weight;         // gradient of the shared inputs' weights
    std::size_t count = 0;
    std::size_t computed = 0;
    std::vector<std::size_t> of_row = {};
  };
  Groups groups_;
};

}  // namespace foresight
