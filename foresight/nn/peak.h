// What the CPU can do: multiply-adds that wait for nothing. Benchmarks give their speed as a share
// of it.
#pragma once

#include "foresight/nn/kernels.h"

namespace foresight {

/// GFLOP/s of one core with these kernels' instruction set; measures for half a second.
double peak_gflops(const Kernels& kernels);

}  // namespace foresight
