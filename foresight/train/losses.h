// The losses that trainers minimise, and their gradients with respect to the scores of a decision.
//
//   loss += policy_loss(probabilities, choice, cost - baseline, 0.01, 1.0 / episodes, gradient);
#pragma once

#include <cstddef>
#include <span>

namespace foresight {

/// The entropy of a distribution, in nats.
double entropy(std::span<const float> probabilities);

/// REINFORCE with an entropy bonus, for one decision:
///   loss = advantage * log p(choice) - entropy_rate * entropy,   advantage = cost - baseline.
/// Returns the loss, and sets `gradient` to `scale` times its derivative with respect to the scores
/// behind the softmax.
double policy_loss(std::span<const float> probabilities, std::size_t choice, double advantage,
                   double entropy_rate, double scale, std::span<float> gradient);

/// Cross-entropy of the softmax of raw outputs against one target, with the same conventions.
double imitation_loss(std::span<const float> outputs, std::size_t target, double scale,
                      std::span<float> gradient);

}  // namespace foresight
