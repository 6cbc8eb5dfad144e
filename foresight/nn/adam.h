// Adam (Kingma and Ba, 2015) with bias correction, and clipping of the gradient's norm, both as
// PyTorch defines them.
//
//   Adam adam(parameters);
//   clip_norm(gradient, 1.0);
//   adam.step(parameters, gradient, learning_rate);
//
// The time of a step is linear in the number of parameters. Steps are deterministic.
#pragma once

#include <cstdint>

#include "foresight/nn/parameters.h"

namespace foresight {

struct AdamOptions {
  double beta1 = 0.9;     // decay of the running mean of gradients
  double beta2 = 0.999;   // decay of the running mean of squared gradients
  double epsilon = 1e-8;  // added to the root in the denominator
};

class Adam {
 public:
  /// Everything that a checkpoint needs to continue.
  struct State {
    Parameters mean;    // of the gradients
    Parameters square;  // of the squared gradients
    std::int64_t steps = 0;

    friend bool operator==(const State&, const State&) = default;
  };

  explicit Adam(const Parameters& layout, const AdamOptions& options = {})
      : Adam(State{layout.zeros(), layout.zeros()}, options) {}
  explicit Adam(State state, const AdamOptions& options = {});

  /// Parameters, gradient and state must have the same layout.
  void step(Parameters& parameters, const Parameters& gradient, double learning_rate);

  const State& state() const { return state_; }

 private:
  AdamOptions options_;
  State state_;
};

/// The Euclidean norm of all values together.
double norm(const Parameters& gradient);

/// Scales the gradient to `max_norm` if its norm is larger. Returns the norm before.
double clip_norm(Parameters& gradient, double max_norm);

}  // namespace foresight
