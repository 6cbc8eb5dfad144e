// Trains a network on raw inputs as if every input had mean 0 and deviation 1.
//
// Inputs that differ by a hundredth are learned a hundred times slower than those that differ by 1.
// Standardised inputs would solve this, but then every program that runs the network would have to
// standardise them too. So only the optimiser sees the standardised network. It is the same
// function, written as W' (x - mean) / deviation + b' instead of W x + b.
//
//   InputScale scale("ff.0.weight", "ff.0.bias", means, deviations);
//   scale.gradient_to_inner(gradient);  // of W and b -> of W' and b'
//   scale.to_inner(parameters);         // W, b -> W', b'
//   adam.step(parameters, gradient, learning_rate);
//   scale.to_outer(parameters);         // and back
#pragma once

#include <string>
#include <vector>

#include "foresight/nn/parameters.h"

namespace foresight {

class InputScale {
 public:
  /// One mean and deviation per input. An input that never changed (deviation 0) stays as it is.
  InputScale(std::string weight, std::string bias, std::vector<double> means,
             std::vector<double> deviations);

  void to_inner(Parameters& parameters) const;
  void to_outer(Parameters& parameters) const;
  void gradient_to_inner(Parameters& gradient) const;

  const std::vector<double>& means() const { return means_; }
  const std::vector<double>& deviations() const { return deviations_; }

 private:
  std::string weight_;  // names of the first layer's tensors
  std::string bias_;
  std::vector<double> means_;
  std::vector<double> deviations_;
};

}  // namespace foresight
