/*
 * Faster code where the processor has it: a body written once in plain C, inlined into a function for AVX2
 * and into one for any processor. Both do the same operations in the same order, so they give the same bytes.
 */
#ifndef SG_BASE_SIMD_H
#define SG_BASE_SIMD_H

#define SG_INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__)
#define SG_AVX2 __attribute__((target("avx2")))
#define SG_HAS_AVX2() __builtin_cpu_supports("avx2")
#else
#define SG_AVX2
#define SG_HAS_AVX2() 0
#endif

#endif
