#include "foresight/problem/state.h"

#include <limits>
#include <numeric>
#include <utility>

#include "tests/expect_error.h"
#include <gtest/gtest.h>

#include "foresight/base/rng.h"
#include "foresight/data/source.h"

namespace foresight {
namespace {

std::vector<NodeId> offered(const State& state) {
  std::vector<NodeId> nodes;
  for (const Offer& offer : state.offers()) nodes.push_back(offer.node);
  return nodes;
}

using Nodes = std::vector<NodeId>;
using Weights = std::vector<float>;

TEST(EdgeObm, ANodeIsOfferedUntilItIsMatched) {
  InstanceBuilder builder(3);
  builder.arrive(Nodes{0, 2}, Weights{0.5F, 0.25F});
  builder.arrive(Nodes{0, 1, 2}, Weights{1, 2, 3});
  const Instance instance = std::move(builder).build();
  const auto problem = problems().make("e-obm");
  State state(*problem, instance.market());
  state.arrive(instance.arrival(0));
  EXPECT_EQ(offered(state), (Nodes{0, 2}));
  EXPECT_EQ(state.decide(0), 0.5F);
  state.arrive(instance.arrival(1));
  EXPECT_EQ(offered(state), (Nodes{1, 2}));
  EXPECT_EQ(state.edges().size(), 3U) << "matched neighbours are still seen";
  EXPECT_EQ(state.decide(kSkip), 0.0F);
  EXPECT_EQ(state.value(), 0.5);
}

/// Gains and costs as somebody outside this library might compute them.
class OwnPrices : public Problem {
 public:
  OwnPrices(float gain, float cost) : gain_(gain), cost_(cost) {}
  std::string name() const override { return "own"; }
  Traits traits() const override { return {Traits::Gain::kOwn, Traits::Use::kOther}; }
  float capacity(const Market&, NodeId) const override { return 1; }
  std::unique_ptr<Ledger> open(const Market&) const override {
    class Prices : public Ledger {
     public:
      explicit Prices(const OwnPrices& problem) : problem_(problem) {}
      void price(const Arrival& arrival, std::span<Offer> offers) override {
        for (std::size_t i = 0; i < offers.size(); ++i) {
          offers[i] = {arrival.nodes[i], problem_.gain_, problem_.cost_};
        }
      }
      void commit(const Arrival&, NodeId) override {}

     private:
      const OwnPrices& problem_;
    };
    return std::make_unique<Prices>(*this);
  }
  void check(const Instance&) const override {}

