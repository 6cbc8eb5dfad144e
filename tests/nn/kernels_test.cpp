#include "foresight/nn/kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "foresight/base/rng.h"
#include "foresight/nn/matrix.h"

// The register tiles of AVX-512, compiled for any CPU: their logic is tested everywhere.
#define FORESIGHT_NN_LANES 16
#define FORESIGHT_NN_ROWS 8
#include "foresight/nn/kernels.inc"

namespace foresight {
namespace {

const Kernels kWide = {"wide", kLanes, multiply<false>, multiply<true>, dot};

std::vector<const Kernels*> all_kernels() {
  const auto available = available_kernels();
  std::vector<const Kernels*> all(available.begin(), available.end());
  all.push_back(&kWide);
  return all;
}

class KernelsTest : public testing::TestWithParam<const Kernels*> {
 protected:
  Matrix random_matrix(std::size_t rows, std::size_t columns) {
    Matrix matrix(kernels_, rows, columns);
    for (std::size_t i = 0; i < rows; ++i) {
      for (float& value : matrix[i]) value = static_cast<float>(2 * rng_.uniform() - 1);
    }
    return matrix;
  }

  /// Runs the product on top of a c full of ones and compares with a plain loop in double.
  void check(Product product, bool transposed) {
    constexpr std::size_t kGuard = 2;
    const std::size_t stride = kernels_.stride(product.columns);
    std::vector<float, AlignedAllocator<float>> c((product.rows + kGuard) * stride, 1.0f);
    product.c = {c.data(), stride};
    (transposed ? kernels_.multiply_transposed : kernels_.multiply)(product);
    for (std::size_t i = 0; i < product.rows; ++i) {
      for (std::size_t j = 0; j < product.columns; ++j) {
        double sum = product.bias ? product.bias[j] : 0;
        double size = 1;  // of what is added up, which rounding errors are relative to
        for (std::size_t k = 0; k < product.depth; ++k) {
          const std::size_t at = transposed ? k * product.a.stride + i : i * product.a.stride + k;
          const double term = double{product.a.data[at]} * product.b.data[k * product.b.stride + j];
          sum += term;
          size += std::abs(term);
        }
        if (product.add) sum += 1;
        if (product.relu) sum = std::max(sum, 0.0);
        if (product.mask && product.mask[i * stride + j] <= 0) sum = 0;
        ASSERT_NEAR(c[i * stride + j], sum, 2e-6 * size)
            << product.rows << "x" << product.columns << "x" << product.depth << " at " << i << ", "
            << j;
      }
    }
    EXPECT_TRUE(std::all_of(c.begin() + static_cast<std::ptrdiff_t>(product.rows * stride), c.end(),
                            [](float value) { return value == 1; }))
        << "wrote below the last row";
  }

  /// All ways to finish a product of this shape.
  void check_shape(std::size_t rows, std::size_t columns, std::size_t depth) {
    const Matrix a = random_matrix(rows, depth);
    const Matrix a_transposed = random_matrix(depth, rows);
    const Matrix b = random_matrix(depth, columns);
    const Matrix bias = random_matrix(1, columns);
    const Matrix mask = random_matrix(rows, columns);
    const Product plain = {.b = b.from(0), .rows = rows, .columns = columns, .depth = depth};
    for (const bool transposed : {false, true}) {
      Product product = plain;
      product.a = transposed ? a_transposed.from(0) : a.from(0);
      check(product, transposed);
      product.bias = bias.from(0).data;
      check(product, transposed);
      product.relu = true;
      check(product, transposed);
      product.bias = nullptr;
      product.relu = false;
      product.add = true;
      check(product, transposed);
      product.add = false;
      product.mask = mask.from(0).data;
      check(product, transposed);
    }
  }

