// The kernels compiled for x86-64 with AVX-512: 32 registers of 16 floats.
#if defined(__x86_64__)

#if !defined(__AVX512F__)
#error "compile this file with -mavx512f"
#endif

#define FORESIGHT_NN_LANES 16
#define FORESIGHT_NN_ROWS 8
#include "foresight/nn/kernels.inc"

namespace foresight {

extern const Kernels kAvx512Kernels;
const Kernels kAvx512Kernels = {"avx512", kLanes, multiply<false>, multiply<true>, dot};

}  // namespace foresight

#endif
