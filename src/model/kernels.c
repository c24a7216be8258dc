/* The inner loops for this processor. */
#include "model/kernels.h"

#include "base/simd.h"

const sg_kernels *sg_kernels_best(void)
{
#if defined(__x86_64__)
    if (SG_HAS_AVX2()) return &sg_kernels_avx2;
#endif
    return &sg_kernels_any;
}
