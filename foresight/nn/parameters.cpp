#include "foresight/nn/parameters.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "foresight/base/error.h"

namespace foresight {

void Parameters::add(std::string name, std::vector<std::size_t> shape) {
  if (std::ranges::find(tensors_, name, &Tensor::name) != tensors_.end()) {
    fail(ErrorCode::kUsage, "there is already a parameter \"{}\"", name);
  }
  const std::size_t size =
      std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  tensors_.push_back({std::move(name), std::move(shape), values_.size(), size});
  values_.resize(values_.size() + size);
}

const Parameters::Tensor& Parameters::find(std::string_view name) const {
  const auto found = std::ranges::find(tensors_, name, &Tensor::name);
  if (found == tensors_.end()) fail(ErrorCode::kUsage, "there is no parameter \"{}\"", name);
  return *found;
}

std::span<float> Parameters::operator[](std::string_view name) {
  const Tensor& tensor = find(name);
  return values().subspan(tensor.offset, tensor.size);
}

std::span<const float> Parameters::operator[](std::string_view name) const {
  const Tensor& tensor = find(name);
  return values().subspan(tensor.offset, tensor.size);
}

Parameters Parameters::zeros() const {
  Parameters result;
  result.tensors_ = tensors_;
  result.values_.resize(values_.size());
  return result;
}

void Parameters::set_zero() {
  std::ranges::fill(values_, 0.0f);
}

void add(Parameters& sum, const Parameters& other) {
  assert(sum.same_layout(other));
  const std::span<float> to = sum.values();
  const std::span<const float> from = other.values();
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

void initialise_linear(std::span<float> tensor, std::size_t fan_in, Rng& rng) {
  const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
  for (float& value : tensor) value = static_cast<float>((2 * rng.uniform() - 1) * bound);
}

}  // namespace foresight
