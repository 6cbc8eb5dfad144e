#include "foresight/train/run_size.h"

#include <gtest/gtest.h>

#include "foresight/problem/bound.h"

namespace foresight {
namespace {

InstanceSize size_of_source(const std::string& spec) {
  return size_of(few_instances(bind_source(spec)));
}

TEST(RunSize, SmallProblemsKeepTheNumbersOfThePaper) {
  for (const char* spec : {"er(u=10,v=30)", "crowd(u=10,v=60)", "er(u=100,v=100,p=0.05)",
                           "thick-z(u=10,v=60)", "er(u=94,v=100,p=1)", "er(u=2,v=2)"}) {
    EXPECT_EQ(fitting_instances(size_of_source(spec)), 20'000U) << spec;
    EXPECT_EQ(fitting_validation_instances(size_of_source(spec)), 1'000U) << spec;
  }
}

TEST(RunSize, AnEpochHasABoundedNumberOfDecisionsAndEdges) {
  EXPECT_EQ(fitting_instances({.arrivals = 1'000, .edges = 10'000}), 2'000U);
  EXPECT_EQ(fitting_instances({.arrivals = 150, .edges = 1'000}), 13'000U) << "two digits";
  EXPECT_EQ(fitting_instances({.arrivals = 100, .edges = 1e6}), 200U) << "few but dense";
  EXPECT_EQ(fitting_instances({.arrivals = 200'000, .edges = 200'000}), 10U);
  EXPECT_EQ(fitting_instances({.arrivals = 1e8, .edges = 1e9}), 2U) << "never fewer";
  EXPECT_EQ(fitting_instances({}), 20'000U) << "nothing arrives";
}

TEST(RunSize, AValidationSetHasABoundedNumberOfDecisionsAndBytes) {
  EXPECT_EQ(fitting_validation_instances({.arrivals = 1'000, .bytes = 1e5}), 300U);
  EXPECT_EQ(fitting_validation_instances({.arrivals = 30'000, .bytes = 1e6}), 20U)
      << "at least 20, though these are 600,000 decisions";
  EXPECT_EQ(fitting_validation_instances({.arrivals = 200'000, .bytes = 4e6}), 10U)
      << "not more than an epoch of training";
  EXPECT_EQ(fitting_validation_instances({.arrivals = 30, .bytes = 1e6}), 250U) << "256 MB";
  EXPECT_EQ(fitting_validation_instances({.arrivals = 1'000, .bytes = 1e9}), 2U);
  EXPECT_EQ(fitting_validation_instances({.arrivals = 1e8, .bytes = 1e10}), 2U);
}

TEST(RunSize, FewInstancesArePassedOverOftenInOneEpoch) {
  EXPECT_EQ(fitting_episodes({.arrivals = 75}, 24), 504U) << "21 passes: at least 500 episodes";
  EXPECT_EQ(fitting_episodes({.arrivals = 1'000}, 24), 72U) << "3 passes: 50,000 decisions";
  EXPECT_EQ(fitting_episodes({.arrivals = 1'000}, 1), 50U);
  EXPECT_EQ(fitting_episodes({.arrivals = 30}, 500), 500U);
  EXPECT_EQ(fitting_episodes({.arrivals = 30}, 60'000), 60'000U) << "one pass";
  EXPECT_EQ(fitting_episodes({.arrivals = 100}, 20'000), 20'000U) << "one pass of the paper's size";
  EXPECT_EQ(fitting_episodes({.arrivals = 100}, 80'000), 20'000U) << "a part of a pass";
  EXPECT_EQ(fitting_episodes({.arrivals = 200'000, .edges = 2e5}, 50), 10U);
  EXPECT_EQ(fitting_episodes({.arrivals = 1e8, .edges = 1e8}, 1), 1U);
  EXPECT_EQ(fitting_episodes({.arrivals = 1e8, .edges = 1e8}, 5), 2U);
}

TEST(RunSize, ThePastOfARuleIsShort) {
  EXPECT_EQ(fitting_past({.arrivals = 30}), 200U);
  EXPECT_EQ(fitting_past({.arrivals = 10'000}), 10U);
  EXPECT_EQ(fitting_past({.arrivals = 1e6}), 1U);
}

TEST(RunSize, OneInstanceIsMeasuredByWhatItHolds) {
  InstanceBuilder builder(3);
  builder.set_capacities({1, 2, 3});
  const std::vector<NodeId> nodes{0, 2};
  const std::vector<float> weights{1, 2}, costs{1, 1}, attributes{5};
  builder.arrive(Arrival{nodes, weights, 1, {}, attributes, costs, {}});
  builder.arrive(Arrival{nodes, weights, 1, {}, attributes, costs, {}});
  const std::vector<Instance> one{std::move(builder).build()};
  const InstanceSize size = size_of(one);
  EXPECT_EQ(size.arrivals, 2);
  EXPECT_EQ(size.edges, 4);
  // An edge: node, weight, cost. An arrival: position, label, type, attribute.
  EXPECT_EQ(size.bytes, 4 * 12 + 2 * (8 + 4 + 4 + 4) + 3 * 4);
}

TEST(RunSize, AFileIsMeasuredByTheMeanOfItsInstances) {
  const BoundSource source = bind_source("crowd(u=4,v=10..50)");
  const BoundDataset data = generate(source, 1, 30, 1, no_progress());
  EXPECT_DOUBLE_EQ(size_of(data).arrivals, static_cast<double>(data.num_arrivals()) / 30);
  EXPECT_DOUBLE_EQ(size_of(data).edges, static_cast<double>(data.num_edges()) / 30);
}

TEST(RunSize, OfLargeInstancesOnlyAFewAreDrawn) {
  EXPECT_EQ(few_instances(bind_source("er(u=10,v=30)")).size(), 20U);
  EXPECT_LE(few_instances(bind_source("er(u=500,v=20000,p=0.1)")).size(), 3U);
}

}  // namespace
}  // namespace foresight
