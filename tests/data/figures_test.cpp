#include "foresight/data/figures.h"

#include <gtest/gtest.h>

namespace foresight {
namespace {

TEST(Figures, OfNumbersAreTheirRangeAndTails) {
  std::vector<double> numbers;
  for (int i = 100; i >= 0; --i) numbers.push_back(i);
  const Distribution d = distribution_of(numbers);
  EXPECT_EQ(d.count, 101U);
  EXPECT_EQ(d.minimum, 0);
  EXPECT_EQ(d.median, 50);
  EXPECT_EQ(d.mean, 50);
  EXPECT_EQ(d.percentile99, 99);
  EXPECT_EQ(d.maximum, 100);
  EXPECT_FALSE(d.long_tail());
  EXPECT_TRUE(distribution_of({1, 1, 1, 101}).long_tail());
  EXPECT_FALSE(distribution_of({1, 1, 1, 100}).long_tail());
  EXPECT_EQ(distribution_of({}).count, 0U);
}

/// A node with capacity for two, an absent one, and one without edges; two arrivals.
Instance day(int arrivals) {
  InstanceBuilder builder(3);
  builder.set_capacities({2, 0, 1});
  builder.set_names({"ada", "", "cy"});
  builder.set_attributes({-1, 5, 3}, 1);
  const std::vector<NodeId> nodes{0, 1};
  const std::vector<float> weights{10, 20}, costs{1, 4};
  for (int t = 0; t < arrivals; ++t) {
    Arrival arrival{nodes, weights, kNoType, {}, {}};
    arrival.costs = costs;
    arrival.name = "job";
    if (t > 0) arrival.nodes = {}, arrival.weights = arrival.costs = {};
    builder.arrive(arrival);
  }
  return std::move(builder).build();
}

TEST(Figures, OfADatasetCountWhatIsThereAndWhatIsNot) {
  const std::vector<Instance> days{day(1), day(2), day(3)};
  const DataFigures f = measure(Dataset::gather({"gen-assignment", {"skill"}}, {}, days));
  EXPECT_EQ(f.instances, 3U);
  EXPECT_EQ(f.fixed.minimum, 3);
  EXPECT_EQ(f.arrivals.minimum, 1);
  EXPECT_EQ(f.arrivals.mean, 2);
  EXPECT_EQ(f.arrivals.maximum, 3);
  EXPECT_EQ(f.lonely_arrivals, 3U);
  EXPECT_EQ(f.lonely_nodes, 3U);  // "cy" on each day; the absent node is not counted
  EXPECT_EQ(f.absent, 3U);
  EXPECT_EQ(f.capacities.count, 6U);
  EXPECT_EQ(f.capacities.maximum, 2);
  EXPECT_EQ(f.total_capacity, 3);
  EXPECT_EQ(f.weights.count, 6U);
  EXPECT_EQ(f.weights.mean, 15);
  EXPECT_EQ(f.costs.maximum, 4);
  EXPECT_EQ(f.degrees.maximum, 2);
  EXPECT_EQ(f.named_nodes, 6U);
  EXPECT_EQ(f.named_arrivals, 6U);
  ASSERT_EQ(f.fixed_attributes.size(), 1U);
  EXPECT_EQ(f.fixed_attributes[0].name, "skill");
  EXPECT_EQ(f.fixed_attributes[0].minimum, -1);
  EXPECT_EQ(f.fixed_attributes[0].maximum, 5);
}

TEST(Figures, OfNothingAreZero) {
  const DataFigures f = measure(Dataset::gather({"e-obm", {"skill"}}, {}, {}));
  EXPECT_EQ(f.instances, 0U);
  EXPECT_EQ(f.weights.count, 0U);
  EXPECT_EQ(f.fixed_attributes[0].maximum, 0);
}

}  // namespace
}  // namespace foresight
