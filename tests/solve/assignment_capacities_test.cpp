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
#include "foresight/solve/assignment.h"

namespace foresight {
namespace {

struct Transport {
  std::vector<std::int32_t> capacities = {};
  // Positions that do not start at 0, as in a slice of a larger file.
  std::vector<std::int64_t> edge_begin = {2};
  std::vector<NodeId> nodes = {-7, -7};
  std::vector<float> weights = std::vector<float>(2, std::numeric_limits<float>::quiet_NaN());

  std::size_t num_fixed() const { return capacities.size(); }
  std::size_t num_arrivals() const { return edge_begin.size() - 1; }
  void add_edge(NodeId node, float weight) {
    nodes.push_back(node);
    weights.push_back(weight);
  }
  void end_arrival() { edge_begin.push_back(std::ssize(nodes)); }
  /// Calls visit(node, arrival, weight) for every edge.
  template <typename Visit>
  void for_each_edge(Visit visit) const {
    for (std::size_t v = 0; v < num_arrivals(); ++v) {
      for (auto e = edge_begin[v]; e < edge_begin[v + 1]; ++e) {
        const auto position = static_cast<std::size_t>(e);
        visit(static_cast<std::size_t>(nodes[position]), v, weights[position]);
      }
    }
  }
  const Assignment& solve(AssignmentSolver& solver) const {
    return solver.solve_capacities(capacities, edge_begin, nodes, weights);
  }
};

Transport random_transport(NodeId num_fixed, NodeId num_arrivals, double density,
                           std::int32_t largest_capacity, const std::function<float()>& weight,
                           std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform;
  std::uniform_int_distribution<std::int32_t> capacity(0, largest_capacity);
  Transport transport;
  for (NodeId u = 0; u < num_fixed; ++u) transport.capacities.push_back(capacity(random));
  for (NodeId v = 0; v < num_arrivals; ++v) {
    const bool is_empty = random() % 16 == 0;
    for (NodeId u = 0; u < num_fixed; ++u) {
      if (!is_empty && uniform(random) < density) transport.add_edge(u, weight());
    }
    transport.end_arrival();
  }
  return transport;
}

/// Kinds of weights, all in [0, 8] but for the last one.
std::vector<std::function<float()>> kinds_of_weights(std::mt19937_64& random) {
  const auto uniform = [&random] { return std::uniform_real_distribution<double>()(random); };
  return {[uniform] { return static_cast<float>(uniform()); },
          [&random] { return static_cast<float>(random() % 4); },  // zero among them
          [] { return 1.0f; },
          [&random] { return std::ldexp(1.0f, static_cast<int>(random() % 8) - 4); },
          [uniform] { return static_cast<float>(std::pow(10.0, 24 * uniform() - 12)); }};
}

/// The matching is one, adds up to the value, and the prices prove that none is better.
void expect_proven_optimum(const Transport& transport, const Assignment& found, double tolerance) {
  const auto& p = found.fixed_prices;
  const auto& q = found.arrival_prices;
  ASSERT_EQ(found.matching.size(), transport.num_arrivals());
  ASSERT_EQ(q.size(), transport.num_arrivals());
  ASSERT_EQ(p.size(), transport.num_fixed());

  double sum = 0;
  std::vector<std::int32_t> used(transport.num_fixed());
  std::vector<bool> is_edge(transport.num_arrivals());
  transport.for_each_edge([&](std::size_t u, std::size_t v, float weight) {
    EXPECT_TRUE(transport.capacities[u] == 0 || p[u] + q[v] >= weight - tolerance)
        << p[u] << " + " << q[v] << " < " << weight;
    if (found.matching[v] != static_cast<NodeId>(u)) return;
    EXPECT_GT(weight, 0);
    is_edge[v] = true;
    sum += weight;
    ++used[u];
  });
  EXPECT_NEAR(found.value, sum, tolerance);

  double prices = 0;
  for (std::size_t v = 0; v < q.size(); ++v) {
    prices += q[v];
    EXPECT_GE(q[v], 0);
    if (found.matching[v] == kSkip) {
      EXPECT_EQ(q[v], 0);
    } else {
      EXPECT_TRUE(is_edge[v]) << "arrival " << v;
    }
  }
  for (std::size_t u = 0; u < p.size(); ++u) {
    prices += transport.capacities[u] * p[u];
    EXPECT_GE(p[u], 0);
    EXPECT_LE(used[u], transport.capacities[u]);
    const bool is_full = used[u] > 0 && used[u] == transport.capacities[u];
    EXPECT_TRUE(is_full || p[u] == 0) << p[u];
  }
  EXPECT_NEAR(prices, found.value, tolerance);
}

/// By dynamic programming over what is left of the capacities.
double best_by_brute_force(const Transport& transport) {
  std::vector<std::size_t> step = {1};  // of a state, per node
  for (const std::int32_t c : transport.capacities) {
    step.push_back(step.back() * static_cast<std::size_t>(c + 1));
  }
  std::vector<double> best(step.back(), 0.0);
  std::vector<double> next = best;
  std::size_t arrival = 0;
  transport.for_each_edge([&](std::size_t u, std::size_t v, float weight) {
    if (v != arrival) best = next;
    arrival = v;
    for (std::size_t state = 0; state < best.size(); ++state) {
      if (state / step[u] % static_cast<std::size_t>(transport.capacities[u] + 1) == 0) continue;
      next[state] = std::max(next[state], best[state - step[u]] + weight);
    }
  });
  return next.back();
}

/// With as many copies of each node as its capacity, or its degree if that is less.
double best_by_copies(const Transport& transport, AssignmentSolver& solver) {
  std::vector<std::int32_t> copies(transport.num_fixed());
  transport.for_each_edge([&](std::size_t u, std::size_t, float) { ++copies[u]; });
  std::vector<NodeId> first = {0};
  for (std::size_t u = 0; u < copies.size(); ++u) {
    first.push_back(first.back() + std::min(copies[u], transport.capacities[u]));
  }
  std::vector<std::int64_t> edge_begin(transport.num_arrivals() + 1);
  std::vector<NodeId> nodes;
  std::vector<float> weights;
  transport.for_each_edge([&](std::size_t u, std::size_t v, float weight) {
    for (NodeId copy = first[u]; copy < first[u + 1]; ++copy) {
      nodes.push_back(copy);
      weights.push_back(weight);
      ++edge_begin[v + 1];
    }
  });
  std::partial_sum(edge_begin.begin(), edge_begin.end(), edge_begin.begin());
  return solver.solve_sparse(first.back(), edge_begin, nodes, weights).value;
}

/// The optimum of integer weights as a flow of minimum cost, by LEMON.
std::int64_t best_by_network_simplex(const Transport& transport) {
  const int num_fixed = static_cast<int>(transport.num_fixed());
  const int num_arrivals = static_cast<int>(transport.num_arrivals());
  const int source = 0;
  const int sink = num_fixed + num_arrivals + 1;
  std::vector<std::pair<int, int>> arcs = {{source, sink}};  // by their first node, as LEMON wants
  std::vector<int> limits = {num_arrivals};
  std::vector<std::int64_t> gains = {0};
  const auto add_arc = [&](int from, int to, int limit, double gain) {
    arcs.emplace_back(from, to);
    limits.push_back(limit);
    gains.push_back(static_cast<std::int64_t>(gain));
  };
  for (int v = 0; v < num_arrivals; ++v) add_arc(source, 1 + v, 1, 0);
  transport.for_each_edge([&](std::size_t u, std::size_t v, float weight) {
    add_arc(1 + static_cast<int>(v), 1 + num_arrivals + static_cast<int>(u), 1, weight);
  });
  for (int u = 0; u < num_fixed; ++u) {
    add_arc(1 + num_arrivals + u, sink, transport.capacities[static_cast<std::size_t>(u)], 0);
  }
  using Network = lemon::StaticDigraph;
  Network network;
  network.build(sink + 1, arcs.begin(), arcs.end());
  Network::ArcMap<int> limit(network);
  Network::ArcMap<std::int64_t> cost(network);
  for (std::size_t a = 0; a < arcs.size(); ++a) {
    limit[network.arc(static_cast<int>(a))] = limits[a];
    cost[network.arc(static_cast<int>(a))] = -gains[a];
  }
  lemon::NetworkSimplex<Network, int, std::int64_t> simplex(network);
  simplex.upperMap(limit).costMap(cost).stSupply(network.node(source), network.node(sink),
                                                 num_arrivals);
  EXPECT_EQ(simplex.run(), simplex.OPTIMAL);
  return -simplex.totalCost();
}

TEST(AssignmentCapacities, EqualsBruteForceAndProvesItOnSmallInstances) {
  std::mt19937_64 random(1);
  AssignmentSolver solver;
  int instances = 0;
  for (const auto& weight : kinds_of_weights(random)) {
    for (NodeId num_fixed = 0; num_fixed <= 4; ++num_fixed) {
      for (NodeId num_arrivals = 0; num_arrivals <= 10; ++num_arrivals) {
        for (const std::int32_t largest_capacity : {1, 2, 3, 5}) {
          for (const double density : {0.2, 0.6, 1.0}) {
            const Transport transport = random_transport(num_fixed, num_arrivals, density,
                                                         largest_capacity, weight, random);
            const double best = best_by_brute_force(transport);
            const Assignment& found = transport.solve(solver);
            double largest = 1;
            transport.for_each_edge(
                [&](std::size_t, std::size_t, float w) { largest = std::max<double>(largest, w); });
            const double tolerance = 1e-13 * largest;
            EXPECT_NEAR(found.value, best, tolerance);
            expect_proven_optimum(transport, found, tolerance);
            ++instances;
            if (HasFailure()) FAIL() << num_fixed << " x " << num_arrivals << ", " << density;
          }
        }
      }
    }
  }
  EXPECT_EQ(instances, 3300);
}

TEST(AssignmentCapacities, EqualsNetworkSimplexAndCopiesFromScarceToPlentiful) {
  std::mt19937_64 random(2);
  AssignmentSolver solver, copying_solver;
  for (const auto& [num_fixed, num_arrivals] :
       {std::pair{1, 40}, {5, 100}, {20, 60}, {20, 300}, {60, 200}, {150, 40}}) {
    for (const double density : {0.03, 0.15, 1.0}) {
      for (const unsigned range :
           {3u, 30u, 100'000u}) {  // from ties nearly everywhere to hardly any
        for (const double room : {0.3, 0.8, 1.0, 1.2, 3.0}) {
          const auto largest_capacity =
              static_cast<std::int32_t>(std::ceil(2 * room * num_arrivals / num_fixed));
          const Transport transport = random_transport(
              num_fixed, num_arrivals, density, largest_capacity,
              [&] { return static_cast<float>(random() % range); }, random);
          const Assignment& found = transport.solve(solver);
          EXPECT_EQ(found.value, static_cast<double>(best_by_network_simplex(transport)));
          EXPECT_EQ(found.value, best_by_copies(transport, copying_solver));
          expect_proven_optimum(transport, found, 0);
          if (HasFailure()) {
            FAIL() << num_fixed << " x " << num_arrivals << ", " << density << ", weights below "
                   << range << ", room " << room;
          }
        }
      }
    }
  }
}

TEST(AssignmentCapacities, EqualsCopiesWithRealWeights) {
  std::mt19937_64 random(3);
  AssignmentSolver solver, copying_solver;
  std::uniform_real_distribution<double> uniform;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const auto num_fixed = static_cast<NodeId>(1 + random() % 30);
    const auto num_arrivals = static_cast<NodeId>(1 + random() % 200);
    const auto largest_capacity = static_cast<std::int32_t>(
        1 + random() % (1 + 4 * static_cast<unsigned>(num_arrivals / num_fixed)));
    const Transport transport = random_transport(
        num_fixed, num_arrivals, uniform(random), largest_capacity,
        [&] { return static_cast<float>(uniform(random)); }, random);
    const Assignment& found = transport.solve(solver);
    EXPECT_NEAR(found.value, best_by_copies(transport, copying_solver), 1e-10);
    expect_proven_optimum(transport, found, 1e-10);
  }
}

/// Few prices are far apart, and a path moves one arrival of each node to the next.
TEST(AssignmentCapacities, ALongChainOfFullNodesMovesOneArrivalEach) {
  const NodeId length = 50;
  Transport chain;
  for (NodeId u = 0; u < length; ++u) {
    chain.capacities.push_back(3);
    for (int i = 0; i < 3; ++i) {
      chain.add_edge(u, 100);
      if (u + 1 < length) chain.add_edge(u + 1, 99);
      chain.end_arrival();
    }
  }
  chain.capacities.back() = 4;
  chain.add_edge(0, 60);  // worth one less for each of 49 others
  chain.end_arrival();
  AssignmentSolver solver;
  const Assignment& found = chain.solve(solver);
  EXPECT_EQ(found.value, 150 * 100 + 60 - 49);
  expect_proven_optimum(chain, found, 0);
}

TEST(AssignmentCapacities, CapacitiesOfOneGiveTheResultsOfSolve) {
  std::mt19937_64 random(4);
  AssignmentSolver solver, other;
  for (const double density : {0.02, 0.5}) {
    Transport transport = random_transport(
        30, 60, density, 1, [&] { return static_cast<float>(random() % 9); }, random);
    transport.capacities.assign(30, 1);
    InstanceView view;
    view.market.num_fixed = 30;
    view.market.horizon = Horizon::known(60);
    view.edge_begin = transport.edge_begin;
    view.nodes = transport.nodes;
    view.weights = transport.weights;
    const Assignment& expected = other.solve(Instance(view, nullptr));
    const Assignment& found = transport.solve(solver);
    EXPECT_EQ(found.value, expected.value);
    EXPECT_EQ(found.matching, expected.matching);
    EXPECT_EQ(found.fixed_prices, expected.fixed_prices);
    EXPECT_EQ(found.arrival_prices, expected.arrival_prices);
  }
}

TEST(AssignmentCapacities, ANodeOfCapacityZeroIsAsIfItHadNoEdges) {
  Transport transport;
  transport.capacities = {0, 2};
  for (const float weight : {1.0f, 2.0f, 3.0f}) {
    transport.add_edge(0, 100);
    transport.add_edge(1, weight);
    transport.end_arrival();
  }
  AssignmentSolver solver;
  const Assignment& found = transport.solve(solver);
  EXPECT_EQ(found.value, 5);
  EXPECT_EQ(found.matching, (std::vector<NodeId>{kSkip, 1, 1}));
  EXPECT_EQ(found.fixed_prices[0], 0);
}

TEST(AssignmentCapacities, ACapacityOfBillionsTakesNoMemoryAndHasNoPrice) {
  Transport transport;
  transport.capacities.assign(3, std::numeric_limits<std::int32_t>::max());
  for (int v = 0; v < 5; ++v) {
    transport.add_edge(0, 1);
    transport.add_edge(2, static_cast<float>(v));
    transport.end_arrival();
  }
  AssignmentSolver solver;
  const Assignment& found = transport.solve(solver);
  EXPECT_EQ(found.value, 1 + 1 + 2 + 3 + 4);
  EXPECT_EQ(found.fixed_prices, (std::vector<double>{0, 0, 0}));
}

TEST(AssignmentCapacities, AReusedSolverEqualsAFreshOneAndItself) {
  std::mt19937_64 random(5);
  AssignmentSolver reused;
  for (const std::int32_t largest_capacity : {3, 40, 1, 12}) {
    for (const auto& weight : kinds_of_weights(random)) {
      const Transport transport = random_transport(20, 150, 0.4, largest_capacity, weight, random);
      AssignmentSolver fresh;
      const Assignment expected = transport.solve(fresh);
      for (int repeat = 0; repeat < 2; ++repeat) {
        const Assignment& found = transport.solve(reused);
        EXPECT_EQ(found.value, expected.value);
        EXPECT_EQ(found.matching, expected.matching);
        EXPECT_EQ(found.fixed_prices, expected.fixed_prices);
        EXPECT_EQ(found.arrival_prices, expected.arrival_prices);
      }
    }
  }
}

TEST(AssignmentCapacities, NamesTheNodeWhoseCapacityIsNegative) {
  Transport transport;
  transport.capacities = {1, 1, -4};
  transport.end_arrival();
  AssignmentSolver solver;
  try {
    transport.solve(solver);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kData);
    EXPECT_STREQ(error.what(), "the capacity of fixed node 2 is -4, expected 0 or more");
  }
}

}  // namespace
}  // namespace foresight
