// Optima with budgets where brute force is too slow.
#include <numeric>
#include <random>
#include <vector>

#include "tests/solve/auction.h"
#include <gtest/gtest.h>

#include "foresight/solve/budgets.h"
#include "foresight/solve/integer_program.h"

namespace foresight {
namespace {

// The textbook program: one variable per edge, one row per arrival and per budget.
double solve_textbook(const Auction& auction) {
  IntegerProgram program;
  std::vector<std::vector<int>> of_arrival(index(auction.num_arrivals()));
  std::vector<std::vector<int>> of_node(auction.budgets.size());
  std::vector<std::vector<double>> costs(auction.budgets.size());
  for (std::size_t t = 0; t < of_arrival.size(); ++t) {
    for (auto e = index(auction.edge_begin[t]); e < index(auction.edge_begin[t + 1]); ++e) {
      of_arrival[t].push_back(program.add_variable(auction.bids[e], 0, 1, true));
      of_node[index(auction.nodes[e])].push_back(of_arrival[t].back());
      costs[index(auction.nodes[e])].push_back(auction.cost(e));
    }
    program.add_row(of_arrival[t], std::vector<double>(of_arrival[t].size(), 1),
                    -IntegerProgram::kInfinity, 1);
  }
  for (std::size_t u = 0; u < of_node.size(); ++u) {
    program.add_row(of_node[u], costs[u], -IntegerProgram::kInfinity,
                    (1 + kCapacityTolerance) * auction.budgets[u]);
  }
  return program.maximize({.strengthen = true}).value;
}

TEST(Budgets, NodesWithFewAndWithTooManyBundlesMatchTheTextbookProgram) {
  BudgetSolver solver;
  for (unsigned seed = 0; seed < 4; ++seed) {
    Auction auction = dense_auction(4, 30, seed);
    auction.budgets = {0.5f, 3.4f, 2.9f, 4.2f};
    const Label label = solver.solve(auction.instance());
    expect_playable(auction, label);
    EXPECT_TRUE(label.proven());
    EXPECT_NEAR(label.value, solve_textbook(auction), 1e-8);
  }
}

// Medium sizes, where some costs are 0, and where the integer program must agree within the gap.
TEST(Budgets, CostsApartFromGainsMatchTheTextbookProgram) {
  std::mt19937 rng(15);
  BudgetSolver solver;
  for (unsigned seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    Auction auction = dense_auction(4, 24, seed);
    auction.budgets = {0.5f, 1.4f, 0.9f, 1.2f};
    for (std::size_t e = 0; e < auction.bids.size(); ++e) {
      auction.costs.push_back(
          rng() % 40 == 0 ? 0 : 0.1f + 0.3f * std::generate_canonical<float, 24>(rng));
    }
    const double optimum = solve_textbook(auction);
    const Label exact = solver.solve(auction.task());
    expect_playable(auction, exact);
    EXPECT_TRUE(exact.proven());
    EXPECT_NEAR(exact.value, optimum, 1e-8);
    const Label close = solver.solve(auction.task(), {.gap = 0.02});
    expect_playable(auction, close);
    EXPECT_TRUE(reaches(close, 0.02));
    EXPECT_GE(close.value, 0.98 * optimum);
    EXPECT_GE(close.bound, optimum - 1e-8);
  }
}

// A day of searches: too large for the integer program, so bound and value come without it.
Auction search_day(int num_fixed, int num_arrivals, bool costs_apart, unsigned seed) {
  std::mt19937 rng(seed);
  std::lognormal_distribution<float> amount(0, 0.7f);
  Auction auction;
  for (int u = 0; u < num_fixed; ++u) {
    auction.budgets.push_back(static_cast<float>(64 + rng() % 192));
  }
  for (int t = 0; t < num_arrivals; ++t) {
    std::vector<float> bids(index(num_fixed), -1);
    for (int k = 0; k < 5; ++k) bids[rng() % bids.size()] = amount(rng);
    auction.arrive(bids);
  }
  for (std::size_t e = 0; costs_apart && e < auction.bids.size(); ++e) {
    auction.costs.push_back(amount(rng));
  }
  return auction;
}

TEST(Budgets, LargeMarketsReachASmallGapAndTheSameLabelEachTime) {
  for (const bool costs_apart : {false, true}) {
    const double gap = costs_apart ? 1e-3 : 1e-4;
    const Auction auction = search_day(40, 4000, costs_apart, 7);
    const Label label = BudgetSolver().solve(auction.task(), {.gap = gap});
    expect_playable(auction, label);
    EXPECT_TRUE(reaches(label, gap));
    EXPECT_EQ(BudgetSolver().solve(auction.task(), {.gap = gap}), label);
  }
}

TEST(Budgets, ASmallerGapGivesNoWorseValueAndNoLargerBound) {
  const Auction auction = search_day(10, 1000, true, 3);
  double value = 0;
  double bound = IntegerProgram::kInfinity;
  for (const double gap : {0.1, 0.01, 2e-3}) {
    const Label label = BudgetSolver().solve(auction.task(), {.gap = gap});
    EXPECT_TRUE(reaches(label, gap));
    EXPECT_GE(label.value, value);
    EXPECT_LE(label.bound, bound);
    value = label.value;
    bound = label.bound;
  }
}

TEST(Budgets, RunningOutOfTimeStillGivesAMatchingAndABound) {
  const Auction auction = dense_auction(10, 100, 1);
  const double budgets = std::accumulate(auction.budgets.begin(), auction.budgets.end(), 0.0);
  for (const double seconds : {0.0, 0.2}) {
    const Label label = BudgetSolver().solve(auction.instance(), {.time_limit_seconds = seconds});
    expect_playable(auction, label);
    EXPECT_GT(label.value, 0.9 * budgets);
    EXPECT_LE(label.bound, budgets * (1 + kCapacityTolerance) + 1e-6);
  }
}

}  // namespace
}  // namespace foresight
