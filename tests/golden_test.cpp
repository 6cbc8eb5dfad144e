// Parity with the paper's reference implementation: episodes that it played with forced actions.
#include "tests/golden_episode.h"

#include "foresight/solve/solver.h"

namespace foresight {
namespace {

class Golden : public testing::TestWithParam<const char*> {};

TEST_P(Golden, MasksGainsAndRewardsOfEveryStepAgree) {
  FORESIGHT_NEEDS_SHARED("golden");
  const GoldenEpisode episode(GetParam());
  const auto fixed = static_cast<std::size_t>(episode.instance.market().num_fixed);
  const double value = episode.replay([&](const State& state, const nlohmann::json& step, int t) {
    std::vector<int> unavailable(fixed + 1, 1);
    unavailable[0] = 0;
    std::vector<float> gains(fixed + 1, 0);
    for (const Offer& offer : state.offers()) {
      unavailable[static_cast<std::size_t>(offer.node) + 1] = 0;
    }
    for (const Offer& edge : state.edges()) {
      gains[static_cast<std::size_t>(edge.node) + 1] = edge.gain;
    }
    EXPECT_EQ(unavailable, step["mask_unavailable"].get<std::vector<int>>()) << "step " << t;
    for (std::size_t u = 0; u <= fixed; ++u) {
      EXPECT_NEAR(gains[u], step["weights"][u].get<double>(), 2e-6)
          << "step " << t << " node " << u;
    }
  });
  EXPECT_NEAR(value, episode.json["value"].get<double>(), 1e-5);
}

TEST_P(Golden, TheHindsightOptimumAgrees) {
  FORESIGHT_NEEDS_SHARED("golden");
  const GoldenEpisode episode(GetParam());
  const Label label = make_solver(*episode.problem, {})->solve(episode.instance);
  EXPECT_TRUE(label.proven());
  EXPECT_NEAR(label.value, episode.json["opt"].get<double>(), 1e-5);
  if (!episode.json.contains("opt_match")) return;
  // Optimal matchings need not be unique: the reference's own must be worth the same here.
  State state(*episode.problem, episode.instance.market());
  for (int t = 0; t < episode.instance.num_arrivals(); ++t) {
    state.arrive(episode.instance.arrival(t));
    state.decide(episode.json["opt_match"][static_cast<std::size_t>(t)].get<NodeId>() - 1);
  }
  EXPECT_NEAR(state.value(), label.value, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Episodes, Golden, testing::ValuesIn(kGoldenEpisodes), golden_name);

}  // namespace
}  // namespace foresight