 private:
  float gain_, cost_;
};

TEST(State, PricesThatAreNoAmountsAreRefused) {
  InstanceBuilder builder(1);
  builder.arrive(Nodes{0}, Weights{1});
  const Instance instance = std::move(builder).build();
  const auto arrive = [&](float gain, float cost) {
    const OwnPrices problem(gain, cost);
    State(problem, instance.market()).arrive(instance.arrival(0));
  };
  arrive(0.5F, 1);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const auto& [gain, cost] :
       {std::pair(-1.0F, 1.0F), {nan, 1.0F}, {1.0F, -1.0F}, {1.0F, nan}}) {
    expect_error(ErrorCode::kData, {"\"own\"", "node 0", ">= 0"}, [&] { arrive(gain, cost); });
  }
}

TEST(Adwords, ABidIsAllowedWhileTheBudgetCoversIt) {
  InstanceBuilder builder(2);
  builder.set_capacities({1.0F, 0.3F});
  for (int t = 0; t < 4; ++t) builder.arrive(Nodes{0, 1}, Weights{0.5F, 0.31F});
  const Instance instance = std::move(builder).build();
  const auto problem = problems().make("adwords");
  State state(*problem, instance.market());
  for (int t = 0; t < 2; ++t) {
    state.arrive(instance.arrival(t));
    EXPECT_EQ(offered(state), Nodes{0}) << "0.31 is more than the budget 0.3";
    state.decide(0);
  }
  state.arrive(instance.arrival(2));
  EXPECT_TRUE(offered(state).empty());
  EXPECT_EQ(state.value(), 1.0);
}

TEST(Adwords, TinyBidsCannotOverspendWithoutEnd) {
  InstanceBuilder builder(1);
  builder.set_capacities({0.5F});
  builder.arrive(Nodes{0}, Weights{0.5F});
  for (int t = 0; t < 100; ++t) builder.arrive(Nodes{0}, Weights{6e-6F});
  const Instance instance = std::move(builder).build();
  const auto problem = problems().make("adwords");
  State state(*problem, instance.market());
  for (int t = 0; t < instance.num_arrivals(); ++t) {
    state.arrive(instance.arrival(t));
    state.decide(state.offers().empty() ? kSkip : 0);
  }
  EXPECT_LE(state.value(), 0.5 + kCapacityTolerance + 1e-9);
}

TEST(Adwords, ABudgetOfManyEqualBidsIsSpentInFull) {
  for (int i = 0; i < 200; ++i) {
    const double bid = 0.1 + 0.0015 * i;
    InstanceBuilder builder(1);
    builder.set_capacities({static_cast<float>(bid * 100)});
    for (int t = 0; t < 101; ++t) builder.arrive(Nodes{0}, Weights{static_cast<float>(bid)});
    const Instance instance = std::move(builder).build();
    const auto problem = problems().make("adwords");
    State state(*problem, instance.market());
    int matched = 0;
    for (int t = 0; t < 101; ++t) {
      state.arrive(instance.arrival(t));
      matched += !state.offers().empty();
      state.decide(state.offers().empty() ? kSkip : 0);
    }
    EXPECT_EQ(matched, 100) << bid;
  }
}

TEST(Osbm, GainsAreTheTopicsNotYetCoveredForThatUser) {
  InstanceBuilder builder(3);
  builder.set_topics(3, {{0, 1}, {1, 2}, {2}});
  const Weights alice{0.5F, 0.25F, 0.125F};
  const Weights bob{1, 1, 1};
  builder.arrive(Nodes{0, 1, 2}, Weights{1, 1, 1}, 7, alice);
  builder.arrive(Nodes{0, 1, 2}, Weights{1, 1, 1}, 3, bob);
  builder.arrive(Nodes{0, 1, 2}, Weights{1, 1, 1}, 7, alice);
  builder.arrive(Nodes{0, 1, 2}, Weights{1, 1, 1}, kNoType, alice);
  const Instance instance = std::move(builder).build();
  const auto problem = problems().make("osbm");
  State state(*problem, instance.market());
  state.arrive(instance.arrival(0));
  EXPECT_EQ(state.edges()[0].gain, 0.75F);
  EXPECT_EQ(state.edges()[1].gain, 0.375F);
  state.decide(0);
  state.arrive(instance.arrival(1));
  EXPECT_EQ(state.edges()[1].gain, 2.0F) << "another user starts from nothing";
  EXPECT_EQ(offered(state), (Nodes{1, 2}));
  state.decide(2);
  state.arrive(instance.arrival(2));
  EXPECT_EQ(state.edges()[0].gain, 0.0F);
  EXPECT_EQ(state.edges()[1].gain, 0.125F) << "topic 1 is covered for this user already";
  EXPECT_EQ(state.decide(1), 0.125F);
  state.arrive(instance.arrival(3));
  EXPECT_EQ(state.edges()[0].gain, 0.75F) << "an arrival without a type is a user of its own";
  EXPECT_TRUE(state.offers().empty());
}

// The history must equal what one would compute from all past arrivals at every step.
TEST(State, HistoryEqualsARecountFromScratch) {
  const auto problem = problems().make("e-obm");
  const auto source = sources().make("er(u=6,v=40,p=0.4)");
  for (std::uint64_t i = 0; i < 20; ++i) {
    const Instance instance = source->draw(5, i);
    State state(*problem, instance.market());
    Rng rng(9, Stream::kPolicy, i);
    std::vector<std::vector<double>> seen(6);
    std::vector<double> matches;
    int skips = 0;
    for (int t = 0; t < instance.num_arrivals(); ++t) {
      const History& history = state.history();
      ASSERT_EQ(history.arrivals, t);
      ASSERT_EQ(history.skips, skips);
      ASSERT_EQ(history.matched_nodes, static_cast<int>(matches.size()));
      const auto check = [](const Moments& moments, const std::vector<double>& values) {
        const auto n = static_cast<double>(values.size());
        ASSERT_EQ(moments.count(), static_cast<int>(values.size()));
        const double mean = n == 0 ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / n;
        double variance = 0;
        for (const double x : values) variance += (x - mean) * (x - mean) / n;
        ASSERT_NEAR(moments.mean(), mean, 1e-12);
        ASSERT_NEAR(moments.variance(), variance, 1e-12);
      };
      for (std::size_t u = 0; u < 6; ++u) check(history.gains[u], seen[u]);
      check(history.matches, matches);
      if (!matches.empty()) {
        ASSERT_EQ(history.largest_match, *std::max_element(matches.begin(), matches.end()));
        ASSERT_EQ(history.smallest_match, *std::min_element(matches.begin(), matches.end()));
      }
      const Arrival arrival = instance.arrival(t);
      state.arrive(arrival);
      for (std::size_t e = 0; e < arrival.nodes.size(); ++e) {
        seen[static_cast<std::size_t>(arrival.nodes[e])].push_back(arrival.weights[e]);
      }
      const std::size_t choice = rng.below(state.offers().size() + 1);
      if (choice == 0) {
        state.decide(kSkip);
        ++skips;
      } else {
        matches.push_back(state.decide(state.offers()[choice - 1].node));
      }
    }
    EXPECT_NEAR(state.value(), std::accumulate(matches.begin(), matches.end(), 0.0), 1e-9);
  }
}

TEST(State, ADecisionForWhatIsNotOnOfferIsRefusedAndChangesNothing) {
  InstanceBuilder builder(3);
  for (int t = 0; t < 2; ++t) builder.arrive(Nodes{0, 2}, Weights{0.5F, 0.25F});
  const Instance instance = std::move(builder).build();
  const auto problem = problems().make("e-obm");
  State state(*problem, instance.market());
  expect_error(ErrorCode::kUsage, {"no arrival to decide"}, [&] { state.decide(0); });
  state.arrive(instance.arrival(0));
  state.decide(0);
  state.arrive(instance.arrival(1));
  // Used up, no neighbour, no node at all.
  for (const NodeId node : {0, 1, 3, 1'000'000, -2}) {
    expect_error(ErrorCode::kUsage,
                 {"arrival 1", fmt::format("node {}", node), "not among its offers"},
                 [&] { state.decide(node); });
    EXPECT_EQ(state.value(), 0.5);
    EXPECT_EQ(state.history().arrivals, 1);
    EXPECT_EQ(state.remaining(2), 1);
    EXPECT_EQ(state.last_choice(), 0);
    EXPECT_EQ(offered(state), Nodes{2});
  }
  EXPECT_EQ(state.decide(2), 0.25F);
  expect_error(ErrorCode::kUsage, {"no arrival to decide"}, [&] { state.decide(kSkip); });
}

// A bid of 0 leaves no trace in the budgets, so that who looks there takes it for a skip.
TEST(State, TellsTheLastChoiceEvenIfItCostNothing) {
  InstanceBuilder builder(2);
  builder.set_capacities({1, 1});
  for (int t = 0; t < 3; ++t) builder.arrive(Nodes{0, 1}, Weights{0, 0.5F});
  const Instance instance = std::move(builder).build();
  const auto problem = problems().make("adwords");
  State state(*problem, instance.market());
  EXPECT_EQ(state.last_choice(), kSkip);
  for (const NodeId choice : {NodeId{0}, kSkip, NodeId{1}}) {
    state.arrive(instance.arrival(state.history().arrivals));
    state.decide(choice);
    EXPECT_EQ(state.last_choice(), choice);
  }
  EXPECT_EQ(state.history().skips, 1);
}

}  // namespace
}  // namespace foresight
