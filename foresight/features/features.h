// What a network sees of a state: named columns, computed in one pass when a decision is due.
//
// Two shapes, each with and without history:
//   FlatFeatures  one row per state, a block per quantity over skip and all fixed nodes (ff,
//   ff-hist) NodeFeatures  one row per candidate, skip or a fixed node (inv-ff, inv-ff-hist)
// Columns and their order are those of the paper's reference, with its slips left out. Quantities
// of the past are 0 before the first decision. A mask is 1 where a node cannot be chosen.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "foresight/problem/state.h"

namespace foresight {

/// Part of every checkpoint: raised when a column changes its meaning.
inline constexpr int kFeatureVersion = 1;

struct FeatureOptions {
  bool history = true;
  bool budgets = false;  // for problems in which nodes have budgets

  // Beyond the paper, for NodeFeatures with history:
  bool outlook = false;        // supply and demand to come, and how good an offer is for its node
  std::size_t attributes = 0;  // how many attributes of the fixed node to add
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
  float fullness;  // share of fixed nodes matched; with budgets, the mean remaining budget
};

class FlatFeatures {
 public:
  FlatFeatures(FeatureOptions options, NodeId num_fixed);

  std::size_t width() const;
  std::vector<std::string> names() const;
  /// `row` must be `width()` long and may hold anything before.
  void fill(const State& state, std::span<float> row) const;

 private:
  FeatureOptions options_;
  std::size_t nodes_;  // skip and the fixed nodes
};

class NodeFeatures {
 public:
  /// `attributes` names those of the fixed nodes, as many as the options say.
  explicit NodeFeatures(FeatureOptions options, std::vector<std::string> attributes = {})
      : options_(options), attributes_(std::move(attributes)) {}

  std::size_t width() const { return names().size(); }
  std::size_t attributes() const { return options_.attributes; }
  std::vector<std::string> names() const;

  /// What the candidates of one state share; make it once per decision.
  class Row {
   public:
    Row(const FeatureOptions& options, const State& state);
    void fill_skip(std::span<float> row) const;
    /// `gain` is that of the arrival's edge to `node`, 0 where there is none.
    void fill(NodeId node, float gain, bool available, std::span<float> row) const;

   private:
    /// Returns what is behind the columns filled.
    std::span<float> fill(std::span<float> row, float gain, bool available, bool skip, float mean,
                          float variance, float degree, float budget, float remaining) const;
    FeatureOptions options_;
    const State* state_;
    EpisodeFeatures episode_;
    float mean_gain_;
    float mean_remaining_;
    float degree_;
    float past_;
    float outlook_[4] = {};  // pressure, share of nodes free, best and second-best gain on offer
    float to_come_ = 0;      // arrivals after this one
  };
  Row row(const State& state) const { return Row(options_, state); }

 private:
  FeatureOptions options_;
  std::vector<std::string> attributes_;
};

}  // namespace foresight
