// What gnn-hist remembers of an episode when it embeds the graph again at every arrival.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "foresight/model/gnn/inputs.h"

namespace foresight {

/// An episode so far: everything in its graphs, at this arrival and at every earlier one. Nodes are
/// numbered in this order: skip, the fixed nodes, the arrivals.
class EpisodeLog {
 public:
  struct Edge {
    std::uint32_t node;  // skip or a fixed node; small, because a log holds every edge
    float weight;
  };
  struct Decision {
    std::size_t node;
    float state;  // the node's state from then on
  };

  /// Throws Error(kData) if the market lacks the attributes. `inputs` must outlive the log.
  EpisodeLog(const NodeInputs& inputs, const Market& market);

  /// Takes in the last decision and the current arrival. Call it once for every arrival.
  void observe(const State& state);

  std::size_t arrivals() const { return first_edge_.size() - 1; }
  std::size_t fixed_nodes() const { return fixed_nodes_; }  // including skip
  std::span<const Edge> edges(std::size_t arrival) const {
    return std::span(edges_).subspan(first_edge_[arrival],
                                     first_edge_[arrival + 1] - first_edge_[arrival]);
  }
  /// The decisions for the arrivals before the current one.
  const std::vector<Decision>& decisions() const { return decisions_; }

  /// f of a fixed node before the first arrival and a of an arrival, in one layout: f, and then a
  /// if arrivals have their own embedding.
  static std::size_t input_width(const NodeInputs& inputs);
  std::span<const float> input(std::size_t node) const;

 private:
  std::span<float> add_input();

  const NodeInputs& inputs_;
  std::size_t fixed_nodes_;
  std::vector<float> node_inputs_;
  std::vector<Edge> edges_;
  std::vector<std::size_t> first_edge_{0};  // of each arrival, and the end
  std::vector<Decision> decisions_;
};

/// The graph of an episode at the time when it had this many arrivals.
struct GraphView {
  const EpisodeLog* log;
  std::size_t arrivals;

  std::size_t nodes() const { return log->fixed_nodes() + arrivals; }
  std::size_t decided() const { return arrivals - 1; }
};

}  // namespace foresight
