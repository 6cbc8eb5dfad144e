#include <array>
#include <random>

#include <gtest/gtest.h>

#include "foresight/solve/budgets_internal.h"

namespace foresight {
namespace {

const Deadline kNever{Deadline::Clock::time_point::max(), {}};

// The linear relaxation, which the best prices reach: one row per arrival and per capacity.
double relaxation(const BudgetGraph& graph) {
  IntegerProgram program;
  std::vector<std::vector<int>> of_node(graph.num_fixed());
  std::vector<std::vector<double>> costs(graph.num_fixed());
  for (std::size_t t = 0; t < graph.num_arrivals(); ++t) {
    std::vector<int> of_arrival;
    for (const BudgetEdge& edge : graph.edges_of(t)) {
      of_arrival.push_back(program.add_variable(edge.gain, 0, 1, false));
      of_node[index(edge.node)].push_back(of_arrival.back());
      costs[index(edge.node)].push_back(edge.cost);
    }
    program.add_row(of_arrival, std::vector<double>(of_arrival.size(), 1),
                    -IntegerProgram::kInfinity, 1);
  }
  for (std::size_t u = 0; u < of_node.size(); ++u) {
    program.add_row(of_node[u], costs[u], -IntegerProgram::kInfinity, graph.capacities[u]);
  }
  return program.maximize().value;
}

struct RandomTask {
  std::vector<float> capacities, gains, costs;
  std::vector<std::int64_t> edge_begin = {0};
  std::vector<NodeId> nodes;

  RandomTask(int num_fixed, int num_arrivals, bool costs_apart, float scale, unsigned seed) {
    std::mt19937 rng(seed);
    std::lognormal_distribution<float> amount(0, 0.7f);
    for (int u = 0; u < num_fixed; ++u) {
      const double share = 2.0 * std::generate_canonical<double, 53>(rng);
      capacities.push_back(static_cast<float>(share * num_arrivals / num_fixed));
    }
    for (int t = 0; t < num_arrivals; ++t) {
      for (NodeId u = 0; u < num_fixed; ++u) {
        if (rng() % 3 != 0) continue;
        nodes.push_back(u);
        gains.push_back(scale * amount(rng));
        costs.push_back(!costs_apart ? gains.back() / scale : rng() % 20 == 0 ? 0 : amount(rng));
      }
      edge_begin.push_back(static_cast<std::int64_t>(nodes.size()));
    }
  }
  BudgetTask task() const { return {capacities, edge_begin, nodes, gains, costs}; }
};

TEST(BudgetPrices, TheBoundIsThatOfTheLinearRelaxationAndNeverBelow) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const float scale = std::array{1.0f, 1e-3f, 1e4f}[seed % 3];
    const RandomTask random(8, 300, seed % 2 == 0, scale, seed);
    BudgetGraph graph;
    graph.assign(random.task());
    const double relaxed = relaxation(graph);
    const double bound = find_prices(graph, kNever).bound;
    EXPECT_GE(bound, relaxed * (1 - 1e-9));
    EXPECT_LE(bound, relaxed * (1 + 1e-4));
  }
}

TEST(BudgetPrices, AnyPricesBoundTheRelaxation) {
  std::mt19937 rng(3);
  for (unsigned seed = 0; seed < 20; ++seed) {
    const RandomTask random(5, 40, true, 1, seed);
    BudgetGraph graph;
    graph.assign(random.task());
    const double relaxed = relaxation(graph);
    std::vector<double> prices(graph.num_fixed());
    for (int round = 0; round < 50; ++round) {
      for (double& price : prices) price = 2 * std::generate_canonical<double, 53>(rng);
      EXPECT_GE(price_bound(graph, prices), relaxed * (1 - 1e-9));
    }
  }
}

TEST(BudgetPrices, WithoutTimeThereIsStillABound) {
  const RandomTask random(5, 40, true, 1, 1);
  BudgetGraph graph;
  graph.assign(random.task());
  const BudgetPrices found = find_prices(graph, {Deadline::Clock::time_point::min(), {}});
  EXPECT_EQ(found.bound, price_bound(graph, found.prices));
  EXPECT_GE(found.bound, relaxation(graph));
}

// Exchanges keep every node within its capacity, never lose, and find what a greedy rule misses.
TEST(BudgetExchanges, OnlyImproveAndStayWithinCapacities) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const RandomTask random(6, 120, seed % 2 == 0, 1, seed);
    BudgetGraph graph;
    graph.assign(random.task());
    const BudgetPrices found = find_prices(graph, kNever);
    PricedMatching matching(graph, found.prices);
    matching.match_by_regret();
    matching.match_largest_first();
    const double before = matching.value();
    improve_by_exchanges(matching, IntegerProgram::kInfinity, kNever);
    EXPECT_GE(matching.value(), before);
    EXPECT_GE(matching.value(), 0.98 * found.bound);
    std::vector<NodeId> nodes = matching.nodes();
    const std::vector<NodeId> planned = nodes;
    EXPECT_NEAR(graph.replay(nodes), matching.value(), 1e-9 * found.bound);
    EXPECT_EQ(nodes, planned) << "a capacity did not cover a match";
  }
}

TEST(BudgetExchanges, MovesCanBeTakenBack) {
  const RandomTask random(4, 30, true, 1, 5);
  BudgetGraph graph;
  graph.assign(random.task());
  const std::vector<double> prices(4, 0.5);
  PricedMatching matching(graph, prices);
  matching.match_by_regret();
  const std::vector<NodeId> nodes = matching.nodes();
  const double value = matching.value();
  const std::size_t moves = matching.num_moves();
  for (std::size_t e = 0; e < graph.edges.size(); e += 3) {
    matching.move(index(graph.edges[e].arrival), e);
  }
  EXPECT_NE(matching.nodes(), nodes);
  matching.undo(moves);
  EXPECT_EQ(matching.nodes(), nodes);
  EXPECT_NEAR(matching.value(), value, 1e-12);
}

}  // namespace
}  // namespace foresight
