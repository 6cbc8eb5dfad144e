// What models made of one perceptron share.
#pragma once

#include <vector>

#include "foresight/base/error.h"
#include "foresight/model/model.h"
#include "foresight/nn/mlp.h"

namespace foresight {

/// The widths from input to output.
inline std::vector<std::size_t> layer_sizes(const ModelContext& context, std::size_t inputs,
                                            int hidden, int layers, std::size_t outputs) {
  std::vector<std::size_t> sizes(static_cast<std::size_t>(layers) + 1,
                                 static_cast<std::size_t>(hidden));
  sizes.front() = inputs;
  sizes.push_back(outputs);
  double parameters = 0;
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    parameters += static_cast<double>(sizes[i - 1] + 1) * static_cast<double>(sizes[i]);
  }
  context.check_parameters(parameters);
  return sizes;
}

struct SizeOptions {
  int hidden = 100;
  int layers;

  explicit SizeOptions(int default_layers) : layers(default_layers) {}
  void read(OptionReader& o) {
    o.integer("hidden", hidden, 1, 10'000, "neurons per hidden layer");
    o.integer("layers", layers, 1, 20, "hidden layers");
  }
};

/// For models whose inputs have a place for each fixed node.
inline void check_size(const Market& market, NodeId num_fixed) {
  if (market.num_fixed == num_fixed) return;
  fail(ErrorCode::kData,
       "this model was built for {} fixed nodes and cannot serve an instance with {}; the inv-* "
       "models serve any number",
       num_fixed, market.num_fixed);
}
inline void check_size(std::span<const Opening> openings, NodeId num_fixed) {
  for (const Opening& opening : openings) check_size(opening.market, num_fixed);
}

/// For models whose inputs hold the attributes of a fixed node.
inline void check_attributes(const Market& market, std::size_t expected) {
  const bool fits = market.attributes.width == expected || market.num_fixed == 0;
  if (expected == 0 || fits) return;
  fail(
      ErrorCode::kData,
      "this model was built for {} attributes of the fixed nodes and cannot serve an instance with "
      "{}",
      expected, market.attributes.width);
}
inline void check_attributes(std::span<const Opening> openings, std::size_t expected) {
  for (const Opening& opening : openings) check_attributes(opening.market, expected);
}

/// A model that is one perceptron.
class MlpModel : public Model {
 public:
  explicit MlpModel(std::vector<std::size_t> sizes) : mlp_("ff", std::move(sizes)), packed_(mlp_) {
    mlp_.declare(parameters_);
  }

  const Parameters& parameters() const override { return parameters_; }
  void set_parameters(const Parameters& parameters) override {
    parameters_ = parameters;
    packed_.load(parameters_);
  }
  Parameters initial_parameters(Rng& rng) const override {
    Parameters fresh = parameters_;
    mlp_.initialise(fresh, rng);
    return fresh;
  }
  const Mlp* perceptron() const override { return &mlp_; }
  const PackedMlp& packed() const { return packed_; }

 protected:
  /// What the perceptron makes of the last axis of x.
  Network::Value add_to(Network& network, const Network::Value& x) const {
    return add_mlp(network, mlp_, parameters_, x);
  }

 private:
  Mlp mlp_;
  Parameters parameters_;
  PackedMlp packed_;
};

/// Keeps, per turn, where its rows lie on the tape.
class MlpBatch : public RecordingBatch {
 public:
  MlpBatch(const MlpModel& model, bool recording)
      : packed_(model.packed()),
        recording_(recording),
        tape_(packed_, recording ? MlpTape::Record::kYes : MlpTape::Record::kNo) {}

  void add_inputs(std::span<Moments> columns) override {
    for (std::size_t row = 0; row < tape_.rows(); ++row) {
      const auto input = tape_.input(row);
      for (std::size_t j = 0; j < columns.size(); ++j) columns[j].add(input[j]);
    }
  }

 protected:
  static constexpr std::size_t kNotComputed = static_cast<std::size_t>(-1);

  struct Span {
    std::size_t first;  // row on the tape, or kNotComputed where there is no choice
    std::size_t entries;
  };

  void backpropagate(Parameters& gradient) { packed_.backward(tape_, gradient); }

  void forget() {
    tape_.clear();
    spans_.clear();
  }

  const PackedMlp& packed_;
  bool recording_;
  MlpTape tape_;
  std::vector<Span> spans_;
};

}  // namespace foresight
