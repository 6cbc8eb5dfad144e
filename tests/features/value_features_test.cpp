#include "foresight/features/value_features.h"

#include <gtest/gtest.h>

#include "foresight/problem/problem.h"

namespace foresight {
namespace {

TEST(ValueFeatures, DescribeWhatIsLeftAfterADecision) {
  const auto problem = problems().make("adwords");
  InstanceBuilder builder(3);
  builder.set_capacities({1.0F, 2.0F, 0.5F});
  builder.arrive(std::vector<NodeId>{0, 1}, std::vector<float>{0.5F, 0.5F});
  builder.arrive(std::vector<NodeId>{0, 2}, std::vector<float>{0.5F, 0.5F});
  builder.arrive(std::vector<NodeId>{1}, std::vector<float>{0.5F});
  builder.arrive(std::vector<NodeId>{1}, std::vector<float>{0.5F});
  const Instance instance = std::move(builder).build();
  State state(*problem, instance.market());
  state.arrive(instance.arrival(0));
  state.decide(1);
  state.arrive(instance.arrival(1));
  const double available = total_remaining_share(state);
  EXPECT_NEAR(available, 1 + 0.75 + 1, 1e-6);

  const FlatValueFeatures features(3, {});
  ASSERT_EQ(features.names().size(), features.width());
  std::vector<float> skip(features.width()), take(features.width());
  features.fill_skip(state, available, skip);
  EXPECT_EQ(skip[0], 1);
  EXPECT_EQ(skip[1], 0.75F);
  EXPECT_EQ(skip[3], 0.5F);  // two of four arrivals are still to come
  EXPECT_NEAR(skip[4], 2.75 / 3, 1e-6);
  EXPECT_NEAR(skip[5], 0.5 * 4 / 3.75, 1e-6);
  features.fill(state, state.offers()[0], available, skip, take);
  EXPECT_EQ(take[0], 0.5F);
  EXPECT_EQ(take[1], 0.75F);
  EXPECT_NEAR(take[4], 2.25 / 3, 1e-6);
  features.fill(state, state.offers()[1], available, skip, take);
  EXPECT_EQ(take[2], 0);  // used up
}

TEST(ValueFeatures, OfANodeHoldItsHistory) {
  const auto problem = problems().make("e-obm");
  InstanceBuilder builder(2);
  builder.set_attributes({7, 8, 9, 10}, 2);
  builder.arrive(std::vector<NodeId>{0, 1}, std::vector<float>{0.2F, 0.6F});
  builder.arrive(std::vector<NodeId>{0}, std::vector<float>{0.4F});
  builder.arrive(std::vector<NodeId>{1}, std::vector<float>{0.5F});
  const Instance instance = std::move(builder).build();
  State state(*problem, instance.market());
  for (int t = 0; t < 2; ++t) {
    state.arrive(instance.arrival(t));
    state.decide(kSkip);
  }
  state.arrive(instance.arrival(2));
  const NodeValueFeatures features({.attributes = {{{"a", 0}, {"b", 1}}, {}}});
  ASSERT_EQ(features.names().size(), features.width());
  std::vector<float> row(features.width());
  const NodeValueFeatures::Past past = features.past(state);
  EXPECT_NEAR(past.mean, 0.4, 1e-6);
  EXPECT_NEAR(past.degree, 3.0 / 2 / 2, 1e-6);
  features.fill(state, past, ValueContext(state, 2), 0, 1, row);
  EXPECT_EQ(row[0], 1);
  EXPECT_NEAR(row[1], 0.3, 1e-6);
  EXPECT_NEAR(row[2], 0.01, 1e-6);
  EXPECT_EQ(row[3], 1);  // an edge to each of the two arrivals
  EXPECT_EQ(row[4], 0);  // the last arrival
  EXPECT_EQ(row[9], 7);
  EXPECT_EQ(row[10], 8);
}

TEST(ValueFeatures, TellAmountsAbsenceAndTheArrivalsAttributes) {
  const auto problem = problems().make("e-obm");
  InstanceBuilder builder(3);
  builder.set_capacities({4, 0, 1});
  builder.set_attributes({7, 8, 9}, 1);
  builder.arrive(std::vector<NodeId>{0, 1}, std::vector<float>{0.5F, 0.5F}, kNoType, {},
                 std::vector<float>{0.25F, 1});
  const Instance instance = std::move(builder).build();
  State state(*problem, instance.market());
  state.arrive(instance.arrival(0));
  EXPECT_EQ(total_remaining_share(state), 2);

  const std::vector<AttributeColumn> arrival = {{"late", 1}, {"hour", 0}};
  const FlatValueFeatures flat(3, {.amounts = true, .attributes = {{}, arrival}});
  ASSERT_EQ(flat.names(),
            (std::vector<std::string>{"remaining.0", "remaining.1", "remaining.2", "amount.0",
                                      "amount.1", "amount.2", "left", "available", "pressure",
                                      "arrival.late", "arrival.hour"}));
  ASSERT_EQ(flat.width(), 11U);
  std::vector<float> skip(11, 99), take(11, 99);
  flat.fill_skip(state, 2, skip);
  EXPECT_EQ(std::vector(skip.begin(), skip.begin() + 7), (std::vector<float>{1, 0, 1, 4, 0, 1, 0}));
  flat.fill(state, state.offers()[0], 2, skip, take);
  EXPECT_EQ(std::vector(take.begin(), take.begin() + 7),
            (std::vector<float>{0.75F, 0, 1, 3, 0, 1, 0}));
  EXPECT_NEAR(take[7], 1.75 / 3, 1e-6);
  EXPECT_EQ(std::vector(take.begin() + 9, take.end()), (std::vector<float>{1, 0.25F}));

  const NodeValueFeatures nodes({.amounts = true, .attributes = {{{"size", 0}}, arrival}});
  ASSERT_EQ(nodes.names().size(), nodes.width());
  std::vector<float> row(nodes.width(), 99);
  nodes.fill(state, nodes.past(state), ValueContext(state, 2), 0, 0.75, row);
  EXPECT_EQ(std::vector(row.end() - 4, row.end()), (std::vector<float>{3, 7, 1, 0.25F}));
}

}  // namespace
}  // namespace foresight
