// The graph of one episode as gnn-hist sees it, summed up in a few numbers per node that every
// arrival and every decision updates exactly, in O(degree).
//
// Nodes have inputs: f_u of a fixed node (its topics or attributes, its state, 1), f_0 of skip, a_v
// of an arrival (its attributes, 1). A message-passing layer needs no more of a node's neighbours
// than the means of their inputs, plain and times the edge's weight:
//
//   z_u = (f_u, mean_v w_uv a_v, mean_v a_v)                  over the arrivals so far
//   z_v = (a_v, sum_u w_uv f_u / d_v, sum_u f_u / d_v)        d_v = 1 + degree; skip has weight 0
//
// The embeddings are linear in these (gnn_encoder.h), and so are the mean embeddings of all fixed
// nodes and of the past decisions (u_s, v_s): they need mean z_u, mean z_{u_s} and mean z_{v_s}
// only. When a node's state changes, so do the z_v of its past neighbours: their sum moves by
// (sum w_uv / d_v, sum 1 / d_v) times the change, two numbers that are kept per fixed node.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "foresight/data/source.h"
#include "foresight/problem/state.h"

namespace foresight {

/// What the inputs of nodes consist of. Where arrivals have no attributes, all nodes share one
/// embedding and the state tells them apart.
struct NodeInputs {
  explicit NodeInputs(const Schema& schema);

  bool budgets;  // a fixed node's state: its remaining budget, else 1 once it is matched
  std::vector<std::string> fixed_attributes;
  std::vector<std::string> arrival_attributes;
  bool topics;  // the fixed attributes are topics

  /// Lengths of f_u and a_v. The last two of f_u are the state and 1; the last of a_v is 1.
  std::size_t fixed() const { return fixed_attributes.size() + 2; }
  std::size_t arrival() const { return arrival_attributes.size() + 1; }
  /// Lengths of z_u and z_v.
  std::size_t fixed_summary() const { return fixed() + 2 * arrival(); }
  std::size_t arrival_summary() const { return arrival() + 2 * fixed(); }

  bool one_embedding() const { return arrival_attributes.empty(); }
  float skip_state() const { return one_embedding() ? -1.0F : 0.0F; }
  float arrival_state() const { return budgets ? -2.0F : 2.0F; }
};

/// The columns of the rows that `EpisodeGraph` fills: first what is a candidate's own, then what
/// all candidates of a decision share.
struct GraphColumns {
  explicit GraphColumns(const NodeInputs& inputs);

  std::size_t gain = 0, is_skip = 1, candidate = 2;  // `candidate` is z_u
  std::size_t time, value;
  std::size_t nothing_decided;  // 1 before the first decision
  std::size_t arrival;          // z_v of the current arrival
  std::size_t past_fixed;       // mean z of the past decisions' fixed nodes, skip included
  std::size_t past_arrival;     // mean z of the past arrivals
  std::size_t mean;             // mean z of skip and all fixed nodes
  std::size_t width;
};

class EpisodeGraph {
 public:
  /// Throws Error(kData) if the market lacks the attributes. `inputs` must outlive the graph.
  EpisodeGraph(const NodeInputs& inputs, const Market& market);

  /// Takes in the last decision and the current arrival. To be called once for every arrival.
  void observe(const State& state);

  /// Fills the columns that all candidates share, and then those of one candidate.
  void fill_shared(const State& state, const GraphColumns& columns, std::span<float> row) const;
  void fill_skip(const GraphColumns& columns, std::span<float> row) const;
  void fill(const Offer& offer, const GraphColumns& columns, std::span<float> row) const;

 private:
  struct Node {
    double remaining;
    int degree = 0;
    int chosen = 0;            // times
    double arrival_share = 0;  // sum of 1 / d_v over its arrivals
    double weight_share = 0;   // sum of w_uv / d_v
  };

  std::span<float> summary(NodeId u);
  std::span<const float> summary(NodeId u) const;
  NodeId last_choice(const State& state) const;
  void take_decision(const State& state);
  void move(NodeId u, std::size_t entry, float value);

  const NodeInputs& inputs_;
  std::vector<Node> nodes_;
  std::vector<float> summaries_;  // z_u, one after the other
  std::vector<float> skip_;       // z of skip
  std::vector<float> arrival_;    // z of the current arrival
  std::vector<Offer> offers_;     // of the current arrival
  int arrivals_ = 0;              // the current one included
  int skips_ = 0;

  std::vector<double> fixed_sum_;         // of z_u over the fixed nodes
  std::vector<double> past_fixed_sum_;    // over past decisions, skips left out
  std::vector<double> past_arrival_sum_;  // of z_v over the arrivals decided
};

}  // namespace foresight
