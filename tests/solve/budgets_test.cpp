#include "foresight/solve/budgets.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "tests/solve/auction.h"
#include <gtest/gtest.h>

#include "foresight/problem/bound.h"
#include "foresight/solve/solver.h"

namespace foresight {
namespace {

enum class Bids { kOne, kOnePerNode, kAny };
enum class Costs { kBids, kOnePerNode, kAny };

// Small, with everything that can go wrong: missing edges, zero bids, budgets of 0, below any bid,
// of exactly some bids, and above all of them.
Auction random_auction(std::mt19937& rng, Bids kind, Costs costs = Costs::kBids) {
  const auto uniform = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(rng);
  };
  const auto amount = [&] { return 0.1f + 0.3f * std::generate_canonical<float, 24>(rng); };
  Auction auction;
  const int num_fixed = uniform(1, 4);
  const int num_arrivals = uniform(0, 6);
  const float common = amount();
  std::vector<float> usual;
  for (int u = 0; u < num_fixed; ++u) usual.push_back(kind == Bids::kOne ? common : amount());
  for (int u = 0; u < num_fixed; ++u) {
    const float choices[] = {0, 0.05f, usual[index(u)] * static_cast<float>(uniform(1, 3)),
                             amount() * static_cast<float>(uniform(1, 4)), 10};
    auction.budgets.push_back(choices[uniform(0, 4)]);
  }
  const int density = uniform(1, 10);
  for (int t = 0; t < num_arrivals; ++t) {
    std::vector<float> bids;
    for (int u = 0; u < num_fixed; ++u) {
      const bool edge = uniform(1, 10) <= density;
      const bool zero = uniform(1, 20) == 1;
      bids.push_back(!edge ? -1 : zero ? 0 : kind == Bids::kAny ? amount() : usual[index(u)]);
    }
    auction.arrive(bids);
  }
  if (costs == Costs::kBids) return auction;
  std::vector<float> usual_cost;
  for (int u = 0; u < num_fixed; ++u) usual_cost.push_back(uniform(1, 6) == 1 ? 0 : amount());
  for (const NodeId u : auction.nodes) {
    const float any = uniform(1, 8) == 1 ? 0 : uniform(1, 10) == 1 ? 20 : amount();
    auction.costs.push_back(costs == Costs::kAny ? any : usual_cost[index(u)]);
  }
  return auction;
}

void expect_optimal(Bids kind, int rounds, Costs costs = Costs::kBids) {
  std::mt19937 rng(11);
  BudgetSolver solver;  // one for all, so that its memory must not leak from one to the next
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    const Auction auction = random_auction(rng, kind, costs);
    const Label label = solver.solve(auction.task());
    expect_playable(auction, label);
    EXPECT_TRUE(label.proven());
    EXPECT_NEAR(label.value, auction.brute_force(), 1e-9);
    if (testing::Test::HasFailure()) return;
  }
}

// Few types of arrivals: the program counts those that are alike.
TEST(Budgets, ArrivalsThatAreAlikeMatchBruteForce) {
  std::mt19937 rng(5);
  BudgetSolver solver;
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    Auction auction = random_auction(rng, Bids::kAny, Costs::kAny);
    Auction alike{.budgets = auction.budgets};
    const int types = std::max(1, auction.num_arrivals() / 2);
    for (int t = 0; t < 7 && auction.num_arrivals() > 0; ++t) {
      const auto type = index(t % types);
      for (auto e = index(auction.edge_begin[type]); e < index(auction.edge_begin[type + 1]); ++e) {
        alike.nodes.push_back(auction.nodes[e]);
        alike.bids.push_back(auction.bids[e]);
        alike.costs.push_back(auction.costs[e]);
      }
      alike.edge_begin.push_back(static_cast<std::int64_t>(alike.nodes.size()));
    }
    const Label label = solver.solve(alike.task());
    expect_playable(alike, label);
    EXPECT_NEAR(label.value, alike.brute_force(), 1e-9);
    EXPECT_NEAR(label.bound, label.value, 1e-6);
    if (testing::Test::HasFailure()) return;
  }
}

