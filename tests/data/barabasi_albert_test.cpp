#include <algorithm>
#include <cmath>

#include "tests/expect_error.h"
#include <gtest/gtest.h>

#include "foresight/data/source.h"

namespace foresight {
namespace {

std::vector<int> degrees_of(const Instance& instance) {
  std::vector<int> degrees(static_cast<std::size_t>(instance.market().num_fixed));
  for (const NodeId u : instance.view().nodes) ++degrees[static_cast<std::size_t>(u)];
  return degrees;
}

TEST(BarabasiAlbert, DegreesOfArrivalsAreBinomial) {
  const auto source = sources().make("ba(u=20,v=30,degree=5)");
  double sum = 0, squares = 0;
  int count = 0;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const Instance instance = source->draw(1, i);
    ASSERT_EQ(instance.num_arrivals(), 30);
    for (int t = 0; t < 30; ++t, ++count) {
      const double degree = instance.arrival(t).degree();
      sum += degree;
      squares += degree * degree;
    }
  }
  const double mean = sum / count;
  const double variance = 5 * (1 - 5 / 20.0);
  EXPECT_NEAR(mean, 5, 4 * std::sqrt(variance / count));
  EXPECT_NEAR(squares / count - mean * mean, variance, 0.15);
}

TEST(BarabasiAlbert, NeighboursAreDistinctAndReachTheFullDegree) {
  const Instance instance = sources().make("ba(u=15,v=40,degree=15)")->draw(1, 0);
  for (int t = 0; t < 40; ++t) EXPECT_EQ(instance.arrival(t).degree(), 15);
}

TEST(BarabasiAlbert, TheRichGetRicher) {
  // Under uniform attachment the degrees would have the variance of independent edges.
  const auto source = sources().make("ba(u=50,v=200,degree=2)");
  double variance = 0;
  int second_half_of_leaders = 0, second_half = 0;
  for (std::uint64_t i = 0; i < 50; ++i) {
    const Instance instance = source->draw(1, i);
    double squares = 0, sum = 0;
    for (const int degree : degrees_of(instance)) {
      sum += degree;
      squares += degree * degree;
    }
    variance += squares / 50 - (sum / 50) * (sum / 50);

    std::vector<int> early(50);
    for (int t = 0; t < 100; ++t) {
      for (const NodeId u : instance.arrival(t).nodes) ++early[static_cast<std::size_t>(u)];
    }
    const auto leader = std::max_element(early.begin(), early.end()) - early.begin();
    for (int t = 100; t < 200; ++t) {
      for (const NodeId u : instance.arrival(t).nodes) {
        ++second_half;
        second_half_of_leaders += u == leader;
      }
    }
  }
  EXPECT_GT(variance / 50, 2 * 200 * 0.04 * 0.96);
  EXPECT_GT(second_half_of_leaders, 3 * second_half / 50);
}

TEST(BarabasiAlbert, TheSecondArrivalPrefersTheFirstOnesNeighbour) {
  // Two nodes, one edge each time: the next falls on the same node with probability 2/3.
  const auto source = sources().make("ba(u=2,v=2,degree=1)");
  int same = 0, count = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const Instance instance = source->draw(1, i);
    if (instance.arrival(0).degree() != 1 || instance.arrival(1).degree() != 1) continue;
    ++count;
    same += instance.arrival(0).nodes[0] == instance.arrival(1).nodes[0];
  }
  ASSERT_GT(count, 4000);
  EXPECT_NEAR(same / double(count), 2.0 / 3, 4 * std::sqrt(2.0 / 9 / count));
}

TEST(BarabasiAlbert, WeightsAreNormalAroundTheFinalDegree) {
  const auto source = sources().make("ba(u=20,v=60,degree=10,scale=raw)");
  double sum = 0, squares = 0;
  int count = 0;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const Instance instance = source->draw(1, i);
    const auto degrees = degrees_of(instance);
    const InstanceView& view = instance.view();
    for (std::size_t e = 0; e < view.nodes.size(); ++e, ++count) {
      const double degree = degrees[static_cast<std::size_t>(view.nodes[e])];
      const double error = view.weights[e] - degree;
      sum += error;
      squares += error * error;
    }
  }
  ASSERT_GT(count, 10'000);
  const double deviation = 10 / 5.0;
  EXPECT_NEAR(sum / count, 0, 4 * deviation / std::sqrt(count));
  EXPECT_NEAR(std::sqrt(squares / count), deviation, 0.05);
}

TEST(BarabasiAlbert, TheScaleDividesByTheNumberOfArrivals) {
  const Instance raw = sources().make("ba(u=10,v=30,scale=raw)")->draw(5, 7);
  const Instance unit = sources().make("ba(u=10,v=30,scale=unit)")->draw(5, 7);
  ASSERT_EQ(raw.num_edges(), unit.num_edges());
  for (std::size_t e = 0; e < raw.view().weights.size(); ++e) {
    EXPECT_FLOAT_EQ(raw.view().weights[e], 30 * unit.view().weights[e]);
  }
}

TEST(BarabasiAlbert, FoldedWeightsNeverFallBelowTheDegree) {
  const Instance instance = sources().make("ba(u=10,v=30,weight=folded,scale=raw)")->draw(1, 0);
  const auto degrees = degrees_of(instance);
  const InstanceView& view = instance.view();
  for (std::size_t e = 0; e < view.nodes.size(); ++e) {
    EXPECT_GE(view.weights[e],
              static_cast<float>(degrees[static_cast<std::size_t>(view.nodes[e])]));
  }
}

TEST(BarabasiAlbert, ADegreeOfZeroHasNoEdges) {
  EXPECT_EQ(sources().make("ba(u=5,v=9,degree=0)")->draw(1, 0).num_edges(), 0);
}

TEST(BarabasiAlbert, ADegreeAboveTheNumberOfNodesIsRefused) {
  expect_error(ErrorCode::kUsage, {"\"degree\"", "at most u=10", "got 15"},
               [] { sources().make("ba(u=10,degree=15)"); });
}

}  // namespace
}  // namespace foresight
