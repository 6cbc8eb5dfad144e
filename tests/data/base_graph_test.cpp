#include "foresight/data/base_graph.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tests/expect_error.h"
#include "tests/instances.h"
#include <gtest/gtest.h>

namespace foresight {
namespace {

/// Six fixed nodes and four types. Type t is joined to nodes t and t+1; node 5 to nobody.
BaseGraph small_graph() {
  BaseGraph graph;
  graph.schema = {.problem = "osbm",
                  .fixed_attributes = {"size"},
                  .arrival_attributes = {"age"},
                  .topics = {"a", "b"}};
  graph.num_fixed = 6;
  std::vector<BaseEdge> edges;
  for (std::int32_t type = 0; type < 4; ++type) {
    edges.push_back({type, type + 1, 0.5F + static_cast<float>(type), 0});
    edges.push_back({type, type, static_cast<float>(type), 0});
  }
  set_edges(graph, edges, 4, "edges");
  graph.capacities = {10, 11, 12, 13, 14, 15};
  graph.fixed_attributes = {20, 21, 22, 23, 24, 25};
  graph.arrival_attributes = {30, 31, 32, 33};
  graph.topic_sets = {{0}, {1}, {}, {0, 1}, {0}, {1}};
  graph.preferences = {0, 1, 2, 3, 4, 5, 6, 7};
  return graph;
}

SamplingOptions sampling(int u, int v, std::string fixed = "fixed", std::string pool = "all",
                         int draw = 1) {
  return {.u = u, .v = v, .fixed = std::move(fixed), .pool = std::move(pool), .draw = draw};
}

std::vector<NodeId> sorted(std::vector<NodeId> ids) {
  std::ranges::sort(ids);
  return ids;
}

TEST(SetEdges, SortsByTypeThenNode) {
  const BaseGraph graph = small_graph();
  EXPECT_EQ(graph.edge_begin, (std::vector<std::int64_t>{0, 2, 4, 6, 8}));
  EXPECT_EQ(graph.nodes, (std::vector<NodeId>{0, 1, 1, 2, 2, 3, 3, 4}));
  EXPECT_EQ(graph.weights, (std::vector<float>{0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5}));
}

TEST(SetEdges, TypesWithoutEdgesHaveAnEmptyRange) {
  BaseGraph graph;
  set_edges(graph, {{2, 0, 1, 1}}, 5, "edges");
  EXPECT_EQ(graph.edge_begin, (std::vector<std::int64_t>{0, 0, 0, 1, 1, 1}));
}

TEST(SetEdges, ARepeatedEdgeNamesBothLines) {
  BaseGraph graph;
  expect_error(ErrorCode::kData, {"my.csv:9: ", "line 4"}, [&] {
    set_edges(graph, {{1, 0, 1, 3}, {0, 7, 1, 4}, {1, 7, 1, 5}, {0, 7, 2, 9}}, 2, "my.csv");
  });
  expect_error(ErrorCode::kData, {"my.csv: the file lists no edge"},
               [&] { set_edges(graph, {}, 2, "my.csv"); });
}

TEST(BaseGraphSource, InstancesAreCutOutOfTheGraph) {
  const BaseGraph graph = small_graph();
  for (const char* fixed : {"fixed", "vary", "permute"}) {
    const BaseGraphSource source(graph, sampling(3, 20, fixed), "test");
    for (std::uint64_t i = 0; i < 50; ++i) {
      const Instance instance = source.draw(1, i);
      const std::vector<NodeId> ids = ids_of(instance);
      ASSERT_EQ(std::set(ids.begin(), ids.end()).size(), 3U);
      const Market& market = instance.market();
      for (std::size_t u = 0; u < 3; ++u) {
        const auto id = static_cast<std::size_t>(ids[u]);
        EXPECT_EQ(market.capacities[u], graph.capacities[id]);
        EXPECT_EQ(market.attributes[u][0], graph.fixed_attributes[id]);
        const auto topics = market.topics_of(static_cast<NodeId>(u));
        EXPECT_EQ(std::vector(topics.begin(), topics.end()), graph.topic_sets[id]);
      }
      ASSERT_EQ(instance.num_arrivals(), 20);
      for (int t = 0; t < 20; ++t) {
        const Arrival arrival = instance.arrival(t);
        const auto type = static_cast<std::size_t>(arrival.type);
        EXPECT_EQ(arrival.attributes[0], graph.arrival_attributes[type]);
        EXPECT_EQ(arrival.preferences[1], graph.preferences[2 * type + 1]);
        std::map<NodeId, float> expected, found;
        for (auto e = static_cast<std::size_t>(graph.edge_begin[type]);
             e < static_cast<std::size_t>(graph.edge_begin[type + 1]); ++e) {
          if (std::ranges::count(ids, graph.nodes[e]) > 0)
            expected[graph.nodes[e]] = graph.weights[e];
        }
        for (std::size_t e = 0; e < arrival.nodes.size(); ++e) {
          found[ids[static_cast<std::size_t>(arrival.nodes[e])]] = arrival.weights[e];
        }
        EXPECT_EQ(found, expected);
        EXPECT_FALSE(found.empty()) << "an arrival without an edge must be drawn again";
      }
    }
  }
}

TEST(BaseGraphSource, FixedSharesOneSetAndItsOrderWhateverTheSeed) {
  const BaseGraphSource source(small_graph(), sampling(3, 5), "test");
  const auto ids = ids_of(source.draw(1, 0));
  for (std::uint64_t seed = 0; seed < 20; ++seed) EXPECT_EQ(ids_of(source.draw(seed, seed)), ids);
}

TEST(BaseGraphSource, TheOptionDrawChoosesAnotherSharedSet) {
  std::set<std::vector<NodeId>> sets;
  for (int draw = 0; draw < 60; ++draw) {
    const BaseGraphSource source(small_graph(), sampling(2, 5, "fixed", "all", draw), "test");
    sets.insert(sorted(ids_of(source.draw(1, 0))));
  }
  EXPECT_GT(sets.size(), 10U);
}

TEST(BaseGraphSource, PermuteReordersTheSharedSet) {
  const BaseGraphSource fixed(small_graph(), sampling(3, 5), "test");
  const BaseGraphSource permuted(small_graph(), sampling(3, 5, "permute"), "test");
  std::map<std::vector<NodeId>, int> orders;
  constexpr int kDraws = 3000;
  for (std::uint64_t i = 0; i < kDraws; ++i) ++orders[ids_of(permuted.draw(1, i))];
  ASSERT_EQ(orders.size(), 6U);
  for (const auto& [order, count] : orders) {
    EXPECT_EQ(sorted(order), sorted(ids_of(fixed.draw(1, 0))));
    EXPECT_NEAR(count, kDraws / 6.0, 5 * std::sqrt(kDraws * 5 / 36.0));
  }
}

TEST(BaseGraphSource, VaryDrawsEverySetThatHasAnEdgeEquallyOften) {
  const BaseGraphSource source(small_graph(), sampling(1, 2, "vary"), "test");
  std::map<NodeId, int> counts;
  constexpr int kDraws = 5000;
  for (std::uint64_t i = 0; i < kDraws; ++i) ++counts[ids_of(source.draw(1, i)).front()];
  ASSERT_EQ(counts.size(), 5U) << "node 5 has no edge";
  for (const auto& [node, count] : counts) {
    EXPECT_NEAR(count, kDraws / 5.0, 5 * std::sqrt(kDraws * 4 / 25.0)) << node;
  }
}

TEST(BaseGraphSource, TheTwoPoolsShareNoNode) {
  for (std::uint64_t i = 0; i < 20; ++i) {
    for (const NodeId id : ids_of(
             BaseGraphSource(small_graph(), sampling(2, 5, "vary", "even"), "test").draw(1, i))) {
      EXPECT_EQ(id % 2, 0);
    }
    for (const NodeId id :
         ids_of(BaseGraphSource(small_graph(), sampling(2, 5, "vary", "odd"), "test").draw(1, i))) {
      EXPECT_EQ(id % 2, 1);
    }
  }
}

TEST(BaseGraphSource, ZeroMeansAllNodesInTheirOrderAndAsManyArrivalsAsTypes) {
  const BaseGraphSource source(small_graph(), sampling(0, 0), "test");
  const Instance instance = source.draw(1, 0);
  EXPECT_EQ(ids_of(instance), (std::vector<NodeId>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(instance.num_arrivals(), 4);
  const BaseGraphSource odd(small_graph(), sampling(0, 7, "fixed", "odd"), "test");
  EXPECT_EQ(ids_of(odd.draw(1, 0)), (std::vector<NodeId>{1, 3, 5}));
  EXPECT_EQ(odd.draw(1, 0).num_arrivals(), 7);
  const BaseGraphSource vary(small_graph(), sampling(0, 3, "vary"), "test");
  EXPECT_EQ(sorted(ids_of(vary.draw(1, 0))), (std::vector<NodeId>{0, 1, 2, 3, 4, 5}));
}

std::map<std::int32_t, int> count_types(const Source& source, int draws, int v) {
  std::map<std::int32_t, int> counts;
  for (int i = 0; i < draws; ++i) {
    const Instance instance = source.draw(1, static_cast<std::uint64_t>(i));
    for (int t = 0; t < v; ++t) ++counts[instance.arrival(t).type];
  }
  return counts;
}

TEST(BaseGraphSource, TypesArriveUniformly) {
  const BaseGraphSource source(small_graph(), sampling(0, 100), "test");
  const auto counts = count_types(source, 200, 100);
  ASSERT_EQ(counts.size(), 4U);
  for (const auto& [type, count] : counts) {
    EXPECT_NEAR(count, 5000, 5 * std::sqrt(20'000 * 3 / 16.0)) << type;
  }
}

TEST(BaseGraphSource, TypesArriveByTheirFrequencies) {
  BaseGraph graph = small_graph();
  graph.frequencies = {1, 0, 6, 3};
  for (const char* fixed : {"fixed", "vary"}) {
    const BaseGraphSource source(graph, sampling(0, 100, fixed), "test");
    auto counts = count_types(source, 200, 100);
    EXPECT_EQ(counts.count(1), 0U) << "frequency 0 never arrives";
    for (const std::int32_t type : {0, 2, 3}) {
      const double p = graph.frequencies[static_cast<std::size_t>(type)] / 10;
      EXPECT_NEAR(counts[type], 20'000 * p, 5 * std::sqrt(20'000 * p * (1 - p))) << type;
    }
  }
}

TEST(BaseGraphSource, TypesWithoutAnEdgeLeaveTheirShareToTheOthers) {
  BaseGraph graph = small_graph();
  graph.frequencies = {1, 5, 2, 7};
  // Odd draws of one node: only the two types that it is joined to can arrive.
  for (const char* fixed : {"fixed", "vary"}) {
    const BaseGraphSource source(graph, sampling(1, 50, fixed), "test");
    std::map<NodeId, std::map<std::int32_t, int>> counts;
    for (std::uint64_t i = 0; i < 500; ++i) {
      const Instance instance = source.draw(1, i);
      for (int t = 0; t < 50; ++t) ++counts[ids_of(instance)[0]][instance.arrival(t).type];
    }
    for (auto& [node, by_type] : counts) {
      double total = 0, frequencies = 0;
      for (const auto& [type, count] : by_type) {
        EXPECT_TRUE(type == node || type == node - 1);
        total += count;
        frequencies += graph.frequencies[static_cast<std::size_t>(type)];
      }
      for (const auto& [type, count] : by_type) {
        const double p = graph.frequencies[static_cast<std::size_t>(type)] / frequencies;
        EXPECT_NEAR(count, total * p, 5 * std::sqrt(total * p * (1 - p))) << node << " " << type;
      }
    }
  }
}

TEST(BaseGraphSource, TypesThatAlmostNeverArriveDoNotHangTheDraw) {
  BaseGraph graph = small_graph();
  graph.frequencies = {1, 1, 1, 1e-300};
  const BaseGraphSource source(graph, sampling(1, 5, "vary"), "test");
  bool seen = false;
  for (std::uint64_t i = 0; i < 50; ++i) {
    const Instance instance = source.draw(1, i);
    if (ids_of(instance)[0] != 4) continue;
    seen = true;
    for (int t = 0; t < 5; ++t) EXPECT_EQ(instance.arrival(t).type, 3);
  }
  EXPECT_TRUE(seen);
}

TEST(BaseGraphSource, WhatCannotBeDrawnIsAnError) {
  expect_error(ErrorCode::kUsage, {"test: option \"u\"", "at most 6", "pool=all", "got 7"},
               [] { BaseGraphSource(small_graph(), sampling(7, 5), "test"); });
  expect_error(ErrorCode::kUsage, {"test: option \"u\"", "at most 3", "pool=even", "got 4"},
               [] { BaseGraphSource(small_graph(), sampling(4, 5, "fixed", "even"), "test"); });
  BaseGraph lonely;
  lonely.num_fixed = 4;
  set_edges(lonely, {{0, 1, 1, 0}}, 1, "edges");
  expect_error(ErrorCode::kData, {"test: no arrival has an edge", "pool=even"},
               [&] { BaseGraphSource(lonely, sampling(2, 5, "fixed", "even"), "test"); });
}

}  // namespace
}  // namespace foresight
