#include "foresight/nn/peak.h"

#include <algorithm>
#include <ctime>
#include <limits>

namespace foresight {
namespace {

constexpr int kLoops = 1'000'000;
constexpr int kSums = 12;

// A macro, not a template, because the loop must be compiled for the instruction set it measures.
#define FORESIGHT_PEAK(name, lanes, ...)                                            \
  __VA_ARGS__ float name() {                                                        \
    typedef float Vector __attribute__((vector_size(4 * (lanes))));                 \
    Vector sums[kSums], factor = Vector{} + 0.999f, term = Vector{} + 0.001f;       \
    for (int i = 0; i < kSums; ++i) sums[i] = Vector{} + static_cast<float>(i);     \
    for (int k = 0; k < kLoops; ++k) {                                              \
      _Pragma("GCC unroll 12") for (Vector & sum : sums) sum = sum * factor + term; \
    }                                                                               \
    for (int i = 1; i < kSums; ++i) sums[0] += sums[i];                             \
    return sums[0][0];                                                              \
  }
#if defined(__x86_64__)
FORESIGHT_PEAK(portable_loop, 4, __attribute__((target("arch=x86-64"))))
FORESIGHT_PEAK(avx2_loop, 8, __attribute__((target("avx2,fma"))))
FORESIGHT_PEAK(avx512_loop, 16, __attribute__((target("avx512f"))))
#else
FORESIGHT_PEAK(portable_loop, 4)
#endif
#undef FORESIGHT_PEAK

}  // namespace

double peak_gflops(const Kernels& kernels) {
  float (*loop)() = portable_loop;
#if defined(__x86_64__)
  if (kernels.lanes == 8) loop = avx2_loop;
  if (kernels.lanes == 16) loop = avx512_loop;
#endif
  volatile float sink = 0;  // so that the compiler cannot remove the work
  double best = std::numeric_limits<double>::infinity();
  const std::clock_t start = std::clock();
  while (std::clock() - start < CLOCKS_PER_SEC / 2) {
    const std::clock_t begin = std::clock();
    sink = sink + loop();
    best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return 2e-9 * kSums * static_cast<double>(kernels.lanes) * kLoops / best;
}

}  // namespace foresight
