/* The loops over walk sketches, for processors with AVX2. */
#if defined(__x86_64__)
#define LOOPS_TARGET __attribute__((target("avx2")))
#define LOOPS_EIGHT
#define LOOPS_TABLE sg_sketch_avx2
#include "messages/pairs/sketch_loops.inc"
#else
typedef int no_avx2_here;
#endif
