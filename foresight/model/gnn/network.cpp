// gnn-hist as a network for other programs. Its input is the whole graph as matrices, and it embeds
// the graph with the reference's own tensors. So one form works for any number of encoder layers.
//
// Let E be the edges (a row per arrival, a column per fixed node, skip first), W their gains and C
// the decisions made. All three are 0 in rows that only fill up a batch. A layer is
//
//   x_v <- x_v R^T + (W x_u) A / d_v + (E x_u) B / d_v + b
//   x_u <- x_u R^T + (W^T x_v) A / d_u + (E^T x_v) B / d_u + b
//
// where d_v and d_u are the sums of the rows and of the columns of E.
#include <algorithm>
#include <array>

#include "foresight/features/features.h"
#include "foresight/model/feed.h"
#include "foresight/model/gnn/log.h"
#include "foresight/model/gnn/model.h"

namespace foresight {
namespace {

using Value = Network::Value;
using enum Network::Operation;

/// The column names of an arrival's input to the exported network.
std::vector<std::string> arrival_columns(const NodeInputs& inputs) {
  return inputs.one_embedding() ? inputs.fixed_names() : inputs.arrival_names();
}
std::vector<std::string> scalar_columns(const NodeInputs& inputs) {
  std::vector<std::string> names = {"gain", "time", "value", "is_skip", "mask"};
  if (inputs.costs) names.push_back("cost");
  return names;
}

/// Adds the steps of the network one by one.
class Writer {
 public:
  Writer(const GnnShape& shape, const Parameters& parameters)
      : shape_(shape), parameters_(parameters) {}

  Network write() {
    add_inputs();
    embed();
    for (std::size_t layer = 1; layer <= shape_.layers; ++layer) pass_messages(layer);
    decode();
    return std::move(network_);
  }

 private:
  Value apply(Network::Operation operation, std::vector<Value> operands, std::size_t axis = 0) {
    return network_.apply(operation, std::move(operands), axis);
  }
  Value add(const Value& a, const Value& b) { return apply(kAdd, {a, b}); }
  Value multiply(const Value& a, const Value& b) { return apply(kMultiply, {a, b}); }
  Value product(const Value& a, const Value& b) { return apply(kMatMul, {a, b}); }
  Value weight(const std::string& tensor, std::size_t first, std::size_t count,
               const std::string& part = "") {
    return add_weight(network_, parameters_, tensor, first, count, part);
  }
  Value bias(const std::string& tensor) {
    return add_tensor(network_, parameters_, tensor, {shape_.embed});
  }

  void add_inputs() {
    const auto fixed = shape_.inputs.fixed_names(), arrival = arrival_columns(shape_.inputs);
    const auto scalars = scalar_columns(shape_.inputs);
    candidates_ = network_.input({"candidates",
                                  "a row for skip and one per fixed node",
                                  {{"batch"}, {"nodes"}, {"", scalars.size()}},
                                  scalars});
    fixed_ = network_.input({"fixed",
                             "the state of skip and of every fixed node",
                             {{"batch"}, {"nodes"}, {"", fixed.size()}},
                             fixed});
    arrivals_ = network_.input({"arrivals",
                                "the arrivals so far, the current one last",
                                {{"batch"}, {"arrivals"}, {"", arrival.size()}},
                                arrival});
    const std::vector<Network::Axis> matrix = {{"batch"}, {"arrivals"}, {"nodes"}};
    edges_ = network_.input(
        {"edges", "1 where an arrival has an edge; every arrival has one to skip", matrix, {}});
    gains_ = network_.input({"gains", "what the edges gain, 0 for skip", matrix, {}});
    chosen_ =
        network_.input({"chosen", "1 where an earlier arrival was matched or skipped", matrix, {}});
  }

