#include "foresight/policy/gnn_encoder.h"

#include <cassert>

namespace foresight {
namespace {

using View = Dense::View;

constexpr const char* kInitial = "initial_stepcontext";
constexpr const char* kEdgeWeight = "embedder.l1.weight";
constexpr const char* kEdgeBias = "embedder.l1.bias";
constexpr const char* kFixedWeight = "embedder.node_embed_u.weight";
constexpr const char* kFixedBias = "embedder.node_embed_u.bias";
constexpr const char* kArrivalWeight = "embedder.node_embed_v.weight";
constexpr const char* kArrivalBias = "embedder.node_embed_v.bias";
constexpr const char* kLayerBias = "embedder.conv1.bias";
constexpr const char* kRoot = "embedder.conv1.lin.weight";
constexpr const char* kSolutionWeight = "step_context_transf.weight";
constexpr const char* kSolutionBias = "step_context_transf.bias";

/// c += a
void add(View c, View a) {
  assert(c.rows == a.rows && c.columns == a.columns);
  for (std::size_t i = 0; i < c.rows; ++i) {
    for (std::size_t j = 0; j < c.columns; ++j) c(i, j) += a(i, j);
  }
}

/// c += a b
void add_product(View c, View a, View b) {
  assert(c.rows == a.rows && a.columns == b.rows && c.columns == b.columns);
  for (std::size_t i = 0; i < c.rows; ++i) {
    for (std::size_t k = 0; k < b.rows; ++k) {
      for (std::size_t j = 0; j < c.columns; ++j) c(i, j) += a(i, k) * b(k, j);
    }
  }
}

void read_into(View view, std::span<const float> values) {
  assert(values.size() == view.rows * view.columns);
  for (std::size_t i = 0; i < values.size(); ++i) {
    view(i / view.columns, i % view.columns) = static_cast<double>(values[i]);
  }
}

void add_to(std::span<float> values, View view) {
  assert(values.size() == view.rows * view.columns);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] += static_cast<float>(view(i / view.columns, i % view.columns));
  }
}

}  // namespace

/// The parameters, and what they make of a node's summary. Or the gradient of all that.
struct GraphEncoder::Weights {
  Weights(const NodeInputs& inputs, std::size_t embed)
      : node_fixed(embed, inputs.fixed()),
        node_arrival(embed, inputs.arrival()),
        root(embed, embed),
        edge_weight(embed, embed),
        edge_bias(embed, embed),
        layer_bias(embed, 1),
        solution(embed, 2 * embed),
        fixed(embed, inputs.fixed_summary()),
        arrival(embed, inputs.arrival_summary()) {}

  Dense node_fixed, node_arrival;  // M_u, M_v, with the embeddings' biases as the last column
  Dense root, edge_weight, edge_bias, layer_bias;  // R, A, B, b
  Dense solution;                                  // Theta
  Dense fixed, arrival;                            // G_fixed, G_arrival

  /// The three parts of G for nodes of one kind: own inputs, weighted ones and plain ones of the
  /// neighbours.
  struct Parts {
    View own, weighted, plain;
  };
  static Parts parts(Dense& g, Dense& node, Dense& neighbour) {
    const View all = g.view();
    const std::size_t mine = node.view().columns;
    const std::size_t theirs = neighbour.view().columns;
    return {all.part(0, 0, all.rows, mine), all.part(0, mine, all.rows, theirs),
            all.part(0, mine + theirs, all.rows, theirs)};
  }

  void embed(Dense& g, Dense& node, Dense& neighbour) {
    const auto [own, weighted, plain] = parts(g, node, neighbour);
    add_product(own, root.view(), node.view());
    add(own.part(0, own.columns - 1, own.rows, 1), layer_bias.view());
    add_product(weighted, edge_weight.view().transposed(), neighbour.view());
    add_product(plain, edge_bias.view().transposed(), neighbour.view());
  }

