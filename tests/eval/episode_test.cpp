#include "foresight/eval/episode.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "tests/named_market.h"
#include <gtest/gtest.h>

#include "foresight/eval/evaluate.h"
#include "foresight/model/model.h"
#include "foresight/solve/solver.h"

namespace foresight {
namespace {

struct Setting {
  explicit Setting(const std::string& spec) : source(sources().make(spec)) {
    problem = problems().make(source->schema().problem);
    instance = source->draw(3, 0);
    label = make_solver(*problem, {})->solve(instance);
  }
  std::shared_ptr<Source> source;
  std::shared_ptr<Problem> problem;
  Instance instance;
  Label label;
};

TEST(Episode, TheOptimumIsReplayedToItsValue) {
  for (const char* spec : {"crowd(u=6,v=12)", "thick-z(u=4,v=8)"}) {
    const Setting setting(spec);
    const Episode episode = record_instance(*setting.problem, setting.instance, setting.label);
    ASSERT_EQ(episode.arrivals.size(), static_cast<std::size_t>(setting.instance.num_arrivals()));
    EXPECT_EQ(episode.optimum.choices, setting.label.matching);
    const double sum =
        std::accumulate(episode.optimum.gains.begin(), episode.optimum.gains.end(), 0.0);
    EXPECT_NEAR(sum, setting.label.value, 1e-5) << spec;
    EXPECT_NEAR(episode.optimum.value, setting.label.value, 1e-5) << spec;
    EXPECT_EQ(episode.capacities.empty(), std::string(spec).starts_with("crowd"));
  }
}

TEST(Episode, APlayHoldsEveryOfferAndTheChoiceAmongThem) {
  const Setting setting("crowd(u=6,v=12)");
  const auto policy = policies().make("greedy");
  const RecordedPlay play =
      record_play(*setting.problem, setting.instance, *policy, {.seed = 5}, false);
  const Rollout rollout = foresight::play(bind_instances(*setting.problem, {&setting.instance, 1}),
                                          *policy, {.seed = 5})
                              .front();
  EXPECT_EQ(play.choices, rollout.matching);
  EXPECT_EQ(play.value, rollout.value);
  ASSERT_EQ(play.offers.size(), play.choices.size());
  for (std::size_t t = 0; t < play.offers.size(); ++t) {
    const RecordedOffers& offers = play.offers[t];
    EXPECT_EQ(offers.nodes[0], kSkip);
    EXPECT_TRUE(offers.shares.empty());
    const auto chosen = std::ranges::find(offers.nodes, play.choices[t]) - offers.nodes.begin();
    ASSERT_LT(chosen, std::ssize(offers.nodes));
    EXPECT_EQ(offers.gains[static_cast<std::size_t>(chosen)], play.gains[t]);
    // Greedy takes the largest gain there is.
    EXPECT_EQ(play.gains[t], *std::ranges::max_element(offers.gains));
  }
}

TEST(Episode, AModelsSharesAreProbabilitiesWhoseLargestIsTaken) {
  const Setting setting("crowd(u=6,v=12)");
  const auto model = models().make("inv-ff-hist")->build({setting.source->schema(), 6});
  Rng rng(2, Stream::kInitialise, 0);
  model->set_parameters(model->initial_parameters(rng));
  const RecordedPlay play = record_play(*setting.problem, setting.instance, *model, {}, true);
  for (std::size_t t = 0; t < play.offers.size(); ++t) {
    const RecordedOffers& offers = play.offers[t];
    ASSERT_EQ(offers.shares.size(), offers.nodes.size());
    EXPECT_NEAR(std::accumulate(offers.shares.begin(), offers.shares.end(), 0.0), 1, 1e-5);
    const auto best = std::ranges::max_element(offers.shares) - offers.shares.begin();
    EXPECT_EQ(offers.nodes[static_cast<std::size_t>(best)], play.choices[t]);
  }
}

TEST(Episode, HoldsNamesCapacitiesAndCosts) {
  const BoundDataset data = named_market();
  const Instance instance = data.instance(0);
  const Episode episode = record_instance(data.problem(), instance, data.label(0));
  EXPECT_EQ(episode.names, (std::vector<std::string>{"Ana", "Boris, \"Bo\"", "", "=Chen"}));
  EXPECT_EQ(episode.capacities, (std::vector<float>{8, 2.5F, 3, 0}));
  EXPECT_EQ(episode.use, Traits::Use::kCost);
  EXPECT_EQ(episode.arrivals[0].name, "boiler\nat 5th");
  EXPECT_EQ(episode.arrivals[1].name, "");
  EXPECT_EQ(episode.arrivals[2].costs, (std::vector<float>{6, 2.5F}));
  EXPECT_EQ(episode.optimum.choices, (std::vector<NodeId>{1, 2, 0, kSkip}));
  EXPECT_EQ(episode.optimum.costs, (std::vector<float>{2, 1, 6, 0}));
  const RecordedPlay play =
      record_play(data.problem(), instance, *policies().make("greedy"), {}, false);
  EXPECT_EQ(play.choices, (std::vector<NodeId>{0, 1, kSkip, kSkip}));
  EXPECT_EQ(play.costs, (std::vector<float>{3, 1, 0, 0}));
}

TEST(Episode, WithoutCapacitiesAndNamesThereAreNone) {
  const Setting setting("crowd(u=6,v=12)");
  const Episode episode = record_instance(*setting.problem, setting.instance, setting.label);
  EXPECT_TRUE(episode.names.empty());
  EXPECT_TRUE(episode.capacities.empty());
  EXPECT_TRUE(episode.optimum.costs.empty());
  EXPECT_TRUE(episode.arrivals[0].costs.empty());
}

TEST(Episode, AMatchOfACountedCapacityTakesOne) {
  InstanceBuilder builder(2);
  builder.set_capacities({2, 0});
  builder.arrive(std::array{0, 1}, std::array{0.5F, 0.75F});
  builder.arrive(std::array{0}, std::array{0.25F});
  const Instance instance = std::move(builder).build();
  const auto problem = problems().make("e-obm");
  const Label label = make_solver(*problem, {})->solve(instance);
  const Episode episode = record_instance(*problem, instance, label);
  EXPECT_EQ(episode.capacities, (std::vector<float>{2, 0}));
  EXPECT_EQ(episode.optimum.choices, (std::vector<NodeId>{0, 0}));
  EXPECT_EQ(episode.optimum.costs, (std::vector<float>{1, 1}));
}

TEST(Episode, LargeInstancesAreNotRecorded) {
  const auto source = sources().make("er(u=201,v=3,p=0.1)");
  const BoundDataset data =
      solve(bind_data(generate(*source, {"er", 1}, 2, 1, no_progress())), {}, no_progress());
  const std::vector<Contestant> contestants = {make_contestant("greedy", data)};
  EXPECT_TRUE(evaluate(data, contestants, {.episodes = 2}, no_progress()).episodes.empty());
}

}  // namespace
}  // namespace foresight
