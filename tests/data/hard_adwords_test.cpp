#include <algorithm>
#include <ranges>
#include <set>

#include "tests/expect_error.h"
#include <gtest/gtest.h>

#include "foresight/data/source.h"

namespace foresight {
namespace {

/// When each fixed node is reached, in ascending order of these lists, whatever the permutation.
std::vector<std::vector<int>> arrivals_by_node(const Instance& instance) {
  std::vector<std::vector<int>> lists(static_cast<std::size_t>(instance.market().num_fixed));
  for (int t = 0; t < instance.num_arrivals(); ++t) {
    for (const NodeId u : instance.arrival(t).nodes)
      lists[static_cast<std::size_t>(u)].push_back(t);
  }
  std::ranges::sort(lists);
  return lists;
}

TEST(ThickZ, EachNodeHasItsBlockAndTheSecondHalfTheFirstHalfOfArrivals) {
  const auto source = sources().make("thick-z(u=4,v=8)");
  const std::vector<std::vector<int>> expected = {
      {0, 1}, {0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 6, 7}, {2, 3}};
  for (std::uint64_t i = 0; i < 20; ++i) {
    EXPECT_EQ(arrivals_by_node(source->draw(1, i)), expected);
  }
}

TEST(Triangular, EachNodeIsReachedUntilTheEndOfItsBlock) {
  const auto source = sources().make("triangular(u=3,v=6)");
  const std::vector<std::vector<int>> expected = {{0, 1}, {0, 1, 2, 3}, {0, 1, 2, 3, 4, 5}};
  for (std::uint64_t i = 0; i < 20; ++i) {
    EXPECT_EQ(arrivals_by_node(source->draw(1, i)), expected);
  }
}

class HardAdwords : public testing::TestWithParam<const char*> {
 protected:
  std::shared_ptr<Source> make(const char* options) const {
    return sources().make(std::string(GetParam()) + options);
  }
};

TEST_P(HardAdwords, AllBidsOfAnInstanceAreOneAndBudgetsAreABlockOfThem) {
  const auto source = make("(u=10,v=60)");
  double smallest = 1, largest = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const Instance instance = source->draw(1, i);
    const float bid = instance.arrival(0).weights[0];
    for (const float weight : instance.view().weights) ASSERT_EQ(weight, bid);
    for (const float budget : instance.market().capacities) ASSERT_FLOAT_EQ(budget, 6 * bid);
    ASSERT_EQ(instance.market().capacities.size(), 10U);
    smallest = std::min<double>(smallest, bid);
    largest = std::max<double>(largest, bid);
  }
  EXPECT_GE(smallest, 0.1F);
  EXPECT_LT(smallest, 0.11);
  EXPECT_LE(largest, 0.4F);
  EXPECT_GT(largest, 0.39);
}

TEST_P(HardAdwords, NodesArePermutedInEveryInstance) {
  const auto source = make("(u=3,v=3)");
  std::set<std::vector<std::vector<NodeId>>> patterns;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const Instance instance = source->draw(1, i);
    std::vector<std::vector<NodeId>> pattern;
    for (int t = 0; t < 3; ++t) {
      const auto nodes = instance.arrival(t).nodes;
      pattern.emplace_back(nodes.begin(), nodes.end());
    }
    patterns.insert(pattern);
  }
  EXPECT_EQ(patterns.size(), 6U);
}

TEST_P(HardAdwords, EveryBudgetCanBeSpent) {
  // Node i takes the arrivals of its own block, so the optimum is the sum of budgets.
  const Instance instance = make("(u=5,v=20)")->draw(1, 0);
  for (int t = 0; t < 20; ++t) EXPECT_GE(instance.arrival(t).degree(), 1);
  std::vector<bool> taken(5);
  for (int block = 4; block >= 0; --block) {
    const auto nodes = instance.arrival(4 * block).nodes;
    const auto node = std::ranges::find_if(nodes, [&](NodeId u) {
      return !taken[static_cast<std::size_t>(u)] &&
             std::ranges::none_of(std::views::iota(4 * block + 4, 20), [&](int t) {
               return std::ranges::count(instance.arrival(t).nodes, u) > 0;
             });
    });
    ASSERT_NE(node, nodes.end()) << "block " << block;
    taken[static_cast<std::size_t>(*node)] = true;
  }
}

TEST_P(HardAdwords, IsMadeForAdwords) {
  EXPECT_EQ(make("")->schema(), (Schema{.problem = "adwords", .capacities = true}));
}

TEST_P(HardAdwords, ArrivalsMustDivideAmongNodes) {
  expect_error(ErrorCode::kUsage, {"multiple of u=10", "\"15\""}, [&] { make("(u=10,v=15)"); });
}

INSTANTIATE_TEST_SUITE_P(Families, HardAdwords, testing::Values("thick-z", "triangular"),
                         [](const auto& param) {
                           return std::string(param.param) == "triangular" ? "triangular"
                                                                           : "thick_z";
                         });

}  // namespace
}  // namespace foresight
