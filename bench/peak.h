// What the CPU can do: multiply-adds that wait for nothing.
#pragma once

#include <algorithm>
#include <ctime>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "foresight/nn/kernels.h"

namespace foresight::bench {

/// The least seconds of processor time that one call took.
inline double seconds(const std::function<void()>& work, int repeat = 1) {
  double best = std::numeric_limits<double>::infinity();
  const std::clock_t start = std::clock();
  for (int round = 0; round < 5 || std::clock() - start < CLOCKS_PER_SEC / 2; ++round) {
    const std::clock_t begin = std::clock();
    for (int i = 0; i < repeat; ++i) work();
    const auto spent = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    best = std::min(best, spent / repeat);
  }
  return best;
}

constexpr int kPeakLoops = 1'000'000;
constexpr int kPeakSums = 12;

// The loop must be compiled for the instruction set it measures: hence a macro, not a template.
#define FORESIGHT_PEAK(name, lanes, ...)                                            \
  __VA_ARGS__ inline float name() {                                                 \
    typedef float Vector __attribute__((vector_size(4 * (lanes))));                 \
    Vector sums[kPeakSums], factor = Vector{} + 0.999f, term = Vector{} + 0.001f;   \
    for (int i = 0; i < kPeakSums; ++i) sums[i] = Vector{} + static_cast<float>(i); \
    for (int k = 0; k < kPeakLoops; ++k) {                                          \
      _Pragma("GCC unroll 12") for (Vector & sum : sums) sum = sum * factor + term; \
    }                                                                               \
    for (int i = 1; i < kPeakSums; ++i) sums[0] += sums[i];                         \
    return sums[0][0];                                                              \
  }
#if defined(__x86_64__)
FORESIGHT_PEAK(portable_loop, 4, __attribute__((target("arch=x86-64"))))
FORESIGHT_PEAK(avx2_loop, 8, __attribute__((target("avx2,fma"))))
FORESIGHT_PEAK(avx512_loop, 16, __attribute__((target("avx512f"))))
#else
FORESIGHT_PEAK(portable_loop, 4)
#endif

/// GFLOP/s of one core with these kernels' instruction set.
inline double peak(const Kernels& kernels) {
  float (*loop)() = portable_loop;
#if defined(__x86_64__)
  if (kernels.lanes == 8) loop = avx2_loop;
  if (kernels.lanes == 16) loop = avx512_loop;
#endif
  float sum = 0;
  const double time = seconds([&] { sum += loop(); });
  if (sum < 0) fmt::print("never, but the compiler cannot know\n");
  return 2e-9 * kPeakSums * static_cast<double>(kernels.lanes) * kPeakLoops / time;
}

#undef FORESIGHT_PEAK

}  // namespace foresight::bench
