#include "foresight/solve/coverage.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "foresight/base/rng.h"

namespace foresight {
namespace {

constexpr std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

/// A family of random instances in the manner of MovieLens.
struct Family {
  NodeId fixed = 10;
  int arrivals = 15;
  int users = 10;
  int topics = 6;
  double edges = 0.9;      // share of pairs that are joined
  double topics_of = 0.3;  // share of topics that a fixed node has
  int topic_sets = 1000;   // fixed nodes share this many sets
  int levels = 0;          // preferences are whole numbers up to this; 0: any number up to 1
  bool constant = true;    // a user's neighbours are the same at every visit
  double anonymous = 0;    // share of arrivals without a type
};

Instance draw(const Family& family, std::uint64_t number) {
  Rng rng(11, Stream::kInstance, number);
  const auto subset = [&](int size, double share) {
    std::vector<std::int32_t> members;
    for (int i = 0; i < size; ++i) {
      if (rng.uniform() < share) members.push_back(i);
    }
    return members;
  };
  InstanceBuilder builder(family.fixed);
  std::vector<std::vector<std::int32_t>> pool, sets;
  for (NodeId u = 0; u < std::min(family.fixed, family.topic_sets); ++u) {
    pool.push_back(subset(family.topics, family.topics_of));
  }
  for (NodeId u = 0; u < family.fixed; ++u) sets.push_back(pool[rng.below(pool.size())]);
  builder.set_topics(family.topics, sets);

  std::vector<std::vector<float>> preferences(at(family.users));
  std::vector<std::vector<NodeId>> neighbours;
  for (auto& own : preferences) {
    for (int topic = 0; topic < family.topics; ++topic) {
      own.push_back(static_cast<float>(family.levels > 0
                                           ? static_cast<double>(rng.below(at(family.levels) + 1))
                                           : rng.uniform()));
    }
    neighbours.push_back(subset(family.fixed, family.edges));
  }
  for (int t = 0; t < family.arrivals; ++t) {
    const std::uint64_t user = rng.below(at(family.users));
    if (!family.constant) neighbours[user] = subset(family.fixed, family.edges);
    const std::vector<float> weights(neighbours[user].size(), 1);
    const bool anonymous = rng.uniform() < family.anonymous;
    builder.arrive(neighbours[user], weights, anonymous ? kNoType : static_cast<int>(user) * 7 - 3,
                   preferences[user]);
  }
  return std::move(builder).build();
}

/// What users have covered so far.
class Covered {
 public:
  explicit Covered(const Instance& instance) : instance_(instance) {}

  /// Covers the node's topics for the user of arrival t; returns the gain and what is new.
  double add(int t, NodeId node, std::vector<std::int32_t>& fresh) {
    const Arrival arrival = instance_.arrival(t);
    double gain = 0;
    for (const std::int32_t topic : instance_.market().topics_of(node)) {
      if (!topics_[user(t)].insert(topic).second) continue;
      fresh.push_back(topic);
      gain += arrival.preferences[at(topic)];
    }
    return gain;
  }
  void remove(int t, const std::vector<std::int32_t>& fresh) {
    for (const std::int32_t topic : fresh) topics_[user(t)].erase(topic);
  }

 private:
  std::pair<std::int32_t, int> user(int t) const {
    const std::int32_t type = instance_.arrival(t).type;
    return {type, type == kNoType ? t : 0};
  }