  void embed() {
    const NodeInputs& inputs = shape_.inputs;
    const auto fixed_weight = weight(GnnShape::kFixedWeight, 0, inputs.fixed() - 1);
    const auto fixed_bias = bias(GnnShape::kFixedBias);
    fixed_ = add(product(fixed_, fixed_weight), fixed_bias);
    if (inputs.one_embedding()) {
      arrivals_ = add(product(arrivals_, fixed_weight), fixed_bias);
    } else {
      arrivals_ = add(product(arrivals_, weight(GnnShape::kArrivalWeight, 0, inputs.arrival() - 1)),
                      bias(GnnShape::kArrivalBias));
    }
    one_ = network_.constant("one", {}, {1});
    transposed_edges_ = apply(kTranspose, {edges_});
    transposed_gains_ = apply(kTranspose, {gains_});
    // At least 1, because the sums (0) of a node without neighbours are divided too.
    degrees_ = apply(kMaximum, {apply(kSum, {edges_}, 2), one_});
    transposed_degrees_ = apply(kMaximum, {apply(kSum, {transposed_edges_}, 2), one_});
  }

  void pass_messages(std::size_t layer) {
    if (layer > 1) {
      fixed_ = apply(kRelu, {fixed_});
      arrivals_ = apply(kRelu, {arrivals_});
    }
    const std::size_t embed = shape_.embed;
    const auto root = weight(GnnShape::root(layer), 0, embed);
    const auto weighted =
        add_tensor(network_, parameters_, GnnShape::edge_weight(layer), {embed, embed});
    const auto plain =
        add_tensor(network_, parameters_, GnnShape::edge_bias(layer), {embed, embed});
    const auto constant = bias(GnnShape::layer_bias(layer));
    const auto next = [&](const Value& x, const Value& neighbours, const Value& gains,
                          const Value& edges, const Value& degrees) {
      const auto messages = add(product(product(gains, neighbours), weighted),
                                product(product(edges, neighbours), plain));
      const auto means = apply(kDivide, {messages, degrees});
      return add(add(product(x, root), means), constant);
    };
    const auto arrivals = next(arrivals_, fixed_, gains_, edges_, degrees_);
    fixed_ = next(fixed_, arrivals_, transposed_gains_, transposed_edges_, transposed_degrees_);
    arrivals_ = arrivals;
  }

  /// The mean over past decisions, or its replacement before the first decision.
  Value solution() {
    const std::size_t embed = shape_.embed;
    const auto decided = apply(kSum, {chosen_}, 2);  // 1 for an earlier arrival, else 0
    const auto count = apply(kSum, {decided}, 1);
    const auto some = apply(kMaximum, {count, one_});
    const auto mean = [&](const Value& of) { return apply(kDivide, {apply(kSum, {of}, 1), some}); };
    const auto of_fixed = product(mean(product(chosen_, fixed_)),
                                  weight(GnnShape::kSolutionWeight, 0, embed, "fixed"));
    const auto of_arrivals = product(mean(multiply(decided, arrivals_)),
                                     weight(GnnShape::kSolutionWeight, embed, embed, "arrival"));
    const auto past = add(add(of_fixed, of_arrivals), bias(GnnShape::kSolutionBias));
    const auto is_past = apply(kMinimum, {count, one_});
    const auto is_none = apply(kSubtract, {one_, is_past});
    return add(multiply(is_past, past), multiply(is_none, bias(GnnShape::kInitial)));
  }

  void decode() {
    const Mlp decoder = shape_.decoder(shape_.decoder_inputs());
    // The first layer, part by part. Some parts have a row per candidate, others are shared by all.
    std::size_t column = 0;
    const auto part = [&](const Value& x, std::size_t width, const char* name) {
      column += width;
      return product(x, weight(decoder.weight_name(0), column - width, width, name));
    };
    const std::size_t embed = shape_.embed;
    Value x = part(candidates_, shape_.scalars(), "candidate");
    x = add(x, part(apply(kLast, {arrivals_}, 1), embed, "arrival"));
    x = add(x, part(fixed_, embed, "fixed"));
    x = add(x, part(solution(), embed, "solution"));
    x = add(x, part(apply(kMean, {fixed_}, 1), embed, "mean"));
    x = add(x, add_tensor(network_, parameters_, decoder.bias_name(0), {decoder.sizes()[1]}));
    x = add_mlp(network_, decoder, parameters_, x, 1);
    network_.output("scores", {{"batch"}, {"nodes"}}, apply(kSqueeze, {x}, 2));
  }

