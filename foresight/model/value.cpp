// Value models: a network learns what the state after a decision is still worth, and a decision is
// worth its gain plus that. If the fixed nodes are always the same, this is the dynamic program of
// the optimal online policy, with a network in place of its table.
//   value      one perceptron sees what is left of every fixed node; for a given number of nodes
//   inv-value  a sum over the nodes that are left: a small perceptron gives the value of each, from
//              its history and attributes; for any number of nodes in any order
// Both see the attributes of the arrival, which may tell what comes next.
// Scores are values divided by a temperature, so that sampling explores around the best choice.
#include <algorithm>

#include "foresight/base/error.h"
#include "foresight/features/value_features.h"
#include "foresight/model/mlp_model_internal.h"

namespace foresight {
namespace {

using Record = Model::Record;

struct ValueOptions : SizeOptions {
  double temperature = 0.03;
  int attributes = 1;

  ValueOptions() : SizeOptions(2) {}
  void read(OptionReader& o) {
    SizeOptions::read(o);
    o.real(
        "temperature", temperature, 1e-6, 1e6,
        "in training, a choice worth this much more, in units of the gain, is e times as likely");
    o.integer("attributes", attributes, 0, 1, "see the attributes of the data, if any");
  }
  ValueFeatureOptions features(const ModelContext& context) const {
    const Traits traits = context.traits();
    // Adwords has no amounts: its models knew only shares before there were other capacities.
    return {.amounts = traits.units() ? context.schema.capacities : traits.own_costs(),
            .attributes = attributes == 1 ? attribute_columns(context) : AttributeColumns(),
            .units = context.units};
  }
};

class ValueModel : public MlpModel {
 public:
  ValueModel(std::size_t inputs, const ModelContext& context, const ValueOptions& options)
      : MlpModel(layer_sizes(context, inputs, options.hidden, options.layers, 1)),
        temperature_(options.temperature),
        per_gain_(static_cast<float>(context.units.per_gain())) {}
  double temperature() const override { return temperature_; }

  /// The score of a choice with this gain and this value of what is left, in units of the gain.
  float score(float gain, float value) const {
    return static_cast<float>(1 / temperature_) * (per_gain_ * gain + value);
  }

 protected:
  /// The last steps of a value model's network: scores from the values of what is left.
  void add_scores(Network& network, const Network::Value& values) const {
    using enum Network::Operation;
    const auto gains = network.input(
        {"gains", "what each candidate gains: 0 for skip", {{"batch"}, {"candidates"}}, {}});
    const auto scale = network.constant("scale", {}, {static_cast<float>(1 / temperature_)});
    const auto per_gain = network.constant("per_gain", {}, {per_gain_});
    const auto sum = network.apply(kAdd, {network.apply(kMultiply, {gains, per_gain}), values});
    network.output("scores", {{"batch"}, {"candidates"}}, network.apply(kMultiply, {sum, scale}));
  }
  static NetworkInputs::Array gains(const State& state) {
    NetworkInputs::Array array({1, state.offers().size() + 1});
    std::ranges::transform(state.offers(), array.values.begin() + 1, &Offer::gain);
    return array;
  }

 private:
  double temperature_;
  float per_gain_;
};

[[noreturn]] void refuse_outputs() {
  fail(ErrorCode::kUsage, "value models cannot be trained by imitation; use the trainer td");
}

// ---------------------------------------------------------------- all nodes at once

class FlatValueModel : public ValueModel {
 public:
  FlatValueModel(const FlatValueFeatures& features, const ModelContext& context,
                 const ValueOptions& options)
      : ValueModel(features.width(), context, options),
        num_fixed_(context.num_fixed),
        features_(features) {}

  Schema needs() const override {
    Schema needed = ValueModel::needs();
    add_attributes(features_.attributes(), needed);
    return needed;
  }
  std::vector<std::string> features() const override { return features_.names(); }
  std::unique_ptr<Batch> open(std::span<const Opening> openings) const override;
  std::unique_ptr<RecordingBatch> open_recording(std::span<const Opening> openings,
                                                 Record what) const override;
  Network network() const override;
  std::unique_ptr<Feed> feed(const Market& market) const override;

  /// Fills the rows of skip and of each offer; `row(k)` is the row of candidate k.
  template <typename Row>
  void fill(const State& state, Row&& row) const {
    check_attributes(*this, state.arrival(), features_.attributes());
    const double available = total_remaining_share(state);
    features_.fill_skip(state, available, row(0));
    std::size_t k = 0;
    for (const Offer& offer : state.offers()) {
      features_.fill(state, offer, available, row(0), row(++k));
    }
  }
  void check(std::span<const Opening> openings) const { check_size(*this, openings, num_fixed_); }

