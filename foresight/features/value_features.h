// What a value model sees of the state *after* a decision: what is left of the fixed nodes and of
// the time, and what the past says about each node. Arrivals do not depend on decisions, so the
// future depends on nothing else.
//
// There are two shapes:
//   FlatValueFeatures  one row: the remaining share of every fixed node, and the context
//   NodeValueFeatures  one row per fixed node that is left: its remaining share, its history, its
//                      attributes, and the context
// The attributes of the current arrival belong to the context: they may tell what comes next, as the
// time of day does. Amounts are what the shares are worth, where nodes differ in capacity.
//
//   const FlatValueFeatures features(market.num_fixed, {});
//   features.fill_skip(state, total_remaining_share(state), row);   // the state after a skip
#pragma once

#include <span>
#include <string>
#include <vector>

#include "foresight/features/features.h"
#include "foresight/problem/state.h"

namespace foresight {

/// Time and supply after a decision.
struct ValueContext {
  /// `available` is the sum of the remaining shares of all fixed nodes after the decision.
  ValueContext(const State& state, double available);

  float left;       // share of the arrivals to come
  float available;  // share of the fixed nodes' capacity that is left
  float pressure;   // arrivals to come per node that is left, 1 at the start
};

/// The share of its capacity that node u still has, or would have after a cost.
double remaining_share(const State& state, NodeId u, double cost = 0);
double total_remaining_share(const State& state);

struct ValueFeatureOptions {
  bool amounts = false;
  AttributeColumns attributes = {};  // for FlatValueFeatures only those of arrivals
  Units units = {};
};

class FlatValueFeatures {
 public:
  FlatValueFeatures(NodeId num_fixed, ValueFeatureOptions options)
      : nodes_(static_cast<std::size_t>(num_fixed)), options_(std::move(options)) {}

  std::size_t width() const { return first_context() + 3 + options_.attributes.arrival.size(); }
  const AttributeColumns& attributes() const { return options_.attributes; }
  std::vector<std::string> names() const;

  /// After skipping. `available` is the total remaining share.
  void fill_skip(const State& state, double available, std::span<float> row) const;
  /// After taking the offer, given the row after skipping.
  void fill(const State& state, const Offer& offer, double available,
            std::span<const float> skip_row, std::span<float> row) const;

 private:
  std::size_t first_context() const { return (options_.amounts ? 2 : 1) * nodes_; }
  void fill_node(const State& state, NodeId u, double share, std::span<float> row) const;
  void fill_context(const ValueContext& context, std::span<float> row) const;
  std::size_t nodes_;
  ValueFeatureOptions options_;
};

class NodeValueFeatures {
 public:
  explicit NodeValueFeatures(ValueFeatureOptions options) : options_(std::move(options)) {}

  std::size_t width() const {
    return 9 + (options_.amounts ? 1U : 0U) + options_.attributes.size();
  }
  const AttributeColumns& attributes() const { return options_.attributes; }
  std::vector<std::string> names() const;

  /// What the past says about all fixed nodes together. Make it once per decision.
  struct Past {
    Past(const State& state, const Units& units);
    float mean, degree;  // gain of an edge; edges per arrival and fixed node
    float share;         // 1 / arrivals seen
  };
  Past past(const State& state) const { return {state, options_.units}; }
  void fill(const State& state, const Past& past, const ValueContext& context, NodeId u,
            double share, std::span<float> row) const;

 private:
  ValueFeatureOptions options_;
};

}  // namespace foresight
