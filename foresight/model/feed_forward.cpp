// The paper's feed-forward models:
//   ff, ff-hist, ff-supervised  one network sees all fixed nodes at once and has an output for each
//   inv-ff, inv-ff-hist         one small network scores each candidate by itself, so it works with
//                               any number of fixed nodes in any order; only candidates that can be
//                               chosen are computed
#include <algorithm>

#include "foresight/base/error.h"
#include "foresight/features/features.h"
#include "foresight/model/mlp_model_internal.h"

namespace foresight {
namespace {

using Record = Model::Record;

FeatureOptions feature_options(bool history, const ModelContext& context) {
  return feature_options(context.traits(), context.schema.capacities, history, context.units);
}

// ---------------------------------------------------------------- all nodes at once

class FlatModel : public MlpModel {
 public:
  FlatModel(FeatureOptions options, const ModelContext& context, int hidden, int layers)
      : MlpModel(layer_sizes(context, FlatFeatures(options, context.num_fixed).width(), hidden,
                             layers, static_cast<std::size_t>(context.num_fixed) + 1)),
        num_fixed_(context.num_fixed),
        features_(options, context.num_fixed) {}

  std::vector<std::string> features() const override { return features_.names(); }
  std::unique_ptr<Batch> open(std::span<const Opening> openings) const override;
  std::unique_ptr<RecordingBatch> open_recording(std::span<const Opening> openings,
                                                 Record what) const override;
  Network network() const override;
  std::unique_ptr<Feed> feed(const Market& market) const override;
  const FlatFeatures& columns() const { return features_; }

  void check(std::span<const Opening> openings) const { check_size(*this, openings, num_fixed_); }

 private:
  NodeId num_fixed_;
  FlatFeatures features_;
};

class FlatBatch : public MlpBatch {
 public:
  FlatBatch(const FlatModel& model, bool recording, Record what)
      : MlpBatch(model, recording),
        model_(model),
        features_(model.columns()),
        every_row_(what == Record::kOutputs) {}

  void score(std::span<const Turn> turns, Scores& scores) override {
    if (!recording_) forget_rows();
    const std::size_t first_span = spans_.size();
    for (const Turn& turn : turns) {
      const auto offers = turn.state->offers();
      const bool computed = every_row_ || !offers.empty();
      spans_.push_back({computed ? tape_.append(1) : kNotComputed, offers.size() + 1});
      if (recording_) {
        nodes_.push_back(0);
        for (const Offer& offer : offers) nodes_.push_back(offer.node + 1);
      }
      if (computed) features_.fill(*turn.state, tape_.input(spans_.back().first));
    }
    packed_.forward(tape_);
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const Span& span = spans_[first_span + i];
      const auto row = scores.row(i);
      row[0] = 0;
      if (span.first == kNotComputed) continue;
      const auto output = tape_.output(span.first);
      row[0] = output[0];
      const auto offers = turns[i].state->offers();
      for (std::size_t k = 0; k < offers.size(); ++k) {
        row[k + 1] = output[static_cast<std::size_t>(offers[k].node) + 1];
      }
    }
  }

  void restart(std::span<const Opening> openings) override {
    model_.check(openings);
    forget_rows();
  }

  void forget_rows() override {
    MlpBatch::forget_rows();
    nodes_.clear();
  }

  std::size_t bytes() const override { return MlpBatch::bytes() + nodes_.size() * sizeof(NodeId); }
  std::size_t bytes_for(const State& state) const override {
    const std::size_t entries = state.offers().size() + 1;
    return bytes_of(every_row_ || entries > 1 ? 1 : 0) + entries * sizeof(NodeId);
  }

  void backward(std::span<const float> score_gradients, Parameters& gradient) override {
    std::size_t entry = 0;
    for (const Span& span : spans_) {
      for (std::size_t k = 0; k < span.entries; ++k, ++entry) {
        if (span.first == kNotComputed) continue;
        const auto node = static_cast<std::size_t>(nodes_[entry]);
        tape_.output_gradient(span.first)[node] = score_gradients[entry];
      }
    }
    backpropagate(gradient);
  }

  std::span<const float> outputs(std::size_t row) const override {
    return tape_.output(spans_[row].first);
  }

  void backward_outputs(std::span<const float> output_gradients, Parameters& gradient) override {
    std::size_t used = 0;
    for (const Span& span : spans_) {
      const auto target = tape_.output_gradient(span.first);
      std::copy_n(output_gradients.begin() + static_cast<std::ptrdiff_t>(used), target.size(),
                  target.begin());
      used += target.size();
    }
    backpropagate(gradient);
  }

