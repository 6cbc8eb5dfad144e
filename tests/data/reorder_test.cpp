#include "foresight/data/reorder.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "tests/named_market.h"
#include <gtest/gtest.h>

#include "foresight/data/dataset.h"

namespace foresight {
namespace {

/// Four arrivals with everything that one can have, all of them different.
Instance everything() {
  InstanceBuilder builder(3);
  builder.set_capacities({1, 2, 3});
  builder.set_ids({7, 5, 9});
  builder.set_names({"ada", "bob", ""});
  builder.set_attributes({1, 2, 3, 4, 5, 6}, 2);
  builder.set_topics(2, {{0}, {}, {0, 1}});
  const auto arrive = [&](std::vector<NodeId> nodes, float first, std::int32_t type,
                          const char* name) {
    std::vector<float> weights(nodes.size()), costs(nodes.size());
    std::iota(weights.begin(), weights.end(), first);
    std::iota(costs.begin(), costs.end(), 10 * first);
    const std::vector<float> preferences{first, 0.5F}, attributes{first / 2, 100 * first, first};
    builder.arrive(Arrival{nodes, weights, type, preferences, attributes, costs, name});
  };
  arrive({0, 2}, 1, 4, "first");
  arrive({}, 2, 5, "");
  arrive({0, 1, 2}, 3, kNoType, "third");
  arrive({1}, 4, 6, "fourth");
  return std::move(builder).build();
}

template <typename T>
std::vector<T> list(std::span<const T> values) {
  return {values.begin(), values.end()};
}

void expect_same(const Arrival& found, const Arrival& expected) {
  EXPECT_EQ(list(found.nodes), list(expected.nodes));
  EXPECT_EQ(list(found.weights), list(expected.weights));
  EXPECT_EQ(list(found.costs), list(expected.costs));
  EXPECT_EQ(found.type, expected.type);
  EXPECT_EQ(list(found.preferences), list(expected.preferences));
  EXPECT_EQ(list(found.attributes), list(expected.attributes));
  EXPECT_EQ(found.name, expected.name);
}

TEST(Reorder, EverythingOfAnArrivalMovesWithIt) {
  const Instance instance = everything();
  for (const std::vector<int>& order :
       {std::vector{3, 0, 2, 1}, std::vector{1, 1, 2, 0}, std::vector{2}, std::vector<int>{}}) {
    const Instance other = reordered(instance, order);
    validate(other.view());
    ASSERT_EQ(other.num_arrivals(), std::ssize(order));
    EXPECT_EQ(other.market().horizon, Horizon::known(static_cast<int>(order.size())));
    for (std::size_t t = 0; t < order.size(); ++t) {
      expect_same(other.arrival(static_cast<int>(t)), instance.arrival(order[t]));
    }
  }
  EXPECT_EQ(reordered(instance, std::vector{0, 1, 2, 3}), instance) << "the market, too";
}

TEST(Reorder, WhatIsToldOfTheNumberOfArrivalsStays) {
  const Instance told = everything().told(Horizon::expected(7, 2));
  EXPECT_EQ(reordered(told, std::vector{1, 0, 2, 3}).market().horizon, Horizon::expected(7, 2));
}

TEST(Reorder, TheMarketOutlivesTheInstanceThatItCameFrom) {
  std::optional<Instance> instance = everything();
  const Instance other = reordered(*instance, std::vector{0, 1, 2, 3});
  instance.reset();
  EXPECT_EQ(other, everything());
}

TEST(Reorder, TimesStayInPlace) {
  const Instance instance = everything();
  const std::vector<int> order{3, 0, 2, 1};
  const Instance other = reordered(instance, order, 1);
  for (std::size_t t = 0; t < 4; ++t) {
    const auto found = other.view().attributes[t];
    const auto moved = instance.view().attributes[static_cast<std::size_t>(order[t])];
    EXPECT_EQ(found[0], moved[0]);
    EXPECT_EQ(found[1], instance.view().attributes[t][1]);
    EXPECT_EQ(found[2], moved[2]);
  }
}

TEST(Reorder, TheTimeIsKnownByItsName) {
  EXPECT_EQ(time_column({.problem = "e-obm", .arrival_attributes = {"x", "time"}}), 1U);
  EXPECT_EQ(time_column({.problem = "e-obm", .arrival_attributes = {"x", "times"}}), std::nullopt);
  EXPECT_EQ(time_column({.problem = "e-obm", .fixed_attributes = {"time"}}), std::nullopt);
}

TEST(Reorder, AShuffledOrderHasEachArrivalOnce) {
  Rng rng(1, Stream::kInstance, 0);
  std::vector<int> order = shuffled_order(50, rng);
  EXPECT_FALSE(std::ranges::is_sorted(order));
  EXPECT_NE(shuffled_order(50, rng), order);
  std::ranges::sort(order);
  for (int t = 0; t < 50; ++t) EXPECT_EQ(order[static_cast<std::size_t>(t)], t);
  EXPECT_TRUE(shuffled_order(0, rng).empty());
}

// The share of arrivals that a bootstrap leaves out is close to 1/e.
TEST(Reorder, AResampledOrderDrawsWithReplacement) {
  Rng rng(1, Stream::kInstance, 0);
  std::vector<int> drawn(10'000);
  for (const int arrival : resampled_order(10'000, rng))
    ++drawn.at(static_cast<std::size_t>(arrival));
  EXPECT_NEAR(static_cast<double>(std::ranges::count(drawn, 0)), 3'679, 150);
  EXPECT_EQ(std::reduce(drawn.begin(), drawn.end()), 10'000);
  EXPECT_TRUE(resampled_order(0, rng).empty());
}

TEST(Reorder, ALabelFitsTheReorderedInstance) {
  const BoundDataset data = named_market();
  const std::vector<int> order{2, 3, 0, 1};
  const Label label = reordered(data.label(0), order);
  check_label(data.problem(), reordered(data.instance(0), order), label);
  EXPECT_EQ(label.value, data.label(0).value);
  EXPECT_EQ(label.bound, data.label(0).bound);
  EXPECT_NE(label.matching, data.label(0).matching);
}

}  // namespace
}  // namespace foresight
