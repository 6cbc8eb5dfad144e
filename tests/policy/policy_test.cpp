// What every registered policy must keep, on every problem and source, and what each one stands
// for.
#include "foresight/policy/policy.h"

#include <atomic>
#include <map>
#include <set>

#include "tests/expect_error.h"
#include "tests/instances.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>

#include "foresight/policy/play.h"
#include "foresight/solve/solver.h"

namespace foresight {
namespace {

// Small instances of every problem, from sources that need no files.
const std::vector<std::string> kSources = {"er(u=6,v=15,p=0.3)",    "er(u=12,v=5,p=0.5)",
                                           "ba(u=8,v=20,degree=3)", "crowd(u=6,v=15,workers=vary)",
                                           "thick-z(u=6,v=24)",     "triangular(u=5,v=20)",
                                           "er(u=3,v=10,p=0)"};

/// Coverage instances: random topic sets, users that come back.
std::vector<Instance> draw_coverage(std::size_t count) {
  std::vector<Instance> instances;
  for (std::size_t i = 0; i < count; ++i) {
    Rng rng(3, Stream::kInstance, i);
    InstanceBuilder builder(6);
    std::vector<std::vector<std::int32_t>> sets(6);
    for (auto& set : sets) {
      for (std::int32_t topic = 0; topic < 5; ++topic) {
        if (rng.uniform() < 0.4) set.push_back(topic);
      }
    }
    builder.set_topics(5, sets);
    std::vector<std::vector<float>> preferences(4, std::vector<float>(5));
    for (auto& row : preferences) {
      for (float& x : row) x = static_cast<float>(rng.uniform());
    }
    for (int t = 0; t < 10; ++t) {
      const auto user = rng.below(4);
      builder.arrive(std::vector<NodeId>{0, 1, 2, 3, 4, 5}, std::vector<float>(6, 1),
                     static_cast<std::int32_t>(user), preferences[user]);
    }
    instances.push_back(std::move(builder).build());
  }
  return instances;
}

struct Case {
  std::string name;
  std::string problem;
  std::vector<Instance> instances;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = [] {
    std::vector<Case> result;
    for (const std::string& spec : kSources) {
      const auto source = sources().make(spec);
      result.push_back({spec, source->schema().problem, draw(*source, 40, 11)});
    }
    result.push_back({"coverage", "osbm", draw_coverage(40)});
    return result;
  }();
  return all;
}

/// Does the policy serve this problem? That it says why not is for conformance_test.cpp to check.
bool serves(const std::shared_ptr<const Policy>& policy, const Case& c) {
  try {
    fit(policy, *problems().make(c.problem), {.problem = c.problem});
    return true;
  } catch (const Error&) {
    return false;
  }
}

class EveryPolicy : public testing::TestWithParam<std::string> {};

TEST_P(EveryPolicy, IsFeasibleAndNeverAboveTheOptimum) {
  const auto policy = policies().make(GetParam());
  for (const Case& c : cases()) {
    if (!serves(policy, c)) continue;
    const auto problem = problems().make(c.problem);
    const auto solver = make_solver(*problem, {});
    const auto rollouts = play(bind_instances(*problem, c.instances), *policy, {.seed = 5});
    for (std::size_t i = 0; i < rollouts.size(); ++i) {
      // Replay the decisions by the rules, independently of the loop that made them.
      State state(*problem, c.instances[i].market());
      ASSERT_EQ(std::ssize(rollouts[i].matching), c.instances[i].num_arrivals());
      for (int t = 0; t < c.instances[i].num_arrivals(); ++t) {
        state.arrive(c.instances[i].arrival(t));
        const NodeId node = rollouts[i].matching[static_cast<std::size_t>(t)];
        const auto offers = state.offers();
        ASSERT_TRUE(node == kSkip || std::any_of(offers.begin(), offers.end(),
                                                 [&](const Offer& o) { return o.node == node; }))
            << c.name << " instance " << i << " arrival " << t << " node " << node;
        state.decide(node);
      }
      ASSERT_EQ(state.value(), rollouts[i].value);
      const Label best = solver->solve(c.instances[i]);
      ASSERT_LE(rollouts[i].value, best.bound + 1e-5) << c.name << " instance " << i;
    }
  }
}

TEST_P(EveryPolicy, DependsOnSeedAndIndexButNotOnTheBatch) {
  const auto policy = policies().make(GetParam());
  for (const Case& c : cases()) {
    if (!serves(policy, c)) continue;
    const auto problem = problems().make(c.problem);
    const auto all = play(bind_instances(*problem, c.instances), *policy, {.seed = 5});
    for (std::size_t i = 0; i < c.instances.size(); ++i) {
      const auto alone = play(bind_instances(*problem, {&c.instances[i], 1}), *policy,
                              {.seed = 5, .first_index = i});
      ASSERT_EQ(alone[0].matching, all[i].matching) << c.name << " instance " << i;
    }
    for (const int threads : {1, 2, 7}) {
      const auto many = play_many(
          *problem, c.instances.size(), [&](std::size_t i) { return c.instances[i]; }, *policy,
          {.seed = 5}, threads, no_progress());
      for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(many[i].matching, all[i].matching);
    }
  }
}

bool can_be_made(const std::string& spec) {
  try {
    policies().make(spec);
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const auto& entry : policies().entries()) {
    // Those that decide only where they are told about: see conformance_test.cpp.
    if (can_be_made(entry.name)) names.push_back(entry.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryPolicy, testing::ValuesIn(policy_names()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// One arrival with the given weights; returns how often each node (or kSkip) is chosen.
std::map<NodeId, int> choices(const std::string& spec, const std::vector<float>& weights,
                              const std::string& problem_name = "e-obm",
                              const std::vector<float>& budgets = {}) {
  std::vector<NodeId> nodes;
  for (std::size_t u = 0; u < weights.size(); ++u) nodes.push_back(static_cast<NodeId>(u));
  InstanceBuilder builder(static_cast<NodeId>(weights.size()));
  builder.set_capacities(budgets);
  builder.arrive(nodes, weights);
  const std::vector<Instance> instances(3000, std::move(builder).build());
  const auto problem = problems().make(problem_name);
  std::map<NodeId, int> counts;
  for (const Rollout& rollout :
       play(bind_instances(*problem, instances), *policies().make(spec), {})) {
    ++counts[rollout.matching[0]];
  }
  return counts;
}

TEST(Greedy, TakesTheLargestGainAndBreaksTiesAtRandom) {
  EXPECT_EQ(choices("greedy", {0.1F, 0.9F, 0.5F}), (std::map<NodeId, int>{{1, 3000}}));
  const auto tied = choices("greedy", {0.5F, 0.1F, 0.5F, 0.5F});
  ASSERT_EQ(tied.size(), 3U);
  for (const NodeId u : {0, 2, 3}) EXPECT_NEAR(tied.at(u), 1000, 120);
}

TEST(Greedy, SkipsWhereNothingIsToBeGained) {
  EXPECT_EQ(choices("greedy", {0, 0}), (std::map<NodeId, int>{{kSkip, 3000}}));
}

TEST(Random, TakesEveryNeighbourEquallyOften) {
  const auto counts = choices("random", {0.1F, 0.9F, 0.5F});
  ASSERT_EQ(counts.size(), 3U);
  for (const NodeId u : {0, 1, 2}) EXPECT_NEAR(counts.at(u), 1000, 120);
}

TEST(GreedyT, SkipsBelowTheThreshold) {
  EXPECT_EQ(choices("greedy-t(threshold=0.5)", {0.1F, 0.5F}), (std::map<NodeId, int>{{1, 3000}}));
  EXPECT_EQ(choices("greedy-t(threshold=0.5)", {0.1F, 0.49F}),
            (std::map<NodeId, int>{{kSkip, 3000}}));
}

/// Past instances in a file, and what policies earn on them.
class GreedyTTuned : public testing::Test {
 protected:
  /// Weights are multiplied by `unit`.
  void learn_from(const std::string& source, float unit) {
    instances_.clear();
    for (std::size_t i = 0; i < 60; ++i) {
      const Instance drawn = sources().make(source)->draw(4, i);
      InstanceBuilder builder(drawn.market().num_fixed);
      for (int t = 0; t < drawn.num_arrivals(); ++t) {
        std::vector<float> weights;
        for (const float weight : drawn.arrival(t).weights) weights.push_back(unit * weight);
        builder.arrive(drawn.arrival(t).nodes, weights);
      }
      instances_.push_back(std::move(builder).build());
    }
    Dataset::gather({.problem = "e-obm"}, {}, instances_).save(folder_.path() / "past");
  }

  std::shared_ptr<const Policy> tuned(const std::string& options = "") const {
    return policies().make(
        fmt::format("greedy-t(train={}{})", (folder_.path() / "past").string(), options));
  }

  double total(const Policy& policy) const {
    double sum = 0;
    for (const Rollout& rollout :
         play(bind_instances(*problems().make("e-obm"), instances_), policy, {})) {
      sum += rollout.value;
    }
    return sum;
  }

  /// The best of a hundred thresholds up to `most`.
  double best_below(double most) const {
    double best = 0;
    for (int percent = 1; percent <= 100; ++percent) {
      best = std::max(
          best,
          total(*policies().make(fmt::format("greedy-t(threshold={})", most * percent / 100))));
    }
    return best;
  }

  TempFolder folder_;
  std::vector<Instance> instances_;
};

TEST_F(GreedyTTuned, TakesTheBestOfThePapersHundredths) {
  learn_from("crowd(u=5,v=15)", 1);
  const auto policy = tuned(",candidates=hundredths");
  EXPECT_NEAR(total(*policy), best_below(1), 1e-9);
  EXPECT_GT(best_below(1), total(*policies().make("greedy")));
}

TEST_F(GreedyTTuned, FindsItsThresholdInAnyUnit) {
  // In the last source few of many arrivals can be matched, so only the largest gains are worth it.
  for (const char* source : {"crowd(u=5,v=15)", "er(u=5,v=15,p=0.5)", "er(u=2,v=200,p=0.5)"}) {
    for (const float unit : {1.0F, 1e-4F, 5e6F}) {
      SCOPED_TRACE(fmt::format("{} x {}", source, unit));
      learn_from(source, unit);
      const auto policy = tuned();
      EXPECT_GT(total(*policy), 0.99 * best_below(unit));
      EXPECT_GT(total(*policy), 1.05 * total(*policies().make("greedy")));
      const auto again = policies().make(policy->resolved_spec());
      EXPECT_EQ(again->resolved_spec(), policy->resolved_spec());
      EXPECT_EQ(total(*again), total(*policy)) << policy->resolved_spec();
    }
  }
}

TEST_F(GreedyTTuned, LetsAllPassWhereWaitingDoesNotPay) {
  learn_from("er(u=30,v=5,p=0.5)", 1);
  EXPECT_EQ(total(*tuned()), total(*policies().make("greedy")));
}

TEST(GreedyT, ThresholdAndTrainingFileExcludeEachOther) {
  for (const char* other : {"train=x", "candidates=hundredths"}) {
    expect_error(ErrorCode::kUsage, {"greedy-t", "threshold", "train"},
                 [&] { policies().make(fmt::format("greedy-t(threshold=0.5,{})", other)); });
  }
  expect_error(ErrorCode::kUsage,
               {"greedy-t: give train=FILE to tune the threshold on past instances, or "
                "threshold=NUMBER in the unit of the weights"},
               [] { policies().make("greedy-t"); });
}

TEST(GreedyRt, DrawsItsThresholdOncePerEpisodeFromPowersOfE) {
  // w_max = 10 allows K in {0, 1, 2}: thresholds 1, 2.72, 7.39.
  const auto counts = choices("greedy-rt(scale=1,w_max=10)", {2, 8});
  EXPECT_NEAR(counts.at(0), 500, 100) << "only K = 0 admits weight 2, one of two then";
  EXPECT_NEAR(counts.at(1), 2500, 120);
  EXPECT_FALSE(counts.contains(kSkip));
}

TEST(GreedyRt, NormalisesByTheSmallestWeightOfATrainingFile) {
  const TempFolder folder;
  InstanceBuilder builder(2);
  builder.arrive(std::vector<NodeId>{0, 1}, std::vector<float>{0.25F, 0.5F});
  const Instance instance = std::move(builder).build();
  Dataset::gather({.problem = "e-obm"}, {}, {&instance, 1}).save(folder.path() / "past");
  const auto policy =
      policies().make(fmt::format("greedy-rt(train={})", (folder.path() / "past").string()));
  EXPECT_EQ(policy->resolved_spec(), "greedy-rt(scale=4,offset=0,w_max=2,first=0)");
}

TEST(GreedyRt, IsRefusedWithoutAScale) {
  for (const char* spec : {"greedy-rt", "greedy-rt(scale=2)", "greedy-rt(w_max=2)"}) {
    expect_error(ErrorCode::kUsage, {"greedy-rt: give train=FILE", "scale=NUMBER and w_max=NUMBER"},
                 [&] { policies().make(spec); });
  }
  expect_error(ErrorCode::kUsage, {"greedy-rt", "either scale and w_max or train"},
               [] { policies().make("greedy-rt(scale=2,train=x)"); });
}

TEST(Msvv, WeighsTheBidByTheRemainingShareOfTheBudget) {
  // Arrival 0 can only go to node 0 and halves its budget; then 0.5 (1 - e^-0.5) < 0.4 (1 - e^-1).
  InstanceBuilder builder(2);
  builder.set_capacities({1, 10});
  builder.arrive(std::vector<NodeId>{0}, std::vector<float>{0.5F});
  builder.arrive(std::vector<NodeId>{0, 1}, std::vector<float>{0.5F, 0.4F});
  const Instance instance = std::move(builder).build();
  const auto problem = problems().make("adwords");
  const auto play_one = [&](const char* name) {
    return play(bind_instances(*problem, {&instance, 1}), *policies().make(name), {})[0].matching;
  };
  EXPECT_EQ(play_one("msvv"), (std::vector<NodeId>{0, 1}));
  EXPECT_EQ(play_one("balance"), (std::vector<NodeId>{0, 1}));
  EXPECT_EQ(play_one("greedy"), (std::vector<NodeId>{0, 0}));
}

TEST(Ranking, KeepsOneOrderThroughoutAnEpisode) {
  InstanceBuilder builder(4);
  const std::vector<NodeId> nodes{0, 1, 2, 3};
  for (int t = 0; t < 4; ++t) builder.arrive(nodes, std::vector<float>(4, 1));
  const std::vector<Instance> instances(2000, std::move(builder).build());
  const auto problem = problems().make("e-obm");
  std::map<std::vector<NodeId>, int> orders;
  for (const auto& rollout :
       play(bind_instances(*problem, instances), *policies().make("ranking"), {})) {
    ++orders[rollout.matching];
  }
  EXPECT_EQ(orders.size(), 24U) << "every order of the nodes comes up";
}

TEST(Play, SamplingFollowsTheSoftmaxOfTheScores) {
  class Fixed : public Policy {
    class FixedBatch : public EpisodeBatch {
      void score(const State&, std::size_t, std::span<float> row) override {
        row[0] = 0;
        row[1] = std::log(2.0F);
        row[2] = std::log(5.0F);
      }
    };
    std::unique_ptr<Batch> open(std::span<const Opening>) const override {
      return std::make_unique<FixedBatch>();
    }
  };
  InstanceBuilder builder(2);
  builder.arrive(std::vector<NodeId>{0, 1}, std::vector<float>{1, 1});
  const std::vector<Instance> instances(8000, std::move(builder).build());
  const auto problem = problems().make("e-obm");
  std::map<NodeId, int> counts;
  for (const auto& rollout :
       play(bind_instances(*problem, instances), Fixed(), {.decode = Decode::kSample})) {
    ++counts[rollout.matching[0]];
  }
  EXPECT_NEAR(counts[kSkip], 1000, 120);
  EXPECT_NEAR(counts[0], 2000, 150);
  EXPECT_NEAR(counts[1], 5000, 180);
}

TEST_P(EveryPolicy, MayBeDroppedWhileABatchOfItIsAtWork) {
  const Case& c = cases().front();
  const auto problem = problems().make(c.problem);
  const auto instances = bind_instances(*problem, c.instances);
  const auto openings = open_episodes(instances, {.seed = 5});
  auto policy = policies().make(GetParam());
  const std::weak_ptr<const Policy> alive = policy;
  const auto expected = play(instances, *policy, {.seed = 5});
  auto batch = policy->begin(openings);
  policy.reset();
  EXPECT_FALSE(alive.expired()) << "its batch needs it";
  const auto rollouts = play(instances, *batch, {.seed = 5});
  for (std::size_t i = 0; i < rollouts.size(); ++i) {
    EXPECT_EQ(rollouts[i].matching, expected[i].matching);
  }
  batch.reset();
  EXPECT_TRUE(alive.expired()) << "nobody needs it any more";
}

/// Is told to stop as soon as it has been asked once.
class StopSoon : public Progress {
 public:
  bool cancelled() const override { return asked_++ > 0; }

 private:
  mutable std::atomic<int> asked_ = 0;
};

TEST_P(EveryPolicy, StopsWithinABatchWhenInterrupted) {
  const auto policy = policies().make(GetParam());
  const Case& c = cases().front();
  const auto problem = problems().make(c.problem);
  const StopSoon progress;
  expect_error(ErrorCode::kCancelled, {"interrupted"}, [&] {
    play(bind_instances(*problem, c.instances), *policy, {.progress = &progress});
  });
}

TEST(Play, AnEpisodeCanBeFollowedWhateverTheScores) {
  for (const Case& c : cases()) {
    const auto problem = problems().make(c.problem);
    const auto instances = bind_instances(*problem, c.instances);
    const auto random = policies().make("random");
    const auto greedy = policies().make("greedy");
    const auto episodes = play(instances, *random, {.seed = 4});
    const auto followed = play(instances, *greedy, {.seed = 5, .followed = episodes});
    for (std::size_t i = 0; i < episodes.size(); ++i) {
      EXPECT_EQ(followed[i].matching, episodes[i].matching) << c.name;
      EXPECT_EQ(followed[i].value, episodes[i].value) << c.name;
    }
    // In batches, too.
    const auto many = play_many(
        *problem, c.instances.size(), [&](std::size_t i) { return c.instances[i]; }, *greedy,
        {.followed = episodes}, 2, no_progress());
    for (std::size_t i = 0; i < episodes.size(); ++i) {
      EXPECT_EQ(many[i].matching, episodes[i].matching) << c.name;
    }
  }
}

TEST(Play, AnEpisodeThatCannotBeFollowedIsRefused) {
  const auto problem = problems().make("e-obm");
  const Instance instance = sources().make("er(u=3,v=4,p=1)")->draw(1, 0);
  const auto instances = bind_instances(*problem, {&instance, 1});
  const auto greedy = policies().make("greedy");
  std::vector<Rollout> episodes = {{.matching = {1, kSkip, 1, kSkip}}};
  expect_error(ErrorCode::kUsage, {"node 1", "arrival 2", "not on offer"},
               [&] { play(instances, *greedy, {.followed = episodes}); });
  episodes[0].matching = {1};
  expect_error(ErrorCode::kUsage, {"not of these 1 instances"},
               [&] { play(instances, *greedy, {.followed = episodes}); });
  episodes.emplace_back();
  expect_error(ErrorCode::kUsage, {"not of these 1 instances"},
               [&] { play(instances, *greedy, {.followed = episodes}); });
}

TEST(Policies, AnUnknownNameListsTheKnownOnes) {
  expect_error(ErrorCode::kUsage, {"gredy", "greedy-t", "msvv"}, [] { policies().make("gredy"); });
}

}  // namespace
}  // namespace foresight
