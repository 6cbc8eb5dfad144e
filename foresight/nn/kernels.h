// The matrix products that training and running a perceptron consist of, hand-written once
// (kernels.inc) and compiled for each instruction set; the best one the CPU has is chosen when the
// program runs.
//
// Matrices are row-major, their rows a "stride" of floats apart. The stride comes from
// `Kernels::stride`: whole vectors, so that kernels may read and write a row's padding.
//
// Every element of a product is summed in an order that depends on the depth alone, never on its
// place in a matrix: a row gives the same bits whether it comes alone or in a batch.
#pragma once

#include <cstddef>
#include <span>

namespace foresight {

/// Where a matrix is: its first row, and the floats from one row to the next.
struct ConstRows {
  const float* data = nullptr;
  std::size_t stride = 0;
};
struct MutableRows {
  float* data = nullptr;
  std::size_t stride = 0;

  operator ConstRows() const { return {data, stride}; }
};

/// c = finish(bias + a b), with `rows` rows and `columns` columns, summed over `depth`.
struct Product {
  ConstRows a = {};
  ConstRows b = {};  // aligned, as are c, bias and mask
  MutableRows c = {};
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t depth = 0;
  const float* bias = nullptr;  // one per column; null: none
  bool add = false;             // add to what c holds
  bool relu = false;            // negative results become 0
  const float* mask = nullptr;  // results become 0 where the mask, strided like c, is not positive
};

/// One instruction set's kernels. All are single-threaded and reentrant.
struct Kernels {
  const char* name;
  std::size_t lanes;                                    // floats per vector
  void (*multiply)(const Product& product);             // a is rows x depth
  void (*multiply_transposed)(const Product& product);  // a is depth x rows
  /// The product for one column: b is a row of `depth` weights, padding of a and b is zero.
  void (*dot)(const Product& product);

  /// The stride of a matrix with rows of `width` floats.
  std::size_t stride(std::size_t width) const;
};

/// Those this CPU can run, the best last.
std::span<const Kernels* const> available_kernels();
const Kernels& best_kernels();

}  // namespace foresight
