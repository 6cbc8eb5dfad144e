#include "foresight/model/gnn/embedding.h"

#include <algorithm>

#include <fmt/format.h>

namespace foresight {
namespace {

/// to += factor values
void add(std::span<float> to, float factor, std::span<const float> values) {
  for (std::size_t i = 0; i < values.size(); ++i) to[i] += factor * values[i];
}

float inverse(std::size_t count) {
  return count == 0 ? 0 : 1 / static_cast<float>(count);
}

}  // namespace

// ---- the parameters

PackedMlp DeepNetwork::make(Mlp mlp, Parameters& packed) {
  mlp.declare(packed);
  return PackedMlp(std::move(mlp));
}

DeepNetwork::DeepNetwork(const GnnShape& shape)
    : shape_(shape),
      solution_(make(Mlp("solution", {2 * shape.embed + 2, shape.embed}), packed_)),
      decoder_(make(shape.decoder(shape.decoder_inputs()), packed_)) {
  const NodeInputs& inputs = shape.inputs;
  const std::size_t embed = shape.embed;
  const auto place = [&](const std::string& tensor, const std::string& packed, std::size_t column,
                         bool transposed = false) {
    blocks_.push_back({tensor, packed, embed, column, transposed});
  };
  // If there are several biases, they are weights of inputs that are 1.
  const Mlp embedder("inputs", {EpisodeLog::input_width(inputs), embed});
  stages_.push_back(make(embedder, packed_));
  place(GnnShape::kFixedWeight, embedder.weight_name(0), 0);
  place(GnnShape::kFixedBias, embedder.weight_name(0), inputs.fixed() - 1);
  if (!inputs.one_embedding()) {
    place(GnnShape::kArrivalWeight, embedder.weight_name(0), inputs.fixed());
    place(GnnShape::kArrivalBias, embedder.weight_name(0), inputs.fixed() + inputs.arrival() - 1);
  }
  for (std::size_t layer = 1; layer <= shape.layers; ++layer) {
    const Mlp mlp(fmt::format("layer{}", layer), {3 * embed, embed});
    stages_.push_back(make(mlp, packed_));
    place(GnnShape::root(layer), mlp.weight_name(0), 0);
    place(GnnShape::edge_weight(layer), mlp.weight_name(0), embed, true);
    place(GnnShape::edge_bias(layer), mlp.weight_name(0), 2 * embed, true);
    place(GnnShape::layer_bias(layer), mlp.bias_name(0), 0);
  }
  place(GnnShape::kSolutionWeight, "solution.0.weight", 0);
  place(GnnShape::kSolutionBias, "solution.0.weight", 2 * embed);
  place(GnnShape::kInitial, "solution.0.weight", 2 * embed + 1);
  for (const auto& tensor : packed_.tensors()) {
    if (tensor.name.starts_with("ff.")) {
      blocks_.push_back({tensor.name, tensor.name, tensor.shape[0], 0, false});
    }
  }
}

template <typename From, typename To, typename Visit>
void DeepNetwork::for_each_entry(From& model, To& packed, Visit&& visit) const {
  for (const Block& block : blocks_) {
    const auto inner = model[block.tensor];
    const auto outer = packed[block.packed];
    const std::size_t columns = inner.size() / block.rows;
    const std::size_t width = outer.size() / block.rows;
    for (std::size_t i = 0; i < block.rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        visit(inner[block.transposed ? j * block.rows + i : i * columns + j],
              outer[i * width + block.column + j]);
      }
    }
  }
}

void DeepNetwork::load(const Parameters& parameters) {
  for_each_entry(parameters, packed_, [](float from, float& to) { to = from; });
  for (PackedMlp& stage : stages_) stage.load(packed_);
  solution_.load(packed_);
  decoder_.load(packed_);
}

void DeepNetwork::add_gradient(const Parameters& gradient, Parameters& sum) const {
  for_each_entry(sum, gradient, [](float& to, float from) { to += from; });
}

// ---- the embeddings

