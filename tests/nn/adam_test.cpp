#include "foresight/nn/adam.h"

#include <cmath>
#include <limits>
#include <vector>

#include "tests/expect_error.h"
#include <gtest/gtest.h>

#include "foresight/base/rng.h"

namespace foresight {
namespace {

Parameters vector_of(const std::vector<float>& values) {
  Parameters parameters;
  parameters.add("x", {values.size()});
  std::ranges::copy(values, parameters.values().begin());
  return parameters;
}

TEST(Adam, TheFirstStepMovesEveryValueByTheLearningRateAgainstItsGradient) {
  // m / (1 - beta1) = g and v / (1 - beta2) = g^2, so the step is g / |g|, whatever g's size.
  Parameters x = vector_of({1, 1, 1, 1});
  Adam adam(x);
  adam.step(x, vector_of({0.001f, -20, 3, 0}), 0.1);
  EXPECT_NEAR(x.values()[0], 0.9, 1e-5);
  EXPECT_NEAR(x.values()[1], 1.1, 1e-6);
  EXPECT_NEAR(x.values()[2], 0.9, 1e-6);
  EXPECT_EQ(x.values()[3], 1) << "no gradient, no step";
}

TEST(Adam, MatchesTheFormulasInDouble) {
  constexpr std::size_t kSize = 37;
  constexpr double kRate = 0.01, kBeta1 = 0.8, kBeta2 = 0.95, kEpsilon = 1e-3;
  Rng rng(1, Stream::kPolicy, 0);
  std::vector<double> x(kSize), m(kSize), v(kSize);
  Parameters parameters = vector_of(std::vector<float>(kSize));
  for (std::size_t i = 0; i < kSize; ++i) {
    parameters.values()[i] = static_cast<float>(rng.normal());
    x[i] = parameters.values()[i];
  }
  Adam adam(parameters, {.beta1 = kBeta1, .beta2 = kBeta2, .epsilon = kEpsilon});
  Parameters gradient = parameters.zeros();
  for (int t = 1; t <= 50; ++t) {
    for (std::size_t i = 0; i < kSize; ++i) {
      const float g =
          static_cast<float>(rng.normal() * std::pow(10, static_cast<double>(i % 7) - 4));
      gradient.values()[i] = g;
      m[i] = kBeta1 * m[i] + (1 - kBeta1) * g;
      v[i] = kBeta2 * v[i] + (1 - kBeta2) * double{g} * g;
      const double mean = m[i] / (1 - std::pow(kBeta1, t));
      const double square = v[i] / (1 - std::pow(kBeta2, t));
      x[i] -= kRate * mean / (std::sqrt(square) + kEpsilon);
    }
    adam.step(parameters, gradient, kRate);
  }
  for (std::size_t i = 0; i < kSize; ++i) EXPECT_NEAR(parameters.values()[i], x[i], 1e-5) << i;
}

// torch.optim.Adam(lr=0.1) on x = [1, -2] with gradients [0.5, -1], [0.25, 2], [-1, 0.5]: worked
// out by hand from its documentation.
TEST(Adam, MatchesThreeStepsWorkedOutByHand) {
  Parameters x = vector_of({1, -2});
  Adam adam(x);
  adam.step(x, vector_of({0.5f, -1}), 0.1);
  EXPECT_NEAR(x.values()[0], 0.9, 1e-6);
  EXPECT_NEAR(x.values()[1], -1.9, 1e-6);
  adam.step(x, vector_of({0.25f, 2}), 0.1);
  // m = 0.07 / 0.19, v = 0.00031225 / 0.001999;  m = 0.11 / 0.19, v = 0.004999 / 0.001999
  EXPECT_NEAR(x.values()[0], 0.9 - 0.1 * 0.3684210526 / 0.3952231468, 1e-6);
  EXPECT_NEAR(x.values()[1], -1.9 - 0.1 * 0.5789473684 / 1.5813674637, 1e-6);
  EXPECT_EQ(adam.state().steps, 2);
  EXPECT_NEAR(adam.state().mean.values()[0], 0.07, 1e-7);
  EXPECT_NEAR(adam.state().square.values()[1], 0.004999, 1e-8);
}

TEST(Adam, ContinuesFromItsStateAsIfNeverInterrupted) {
  Rng rng(1, Stream::kPolicy, 0);
  Parameters gradient = vector_of({1, 2, 3});
  Parameters x = gradient.zeros(), y = gradient.zeros();
  Adam whole(x), first(y);
  for (int i = 0; i < 5; ++i) {
    whole.step(x, gradient, 0.1);
    first.step(y, gradient, 0.1);
  }
  Adam second(first.state());
  for (int i = 0; i < 5; ++i) {
    gradient.values()[0] = static_cast<float>(rng.normal());
    whole.step(x, gradient, 0.1);
    second.step(y, gradient, 0.1);
  }
  EXPECT_EQ(x, y);
  EXPECT_EQ(whole.state(), second.state());
  EXPECT_EQ(whole.state().steps, 10);
}

TEST(Adam, RefusesAStateWhoseHalvesDoNotFit) {
  expect_error(ErrorCode::kData, {"Adam"}, [] { Adam({vector_of({1, 2}), vector_of({1}), 0}); });
  expect_error(ErrorCode::kData, {"-1"}, [] { Adam({vector_of({1}), vector_of({1}), -1}); });
}

TEST(ClipNorm, ScalesALongGradientAndReturnsItsNorm) {
  Parameters gradient = vector_of({3, 0, -4});
  EXPECT_DOUBLE_EQ(clip_norm(gradient, 1), 5);
  const double scale = 1 / (5 + 1e-6);
  EXPECT_FLOAT_EQ(gradient.values()[0], static_cast<float>(3 * scale));
  EXPECT_FLOAT_EQ(gradient.values()[2], static_cast<float>(-4 * scale));
  EXPECT_NEAR(norm(gradient), 1, 1e-6);
}

TEST(ClipNorm, LeavesAShortGradientAlone) {
  Parameters gradient = vector_of({3, 0, -4});
  const Parameters before = gradient;
  EXPECT_DOUBLE_EQ(clip_norm(gradient, 5.1), 5);
  EXPECT_EQ(gradient, before);
  Parameters zero = before.zeros();
  EXPECT_EQ(clip_norm(zero, 1), 0);
  EXPECT_EQ(zero, before.zeros());
}

TEST(Norm, CountsEveryValueOnce) {
  for (std::size_t size = 0; size <= 40; ++size) {
    Parameters values = vector_of(std::vector<float>(size, 2.0f));
    EXPECT_DOUBLE_EQ(norm(values), 2 * std::sqrt(static_cast<double>(size)));
  }
}

TEST(Norm, DoesNotOverflow) {
  const Parameters huge = vector_of({1e30f, 1e30f});
  EXPECT_NEAR(norm(huge) / 1e30, std::sqrt(2.0), 1e-6);
}

}  // namespace
}  // namespace foresight
