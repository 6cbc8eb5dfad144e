// The kernels for any CPU, and the choice between the compiled versions.
#include "foresight/nn/kernels.h"

#include <array>

#define FORESIGHT_NN_LANES 4
#define FORESIGHT_NN_ROWS 4
#include "foresight/nn/kernels.inc"

namespace foresight {
namespace {

constexpr Kernels kPortableKernels = {"portable", kLanes, multiply<false>, multiply<true>, dot};

struct Available {
  std::array<const Kernels*, 3> list = {&kPortableKernels};
  std::size_t count = 1;
};

}  // namespace

#if defined(__x86_64__)

extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;

#endif

std::span<const Kernels* const> available_kernels() {
  static const Available available = [] {
    Available found;
#if defined(__x86_64__)
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (avx2) found.list[found.count++] = &kAvx2Kernels;
    if (avx2 && __builtin_cpu_supports("avx512f")) found.list[found.count++] = &kAvx512Kernels;
#endif
    return found;
  }();
  return {available.list.data(), available.count};
}

const Kernels& best_kernels() {
  return *available_kernels().back();
}

std::size_t Kernels::stride(std::size_t width) const {
  const std::size_t padded = (width + lanes - 1) / lanes * lanes;
  // Rows that are a large power of two apart would compete for the same few cache lines.
  return padded % 64 == 0 ? padded + lanes : padded;
}

}  // namespace foresight