GraphEmbedding::GraphEmbedding(const DeepNetwork& network)
    : network_(network), embed_(network.shape().embed), solution_(network.solution()) {
  for (const PackedMlp& stage : network.stages()) tapes_.emplace_back(stage);
}

void GraphEmbedding::forward(std::span<const GraphView> views) {
  views_.clear();
  std::size_t rows = 0;
  for (const GraphView& view : views) {
    views_.push_back({view, rows});
    rows += view.nodes();
  }
  for (MlpTape& tape : tapes_) {
    tape.clear();
    tape.append(rows);
  }
  fill_inputs();
  network_.stages()[0].forward(tapes_[0]);
  for (std::size_t stage = 1; stage < tapes_.size(); ++stage) {
    aggregate(stage);
    network_.stages()[stage].forward(tapes_[stage]);
  }
  summarise();
  network_.solution().forward(solution_);
}

template <typename Visit>
void GraphEmbedding::for_each_edge(Visit&& visit) const {
  for (const Placed& view : views_) {
    for (std::size_t v = 0; v < view.arrivals; ++v) {
      for (const auto& [node, weight] : view.log->edges(v)) {
        visit(view.first + node, view.first + view.log->fixed_nodes() + v, weight);
      }
    }
  }
}

void GraphEmbedding::fill_inputs() {
  MlpTape& tape = tapes_[0];
  const std::size_t state = network_.shape().inputs.state();
  for (const Placed& view : views_) {
    for (std::size_t node = 0; node < view.nodes(); ++node) {
      std::ranges::copy(view.log->input(node), tape.input(view.first + node).begin());
    }
    for (std::size_t s = 0; s < view.decided(); ++s) {
      const auto& decision = view.log->decisions()[s];
      tape.input(view.first + decision.node)[state] = decision.state;
    }
  }
  std::vector<std::size_t> degrees(tape.rows());
  for_each_edge([&](std::size_t u, std::size_t v, float) {
    ++degrees[u];
    ++degrees[v];
  });
  shares_.resize(degrees.size());
  std::ranges::transform(degrees, shares_.begin(), inverse);
}

/// Computes z from the outputs of the previous stage.
void GraphEmbedding::aggregate(std::size_t stage) {
  const MlpTape& from = tapes_[stage - 1];
  MlpTape& to = tapes_[stage];
  const bool relu = stage > 1;
  for (std::size_t row = 0; row < to.rows(); ++row) {
    const auto x = from.output(row);
    const auto z = to.input(row);
    for (std::size_t i = 0; i < embed_; ++i) z[i] = relu && x[i] < 0 ? 0 : x[i];
    std::ranges::fill(z.subspan(embed_), 0.0F);
  }
  const auto collect = [&](std::size_t at, std::size_t neighbour, float weight) {
    const auto z = to.input(at);
    const auto x = to.input(neighbour).first(embed_);
    add(z.subspan(embed_), weight * shares_[at], x);
    add(z.subspan(2 * embed_), shares_[at], x);
  };
  for_each_edge([&](std::size_t u, std::size_t v, float weight) {
    collect(u, v, weight);
    collect(v, u, weight);
  });
}

/// The backward pass of `aggregate`.
void GraphEmbedding::spread(std::size_t stage) {
  MlpTape& to = tapes_[stage - 1];
  const MlpTape& from = tapes_[stage];
  const bool relu = stage > 1;
  for (std::size_t row = 0; row < from.rows(); ++row) {
    std::ranges::copy(from.input_gradient(row).first(embed_), to.output_gradient(row).begin());
  }
  const auto give = [&](std::size_t at, std::size_t neighbour, float weight) {
    const auto dz = from.input_gradient(at);
    const auto dx = to.output_gradient(neighbour);
    add(dx, weight * shares_[at], dz.subspan(embed_, embed_));
    add(dx, shares_[at], dz.subspan(2 * embed_));
  };
  for_each_edge([&](std::size_t u, std::size_t v, float weight) {
    give(u, v, weight);
    give(v, u, weight);
  });
  if (!relu) return;
  for (std::size_t row = 0; row < from.rows(); ++row) {
    const auto x = to.output(row);
    const auto dx = to.output_gradient(row);
    for (std::size_t i = 0; i < embed_; ++i) dx[i] = x[i] <= 0 ? 0 : dx[i];
  }
}