  /// `embed` backwards; `at` holds the values, this the gradients.
  void embed_backward(Weights& at, Dense Weights::*g, Dense Weights::*node,
                      Dense Weights::*neighbour) {
    const auto [own, weighted, plain] = parts(this->*g, this->*node, this->*neighbour);
    add_product(root.view(), own, (at.*node).view().transposed());
    add_product((this->*node).view(), at.root.view().transposed(), own);
    add(layer_bias.view(), own.part(0, own.columns - 1, own.rows, 1));
    add_product(edge_weight.view(), (at.*neighbour).view(), weighted.transposed());
    add_product((this->*neighbour).view(), at.edge_weight.view(), weighted);
    add_product(edge_bias.view(), (at.*neighbour).view(), plain.transposed());
    add_product((this->*neighbour).view(), at.edge_bias.view(), plain);
  }
};

GraphEncoder::GraphEncoder(const NodeInputs& inputs, std::size_t embed)
    : inputs_(inputs), columns_(inputs), embed_(embed) {}

void GraphEncoder::declare(Parameters& parameters) const {
  parameters.add(kInitial, {1, 1, embed_});
  parameters.add(kEdgeWeight, {embed_ * embed_, 1});
  parameters.add(kEdgeBias, {embed_ * embed_});
  parameters.add(kFixedWeight, {embed_, inputs_.fixed() - 1});
  parameters.add(kFixedBias, {embed_});
  if (!inputs_.one_embedding()) {
    parameters.add(kArrivalWeight, {embed_, inputs_.arrival() - 1});
    parameters.add(kArrivalBias, {embed_});
  }
  parameters.add(kLayerBias, {embed_});
  parameters.add(kRoot, {embed_, embed_});
  parameters.add(kSolutionWeight, {embed_, 2 * embed_});
  parameters.add(kSolutionBias, {embed_});
}

void GraphEncoder::initialise(Parameters& parameters, Rng& rng) const {
  initialise_linear(parameters[kInitial], embed_, rng);
  initialise_linear(parameters[kEdgeWeight], 1, rng);
  initialise_linear(parameters[kEdgeBias], 1, rng);
  initialise_linear(parameters[kFixedWeight], inputs_.fixed() - 1, rng);
  initialise_linear(parameters[kFixedBias], inputs_.fixed() - 1, rng);
  if (!inputs_.one_embedding()) {
    initialise_linear(parameters[kArrivalWeight], inputs_.arrival() - 1, rng);
    initialise_linear(parameters[kArrivalBias], inputs_.arrival() - 1, rng);
  }
  initialise_linear(parameters[kRoot], embed_, rng);
  initialise_linear(parameters[kSolutionWeight], 2 * embed_, rng);
  initialise_linear(parameters[kSolutionBias], 2 * embed_, rng);
}

GraphEncoder::Weights GraphEncoder::read(const Parameters& parameters) const {
  Weights w(inputs_, embed_);
  const View fixed = w.node_fixed.view();
  const View arrival = w.node_arrival.view();
  const std::size_t constant = inputs_.fixed() - 1;
  read_into(fixed.part(0, 0, embed_, constant), parameters[kFixedWeight]);
  read_into(fixed.part(0, constant, embed_, 1), parameters[kFixedBias]);
  if (inputs_.one_embedding()) {
    for (std::size_t i = 0; i < embed_; ++i) {
      arrival(i, 0) = fixed(i, constant - 1) * static_cast<double>(inputs_.arrival_state()) +
                      fixed(i, constant);
    }
  } else {
    const std::size_t attributes = inputs_.arrival() - 1;
    read_into(arrival.part(0, 0, embed_, attributes), parameters[kArrivalWeight]);
    read_into(arrival.part(0, attributes, embed_, 1), parameters[kArrivalBias]);
  }
  read_into(w.root.view(), parameters[kRoot]);
  read_into(w.edge_weight.view(), parameters[kEdgeWeight]);
  read_into(w.edge_bias.view(), parameters[kEdgeBias]);
  read_into(w.layer_bias.view(), parameters[kLayerBias]);
  read_into(w.solution.view(), parameters[kSolutionWeight]);
  w.embed(w.fixed, w.node_fixed, w.node_arrival);
  w.embed(w.arrival, w.node_arrival, w.node_fixed);
  return w;
}

