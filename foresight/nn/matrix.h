// A row-major matrix for the kernels: every row starts at a vector's boundary, and the padding
// after its last column is 0.
//
//   Matrix inputs(best_kernels(), 64, 63);
//   inputs[3][7] = 0.5f;   // row 3, column 7
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <vector>

#include "foresight/nn/kernels.h"

namespace foresight {

/// Memory that starts at a multiple of 64 bytes: a cache line, and the widest vector.
template <typename T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};

  AlignedAllocator() = default;
  template <typename U>
  AlignedAllocator(const AlignedAllocator<U>&) {}

  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), kAlignment));
  }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, kAlignment); }

  friend bool operator==(const AlignedAllocator&, const AlignedAllocator&) { return true; }
};

class Matrix {
 public:
  Matrix(const Kernels& kernels, std::size_t rows, std::size_t columns)
      : columns_(columns), stride_(kernels.stride(columns)), values_(rows * stride_) {}

  std::size_t columns() const { return columns_; }

  std::span<float> operator[](std::size_t row) { return {from(row).data, columns_}; }
  std::span<const float> operator[](std::size_t row) const { return {from(row).data, columns_}; }

  /// The rows from `row` on, for a Product.
  MutableRows from(std::size_t row) { return {values_.data() + row * stride_, stride_}; }
  ConstRows from(std::size_t row) const { return {values_.data() + row * stride_, stride_}; }

  /// Makes room for at least `rows` rows. It rarely moves the memory, as a vector does.
  void reserve(std::size_t rows) {
    if (rows * stride_ > values_.size())
      values_.resize(std::max(2 * values_.size(), rows * stride_));
  }
  void set_zero() { std::fill(values_.begin(), values_.end(), 0.0f); }

 private:
  std::size_t columns_;
  std::size_t stride_;
  std::vector<float, AlignedAllocator<float>> values_;
};

}  // namespace foresight