 private:
  const FlatModel& model_;
  const FlatFeatures& features_;
  bool every_row_;
  std::vector<NodeId> nodes_;  // per entry of every row: 0 for skip, else the node + 1
};

std::unique_ptr<Batch> FlatModel::open(std::span<const Opening> openings) const {
  check(openings);
  return std::make_unique<FlatBatch>(*this, false, Record::kChoices);
}

std::unique_ptr<RecordingBatch> FlatModel::open_recording(std::span<const Opening> openings,
                                                          Record what) const {
  check(openings);
  return std::make_unique<FlatBatch>(*this, true, what);
}

Network FlatModel::network() const {
  const auto nodes = static_cast<std::size_t>(num_fixed_) + 1;
  Network network;
  const auto x = network.input({"features",
                                "a row per decision; masks are 1 where a node cannot be chosen",
                                {{"batch"}, {"", features_.width()}},
                                features()});
  network.output("scores", {{"batch"}, {"", nodes}}, add_to(network, x));
  return network;
}

std::unique_ptr<Feed> FlatModel::feed(const Market& market) const {
  check_size(*this, market, num_fixed_);
  return make_feed([this](const State& state) {
    NetworkInputs inputs;
    features_.fill(state, inputs.arrays.emplace_back(std::vector{1, features_.width()}).row(0));
    inputs.entries = entries_of_nodes(state);
    return inputs;
  });
}

// ---------------------------------------------------------------- one candidate at a time

class NodeModel : public MlpModel {
 public:
  NodeModel(const NodeFeatures& features, const ModelContext& context, int hidden, int layers)
      : MlpModel(layer_sizes(context, features.width(), hidden, layers, 1)), features_(features) {}

  Schema needs() const override {
    Schema needed = MlpModel::needs();
    add_attributes(features_.attributes(), needed);
    return needed;
  }

  std::vector<std::string> features() const override { return features_.names(); }
  std::unique_ptr<Batch> open(std::span<const Opening> openings) const override;
  std::unique_ptr<RecordingBatch> open_recording(std::span<const Opening> openings,
                                                 Record what) const override;
  Network network() const override;
  std::unique_ptr<Feed> feed(const Market& market) const override;
  void check(std::span<const Opening> openings) const {
    check_attributes(*this, openings, features_.attributes());
  }

  /// Fills the rows of skip and of each offer; `row(k)` is the row of candidate k.
  template <typename Row>
  void fill(const State& state, Row&& row) const {
    check_attributes(*this, state.arrival(), features_.attributes());
    const NodeFeatures::Row shared = features_.row(state);
    shared.fill_skip(row(0));
    std::size_t k = 0;
    for (const Offer& offer : state.offers()) shared.fill(offer, true, row(++k));
  }

 private:
  NodeFeatures features_;
};

class NodeBatch : public MlpBatch {
 public:
  NodeBatch(const NodeModel& model, bool recording) : MlpBatch(model, recording), model_(model) {}

  void score(std::span<const Turn> turns, Scores& scores) override {
    if (!recording_) forget_rows();
    const std::size_t first_span = spans_.size();
    for (const Turn& turn : turns) {
      const auto offers = turn.state->offers();
      spans_.push_back({kNotComputed, offers.size() + 1});
      if (offers.empty()) continue;
      const std::size_t first = spans_.back().first = tape_.append(offers.size() + 1);
      model_.fill(*turn.state, [&](std::size_t k) { return tape_.input(first + k); });
    }
    packed_.forward(tape_);
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const Span& span = spans_[first_span + i];
      const auto row = scores.row(i);
      row[0] = 0;
      if (span.first == kNotComputed) continue;
      for (std::size_t k = 0; k < row.size(); ++k) row[k] = tape_.output(span.first + k)[0];
    }
  }

  void restart(std::span<const Opening> openings) override {
    model_.check(openings);
    forget_rows();
  }

  std::size_t bytes_for(const State& state) const override {
    const std::size_t offers = state.offers().size();
    return bytes_of(offers == 0 ? 0 : offers + 1);
  }

  void backward(std::span<const float> score_gradients, Parameters& gradient) override {
    std::size_t entry = 0;
    for (const Span& span : spans_) {
      for (std::size_t k = 0; k < span.entries; ++k, ++entry) {
        if (span.first == kNotComputed) continue;
        tape_.output_gradient(span.first + k)[0] = score_gradients[entry];
      }
    }
    backpropagate(gradient);
  }

 private:
  const NodeModel& model_;
};

std::unique_ptr<Batch> NodeModel::open(std::span<const Opening> openings) const {
  check(openings);
  return std::make_unique<NodeBatch>(*this, false);
}