  const Instance& instance_;
  std::map<std::pair<std::int32_t, int>, std::set<std::int32_t>> topics_;
};

double brute_force(const Instance& instance) {
  Covered covered(instance);
  std::vector<bool> used(at(instance.market().num_fixed));
  const std::function<double(int)> best_from = [&](int t) -> double {
    if (t == instance.num_arrivals()) return 0;
    double best = best_from(t + 1);
    for (const NodeId node : instance.arrival(t).nodes) {
      if (used[at(node)]) continue;
      used[at(node)] = true;
      std::vector<std::int32_t> fresh;
      const double gain = covered.add(t, node, fresh);
      best = std::max(best, gain + best_from(t + 1));
      covered.remove(t, fresh);
      used[at(node)] = false;
    }
    return best;
  };
  return best_from(0);
}

/// A label keeps the rules, says what its matching is worth, and wastes no node.
void expect_sound(const Instance& instance, const Label& label) {
  ASSERT_EQ(label.matching.size(), at(instance.num_arrivals()));
  Covered covered(instance);
  std::set<NodeId> used;
  double value = 0;
  for (int t = 0; t < instance.num_arrivals(); ++t) {
    const NodeId node = label.matching[at(t)];
    if (node == kSkip) continue;
    const auto nodes = instance.arrival(t).nodes;
    EXPECT_TRUE(std::binary_search(nodes.begin(), nodes.end(), node));
    EXPECT_TRUE(used.insert(node).second) << "node " << node << " is matched twice";
    std::vector<std::int32_t> fresh;
    const double gain = covered.add(t, node, fresh);
    EXPECT_GT(gain, 0) << "node " << node << " adds nothing";
    value += gain;
  }
  EXPECT_NEAR(label.value, value, 1e-12 * value);
  EXPECT_EQ(label.value, coverage_value(instance, label.matching));
  EXPECT_GE(label.bound, label.value);
}

void expect_optimal(const Instance& instance, const Label& label, double optimum) {
  expect_sound(instance, label);
  EXPECT_TRUE(label.proven());
  EXPECT_NEAR(label.value, optimum, 1e-9 * optimum);
}

const std::vector<Family> kSmallFamilies = {
    {.fixed = 4, .arrivals = 5, .users = 3, .topics = 4},
    {.fixed = 4, .arrivals = 5, .users = 2, .topics = 5, .edges = 0.6},
    {.fixed = 5, .arrivals = 5, .users = 2, .topics = 6, .edges = 1, .topic_sets = 3},
    {.fixed = 6, .arrivals = 3, .users = 2, .topics = 4, .levels = 1},
    {.fixed = 2, .arrivals = 7, .users = 4, .topics = 3, .edges = 0.5, .levels = 2},
    {.fixed = 4, .arrivals = 5, .users = 5, .topics = 4, .anonymous = 0.5},
    {.fixed = 4, .arrivals = 5, .users = 2, .topics = 4, .edges = 0.6, .constant = false},
    {.fixed = 5, .arrivals = 5, .users = 1, .topics = 5, .levels = 3, .constant = false},
    {.fixed = 3, .arrivals = 4, .users = 3, .topics = 4, .edges = 0.1},
};

TEST(Coverage, EqualsBruteForceOnSmallInstances) {
  CoverageSolver solver;
  for (const Family& family : kSmallFamilies) {
    for (std::uint64_t i = 0; i < 300; ++i) {
      const Instance instance = draw(family, i);
      expect_optimal(instance, solver.solve(instance), brute_force(instance));
      if (family.constant) {
        EXPECT_GT(solver.num_nodes(), 0) << "the search gave up";
      }
    }
  }
}

TEST(Coverage, IntegerProgramEqualsBruteForceOnSmallInstances) {
  for (const Family& family : kSmallFamilies) {
    for (std::uint64_t i = 0; i < 60; ++i) {
      const Instance instance = draw(family, i);
      expect_optimal(instance, solve_coverage_ip(instance), brute_force(instance));
    }
  }
}

/// Families in which the linear program over bundles is often divided, so that the search must
/// branch: on sets of topics, and in the second also on kinds of one set.
const std::vector<Family> kDividedFamilies = {
    {.fixed = 24, .arrivals = 24, .users = 8, .topics = 12, .edges = 0.5, .topics_of = 0.25},
    {.fixed = 24,
     .arrivals = 24,
     .users = 8,
     .topics = 12,
     .edges = 0.8,
     .topics_of = 0.25,
     .topic_sets = 6},
    {.fixed = 20, .arrivals = 24, .users = 8, .topics = 8, .edges = 0.7, .levels = 1},
};

TEST(Coverage, EqualsIntegerProgramOnLargerInstances) {
  std::vector<Family> families = kDividedFamilies;
  families.push_back(
      {.fixed = 30, .arrivals = 40, .users = 60, .topics = 10, .edges = 0.97, .topic_sets = 15});
  families.push_back({.fixed = 30, .arrivals = 20, .users = 30, .topics = 10, .levels = 2});
  CoverageSolver solver;
  for (const Family& family : families) {
    for (std::uint64_t i = 0; i < 20; ++i) {
      const Instance instance = draw(family, i);
      const Label program = solve_coverage_ip(instance);
      expect_optimal(instance, program, program.value);
      expect_optimal(instance, solver.solve(instance), program.value);
      EXPECT_GT(solver.num_nodes(), 0) << "the search gave up";
    }
  }
}

TEST(Coverage, MoreTopicsThanBitsInAWord) {
  const Family family{.fixed = 6, .arrivals = 5, .users = 2, .topics = 90, .topics_of = 0.05};
  CoverageSolver solver;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const Instance instance = draw(family, i);
    expect_optimal(instance, solver.solve(instance), brute_force(instance));
  }
}

TEST(Coverage, MoreThan64Users) {
  const Family family{.fixed = 12, .arrivals = 150, .users = 140, .topics = 6, .edges = 0.5};
  CoverageSolver solver;
  for (std::uint64_t i = 0; i < 5; ++i) {
    const Instance instance = draw(family, i);
    expect_optimal(instance, solver.solve(instance), solve_coverage_ip(instance).value);
  }
}

TEST(Coverage, UsersWithTooManyBundlesToSearch) {
  const Instance instance = draw(
      {.fixed = 60, .arrivals = 30, .users = 2, .topics = 30, .edges = 1, .topics_of = 0.1}, 0);
  CoverageSolver solver;
  expect_optimal(instance, solver.solve(instance), solve_coverage_ip(instance).value);
  EXPECT_EQ(solver.num_nodes(), 0) << "the search was expected to give up";
}

TEST(Coverage, ScaleOfPreferencesDoesNotMatter) {
  CoverageSolver solver;
  for (const float scale : {1e-12F, 1e12F}) {
    InstanceBuilder plain(3), scaled(3);
    for (InstanceBuilder* builder : {&plain, &scaled}) {
      builder->set_topics(3, {{0, 1}, {1, 2}, {0, 2}});
    }
    for (const std::int32_t user : {1, 1, 2}) {
      std::vector<float> preferences = {0.5F, 0.75F, 0.25F * static_cast<float>(user)};
      const std::vector<NodeId> nodes = {0, 1, 2};
      const std::vector<float> weights(3, 1);
      plain.arrive(nodes, weights, user, preferences);
      for (float& preference : preferences) preference *= scale;
      scaled.arrive(nodes, weights, user, preferences);
    }
    const Label expected = solver.solve(std::move(plain).build());
    const Label label = solver.solve(std::move(scaled).build());
    EXPECT_TRUE(label.proven());
    EXPECT_NEAR(label.value, expected.value * static_cast<double>(scale), 1e-6 * label.value);
  }
}

TEST(Coverage, NothingToCover) {
  const std::vector<NodeId> nodes = {0, 1};
  const std::vector<float> weights = {1, 1};
  InstanceBuilder no_topics(2), no_preferences(2), no_interest(2), no_arrivals(2), no_fixed(0);
  no_topics.arrive(nodes, weights, 5);
  no_preferences.set_topics(2, {{0}, {1}});
  no_preferences.arrive(nodes, weights, 5);
  no_interest.set_topics(2, {{0}, {1}});
  no_interest.arrive(nodes, weights, 5, std::vector<float>{0, 0});
  no_arrivals.set_topics(2, {{0}, {1}});
  no_fixed.arrive({}, {}, 5);
  CoverageSolver solver;
  for (InstanceBuilder* builder :
       {&no_topics, &no_preferences, &no_interest, &no_arrivals, &no_fixed}) {
    const Instance instance = std::move(*builder).build();
    const Label nothing{0, 0, std::vector<NodeId>(at(instance.num_arrivals()), kSkip)};
    EXPECT_EQ(solver.solve(instance), nothing);
    EXPECT_EQ(solve_coverage_ip(instance), nothing);
  }
}

TEST(Coverage, VisitsGetNodesInOrderOfFallingGain) {
  const Family family{.fixed = 12, .arrivals = 12, .users = 4, .topics = 8};
  CoverageSolver solver;
  for (std::uint64_t i = 0; i < 50; ++i) {
    const Instance instance = draw(family, i);
    const Label label = solver.solve(instance);
    Covered covered(instance);
    std::map<std::int32_t, double> last;
    for (int t = 0; t < instance.num_arrivals(); ++t) {
      const NodeId node = label.matching[at(t)];
      std::vector<std::int32_t> fresh;
      const double gain = node == kSkip ? 0 : covered.add(t, node, fresh);
      const auto entry = last.emplace(instance.arrival(t).type, gain).first;
      EXPECT_LE(gain, entry->second);
      entry->second = gain;
    }
  }
}

TEST(Coverage, EarlierInstancesDoNotInfluenceResults) {
  std::vector<Instance> instances;
  for (const Family& family : kDividedFamilies) instances.push_back(draw(family, 3));
  CoverageSolver reused;
  for (int round = 0; round < 2; ++round) {
    for (const Instance& instance : instances) {
      EXPECT_EQ(reused.solve(instance), CoverageSolver().solve(instance));
    }
  }
}

TEST(Coverage, OutOfTimeStillGivesAMatchingAndABound) {
  const Instance instance = draw({.fixed = 60, .arrivals = 60, .users = 40, .topics = 12}, 1);
  CoverageSolver solver;
  const Label optimal = solver.solve(instance);
  ASSERT_TRUE(optimal.proven());
  for (const Label& hasty : {solver.solve(instance, {.time_limit_seconds = 0}),
                             solve_coverage_ip(instance, {.time_limit_seconds = 0})}) {
    expect_sound(instance, hasty);
    EXPECT_FALSE(hasty.proven());
    EXPECT_LE(hasty.value, optimal.value);
    EXPECT_GE(hasty.bound, optimal.value);
  }
}

}  // namespace
}  // namespace foresight
