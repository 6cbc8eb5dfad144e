// The guarantee of `robust`: at least rho times the expert's value on every instance, however bad
// the learner and however unlucky the arrivals.
#include "foresight/model/robust.h"

#include "tests/expect_error.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>

#include "foresight/model/resolve.h"
#include "foresight/policy/play.h"
#include "foresight/solve/solver.h"
#include "foresight/train/run.h"

namespace foresight {
namespace {

/// A learner that scores every choice by one rule.
template <typename Rule>
class Learner : public Policy {
 public:
  explicit Learner(Rule rule) : rule_(rule) {}
  std::unique_ptr<Batch> open(std::span<const Opening> openings) const override {
    return std::make_unique<RuleBatch>(rule_, openings);
  }

 private:
  class RuleBatch : public EpisodeBatch {
   public:
    RuleBatch(Rule rule, std::span<const Opening> openings) : rule_(rule) {
      for (const Opening& opening : openings) rngs_.push_back(opening.rng);
    }

   private:
    void score(const State& state, std::size_t episode, std::span<float> row) override {
      row[0] = 0;
      for (std::size_t i = 1; i < row.size(); ++i) {
        row[i] = rule_(state.offers()[i - 1], rngs_[episode]);
      }
    }
    Rule rule_;
    std::vector<Rng> rngs_;
  };
  Rule rule_;
};

template <typename Rule>
std::shared_ptr<const Policy> learner(Rule rule) {
  return std::make_shared<Learner<Rule>>(rule);
}

std::vector<std::shared_ptr<const Policy>> nasty_learners() {
  return {learner([](const Offer&, Rng&) { return -1.0F; }),                 // always skips
          learner([](const Offer& offer, Rng&) { return 2 - offer.gain; }),  // the worst offer
          learner([](const Offer&, Rng& rng) { return static_cast<float>(rng.uniform() - 0.3); }),
          policies().make("greedy")};
}

/// Small weights first and then, more and more often, the largest there can be: whoever used up a
/// node for little regrets it.
std::vector<Instance> cruel_instances(std::size_t count, bool budgets) {
  std::vector<Instance> instances;
  for (std::size_t i = 0; i < count; ++i) {
    Rng rng(9, Stream::kInstance, i);
    const NodeId num_fixed = 1 + static_cast<NodeId>(rng.below(5));
    const int horizon = 1 + static_cast<int>(rng.below(16));
    InstanceBuilder builder(num_fixed);
    if (budgets) {
      std::vector<float> amounts;
      for (NodeId u = 0; u < num_fixed; ++u) {
        amounts.push_back(static_cast<float>(0.2 + 2 * rng.uniform()));
      }
      builder.set_capacities(amounts);
    }
    for (int t = 0; t < horizon; ++t) {
      std::vector<NodeId> nodes;
      std::vector<float> weights;
      for (NodeId u = 0; u < num_fixed; ++u) {
        if (rng.uniform() < 0.4) continue;
        const bool large = rng.uniform() * horizon < t;
        nodes.push_back(u);
        weights.push_back(static_cast<float>((large ? 0.9 : 0.0) + 0.1 * rng.uniform()));
      }
      builder.arrive(nodes, weights);
    }
    instances.push_back(std::move(builder).build());
  }
  return instances;
}

class RobustOn : public testing::TestWithParam<std::string> {
 protected:
  std::string name_ = GetParam();
  std::shared_ptr<Problem> problem_ = problems().make(name_);
  std::vector<Instance> instances_ = cruel_instances(400, name_ == "adwords");
  std::shared_ptr<const Policy> greedy_ = policies().make("greedy");

