// gnn-hist with one message-passing layer. The paper embeds the whole graph again at every arrival.
// Here the encoder is folded into the perceptron's first layer (encoder.h), whose inputs are
// updated in O(degree) (graph.h).
#include <algorithm>
#include <functional>

#include "foresight/model/gnn/encoder.h"
#include "foresight/model/gnn/model.h"
#include "foresight/model/largest_input_internal.h"

namespace foresight {
namespace {

class FoldedGnn : public GnnModel {
 public:
  explicit FoldedGnn(GnnShape model_shape)
      : GnnModel(std::move(model_shape)),
        encoder_(shape()),
        decoder_(shape().decoder(encoder_.outputs())),
        folded_(shape().decoder(encoder_.columns().width, encoder_.columns().shared())),
        packed_(folded_),
        first_layer_(best_kernels(), decoder_.sizes()[1], encoder_.outputs()),
        matrix_(best_kernels(), encoder_.outputs(), encoder_.columns().width),
        transposed_(best_kernels(), encoder_.columns().width, encoder_.outputs()) {
    folded_.declare(folded_parameters_);
  }

  const GraphColumns& columns() const { return encoder_.columns(); }
  const PackedMlp& packed() const { return packed_; }

  /// Adds the effect of the tape's output gradients to `gradient`.
  void backward(MlpTape& tape, Parameters& gradient) const;

 private:
  void load(const Parameters& parameters) override;
  std::unique_ptr<GnnBatch> make_batch(MlpTape::Record record) const override;

  GraphEncoder encoder_;
  Mlp decoder_;
  Mlp folded_;  // the decoder with T folded into its first layer
  Parameters folded_parameters_;
  PackedMlp packed_;
  Matrix first_layer_;  // of the decoder
  Matrix matrix_;       // T
  Matrix transposed_;
};

/// A tensor in the kernels' layout.
Matrix to_matrix(std::span<const float> values, std::size_t columns) {
  const std::size_t rows = values.size() / columns;
  Matrix matrix(best_kernels(), rows, columns);
  for (std::size_t i = 0; i < rows; ++i) {
    std::ranges::copy(values.subspan(i * columns, columns), matrix[i].begin());
  }
  return matrix;
}

/// tensor += matrix
void add(std::span<float> tensor, const Matrix& matrix) {
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    tensor[i] += matrix[i / matrix.columns()][i % matrix.columns()];
  }
}

void FoldedGnn::load(const Parameters& parameters) {
  Dense matrix = encoder_.matrix(parameters);
  const auto t = matrix.view();
  for (std::size_t i = 0; i < t.rows; ++i) {
    for (std::size_t j = 0; j < t.columns; ++j) {
      matrix_[i][j] = transposed_[j][i] = static_cast<float>(t(i, j));
    }
  }
  const std::string first = decoder_.weight_name(0);
  first_layer_ = to_matrix(parameters[first], t.rows);
  const std::size_t hidden = decoder_.sizes()[1];
  Matrix product(best_kernels(), hidden, t.columns);
  best_kernels().multiply({.a = first_layer_.from(0),
                           .b = matrix_.from(0),
                           .c = product.from(0),
                           .rows = hidden,
                           .columns = t.columns,
                           .depth = t.rows});
  folded_parameters_.set_zero();
  for (const auto& tensor : folded_parameters_.tensors()) {
    const auto to = folded_parameters_[tensor.name];
    if (tensor.name == first) {
      add(to, product);
    } else {
      std::ranges::copy(parameters[tensor.name], to.begin());
    }
  }
  packed_.load(folded_parameters_);
}

void FoldedGnn::backward(MlpTape& tape, Parameters& gradient) const {
  Parameters folded = folded_parameters_.zeros();
  packed_.backward(tape, folded);
  const std::size_t hidden = decoder_.sizes()[1];
  const std::size_t outputs = encoder_.outputs();
  const std::size_t width = columns().width;
  const std::string first = decoder_.weight_name(0);

  const Matrix d_product = to_matrix(folded[first], width);
  Matrix d_first_layer(best_kernels(), hidden, outputs);
  best_kernels().multiply({.a = d_product.from(0),
                           .b = transposed_.from(0),
                           .c = d_first_layer.from(0),
                           .rows = hidden,
                           .columns = outputs,
                           .depth = width});
  Matrix d_matrix(best_kernels(), outputs, width);
  best_kernels().multiply_transposed({.a = first_layer_.from(0),
                                      .b = d_product.from(0),
                                      .c = d_matrix.from(0),
                                      .rows = outputs,
                                      .columns = width,
                                      .depth = hidden});
  Dense d_encoder(outputs, width);
  for (std::size_t i = 0; i < outputs; ++i) {
    std::ranges::copy(d_matrix[i], &d_encoder.view()(i, 0));
  }
  encoder_.backward(parameters(), std::move(d_encoder), gradient);
  for (const auto& tensor : folded.tensors()) {
    const auto sum = gradient[tensor.name];
    if (tensor.name == first) {
      add(sum, d_first_layer);
    } else {
      std::ranges::transform(sum, folded[tensor.name], sum.begin(), std::plus<>());
    }
  }
}

class FoldedBatch : public GnnBatch {
 public:
  FoldedBatch(const FoldedGnn& model, MlpTape::Record record)
      : GnnBatch(model.packed(), record), model_(model) {}

 private:
  void open(std::span<const Opening> openings) override {
    graphs_.clear();
    for (const Opening& opening : openings) {
      graphs_.emplace_back(model_.shape().inputs, opening.market);
    }
  }

  void observe(const Turn& turn) override { graphs_[turn.episode].observe(*turn.state); }

  void fill(std::span<const Turn> turns, std::span<const Rows> rows) override {
    const GraphColumns& columns = model_.columns();
    for (std::size_t i = 0; i < turns.size(); ++i) {
      if (rows[i].count == 0) continue;
      const EpisodeGraph& graph = graphs_[turns[i].episode];
      std::size_t row = rows[i].first;
      graph.fill_shared(*turns[i].state, columns, tape().shared_input(row));
      graph.fill_skip(columns, tape().input(row));
      for (const Offer& offer : turns[i].state->offers()) {
        graph.fill(offer, columns, tape().input(++row));
      }
    }
  }

  void backward(Parameters& gradient) override { model_.backward(tape(), gradient); }

  std::size_t bytes_of(std::size_t rows, std::size_t decisions) const override {
    return tape().bytes_of(rows, decisions);
  }

  std::optional<Input> largest_input() const override {
    if (tape().rows() == 0) return std::nullopt;
    LargestInput largest;
    for (std::size_t row = 0; row < tape().rows(); ++row) largest.add(tape().input(row));
    for (std::size_t group = 0; group < tape().groups(); ++group) {
      largest.add(tape().shared_input_of_group(group), model_.columns().time);
    }
    return Input{graph_column_names(model_.shape().inputs)[largest.column], largest.value};
  }

  const FoldedGnn& model_;
  std::vector<EpisodeGraph> graphs_;
};

std::unique_ptr<GnnBatch> FoldedGnn::make_batch(MlpTape::Record record) const {
  return std::make_unique<FoldedBatch>(*this, record);
}

}  // namespace

std::unique_ptr<Model> folded_gnn(GnnShape shape) {
  return std::make_unique<FoldedGnn>(std::move(shape));
}

}  // namespace foresight
