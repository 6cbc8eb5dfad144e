// The losses that trainers minimise, and their gradients by the scores of one decision.
#pragma once

#include <cstddef>
#include <span>

namespace foresight {

/// Of a distribution, in nats.
double entropy(std::span<const float> probabilities);

/// REINFORCE with an entropy bonus, for one decision:
///   loss = advantage * log p(choice) - entropy_rate * entropy,   advantage = cost - baseline.
/// Returns the loss and sets `gradient` to its derivative by the scores behind the softmax, times
/// `scale`.
double policy_loss(std::span<const float> probabilities, std::size_t choice, double advantage,
                   double entropy_rate, double scale, std::span<float> gradient);

/// Cross-entropy of the softmax of raw outputs against one target; the same conventions.
double imitation_loss(std::span<const float> outputs, std::size_t target, double scale,
                      std::span<float> gradient);

}  // namespace foresight