 private:
  NodeId num_fixed_;
  FlatValueFeatures features_;
};

class FlatValueBatch : public MlpBatch {
 public:
  FlatValueBatch(const FlatValueModel& model, bool recording)
      : MlpBatch(model, recording), model_(model) {}

  void score(std::span<const Turn> turns, Scores& scores) override {
    if (!recording_) forget_rows();
    const std::size_t first_span = spans_.size();
    for (const Turn& turn : turns) {
      const State& state = *turn.state;
      const auto offers = state.offers();
      spans_.push_back({kNotComputed, offers.size() + 1});
      if (offers.empty()) continue;
      const std::size_t first = spans_.back().first = tape_.append(offers.size() + 1);
      model_.fill(state, [&](std::size_t k) { return tape_.input(first + k); });
    }
    packed_.forward(tape_);
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const Span& span = spans_[first_span + i];
      const auto row = scores.row(i);
      row[0] = 0;
      if (span.first == kNotComputed) continue;
      const auto offers = turns[i].state->offers();
      for (std::size_t k = 0; k < row.size(); ++k) {
        const float gain = k == 0 ? 0 : offers[k - 1].gain;
        row[k] = model_.score(gain, tape_.output(span.first + k)[0]);
      }
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
    const auto scale = static_cast<float>(1 / model_.temperature());
    std::size_t entry = 0;
    for (const Span& span : spans_) {
      for (std::size_t k = 0; k < span.entries; ++k, ++entry) {
        if (span.first == kNotComputed) continue;
        tape_.output_gradient(span.first + k)[0] = scale * score_gradients[entry];
      }
    }
    backpropagate(gradient);
  }

 private:
  const FlatValueModel& model_;
};

std::unique_ptr<Batch> FlatValueModel::open(std::span<const Opening> openings) const {
  check(openings);
  return std::make_unique<FlatValueBatch>(*this, false);
}

std::unique_ptr<RecordingBatch> FlatValueModel::open_recording(std::span<const Opening> openings,
                                                               Record what) const {
  if (what == Record::kOutputs) refuse_outputs();
  check(openings);
  return std::make_unique<FlatValueBatch>(*this, true);
}

Network FlatValueModel::network() const {
  Network network;
  const auto x = network.input({"features",
                                "a row per candidate: what is left after choosing it",
                                {{"batch"}, {"candidates"}, {"", features_.width()}},
                                features()});
  add_scores(network, network.apply(Network::Operation::kSqueeze, {add_to(network, x)}, 2));
  return network;
}

std::unique_ptr<Feed> FlatValueModel::feed(const Market& market) const {
  check_size(*this, market, num_fixed_);
  return make_feed([this](const State& state) {
    NetworkInputs inputs;
    auto& rows = inputs.add({1, state.offers().size() + 1, features_.width()});
    fill(state, [&](std::size_t k) { return rows.row(k); });
    inputs.arrays.push_back(gains(state));
    inputs.entries = entries_of_offers(state);
    return inputs;
  });
}

// ---------------------------------------------------------------- a sum over the nodes left

class NodeValueModel : public ValueModel {
 public:
  NodeValueModel(const NodeValueFeatures& features, const ModelContext& context,
                 const ValueOptions& options)
      : ValueModel(features.width(), context, options),
        takes_whole_nodes_(context.traits().units() && !context.schema.capacities),
        features_(features) {}

  Schema needs() const override {
    Schema needed = ValueModel::needs();
    add_attributes(features_.attributes(), needed);
    return needed;
  }
  std::vector<std::string> features() const override { return features_.names(); }
  std::unique_ptr<Batch> open(std::span<const Opening> openings) const override;
  std::unique_ptr<RecordingBatch> open_recording(std::span<const Opening> openings,
                                                 Record what) const override;
  Network network() const override;
  std::unique_ptr<Feed> feed(const Market& market) const override;
  const NodeValueFeatures& columns() const { return features_; }
  /// Does nothing remain of a node that is matched?
  bool takes_whole_nodes() const { return takes_whole_nodes_; }
  void check(std::span<const Opening> openings) const {
    check_attributes(*this, openings, features_.attributes());
  }
  void check(const Arrival& arrival) const {
    check_attributes(*this, arrival, features_.attributes());
  }

 private:
  bool takes_whole_nodes_;
  NodeValueFeatures features_;
};

/// All choices leave the same nodes, except the one taken. So the rows of all nodes are computed
/// once per context, and each choice is their sum with one row replaced.
class NodeValueBatch : public MlpBatch {
 public:
  NodeValueBatch(const NodeValueModel& model, bool recording)
      : MlpBatch(model, recording), model_(model) {}

