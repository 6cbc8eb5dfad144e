// The inputs of gnn-hist for the nodes of a graph:
//   f_u   of a fixed node: its topics or attributes, its state, 1
//   f_0   of skip
//   a_v   of an arrival: its attributes, 1
#pragma once

#include <span>
#include <string>
#include <vector>

#include "foresight/features/features.h"
#include "foresight/model/model.h"
#include "foresight/problem/state.h"

namespace foresight {

/// What the inputs of nodes consist of. If arrivals have no attributes, all nodes share one
/// embedding, and the state distinguishes them.
struct NodeInputs {
  explicit NodeInputs(const ModelContext& context);

  std::shared_ptr<const Problem> problem;
  bool amounts;  // true: a fixed node's state is what is left of it; false: 1 once it is matched
  bool costs;    // edges have costs of their own
  Units units;
  std::vector<std::string> fixed_attributes;
  std::vector<std::string> arrival_attributes;
  bool topics;  // the fixed attributes are topics

  // The column of each attribute in the data, and the position here of each topic of the data.
  // Empty if the order is the same.
  std::vector<std::size_t> fixed_places;
  std::vector<std::size_t> arrival_places;
  AttributeUnits attribute_units;

  /// The edge, in the units of the model.
  Offer measured(const Offer& edge) const {
    return {edge.node, units.of_gain(edge.gain), costs ? units.of_cost(edge.cost) : 0};
  }
  EpisodeFeatures episode(const State& state) const {
    return EpisodeFeatures(state, {.history = true, .amounts = amounts, .units = units});
  }

  /// Lengths of f_u and a_v. The last two of f_u are the state and 1; the last of a_v is 1.
  std::size_t fixed() const { return fixed_attributes.size() + 2; }
  std::size_t arrival() const { return arrival_attributes.size() + 1; }
  std::size_t state() const { return fixed_attributes.size(); }  // position of the state in f_u

  /// The names of these columns, without the last ones, which are 1.
  std::vector<std::string> fixed_names() const;
  std::vector<std::string> arrival_names() const;

  bool one_embedding() const { return arrival_attributes.empty(); }
  float skip_state() const { return one_embedding() ? -1.0F : 0.0F; }
  float arrival_state() const { return amounts ? -2.0F : 2.0F; }
  float matched_state(const State& state, NodeId u) const {
    return amounts ? units.of_amount(state.remaining(u)) : 1.0F;
  }

  /// Throw Error(kData) if the market or the arrival lacks the attributes.
  void check(const Market& market) const;
  void check(const Arrival& arrival) const;

  /// Fill arrays of zeros: f_u as before the first arrival, f_0, and a_v.
  void fill_fixed(const Market& market, NodeId u, std::span<float> f) const;
  void fill_skip(std::span<float> f) const;
  void fill_arrival(const Arrival& arrival, std::span<float> a) const;
};

}  // namespace foresight
