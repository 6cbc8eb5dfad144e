#include "foresight/nn/input_scale.h"

#include <cassert>
#include <cmath>
#include <utility>

namespace foresight {

InputScale::InputScale(std::string weight, std::string bias, std::vector<double> means,
                       std::vector<double> deviations)
    : weight_(std::move(weight)),
      bias_(std::move(bias)),
      means_(std::move(means)),
      deviations_(std::move(deviations)) {
  assert(means_.size() == deviations_.size());
  for (std::size_t j = 0; j < means_.size(); ++j) {
    if (deviations_[j] > 1e-6 * std::abs(means_[j])) continue;
    means_[j] = 0;
    deviations_[j] = 1;
  }
}

void InputScale::to_inner(Parameters& parameters) const {
  const auto weight = parameters[weight_], bias = parameters[bias_];
  for (std::size_t i = 0; i < bias.size(); ++i) {
    double shift = 0;
    for (std::size_t j = 0; j < means_.size(); ++j) {
      float& w = weight[i * means_.size() + j];
      shift += static_cast<double>(w) * means_[j];
      w = static_cast<float>(static_cast<double>(w) * deviations_[j]);
    }
    bias[i] = static_cast<float>(static_cast<double>(bias[i]) + shift);
  }
}

void InputScale::to_outer(Parameters& parameters) const {
  const auto weight = parameters[weight_], bias = parameters[bias_];
  for (std::size_t i = 0; i < bias.size(); ++i) {
    double shift = 0;
    for (std::size_t j = 0; j < means_.size(); ++j) {
      float& w = weight[i * means_.size() + j];
      w = static_cast<float>(static_cast<double>(w) / deviations_[j]);
      shift += static_cast<double>(w) * means_[j];
    }
    bias[i] = static_cast<float>(static_cast<double>(bias[i]) - shift);
  }
}

void InputScale::gradient_to_inner(Parameters& gradient) const {
  const auto weight = gradient[weight_];
  const auto bias = std::as_const(gradient)[bias_];
  for (std::size_t i = 0; i < bias.size(); ++i) {
    for (std::size_t j = 0; j < means_.size(); ++j) {
      float& w = weight[i * means_.size() + j];
      w = static_cast<float>((static_cast<double>(w) - static_cast<double>(bias[i]) * means_[j]) /
                             deviations_[j]);
    }
  }
}

}  // namespace foresight
