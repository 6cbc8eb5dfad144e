// What the rivals from the literature must do: wait for better arrivals where the past promises
// them, and beat greedy where waiting pays.
#include <algorithm>
#include <cmath>

#include "tests/expect_error.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>

#include "foresight/data/dataset.h"
#include "foresight/policy/play.h"
#include "foresight/solve/solver.h"

namespace foresight {
namespace {

using Rows = std::vector<std::vector<float>>;

/// Arrival t has an edge of weight rows[t][u] to each fixed node u where that is positive.
Instance make_instance(const Rows& rows, const std::vector<float>& budgets = {}) {
  InstanceBuilder builder(static_cast<NodeId>(rows.front().size()));
  builder.set_capacities(budgets);
  for (const auto& row : rows) {
    std::vector<NodeId> nodes;
    std::vector<float> weights;
    for (std::size_t u = 0; u < row.size(); ++u) {
      if (row[u] <= 0) continue;
      nodes.push_back(static_cast<NodeId>(u));
      weights.push_back(row[u]);
    }
    builder.arrive(nodes, weights);
  }
  return std::move(builder).build();
}

/// Coverage: two topics, one per node; arrival t is a new user with preferences rows[t].
Instance make_coverage(const Rows& rows) {
  InstanceBuilder builder(2);
  builder.set_topics(2, {{0}, {1}});
  for (std::size_t t = 0; t < rows.size(); ++t) {
    builder.arrive(std::vector<NodeId>{0, 1}, std::vector<float>{1, 1},
                   static_cast<std::int32_t>(t), rows[t]);
  }
  return std::move(builder).build();
}

/// A file of past instances that lives as long as the test.
class PastFile {
 public:
  PastFile(const std::vector<Instance>& instances, const Schema& schema)
      : PastFile(Dataset::gather(schema, {}, instances)) {}
  PastFile(const std::vector<Instance>& instances, const std::string& problem)
      : PastFile(instances, Schema{.problem = problem}) {}
  explicit PastFile(const Dataset& data) { data.save(path()); }
  std::string path() const { return (folder_.path() / "past").string(); }

