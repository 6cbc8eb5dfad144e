#include "foresight/eval/evaluate.h"

#include <algorithm>
#include <limits>

#include "tests/expect_error.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "foresight/solve/solver.h"

namespace foresight {
namespace {

Contestant contestant(const std::string& spec) {
  return {spec, policies().make(spec), Spec::parse(spec).name};
}

/// Always does what a script says: one node (or kSkip) per arrival.
class Scripted : public Policy {
 public:
  explicit Scripted(std::vector<NodeId> script) : script_(std::move(script)) {}
  std::unique_ptr<Batch> open(std::span<const Opening>) const override {
    return std::make_unique<ScriptBatch>(script_);
  }

 private:
  class ScriptBatch : public EpisodeBatch {
   public:
    explicit ScriptBatch(std::span<const NodeId> script) : script_(script) {}

   private:
    void score(const State& state, std::size_t, std::span<float> row) override {
      const NodeId wanted = script_[static_cast<std::size_t>(state.history().arrivals)];
      row[0] = 0;
      for (std::size_t i = 1; i < row.size(); ++i)
        row[i] = state.offers()[i - 1].node == wanted ? 1 : -1;
    }
    std::span<const NodeId> script_;
  };
  std::vector<NodeId> script_;
};

/// Its scores are no numbers.
class NotANumber : public Policy {
 public:
  std::unique_ptr<Batch> open(std::span<const Opening>) const override {
    class NaNs : public EpisodeBatch {
      void score(const State&, std::size_t, std::span<float> row) override {
        std::ranges::fill(row, std::numeric_limits<float>::quiet_NaN());
      }
    };
    return std::make_unique<NaNs>();
  }
};

// Two arrivals: {0: 0.6, 1: 0.5} and {0: 1.0}. Optimum 1.5 = (1, 0); greedy takes 0 first: 0.6.
BoundDataset two_step() {
  InstanceBuilder builder(2);
  builder.arrive(std::vector<NodeId>{0, 1}, std::vector<float>{0.6F, 0.5F});
  builder.arrive(std::vector<NodeId>{0}, std::vector<float>{1.0F});
  const std::vector<Instance> instances(4, std::move(builder).build());
  return solve(bind_data(Dataset::gather({.problem = "e-obm"}, {"by hand", 7}, instances)), {},
               no_progress());
}

TEST(Evaluate, OptionsOutOfRangeAreRefused) {
  const std::vector<Contestant> contestants = {contestant("greedy")};
  expect_error(ErrorCode::kUsage, {"evaluate: episodes", "0..1000", "\"1001\""},
               [&] { evaluate(two_step(), contestants, {.episodes = 1001}, no_progress()); });
  expect_error(ErrorCode::kUsage, {"evaluate: threads", "0..4096", "\"-2\""},
               [&] { evaluate(two_step(), contestants, {.threads = -2}, no_progress()); });
}

TEST(Evaluate, RatiosValuesAndAgreementAreWhatTheyShouldBe) {
  const std::vector<Contestant> contestants = {
      contestant("greedy"),
      {"optimal", std::make_shared<Scripted>(std::vector<NodeId>{1, 0})},
      {"late", std::make_shared<Scripted>(std::vector<NodeId>{kSkip, 0})}};
  const Evaluation evaluation = evaluate(two_step(), contestants, {}, no_progress());
  ASSERT_EQ(evaluation.policies.size(), 3U);
  const PolicyResult& greedy = evaluation.policies[0];
  EXPECT_NEAR(greedy.ratio.mean, 0.4, 1e-6);
  EXPECT_EQ(greedy.matched, 1);
  EXPECT_EQ(greedy.agreement_optimum, (std::vector<double>{0, 0}));
  EXPECT_EQ(greedy.agreement_greedy, (std::vector<double>{1, 1}));
  const PolicyResult& optimal = evaluation.policies[1];
  EXPECT_NEAR(optimal.ratio.mean, 1, 1e-9);
  EXPECT_NEAR(optimal.mean_value, 1.5, 1e-9);
  EXPECT_EQ(optimal.matched, 2);
  EXPECT_EQ(optimal.agreement_optimum, (std::vector<double>{1, 1}));
  EXPECT_EQ(optimal.agreement_greedy, (std::vector<double>{0, 0}));
  EXPECT_NEAR(optimal.against_first.mean_difference, 0.6, 1e-6);
  const PolicyResult& late = evaluation.policies[2];
  EXPECT_NEAR(late.ratio.mean, 1 / 1.5, 1e-6);
  EXPECT_EQ(late.agreement_optimum, (std::vector<double>{0, 1}));
  EXPECT_GT(late.decisions_per_second, 0);
  EXPECT_GT(late.p99_microseconds, 0);
}

TEST(Evaluate, TheGapClosedIsMeasuredFromTheReferenceToTheCeiling) {
  const auto script = [](std::vector<NodeId> choices) {
    return std::make_shared<Scripted>(std::move(choices));
  };
  std::vector<Contestant> contestants = {contestant("greedy"),
                                         {"late", script({kSkip, 0})},
                                         {"the ceiling", script({1, 0}), "optimal-online"}};
  const Evaluation evaluation = evaluate(two_step(), contestants, {}, no_progress());
  EXPECT_NEAR(evaluation.policies[0].gap_closed.value(), 0, 1e-9);
  EXPECT_NEAR(evaluation.policies[1].gap_closed.value(), (1 / 1.5 - 0.4) / 0.6, 1e-6);
  EXPECT_NEAR(evaluation.policies[2].gap_closed.value(), 1, 1e-9);
  const Evaluation read = evaluation_from_json(to_json(evaluation), "file");
  EXPECT_EQ(read.policies[1].gap_closed, evaluation.policies[1].gap_closed);
  contestants.pop_back();
  EXPECT_FALSE(evaluate(two_step(), contestants, {}, no_progress()).policies[1].gap_closed);
}

TEST(Evaluate, TheGapBeginsAtTheBetterOfGreedyAndItsThreshold) {
  const auto script = [](std::vector<NodeId> choices) {
    return std::make_shared<Scripted>(std::move(choices));
  };
  const Contestant ceiling{"the ceiling", script({1, 0}), "optimal-online"};
  const Contestant bad{"bad threshold", script({kSkip, kSkip}), "greedy-t"};
  const Contestant good{"good threshold", script({kSkip, 0}), "greedy-t"};
  const auto reference = [&](const std::vector<Contestant>& contestants) {
    const Evaluation evaluation = evaluate(two_step(), contestants, {}, no_progress());
    EXPECT_EQ(evaluation_from_json(to_json(evaluation), "file").gap_reference,
              evaluation.gap_reference);
    if (!evaluation.gap_reference) return describe_gap(evaluation);
    const PolicyResult& first = evaluation.policies[*evaluation.gap_reference];
    EXPECT_NEAR(first.gap_closed.value(), 0, 1e-9);
    EXPECT_NE(describe_gap(evaluation).find("from " + first.name + " ("), std::string::npos);
    EXPECT_NE(to_json(evaluation).find("\"gap_reference\": \"" + first.name + "\""),
              std::string::npos);
    return first.name;
  };
  EXPECT_EQ(reference({bad, contestant("greedy"), ceiling}), "greedy");
  EXPECT_EQ(reference({contestant("greedy"), good, ceiling}), "good threshold");
  EXPECT_EQ(reference({bad, good, ceiling}), "good threshold");
  EXPECT_EQ(reference({bad, ceiling}), "bad threshold") << "there is no other";
  EXPECT_EQ(reference({contestant("greedy"), good}), "");
}

TEST(Evaluate, OptimalForOtherArrivalsIsNoCeiling) {
  const auto gap_closed = [](const std::string& data, const std::string& known) {
    BoundDataset labelled = generate(bind_source(data), 1, 20, 1, no_progress());
    labelled = solve(labelled, {}, no_progress());
    const std::vector<Contestant> contestants = {
        contestant("greedy"),
        {"best", policies().make(fmt::format("optimal-online(source=\"{}\")", known)),
         "optimal-online"}};
    return evaluate(labelled, contestants, {}, no_progress()).policies[0].gap_closed.has_value();
  };
  EXPECT_TRUE(gap_closed("er(u=4,v=8,p=0.3)", "er(p=0.3,v=8,u=4)"));
  EXPECT_TRUE(gap_closed("er(u=4,v=8,p=0.3)", "er(u=4,v=9,p=0.3)"));  // more arrivals, same law
  EXPECT_FALSE(gap_closed("er(u=4,v=8,p=0.3)", "er(u=4,v=8,p=0.9)"));
}

TEST(Evaluate, PoliciesThatDoNotFitAreNamed) {
  const BoundDataset data =
      solve(generate(bind_source("er(u=4,v=8)"), 1, 2, 1, no_progress()), {}, no_progress());
  const std::vector<Contestant> contestants = {{"my policy", std::make_shared<NotANumber>()}};
  expect_error(ErrorCode::kData, {"my policy: ", "not a number"},
               [&] { evaluate(data, contestants, {}, no_progress()); });
}

TEST(Evaluate, AnInstanceWorthNothingCountsAsSolved) {
  InstanceBuilder builder(2);
  builder.arrive({}, {});
  const Instance instance = std::move(builder).build();
  const BoundDataset data = solve(
      bind_data(Dataset::gather({.problem = "e-obm"}, {}, {&instance, 1})), {}, no_progress());
  const std::vector<Contestant> contestants = {contestant("greedy")};
  EXPECT_EQ(evaluate(data, contestants, {}, no_progress()).policies[0].ratio.mean, 1);
}

TEST(Evaluate, LabelsThatAreTooLowAreNoticed) {
  const BoundDataset data = two_step();
  std::vector<Label> labels(data.size(), Label{0.5, 0.5, {1, kSkip}});
  const std::vector<Contestant> contestants = {contestant("greedy")};
  expect_error(ErrorCode::kData, {"greedy", "instance 0", "bound 0.5"},
               [&] { evaluate(with_labels(data, labels), contestants, {}, no_progress()); });
}

TEST(Evaluate, UnprovenOptimaCountByTheirBound) {
  const BoundDataset data = two_step();
  std::vector<Label> labels(data.size(), Label{1.5, 3.0, {1, 0}});
  const std::vector<Contestant> contestants = {contestant("greedy")};
  const Evaluation evaluation = evaluate(with_labels(data, labels), contestants, {}, no_progress());
  EXPECT_EQ(evaluation.num_unproven, 4U);
  EXPECT_NEAR(evaluation.policies[0].ratio.mean, 0.2, 1e-6);
}

TEST(Evaluate, JsonHoldsEveryFieldTheDocsPromise) {
  const std::vector<Contestant> contestants = {contestant("greedy"), contestant("random")};
  const auto json =
      nlohmann::json::parse(to_json(evaluate(two_step(), contestants, {}, no_progress())));
  EXPECT_EQ(json["format"], "foresight-evaluation");
  EXPECT_EQ(json["problem"], "e-obm");
  EXPECT_EQ(json["data"]["source"], "by hand");
  EXPECT_EQ(json["data"]["instances"], 4);
  ASSERT_EQ(json["policies"].size(), 2U);
  for (const auto& policy : json["policies"]) {
    for (const char* key :
         {"name", "mean_ratio", "std_ratio", "min_ratio", "ci95", "mean_value", "matched",
          "decisions_per_second", "p50_microseconds", "p99_microseconds"}) {
      EXPECT_TRUE(policy.contains(key)) << key;
    }
    EXPECT_EQ(policy["agreement_optimum"].size(), 2U);
    EXPECT_EQ(policy["agreement_greedy"].size(), 2U);
    EXPECT_EQ(policy["ratios"].size(), 4U);
    EXPECT_TRUE(policy["against_first"].contains("wilcoxon_p"));
  }
  EXPECT_NEAR(json["policies"][0]["mean_ratio"].get<double>(), 0.4, 1e-6);
}

TEST(Evaluate, RefusesWhatCannotBeJudged) {
  const std::vector<Contestant> contestants = {contestant("greedy")};
  expect_error(ErrorCode::kUsage, {"no policies"},
               [&] { evaluate(two_step(), {}, {}, no_progress()); });
  expect_error(ErrorCode::kData, {"no hindsight optima"}, [&] {
    evaluate(bind_data(two_step().for_problem("e-obm")), contestants, {}, no_progress());
  });
  expect_error(ErrorCode::kData, {"no instances"}, [&] {
    evaluate(bind_data(Dataset::gather({.problem = "e-obm"}, {}, {})), contestants, {},
             no_progress());
  });
}

}  // namespace
}  // namespace foresight
