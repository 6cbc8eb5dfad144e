#include "foresight/nn/adam.h"

#include <cassert>
#include <cmath>
#include <utility>

#include "foresight/base/error.h"
#include "foresight/base/kernel.h"

namespace foresight {

namespace {

struct Step {
  float beta1, rest1;  // rest = 1 - beta
  float beta2, rest2;
  float rate;  // the learning rate over the mean's bias correction
  float root;  // of the square's bias correction, inverted
  float epsilon;
};

FORESIGHT_KERNEL
void update(const Step& step, std::size_t count, const float* __restrict gradient,
            float* __restrict mean, float* __restrict square, float* __restrict values) {
  for (std::size_t i = 0; i < count; ++i) {
    const float g = gradient[i];
    mean[i] = step.beta1 * mean[i] + step.rest1 * g;
    square[i] = step.beta2 * square[i] + step.rest2 * g * g;
    values[i] -= step.rate * mean[i] / (std::sqrt(square[i]) * step.root + step.epsilon);
  }
}

}  // namespace

Adam::Adam(State state, const AdamOptions& options) : options_(options), state_(std::move(state)) {
  if (!state_.mean.same_layout(state_.square) || state_.steps < 0) {
    fail(ErrorCode::kData,
         "the state of Adam is inconsistent: expected equal layouts of both means and at least 0 "
         "steps, got {} steps",
         state_.steps);
  }
}

void Adam::step(Parameters& parameters, const Parameters& gradient, double learning_rate) {
  assert(parameters.same_layout(state_.mean) && gradient.same_layout(state_.mean));
  const auto [beta1, beta2, epsilon] = options_;
  const auto steps = static_cast<double>(++state_.steps);
  const Step step = {static_cast<float>(beta1),
                     static_cast<float>(1 - beta1),
                     static_cast<float>(beta2),
                     static_cast<float>(1 - beta2),
                     static_cast<float>(learning_rate / (1 - std::pow(beta1, steps))),
                     static_cast<float>(1 / std::sqrt(1 - std::pow(beta2, steps))),
                     static_cast<float>(epsilon)};
  update(step, gradient.values().size(), gradient.values().data(), state_.mean.values().data(),
         state_.square.values().data(), parameters.values().data());
}

double norm(const Parameters& gradient) {
  // Partial sums: the compiler may not reorder one sum, but it can compute several side by side.
  constexpr std::size_t kSums = 8;
  double sums[kSums] = {};
  const std::span<const float> values = gradient.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = values[i];
    sums[i % kSums] += value * value;
  }
  double total = 0;
  for (const double sum : sums) total += sum;
  return std::sqrt(total);
}

double clip_norm(Parameters& gradient, double max_norm) {
  const double before = norm(gradient);
  const double scale = max_norm / (before + 1e-6);
  if (scale < 1) {
    for (float& value : gradient.values()) value *= static_cast<float>(scale);
  }
  return before;
}

}  // namespace foresight
