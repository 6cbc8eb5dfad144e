#include "foresight/solve/online.h"

#include <cmath>
#include <map>
#include <numeric>

#include "tests/expect_error.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>

#include "foresight/base/index.h"
#include "foresight/base/rng.h"
#include "foresight/solve/assignment.h"

namespace foresight {
namespace {

/// A market and its law, small enough for plain recursion.
struct Game {
  std::string problem;
  int horizon;
  std::vector<float> budgets;  // one per fixed node, in E-OBM as well
  ArrivalTypes types;

  Market market() const {
    Market market;
    market.num_fixed = static_cast<NodeId>(budgets.size());
    market.horizon = Horizon::known(horizon);
    market.capacities = budgets;
    return market;
  }

  OnlineTable solve() const {
    const OnlineStates states = online_states(*problems().make(problem), market(), types);
    return solve_online(states, types, horizon);
  }

  double fluid() const { return fluid_bound(*problems().make(problem), market(), types); }

  /// Expectimax over what remains of every node's capacity.
  double best_from(int left, const std::vector<double>& remaining) const {
    if (left == 0) return 0;
    const double skip = best_from(left - 1, remaining);
    double value = 0;
    for (std::size_t i = 0; i < types.probabilities.size(); ++i) {
      double best = skip;
      for (auto e = index(types.edge_begin[i]); e < index(types.edge_begin[i + 1]); ++e) {
        const double gain = types.weights[e];
        const double cost = problem == "adwords" ? gain : 1;
        const std::size_t u = index(types.nodes[e]);
        if (remaining[u] + kCapacityTolerance < cost) continue;
        std::vector<double> after = remaining;
        after[u] -= cost;
        best = std::max(best, gain + best_from(left - 1, after));
      }
      value += types.probabilities[i] * best;
    }
    return value;
  }
};

Game random_game(const std::string& problem, std::uint64_t seed) {
  Rng rng(seed, Stream::kInstance, 0);
  const auto below = [&](std::uint64_t n) { return static_cast<int>(rng.below(n)); };
  Game game{problem, 1 + below(5), {}, {}};
  std::vector<float> bids;
  for (int u = 1 + below(4); u > 0; --u) {
    bids.push_back(0.1F + static_cast<float>(rng.uniform()));
    const auto bids_covered = static_cast<float>(3 * rng.uniform());
    game.budgets.push_back(problem == "adwords" ? bids.back() * bids_covered : 1.0F);
  }
  for (int type = 1 + below(4); type > 0; --type) {
    for (std::size_t u = 0; u < bids.size(); ++u) {
      if (rng.uniform() < 0.4) continue;
      game.types.nodes.push_back(static_cast<NodeId>(u));
      game.types.weights.push_back(problem == "adwords" ? bids[u]
                                                        : static_cast<float>(rng.uniform()));
    }
    game.types.edge_begin.push_back(std::ssize(game.types.nodes));
    game.types.probabilities.push_back(0.1 + rng.uniform());
  }
  auto& p = game.types.probabilities;
  const double total = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& probability : p) probability /= total;
  return game;
}

TEST(Online, EqualsExpectimaxOnRandomGames) {
  for (const char* problem : {"e-obm", "adwords"}) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const Game game = random_game(problem, seed);
      const bool budgets = game.problem == "adwords";
      const std::vector<double> capacity =
          budgets ? std::vector<double>(game.budgets.begin(), game.budgets.end())
                  : std::vector<double>(game.budgets.size(), 1);
      const OnlineTable table = game.solve();
      for (int left = 0; left <= game.horizon; ++left) {
        ASSERT_NEAR(table.value(left, static_cast<std::int64_t>(table.num_states()) - 1),
                    game.best_from(left, capacity), 1e-5)
            << problem << " " << seed;
      }
      EXPECT_LE(table.expected(), game.fluid() + 1e-4) << problem << " " << seed;
    }
  }
}

TEST(Online, TheFluidBoundIsTheLinearProgramsValue) {
  // One node; gains 1 or 0.5, equally likely.
  Game game{"e-obm", 1, {1}, {{0, 1, 2}, {0, 0}, {1, 0.5F}, {0.5, 0.5}}};
  EXPECT_NEAR(game.fluid(), 0.75, 1e-4);
  EXPECT_NEAR(game.solve().expected(), 0.75, 1e-6);
  game.horizon = 2;
  EXPECT_NEAR(game.fluid(), 1, 1e-4);
  EXPECT_NEAR(game.solve().expected(), 0.875, 1e-6);
}

