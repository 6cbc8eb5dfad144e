// What models that consist of one perceptron share.
#pragma once

#include <vector>

#include "foresight/base/error.h"
#include "foresight/features/features.h"
#include "foresight/model/feed.h"
#include "foresight/model/largest_input_internal.h"
#include "foresight/model/model.h"
#include "foresight/nn/mlp.h"
#include "foresight/nn/network.h"

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

/// For models whose inputs have columns for each fixed node.
inline void check_size(const Model& model, const Market& market, NodeId num_fixed) {
  if (market.num_fixed == num_fixed) return;
  fail(ErrorCode::kData,
       "{} was built for {} fixed nodes, but the instance has {}; the inv-* models work with any "
       "number",
       model.title(), num_fixed, market.num_fixed);
}
inline void check_size(const Model& model, std::span<const Opening> openings, NodeId num_fixed) {
  for (const Opening& opening : openings) check_size(model, opening.market, num_fixed);
}

/// The attributes that a model is built for, with their positions in the data.
inline AttributeColumns attribute_columns(const ModelContext& context) {
  const auto columns = [](const std::vector<std::string>& names,
                          const std::vector<std::size_t>& places) {
    std::vector<AttributeColumn> result;
    for (const std::string& name : names) {
      result.push_back({name, places.empty() ? result.size() : places[result.size()]});
    }
    return result;
  };
  return {columns(context.schema.fixed_attributes, context.places.fixed_attributes),
          columns(context.schema.arrival_attributes, context.places.arrival_attributes)};
}

/// Adds the names of these attributes to what a model needs.
inline void add_attributes(const AttributeColumns& columns, Schema& needed) {
  for (const auto& column : columns.fixed) needed.fixed_attributes.push_back(column.name);
  for (const auto& column : columns.arrival) needed.arrival_attributes.push_back(column.name);
}

/// For models that see attributes: unfitted data must not be read beyond its columns.
inline void check_attributes(const Model& model, const Market& market,
                             const AttributeColumns& seen) {
  const std::size_t columns = seen.fixed.size();
  if (columns == 0 || market.attributes.width == columns || market.num_fixed == 0) return;
  fail(ErrorCode::kData,
       "{} was built for fixed nodes with {} attributes, but those of the instance have {}",
       model.title(), columns, market.attributes.width);
}
inline void check_attributes(const Model& model, std::span<const Opening> openings,
                             const AttributeColumns& seen) {
  for (const Opening& opening : openings) check_attributes(model, opening.market, seen);
}
inline void check_attributes(const Model& model, const Arrival& arrival,
                             const AttributeColumns& seen) {
  const std::size_t columns = seen.arrival.size();
  if (columns == 0 || arrival.attributes.size() == columns) return;
  fail(ErrorCode::kData,
       "{} was built for arrivals with {} attributes, but those of the instance have {}",
       model.title(), columns, arrival.attributes.size());
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
  /// Applies the perceptron to the last axis of x.
  Network::Value add_to(Network& network, const Network::Value& x) const {
    return add_mlp(network, mlp_, parameters_, x);
  }

 private:
  Mlp mlp_;
  Parameters parameters_;
  PackedMlp packed_;
};

/// Keeps, per turn, where its rows are on the tape.
class MlpBatch : public RecordingBatch {
 public:
  MlpBatch(const MlpModel& model, bool recording)
      : mlp_model_(model),
        packed_(model.packed()),
        recording_(recording),
        tape_(packed_, recording ? MlpTape::Record::kYes : MlpTape::Record::kNo) {}

  void forget_rows() override {
    tape_.clear();
    spans_.clear();
  }
  std::size_t rows() const override { return tape_.rows(); }
  std::size_t bytes() const override {
    return tape_.bytes_of(tape_.rows(), 0) + spans_.size() * sizeof(Span);
  }

  void add_inputs(std::span<Moments> columns) override {
    for (std::size_t row = 0; row < tape_.rows(); ++row) {
      const auto input = tape_.input(row);
      for (std::size_t j = 0; j < columns.size(); ++j) columns[j].add(input[j]);
    }
  }

  std::optional<Input> largest_input() const override {
    if (tape_.rows() == 0) return std::nullopt;
    LargestInput largest;
    for (std::size_t row = 0; row < tape_.rows(); ++row) largest.add(tape_.input(row));
    return Input{mlp_model_.features()[largest.column], largest.value};
  }

 protected:
  static constexpr std::size_t kNotComputed = static_cast<std::size_t>(-1);

  struct Span {
    std::size_t first;  // row on the tape, or kNotComputed if there is no choice
    std::size_t entries;
  };

  void backpropagate(Parameters& gradient) { packed_.backward(tape_, gradient); }

  /// The bytes of a decision that has so many rows on the tape.
  std::size_t bytes_of(std::size_t rows) const { return tape_.bytes_of(rows, 0) + sizeof(Span); }

  const MlpModel& mlp_model_;
  const PackedMlp& packed_;
  bool recording_;
  MlpTape tape_;
  std::vector<Span> spans_;
};

}  // namespace foresight
