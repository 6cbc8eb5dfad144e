// Episodes that the paper's reference implementation played with forced actions, from the shared
// folder.
#pragma once

#include <algorithm>
#include <fstream>
#include <map>

#include "tests/shared_data.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "foresight/problem/state.h"

namespace foresight {

inline const std::vector<const char*> kGoldenEpisodes = {
    "e-obm-gmission-10x30-a.json", "e-obm-gmission-var-10x60.json", "osbm-movielens-10x30.json",
    "adwords-thick-z-10x60.json"};

/// A name for one parametrised test.
inline std::string golden_name(const testing::TestParamInfo<const char*>& test) {
  std::string name = test.param;
  name = name.substr(0, name.find('.'));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

struct GoldenEpisode {
  explicit GoldenEpisode(const char* file_name) {
    std::ifstream file(*shared_folder() / "golden" / file_name);
    if (!file) throw std::runtime_error(std::string(file_name) + " is missing");
    json = nlohmann::json::parse(file);
    instance = read_instance();
    problem = problems().make(json["problem"].get<std::string>());
  }

  /// Plays the forced actions; `visit(state, step, t)` sees each arrival before its decision.
  /// Returns the value of the episode.
  template <typename Visit>
  double replay(Visit&& visit) const {
    State state(*problem, instance.market());
    for (int t = 0; t < instance.num_arrivals(); ++t) {
      const auto& step = json["steps"][static_cast<std::size_t>(t)];
      state.arrive(instance.arrival(t));
      visit(std::as_const(state), step, t);
      state.decide(step["action"].get<NodeId>() - 1);
    }
    return state.value();
  }

  nlohmann::json json;
  Instance instance;
  std::shared_ptr<Problem> problem;

 private:
  Instance read_instance() const {
    InstanceBuilder builder(json["u"].get<NodeId>());
    if (json.contains("budgets")) builder.set_capacities(json["budgets"].get<std::vector<float>>());
    const bool coverage = json.contains("fixed_genres");
    if (coverage) {
      std::vector<std::vector<std::int32_t>> sets;
      for (const auto& genres : json["fixed_genres"]) {
        auto& set = sets.emplace_back();
        for (std::size_t g = 0; g < genres.size(); ++g) {
          if (genres[g] != 0) set.push_back(static_cast<std::int32_t>(g));
        }
      }
      builder.set_topics(static_cast<int>(json["fixed_genres"][0].size()), sets);
    }
    for (std::size_t t = 0; t < json["edges"].size(); ++t) {
      std::map<NodeId, float> edges;
      for (const auto& edge : json["edges"][t]) {
        if (coverage)
          edges[edge.get<NodeId>()] = 1;
        else
          edges[edge[0].get<NodeId>()] = edge[1].get<float>();
      }
      std::vector<NodeId> nodes;
      std::vector<float> weights;
      for (const auto& [node, weight] : edges) {
        nodes.push_back(node);
        weights.push_back(weight);
      }
      if (!coverage) {
        builder.arrive(nodes, weights);
        continue;
      }
      const auto& user = json["arrivals"][t];
      const std::vector<float> attributes = {user["gender"].get<float>(), user["age"].get<float>(),
                                             user["occupation"].get<float>()};
      builder.arrive(nodes, weights, user["user"].get<std::int32_t>(),
                     user["preferences"].get<std::vector<float>>(), attributes);
    }
    return std::move(builder).build();
  }
};

}  // namespace foresight
