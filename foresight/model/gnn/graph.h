// The graph of one episode as gnn-hist sees it, summed up in a few numbers per node. Every arrival
// and every decision updates them exactly, in O(degree).
//
// With f_u and a_v the inputs of nodes (inputs.h), a message-passing layer needs only the means of
// the inputs of a node's neighbours, plain and times the edge's weight:
//
//   z_u = (f_u, mean_v w_uv a_v, mean_v a_v)                  over the arrivals so far
//   z_v = (a_v, sum_u w_uv f_u / d_v, sum_u f_u / d_v)        d_v = 1 + degree; skip has weight 0
//
// The embeddings are linear in these (encoder.h). So are the mean embeddings of all fixed nodes and
// of the past decisions (u_s, v_s), which need only mean z_u, mean z_{u_s} and mean z_{v_s}. When a
// node's state changes, the z_v of its past neighbours change too. Their sum moves by
// (sum w_uv / d_v, sum 1 / d_v) times the change. These two numbers are kept per fixed node.
#pragma once

#include <span>
#include <vector>

#include "foresight/model/gnn/inputs.h"

namespace foresight {

/// Lengths of z_u and z_v.
inline std::size_t fixed_summary(const NodeInputs& inputs) {
  return inputs.fixed() + 2 * inputs.arrival();
}
inline std::size_t arrival_summary(const NodeInputs& inputs) {
  return inputs.arrival() + 2 * inputs.fixed();
}

/// The columns of the rows that `EpisodeGraph` fills. First come those of each candidate. From
/// `time` on, all candidates of a decision share them.
struct GraphColumns {
  explicit GraphColumns(const NodeInputs& inputs);

  std::size_t gain = 0, is_skip = 1;
  std::size_t cost;       // only if edges have costs of their own
  std::size_t candidate;  // z_u
  std::size_t time, value;
  std::size_t nothing_decided;  // 1 before the first decision
  std::size_t arrival;          // z_v of the current arrival
  std::size_t past_fixed;       // mean z of the past decisions' fixed nodes, skip included
  std::size_t past_arrival;     // mean z of the past arrivals
  std::size_t mean;             // mean z of skip and all fixed nodes
  std::size_t width;

  std::size_t shared() const { return width - time; }
};

/// What these columns hold, by the names of the inputs that they are means of. Where a mean is
/// weighted, the names say "gain * ".
std::vector<std::string> graph_column_names(const NodeInputs& inputs);

class EpisodeGraph {
 public:
  /// Throws Error(kData) if the market lacks the attributes. `inputs` must outlive the graph.
  EpisodeGraph(const NodeInputs& inputs, const Market& market);

  /// Takes in the last decision and the current arrival. Call it once for every arrival.
  void observe(const State& state);

  /// Fill the columns that all candidates share, and those of one candidate.
  void fill_shared(const State& state, const GraphColumns& columns, std::span<float> shared) const;
  void fill_skip(const GraphColumns& columns, std::span<float> row) const;
  void fill(const Offer& offer, const GraphColumns& columns, std::span<float> row) const;

 private:
  struct Node {
    int degree = 0;
    int chosen = 0;            // times
    double arrival_share = 0;  // sum of 1 / d_v over its arrivals
    double weight_share = 0;   // sum of w_uv / d_v
  };

  std::span<float> summary(NodeId u);
  std::span<const float> summary(NodeId u) const;
  void take_decision(const State& state);
  void move(NodeId u, std::size_t entry, float value);

  const NodeInputs& inputs_;
  std::vector<Node> nodes_;
  std::vector<float> summaries_;  // z_u, one after the other
  std::vector<float> skip_;       // z of skip
  std::vector<float> arrival_;    // z of the current arrival
  int arrivals_ = 0;              // including the current one
  int skips_ = 0;

  std::vector<double> fixed_sum_;         // of z_u over the fixed nodes
  std::vector<double> past_fixed_sum_;    // over past decisions, without skips
  std::vector<double> past_arrival_sum_;  // of z_v over the arrivals decided
};

}  // namespace foresight