// An edge that no matching can hold must not set the unit of all others.
TEST(Budgets, AnEdgeThatCannotBeUsedMayBeAsLargeAsItLikes) {
  for (const char* name : {"adwords", "gen-assignment"}) {
    const auto problem = problems().make(name);
    const bool costs = problem->traits().use == Traits::Use::kCost;
    for (const float huge : {5.0F, 1e9F, 1e30F}) {
      InstanceBuilder builder(2);
      builder.set_capacities({1, 1.2F});
      const auto arrive = [&](std::vector<float> weights, std::vector<float> needs) {
        const std::vector<NodeId> nodes = {0, 1};
        builder.arrive({.nodes = nodes,
                        .weights = weights,
                        .preferences = {},
                        .attributes = {},
                        .costs = costs ? std::span<const float>(needs) : std::span<const float>()});
      };
      arrive({0.7F, 0.6F}, {0.7F, 0.5F});
      arrive({0.5F, 0.8F}, {0.4F, 0.7F});
      arrive({huge, 0.3F}, {9, 0.6F});
      arrive({0.4F, 0.9F}, {0.5F, 0.8F});
      const Instance instance = std::move(builder).build();
      const Label label = make_solver(*problem, {.gap = 0})->solve(instance);
      EXPECT_NEAR(label.value, costs ? 1.8 : 1.9, 1e-6) << name << " " << huge;
      EXPECT_NEAR(label.bound, label.value, 1e-6);
    }
  }
}

TEST(Budgets, OneBidForAllMatchesBruteForce) {
  expect_optimal(Bids::kOne, 3000);
}

TEST(Budgets, OneBidPerNodeMatchesBruteForce) {
  expect_optimal(Bids::kOnePerNode, 3000);
}

TEST(Budgets, AnyBidsMatchBruteForce) {
  expect_optimal(Bids::kAny, 3000);
}

TEST(Budgets, CostsApartFromGainsMatchBruteForce) {
  for (const Bids bids : {Bids::kOne, Bids::kOnePerNode, Bids::kAny}) {
    for (const Costs costs : {Costs::kOnePerNode, Costs::kAny}) expect_optimal(bids, 2000, costs);
  }
}

TEST(Budgets, AnInstanceIsTheTaskWhoseCostsAreItsWeights) {
  std::mt19937 rng(12);
  for (int round = 0; round < 200; ++round) {
    Auction auction = random_auction(rng, Bids::kAny);
    const Label expected = BudgetSolver().solve(auction.instance());
    EXPECT_EQ(BudgetSolver().solve(auction.task()), expected);
    auction.costs = auction.bids;
    EXPECT_EQ(BudgetSolver().solve(auction.task()), expected);
  }
}

// Nodes that always gain the same and cost the same stay exact at any size.
TEST(Budgets, OneGainAndOneCostPerNodeIsProvenWhateverTheGap) {
  std::mt19937 rng(13);
  for (int round = 0; round < 1000; ++round) {
    const Auction auction = random_auction(rng, Bids::kOnePerNode, Costs::kOnePerNode);
    const Label label = BudgetSolver().solve(auction.task(), {.gap = 0.5});
    EXPECT_TRUE(label.proven());
    EXPECT_NEAR(label.value, auction.brute_force(), 1e-9);
  }
}

