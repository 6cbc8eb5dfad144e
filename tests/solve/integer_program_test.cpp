#include "foresight/solve/integer_program.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "foresight/base/error.h"

namespace foresight {
namespace {

using Options = IntegerProgram::Options;

// Several knapsacks over the same items.
struct Knapsack {
  std::vector<double> profits;
  std::vector<std::vector<double>> sizes;  // per knapsack row, per item
  std::vector<double> capacities;

  Knapsack(int items, int rows, unsigned seed) {
    std::mt19937 rng(seed);
    std::uniform_real_distribution<double> uniform(0.1, 1.0);
    for (int j = 0; j < items; ++j) profits.push_back(uniform(rng));
    for (int i = 0; i < rows; ++i) {
      sizes.emplace_back();
      for (int j = 0; j < items; ++j) sizes.back().push_back(uniform(rng));
      capacities.push_back(0.4 * std::accumulate(sizes.back().begin(), sizes.back().end(), 0.0));
    }
  }

  IntegerProgram program() const {
    IntegerProgram result;
    std::vector<int> items;
    for (double profit : profits) items.push_back(result.add_variable(profit, 0, 1, true));
    for (std::size_t i = 0; i < sizes.size(); ++i)
      result.add_row(items, sizes[i], -IntegerProgram::kInfinity, capacities[i]);
    return result;
  }

  bool fits(const std::vector<double>& x) const {
    for (std::size_t i = 0; i < sizes.size(); ++i)
      if (std::inner_product(x.begin(), x.end(), sizes[i].begin(), 0.0) > capacities[i] + 1e-8)
        return false;
    return true;
  }

