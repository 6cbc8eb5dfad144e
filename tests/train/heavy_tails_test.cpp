// Weights whose largest are thousands of times the median, in any unit: nobody diverges, nobody ends
// behind greedy in silence, and another unit changes results by noise only.
#include <cmath>

#include "tests/temp_folder.h"
#include <gtest/gtest.h>

#include "foresight/base/rng.h"
#include "foresight/solve/solver.h"
#include "foresight/train/run.h"

namespace foresight {
namespace {

/// Log-normal weights, one in a hundred of them above a thousand times the median.
BoundDataset heavy(std::size_t count, std::uint64_t seed, double unit) {
  constexpr double kSigma = 3;
  std::vector<Instance> instances;
  for (std::uint64_t i = 0; i < count; ++i) {
    Rng rng(seed, Stream::kInstance, i);
    InstanceBuilder builder(4);
    for (int t = 0; t < 16; ++t) {
      std::vector<NodeId> nodes;
      std::vector<float> weights;
      for (NodeId u = 0; u < 4; ++u) {
        if (rng.uniform() > 0.4) continue;
        nodes.push_back(u);
        weights.push_back(static_cast<float>(unit * std::exp(kSigma * rng.normal())));
      }
      builder.arrive(nodes, weights);
    }
    instances.push_back(std::move(builder).build());
  }
  const BoundDataset data = bind_data(Dataset::gather({.problem = "e-obm"}, {}, instances));
  return solve(data, {}, no_progress());
}

class HeavyTails : public testing::TestWithParam<std::string> {
 protected:
  RunResult learn(double unit) const {
    const TempFolder folder;
    RunOptions options;
    options.model = GetParam();
    options.train_data = heavy(400, 1, unit);
    options.validation_data = heavy(200, 2, unit);
    options.instances = 1'500;
    options.epochs = 6;
    options.folder = folder.path() / "run";
    return train(options, no_progress());
  }
};

TEST_P(HeavyTails, DoNoHarm) {
  const RunResult result = learn(1);
  EXPECT_TRUE(std::isfinite(result.best_ratio));
  // Short runs: those of the paper have only begun to learn, the others are far ahead.
  const bool improved = GetParam() == "inv-ff-plus" || GetParam().ends_with("value");
  EXPECT_GT(result.best_ratio, improved ? 1.5 * *result.greedy_ratio : 0.6 * *result.greedy_ratio);
  // Whoever is no better than a rule says so.
  if (result.best_ratio <= std::max(*result.greedy_ratio, *result.threshold_ratio)) {
    EXPECT_TRUE(result.unbeaten);
  }
  // A thousand is no power of two, so numbers are rounded differently.
  const RunResult other = learn(1000);
  EXPECT_NEAR(*other.greedy_ratio, *result.greedy_ratio, 1e-6);
  EXPECT_NEAR(*other.threshold_ratio, *result.threshold_ratio, 1e-6);
  EXPECT_NEAR(other.best_ratio, result.best_ratio, 0.05);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& entry : models().entries()) all.push_back(entry.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Registered, HeavyTails, testing::ValuesIn(names()), [](const auto& test) {
  std::string name = test.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace foresight
