// One episode, decision by decision, for people to look at: what arrived, what could be chosen,
// with which probability the policy chose it, what it chose, and what the hindsight optimum does.
//
//   Episode episode = record_instance(problem, instance, label);
//   episode.plays.push_back(record_play(problem, instance, *policy, options, false));
#pragma once

#include <string>
#include <vector>

#include "foresight/policy/play.h"

namespace foresight {

/// What could be chosen at one step. The first entry is skip.
struct RecordedOffers {
  std::vector<NodeId> nodes;
  std::vector<float> gains;
  std::vector<float> shares;  // the policy's probabilities; empty if it has none
};

struct RecordedPlay {
  std::string policy;
  std::vector<NodeId> choices;  // one per arrival, or kSkip
  std::vector<float> gains;
  std::vector<float> costs;  // what each choice took of its node; only if there are capacities
  double value = 0;
  std::vector<RecordedOffers> offers;
};

struct RecordedArrival {
  std::vector<NodeId> nodes;
  std::vector<float> weights;
  std::vector<float> costs = {};  // one per edge, if the data has any
  std::string name = {};          // empty if it has none
};

struct Episode {
  std::size_t instance = 0;  // its index in the dataset
  NodeId num_fixed = 0;
  std::vector<std::string> names;  // one per fixed node, some may be empty; none if no node has one
  /// What each node can take, 0 for an absent one; none if each can be matched once.
  std::vector<float> capacities;
  Traits::Use use = Traits::Use::kUnit;  // what a match takes of its node's capacity
  std::vector<RecordedArrival> arrivals;
  RecordedPlay optimum;  // without offers
  std::vector<RecordedPlay> plays;
};

/// The instance and its optimum, without plays.
Episode record_instance(const Problem& problem, const Instance& instance, const Label& label);

/// Lets the policy play. `with_shares` says whether its scores are logarithms of probabilities, up
/// to a constant. Those of models are.
RecordedPlay record_play(const Problem& problem, const Instance& instance, const Policy& policy,
                         const PlayOptions& options, bool with_shares);

}  // namespace foresight
