#include "foresight/base/rng.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace foresight {
namespace {

TEST(Rng, StreamsDependOnSeedPurposeAndIndexOnly) {
  std::set<std::uint64_t> first;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const Stream purpose : {Stream::kInstance, Stream::kPolicy}) {
      for (std::uint64_t i = 0; i < 20; ++i) {
        first.insert(Rng(seed, purpose, i).next());
        EXPECT_EQ(Rng(seed, purpose, i).next(), Rng(seed, purpose, i).next());
      }
    }
  }
  EXPECT_EQ(first.size(), 800U);
}

// The numbers are a promise: files made from a seed must be the same in every later version. These
// were computed by an independent implementation of the header's description.
TEST(Rng, NumbersStayAsTheyAre) {
  Rng rng(1, Stream::kInstance, 0);
  EXPECT_EQ(rng.next(), 0xbbd1834e855ebba8U);
  EXPECT_EQ(rng.below(1000), 11U);
}

TEST(Rng, UniformAndNormalHaveTheirMoments) {
  Rng rng(7, Stream::kInstance, 3);
  constexpr int kCount = 200'000;
  double sum = 0, squares = 0, normal_sum = 0, normal_squares = 0;
  for (int i = 0; i < kCount; ++i) {
    const double x = rng.uniform();
    const double z = rng.normal();
    ASSERT_TRUE(x >= 0 && x < 1);
    const double positive = rng.uniform_positive();
    ASSERT_TRUE(positive > 0 && positive <= 1);
    sum += x;
    squares += x * x;
    normal_sum += z;
    normal_squares += z * z;
  }
  EXPECT_NEAR(sum / kCount, 0.5, 0.003);
  EXPECT_NEAR(squares / kCount, 1.0 / 3, 0.003);
  EXPECT_NEAR(normal_sum / kCount, 0, 0.01);
  EXPECT_NEAR(normal_squares / kCount, 1, 0.015);
}

TEST(Rng, BelowIsUniform) {
  Rng rng(7, Stream::kInstance, 4);
  std::vector<int> counts(7);
  for (int i = 0; i < 70'000; ++i) ++counts[rng.below(7)];
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 400);
  EXPECT_EQ(rng.below(1), 0U);
}

TEST(Rng, SampleIsDistinctAndEveryOrderComesUp) {
  std::set<std::vector<std::int32_t>> orders;
  for (std::uint64_t i = 0; i < 500; ++i) {
    orders.insert(Rng(1, Stream::kInstance, i).sample(4, 3));
  }
  EXPECT_EQ(orders.size(), 24U);
  for (const auto& order : orders) EXPECT_EQ(std::set(order.begin(), order.end()).size(), 3U);
}

}  // namespace
}  // namespace foresight
