/* What a sketch holds, and the loops over it that are compiled for several processors. */
#ifndef SG_MESSAGES_PAIRS_SKETCH_STATE_H
#define SG_MESSAGES_PAIRS_SKETCH_STATE_H

#include "messages/pairs/sketch.h"

/*
 * One block of a node's vectors: six cache lines. Four numbers of S1 and the same four dimensions of S2 take turns, so
 * that one vector operation of eight lanes makes two inner products at a time.
 */
typedef struct sg_walks {
    struct {
        float s1[4], s2[4]; /* S2 is as of `last` of the node's side */
    } part[SG_ORDERS][SG_BLOCK / 4];
} sg_walks;

/* What goes with it, half a cache line. Every block has its own, because blocks may be at different times. */
typedef struct sg_side {
    _Alignas(32) double last; /* the time S2 is as of; -INFINITY: empty */
    float mass[SG_ORDERS];    /* 0: has met nobody */
    uint32_t signs; /* the block's part of z: kept, because reading a key would cost one more cache line */
} sg_side;

_Static_assert(sizeof(sg_walks) % 64 == 0, "walks must fill cache lines");
_Static_assert(sizeof(sg_side) == 32, "a side must not lie in two cache lines");

/* Both arrays have room for `capacity` nodes. */
typedef struct sg_sketch_block {
    sg_walks *walks;
    sg_side *sides;
    void *walks_memory, *sides_memory; /* what to free */
    size_t capacity;
} sg_sketch_block;

/* The same bytes from either table. */
typedef struct sg_sketch_loops {
    void (*add)(const sg_sketch_options *options, sg_sketch_block *block, const uint32_t *src, const uint32_t *dst,
                const double *time, size_t count);
    void (*read)(const sg_sketch_options *options, const sg_sketch_block *block, const uint32_t *src,
                 const uint32_t *dst, size_t count, size_t known, double at, float *dots);
} sg_sketch_loops;

extern const sg_sketch_loops sg_sketch_any;
#if defined(__x86_64__)
extern const sg_sketch_loops sg_sketch_avx2;
#endif

struct sg_sketch {
    sg_sketch_options options;
    const sg_sketch_loops *loops;
    size_t nodes, blocks;
    sg_sketch_block block[];
};

#endif