/// Expectation over the number of edges, and over the largest of as many weights by quadrature.
double integrate_random_edges(const RandomEdges& law, int left, int nodes) {
  if (left == 0 || nodes == 0) return 0;
  constexpr int kPoints = 2000;
  const double skip = integrate_random_edges(law, left - 1, nodes);
  const double match = integrate_random_edges(law, left - 1, nodes - 1);
  double value = 0;
  double choices = 1;
  for (int edges = 0; edges <= nodes; choices = choices * (nodes - edges) / (edges + 1), ++edges) {
    double best = edges == 0 ? skip : std::max(skip, 1 + match);
    if (edges > 0 && law.uniform_weights) {
      best = 0;
      for (int i = 0; i < kPoints; ++i) {
        const double x = (i + 0.5) / kPoints;
        best += edges * std::pow(x, edges - 1) * std::max(skip, x + match) / kPoints;
      }
    }
    value += choices * std::pow(law.probability, edges) *
             std::pow(1 - law.probability, nodes - edges) * best;
  }
  return value;
}

OnlineTable solve_random_edges(const RandomEdges& law, NodeId nodes, int horizon) {
  Market market;
  market.num_fixed = nodes;
  market.horizon = Horizon::known(horizon);
  return solve_online(online_states(*problems().make("e-obm"), market, law), law, horizon);
}

TEST(Online, TheClosedFormOfRandomEdgesEqualsQuadrature) {
  for (const bool uniform : {true, false}) {
    for (const double p : {0.0, 1e-6, 0.2, 0.7, 1.0}) {
      const RandomEdges law{p, uniform};
      const OnlineTable table = solve_random_edges(law, 3, 4);
      for (int left = 0; left <= 4; ++left) {
        for (int nodes = 0; nodes <= 3; ++nodes) {
          ASSERT_NEAR(table.value(left, nodes), integrate_random_edges(law, left, nodes), 2e-6)
              << p << " " << uniform << " " << left << " " << nodes;
        }
      }
    }
  }
}

TEST(Online, RandomEdgesOfWeightOneEqualTheListOfAllNeighbourhoods) {
  const double p = 0.3;
  Game game{"e-obm", 6, {1, 1, 1}, {}};
  for (unsigned set = 0; set < 8; ++set) {
    double probability = 1;
    for (NodeId u = 0; u < 3; ++u) {
      const bool joined = (set >> u & 1U) != 0;
      probability *= joined ? p : 1 - p;
      if (!joined) continue;
      game.types.nodes.push_back(u);
      game.types.weights.push_back(1);
    }
    game.types.edge_begin.push_back(std::ssize(game.types.nodes));
    game.types.probabilities.push_back(probability);
  }
  EXPECT_NEAR(solve_random_edges({p, false}, 3, 6).expected(), game.solve().expected(), 1e-6);
}

TEST(Online, LargeRandomMarketsAreSolvedAsWell) {
  const OnlineTable table = solve_random_edges({0.01, true}, 1000, 1000);
  EXPECT_EQ(table.num_states(), 1001U);
  EXPECT_GT(table.expected(), 0.5 * 1000);
  EXPECT_LT(table.expected(), 1000);
}

TEST(Online, OneAndSeveralThreadsGiveTheSameBytes) {
  const auto source = sources().make("crowd(u=13,v=5)");
  const Instance instance = source->draw(1, 0);
  const ArrivalLaw law = *source->arrival_law(instance.market());
  const OnlineStates states = online_states(*problems().make("e-obm"), instance.market(), law);
  const OnlineTable one = solve_online(states, law, 5, 1);
  EXPECT_EQ(one.num_states(), 8192U);
  EXPECT_EQ(one.values, solve_online(states, law, 5, 2).values);
}

TEST(Online, TooManyStatesAreRefusedWithTheNumbers) {
  const auto source = sources().make("crowd(u=40,v=60)");
  const Instance instance = source->draw(1, 0);
  const ArrivalLaw law = *source->arrival_law(instance.market());
  const auto problem = problems().make("e-obm");
  const OnlineStates states = online_states(*problem, instance.market(), law);
  expect_error(ErrorCode::kUsage,
               {"40 fixed nodes", "60 arrivals", "1.1e+12 states", "2.559e+08 MiB", "1024 MiB"},
               [&] { solve_online(states, law, 60); });
  EXPECT_GT(fluid_bound(*problem, instance.market(), std::get<ArrivalTypes>(law)), 0)
      << "which bounds what cannot be computed";
}