 private:
  TempFolder folder_;
};

std::vector<Rollout> play_all(const std::vector<Instance>& instances, const std::string& problem,
                              const std::string& policy) {
  return play(bind_instances(*problems().make(problem), instances), *policies().make(policy),
              {.seed = 7});
}

std::vector<NodeId> play_one(const Instance& instance, const std::string& problem,
                             const std::string& policy) {
  return play_all({instance}, problem, policy)[0].matching;
}

/// The rivals, trained on a file, with small samples.
std::vector<std::string> trained(const std::string& file, bool with_trajectory) {
  std::vector<std::string> specs = {fmt::format("bid-price(train={})", file),
                                    fmt::format("mirror-descent(train={})", file),
                                    fmt::format("mirror-descent(mirror=entropy,train={})", file),
                                    fmt::format("resolving(train={},samples=20)", file),
                                    fmt::format("resolving(train={},samples=20,every=3)", file)};
  if (with_trajectory) {
    specs.push_back(fmt::format("trajectory(train={},samples=8)", file));
    specs.push_back(fmt::format("trajectory(train={},samples=8,vote=count)", file));
  }
  return specs;
}

TEST(Rivals, KeepANodeForTheBetterArrivalThatThePastPromises) {
  const Instance instance = make_instance({{0.2F}, {0.9F}});
  const PastFile past(std::vector<Instance>(10, instance), "e-obm");
  EXPECT_EQ(play_one(instance, "e-obm", "greedy"), (std::vector<NodeId>{0, kSkip}));
  for (const std::string& spec : trained(past.path(), true)) {
    EXPECT_EQ(play_one(instance, "e-obm", spec), (std::vector<NodeId>{kSkip, 0})) << spec;
  }
}

TEST(Rivals, KeepABudgetForTheBidsThatNobodyElseMakes) {
  // Node 0 bids more at first, but later arrivals have no other node to go to.
  const Instance instance =
      make_instance({{0.5F, 0.45F}, {0.5F, 0.45F}, {0.5F, 0}, {0.5F, 0}}, {1, 1});
  const PastFile past(std::vector<Instance>(10, instance), "adwords");
  EXPECT_EQ(play_one(instance, "adwords", "greedy"), (std::vector<NodeId>{0, 0, kSkip, kSkip}));
  for (const char* name : {"bid-price", "resolving"}) {
    EXPECT_EQ(play_one(instance, "adwords", fmt::format("{}(train={})", name, past.path())),
              (std::vector<NodeId>{1, 1, 0, 0}))
        << name;
  }
}

TEST(Rivals, KeepANodeForTheUserWhoValuesItsTopicMost) {
  const Instance instance = make_coverage({{0.3F, 0.2F}, {0.9F, 0}});
  const PastFile past(std::vector<Instance>(10, instance),
                      Schema{.problem = "osbm", .topics = {"first", "second"}});
  EXPECT_EQ(play_one(instance, "osbm", "greedy")[0], 0);
  for (const char* name : {"bid-price", "resolving"}) {
    EXPECT_EQ(play_one(instance, "osbm", fmt::format("{}(train={})", name, past.path())),
              (std::vector<NodeId>{1, 0}))
        << name;
  }
}

TEST(Rivals, WithoutAPastTakeTheLargestGain) {
  const Instance instance = make_instance({{0.2F, 0.3F}, {0.9F, 0.8F}});
  for (const char* name : {"bid-price", "resolving", "trajectory"}) {
    EXPECT_EQ(play_one(instance, "e-obm", name), (std::vector<NodeId>{1, 0})) << name;
  }
}

TEST(Rivals, BeatGreedyClearlyOnCrowdsourcing) {
  const std::string spec = "crowd(u=10,v=30)";
  const auto source = sources().make(spec);
  const PastFile past(generate(*source, {spec, 1001}, 200, 1, no_progress()));
  std::vector<Instance> instances;
  for (std::size_t i = 0; i < 200; ++i) instances.push_back(source->draw(1002, i));
  const auto greedy = play_all(instances, "e-obm", "greedy");
  for (const std::string& rival : trained(past.path(), true)) {
    const auto rollouts = play_all(instances, "e-obm", rival);
    Moments difference;
    for (std::size_t i = 0; i < instances.size(); ++i) {
      difference.add(rollouts[i].value - greedy[i].value);
    }
    const double error = std::sqrt(difference.variance() / difference.count());
    EXPECT_GT(difference.mean(), 4 * error) << rival;
  }
}

TEST(Rivals, AreFeasibleAndTheSameAloneAndInABatch) {
  for (const std::string spec : {"er(u=6,v=15,p=0.3)", "er(u=12,v=5,p=0.5)",
                                 "crowd(u=6,v=15,workers=vary)", "triangular(u=5,v=20)"}) {
    const auto source = sources().make(spec);
    const std::string& name = source->schema().problem;
    const PastFile past(generate(*source, {spec, 1}, 30, 1, no_progress()));
    const auto problem = problems().make(name);
    const auto solver = make_solver(*problem, {});
    std::vector<Instance> instances;
    for (std::size_t i = 0; i < 10; ++i) instances.push_back(source->draw(2, i));
    for (const std::string& rival : trained(past.path(), name == "e-obm")) {
      const auto policy = policies().make(rival);
      const auto all = play(bind_instances(*problem, instances), *policy, {.seed = 5});
      for (std::size_t i = 0; i < instances.size(); ++i) {
        ASSERT_LE(all[i].value, solver->solve(instances[i]).bound + 1e-5) << rival << spec;
        const auto alone = play(bind_instances(*problem, {&instances[i], 1}), *policy,
                                {.seed = 5, .first_index = i});
        ASSERT_EQ(alone[0].matching, all[i].matching) << rival << spec;
      }
    }
  }
}

TEST(Rivals, RefuseMarketsThatTheirPastSaysNothingAbout) {
  const PastFile past({make_instance({{0.2F}, {0.9F}})}, "e-obm");
  const Instance larger = make_instance({{0.2F, 0.3F}});
  const Instance budgeted = make_instance({{0.2F}}, {1});
  for (const std::string name : {"bid-price", "resolving", "trajectory"}) {
    const std::string spec = fmt::format("{}(train={})", name, past.path());
    expect_error(ErrorCode::kData, {name, past.path(), "2 fixed nodes"},
                 [&] { play_one(larger, "e-obm", spec); });
    expect_error(ErrorCode::kData, {name, past.path(), "(e-obm", "(adwords)"},
                 [&] { play_one(budgeted, "adwords", spec); });
  }
}

/// The rules that can be given a past.
std::vector<std::string> rules_with_a_past() {
  std::vector<std::string> names;
  for (const auto& entry : policies().entries()) {
    const auto options = policies().options(entry);
    if (std::ranges::find(options, "train", &OptionInfo::name) != options.end()) {
      names.push_back(entry.name);
    }
  }
  return names;
}

TEST(Rivals, RefuseAPastThatTeachesNothing) {
  const PastFile none(std::vector<Instance>{}, "e-obm");
  for (const std::string& name : rules_with_a_past()) {
    expect_error(ErrorCode::kData, {name, none.path()},
                 [&] { policies().make(fmt::format("{}(train={})", name, none.path())); });
  }
  const PastFile mixed({make_instance({{0.2F}}), make_instance({{0.2F, 0.3F}})}, "e-obm");
  for (const std::string name : {"bid-price", "mirror-descent", "resolving", "trajectory"}) {
    expect_error(ErrorCode::kData, {name, mixed.path(), "instance 1 has 2"},
                 [&] { policies().make(fmt::format("{}(train={})", name, mixed.path())); });
  }
}

TEST(Rivals, RefuseDataOfAnotherProblemThanTheirPast) {
  const PastFile past({make_instance({{0.2F}, {0.9F}})}, "e-obm");
  for (const std::string& name : rules_with_a_past()) {
    const auto policy = policies().make(fmt::format("{}(train={})", name, past.path()));
    expect_error(ErrorCode::kData, {name, past.path(), "\"e-obm\"", "\"adwords\""},
                 [&] { fit(policy, *problems().make("adwords"), {.problem = "adwords"}); });
    EXPECT_EQ(fit(policy, *problems().make("e-obm"), {.problem = "e-obm"}), policy);
  }
}

TEST(Rivals, RefuseAPastThatLacksWhatItsProblemNeeds) {
  const PastFile no_budgets({make_instance({{0.2F}})}, "adwords");
  const PastFile no_topics({make_instance({{0.2F}})}, "osbm");
  for (const std::string name : {"greedy-t", "bid-price", "mirror-descent", "resolving"}) {
    expect_error(ErrorCode::kData, {"instance 0", "budget"},
                 [&] { policies().make(fmt::format("{}(train={})", name, no_budgets.path())); });
    expect_error(ErrorCode::kData, {"instance 0", "topics"},
                 [&] { policies().make(fmt::format("{}(train={})", name, no_topics.path())); });
  }
}

TEST(BidPrice, GivesUnknownFixedNodesOneCommonPrice) {
  // In the past node 0 was worth waiting for and node 1 was not: the mean of 0.9 and 0 lies
  // between.
  const auto make = [](std::vector<std::int32_t> ids) {
    InstanceBuilder builder(2);
    builder.set_ids(std::move(ids));
    builder.arrive(std::vector<NodeId>{1}, std::vector<float>{0.3F});
    builder.arrive(std::vector<NodeId>{0}, std::vector<float>{0.9F});
    return std::move(builder).build();
  };
  const PastFile past({make({5, 6})}, "e-obm");
  const std::string spec = fmt::format("bid-price(train={},phases=2)", past.path());
  EXPECT_EQ(play_one(make({5, 6}), "e-obm", spec), (std::vector<NodeId>{1, 0}));
  EXPECT_EQ(play_one(make({7, 8}), "e-obm", spec), (std::vector<NodeId>{kSkip, 0}));
}

TEST(MirrorDescent, LowersThePriceUntilSomebodyTakesTheNode) {
  const Instance instance = make_instance(Rows(4, {0.6F}));
  EXPECT_EQ(play_one(instance, "e-obm", "mirror-descent(start=1,eta=1)"),
            (std::vector<NodeId>{kSkip, kSkip, 0, kSkip}))
      << "prices 1, 0.75, 0.5";
  EXPECT_EQ(play_one(instance, "e-obm", "mirror-descent(start=1,eta=4,mirror=entropy)"),
            (std::vector<NodeId>{kSkip, 0, kSkip, kSkip}))
      << "prices 1, 0.37";
}

TEST(MirrorDescent, RaisesThePriceOfABudgetThatIsSpentTooFast) {
  const Instance instance = make_instance(Rows(4, {0.5F, 0.45F}), {1, 1});
  EXPECT_EQ(play_one(instance, "adwords", "mirror-descent(start=0.5,eta=1)")[1], 1)
      << "0.5 (1 - 0.75) < 0.45 (1 - 0.25)";
  EXPECT_EQ(play_one(instance, "adwords", "mirror-descent(start=0.5,eta=0)")[1], 0);
}

TEST(MirrorDescent, NamesTheStepsThatItWasTunedTo) {
  const PastFile past({make_instance({{0.2F}, {0.8F}})}, "e-obm");
  const auto tuned = policies().make(fmt::format("mirror-descent(train={})", past.path()));
  const auto again = policies().make(tuned->resolved_spec());
  EXPECT_EQ(again->resolved_spec(), tuned->resolved_spec());
  expect_error(ErrorCode::kUsage, {"mirror-descent", "train"},
               [] { policies().make("mirror-descent(eta=1,train=x)"); });
  for (const char* spec : {"mirror-descent", "mirror-descent(start=1)", "mirror-descent(eta=1)"}) {
    expect_error(ErrorCode::kUsage,
                 {"mirror-descent: give train=FILE", "start=NUMBER and eta=NUMBER"},
                 [&] { policies().make(spec); });
  }
}

TEST(Trajectory, IsOptimalWhereItsFuturesComeTrue) {
  for (const std::string spec : {"er(u=6,v=15,p=0.3)", "er(u=9,v=5,p=0.6)", "crowd(u=5,v=20)"}) {
    const auto source = sources().make(spec);
    const auto solver = make_solver(*problems().make("e-obm"), {});
    for (std::size_t i = 0; i < 20; ++i) {
      const Instance instance = source->draw(3, i);
      const PastFile past({instance}, source->schema());
      for (const char* vote : {"value", "count"}) {
        const auto rollout =
            play_all({instance}, "e-obm",
                     fmt::format("trajectory(train={},samples=1,vote={})", past.path(), vote));
        EXPECT_NEAR(rollout[0].value, solver->solve(instance).value, 1e-5) << spec << " " << i;
      }
    }
  }
}

TEST(Trajectory, ServesEdgeWeightedMatchingOnly) {
  const PastFile past({make_instance({{0.2F}}, {1})}, "adwords");
  expect_error(ErrorCode::kUsage, {"trajectory", "matched once", "adwords", past.path()},
               [&] { policies().make(fmt::format("trajectory(train={})", past.path())); });
}

}  // namespace
}  // namespace foresight
