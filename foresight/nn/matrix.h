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
  std::size_t row_bytes() const { return stride_ * sizeof(float); }

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

/// A matrix of very many rows. It grows in blocks that stay where they are, so that growing needs no
/// memory for a copy, and hardly more than the rows take.
class TallMatrix {
 public:
  /// The rows of a block. A Product must not go beyond the end of one.
  static constexpr std::size_t kBlock = 1024;

  TallMatrix(const Kernels& kernels, std::size_t rows, std::size_t columns)
      : kernels_(&kernels), blocks_(1, Matrix(kernels, std::min(rows, kBlock), columns)) {
    reserve(rows);
  }

  std::size_t columns() const { return blocks_.front().columns(); }
  std::size_t row_bytes() const { return blocks_.front().row_bytes(); }

  std::span<float> operator[](std::size_t row) { return blocks_[row / kBlock][row % kBlock]; }
  std::span<const float> operator[](std::size_t row) const {
    return blocks_[row / kBlock][row % kBlock];
  }
  MutableRows from(std::size_t row) { return blocks_[row / kBlock].from(row % kBlock); }
  ConstRows from(std::size_t row) const { return blocks_[row / kBlock].from(row % kBlock); }

  void reserve(std::size_t rows) {
    blocks_.front().reserve(std::min(rows, kBlock));
    while (blocks_.size() * kBlock < rows) blocks_.emplace_back(*kernels_, kBlock, columns());
  }
  void set_zero() {
    for (Matrix& block : blocks_) block.set_zero();
  }

 private:
  const Kernels* kernels_;
  std::vector<Matrix> blocks_;
};

}  // namespace foresight
