/* The inner loops, for processors with AVX2. */
#if defined(__x86_64__)
#include <immintrin.h>

#define KERNEL_AVX2
#define KERNEL_TARGET __attribute__((target("avx2")))
#define KERNEL_TABLE sg_kernels_avx2
#include "nn/kernels.inc"
#else
typedef int no_avx2_here;
#endif
