#include "foresight/train/losses.h"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

namespace foresight {
namespace {

using Vector = std::vector<double>;

std::vector<float> softmax(const Vector& scores) {
  double total = 0;
  for (const double s : scores) total += std::exp(s);
  std::vector<float> p;
  for (const double s : scores) p.push_back(static_cast<float>(std::exp(s) / total));
  return p;
}

void expect_gradient(const std::vector<float>& gradient, const Vector& at,
                     const std::function<double(const Vector&)>& loss) {
  for (std::size_t i = 0; i < at.size(); ++i) {
    Vector up = at, down = at;
    up[i] += 1e-4;
    down[i] -= 1e-4;
    EXPECT_NEAR(gradient[i], (loss(up) - loss(down)) / 2e-4, 1e-4) << "score " << i;
  }
}

TEST(PolicyLoss, GradientEqualsFiniteDifferences) {
  const Vector scores = {0.3, -1.2, 0.9, 0.1};
  for (const double advantage : {-0.7, 0.0, 1.3}) {
    for (const double rate : {0.0, 0.05, 2.0}) {
      // An independent formula, in double precision.
      const auto loss = [&](const Vector& x) {
        double total = 0, h = 0;
        for (const double s : x) total += std::exp(s);
        for (const double s : x) h -= std::exp(s) / total * (s - std::log(total));
        return advantage * (x[2] - std::log(total)) - rate * h;
      };
      std::vector<float> gradient(4);
      const double value = policy_loss(softmax(scores), 2, advantage, rate, 1.0, gradient);
      EXPECT_NEAR(value, loss(scores), 1e-6);
      expect_gradient(gradient, scores, loss);
    }
  }
}

TEST(PolicyLoss, ProbabilitiesRoundedToZeroDoNoHarm) {
  const std::vector<float> p = {1, 0, 0};
  std::vector<float> gradient(3);
  EXPECT_TRUE(std::isfinite(policy_loss(p, 1, 1.0, 0.1, 1.0, gradient)));
  for (const float g : gradient) EXPECT_TRUE(std::isfinite(g));
}

TEST(ImitationLoss, GradientEqualsFiniteDifferences) {
  const Vector outputs = {2.5, -1.0, 0.4};
  const auto loss = [](const Vector& x) {
    double total = 0;
    for (const double s : x) total += std::exp(s);
    return std::log(total) - x[1];
  };
  std::vector<float> gradient(3);
  const std::vector<float> single(outputs.begin(), outputs.end());
  EXPECT_NEAR(imitation_loss(single, 1, 1.0, gradient), loss(outputs), 1e-6);
  expect_gradient(gradient, outputs, loss);
}

TEST(Entropy, IsThatOfTheDistribution) {
  EXPECT_NEAR(entropy(std::vector<float>{0.25F, 0.25F, 0.25F, 0.25F}), std::log(4.0), 1e-6);
  EXPECT_EQ(entropy(std::vector<float>{1, 0}), 0);
}

}  // namespace
}  // namespace foresight
