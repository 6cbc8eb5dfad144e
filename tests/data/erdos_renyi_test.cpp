#include <cmath>
#include <map>

#include "tests/expect_error.h"
#include <gtest/gtest.h>

#include "foresight/data/source.h"

namespace foresight {
namespace {

TEST(ErdosRenyi, EdgesHaveTheGivenProbabilityAtEveryPair) {
  for (const double p : {0.05, 0.3, 0.9}) {
    const auto source = sources().make(fmt::format("er(u=8,v=20,p={})", p));
    constexpr int kDraws = 2000;
    std::map<std::pair<int, NodeId>, int> count;
    std::int64_t edges = 0;
    for (int i = 0; i < kDraws; ++i) {
      const Instance instance = source->draw(1, static_cast<std::uint64_t>(i));
      ASSERT_EQ(instance.market().num_fixed, 8);
      ASSERT_EQ(instance.num_arrivals(), 20);
      edges += instance.num_edges();
      for (int t = 0; t < 20; ++t) {
        for (const NodeId u : instance.arrival(t).nodes) ++count[{t, u}];
      }
    }
    const double pairs = 8.0 * 20 * kDraws;
    EXPECT_NEAR(static_cast<double>(edges) / pairs, p, 4 * std::sqrt(p * (1 - p) / pairs));
    ASSERT_EQ(count.size(), 160U);
    for (const auto& [pair, hits] : count) {
      EXPECT_NEAR(hits / double{kDraws}, p, 5 * std::sqrt(p * (1 - p) / kDraws));
    }
  }
}

TEST(ErdosRenyi, EdgesAreIndependent) {
  const auto source = sources().make("er(u=2,v=1,p=0.3)");
  constexpr int kDraws = 20'000;
  int both = 0;
  for (int i = 0; i < kDraws; ++i) {
    both += source->draw(1, static_cast<std::uint64_t>(i)).num_edges() == 2;
  }
  EXPECT_NEAR(both / double{kDraws}, 0.09, 4 * std::sqrt(0.09 * 0.91 / kDraws));
}

TEST(ErdosRenyi, WeightsAreUniformAboveZero) {
  const auto source = sources().make("er(u=10,v=100,p=0.5)");
  constexpr int kBins = 10;
  std::vector<int> bins(kBins);
  double sum = 0;
  int count = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const Instance instance = source->draw(2, i);
    for (const float weight : instance.view().weights) {
      ASSERT_GT(weight, 0);
      ASSERT_LE(weight, 1);
      ++bins[static_cast<std::size_t>(std::ceil(weight * kBins)) - 1];
      sum += weight;
      ++count;
    }
  }
  EXPECT_NEAR(sum / count, 0.5, 4 * std::sqrt(1.0 / 12 / count));
  for (const int bin : bins) EXPECT_NEAR(bin, count / 10.0, 5 * std::sqrt(count * 0.09));
}

TEST(ErdosRenyi, TheExtremesOfPAreTheEmptyAndTheCompleteGraph) {
  const Instance empty = sources().make("er(u=7,v=9,p=0)")->draw(1, 0);
  EXPECT_EQ(empty.num_edges(), 0);
  EXPECT_EQ(empty.num_arrivals(), 9);
  const Instance complete = sources().make("er(u=7,v=9,p=1)")->draw(1, 0);
  EXPECT_EQ(complete.num_edges(), 63);
  EXPECT_EQ(complete.arrival(8).degree(), 7);
  // A probability too small to hit must not overflow the distance to the next edge.
  EXPECT_EQ(sources().make("er(u=100000000,v=9,p=1e-300)")->draw(1, 0).num_edges(), 0);
}

TEST(ErdosRenyi, UnweightedEdgesWeighOne) {
  const Instance instance = sources().make("er(u=5,v=50,p=0.5,weight=one)")->draw(1, 0);
  ASSERT_GT(instance.num_edges(), 0);
  for (const float weight : instance.view().weights) EXPECT_EQ(weight, 1);
}

TEST(ErdosRenyi, IsMadeForEdgeWeightedMatching) {
  EXPECT_EQ(sources().make("er")->schema(), Schema{.problem = "e-obm"});
}

TEST(ErdosRenyi, OptionsOutOfRangeAreRefused) {
  for (const char* spec : {"er(u=0)", "er(v=0)", "er(p=1.01)", "er(p=-0.1)", "er(p=nan)",
                           "er(weight=two)", "er(q=1)"}) {
    expect_error(ErrorCode::kUsage, {"source \"er\""}, [&] { sources().make(spec); });
  }
}

}  // namespace
}  // namespace foresight
