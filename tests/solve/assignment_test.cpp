#include "foresight/solve/assignment.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

#include <gtest/gtest.h>
#include <lemon/network_simplex.h>
#include <lemon/static_graph.h>

#include "foresight/base/error.h"

namespace foresight {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// One problem in both forms. Weights are floats, so both forms hold the same numbers.
struct Graph {
  NodeId num_fixed;
  NodeId num_arrivals;
  std::vector<double> matrix;  // fixed node x arrival, 0 where there is no edge
  std::vector<std::int64_t> edge_begin;
  std::vector<NodeId> nodes;
  std::vector<float> weights;

  double weight(NodeId u, NodeId v) const {
    return matrix[static_cast<std::size_t>(u) * static_cast<std::size_t>(num_arrivals) +
                  static_cast<std::size_t>(v)];
  }
  Instance instance() const {
    InstanceView view;
    view.market.num_fixed = num_fixed;
    view.market.horizon = Horizon::known(num_arrivals);
    view.edge_begin = edge_begin;
    view.nodes = nodes;
    view.weights = weights;
    return Instance(view, nullptr);
  }
};

constexpr float kNoEdge = -1;

/// `draw` gives the weight of each edge in turn, or kNoEdge.
Graph make_graph(NodeId num_fixed, NodeId num_arrivals, const std::function<float()>& draw) {
  Graph graph{num_fixed, num_arrivals, {}, {}, {}, {}};
  const auto columns = static_cast<std::size_t>(num_arrivals);
  graph.matrix.resize(static_cast<std::size_t>(num_fixed) * columns);
  // Positions that do not start at 0, as in a slice of a larger file.
  graph.nodes.assign(3, -7);
  graph.weights.assign(3, std::numeric_limits<float>::quiet_NaN());
  graph.edge_begin.push_back(3);
  for (std::size_t v = 0; v < columns; ++v) {
    for (NodeId u = 0; u < num_fixed; ++u) {
      const float weight = draw();
      if (weight == kNoEdge) continue;
      graph.nodes.push_back(u);
      graph.weights.push_back(weight);
      graph.matrix[static_cast<std::size_t>(u) * columns + v] = weight;
    }
    graph.edge_begin.push_back(std::ssize(graph.nodes));
  }
  return graph;
}

enum class Weights { kUniform, kTies, kEqual, kWide };

Graph random_graph(NodeId num_fixed, NodeId num_arrivals, double density, Weights kind,
                   std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform;
  return make_graph(num_fixed, num_arrivals, [&]() -> float {
    if (uniform(random) >= density) return kNoEdge;
    switch (kind) {
      case Weights::kUniform:
        return static_cast<float>(uniform(random));
      case Weights::kTies:
        return static_cast<float>(random() % 4);  // zero among them
      case Weights::kEqual:
        return 1;
      case Weights::kWide:
        return static_cast<float>(std::pow(10.0, 24 * uniform(random) - 12));
    }
    return kNoEdge;
  });
}

/// By dynamic programming over the sets of used rows. With `full`, all of the smaller side must be
/// matched, and weights may be negative.
double brute_force(NodeId rows, NodeId columns, const std::function<double(NodeId, NodeId)>& weight,
                   bool full) {
  const std::size_t sets = std::size_t{1} << rows;
  std::vector<double> best(sets, -kInfinity);
  best[0] = 0;
  for (NodeId v = 0; v < columns; ++v) {
    std::vector<double> next = best;
    for (std::size_t set = 0; set < sets; ++set) {
      for (NodeId u = 0; u < rows; ++u) {
        const std::size_t bit = std::size_t{1} << u;
        if (set & bit) next[set] = std::max(next[set], best[set ^ bit] + weight(u, v));
      }
    }
    best = std::move(next);
  }
  double answer = full ? -kInfinity : 0;
  for (std::size_t set = 0; set < sets; ++set) {
    const int matched = __builtin_popcountll(set);
    if (!full || matched == std::min(rows, columns)) answer = std::max(answer, best[set]);
  }
  return answer;
}

double brute_force(const Graph& graph) {
  return brute_force(
      graph.num_fixed, graph.num_arrivals, [&](NodeId u, NodeId v) { return graph.weight(u, v); },
      false);
}

/// The matching is one, adds up to the value, and the prices prove that none is better.
void expect_proven(const Graph& graph, const Assignment& found, bool full = false) {
  ASSERT_EQ(std::ssize(found.matching), graph.num_arrivals);
  ASSERT_EQ(std::ssize(found.fixed_prices), graph.num_fixed);
  ASSERT_EQ(std::ssize(found.arrival_prices), graph.num_arrivals);
  const auto& p = found.fixed_prices;
  const auto& q = found.arrival_prices;
  double largest = 0;
  for (const double w : graph.matrix) largest = std::max(largest, std::abs(w));
  const double tolerance = 1e-12 * largest * (graph.num_fixed + graph.num_arrivals + 1);

  double sum = 0;
  std::vector<bool> used(p.size());
  for (std::size_t v = 0; v < q.size(); ++v) {
    const NodeId u = found.matching[v];
    if (u == kSkip) {
      EXPECT_EQ(q[v], 0);
      continue;
    }
    ASSERT_TRUE(0 <= u && u < graph.num_fixed) << u;
    EXPECT_FALSE(used[static_cast<std::size_t>(u)]) << "fixed node " << u << " is matched twice";
    used[static_cast<std::size_t>(u)] = true;
    const double weight = graph.weight(u, static_cast<NodeId>(v));
    EXPECT_TRUE(full || weight > 0) << weight;
    sum += weight;
  }
  EXPECT_NEAR(found.value, sum, tolerance);
  for (std::size_t u = 0; u < p.size(); ++u) {
    EXPECT_TRUE(used[u] || p[u] == 0) << p[u];
  }
  if (full) {
    const auto matched = std::count(used.begin(), used.end(), true);
    EXPECT_EQ(matched, std::min(graph.num_fixed, graph.num_arrivals));
  }

  double prices = 0;
  for (const auto* side : {&p, &q}) {
    const bool may_be_negative = full && (side == &p) == (graph.num_fixed <= graph.num_arrivals);
    for (const double price : *side) {
      prices += price;
      EXPECT_TRUE(may_be_negative || price >= 0) << price;
    }
  }
  EXPECT_NEAR(prices, found.value, tolerance);
  for (NodeId u = 0; u < graph.num_fixed; ++u) {
    for (NodeId v = 0; v < graph.num_arrivals; ++v) {
      const double price = p[static_cast<std::size_t>(u)] + q[static_cast<std::size_t>(v)];
      EXPECT_GE(price, graph.weight(u, v) - tolerance) << "edge (" << u << ", " << v << ")";
    }
  }
}

/// All three ways to the optimum, each proven.
void expect_all_proven(const Graph& graph, AssignmentSolver& solver, double value,
                       double tolerance) {
  for (int way = 0; way < 3; ++way) {
    const Assignment& found =
        way == 0 ? solver.solve(graph.instance())
        : way == 1
            ? solver.solve_dense(graph.num_fixed, graph.num_arrivals, graph.matrix)
            : solver.solve_sparse(graph.num_fixed, graph.edge_begin, graph.nodes, graph.weights);
    SCOPED_TRACE(way == 0 ? "solve" : way == 1 ? "solve_dense" : "solve_sparse");
    EXPECT_NEAR(found.value, value, tolerance);
    expect_proven(graph, found);
  }
}

TEST(Assignment, EqualsBruteForceAndProvesItOnSmallInstances) {
  std::mt19937_64 random(1);
  AssignmentSolver solver;
  for (const Weights kind : {Weights::kUniform, Weights::kTies, Weights::kEqual}) {
    for (NodeId num_fixed = 0; num_fixed <= 6; ++num_fixed) {
      for (NodeId num_arrivals = 0; num_arrivals <= 9; ++num_arrivals) {
        for (const double density : {0.05, 0.2, 0.5, 0.8, 1.0}) {
          for (int repeat = 0; repeat < 8; ++repeat) {
            const Graph graph = random_graph(num_fixed, num_arrivals, density, kind, random);
            expect_all_proven(graph, solver, brute_force(graph), 1e-12);
            if (HasFailure()) FAIL() << num_fixed << " x " << num_arrivals << ", " << density;
          }
        }
      }
    }
  }
}

TEST(Assignment, WeightsTwentyFourOrdersOfMagnitudeApartKeepTheValueExactToRounding) {
  std::mt19937_64 random(2);
  AssignmentSolver solver;
  for (int repeat = 0; repeat < 300; ++repeat) {
    const auto num_fixed = static_cast<NodeId>(1 + random() % 6);
    const auto num_arrivals = static_cast<NodeId>(1 + random() % 8);
    const Graph graph = random_graph(num_fixed, num_arrivals, 0.7, Weights::kWide, random);
    const double best = brute_force(graph);
    expect_all_proven(graph, solver, best, 1e-13 * best);
  }
}

TEST(Assignment, SkipsRatherThanTakesAWorthlessEdge) {
  AssignmentSolver solver;
  const std::vector<double> matrix = {0, -5, 0, 0, 2, -0.0};
  const Assignment& found = solver.solve_dense(2, 3, matrix);
  EXPECT_EQ(found.value, 2);
  EXPECT_EQ(found.matching, (std::vector<NodeId>{kSkip, 1, kSkip}));
}

TEST(Assignment, RoundingMakesNoPriceNegative) {
  AssignmentSolver solver;
  // Outbidding the first row raises the price to a hair more than the second one's weight.
  const double low = 0x1.210ded927c697p-4, high = 0x1.f7ea73f1ca113p-3;
  ASSERT_GT(low + (high - low), high);
  const std::vector<double> matrix = {low, 0, high, 0};
  const Assignment& found = solver.solve_dense(2, 2, matrix);
  EXPECT_EQ(found.value, high);
  EXPECT_EQ(found.fixed_prices, (std::vector<double>{0, 0}));
}

TEST(Assignment, LeavesAGoodEdgeForTwoBetterOnes) {
  AssignmentSolver solver;
  const std::vector<double> matrix = {10, 9, 9, 1};  // greedy takes 10 + 1
  const Assignment& found = solver.solve_dense(2, 2, matrix);
  EXPECT_EQ(found.value, 18);
  EXPECT_EQ(found.matching, (std::vector<NodeId>{1, 0}));
}

/// The optimum of integer weights as a flow of minimum cost, by LEMON.
std::int64_t by_network_simplex(const Graph& graph) {
  const int source = 0;
  const int sink = graph.num_fixed + graph.num_arrivals + 1;
  std::vector<std::pair<int, int>> arcs;  // by their first node, as LEMON wants them
  std::vector<std::int64_t> gains;
  const auto add_arc = [&](int from, int to, double gain) {
    arcs.emplace_back(from, to);
    gains.push_back(static_cast<std::int64_t>(gain));
  };
  add_arc(source, sink, 0);  // for the unmatched
  for (NodeId u = 0; u < graph.num_fixed; ++u) add_arc(source, 1 + u, 0);
  for (NodeId u = 0; u < graph.num_fixed; ++u) {
    for (NodeId v = 0; v < graph.num_arrivals; ++v) {
      const double weight = graph.weight(u, v);
      if (weight > 0) add_arc(1 + u, 1 + graph.num_fixed + v, weight);
    }
  }
  for (NodeId v = 0; v < graph.num_arrivals; ++v) add_arc(1 + graph.num_fixed + v, sink, 0);

  using Network = lemon::StaticDigraph;
  Network network;
  network.build(sink + 1, arcs.begin(), arcs.end());
  Network::ArcMap<int> capacity(network, 1);
  Network::ArcMap<std::int64_t> cost(network);
  capacity[network.arc(0)] = graph.num_fixed;
  for (std::size_t a = 0; a < arcs.size(); ++a) {
    cost[network.arc(static_cast<int>(a))] = -gains[a];
  }
  lemon::NetworkSimplex<Network, int, std::int64_t> simplex(network);
  simplex.upperMap(capacity).costMap(cost).stSupply(network.node(source), network.node(sink),
                                                    graph.num_fixed);
  EXPECT_EQ(simplex.run(), simplex.OPTIMAL);
  return -simplex.totalCost();
}

TEST(Assignment, EqualsNetworkSimplexOnLargerInstances) {
  std::mt19937_64 random(3);
  AssignmentSolver solver;
  for (const auto& [num_fixed, num_arrivals] :
       {std::pair{40, 40}, {97, 100}, {100, 61}, {20, 300}, {250, 30}, {200, 200}}) {
    for (const double density : {0.01, 0.03, 0.1, 1.0}) {
      for (const unsigned range : {5u, 100'000u}) {  // many ties, and hardly any
        std::uniform_real_distribution<double> uniform;
        const Graph graph = make_graph(num_fixed, num_arrivals, [&] {
          return uniform(random) < density ? static_cast<float>(random() % range) : kNoEdge;
        });
        expect_all_proven(graph, solver, static_cast<double>(by_network_simplex(graph)), 0);
      }
    }
  }
}

TEST(Assignment, StructuredWeightsNeedLongPathsAndStayExact) {
  AssignmentSolver solver;
  NodeId u = 0, v = 0;
  const NodeId size = 60;
  const Graph graph = make_graph(size, size, [&] {  // weight (u + 1)(v + 1): matching u = v is best
    const auto weight = static_cast<float>((u + 1) * (v + 1));
    if (++u == size) u = 0, ++v;
    return weight;
  });
  expect_all_proven(graph, solver, size * (size + 1) * (2 * size + 1) / 6.0, 0);
}

TEST(Assignment, RenumberingNodesLeavesTheValue) {
  std::mt19937_64 random(4);
  AssignmentSolver solver;
  for (const auto& [num_fixed, num_arrivals] : {std::pair{30, 50}, {50, 30}, {40, 40}}) {
    const Graph graph = random_graph(num_fixed, num_arrivals, 0.5, Weights::kUniform, random);
    const double value = solver.solve_dense(num_fixed, num_arrivals, graph.matrix).value;
    std::vector<NodeId> rows(static_cast<std::size_t>(num_fixed));
    std::vector<NodeId> columns(static_cast<std::size_t>(num_arrivals));
    std::iota(rows.begin(), rows.end(), 0);
    std::iota(columns.begin(), columns.end(), 0);
    std::shuffle(rows.begin(), rows.end(), random);
    std::shuffle(columns.begin(), columns.end(), random);
    std::vector<double> shuffled, transposed;
    for (const NodeId u : rows) {
      for (const NodeId v : columns) shuffled.push_back(graph.weight(u, v));
    }
    for (const NodeId v : columns) {
      for (const NodeId u : rows) transposed.push_back(graph.weight(u, v));
    }
    EXPECT_NEAR(solver.solve_dense(num_fixed, num_arrivals, shuffled).value, value, 1e-12 * value);
    EXPECT_NEAR(solver.solve_dense(num_arrivals, num_fixed, transposed).value, value,
                1e-12 * value);
  }
}

TEST(Assignment, FullAssignmentEqualsBruteForceWithNegativeWeights) {
  std::mt19937_64 random(5);
  AssignmentSolver solver;
  for (NodeId rows = 0; rows <= 6; ++rows) {
    for (NodeId columns = 0; columns <= 8; ++columns) {
      for (const double shift : {0.0, -0.5, -3.0, 100.0}) {
        for (const bool ties : {false, true}) {
          Graph graph{rows, columns, {}, {}, {}, {}};
          std::uniform_real_distribution<double> uniform;
          for (NodeId i = 0; i < rows * columns; ++i) {
            graph.matrix.push_back(shift +
                                   (ties ? static_cast<double>(random() % 3) : uniform(random)));
          }
          const Assignment& found = solver.solve_full(rows, columns, graph.matrix);
          const double best = brute_force(
              rows, columns, [&](NodeId u, NodeId v) { return graph.weight(u, v); }, true);
          EXPECT_NEAR(found.value, best, 1e-12 * (1 + std::abs(best)));
          expect_proven(graph, found, true);
          if (HasFailure()) FAIL() << rows << " x " << columns << ", shift " << shift;
        }
      }
    }
  }
}

TEST(Assignment, FullAssignmentTakesABadEdgeWhereSkippingIsBetter) {
  AssignmentSolver solver;
  const std::vector<double> matrix = {5, -1, 4, -7};
  EXPECT_EQ(solver.solve_dense(2, 2, matrix).value, 5);
  const Assignment& found = solver.solve_full(2, 2, matrix);
  EXPECT_EQ(found.value, 3);
  EXPECT_EQ(found.matching, (std::vector<NodeId>{1, 0}));
}

TEST(Assignment, AReusedSolverEqualsAFreshOne) {
  std::mt19937_64 random(6);
  AssignmentSolver reused;
  for (const auto& [num_fixed, num_arrivals] :
       {std::pair{50, 70}, {3, 2}, {70, 50}, {1, 1}, {0, 4}, {13, 13}, {90, 91}, {2, 30}}) {
    for (const double density : {1.0, 0.05}) {
      const Graph graph = random_graph(num_fixed, num_arrivals, density, Weights::kUniform, random);
      AssignmentSolver fresh;
      const Assignment& expected = fresh.solve(graph.instance());
      const Assignment& found = reused.solve(graph.instance());
      EXPECT_EQ(found.value, expected.value);
      EXPECT_EQ(found.matching, expected.matching);
      EXPECT_EQ(found.fixed_prices, expected.fixed_prices);
      EXPECT_EQ(found.arrival_prices, expected.arrival_prices);
    }
  }
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kData);
    return error.what();
  }
  return "no error";
}