TEST(Budgets, WithAGapTheOptimumIsBetweenValueAndBound) {
  std::mt19937 rng(14);
  BudgetSolver solver;
  int unproven = 0;
  for (int round = 0; round < 6000; ++round) {
    SCOPED_TRACE(round);
    const Auction auction =
        random_auction(rng, Bids::kAny, round % 2 == 0 ? Costs::kBids : Costs::kAny);
    const double gap = std::array{1e-4, 0.01, 0.1, 1.0}[index(round / 2 % 4)];
    const Label label = solver.solve(auction.task(), {.gap = gap});
    expect_playable(auction, label);
    EXPECT_TRUE(reaches(label, gap));
    const double optimum = auction.brute_force();
    EXPECT_GE(optimum, label.value - 1e-9);
    EXPECT_LE(optimum, label.bound + 1e-9);
    unproven += !label.proven();
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(unproven, 100) << "the gap is not used";
}

// Raising one bid by a hair sends the same auction to the integer program.
TEST(Budgets, IntegerProgramAgreesWithMatchingByFallingBid) {
  std::mt19937 rng(5);
  BudgetSolver solver;
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    Auction auction;
    const int num_fixed = 6;
    std::vector<float> usual;
    for (int u = 0; u < num_fixed; ++u) {
      usual.push_back(0.1f + 0.3f * std::generate_canonical<float, 24>(rng));
      auction.budgets.push_back(usual.back() * static_cast<float>(rng() % 5) + 0.01f);
    }
    for (int t = 0; t < 18; ++t) {
      std::vector<float> bids = usual;
      for (float& bid : bids) {
        if (rng() % 2 == 0) bid = -1;
      }
      auction.arrive(bids);
    }
    Auction other = auction;
    for (float& bid : other.bids) bid += 1e-6f * std::generate_canonical<float, 24>(rng);
    const Label matched = solver.solve(auction.instance());
    const Label programmed = solver.solve(other.instance());
    EXPECT_TRUE(matched.proven());
    EXPECT_TRUE(programmed.proven());
    EXPECT_NEAR(matched.value, programmed.value, 18 * 1e-6);
  }
}

enum class Shape { kThickZ, kTriangular };

Auction hard_auction(Shape shape, int num_fixed, int num_arrivals, std::mt19937& rng) {
  const int block_size = num_arrivals / num_fixed;
  const double bid = 0.1 + 0.3 * std::generate_canonical<double, 53>(rng);
  std::vector<int> role(index(num_fixed));
  std::iota(role.begin(), role.end(), 0);
  std::shuffle(role.begin(), role.end(), rng);
  Auction auction;
  auction.budgets.assign(role.size(), static_cast<float>(bid * block_size));
  for (int t = 0; t < num_arrivals; ++t) {
    const int block = t / block_size;
    std::vector<float> bids;
    for (const int i : role) {
      const bool joined = shape == Shape::kTriangular
                              ? i >= block
                              : i == block || (2 * i >= num_fixed && 2 * block < num_fixed);
      bids.push_back(joined ? static_cast<float>(bid) : -1);
    }
    auction.arrive(bids);
  }
  return auction;
}

TEST(Budgets, HardGraphsSpendAllBudgets) {
  std::mt19937 rng(3);
  BudgetSolver solver;
  for (const Shape shape : {Shape::kThickZ, Shape::kTriangular}) {
    for (const int num_arrivals : {60, 100, 1000}) {
      for (int round = 0; round < 50; ++round) {
        const Auction auction = hard_auction(shape, 10, num_arrivals, rng);
        const Label label = solver.solve(auction.instance());
        expect_playable(auction, label);
        EXPECT_TRUE(label.proven());
        EXPECT_EQ(std::count(label.matching.begin(), label.matching.end(), kSkip), 0);
        EXPECT_NEAR(label.value,
                    std::accumulate(auction.budgets.begin(), auction.budgets.end(), 0.0), 1e-4);
      }
    }
  }
}