  void score(std::span<const Turn> turns, Scores& scores) override {
    if (!recording_) forget_rows();
    const std::size_t first_choice = choices_.size();
    for (const Turn& turn : turns) add_rows(*turn.state);
    packed_.forward(tape_);
    std::size_t next = first_choice;
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const auto row = scores.row(i);
      row[0] = 0;
      const auto offers = turns[i].state->offers();
      for (std::size_t k = 0; k < row.size(); ++k) {
        const Choice& choice = choices_[next++];
        if (choice.first == kNotComputed) continue;
        const float gain = k == 0 ? 0 : offers[k - 1].gain;
        row[k] = model_.score(gain, value(choice));
      }
    }
  }

  void restart(std::span<const Opening> openings) override {
    model_.check(openings);
    forget_rows();
  }

  void forget_rows() override {
    MlpBatch::forget_rows();
    choices_.clear();
  }

  std::size_t bytes() const override {
    return MlpBatch::bytes() + choices_.size() * sizeof(Choice);
  }
  std::size_t bytes_for(const State& state) const override {
    const std::size_t offers = state.offers().size();
    const auto nodes = static_cast<std::size_t>(state.market().num_fixed);
    // One context for skip, and one for all offers or one for each.
    const std::size_t contexts = 1 + (model_.takes_whole_nodes() ? 1 : offers);
    const std::size_t rows = offers == 0 ? 0 : contexts * nodes + offers;
    return bytes_of(rows) + (offers + 1) * sizeof(Choice);
  }

  void backward(std::span<const float> score_gradients, Parameters& gradient) override {
    const auto scale = static_cast<float>(1 / model_.temperature());
    for (std::size_t row = 0; row < tape_.rows(); ++row) tape_.output_gradient(row)[0] = 0;
    for (std::size_t i = 0; i < choices_.size(); ++i) {
      const Choice& choice = choices_[i];
      const float g = scale * score_gradients[i];
      if (choice.first == kNotComputed || g == 0) continue;
      for (std::size_t k = 0; k < choice.rows; ++k) tape_.output_gradient(choice.first + k)[0] += g;
      if (choice.without != kNotComputed) tape_.output_gradient(choice.without)[0] -= g;
      if (choice.instead != kNotComputed) tape_.output_gradient(choice.instead)[0] += g;
    }
    backpropagate(gradient);
  }

 private:
  /// The rows whose outputs add up to the value of what is left after a choice.
  struct Choice {
    std::size_t first = kNotComputed;  // nothing is computed if there is no choice
    std::size_t rows = 0;
    std::size_t without = kNotComputed;  // the row of the taken node among them
    std::size_t instead = kNotComputed;  // the row of what is left of that node, if anything
  };

  float value(const Choice& choice) const {
    float sum = 0;
    for (std::size_t k = 0; k < choice.rows; ++k) sum += tape_.output(choice.first + k)[0];
    if (choice.without != kNotComputed) sum -= tape_.output(choice.without)[0];
    if (choice.instead != kNotComputed) sum += tape_.output(choice.instead)[0];
    return sum;
  }

  void add_rows(const State& state) {
    const auto offers = state.offers();
    if (offers.empty()) {
      choices_.emplace_back();
      return;
    }
    model_.check(state.arrival());
    left_.clear();
    double available = 0;
    for (NodeId u = 0; u < state.market().num_fixed; ++u) {
      const double share = remaining_share(state, u);
      if (share > 0) left_.push_back({u, share});
      available += share;
    }
    const NodeValueFeatures::Past past = model_.columns().past(state);
    const auto add_context = [&](double after) {
      const std::size_t first = tape_.append(left_.size());
      const ValueContext context(state, after);
      for (std::size_t k = 0; k < left_.size(); ++k) {
        model_.columns().fill(state, past, context, left_[k].node, left_[k].share,
                              tape_.input(first + k));
      }
      return first;
    };
    choices_.push_back({add_context(available), left_.size()});
    // Offers that leave the same amount share their rows. If a match takes a whole node, all do.
    double context_for = available;
    std::size_t first = choices_.back().first;
    for (const Offer& offer : offers) {
      const double share = remaining_share(state, offer.node);
      const double after = remaining_share(state, offer.node, static_cast<double>(offer.cost));
      if (available - share + after != context_for) {
        context_for = available - share + after;
        first = add_context(context_for);
      }
      Choice choice{first, left_.size()};
      const auto taken = std::ranges::find(left_, offer.node, &Left::node);
      // A bid of 0 is on offer even if nothing is left of its node.
      if (taken != left_.end()) {
        choice.without = first + static_cast<std::size_t>(taken - left_.begin());
      }
      if (after > 0) {
        choice.instead = tape_.append(1);
        model_.columns().fill(state, past, ValueContext(state, context_for), offer.node, after,
                              tape_.input(choice.instead));
      }
      choices_.push_back(choice);
    }
  }