TEST(Assignment, NamesTheWeightThatIsNotANumber) {
  AssignmentSolver solver;
  for (const double bad : {std::nan(""), kInfinity, -kInfinity, 1e300}) {
    for (const auto& [num_fixed, num_arrivals] : {std::pair{2, 3}, {3, 2}}) {
      std::vector<double> matrix = {1, 2, 3, 4, 5, 6};
      matrix[4] = bad;
      const std::string edge = num_arrivals == 3 ? "(1, 1)" : "(2, 0)";
      const auto dense = message_of([&] { solver.solve_dense(num_fixed, num_arrivals, matrix); });
      const auto full = message_of([&] { solver.solve_full(num_fixed, num_arrivals, matrix); });
      EXPECT_NE(dense.find(edge), std::string::npos) << dense;
      EXPECT_EQ(dense, full);
    }
  }
}

TEST(Assignment, RejectsAMatrixOfTheWrongSize) {
  AssignmentSolver solver;
  const std::vector<double> matrix(6, 1.0);
  EXPECT_NE(message_of([&] { solver.solve_dense(2, 2, matrix); }).find("2 x 2"), std::string::npos);
  EXPECT_NE(message_of([&] { solver.solve_full(-2, -3, matrix); }).find("-2 x -3"),
            std::string::npos);
}

}  // namespace
}  // namespace foresight