  double brute_force() const {
    double best = 0;
    std::vector<double> x(profits.size());
    for (unsigned set = 0; set < 1u << profits.size(); ++set) {
      for (std::size_t j = 0; j < x.size(); ++j) x[j] = set >> j & 1;
      if (fits(x))
        best = std::max(best, std::inner_product(x.begin(), x.end(), profits.begin(), 0.0));
    }
    return best;
  }
};

void expect_solves(const Knapsack& knapsack, const Options& options) {
  const auto solution = knapsack.program().maximize(options);
  ASSERT_TRUE(solution.found && solution.proven);
  EXPECT_NEAR(solution.value, knapsack.brute_force(), 1e-9);
  EXPECT_EQ(solution.value, solution.bound);
  EXPECT_TRUE(knapsack.fits(solution.values));
  for (double x : solution.values) EXPECT_TRUE(x == 0 || x == 1) << x;
}

TEST(IntegerProgram, KnapsacksMatchBruteForce) {
  for (unsigned seed = 0; seed < 60; ++seed)
    expect_solves(Knapsack(3 + static_cast<int>(seed % 10), 1 + static_cast<int>(seed % 3), seed),
                  {});
}

TEST(IntegerProgram, StrengtheningDoesNotChangeTheOptimum) {
  for (unsigned seed = 0; seed < 20; ++seed)
    expect_solves(Knapsack(12, 2, seed), {.strengthen = true});
}

TEST(IntegerProgram, AssignmentsMatchBruteForce) {
  constexpr int kSize = 5;
  std::mt19937 rng(7);
  std::uniform_int_distribution<int> weight(-20, 100);
  for (int round = 0; round < 40; ++round) {
    std::array<std::array<double, kSize>, kSize> w;
    IntegerProgram program;
    for (auto& row : w)
      for (double& x : row) program.add_variable(x = weight(rng), 0, 1, true);
    const std::array<double, kSize> ones = {1, 1, 1, 1, 1};
    for (int i = 0; i < kSize; ++i) {
      std::array<int, kSize> row, column;
      for (int j = 0; j < kSize; ++j) {
        row[static_cast<std::size_t>(j)] = i * kSize + j;
        column[static_cast<std::size_t>(j)] = j * kSize + i;
      }
      program.add_row(row, ones, 1, 1);
      program.add_row(column, ones, 1, 1);
    }
    std::array<std::size_t, kSize> order = {0, 1, 2, 3, 4};
    double best = -IntegerProgram::kInfinity;
    do {
      double value = 0;
      for (std::size_t i = 0; i < kSize; ++i) value += w[i][order[i]];
      best = std::max(best, value);
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_DOUBLE_EQ(program.maximize().value, best);
  }
}

// Far more variables than rows: neither relaxation nor search should look at all of them.
TEST(IntegerProgram, WideKnapsacksMatchDynamicProgramming) {
  std::mt19937 rng(5);
  for (int round = 0; round < 10; ++round) {
    constexpr int kItems = 1500;
    int capacity = 150;
    std::vector<double> best(151, 0.0);  // per capacity used at most, of what lower bounds leave
    double obliged = 0;
    IntegerProgram program;
    std::vector<int> items;
    std::vector<double> sizes;
    for (int j = 0; j < kItems; ++j) {
      const int size = std::uniform_int_distribution<int>(1, 30)(rng);
      const double profit = size + std::uniform_real_distribution<double>(0, 5)(rng);
      const int lower = j % 300 == 7 ? 1 : 0;
      const int upper = j % 4 == 0 ? 2 : 1;
      items.push_back(program.add_variable(profit, lower, upper, true));
      sizes.push_back(size);
      obliged += lower * profit;
      capacity += lower * size;
      for (int copy = lower; copy < upper; ++copy) {
        for (int used = 150; used >= size; --used) {
          best[static_cast<std::size_t>(used)] =
              std::max(best[static_cast<std::size_t>(used)],
                       best[static_cast<std::size_t>(used - size)] + profit);
        }
      }
    }
    program.add_row(items, sizes, -IntegerProgram::kInfinity, capacity);
    const auto solution = program.maximize();
    EXPECT_TRUE(solution.proven);
    EXPECT_NEAR(solution.value, obliged + best.back(), 1e-8);
  }
}

TEST(IntegerProgram, SearchesBeyondTheVariablesThatTheRelaxationPrefers) {
  for (const double obliged : {-5.0, 5.0}) {
    IntegerProgram program;
    std::vector<int> items;
    std::vector<double> sizes;
    for (int j = 0; j < 600; ++j) {  // the relaxation takes one and a half of these ...
      items.push_back(program.add_variable(2 + 1e-5 * j, 0, 1, true));
      sizes.push_back(2);
    }
    for (int j = 0; j < 600; ++j) {  // ... but one of these is better than one of those
      items.push_back(program.add_variable(2.9 - 1e-5 * j, 0, 1, true));
      sizes.push_back(3);
    }
    program.add_row(items, sizes, -IntegerProgram::kInfinity, 3);
    program.add_variable(obliged, 1, 1, true);
    const auto solution = program.maximize();
    EXPECT_TRUE(solution.proven);
    EXPECT_NEAR(solution.value, obliged + 2.9, 1e-9);
  }
}

TEST(IntegerProgram, WideProgramsMeetRowsThatFewVariablesCanMeet) {
  IntegerProgram program;
  std::vector<int> all;
  for (int j = 0; j < 5000; ++j) all.push_back(program.add_variable(j % 7, 0, 1, true));
  program.add_row(all, std::vector<double>(all.size(), 1), 2, 2);
  program.add_row(std::array{1236, 4999}, std::array{1.0, 1.0}, 1, 1);  // worth 4 and 1
  EXPECT_EQ(program.maximize().value, 10);
  program.add_row(std::array{1236}, std::array{1.0}, 2, 2);
  EXPECT_THROW(program.maximize(), Error);
}

TEST(IntegerProgram, MixesContinuousAndGeneralIntegerVariables) {
  IntegerProgram program;  // 2 k + c with k whole, c real: k + c <= 4.5 and c >= 1 leave k = 3
  const int k = program.add_variable(2, 0, 10, true);
  const int c = program.add_variable(1, 1, IntegerProgram::kInfinity, false);
  program.add_row(std::array{k, c}, std::array{1.0, 1.0}, -IntegerProgram::kInfinity, 4.5);
  const auto solution = program.maximize();
  EXPECT_TRUE(solution.proven);
  EXPECT_EQ(solution.values[0], 3);
  EXPECT_NEAR(solution.values[1], 1.5, 1e-8);
  EXPECT_NEAR(solution.value, 7.5, 1e-8);
}

TEST(IntegerProgram, TellsApartSolutionsThatDifferByLittle) {
  IntegerProgram program;  // CBC's own default would take the second for no improvement
  const int a = program.add_variable(1.0, 0, 1, true);
  const int b = program.add_variable(1.0 + 1e-7, 0, 1, true);
  const int d = program.add_variable(1.0 + 5e-8, 0, 1, true);
  program.add_row(std::array{a, b, d}, std::array{2.0, 2.0, 2.0}, -IntegerProgram::kInfinity, 3.0);
  const std::array<double, 3> start = {1, 0, 0};
  EXPECT_NEAR(program.maximize({.start = start}).value, 1.0 + 1e-7, 1e-12);
}

TEST(IntegerProgram, ProgramsWithoutRowsOrVariablesAreSolved) {
  IntegerProgram program;
  EXPECT_EQ(program.maximize().value, 0);
  program.add_variable(3, -1, 2.5, true);
  program.add_variable(-3, -1, 2.5, true);
  const auto solution = program.maximize();
  EXPECT_TRUE(solution.proven);
  EXPECT_EQ(solution.values, (std::vector<double>{2, -1}));
}

TEST(IntegerProgram, RefusesProgramsWithoutAnOptimum) {
  IntegerProgram linear;  // not even the relaxation is feasible
  const int x = linear.add_variable(1, 0, 1, true);
  linear.add_row(std::array{x}, std::array{1.0}, 2, IntegerProgram::kInfinity);
  EXPECT_THROW(linear.maximize(), Error);

  IntegerProgram integer;  // only fractional points are feasible
  const int y = integer.add_variable(1, 0, 3, true);
  const int z = integer.add_variable(1, 0, 3, true);
  integer.add_row(std::array{y, z}, std::array{2.0, 2.0}, 3, 3);
  EXPECT_THROW(integer.maximize(), Error);
  EXPECT_THROW(integer.maximize({.strengthen = true}), Error);

  IntegerProgram unbounded;
  unbounded.add_variable(1, 0, IntegerProgram::kInfinity, true);
  EXPECT_THROW(unbounded.maximize(), Error);
}

TEST(IntegerProgram, TimeLimitLeavesABoundAboveTheOptimum) {
  const Knapsack knapsack(200, 15, 3);  // hours to solve
  const auto program = knapsack.program();
  const std::vector<double> start(200, 0.0);
  const auto brief = program.maximize({.time_limit_seconds = 0.05, .start = start});
  const auto longer = program.maximize({.time_limit_seconds = 0.5, .start = brief.values});
  ASSERT_TRUE(brief.found && longer.found);
  EXPECT_FALSE(brief.proven);
  EXPECT_GE(longer.value, brief.value);
  EXPECT_GE(brief.bound, longer.value);
  EXPECT_TRUE(knapsack.fits(longer.values));
  const auto none = program.maximize({.time_limit_seconds = 0});
  EXPECT_FALSE(none.proven);
  EXPECT_GE(none.bound, longer.value);
}

TEST(IntegerProgram, EndsWhenAskedToStop) {
  const Knapsack knapsack(200, 15, 3);  // hours to solve
  const std::vector<double> start(200, 0.0);
  int asked = 0;
  const auto solution =
      knapsack.program().maximize({.start = start, .stop = [&] { return ++asked > 1000; }});
  EXPECT_GT(asked, 1000);
  EXPECT_FALSE(solution.proven);
  EXPECT_GE(solution.bound, solution.value);
}

TEST(IntegerProgram, ThreadsSolveAtOnceWhatOneThreadSolves) {
  constexpr unsigned kPrograms = 24;
  const auto solve = [](unsigned seed) {
    return Knapsack(12, 3, seed).program().maximize({.strengthen = seed % 4 == 0});
  };
  std::vector<std::vector<double>> expected, found(kPrograms);
  for (unsigned i = 0; i < kPrograms; ++i) expected.push_back(solve(i).values);
  std::vector<std::thread> threads;
  for (unsigned k = 0; k < 4; ++k)
    threads.emplace_back([&, k] {
      for (unsigned i = k; i < kPrograms; i += 4) found[i] = solve(i).values;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(found, expected);
}

TEST(IntegerProgram, PrintsNothing) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  for (bool strengthen : {false, true})
    Knapsack(30, 3, 1).program().maximize({.time_limit_seconds = 0.2, .strengthen = strengthen});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(IntegerProgram, WithAGapTheOptimumIsBetweenValueAndBound) {
  int unproven = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const Knapsack knapsack(12, 3, seed);
    const double gap = seed % 2 == 0 ? 0.02 : 0.1;
    const std::vector<double> nothing(12, 0);
    const double optimum = knapsack.brute_force();
    // From nothing, the gap is a part of 0; a second call starts from a good point.
    const auto first = knapsack.program().maximize({.gap = gap, .start = nothing});
    const auto second = knapsack.program().maximize({.gap = gap, .start = first.values});
    for (const auto& solution : {first, second}) {
      EXPECT_TRUE(knapsack.fits(solution.values));
      EXPECT_LE(solution.value, optimum + 1e-9);
      EXPECT_GE(solution.bound, optimum - 1e-9);
      EXPECT_LE(solution.bound - solution.value, gap * solution.bound + 1e-9);
      unproven += !solution.proven;
    }
  }
  EXPECT_GT(unproven, 10) << "the gap is not used";
}

}  // namespace
}  // namespace foresight
