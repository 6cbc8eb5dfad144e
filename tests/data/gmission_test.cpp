#include <algorithm>
#include <cmath>
#include <set>

#include "tests/expect_error.h"
#include "tests/instances.h"
#include "tests/shared_data.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>

#include "foresight/data/base_graph.h"

namespace foresight {
namespace {

std::shared_ptr<Source> make_gmission(const std::filesystem::path& folder,
                                      const std::string& options = "") {
  return sources().make(fmt::format("gmission(path=\"{}\"{})", folder.string(), options));
}

class GMission : public testing::Test {
 protected:
  void SetUp() override { FORESIGHT_NEEDS_SHARED("data/gmission"); }

  std::shared_ptr<Source> make(const std::string& options) const {
    return make_gmission(*shared_folder() / "data/gmission", options);
  }
};

TEST_F(GMission, HasTheSizeThatThePaperGives) {
  const auto source = make(",workers=vary");
  const BaseGraph& graph = dynamic_cast<const BaseGraphSource&>(*source).graph();
  EXPECT_EQ(graph.num_fixed, 532);
  EXPECT_EQ(graph.num_types(), 712U);
  EXPECT_EQ(graph.nodes.size(), 39'775U);
  EXPECT_EQ(*std::ranges::max_element(graph.weights), 1);
  EXPECT_EQ(source->schema(), (Schema{.problem = "e-obm",
                                      .fixed_attributes = {"x", "y", "radius", "success"},
                                      .arrival_attributes = {"x", "y", "payoff"}}));
}

TEST_F(GMission, WeightsArePayoffTimesSuccessAsShareOfTheLargest) {
  const auto source = make(",u=50,v=50,workers=vary");
  for (std::uint64_t i = 0; i < 100; ++i) {
    const Instance instance = source->draw(1, i);
    for (int t = 0; t < 50; ++t) {
      const Arrival task = instance.arrival(t);
      ASSERT_GE(task.degree(), 1);
      for (std::size_t e = 0; e < task.nodes.size(); ++e) {
        const auto worker = instance.market().attributes[static_cast<std::size_t>(task.nodes[e])];
        // The file rounds weights to four decimals.
        ASSERT_NEAR(task.weights[e], task.attributes[2] * worker[3] / 18.8736, 5e-6);
        ASSERT_LE(std::hypot(worker[0] - task.attributes[0], worker[1] - task.attributes[1]),
                  worker[2] + 1e-5);
      }
    }
  }
}

TEST_F(GMission, FixedVaryAndPermuteDifferInTheWorkers) {
  const auto fixed = make("");
  const auto permuted = make(",workers=permute");
  const auto varied = make(",workers=vary");
  const auto shared = ids_of(fixed->draw(1, 0));
  const std::set<NodeId> shared_set(shared.begin(), shared.end());
  EXPECT_EQ(shared_set.size(), 10U);
  std::set<std::vector<NodeId>> orders, sets;
  for (std::uint64_t i = 0; i < 20; ++i) {
    EXPECT_EQ(ids_of(fixed->draw(i, i)), shared);
    const auto order = ids_of(permuted->draw(1, i));
    EXPECT_EQ(std::set(order.begin(), order.end()), shared_set);
    orders.insert(order);
    sets.insert(ids_of(varied->draw(1, i)));
  }
  EXPECT_EQ(orders.size(), 20U);
  EXPECT_EQ(sets.size(), 20U);
}

TEST_F(GMission, TheSharedSetFollowsTheOptionDrawAndNotTheSeed) {
  const auto one = make(",draw=1");
  const auto two = make(",draw=2");
  EXPECT_EQ(ids_of(one->draw(1, 0)), ids_of(one->draw(2, 0)));
  EXPECT_NE(ids_of(one->draw(1, 0)), ids_of(two->draw(1, 0)));
}

TEST_F(GMission, PoolsOfWorkersForTrainingAndTestingAreDisjoint) {
  for (const char* pool : {"even", "odd"}) {
    const auto source = make(fmt::format(",u=40,pool={},workers=vary", pool));
    for (std::uint64_t i = 0; i < 10; ++i) {
      for (const NodeId id : ids_of(source->draw(1, i))) {
        EXPECT_EQ(id % 2 == 0, std::string(pool) == "even");
      }
    }
  }
}

/// Two workers, three tasks.
class SmallGMission : public testing::Test {
 protected:
  SmallGMission() {
    folder_.write_file("workers.txt", "5,0,0,1,0.5\n7,1,1,1,0.25\n");
    folder_.write_file("tasks.txt", "1,0,0,4\n2,1,0.5,8\n3,0,1,2\n");
    folder_.write_file("edges.txt", "7.0;2.0,4\n5.0;1.0,2\n7;1,1\n");
  }

  void expect_broken(const char* file, const char* content,
                     std::initializer_list<std::string> pieces) const {
    folder_.write_file(file, content);
    expect_error(ErrorCode::kData, pieces, [&] { make_gmission(folder_.path(), ",u=2"); });
  }

  TempFolder folder_;
};

TEST_F(SmallGMission, NodesKeepTheOrderOfTheirFiles) {
  const auto source = make_gmission(folder_.path(), ",u=0,v=0");
  const BaseGraph& graph = dynamic_cast<const BaseGraphSource&>(*source).graph();
  EXPECT_EQ(graph.edge_begin, (std::vector<std::int64_t>{0, 2, 3, 3}));
  EXPECT_EQ(graph.nodes, (std::vector<NodeId>{0, 1, 1}));
  EXPECT_EQ(graph.weights, (std::vector<float>{0.5, 0.25, 1}));
  EXPECT_EQ(graph.fixed_attributes, (std::vector<float>{0, 0, 1, 0.5, 1, 1, 1, 0.25}));
}

TEST_F(SmallGMission, UnknownNodesAreNamed) {
  expect_broken("edges.txt", "5.0;1.0,2\n6.0;1.0,2\n",
                {"edges.txt:2: ", "\"6.0;1.0\"", "worker", "task"});
}
TEST_F(SmallGMission, UnknownTasksAreNamed) {
  expect_broken("edges.txt", "5.0;4.0,2\n", {"edges.txt:1: ", "\"5.0;4.0\""});
}
TEST_F(SmallGMission, AnEdgeWithoutASemicolonIsAnError) {
  expect_broken("edges.txt", "5.0,2\n", {"edges.txt:1: ", "\"5.0\""});
}
TEST_F(SmallGMission, AnEdgeWithoutNodesIsAnError) {
  expect_broken("edges.txt", ",2\n", {"edges.txt:1: ", "\"\""});
}
TEST_F(SmallGMission, RepeatedEdgesAreNamed) {
  expect_broken("edges.txt", "5.0;1.0,2\n7.0;1.0,2\n5;1,3\n", {"edges.txt:3: ", "line 1"});
}
TEST_F(SmallGMission, NegativeWeightsAreNamed) {
  expect_broken("edges.txt", "5.0;1.0,-2\n", {"edges.txt:1: ", "number >= 0", "\"-2\""});
}
TEST_F(SmallGMission, InfiniteWeightsAreNamed) {
  expect_broken("edges.txt", "5.0;1.0,inf\n", {"edges.txt:1: ", "\"inf\""});
}
TEST_F(SmallGMission, WeightsOfZeroLeaveNothingToDivideBy) {
  expect_broken("edges.txt", "5.0;1.0,0\n", {"edges.txt: no edge has a weight above 0"});
}
TEST_F(SmallGMission, RepeatedWorkersAreNamed) {
  expect_broken("workers.txt", "5,0,0,1,0.5\n5,1,1,1,0.25\n", {"workers.txt:2: ", "\"5\""});
}
TEST_F(SmallGMission, OtherColumnsAreListed) {
  expect_broken("tasks.txt", "1,0,0\n", {"tasks.txt: ", "4 columns", "payoff", "got 3"});
}
TEST_F(SmallGMission, NumbersThatAreNoneAreNamed) {
  expect_broken("tasks.txt", "1,0,0,4\n2,east,0,1\n",
                {"tasks.txt:2: ", "column \"2\"", "number", "\"east\""});
}
TEST_F(SmallGMission, EmptyFilesAreNamed) {
  expect_broken("edges.txt", "", {"edges.txt:1: ", "empty"});
}

TEST_F(SmallGMission, MissingFilesAreNamed) {
  std::filesystem::remove(folder_.path() / "tasks.txt");
  expect_error(ErrorCode::kIo, {"tasks.txt"}, [&] { make_gmission(folder_.path()); });
}

TEST(GMissionOptions, AFolderMustBeGiven) {
  expect_error(ErrorCode::kUsage, {"\"gmission\"", "\"path\"", "workers.txt", "edges.txt"},
               [] { sources().make("gmission"); });
}

}  // namespace
}  // namespace foresight