  struct Left {
    NodeId node;
    double share;
  };

  const NodeValueModel& model_;
  std::vector<Choice> choices_;  // skip, then each offer, turn by turn
  std::vector<Left> left_;
};

std::unique_ptr<Batch> NodeValueModel::open(std::span<const Opening> openings) const {
  check(openings);
  return std::make_unique<NodeValueBatch>(*this, false);
}

std::unique_ptr<RecordingBatch> NodeValueModel::open_recording(std::span<const Opening> openings,
                                                               Record what) const {
  if (what == Record::kOutputs) refuse_outputs();
  check(openings);
  return std::make_unique<NodeValueBatch>(*this, true);
}

Network NodeValueModel::network() const {
  using enum Network::Operation;
  Network network;
  const auto x = network.input({"features",
                                "for each candidate a row per fixed node, after choosing it",
                                {{"batch"}, {"candidates"}, {"nodes"}, {"", features_.width()}},
                                features()});
  const auto left = network.input({"left",
                                   "1 if something is left of the node after choosing, else 0",
                                   {{"batch"}, {"candidates"}, {"nodes"}},
                                   {}});
  const auto each = network.apply(kSqueeze, {add_to(network, x)}, 3);
  const auto sum = network.apply(kSum, {network.apply(kMultiply, {each, left})}, 2);
  add_scores(network, network.apply(kSqueeze, {sum}, 2));
  return network;
}

std::unique_ptr<Feed> NodeValueModel::feed(const Market& market) const {
  check_attributes(*this, market, features_.attributes());
  const auto nodes = static_cast<std::size_t>(market.num_fixed);
  return make_feed([this, nodes](const State& state) {
    check(state.arrival());
    const std::size_t candidates = state.offers().size() + 1;
    NetworkInputs::Array rows({1, candidates, nodes, features_.width()});
    NetworkInputs::Array left({1, candidates, nodes});
    const NodeValueFeatures::Past past = features_.past(state);
    const double available = total_remaining_share(state);
    for (std::size_t k = 0; k < candidates; ++k) {
      const Offer chosen = k == 0 ? Offer{kSkip, 0, 0} : state.offers()[k - 1];
      const auto share = [&](NodeId u) {
        return remaining_share(state, u, u == chosen.node ? static_cast<double>(chosen.cost) : 0);
      };
      double after = available;
      if (k > 0) after += share(chosen.node) - remaining_share(state, chosen.node);
      const ValueContext context(state, after);
      for (std::size_t u = 0; u < nodes; ++u) {
        const auto node = static_cast<NodeId>(u);
        if (share(node) <= 0) continue;
        left.row(k)[u] = 1;
        features_.fill(state, past, context, node, share(node), rows.row(k * nodes + u));
      }
    }
    NetworkInputs inputs{{std::move(rows), std::move(left), gains(state)},
                         entries_of_offers(state)};
    return inputs;
  });
}

// ---------------------------------------------------------------- architectures

std::unique_ptr<Model> build_flat_value(const ValueOptions& options, const ModelContext& context) {
  ValueFeatureOptions seen = options.features(context);
  seen.attributes.fixed.clear();  // it knows the nodes by their positions
  return std::make_unique<FlatValueModel>(FlatValueFeatures(context.num_fixed, std::move(seen)),
                                          context, options);
}

std::unique_ptr<Model> build_node_value(const ValueOptions& options, const ModelContext& context) {
  return std::make_unique<NodeValueModel>(NodeValueFeatures(options.features(context)), context,
                                          options);
}

}  // namespace

Entry<Architecture> value_model() {
  return make_architecture<ValueOptions, build_flat_value>(
      "value", "gain plus the learned value of what is left; for a given number of fixed nodes",
      {"td(lr=0.003,schedule=cosine)", TrainingPlan::Automatic{.same_nodes = true}});
}

Entry<Architecture> inv_value_model() {
  return make_architecture<ValueOptions, build_node_value>(
      "inv-value", "as value, but as a sum over the nodes left; any size and order",
      {"td(lr=0.003,schedule=cosine)", TrainingPlan::Automatic()});
}

}  // namespace foresight