std::unique_ptr<RecordingBatch> NodeModel::open_recording(std::span<const Opening> openings,
                                                          Record what) const {
  if (what == Record::kOutputs) {
    fail(ErrorCode::kUsage,
         "imitation needs a model with an output for every fixed node: "
         "ff-supervised, ff-hist or ff");
  }
  check(openings);
  return std::make_unique<NodeBatch>(*this, true);
}

Network NodeModel::network() const {
  Network network;
  const auto x = network.input({"features",
                                "a row per candidate: skip, then each node that can be chosen",
                                {{"batch"}, {"candidates"}, {"", features_.width()}},
                                features()});
  network.output("scores", {{"batch"}, {"candidates"}},
                 network.apply(Network::Operation::kSqueeze, {add_to(network, x)}, 2));
  return network;
}

std::unique_ptr<Feed> NodeModel::feed(const Market& market) const {
  check_attributes(*this, market, features_.attributes());
  return make_feed([this, width = features_.width()](const State& state) {
    NetworkInputs inputs;
    auto& rows = inputs.add({1, state.offers().size() + 1, width});
    fill(state, [&](std::size_t k) { return rows.row(k); });
    inputs.entries = entries_of_offers(state);
    return inputs;
  });
}

// ---------------------------------------------------------------- architectures

struct FlatOptions : SizeOptions {
  FlatOptions() : SizeOptions(3) {}
};
struct NodeOptions : SizeOptions {
  NodeOptions() : SizeOptions(2) {}
};

template <bool history>
std::unique_ptr<Model> build_flat(const FlatOptions& options, const ModelContext& context) {
  return std::make_unique<FlatModel>(feature_options(history, context), context, options.hidden,
                                     options.layers);
}

template <bool history>
std::unique_ptr<Model> build_node(const NodeOptions& options, const ModelContext& context) {
  return std::make_unique<NodeModel>(NodeFeatures(feature_options(history, context)), context,
                                     options.hidden, options.layers);
}

struct PlusOptions : NodeOptions {
  int attributes = 1;
  void read(OptionReader& o) {
    NodeOptions::read(o);
    o.integer("attributes", attributes, 0, 1,
              "see the attributes of fixed nodes and arrivals, if any");
  }
};

std::unique_ptr<Model> build_plus(const PlusOptions& options, const ModelContext& context) {
  FeatureOptions features = feature_options(true, context);
  features.outlook = true;
  AttributeColumns columns;
  if (options.attributes == 1) columns = attribute_columns(context);
  return std::make_unique<NodeModel>(NodeFeatures(features, std::move(columns)), context,
                                     options.hidden, options.layers);
}

}  // namespace

// The trainers are those that the paper's authors found in their sweeps and used for every dataset.

Entry<Architecture> ff_model() {
  return make_architecture<FlatOptions, build_flat<false>>(
      "ff", "all nodes at once: gains and mask",
      {"reinforce(lr=0.008,decay=0.96,beta=0.75,entropy=0.05)"});
}

Entry<Architecture> ff_hist_model() {
  return make_architecture<FlatOptions, build_flat<true>>(
      "ff-hist", "all nodes at once, with history",
      {"reinforce(lr=0.003,decay=0.98,beta=0.75,entropy=0.03)",
       TrainingPlan::Automatic{
           .same_nodes = true,
           .variants = {"reinforce(schedule=cosine,rollouts=8,baseline=others,credit=to-go,"
                        "normalize=1,entropy=0.05,entropy_end=0,standardize=1)"}}});
}

Entry<Architecture> ff_supervised_model() {
  return make_architecture<FlatOptions, build_flat<true>>(
      "ff-supervised", "ff-hist, trained by imitating the hindsight optimum",
      {"imitation(lr=0.0006,decay=0.99)"});
}

Entry<Architecture> inv_ff_model() {
  return make_architecture<NodeOptions, build_node<false>>(
      "inv-ff", "one candidate at a time: gain and mean gain; any size and order",
      {"reinforce(lr=0.02,decay=0.98,beta=0.7,entropy=0.003)"});
}

Entry<Architecture> inv_ff_hist_model() {
  return make_architecture<NodeOptions, build_node<true>>(
      "inv-ff-hist", "one candidate at a time, with history; any size and order",
      {"reinforce(lr=0.006,decay=0.97,beta=0.8,entropy=0.0006)"});
}

Entry<Architecture> inv_ff_plus_model() {
  return make_architecture<PlusOptions, build_plus>(
      "inv-ff-plus", "inv-ff-hist that also sees supply, demand, and attributes of both sides",
      {"reinforce(lr=0.006,schedule=cosine,rollouts=8,baseline=others,credit=to-go,"
       "normalize=1,entropy=0.05,entropy_end=0,standardize=1)",
       TrainingPlan::Automatic{.variants = {"reinforce(entropy=0.1)", "reinforce(entropy=0.02)"}}});
}

}  // namespace foresight
