// Who takes part in a search: the models and the rules that may suit the data.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "foresight/problem/bound.h"

namespace foresight {

/// A model with the trainer to try it with.
struct LearnedCandidate {
  std::string name;  // of its folder, and for people: inv-ff-plus, inv-ff-plus-2
  std::string model;
  std::string trainer;
};

/// Do all of these have the same fixed nodes, in the same order?
bool same_nodes(BoundInstances instances);

/// The models with a place in the search, with all their variants. Those that know fixed nodes by
/// their position take part only if the nodes are the same in these instances.
std::vector<LearnedCandidate> learned_candidates(BoundInstances examples);

/// A rule, as a person would name it.
struct RuleCandidate {
  std::string name;  // for people: bid-price
  std::string spec;  // bid-price(train="past.safetensors")
};

/// Every registered rule that needs nothing, or only past instances to learn from; greedy first.
std::vector<RuleCandidate> rule_candidates(const std::filesystem::path& past);

/// The trainer for a model that has already learned: smaller steps, less at random.
std::string gentler(const std::string& model, const std::string& trainer);

}  // namespace foresight