TEST(Budgets, LongAugmentingPathsAreFound) {
  // Node i takes arrival i, until the last node can only have arrival 0: all must move on by one.
  constexpr NodeId kSize = 2000;
  Auction auction;
  auction.budgets.assign(kSize, 0.25f);
  for (NodeId t = 0; t < kSize; ++t) {
    if (t > 0) auction.nodes.push_back(t - 1);
    if (t < kSize - 1) auction.nodes.push_back(t);
    if (t == 0) auction.nodes.push_back(kSize - 1);
    auction.edge_begin.push_back(static_cast<std::int64_t>(auction.nodes.size()));
  }
  auction.bids.assign(auction.nodes.size(), 0.25f);
  const Label label = BudgetSolver().solve(auction.instance());
  expect_playable(auction, label);
  EXPECT_EQ(label.value, kSize * 0.25);
}

TEST(Budgets, BudgetsAboveAllBidsLeaveEveryArrivalItsLargestBid) {
  Auction auction{.budgets = {100, 100, 100}};
  auction.arrive({0.3f, 0.2f, -1});
  auction.arrive({0.1f, 0.4f, 0.35f});
  auction.arrive({-1, -1, -1});
  auction.arrive({0, -1, 0.01f});
  const Label label = BudgetSolver().solve(auction.instance());
  EXPECT_EQ(label.matching, (std::vector<NodeId>{0, 1, kSkip, 2}));
  EXPECT_TRUE(label.proven());
}

// A tolerance of so many dollars let small budgets be overspent many times, and large numbers are
// beyond what the integer program can take.
TEST(Budgets, TheUnitOfMoneyDoesNotMatter) {
  std::mt19937 rng(5);
  const auto problem = problems().make("adwords");
  const auto solver = make_solver(*problem, {.gap = 0});
  for (int round = 0; round < 60; ++round) {
    const Auction auction = random_auction(rng, Bids::kAny);
    const Label expected = solver->solve(auction.instance());
    for (const float unit : {0x1p-60F, 0x1p-20F, 0x1p20F, 0x1p90F}) {
      Auction scaled = auction;
      for (float& budget : scaled.budgets) budget *= unit;
      for (float& bid : scaled.bids) bid *= unit;
      const Label label = solver->solve(scaled.instance());
      EXPECT_NEAR(label.value / static_cast<double>(unit), expected.value, 1e-6) << unit;
      EXPECT_TRUE(label.proven());
      check_label(*problem, scaled.instance(), label);
    }
  }
}

TEST(Budgets, ToleranceIsSpentButNotExceeded) {
  Auction within{.budgets = {0.6f}};
  Auction beyond{.budgets = {0.6f}};
  for (int t = 0; t < 3; ++t) {
    within.arrive({0.2f + 1e-6f});  // 1e-5 of the budget may be overspent
    beyond.arrive({0.2f + 3e-6f});
  }
  EXPECT_NEAR(BudgetSolver().solve(within.instance()).value, 0.6, 1e-4);
  EXPECT_NEAR(BudgetSolver().solve(beyond.instance()).value, 0.4, 1e-4);
}

TEST(Budgets, EmptyMarketsAreSolved) {
  Auction nobody;
  nobody.arrive({});
  const Label label = BudgetSolver().solve(nobody.instance());
  EXPECT_EQ(label, (Label{0, 0, {kSkip}}));
  EXPECT_EQ(BudgetSolver().solve(Auction{.budgets = {1, 2}}.instance()), (Label{0, 0, {}}));
}

TEST(Budgets, ThreadsSolveAtOnceWhatOneThreadSolves) {
  constexpr unsigned kAuctions = 16;
  const auto solve = [](unsigned seed) {
    return BudgetSolver().solve(dense_auction(5, 12, seed).instance());
  };
  std::vector<Label> expected, found(kAuctions);
  for (unsigned i = 0; i < kAuctions; ++i) expected.push_back(solve(i));
  std::vector<std::thread> threads;
  for (unsigned k = 0; k < 2; ++k) {
    threads.emplace_back([&, k] {
      for (unsigned i = k; i < kAuctions; i += 2) found[i] = solve(i);
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace foresight
