// What a network sees of a state: named columns, computed in one pass when a decision is due.
//
// There are two shapes, each with and without history:
//   FlatFeatures  one row per state: a block per quantity, over skip and all fixed nodes
//                 (ff, ff-hist)
//   NodeFeatures  one row per candidate, skip or a fixed node (inv-ff, inv-ff-hist)
// Columns and their order are those of the paper's reference, without its mistakes. Quantities of
// the past are 0 before the first decision. A mask is 1 where a node cannot be chosen.
//
//   const FlatFeatures features({.history = true}, market.num_fixed);
//   std::vector<float> row(features.width());
//   features.fill(state, row);   // columns as in features.names()
#pragma once

#include <span>
#include <string>
#include <vector>

#include "foresight/problem/state.h"

namespace foresight {

/// Part of every checkpoint. It is raised when a column changes its meaning.
inline constexpr int kFeatureVersion = 1;

struct FeatureOptions {
  bool history = true;
  bool amounts = false;  // for problems whose nodes have amounts (Traits::amounts)

  // Not in the paper, for NodeFeatures with history:
  bool outlook = false;  // future supply and demand, and how good an offer is for its node
};

/// A column of attributes that a model sees, and its position in the data.
struct AttributeColumn {
  std::string name;
  std::size_t place;
};

/// The past of a whole episode in eight numbers.
struct EpisodeFeatures {
  explicit EpisodeFeatures(const State& state, const FeatureOptions& options);

  float value;  // of the matches made, per fixed node or per unit of budget
  float time;   // share of arrivals decided
  float mean;   // of the gains of the matches made
  float variance;
  float skips;    // share of decisions that were skips
  float largest;  // gain of a match made
  float smallest;
  float fullness;  // share of fixed nodes matched; with amounts, the mean remaining budget
};

class FlatFeatures {
 public:
  FlatFeatures(FeatureOptions options, NodeId num_fixed);

  std::size_t width() const;
  std::vector<std::string> names() const;
  /// `row` must have `width()` values; they are overwritten.
  void fill(const State& state, std::span<float> row) const;

 private:
  FeatureOptions options_;
  std::size_t nodes_;  // skip and the fixed nodes
};

class NodeFeatures {
 public:
  /// `attributes` are the attributes of fixed nodes to add, only with history.
  explicit NodeFeatures(FeatureOptions options, std::vector<AttributeColumn> attributes = {})
      : options_(options), attributes_(std::move(attributes)) {}

  std::size_t width() const { return names().size(); }
  std::vector<std::string> names() const;

  /// What the candidates of one state share. Make it once per decision.
  class Row {
   public:
    Row(const NodeFeatures& features, const State& state);
    void fill_skip(std::span<float> row) const;
    /// `gain` is the gain of the arrival's edge to `node`, or 0 if there is no edge.
    void fill(NodeId node, float gain, bool available, std::span<float> row) const;

   private:
    /// Returns the rest of the row, after the filled columns.
    std::span<float> fill(std::span<float> row, float gain, bool available, bool skip, float mean,
                          float variance, float degree, float budget, float remaining) const;
    FeatureOptions options_;
    std::span<const AttributeColumn> attributes_;
    const State* state_;
    EpisodeFeatures episode_;
    float mean_gain_;
    float mean_remaining_;
    float degree_;
    float past_;
    float outlook_[4] = {};  // pressure, share of free nodes, best and second-best gain on offer
    float to_come_ = 0;      // arrivals after this one
  };
  /// These features must outlive the row.
  Row row(const State& state) const { return Row(*this, state); }

 private:
  FeatureOptions options_;
  std::vector<AttributeColumn> attributes_;
};

}  // namespace foresight