  std::vector<Rollout> run(const Policy& policy, Decode decode = Decode::kArgmax) const {
    return play(bind_instances(*problem_, instances_), policy, {.decode = decode, .seed = 3});
  }
};

TEST_P(RobustOn, EarnsItsShareOfTheExpertsValueOnEveryInstance) {
  const auto expert = run(*greedy_);
  for (const auto& nasty : nasty_learners()) {
    for (const double rho : {0.0, 0.1, 0.35, 0.5, 0.8, 0.95, 1.0}) {
      const auto robust = make_robust(nasty, greedy_, {.rho = rho, .wmax = 1});
      for (const Decode decode : {Decode::kArgmax, Decode::kSample}) {
        const auto ours = run(*robust, decode);
        for (std::size_t i = 0; i < ours.size(); ++i) {
          ASSERT_GE(ours[i].value, rho * expert[i].value - 1e-9) << "rho " << rho << " i " << i;
        }
      }
    }
  }
}

TEST_P(RobustOn, WouldBreakThePromiseWithoutTheSwitch) {
  // The instances are cruel enough for the test above to mean something.
  const auto expert = run(*greedy_);
  const auto worst = run(*nasty_learners()[1]);
  int broken = 0;
  for (std::size_t i = 0; i < worst.size(); ++i) broken += worst[i].value < 0.8 * expert[i].value;
  EXPECT_GT(broken, 40);
}

TEST_P(RobustOn, WithRhoZeroIsTheLearner) {
  for (const auto& nasty : nasty_learners()) {
    const auto alone = run(*nasty);
    const auto ours = run(*make_robust(nasty, greedy_, {.rho = 0, .wmax = 1}));
    for (std::size_t i = 0; i < ours.size(); ++i) ASSERT_EQ(ours[i].matching, alone[i].matching);
  }
}

TEST_P(RobustOn, FollowsALearnerWhoAgreesWithTheExpert) {
  const auto expert = run(*greedy_);
  const auto ours = run(*make_robust(greedy_, greedy_, {.rho = 1, .wmax = 1}));
  for (std::size_t i = 0; i < ours.size(); ++i) ASSERT_EQ(ours[i].matching, expert[i].matching);
}

TEST_P(RobustOn, IsFeasibleAndTheSameAloneAndInABatch) {
  const auto policy = policies().make("robust(policy=random,wmax=1)");
  const auto solver = make_solver(*problem_, {});
  const auto all = run(*policy);
  for (std::size_t i = 0; i < 50; ++i) {
    const auto alone = play(bind_instances(*problem_, {&instances_[i], 1}), *policy,
                            {.seed = 3, .first_index = i});
    ASSERT_EQ(alone[0].matching, all[i].matching);
    ASSERT_LE(all[i].value, solver->solve(instances_[i]).bound + 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, RobustOn, testing::Values("e-obm", "adwords"),
                         [](const auto& test) {
                           return std::string(test.param == "e-obm" ? "EdgeObm" : "Adwords");
                         });

Instance one_arrival(float weight) {
  InstanceBuilder builder(1);
  builder.arrive(std::vector<NodeId>{0}, std::vector<float>{weight});
  return std::move(builder).build();
}

TEST(Robust, ReservesWhatTheExpertCouldStillEarn) {
  // The expert waits for 0.5. Taking 0.3 now leaves it a node that may earn up to wmax.
  InstanceBuilder builder(1);
  builder.arrive(std::vector<NodeId>{0}, std::vector<float>{0.3F});
  builder.arrive(std::vector<NodeId>{0}, std::vector<float>{0.9F});
  const Instance instance = std::move(builder).build();
  const auto first = [&](double rho, double wmax) {
    const auto policy = policies().make(fmt::format(
        "robust(policy=greedy,expert=greedy-t(threshold=0.5),rho={},wmax={})", rho, wmax));
    return play(bind_instances(*problems().make("e-obm"), {&instance, 1}), *policy, {})[0]
        .matching[0];
  };
  EXPECT_EQ(first(0.29, 1), 0) << "0.3 >= 0.29 x 1";
  EXPECT_EQ(first(0.31, 1), kSkip) << "0.3 < 0.31 x 1";
  EXPECT_EQ(first(0.29, 2), kSkip) << "0.3 < 0.29 x 2";
}

TEST(Robust, GuardsATrainedModelOfARunFolder) {
  const TempFolder folder;
  RunOptions options;
  options.model = "inv-ff-hist(hidden=8)";
  options.train = "er(u=3,v=6,p=0.5)";
  options.instances = options.validation_instances = 20;
  options.epochs = 1;
  options.folder = folder.path() / "run";
  train(options, no_progress());
  const auto instances = cruel_instances(200, false);
  const auto values = [&](const std::string& spec) {
    std::vector<double> all;
    for (const Rollout& rollout : play(bind_instances(*problems().make("e-obm"), instances),
                                       *policies().make(spec), {.seed = 3})) {
      all.push_back(rollout.value);
    }
    return all;
  };
  const auto expert = values("greedy");
  const auto guarded = values(
      fmt::format("robust(policy=\"{}\",expert=greedy,rho=0.9,wmax=1)", options.folder.string()));
  const double largest = resolve(options.folder.string()).policy->largest_gain().value_or(0);
  EXPECT_GT(largest, 0);
  EXPECT_LE(largest, 1);
  for (std::size_t i = 0; i < expert.size(); ++i) {
    ASSERT_GE(guarded[i], 0.9 * expert[i] - 1e-9) << i;
  }
  EXPECT_NE(guarded, expert) << "the learner is followed where it may be";
}

TEST(Robust, RefusesWeightsAboveWmax) {
  const Instance instance = one_arrival(2.5F);
  expect_error(ErrorCode::kData, {"robust", "2.5", "wmax=1"}, [&] {
    play(bind_instances(*problems().make("e-obm"), {&instance, 1}),
         *policies().make("robust(policy=random,wmax=1)"), {});
  });
}

/// Two arrivals for one node.
Instance two_arrivals(float first, float second) {
  InstanceBuilder builder(1);
  builder.arrive(std::vector<NodeId>{0}, std::vector<float>{first});
  builder.arrive(std::vector<NodeId>{0}, std::vector<float>{second});
  return std::move(builder).build();
}

TEST(Robust, TakesTheLargestGainThatTheLearnerHasSeen) {
  const TempFolder folder;
  const Instance past = two_arrivals(500, 200);
  Dataset::gather({.problem = "e-obm"}, {}, {&past, 1}).save(folder.path() / "past");
  const auto first = [&](double rho, const char* wmax, float weight) {
    // The learner's price is 200, what came last, so it takes what gains more.
    const auto policy = policies().make(fmt::format(
        "robust(policy=bid-price(train=\"{}\",phases=1),expert=greedy-t(threshold=1e6),rho={}{})",
        (folder.path() / "past").string(), rho, wmax));
    EXPECT_EQ(policy->largest_gain(), 500);
    const Instance instance = two_arrivals(weight, 0.5F);
    return play(bind_instances(*problems().make("e-obm"), {&instance, 1}), *policy, {})[0]
        .matching[0];
  };
  EXPECT_EQ(first(0.59, "", 300), 0) << "300 >= 0.59 x 500";
  EXPECT_EQ(first(0.61, "", 300), kSkip) << "300 < 0.61 x 500";
  EXPECT_EQ(first(0.61, ",wmax=400", 300), 0) << "300 >= 0.61 x 400";
  // A larger gain is an error only for those who vouched for less.
  EXPECT_EQ(first(0.9, "", 600), 0);
  expect_error(ErrorCode::kData, {"600 > wmax=400"}, [&] { first(0.9, ",wmax=400", 600); });
}

TEST(Robust, IsRefusedWithoutALearnerOrTheLargestGain) {
  expect_error(ErrorCode::kUsage, {"robust: give policy=LEARNER"},
               [] { policies().make("robust(wmax=1)"); });
  expect_error(ErrorCode::kUsage, {"robust", "give wmax=NUMBER in the unit of the weights"},
               [] { policies().make("robust(policy=random)"); });
}

// An edge that is too large for its node's budget cannot be taken by anybody.
TEST(Robust, DoesNotMindAWeightThatNobodyCanTake) {
  InstanceBuilder builder(2);
  builder.set_capacities({1, 1});
  builder.arrive(std::vector<NodeId>{0, 1}, std::vector<float>{1, 50});
  const Instance instance = std::move(builder).build();
  const auto policy = policies().make("robust(policy=greedy,wmax=1)");
  EXPECT_EQ(play(bind_instances(*problems().make("adwords"), {&instance, 1}), *policy, {})[0].value,
            1);
}

TEST(Robust, RefusesAProblemInWhichGainsDependOnEachOther) {
  InstanceBuilder builder(1);
  builder.set_topics(1, {{0}});
  builder.arrive(std::vector<NodeId>{0}, std::vector<float>{1}, 0, std::vector<float>{0.5F});
  const Instance coverage = std::move(builder).build();
  const auto problem = problems().make("osbm");
  const auto policy = policies().make("robust(policy=random,wmax=1)");
  expect_error(ErrorCode::kData, {"robust", "\"osbm\"", "coverage gains"}, [&] {
    play(bind_instances(*problem, {&coverage, 1}), *policy, {});
  });
  expect_error(ErrorCode::kData, {"robust", "\"osbm\"", "coverage gains"},
               [&] { fit(policy, *problem, {.problem = "osbm", .topics = {"a"}}); });
}

// It used to be told with an option, and could be told wrongly.
TEST(Robust, KnowsTheProblemThatItPlays) {
  expect_error(ErrorCode::kUsage, {"robust", "\"problem\""},
               [] { policies().make("robust(problem=adwords)"); });
}

}  // namespace
}  // namespace foresight
