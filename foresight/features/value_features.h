// What a value model sees of the state *after* a decision: what is left of the fixed nodes and of
// the time. Arrivals do not depend on decisions, so this is all that the future needs to know,
// besides what the past says about each node.
//
//   FlatValueFeatures  one row: the remaining share of every fixed node, and the context
//   NodeValueFeatures  one row per fixed node that is left: its remaining share, its history, its
//                      attributes, and the context
#pragma once

#include <span>
#include <string>
#include <vector>

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

/// The share of its capacity that node u still has, and would have after a cost.
double remaining_share(const State& state, NodeId u, double cost = 0);
double total_remaining_share(const State& state);

class FlatValueFeatures {
 public:
  explicit FlatValueFeatures(NodeId num_fixed) : nodes_(static_cast<std::size_t>(num_fixed)) {}

  std::size_t width() const { return nodes_ + 3; }
  std::vector<std::string> names() const;

  /// After skipping. `available` is the total remaining share.
  void fill_skip(const State& state, double available, std::span<float> row) const;
  /// After taking the offer, given the row after skipping.
  void fill(const State& state, const Offer& offer, double available,
            std::span<const float> skip_row, std::span<float> row) const;

 private:
  void fill_context(const ValueContext& context, std::span<float> row) const;
  std::size_t nodes_;
};

class NodeValueFeatures {
 public:
  /// `attributes` are the names of the fixed nodes' attributes to see, if any.
  explicit NodeValueFeatures(std::vector<std::string> attributes)
      : attributes_(std::move(attributes)) {}

  std::size_t width() const { return 9 + attributes_.size(); }
  std::size_t attributes() const { return attributes_.size(); }
  std::vector<std::string> names() const;

  /// What the past says about all fixed nodes together; make it once per decision.
  struct Past {
    explicit Past(const State& state);
    float mean, degree;  // gain of an edge; edges per arrival and fixed node
    float share;         // 1 / arrivals seen
  };
  void fill(const State& state, const Past& past, const ValueContext& context, NodeId u,
            double share, std::span<float> row) const;

 private:
  std::vector<std::string> attributes_;
};

}  // namespace foresight
