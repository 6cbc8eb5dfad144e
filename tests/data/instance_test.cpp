#include "foresight/data/instance.h"

#include <cmath>
#include <limits>

#include "tests/expect_error.h"
#include <gtest/gtest.h>

namespace foresight {
namespace {

using Nodes = std::vector<NodeId>;
using Values = std::vector<float>;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Three fixed nodes with everything that an instance can have, and two arrivals.
InstanceBuilder full() {
  InstanceBuilder builder(3);
  builder.set_capacities({1, 2, 3});
  builder.set_ids({7, 5, 9});
  builder.set_attributes({1, 2, 3, 4, 5, 6}, 2);
  builder.set_topics(2, {{0}, {}, {0, 1}});
  builder.arrive(Nodes{0, 2}, Values{0.5, 0.25}, 4, Values{1, 0.5}, Values{8});
  builder.arrive(Nodes{}, Values{}, 4, Values{1, 0.5}, Values{9});
  return builder;
}

void expect_invalid(std::initializer_list<std::string> pieces,
                    const std::function<void(InstanceBuilder&)>& change) {
  expect_error(ErrorCode::kData, pieces, [&] {
    InstanceBuilder builder = full();
    change(builder);
    std::move(builder).build();
  });
}

TEST(InstanceBuilder, WhatGoesInComesOut) {
  const Instance instance = full().build();
  const Market& market = instance.market();
  EXPECT_EQ(market.num_fixed, 3);
  EXPECT_EQ(market.horizon, Horizon::known(2));
  EXPECT_EQ(Values(market.capacities.begin(), market.capacities.end()), (Values{1, 2, 3}));
  EXPECT_EQ(Nodes(market.ids.begin(), market.ids.end()), (Nodes{7, 5, 9}));
  EXPECT_EQ(market.attributes[1][0], 3);
  EXPECT_EQ(market.topics_of(1).size(), 0U);
  EXPECT_EQ(Nodes(market.topics_of(2).begin(), market.topics_of(2).end()), (Nodes{0, 1}));

  EXPECT_EQ(instance.num_arrivals(), 2);
  EXPECT_EQ(instance.num_edges(), 2);
  const Arrival first = instance.arrival(0);
  EXPECT_EQ(Nodes(first.nodes.begin(), first.nodes.end()), (Nodes{0, 2}));
  EXPECT_EQ(Values(first.weights.begin(), first.weights.end()), (Values{0.5, 0.25}));
  EXPECT_EQ(first.type, 4);
  EXPECT_EQ(first.preferences[1], 0.5);
  EXPECT_EQ(first.attributes[0], 8);
  EXPECT_EQ(instance.arrival(1).degree(), 0);
}

TEST(InstanceBuilder, WhatIsNotGivenIsAbsent) {
  InstanceBuilder builder(1);
  builder.arrive(Nodes{0}, Values{1});
  const Instance instance = std::move(builder).build();
  EXPECT_TRUE(instance.market().capacities.empty());
  EXPECT_TRUE(instance.market().topics_of(0).empty());
  EXPECT_TRUE(instance.view().types.empty());
  EXPECT_EQ(instance.arrival(0).type, kNoType);
  EXPECT_TRUE(instance.arrival(0).preferences.empty());
  EXPECT_TRUE(instance.arrival(0).attributes.empty());
}

TEST(InstanceBuilder, AnInstanceMayHaveNoArrivalsAndNoNodes) {
  const Instance instance = InstanceBuilder(0).build();
  EXPECT_EQ(instance.num_arrivals(), 0);
  EXPECT_EQ(instance.num_edges(), 0);
}

TEST(InstanceBuilder, ArrivalsWithoutATypeNeedNotAgreeInPreferences) {
  InstanceBuilder builder(1);
  builder.set_topics(1, {{0}});
  builder.arrive(Nodes{0}, Values{1}, kNoType, Values{0.5});
  builder.arrive(Nodes{0}, Values{1}, kNoType, Values{0.7F});
  EXPECT_EQ(std::move(builder).build().num_arrivals(), 2);
}

TEST(Instance, CopiesShareTheMemoryAndKeepItAlive) {
  Instance copy;
  const float* weights = nullptr;
  {
    const Instance instance = full().build();
    copy = instance;
    weights = instance.view().weights.data();
  }
  EXPECT_EQ(copy.view().weights.data(), weights);
  EXPECT_EQ(copy.arrival(0).weights[1], 0.25);
}

TEST(Instance, EqualityComparesEveryValue) {
  EXPECT_TRUE(full().build() == full().build());
  const std::vector<std::function<void(InstanceBuilder&)>> changes = {
      [](auto& b) {
        b.set_capacities({1, 2, 4});
      },
      [](auto& b) { b.set_capacities({}); },
      [](auto& b) {
        b.set_ids({7, 5, 8});
      },
      [](auto& b) {
        b.set_attributes({1, 2, 3, 4, 5, 7}, 2);
      },
      [](auto& b) {
        b.set_attributes({1, 2, 3}, 1);
      },
      [](auto& b) {
        b.set_topics(2, {{0}, {}, {1}});
      },
      [](auto& b) {
        b.arrive({}, {}, 4, Values{1, 0.5}, Values{9});
      },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    InstanceBuilder builder = full();
    changes[i](builder);
    EXPECT_FALSE(std::move(builder).build() == full().build()) << "change " << i;
  }
  const auto with = [](Nodes nodes, Values weights, std::int32_t type, Values attributes) {
    InstanceBuilder builder(3);
    builder.arrive(nodes, weights, type, {}, attributes);
    return std::move(builder).build();
  };
  const Instance one = with({0}, {1}, 4, {2});
  EXPECT_TRUE(one == with({0}, {1}, 4, {2}));
  EXPECT_FALSE(one == with({1}, {1}, 4, {2}));
  EXPECT_FALSE(one == with({0}, {2}, 4, {2}));
  EXPECT_FALSE(one == with({0}, {1}, 5, {2}));
  EXPECT_FALSE(one == with({0}, {1}, 4, {3}));
  EXPECT_FALSE(one == with({0}, {1}, 4, {}));
}

TEST(Validate, NodesMustAscendAndExist) {
  const auto arrive = [](Nodes nodes) {
    return [nodes](InstanceBuilder& b) {
      b.arrive(nodes, Values(nodes.size(), 1), 4, Values{1, 0.5}, Values{8});
    };
  };
  expect_invalid({"arrival 2", "node 3", "below 3"}, arrive({3}));
  expect_invalid({"node -1"}, arrive({-1}));
  expect_invalid({"node 1 after node 2", "ascend"}, arrive({2, 1}));
  expect_invalid({"node 1 after node 1", "without repeats"}, arrive({1, 1}));
}

TEST(Validate, WeightsMustBeFiniteAndNotNegative) {
  for (const float weight : {-1.0F, kNaN, kInfinity}) {
    expect_invalid({"weight of an edge of arrival 2", ">= 0"}, [&](InstanceBuilder& b) {
      b.arrive(Nodes{0}, Values{weight}, 4, Values{1, 0.5}, Values{8});
    });
  }
}

TEST(Validate, CapacitiesMustBeFiniteNotNegativeAndOnePerNode) {
  for (const float capacity : {-1.0F, kNaN, kInfinity}) {
    expect_invalid({"capacity of fixed node 1"}, [&](InstanceBuilder& b) {
      b.set_capacities({1, capacity, 1});
    });
  }
  expect_invalid({"2 capacities", "3 fixed nodes"}, [](auto& b) { b.set_capacities({1, 1}); });
}

TEST(Validate, TablesMustHaveARowPerNode) {
  expect_invalid({"2 ids", "3 fixed nodes"}, [](auto& b) { b.set_ids({1, 2}); });
  expect_invalid({"attributes of fixed nodes", "4 values", "3 rows of 2 values"}, [](auto& b) {
    b.set_attributes({1, 2, 3, 4}, 2);
  });
  expect_invalid({"attributes of fixed nodes", "nan"}, [](auto& b) {
    b.set_attributes({1, 2, kNaN}, 1);
  });
  expect_invalid({"2 sets", "3 fixed nodes"}, [](auto& b) { b.set_topics(2, {{0}, {1}}); });
}

TEST(Validate, TopicsMustAscendAndExist) {
  expect_invalid({"fixed node 0", "topic 2", "below 2"}, [](auto& b) {
    b.set_topics(2, {{2}, {}, {}});
  });
  expect_invalid({"fixed node 1", "topic 0 after 1"}, [](auto& b) {
    b.set_topics(2, {{}, {1, 0}, {}});
  });
}

TEST(Validate, PreferencesMustBeAmountsAsWideAsTheTopics) {
  expect_invalid({"got 2", "3 topics"}, [](auto& b) { b.set_topics(3, {{0}, {}, {}}); });
  expect_invalid({"preference of arrival 2", "-1"}, [](auto& b) {
    b.arrive({}, {}, 5, Values{1, -1}, Values{8});
  });
}

TEST(Validate, ATypeHasOneCoverageFunction) {
  expect_invalid({"arrivals 0 and 2", "type 4", "differ in preferences"}, [](auto& b) {
    b.arrive({}, {}, 4, Values{1, 0.25}, Values{8});
  });
}

// Arrays that fit in total may still not fit arrival by arrival.
TEST(InstanceBuilder, EveryArrivalMustBeCompleteInItself) {
  expect_invalid({"arrival 2", "1 edge weights", "expected 2"}, [](auto& b) {
    b.arrive(Nodes{0, 1}, Values{1}, 5, Values{1, 1}, Values{8});
    b.arrive(Nodes{0}, Values{1, 1}, 5, Values{1, 1}, Values{8});
  });
  expect_invalid({"arrival 2", "0 attributes", "expected 1"}, [](auto& b) {
    b.arrive({}, {}, 5, Values{1, 1}, Values{});
    b.arrive({}, {}, 5, Values{1, 1}, Values{8, 8});
  });
  expect_invalid({"arrival 2", "1 preferences", "expected 2"}, [](auto& b) {
    b.arrive({}, {}, 5, Values{1}, Values{8});
    b.arrive({}, {}, 6, Values{1, 1, 1}, Values{8});
  });
}

TEST(Validate, ViewsOfFilesAreCheckedToo) {
  const Instance instance = full().build();
  const auto expect_broken = [&](std::initializer_list<std::string> pieces,
                                 const std::function<void(InstanceView&)>& change) {
    InstanceView view = instance.view();
    change(view);
    expect_error(ErrorCode::kData, pieces, [&] { validate(view); });
  };
  const std::vector<std::int64_t> falling = {0, 2, 1}, beyond = {0, 2, 3}, negative = {-1, 0, 2};
  expect_broken({"no edge positions"}, [](auto& v) { v.edge_begin = {}; });
  expect_broken({"edge positions fall from 2 to 1"}, [&](auto& v) { v.edge_begin = falling; });
  expect_broken({"edge positions reach 3", "only 2"}, [&](auto& v) { v.edge_begin = beyond; });
  expect_broken({"edge positions", "begin at 0"}, [&](auto& v) { v.edge_begin = negative; });
  expect_broken({"horizon", "arrivals, 2", "got 5"},
                [](auto& v) { v.market.horizon = Horizon::known(5); });
  expect_broken({"number of fixed nodes", "got -1"}, [](auto& v) { v.market.num_fixed = -1; });
  expect_broken({"2 edges", "1 weights"}, [](auto& v) { v.weights = v.weights.subspan(1); });
  expect_broken({"1 types", "2 arrivals"}, [](auto& v) { v.types = v.types.subspan(1); });
}

}  // namespace
}  // namespace foresight
