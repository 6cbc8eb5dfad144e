// The matrix products with which a perceptron is trained and run. They are written once
// (kernels.inc) and compiled for each instruction set. The best set of the CPU is chosen when the
// program runs.
//
//   best_kernels().multiply({.a = a.from(0), .b = b.from(0), .c = c.from(0),
//                            .rows = 64, .columns = 100, .depth = 63, .relu = true});
//
// Matrices are row-major, and their rows are a "stride" of floats apart. `Kernels::stride` gives
// whole vectors, so that kernels may read and write a row's padding.
//
// Every element of a product is summed in an order that depends only on the depth, never on its
// position in a matrix. So a row gives the same bits alone and in a batch.
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
  const float* bias = nullptr;  // one per column, or null
  bool add = false;             // add to what c holds
  bool relu = false;            // negative results become 0
  const float* mask = nullptr;  // results become 0 where the mask, strided like c, is not positive
};

/// The kernels of one instruction set. All are single-threaded and reentrant.
struct Kernels {
  const char* name;
  std::size_t lanes;                                    // floats per vector
  void (*multiply)(const Product& product);             // a is rows x depth
  void (*multiply_transposed)(const Product& product);  // a is depth x rows
  /// The product for one column. b is a row of `depth` weights; the padding of a and b is zero.
  void (*dot)(const Product& product);

  /// The stride of a matrix with rows of `width` floats.
  std::size_t stride(std::size_t width) const;
};

/// The kernels that this CPU can run, the best ones last.
std::span<const Kernels* const> available_kernels();
const Kernels& best_kernels();

}  // namespace foresight