/// The means over fixed nodes and over past decisions.
void GraphEmbedding::summarise() {
  const MlpTape& nodes = tapes_.back();
  solution_.clear();
  solution_.append(views_.size());
  means_.assign(views_.size() * embed_, 0);
  d_means_.assign(means_.size(), 0);
  for (std::size_t i = 0; i < views_.size(); ++i) {
    const Placed& view = views_[i];
    const std::size_t fixed = view.log->fixed_nodes();
    const auto mean = std::span(means_).subspan(i * embed_, embed_);
    for (std::size_t u = 0; u < fixed; ++u) add(mean, inverse(fixed), nodes.output(view.first + u));
    const auto past = solution_.input(i);
    std::ranges::fill(past, 0.0F);
    const float share = inverse(view.decided());
    for (std::size_t s = 0; s < view.decided(); ++s) {
      add(past, share, nodes.output(view.first + view.log->decisions()[s].node));
      add(past.subspan(embed_), share, nodes.output(view.first + fixed + s));
    }
    past[2 * embed_ + (view.decided() > 0 ? 0 : 1)] = 1;
  }
}

/// The backward pass of `summarise`.
void GraphEmbedding::spread_summary() {
  MlpTape& nodes = tapes_.back();
  for (std::size_t i = 0; i < views_.size(); ++i) {
    const Placed& view = views_[i];
    const std::size_t fixed = view.log->fixed_nodes();
    const auto d_mean = std::span(d_means_).subspan(i * embed_, embed_);
    for (std::size_t u = 0; u < fixed; ++u) {
      add(nodes.output_gradient(view.first + u), inverse(fixed), d_mean);
    }
    const auto d_past = solution_.input_gradient(i);
    const float share = inverse(view.decided());
    for (std::size_t s = 0; s < view.decided(); ++s) {
      const std::size_t choice = view.log->decisions()[s].node;
      add(nodes.output_gradient(view.first + choice), share, d_past.first(embed_));
      add(nodes.output_gradient(view.first + fixed + s), share, d_past.subspan(embed_, embed_));
    }
  }
}

void GraphEmbedding::fill(std::size_t view, std::size_t candidate, std::span<float> part) const {
  const MlpTape& nodes = tapes_.back();
  const Placed& graph = views_[view];
  auto to = part.begin();
  to = std::ranges::copy(nodes.output(graph.first + graph.nodes() - 1), to).out;
  to = std::ranges::copy(nodes.output(graph.first + candidate), to).out;
  to = std::ranges::copy(solution_.output(view), to).out;
  std::ranges::copy(std::span(means_).subspan(view * embed_, embed_), to);
}

void GraphEmbedding::take_gradient(std::size_t view, std::size_t candidate,
                                   std::span<const float> part) {
  MlpTape& nodes = tapes_.back();
  const Placed& graph = views_[view];
  const auto take = [&](std::span<float> to, std::size_t place) {
    add(to, 1, part.subspan(place * embed_, embed_));
  };
  take(nodes.output_gradient(graph.first + graph.nodes() - 1), 0);
  take(nodes.output_gradient(graph.first + candidate), 1);
  take(solution_.output_gradient(view), 2);
  take(std::span(d_means_).subspan(view * embed_, embed_), 3);
}

void GraphEmbedding::backward(Parameters& gradient) {
  network_.solution().backward(solution_, gradient, PackedMlp::InputGradient::kYes);
  spread_summary();
  for (std::size_t stage = tapes_.size() - 1; stage > 0; --stage) {
    network_.stages()[stage].backward(tapes_[stage], gradient, PackedMlp::InputGradient::kYes);
    spread(stage);
  }
  network_.stages()[0].backward(tapes_[0], gradient);
}

}  // namespace foresight
