#include "foresight/features/features.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "tests/golden_episode.h"
#include <gtest/gtest.h>

namespace foresight {
namespace {

class GoldenFeatures : public testing::TestWithParam<const char*> {};

void expect_near(const std::vector<float>& ours, const nlohmann::json& theirs,
                 const std::string& what) {
  ASSERT_EQ(ours.size(), theirs.size()) << what;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_NEAR(ours[i], theirs[i].get<double>(), 2e-6) << what << " column " << i;
  }
}

TEST_P(GoldenFeatures, EveryColumnOfEveryStepAgrees) {
  FORESIGHT_NEEDS_SHARED("golden");
  const GoldenEpisode episode(GetParam());
  const NodeId fixed = episode.instance.market().num_fixed;
  const bool budgets = episode.problem->name() == "adwords";
  episode.replay([&](const State& state, const nlohmann::json& step, int t) {
    for (const bool history : {false, true}) {
      const FeatureOptions options{history, budgets};
      const FlatFeatures flat(options, fixed);
      std::vector<float> row(flat.width(), 99);
      flat.fill(state, row);
      const std::string suffix = history ? "-hist" : "";
      expect_near(row, step["ff" + suffix], fmt::format("step {} ff{}", t, suffix));

      const NodeFeatures nodes(options);
      const auto shared = nodes.row(state);
      std::vector<float> rows, one(nodes.width());
      shared.fill_skip(one);
      rows.insert(rows.end(), one.begin(), one.end());
      for (NodeId u = 0; u < fixed; ++u) {
        float gain = 0;
        bool available = false;
        for (const Offer& edge : state.edges()) gain = edge.node == u ? edge.gain : gain;
        for (const Offer& offer : state.offers()) available |= offer.node == u;
        shared.fill({u, gain, 0}, available, one);
        rows.insert(rows.end(), one.begin(), one.end());
      }
      expect_near(rows, step["inv-ff" + suffix], fmt::format("step {} inv-ff{}", t, suffix));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Episodes, GoldenFeatures, testing::ValuesIn(kGoldenEpisodes), golden_name);

TEST(Features, NamesAreDistinctAndAsManyAsColumns) {
  for (const bool history : {false, true}) {
    for (const int kind : {0, 1, 2, 3}) {
      const FeatureOptions options{.history = history, .amounts = kind % 2 == 1, .costs = kind > 1};
      const FlatFeatures flat(options, 7);
      const NodeFeatures nodes(options);
      EXPECT_EQ(flat.names().size(), flat.width());
      const auto flat_names = flat.names(), node_names = nodes.names();
      EXPECT_EQ(std::set(flat_names.begin(), flat_names.end()).size(), flat_names.size());
      EXPECT_EQ(std::set(node_names.begin(), node_names.end()).size(), node_names.size());
    }
  }
}

TEST(Features, OutlookTellsHowGoodAnOfferIsForItsNode) {
  const auto problem = problems().make("e-obm");
  InstanceBuilder builder(3);
  builder.arrive(std::vector<NodeId>{0, 1}, std::vector<float>{0.2F, 0.5F});
  builder.arrive(std::vector<NodeId>{0, 1}, std::vector<float>{0.4F, 0.5F});
  builder.arrive(std::vector<NodeId>{0, 1, 2}, std::vector<float>{0.5F, 0.6F, 0.9F});
  builder.arrive(std::vector<NodeId>{0}, std::vector<float>{9.0F});
  builder.arrive(std::vector<NodeId>{0}, std::vector<float>{0.3F});
  const Instance instance = std::move(builder).build();
  const NodeFeatures features({.outlook = true});
  const auto names = features.names();
  std::vector<float> row(features.width());
  const auto column = [&](const std::string& name) {
    return row[static_cast<std::size_t>(std::ranges::find(names, name) - names.begin())];
  };

  State state(*problem, instance.market());
  for (int t = 0; t < 3; ++t) {
    state.arrive(instance.arrival(t));
    if (t < 2) state.decide(kSkip);
  }
  // Mean 0.3, sample deviation sqrt(0.02), two offers known: a third of the way from 0.
  features.row(state).fill({0, 0.5F, 0}, true, row);
  EXPECT_NEAR(column("surprise"), 0.2 / std::sqrt(0.02) / 3, 1e-5);
  EXPECT_NEAR(column("chances"), 2.0 / 7, 1e-6);  // in every arrival so far, and two are to come
  EXPECT_EQ(column("best_gain"), 0.9F);
  EXPECT_EQ(column("second_gain"), 0.6F);
  EXPECT_NEAR(column("pressure"), 0.4, 1e-6);
  EXPECT_EQ(column("free"), 1);
  features.row(state).fill({1, 0.6F, 0}, true,
                           row);  // all its offers were alike: nothing to compare
  EXPECT_EQ(column("surprise"), 0);
  EXPECT_NEAR(column("chances"), 2.0 / 7, 1e-6);
  features.row(state).fill({2, 0.9F, 0}, true, row);  // never seen before
  EXPECT_EQ(column("surprise"), 0);
  EXPECT_EQ(column("chances"), 0);
  std::ranges::fill(row, 99.0F);
  features.row(state).fill_skip(row);
  EXPECT_EQ(column("surprise"), 0);
  EXPECT_EQ(column("chances"), 0);
  EXPECT_EQ(column("is_skip"), 1);

  state.decide(kSkip);
  state.arrive(instance.arrival(3));
  features.row(state).fill({0, 9.0F, 0}, true, row);  // an outlier counts three deviations
  EXPECT_EQ(column("surprise"), 1.5F);
}

/// Node 0 has 2 hours, node 1 is absent, and node 2 has 4.
Instance costly_instance() {
  InstanceBuilder builder(3);
  builder.set_capacities({2, 0, 4});
  builder.set_attributes({7, 8, 9}, 1);
  const std::array<NodeId, 3> nodes = {0, 1, 2};
  const std::array<float, 3> gains = {0.5F, 0.75F, 1}, costs = {1.5F, 1, 3};
  const std::array<float, 2> morning = {0.25F, 1}, noon = {0.5F, 0};
  for (const auto& attributes : {morning, noon}) {
    builder.arrive(Arrival{nodes, gains, kNoType, {}, attributes, costs});
  }
  return std::move(builder).build();
}

TEST(Features, TellCostsAndTheArrivalsAttributesOfEveryCandidate) {
  const auto problem = problems().make("gen-assignment");
  const Instance instance = costly_instance();
  State state(*problem, instance.market());
  state.arrive(instance.arrival(0));
  state.decide(0);
  state.arrive(instance.arrival(1));
  ASSERT_EQ(state.offers().size(), 1U);  // half an hour is left of node 0
  for (const bool history : {false, true}) {
    FeatureOptions options = feature_options(problem->traits(), true, history);
    const FlatFeatures flat(options, 3);
    std::vector<float> row(flat.width(), 99);
    flat.fill(state, row);
    EXPECT_EQ(std::vector(row.begin(), row.begin() + 8),
              (std::vector<float>{0, 0.5F, 0.75F, 1, 0, 1.5F, 1, 3}));
    EXPECT_EQ(flat.names()[5], "cost.0");

    options.outlook = history;
    AttributeColumns columns;
    if (history) columns = {{{"size", 0}}, {{"late", 1}, {"hour", 0}}};
    const NodeFeatures nodes(options, columns);
    const auto names = nodes.names();
    std::vector<float> one(nodes.width(), 99);
    const auto column = [&](const std::string& name) {
      return one[static_cast<std::size_t>(std::ranges::find(names, name) - names.begin())];
    };
    nodes.row(state).fill(state.offers()[0], true, one);
    EXPECT_EQ(column("gain"), 1);
    EXPECT_EQ(column("cost"), 3);
    EXPECT_EQ(column("remaining"), 4);
    EXPECT_NEAR(column("mean_remaining"), 1.5, 1e-6);
    if (history) {
      EXPECT_EQ(column("fixed.size"), 9);
      EXPECT_EQ(column("arrival.hour"), 0.5F);
      EXPECT_EQ(column("arrival.late"), 0);
    }
    std::ranges::fill(one, 99.0F);
    nodes.row(state).fill_skip(one);
    EXPECT_EQ(column("cost"), 0);
    EXPECT_EQ(column("is_skip"), 1);
    if (history) {
      EXPECT_EQ(column("fixed.size"), 0);
      EXPECT_EQ(column("arrival.hour"), 0.5F);
      EXPECT_EQ(column("arrival.late"), 0);
    }
  }
}

TEST(Features, OfAbsentNodesAreFiniteAndSayThatNothingIsLeft) {
  InstanceBuilder builder(2);
  builder.set_capacities({0, 0});
  for (int t = 0; t < 2; ++t) {
    builder.arrive(std::vector<NodeId>{0, 1}, std::vector<float>{0.5F, 0.75F});
  }
  const Instance everybody_absent = std::move(builder).build();
  const auto problem = problems().make("e-obm");
  State state(*problem, everybody_absent.market());
  for (int t = 0; t < 2; ++t) {
    state.arrive(everybody_absent.arrival(t));
    ASSERT_TRUE(state.offers().empty());
    for (const bool history : {false, true}) {
      FeatureOptions options = feature_options(problem->traits(), true, history);
      const FlatFeatures flat(options, 2);
      std::vector<float> row(flat.width(), NAN);
      flat.fill(state, row);
      for (const float value : row) EXPECT_TRUE(std::isfinite(value));
      options.outlook = history;
      const NodeFeatures nodes(options);
      const auto names = nodes.names();
      std::vector<float> one(nodes.width(), NAN);
      nodes.row(state).fill({0, 0.5F, 1}, false, one);
      for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_TRUE(std::isfinite(one[i])) << names[i];
        if (names[i].ends_with("remaining") || names[i] == "budget" || names[i] == "free") {
          EXPECT_EQ(one[i], 0) << names[i];
        }
      }
    }
    state.decide(kSkip);
  }
}

}  // namespace
}  // namespace foresight
