// gnn-hist, the paper's graph neural network: an encoder embeds the graph seen so far, and a
// perceptron scores each candidate from the embeddings of the arrival, the candidate, the solution
// and all fixed nodes. It serves any number of fixed nodes in any order.
//
// The paper embeds the whole graph again at every arrival. Here the encoder is folded into the
// perceptron's first layer (gnn_encoder.h), whose inputs are updated in O(degree) (gnn_graph.h).
#include <algorithm>
#include <functional>

#include "foresight/base/error.h"
#include "foresight/nn/mlp.h"
#include "foresight/policy/gnn_encoder.h"
#include "foresight/policy/model.h"

namespace foresight {
namespace {

struct GnnOptions {
  int embed = 30;
  int hidden = 200;
  int layers = 2;
  int encoder = 1;

  void read(OptionReader& o) {
    o.integer("embed", embed, 1, 1'000, "length of an embedding");
    o.integer("hidden", hidden, 1, 10'000, "neurons per hidden layer of the decoder");
    o.integer("layers", layers, 1, 20, "hidden layers of the decoder");
    o.integer("encoder", encoder, 1, 1, "message-passing layers of the encoder");
  }
};

Mlp decoder(std::size_t inputs, const GnnOptions& options) {
  std::vector<std::size_t> sizes(static_cast<std::size_t>(options.layers) + 1,
                                 static_cast<std::size_t>(options.hidden));
  sizes.front() = inputs;
  sizes.push_back(1);
  return Mlp("ff", std::move(sizes));
}

class GnnModel : public Model {
 public:
  GnnModel(const GnnOptions& options, const Schema& schema)
      : inputs_(schema),
        encoder_(inputs_, static_cast<std::size_t>(options.embed)),
        decoder_(decoder(encoder_.outputs(), options)),
        folded_(decoder(encoder_.columns().width, options)),
        packed_(folded_),
        first_layer_(best_kernels(), decoder_.sizes()[1], encoder_.outputs()),
        matrix_(best_kernels(), encoder_.outputs(), encoder_.columns().width),
        transposed_(best_kernels(), encoder_.columns().width, encoder_.outputs()) {
    encoder_.declare(parameters_);
    decoder_.declare(parameters_);
    folded_.declare(folded_parameters_);
  }

  const Parameters& parameters() const override { return parameters_; }
  void set_parameters(const Parameters& parameters) override;
  Parameters initial_parameters(Rng& rng) const override {
    Parameters fresh = parameters_.zeros();
    encoder_.initialise(fresh, rng);
    decoder_.initialise(fresh, rng);
    return fresh;
  }
  std::vector<std::string> features() const override;

  std::unique_ptr<Batch> begin(std::span<const Opening> openings) const override;
  std::unique_ptr<RecordingBatch> record(std::span<const Opening> openings,
                                         Record what) const override;

  const NodeInputs& inputs() const { return inputs_; }
  const GraphColumns& columns() const { return encoder_.columns(); }
  const PackedMlp& packed() const { return packed_; }

  /// Adds to `gradient` what the tape's output gradients say.
  void backward(MlpTape& tape, Parameters& gradient) const;

 private:
  NodeInputs inputs_;
  GraphEncoder encoder_;
  Mlp decoder_;
  Mlp folded_;  // the decoder with T folded into its first layer
  Parameters parameters_;
  Parameters folded_parameters_;
  PackedMlp packed_;
  Matrix first_layer_;  // of the decoder
  Matrix matrix_;       // T
  Matrix transposed_;
};

std::vector<std::string> GnnModel::features() const {
  std::vector<std::string> names = {"gain", "time", "value", "is_skip", "mask"};
  for (const std::string& name : inputs_.fixed_attributes) names.push_back("fixed." + name);
  names.push_back(inputs_.budgets ? "fixed.remaining" : "fixed.matched");
  for (const std::string& name : inputs_.arrival_attributes) names.push_back("arrival." + name);
  return names;
}

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

void GnnModel::set_parameters(const Parameters& parameters) {
  parameters_ = parameters;
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

void GnnModel::backward(MlpTape& tape, Parameters& gradient) const {
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
  encoder_.backward(parameters_, std::move(d_encoder), gradient);
  for (const auto& tensor : folded.tensors()) {
    const auto sum = gradient[tensor.name];
    if (tensor.name == first) {
      add(sum, d_first_layer);
    } else {
      std::ranges::transform(sum, folded[tensor.name], sum.begin(), std::plus<>());
    }
  }
}

class GnnBatch : public RecordingBatch {
 public:
  GnnBatch(const GnnModel& model, std::span<const Opening> openings, bool recording)
      : model_(model),
        recording_(recording),
        tape_(model.packed(), recording ? MlpTape::Record::kYes : MlpTape::Record::kNo) {
    open(openings);
  }

  void restart(std::span<const Opening> openings) override {
    tape_.clear();
    spans_.clear();
    open(openings);
  }

  void score(std::span<const Turn> turns, Scores& scores) override {
    if (!recording_) {
      tape_.clear();
      spans_.clear();
    }
    const std::size_t first_span = spans_.size();
    for (const Turn& turn : turns) {
      EpisodeGraph& graph = graphs_[turn.episode];
      graph.observe(*turn.state);
      const auto offers = turn.state->offers();
      if (offers.empty()) {
        spans_.push_back({0, 0});
        continue;
      }
      const GraphColumns& columns = model_.columns();
      const std::size_t first = tape_.append(offers.size() + 1);
      spans_.push_back({first, offers.size() + 1});
      const auto skip = tape_.input(first);
      graph.fill_skip(columns, skip);
      graph.fill_shared(*turn.state, columns, skip);
      for (std::size_t k = 0; k < offers.size(); ++k) {
        const auto row = tape_.input(first + k + 1);
        graph.fill(offers[k], columns, row);
        std::ranges::copy(skip.subspan(columns.time), row.subspan(columns.time).begin());
      }
    }
    model_.packed().forward(tape_);
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const Span& span = spans_[first_span + i];
      const auto row = scores.row(i);
      row[0] = 0;
      for (std::size_t k = 0; k < span.rows; ++k) row[k] = tape_.output(span.first + k)[0];
    }
  }

  void backward(std::span<const float> score_gradients, Parameters& gradient) override {
    std::size_t entry = 0;
    for (const Span& span : spans_) {
      if (span.rows == 0) ++entry;
      for (std::size_t k = 0; k < span.rows; ++k) {
        tape_.output_gradient(span.first + k)[0] = score_gradients[entry++];
      }
    }
    model_.backward(tape_, gradient);
  }

 private:
  struct Span {
    std::size_t first;  // row on the tape
    std::size_t rows;   // 0 where there is no choice: nothing is computed
  };

  void open(std::span<const Opening> openings) {
    graphs_.clear();
    for (const Opening& opening : openings) graphs_.emplace_back(model_.inputs(), opening.market);
  }

  const GnnModel& model_;
  bool recording_;
  MlpTape tape_;
  std::vector<Span> spans_;
  std::vector<EpisodeGraph> graphs_;
};

std::unique_ptr<Batch> GnnModel::begin(std::span<const Opening> openings) const {
  return std::make_unique<GnnBatch>(*this, openings, false);
}

std::unique_ptr<RecordingBatch> GnnModel::record(std::span<const Opening> openings,
                                                 Record what) const {
  if (what == Record::kOutputs) {
    fail(ErrorCode::kUsage,
         "imitation needs a model with an output for every fixed node: "
         "ff-supervised, ff-hist or ff");
  }
  return std::make_unique<GnnBatch>(*this, openings, true);
}

class GnnArchitecture : public Architecture {
 public:
  explicit GnnArchitecture(GnnOptions options) : options_(options) {}
  std::unique_ptr<Model> build(const ModelContext& context) const override {
    return std::make_unique<GnnModel>(options_, context.schema);
  }

 private:
  GnnOptions options_;
};

}  // namespace

Entry<Architecture> gnn_hist_model() {
  return make_entry<Architecture, GnnArchitecture, GnnOptions>(
      "gnn-hist", "one candidate at a time, with embeddings of the graph; any size and order");
}

}  // namespace foresight