  const GnnShape& shape_;
  const Parameters& parameters_;
  Network network_;
  Value candidates_, fixed_, arrivals_, edges_, gains_, chosen_, one_;
  Value transposed_edges_, transposed_gains_, degrees_, transposed_degrees_;
};

class GnnFeed : public Feed {
 public:
  GnnFeed(const GnnShape& shape, const Market& market)
      : inputs_(shape.inputs), scalars_(shape.scalars()), log_(shape.inputs, market) {}

  NetworkInputs next(const State& state) override {
    log_.observe(state);
    const std::size_t nodes = log_.fixed_nodes(), arrivals = log_.arrivals();
    NetworkInputs result;
    result.entries = entries_of_nodes(state);
    result.arrays.push_back(candidates(state));

    auto& fixed = result.add({1, nodes, inputs_.fixed() - 1});
    for (std::size_t u = 0; u < nodes; ++u) fill(log_.input(u), fixed.row(u));
    for (const auto& [node, node_state] : log_.decisions()) {
      fixed.row(node)[inputs_.state()] = node_state;
    }
    // After a fixed node's columns, if arrivals have their own embedding.
    const std::size_t own = inputs_.one_embedding() ? 0 : inputs_.fixed();
    const std::size_t width = EpisodeLog::input_width(inputs_) - own - 1;
    auto& seen = result.add({1, arrivals, width});
    for (std::size_t v = 0; v < arrivals; ++v) {
      fill(log_.input(nodes + v).subspan(own), seen.row(v));
    }
    NetworkInputs::Array edges({1, arrivals, nodes}), gains = edges, chosen = edges;
    for (std::size_t v = 0; v < arrivals; ++v) {
      for (const auto& [node, gain] : log_.edges(v)) {
        edges.row(v)[node] = 1;
        gains.row(v)[node] = gain;
      }
      if (v + 1 < arrivals) chosen.row(v)[log_.decisions()[v].node] = 1;
    }
    for (auto* array : {&edges, &gains, &chosen}) result.arrays.push_back(std::move(*array));
    return result;
  }

 private:
  static void fill(std::span<const float> from, std::span<float> to) {
    std::ranges::copy(from.first(to.size()), to.begin());
  }

  NetworkInputs::Array candidates(const State& state) const {
    NetworkInputs::Array rows({1, log_.fixed_nodes(), scalars_});
    const EpisodeFeatures episode = inputs_.episode(state);
    const auto fill_row = [&](const Offer& edge, float mask) {
      const float is_skip = edge.node == kSkip ? 1 : 0;
      const auto row = rows.row(static_cast<std::size_t>(edge.node + 1));
      std::ranges::copy(std::array{edge.gain, episode.time, episode.value, is_skip, mask},
                        row.begin());
      if (inputs_.costs) row[5] = edge.cost;
    };
    fill_row({kSkip, 0, 0}, 0);
    for (NodeId u = 0; u < state.market().num_fixed; ++u) fill_row({u, 0, 0}, 1);
    for (const Offer& edge : state.edges()) fill_row(inputs_.measured(edge), 1);
    for (const Offer& offer : state.offers()) fill_row(inputs_.measured(offer), 0);
    return rows;
  }

  const NodeInputs& inputs_;
  std::size_t scalars_;
  EpisodeLog log_;
};

}  // namespace

std::vector<std::string> GnnModel::features() const {
  std::vector<std::string> names = scalar_columns(shape_.inputs);
  for (std::string& name : shape_.inputs.fixed_names()) names.push_back(std::move(name));
  for (std::string& name : shape_.inputs.arrival_names()) names.push_back(std::move(name));
  return names;
}

Network GnnModel::network() const {
  return Writer(shape_, parameters_).write();
}

std::unique_ptr<Feed> GnnModel::feed(const Market& market) const {
  return std::make_unique<GnnFeed>(shape_, market);
}

}  // namespace foresight
