// The peak speed of the CPU: multiply-adds that never wait. Benchmarks give their speed as a share
// of it.
#pragma once

#include "foresight/nn/kernels.h"

namespace foresight {

/// GFLOP/s of one core with these kernels' instruction set. The measurement takes half a second.
double peak_gflops(const Kernels& kernels);

}  // namespace foresight
