// Parity with the paper's reference implementation: episodes that it played with forced actions.
#include <fstream>
#include <map>

#include "tests/shared_data.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "foresight/problem/state.h"
#include "foresight/solve/solver.h"

namespace foresight {
namespace {

using Json = nlohmann::json;

Instance read_instance(const Json& golden) {
  InstanceBuilder builder(golden["u"].get<NodeId>());
  if (golden.contains("budgets")) builder.set_budgets(golden["budgets"].get<std::vector<float>>());
  const bool coverage = golden.contains("fixed_genres");
  if (coverage) {
    std::vector<std::vector<std::int32_t>> sets;
    for (const Json& genres : golden["fixed_genres"]) {
      auto& set = sets.emplace_back();
      for (std::size_t g = 0; g < genres.size(); ++g) {
        if (genres[g] != 0) set.push_back(static_cast<std::int32_t>(g));
      }
    }
    builder.set_topics(static_cast<int>(golden["fixed_genres"][0].size()), sets);
  }
  for (std::size_t t = 0; t < golden["edges"].size(); ++t) {
    std::map<NodeId, float> edges;
    for (const Json& edge : golden["edges"][t]) {
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
    if (coverage) {
      const Json& user = golden["arrivals"][t];
      builder.arrive(nodes, weights, user["user"].get<std::int32_t>(),
                     user["preferences"].get<std::vector<float>>());
    } else {
      builder.arrive(nodes, weights);
    }
  }
  return std::move(builder).build();
}

class Golden : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    FORESIGHT_NEEDS_SHARED("golden");
    std::ifstream file(*shared_folder() / "golden" / GetParam());
    ASSERT_TRUE(file) << GetParam() << " is missing";
    golden_ = Json::parse(file);
    instance_ = read_instance(golden_);
    problem_ = problems().make(golden_["problem"].get<std::string>());
  }

  Json golden_;
  Instance instance_;
  std::unique_ptr<Problem> problem_;
};

TEST_P(Golden, MasksGainsAndRewardsOfEveryStepAgree) {
  State state(*problem_, instance_.market());
  const auto fixed = static_cast<std::size_t>(instance_.market().num_fixed);
  for (int t = 0; t < instance_.num_arrivals(); ++t) {
    const Json& step = golden_["steps"][static_cast<std::size_t>(t)];
    state.arrive(instance_.arrival(t));
    std::vector<int> unavailable(fixed + 1, 1);
    unavailable[0] = 0;
    std::vector<float> gains(fixed + 1, 0);
    for (const Offer& offer : state.offers())
      unavailable[static_cast<std::size_t>(offer.node) + 1] = 0;
    for (const Offer& edge : state.edges())
      gains[static_cast<std::size_t>(edge.node) + 1] = edge.gain;
    EXPECT_EQ(unavailable, step["mask_unavailable"].get<std::vector<int>>()) << "step " << t;
    for (std::size_t u = 0; u <= fixed; ++u) {
      EXPECT_NEAR(gains[u], step["weights"][u].get<double>(), 2e-6)
          << "step " << t << " node " << u;
    }
    state.decide(step["action"].get<NodeId>() - 1);
  }
  EXPECT_NEAR(state.value(), golden_["value"].get<double>(), 1e-5);
}

TEST_P(Golden, TheHindsightOptimumAgrees) {
  const Label label = make_solver(*problem_, {})->solve(instance_);
  EXPECT_TRUE(label.proven());
  EXPECT_NEAR(label.value, golden_["opt"].get<double>(), 1e-5);
  if (!golden_.contains("opt_match")) return;
  // Optimal matchings need not be unique: the reference's own must be worth the same here.
  State state(*problem_, instance_.market());
  for (int t = 0; t < instance_.num_arrivals(); ++t) {
    state.arrive(instance_.arrival(t));
    const NodeId node = golden_["opt_match"][static_cast<std::size_t>(t)].get<NodeId>() - 1;
    state.decide(node);
  }
  EXPECT_NEAR(state.value(), label.value, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Episodes, Golden,
                         testing::Values("e-obm-gmission-10x30-a.json",
                                         "e-obm-gmission-var-10x60.json",
                                         "osbm-movielens-10x30.json", "adwords-thick-z-10x60.json"),
                         [](const auto& test) {
                           std::string name = test.param;
                           name = name.substr(0, name.find('.'));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace foresight
