#include "foresight/features/features.h"

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
        shared.fill(u, gain, available, one);
        rows.insert(rows.end(), one.begin(), one.end());
      }
      expect_near(rows, step["inv-ff" + suffix], fmt::format("step {} inv-ff{}", t, suffix));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Episodes, GoldenFeatures, testing::ValuesIn(kGoldenEpisodes), golden_name);

TEST(Features, NamesAreDistinctAndAsManyAsColumns) {
  for (const bool history : {false, true}) {
    for (const bool budgets : {false, true}) {
      const FlatFeatures flat({history, budgets}, 7);
      const NodeFeatures nodes({history, budgets});
      EXPECT_EQ(flat.names().size(), flat.width());
      const auto flat_names = flat.names(), node_names = nodes.names();
      EXPECT_EQ(std::set(flat_names.begin(), flat_names.end()).size(), flat_names.size());
      EXPECT_EQ(std::set(node_names.begin(), node_names.end()).size(), node_names.size());
    }
  }
}

}  // namespace
}  // namespace foresight