namespace {

/// Where things are in T.
struct Layout {
  Layout(Dense& matrix, const GraphColumns& at, const NodeInputs& inputs, std::size_t embed)
      : t(matrix.view()) {
    const std::size_t fixed = inputs.fixed_summary();
    const std::size_t own = inputs.arrival_summary();
    arrival = t.part(5, at.arrival, embed, own);
    candidate = t.part(5 + embed, at.candidate, embed, fixed);
    initial = t.part(5 + 2 * embed, at.nothing_decided, embed, 1);
    past_fixed = t.part(5 + 2 * embed, at.past_fixed, embed, fixed);
    past_arrival = t.part(5 + 2 * embed, at.past_arrival, embed, own);
    // This summary's constant is 1 once there is a past.
    past_constant = past_fixed.part(0, inputs.fixed() - 1, embed, 1);
    mean = t.part(5 + 3 * embed, at.mean, embed, fixed);
  }
  View t;
  View arrival, candidate, initial, past_fixed, past_arrival, past_constant, mean;
};

}  // namespace

Dense GraphEncoder::matrix(const Parameters& parameters) const {
  Weights w = read(parameters);
  Dense result(outputs(), columns_.width);
  const Layout to(result, columns_, inputs_, embed_);
  to.t(0, columns_.gain) = 1;
  to.t(1, columns_.time) = 1;
  to.t(2, columns_.value) = 1;
  to.t(3, columns_.is_skip) = 1;
  // The mask, 4, is 0: only candidates that can be chosen are scored.
  const View theta = w.solution.view();
  add(to.arrival, w.arrival.view());
  add(to.candidate, w.fixed.view());
  add(to.mean, w.fixed.view());
  add_product(to.past_fixed, theta.part(0, 0, embed_, embed_), w.fixed.view());
  add_product(to.past_arrival, theta.part(0, embed_, embed_, embed_), w.arrival.view());
  Dense vector(embed_, 1);
  read_into(vector.view(), parameters[kSolutionBias]);
  add(to.past_constant, vector.view());
  read_into(to.initial, parameters[kInitial]);
  return result;
}

void GraphEncoder::backward(const Parameters& parameters, Dense matrix_gradient,
                            Parameters& gradient) const {
  Weights at = read(parameters);
  Weights d(inputs_, embed_);
  const Layout from(matrix_gradient, columns_, inputs_, embed_);
  const View theta_fixed = at.solution.view().part(0, 0, embed_, embed_);
  const View theta_arrival = at.solution.view().part(0, embed_, embed_, embed_);
  const View d_theta = d.solution.view();
  add(d.arrival.view(), from.arrival);
  add(d.fixed.view(), from.candidate);
  add(d.fixed.view(), from.mean);
  add_product(d.fixed.view(), theta_fixed.transposed(), from.past_fixed);
  add_product(d.arrival.view(), theta_arrival.transposed(), from.past_arrival);
  add_product(d_theta.part(0, 0, embed_, embed_), from.past_fixed, at.fixed.view().transposed());
  add_product(d_theta.part(0, embed_, embed_, embed_), from.past_arrival,
              at.arrival.view().transposed());
  d.embed_backward(at, &Weights::fixed, &Weights::node_fixed, &Weights::node_arrival);
  d.embed_backward(at, &Weights::arrival, &Weights::node_arrival, &Weights::node_fixed);

  const View fixed = d.node_fixed.view();
  const View arrival = d.node_arrival.view();
  const std::size_t constant = inputs_.fixed() - 1;
  if (inputs_.one_embedding()) {
    for (std::size_t i = 0; i < embed_; ++i) {
      fixed(i, constant - 1) += arrival(i, 0) * static_cast<double>(inputs_.arrival_state());
      fixed(i, constant) += arrival(i, 0);
    }
  } else {
    const std::size_t attributes = inputs_.arrival() - 1;
    add_to(gradient[kArrivalWeight], arrival.part(0, 0, embed_, attributes));
    add_to(gradient[kArrivalBias], arrival.part(0, attributes, embed_, 1));
  }
  add_to(gradient[kFixedWeight], fixed.part(0, 0, embed_, constant));
  add_to(gradient[kFixedBias], fixed.part(0, constant, embed_, 1));
  add_to(gradient[kRoot], d.root.view());
  add_to(gradient[kEdgeWeight], d.edge_weight.view());
  add_to(gradient[kEdgeBias], d.edge_bias.view());
  add_to(gradient[kLayerBias], d.layer_bias.view());
  add_to(gradient[kSolutionWeight], d_theta);
  add_to(gradient[kSolutionBias], from.past_constant);
  add_to(gradient[kInitial], from.initial);
}

}  // namespace foresight
