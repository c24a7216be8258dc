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
/* All the parts that compilers may use for vectors of sixteen floats; the kernel of the system must save them as well. */
#define SG_HAS_AVX512()                                                                                            \
    (SG_HAS_AVX2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&                   \
     __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
#else
#define SG_AVX2
#define SG_HAS_AVX2() 0
#define SG_HAS_AVX512() 0
#endif

#endif
