// What a network sees of a state: named columns, computed in one pass when a decision is due.
//
// There are two shapes, each with and without history:
//   FlatFeatures  one row per state: a block per quantity, over skip and all fixed nodes
//                 (ff, ff-hist)
//   NodeFeatures  one row per candidate, skip or a fixed node (inv-ff, inv-ff-hist)
// Columns and their order are those of the paper's reference, without its mistakes. Quantities of
// the past are 0 before the first decision. A mask is 1 where a node cannot be chosen. Gains, costs
// and amounts are in the units of the training data (problem/units.h).
//
//   const FlatFeatures features({.history = true}, market.num_fixed);
//   std::vector<float> row(features.width());
//   features.fill(state, row);   // columns as in features.names()
#pragma once

#include <span>
#include <string>
#include <vector>

#include "foresight/problem/state.h"
#include "foresight/problem/units.h"

namespace foresight {

/// Part of every checkpoint. It is raised when a column changes its meaning.
inline constexpr int kFeatureVersion = 1;

struct FeatureOptions {
  bool history = true;
  bool amounts = false;  // for nodes that have amounts (Traits::amounts, Schema::capacities)

  // Not in the paper:
  bool costs = false;    // for edges that have costs of their own (Traits::own_costs)
  bool outlook = false;  // future supply and demand, and how good an offer is for its node; only
                         // for NodeFeatures with history
  Units units = {};      // in which gains, costs and amounts are seen
};

/// The features that suit a problem. `capacities` says whether its markets have any.
FeatureOptions feature_options(const Traits& traits, bool capacities, bool history,
                               const Units& units = {});

/// A column of attributes that a model sees, and its position in the data.
struct AttributeColumn {
  std::string name;
  std::size_t place;
};

/// The attributes that a model sees: of fixed nodes, as `fixed.NAME`, and of the current arrival, as
/// `arrival.NAME`.
struct AttributeColumns {
  std::vector<AttributeColumn> fixed;
  std::vector<AttributeColumn> arrival;

  std::size_t size() const { return fixed.size() + arrival.size(); }
  void add_names(std::vector<std::string>& names) const;
};

/// Copies the columns from the attributes of a node, and returns the end of the copy.
template <typename Out>
Out copy_columns(std::span<const AttributeColumn> columns, std::span<const float> attributes,
                 Out out) {
  for (const AttributeColumn& column : columns) *out++ = attributes[column.place];
  return out;
}

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
  /// `attributes` are the attributes to add, only with history.
  explicit NodeFeatures(FeatureOptions options, AttributeColumns attributes = {})
      : options_(options), attributes_(std::move(attributes)) {}

  std::size_t width() const { return names().size(); }
  std::vector<std::string> names() const;
  const AttributeColumns& attributes() const { return attributes_; }

  /// What the candidates of one state share. Make it once per decision.
  class Row {
   public:
    Row(const NodeFeatures& features, const State& state);
    void fill_skip(std::span<float> row) const;
    /// The gain and the cost are 0 if there is no edge to the node.
    void fill(const Offer& edge, bool available, std::span<float> row) const;

   private:
    /// Returns the rest of the row, after the filled columns.
    std::span<float> fill(std::span<float> row, const Offer& edge, bool available, float mean,
                          float variance, float degree, float budget, float remaining) const;
    const FeatureOptions& options_;
    const AttributeColumns* attributes_;
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
  AttributeColumns attributes_;
};

}  // namespace foresight
