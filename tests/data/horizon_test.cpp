#include "foresight/data/horizon.h"

#include <cmath>
#include <random>
#include <vector>

#include "tests/expect_error.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>

#include "foresight/data/dataset.h"
#include "foresight/problem/bound.h"

namespace foresight {
namespace {

TEST(Horizon, AKnownNumberIsCountedDown) {
  const Horizon horizon = Horizon::known(3);
  EXPECT_EQ(horizon.to_come(0), 2);
  EXPECT_EQ(horizon.to_come(2), 0);
  EXPECT_EQ(horizon.to_come(5), 0);
  EXPECT_EQ(horizon.total(2), 3);
}

// Against the plain mean of many drawn numbers, given that so many arrivals have come.
TEST(Horizon, AnExpectedNumberIsTheMeanGivenWhatHasCome) {
  std::mt19937 rng(1);
  std::normal_distribution<double> draw(80, 20);
  std::vector<double> numbers(400'000);
  for (double& number : numbers) number = draw(rng);
  const Horizon horizon = Horizon::expected(80, 20);
  for (const int passed : {0, 39, 79, 99, 139}) {
    double total = 0, count = 0;
    for (const double number : numbers) {
      if (number < passed + 1) continue;
      total += number - passed - 1;
      ++count;
    }
    EXPECT_NEAR(horizon.to_come(passed), total / count, 0.5) << passed;
  }
}

TEST(Horizon, WhatIsToComeFallsSmoothlyAndNeverBelowZero) {
  for (const Horizon& horizon : {Horizon::expected(80, 20), Horizon::expected(80, 0.1),
                                 Horizon::expected(80, 0), Horizon::expected(0, 0)}) {
    for (int t = 0; t < 100'000; t = t < 300 ? t + 1 : 2 * t) {
      ASSERT_TRUE(std::isfinite(horizon.to_come(t)));
      ASSERT_GE(horizon.to_come(t), 0);
      ASSERT_LE(horizon.to_come(t + 1), horizon.to_come(t) + 1e-9) << t;
      ASSERT_GE(horizon.to_come(t + 1), horizon.to_come(t) - 1 - 1e-9) << t;
    }
  }
}

TEST(Horizon, OfAnUnknownNumberAsManyAreToComeAsHaveCome) {
  EXPECT_EQ(Horizon::unknown().to_come(9), 10);
  EXPECT_EQ(Horizon::unknown().total(9), 20);
}

TEST(Horizon, IsReadBackFromText) {
  for (const Horizon& horizon : {Horizon(), Horizon::unknown(), Horizon::expected(84.25, 21.5),
                                 Horizon::expected(1.0 / 3, 0)}) {
    EXPECT_EQ(Horizon::parse(horizon.to_string()), horizon);
  }
  for (const char* text : {"", "sometimes", "expected", "expected(3)", "expected(3,-1)",
                           "expected(nan,1)", "expected(3,1", "expected(3,1)x", "expected(,)"}) {
    expect_error(ErrorCode::kData, {"horizon", text}, [&] { Horizon::parse(text); });
  }
}

TEST(Horizon, IsLearnedFromThePast) {
  const std::vector<int> lengths = {2, 4, 6};
  EXPECT_EQ(Horizon::from_past(lengths), Horizon::expected(4, 2));
  EXPECT_EQ(Horizon::from_past({}), Horizon::expected(0, 0));
}

Dataset of_lengths(const std::vector<int>& lengths) {
  std::vector<Instance> instances;
  for (const int length : lengths) {
    InstanceBuilder builder(1);
    for (int t = 0; t < length; ++t) {
      builder.arrive(std::vector<NodeId>{0}, std::vector<float>{1});
    }
    instances.push_back(std::move(builder).build());
  }
  return Dataset::gather({.problem = "e-obm"}, {}, instances);
}

TEST(Horizon, OfADatasetIsKeptInItsFileAndTold) {
  const TempFolder folder;
  const Dataset data = of_lengths({2, 4});
  EXPECT_EQ(data.instance(1).market().horizon, Horizon::known(4));
  const Dataset unsure = data.with_horizon(Horizon::expected(3, 1));
  EXPECT_NE(unsure.content_digest(false), data.content_digest(false));
  unsure.save(folder.path() / "data");
  const Dataset again = Dataset::load(folder.path() / "data");
  EXPECT_EQ(again.instance(1).market().horizon, Horizon::expected(3, 1));
  EXPECT_EQ(again.instance(1).num_arrivals(), 4);
  EXPECT_TRUE(again.with_horizon(Horizon::known(99)) == data) << "the true numbers count";
}

TEST(Horizon, IsChosenByAPerson) {
  const BoundDataset data = bind_data(of_lengths({2, 4, 6}));
  EXPECT_EQ(choose_horizon("", data), Horizon());
  EXPECT_EQ(choose_horizon("expected", data), Horizon::expected(4, 2));
  EXPECT_EQ(choose_horizon("unknown", data), Horizon::unknown());
  EXPECT_EQ(choose_horizon("25", data), Horizon::expected(25, 5));
  const BoundDataset said = told(data, Horizon::expected(9, 1));
  EXPECT_EQ(choose_horizon("", said), Horizon::expected(9, 1));
  EXPECT_EQ(choose_horizon("expected", said), Horizon::expected(9, 1));
  EXPECT_EQ(choose_horizon("known", said), Horizon());
  EXPECT_EQ(choose_horizon("expected", bind_source("er(u=3,v=7)")), Horizon::expected(7, 0));
  for (const char* text : {"never", "-3", "0", "5x", "nan"}) {
    expect_error(ErrorCode::kUsage, {"horizon", text, "unknown"},
                 [&] { choose_horizon(text, data); });
  }
}

}  // namespace
}  // namespace foresight
