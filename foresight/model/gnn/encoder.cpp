#include "foresight/model/gnn/encoder.h"

#include <cassert>

namespace foresight {
namespace {

using View = Dense::View;

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

/// The parameters and the matrices made of them; or the gradients of all of these.
struct GraphEncoder::Weights {
  Weights(const NodeInputs& inputs, std::size_t embed)
      : node_fixed(embed, inputs.fixed()),
        node_arrival(embed, inputs.arrival()),
        root(embed, embed),
        edge_weight(embed, embed),
        edge_bias(embed, embed),
        layer_bias(embed, 1),
        solution(embed, 2 * embed),
        fixed(embed, fixed_summary(inputs)),
        arrival(embed, arrival_summary(inputs)) {}

  Dense node_fixed, node_arrival;  // M_u, M_v, with the embeddings' biases as the last column
  Dense root, edge_weight, edge_bias, layer_bias;  // R, A, B, b
  Dense solution;                                  // Theta
  Dense fixed, arrival;                            // G_fixed, G_arrival

  /// The three parts of G for nodes of one kind: for their own inputs, and for the weighted and the
  /// plain inputs of their neighbours.
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

  /// The backward pass of `embed`; `at` holds the values, this object the gradients.
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

GraphEncoder::GraphEncoder(const GnnShape& shape)
    : inputs_(shape.inputs),
      columns_(shape.inputs),
      embed_(shape.embed),
      scalars_(shape.scalars()),
      outputs_(shape.decoder_inputs()) {
  assert(shape.layers == 1);
}

GraphEncoder::Weights GraphEncoder::read(const Parameters& parameters) const {
  Weights w(inputs_, embed_);
  const View fixed = w.node_fixed.view();
  const View arrival = w.node_arrival.view();
  const std::size_t constant = inputs_.fixed() - 1;
  read_into(fixed.part(0, 0, embed_, constant), parameters[GnnShape::kFixedWeight]);
  read_into(fixed.part(0, constant, embed_, 1), parameters[GnnShape::kFixedBias]);
  if (inputs_.one_embedding()) {
    for (std::size_t i = 0; i < embed_; ++i) {
      arrival(i, 0) = fixed(i, constant - 1) * static_cast<double>(inputs_.arrival_state()) +
                      fixed(i, constant);
    }
  } else {
    const std::size_t attributes = inputs_.arrival() - 1;
    read_into(arrival.part(0, 0, embed_, attributes), parameters[GnnShape::kArrivalWeight]);
    read_into(arrival.part(0, attributes, embed_, 1), parameters[GnnShape::kArrivalBias]);
  }
  read_into(w.root.view(), parameters[GnnShape::root(1)]);
  read_into(w.edge_weight.view(), parameters[GnnShape::edge_weight(1)]);
  read_into(w.edge_bias.view(), parameters[GnnShape::edge_bias(1)]);
  read_into(w.layer_bias.view(), parameters[GnnShape::layer_bias(1)]);
  read_into(w.solution.view(), parameters[GnnShape::kSolutionWeight]);
  w.embed(w.fixed, w.node_fixed, w.node_arrival);
  w.embed(w.arrival, w.node_arrival, w.node_fixed);
  return w;
}

namespace {

/// Where the parts of T are.
struct Layout {
  Layout(Dense& matrix, const GraphColumns& at, const NodeInputs& inputs, std::size_t scalars,
         std::size_t embed)
      : t(matrix.view()) {
    const std::size_t fixed = fixed_summary(inputs);
    const std::size_t own = arrival_summary(inputs);
    arrival = t.part(scalars, at.arrival, embed, own);
    candidate = t.part(scalars + embed, at.candidate, embed, fixed);
    initial = t.part(scalars + 2 * embed, at.nothing_decided, embed, 1);
    past_fixed = t.part(scalars + 2 * embed, at.past_fixed, embed, fixed);
    past_arrival = t.part(scalars + 2 * embed, at.past_arrival, embed, own);
    // The constant of this summary is 1 once there is a past.
    past_constant = past_fixed.part(0, inputs.fixed() - 1, embed, 1);
    mean = t.part(scalars + 3 * embed, at.mean, embed, fixed);
  }
  View t;
  View arrival, candidate, initial, past_fixed, past_arrival, past_constant, mean;
};

}  // namespace

Dense GraphEncoder::matrix(const Parameters& parameters) const {
  Weights w = read(parameters);
  Dense result(outputs(), columns_.width);
  const Layout to(result, columns_, inputs_, scalars_, embed_);
  to.t(0, columns_.gain) = 1;
  to.t(1, columns_.time) = 1;
  to.t(2, columns_.value) = 1;
  to.t(3, columns_.is_skip) = 1;
  // The mask, input 4, is 0, because only candidates that can be chosen are scored.
  if (inputs_.costs) to.t(5, columns_.cost) = 1;
  const View theta = w.solution.view();
  add(to.arrival, w.arrival.view());
  add(to.candidate, w.fixed.view());
  add(to.mean, w.fixed.view());
  add_product(to.past_fixed, theta.part(0, 0, embed_, embed_), w.fixed.view());
  add_product(to.past_arrival, theta.part(0, embed_, embed_, embed_), w.arrival.view());
  Dense vector(embed_, 1);
  read_into(vector.view(), parameters[GnnShape::kSolutionBias]);
  add(to.past_constant, vector.view());
  read_into(to.initial, parameters[GnnShape::kInitial]);
  return result;
}

void GraphEncoder::backward(const Parameters& parameters, Dense matrix_gradient,
                            Parameters& gradient) const {
  Weights at = read(parameters);
  Weights d(inputs_, embed_);
  const Layout from(matrix_gradient, columns_, inputs_, scalars_, embed_);
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
    add_to(gradient[GnnShape::kArrivalWeight], arrival.part(0, 0, embed_, attributes));
    add_to(gradient[GnnShape::kArrivalBias], arrival.part(0, attributes, embed_, 1));
  }
  add_to(gradient[GnnShape::kFixedWeight], fixed.part(0, 0, embed_, constant));
  add_to(gradient[GnnShape::kFixedBias], fixed.part(0, constant, embed_, 1));
  add_to(gradient[GnnShape::root(1)], d.root.view());
  add_to(gradient[GnnShape::edge_weight(1)], d.edge_weight.view());
  add_to(gradient[GnnShape::edge_bias(1)], d.edge_bias.view());
  add_to(gradient[GnnShape::layer_bias(1)], d.layer_bias.view());
  add_to(gradient[GnnShape::kSolutionWeight], d_theta);
  add_to(gradient[GnnShape::kSolutionBias], from.past_constant);
  add_to(gradient[GnnShape::kInitial], from.initial);
}

}  // namespace foresight