TEST(Online, WhatTheStatesCannotTellIsRefused) {
  const Game game{"adwords", 2, {1}, {{0, 1, 2}, {0, 0}, {0.5F, 0.25F}, {0.5, 0.5}}};
  expect_error(ErrorCode::kData, {"node 0", "0.5", "0.25"}, [&] { game.solve(); });
  const Game coverage{"osbm", 2, {1}, {{0, 1}, {0}, {1}, {1}}};
  expect_error(ErrorCode::kData, {"\"osbm\"", "coverage gains"}, [&] { coverage.solve(); });
  expect_error(ErrorCode::kData, {"\"osbm\""}, [&] { coverage.fluid(); });
}

TEST(Online, HindsightExpectsNoMoreThanTheFluidBound) {
  const auto source = sources().make("crowd(u=6,v=12)");
  const auto problem = problems().make("e-obm");
  const Instance first = source->draw(1, 0);
  const ArrivalLaw law = *source->arrival_law(first.market());
  const double bound = fluid_bound(*problem, first.market(), std::get<ArrivalTypes>(law));
  const OnlineStates states = online_states(*problem, first.market(), law);
  const double online = solve_online(states, law, 12).expected();
  AssignmentSolver solver;
  double hindsight = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    hindsight += solver.solve(source->draw(1, i)).value / 2000;
  }
  EXPECT_LT(online, hindsight);
  EXPECT_LT(hindsight, bound);
}

TEST(ArrivalLaw, IdenticalTypesAreMergedAndFrequenciesAddUp) {
  const TempFolder folder;
  folder.write_file("fixed.csv", "id\na\nb\nc\n");
  folder.write_file("edges.csv", "u,v,weight\na,x,0.5\na,y,0.5\nb,z,2\na,z,1\nc,w,1\n");
  folder.write_file("arrivals.csv", "id,frequency\nx,1\ny,2\nz,3\nw,0\n");
  const auto source =
      sources().make(fmt::format("csv(path=\"{}\",u=0,v=5)", folder.path().string()));
  const ArrivalLaw law = *source->arrival_law(source->draw(1, 0).market());
  const auto& types = std::get<ArrivalTypes>(law);
  EXPECT_EQ(types.edge_begin, (std::vector<std::int64_t>{0, 1, 3}));
  EXPECT_EQ(types.nodes, (std::vector<NodeId>{0, 0, 1}));
  EXPECT_EQ(types.weights, (std::vector<float>{0.5F, 1, 2}));
  EXPECT_EQ(types.probabilities, (std::vector<double>{0.5, 0.5}));
}

TEST(ArrivalLaw, IsWhatInstancesAreDrawnFrom) {
  for (const char* workers : {"fixed", "vary", "permute"}) {
    const auto source = sources().make(fmt::format("crowd(u=3,v=50000,workers={})", workers));
    const Instance instance = source->draw(7, 1);
    const ArrivalLaw law = *source->arrival_law(instance.market());
    const auto& types = std::get<ArrivalTypes>(law);
    using Edges = std::pair<std::vector<NodeId>, std::vector<float>>;
    std::map<Edges, double> drawn;
    for (int t = 0; t < instance.num_arrivals(); ++t) {
      const Arrival arrival = instance.arrival(t);
      drawn[{{arrival.nodes.begin(), arrival.nodes.end()},
             {arrival.weights.begin(), arrival.weights.end()}}] += 1.0 / instance.num_arrivals();
    }
    EXPECT_EQ(drawn.size(), types.probabilities.size());
    for (std::size_t i = 0; i < types.probabilities.size(); ++i) {
      const auto begin = types.edge_begin[i];
      const auto end = types.edge_begin[i + 1];
      const Edges edges{{types.nodes.begin() + begin, types.nodes.begin() + end},
                        {types.weights.begin() + begin, types.weights.begin() + end}};
      const double p = types.probabilities[i];
      EXPECT_NEAR(drawn[edges], p, 5 * std::sqrt(p / instance.num_arrivals())) << workers;
    }
  }
}

}  // namespace
}  // namespace foresight