  const Kernels& kernels_ = *GetParam();
  Rng rng_{1, Stream::kPolicy, 0};
};

TEST_P(KernelsTest, EveryNarrowShapeMatchesPlainLoops) {
  for (std::size_t rows = 1; rows <= 17; ++rows) {
    for (std::size_t columns = 1; columns <= 40; ++columns) check_shape(rows, columns, 5);
  }
}

TEST_P(KernelsTest, WideShapesMatchPlainLoops) {
  for (const std::size_t columns : {63u, 64u, 65u, 100u, 101u, 128u, 200u, 257u}) {
    for (const std::size_t rows : {1u, 2u, 3u, 7u, 12u}) check_shape(rows, columns, 9);
  }
}

TEST_P(KernelsTest, DeepShapesMatchPlainLoops) {
  for (const std::size_t depth : {1u, 2u, 15u, 100u, 127u, 128u, 129u, 256u, 257u, 513u}) {
    for (const std::size_t rows : {1u, 5u, 8u}) check_shape(rows, 11, depth);
  }
}

TEST_P(KernelsTest, DotMatchesPlainLoops) {
  for (std::size_t depth = 1; depth <= 130; ++depth) {
    const Matrix a = random_matrix(5, depth);
    const Matrix b = random_matrix(1, depth);
    const Matrix bias = random_matrix(1, 1);
    Matrix c(kernels_, 5, 1);
    kernels_.dot({.a = a.from(0),
                  .b = b.from(0),
                  .c = c.from(0),
                  .rows = 5,
                  .columns = 1,
                  .depth = depth,
                  .bias = bias.from(0).data});
    for (std::size_t i = 0; i < 5; ++i) {
      double sum = bias[0][0];
      for (std::size_t k = 0; k < depth; ++k) sum += double{a[i][k]} * b[0][k];
      EXPECT_NEAR(c[i][0], sum, 1e-5) << "depth " << depth;
    }
  }
}

TEST_P(KernelsTest, ARowGivesTheSameBitsAloneAndInABatch) {
  for (const std::size_t columns : {1u, 8u, 11u, 100u, 101u}) {
    for (const std::size_t depth : {3u, 100u, 300u}) {
      constexpr std::size_t kRowCount = 31;
      const Matrix a = random_matrix(kRowCount, depth);
      const Matrix b = random_matrix(depth, columns);
      const Matrix bias = random_matrix(1, columns);
      Matrix batch(kernels_, kRowCount, columns);
      Matrix alone(kernels_, 1, columns);
      Product product = {.a = a.from(0),
                         .b = b.from(0),
                         .c = batch.from(0),
                         .rows = kRowCount,
                         .columns = columns,
                         .depth = depth,
                         .bias = bias.from(0).data};
      kernels_.multiply(product);
      for (std::size_t row = 0; row < kRowCount; ++row) {
        product.a = a.from(row);
        product.c = alone.from(0);
        product.rows = 1;
        kernels_.multiply(product);
        EXPECT_TRUE(std::ranges::equal(alone[0], batch[row])) << "row " << row << " of " << columns;
      }
    }
  }
}

TEST_P(KernelsTest, ReluKeepsNan) {
  Matrix a(kernels_, 1, 1), b(kernels_, 1, 1), c(kernels_, 1, 1);
  a[0][0] = std::numeric_limits<float>::quiet_NaN();
  b[0][0] = 1;
  kernels_.multiply({.a = a.from(0),
                     .b = b.from(0),
                     .c = c.from(0),
                     .rows = 1,
                     .columns = 1,
                     .depth = 1,
                     .relu = true});
  EXPECT_TRUE(std::isnan(c[0][0]));
}

TEST_P(KernelsTest, StridesAreWholeVectorsAndNoLargePowerOfTwo) {
  for (std::size_t width = 1; width < 600; ++width) {
    const std::size_t stride = kernels_.stride(width);
    EXPECT_GE(stride, width);
    EXPECT_LT(stride, width + 2 * kernels_.lanes);
    EXPECT_EQ(stride % kernels_.lanes, 0u);
    EXPECT_NE(stride % 64, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(All, KernelsTest, testing::ValuesIn(all_kernels()),
                         [](const auto& test) { return std::string(test.param->name); });

TEST(AvailableKernels, StartWithThePortableOnesAndHaveDifferentNames) {
  const auto available = available_kernels();
  ASSERT_FALSE(available.empty());
  EXPECT_STREQ(available.front()->name, "portable");
  EXPECT_EQ(&best_kernels(), available.back());
  for (std::size_t i = 1; i < available.size(); ++i) {
    EXPECT_STRNE(available[i - 1]->name, available[i]->name);
    EXPECT_GT(available[i]->lanes, available[i - 1]->lanes);
  }
}

}  // namespace
}  // namespace foresight
