/* The inner loops, for processors with AVX-512: layers take sixteen outputs at once. */
#if defined(__x86_64__)
#include <immintrin.h>

#define KERNEL_AVX2
#define KERNEL_AVX512
#define KERNEL_TARGET __attribute__((target("avx2,avx512f,avx512dq,avx512bw,avx512vl")))
#define KERNEL_TABLE sg_kernels_avx512
#include "nn/kernels.inc"
#else
typedef int no_avx512_here;
#endif
