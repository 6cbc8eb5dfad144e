#include <cmath>

#include "tests/expect_error.h"
#include "tests/instances.h"
#include <gtest/gtest.h>

#include "foresight/data/base_graph.h"

namespace foresight {
namespace {

TEST(Crowd, HasTheSizeOfGMission) {
  const auto source = sources().make("crowd(workers=vary)");
  const BaseGraph& graph = graph_of(*source);
  EXPECT_EQ(graph.num_fixed, 532);
  EXPECT_EQ(graph.num_types(), 712U);
  EXPECT_GT(graph.nodes.size(), 20'000U);
  EXPECT_LT(graph.nodes.size(), 80'000U);
  EXPECT_EQ(source->schema().fixed_attributes,
            (std::vector<std::string>{"x", "y", "radius", "success"}));
  EXPECT_EQ(source->schema().arrival_attributes, (std::vector<std::string>{"x", "y", "payoff"}));
}

TEST(Crowd, WorkersReachTheTasksWithinTheirRadiusForPayoffTimesSuccess) {
  const auto source = sources().make("crowd(workers=vary)");
  const BaseGraph& graph = graph_of(*source);
  std::size_t e = 0;
  int close_calls = 0;
  for (std::size_t type = 0; type < graph.num_types(); ++type) {
    const float* task = &graph.arrival_attributes[3 * type];
    for (NodeId u = 0; u < graph.num_fixed; ++u) {
      const float* worker = &graph.fixed_attributes[4 * static_cast<std::size_t>(u)];
      const double distance = std::hypot(worker[0] - task[0], worker[1] - task[1]);
      const bool joined =
          e < static_cast<std::size_t>(graph.edge_begin[type + 1]) && graph.nodes[e] == u;
      if (std::abs(distance - worker[2]) < 1e-5)
        ++close_calls;
      else
        ASSERT_EQ(joined, distance < worker[2]) << "task " << type << " worker " << u;
      if (!joined) continue;
      EXPECT_NEAR(graph.weights[e], task[2] * worker[3] / 19.2, 1e-6);
      ++e;
    }
  }
  EXPECT_EQ(e, graph.nodes.size());
  EXPECT_LT(close_calls, 20);
}

TEST(Crowd, InstancesCarryTheAttributesOfTheirNodes) {
  const Instance instance = sources().make("crowd(u=12,v=40,workers=vary)")->draw(1, 0);
  const Market& market = instance.market();
  for (int t = 0; t < 40; ++t) {
    const Arrival task = instance.arrival(t);
    ASSERT_GE(task.degree(), 1);
    for (std::size_t e = 0; e < task.nodes.size(); ++e) {
      const auto worker = market.attributes[static_cast<std::size_t>(task.nodes[e])];
      EXPECT_NEAR(task.weights[e], task.attributes[2] * worker[3] / 19.2, 1e-6);
      EXPECT_LT(std::hypot(worker[0] - task.attributes[0], worker[1] - task.attributes[1]),
                worker[2] + 1e-5);
    }
  }
}

TEST(Crowd, AnotherCityIsAnotherGraph) {
  const auto one = sources().make("crowd(city=1)");
  const auto two = sources().make("crowd(city=2)");
  EXPECT_NE(graph_of(*one).fixed_attributes, graph_of(*two).fixed_attributes);
  const auto standard = sources().make("crowd");
  EXPECT_EQ(graph_of(*one).fixed_attributes, graph_of(*standard).fixed_attributes);
}

TEST(Crowd, HasAsManyWorkersAsAskedFor) {
  const auto large = sources().make("crowd(u=1000,v=50,people=1000)");
  EXPECT_EQ(graph_of(*large).num_fixed, 1000);
  EXPECT_EQ(large->draw(1, 0).market().num_fixed, 1000);
}

TEST(Crowd, MoreWorkersThanThereAreIsAnError) {
  expect_error(ErrorCode::kUsage, {"\"crowd\"", "\"u\"", "at most 532", "got 533"},
               [] { sources().make("crowd(u=533)"); });
  expect_error(ErrorCode::kUsage, {"\"u\"", "at most 266", "pool=odd", "got 267"},
               [] { sources().make("crowd(u=267,pool=odd)"); });
}

}  // namespace
}  // namespace foresight
