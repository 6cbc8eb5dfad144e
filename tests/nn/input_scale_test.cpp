#include "foresight/nn/input_scale.h"

#include <cmath>

#include <gtest/gtest.h>

namespace foresight {
namespace {

constexpr std::size_t kInputs = 3, kOutputs = 2;
const std::vector<double> kMeans = {0.05, -40, 7}, kDeviations = {0.01, 5, 0};

InputScale scale() {
  return {"w", "b", kMeans, kDeviations};
}

/// A layer with weights of about 1 for inputs of deviation 1.
Parameters layer(Rng& rng) {
  Parameters parameters;
  parameters.add("w", {kOutputs, kInputs});
  parameters.add("b", {kOutputs});
  for (float& value : parameters.values()) value = static_cast<float>(rng.normal());
  return parameters;
}

double output(const Parameters& layer, std::size_t i, const std::vector<double>& x) {
  double y = layer["b"][i];
  for (std::size_t j = 0; j < kInputs; ++j) y += double{layer["w"][i * kInputs + j]} * x[j];
  return y;
}

std::vector<double> standardised(const std::vector<double>& x) {
  return {(x[0] - kMeans[0]) / kDeviations[0], (x[1] - kMeans[1]) / kDeviations[1], x[2]};
}

TEST(InputScale, BothFormsAreTheSameFunctionAndAnInputThatNeverChangedStaysAsItIs) {
  Rng rng(1, Stream::kPolicy, 0);
  const Parameters inner = layer(rng);
  Parameters outer = inner;
  scale().to_outer(outer);
  for (const std::vector<double>& x : {std::vector{0.06, -38.0, 7.0}, {0.03, -47.0, 2.0}}) {
    for (std::size_t i = 0; i < kOutputs; ++i) {
      EXPECT_NEAR(output(outer, i, x), output(inner, i, standardised(x)), 1e-5);
    }
  }
  Parameters back = outer;
  scale().to_inner(back);
  for (std::size_t k = 0; k < back.values().size(); ++k) {
    EXPECT_NEAR(back.values()[k], inner.values()[k], 2e-6) << k;
  }
}

TEST(InputScale, GradientsAreThoseOfTheInnerForm) {
  Rng rng(2, Stream::kPolicy, 0);
  const Parameters inner = layer(rng);
  const std::vector<double> x = {0.063, -44, 3};
  // Half the sum of the squared outputs, for which the outer gradient is known.
  Parameters outer = inner;
  scale().to_outer(outer);
  Parameters gradient = outer.zeros();
  for (std::size_t i = 0; i < kOutputs; ++i) {
    const double y = output(outer, i, x);
    gradient["b"][i] = static_cast<float>(y);
    for (std::size_t j = 0; j < kInputs; ++j) {
      gradient["w"][i * kInputs + j] = static_cast<float>(y * x[j]);
    }
  }
  scale().gradient_to_inner(gradient);

  const auto loss = [&](const Parameters& parameters) {
    double sum = 0;
    for (std::size_t i = 0; i < kOutputs; ++i) {
      sum += 0.5 * std::pow(output(parameters, i, standardised(x)), 2);
    }
    return sum;
  };
  for (std::size_t k = 0; k < gradient.values().size(); ++k) {
    Parameters low = inner, high = inner;
    low.values()[k] -= 0.01F;
    high.values()[k] += 0.01F;
    const double slope = (loss(high) - loss(low)) / double{high.values()[k] - low.values()[k]};
    EXPECT_NEAR(gradient.values()[k], slope, 1e-4 * (1 + std::abs(slope))) << k;
  }
}

}  // namespace
}  // namespace foresight
