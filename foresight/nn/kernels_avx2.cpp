// The kernels compiled for x86-64 with AVX2 and FMA: 16 registers of 8 floats.
#if defined(__x86_64__)

#if !defined(__AVX2__) || !defined(__FMA__)
#error "compile this file with -mavx2 -mfma"
#endif

#define FORESIGHT_NN_LANES 8
#define FORESIGHT_NN_ROWS 4
#include "foresight/nn/kernels.inc"

namespace foresight {

extern const Kernels kAvx2Kernels;
const Kernels kAvx2Kernels = {"avx2", kLanes, multiply<false>, multiply<true>, dot};

}  // namespace foresight

#endif
