#include "foresight/train/losses.h"

#include <algorithm>
#include <cmath>

namespace foresight {
namespace {

/// Probabilities may be rounded down to 0, where p log p is 0.
double safe_log(double p) {
  return std::log(std::max(p, 1e-30));
}

}  // namespace

double entropy(std::span<const float> probabilities) {
  double sum = 0;
  for (const float p : probabilities) sum -= p > 0 ? static_cast<double>(p * std::log(p)) : 0;
  return sum;
}

double policy_loss(std::span<const float> probabilities, std::size_t choice, double advantage,
                   double entropy_rate, double scale, std::span<float> gradient) {
  const double h = entropy(probabilities);
  for (std::size_t k = 0; k < probabilities.size(); ++k) {
    const auto p = static_cast<double>(probabilities[k]);
    const double by_choice = advantage * ((k == choice ? 1 : 0) - p);
    const double by_entropy = entropy_rate * p * (safe_log(p) + h);
    gradient[k] = static_cast<float>(scale * (by_choice + by_entropy));
  }
  return advantage * safe_log(static_cast<double>(probabilities[choice])) - entropy_rate * h;
}

double imitation_loss(std::span<const float> outputs, std::size_t target, double scale,
                      std::span<float> gradient) {
  const double best = *std::max_element(outputs.begin(), outputs.end());
  double total = 0;
  for (const float output : outputs) total += std::exp(static_cast<double>(output) - best);
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const double p = std::exp(static_cast<double>(outputs[k]) - best) / total;
    gradient[k] = static_cast<float>(scale * (p - (k == target ? 1 : 0)));
  }
  return best + std::log(total) - static_cast<double>(outputs[target]);
}

}  // namespace foresight
