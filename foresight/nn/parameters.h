// The numbers a model learns: named tensors in one contiguous buffer, so that an optimiser, a
// checkpoint or a sum of gradients sees a single array.
//
//   Parameters parameters;
//   parameters.add("ff.0.weight", {100, 63});
//   parameters.add("ff.0.bias", {100});
//   parameters["ff.0.bias"][7] = 0.5f;
//   Parameters gradient = parameters.zeros();   // same tensors, all 0
//
// This is a value type: copies are deep, and equality compares layout and values. Tensors are
// row-major and follow each other without gaps, in the order in which they were added.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "foresight/base/rng.h"

namespace foresight {

class Parameters {
 public:
  struct Tensor {
    std::string name;
    std::vector<std::size_t> shape;
    std::size_t offset = 0;  // of its first value in the buffer
    std::size_t size = 0;    // the product of the shape

    friend bool operator==(const Tensor&, const Tensor&) = default;
  };

  /// Appends a tensor of zeros. Throws Error(kUsage) if the name is taken. Invalidates spans.
  void add(std::string name, std::vector<std::size_t> shape);

  /// One tensor's values. Throws Error(kUsage) if there is no tensor of that name.
  std::span<float> operator[](std::string_view name);
  std::span<const float> operator[](std::string_view name) const;

  std::span<float> values() { return values_; }
  std::span<const float> values() const { return values_; }
  const std::vector<Tensor>& tensors() const { return tensors_; }

  /// The same tensors, all 0.
  Parameters zeros() const;
  void set_zero();

  bool same_layout(const Parameters& other) const { return tensors_ == other.tensors_; }
  friend bool operator==(const Parameters&, const Parameters&) = default;

 private:
  const Tensor& find(std::string_view name) const;

  std::vector<Tensor> tensors_;
  std::vector<float> values_;
};

/// sum += other, value by value. Both must have the same layout.
void add(Parameters& sum, const Parameters& other);

/// PyTorch's default initialisation of a linear layer's weight or bias: uniform within
/// +-1/sqrt(fan_in).
void initialise_linear(std::span<float> tensor, std::size_t fan_in, Rng& rng);

}  // namespace foresight
