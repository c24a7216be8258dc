/*
 * Walk sketches: for every node, random projections of whom it has met and of whom those had met before.
 *
 * Every node x has a fixed vector z_x of +-1, `width` long, made from its key (sg_events_keys). For each of
 * SG_ORDERS memories with factor b (how much of the older partners stays at each event of the node):
 *
 *   S1_u <- b S1_u + z_v                              whom u met, by order: b = 0 is the latest partner alone
 *   mass_u <- b mass_u + 1                            the sum of the weights in S1_u
 *   S2_u <- S2_u exp(-rate (t - t')) + S1_v / mass_v  whom v had met when u met v, S1_v as before the event
 *
 * on each event, for both ends alike (a self-loop counts twice, one after the other). An empty S1_v adds nothing. Events
 * of equal time do not see each other: S2 takes S1 and mass as they were before the time. So S1_u . z_x / width
 * estimates the weight of x among u's partners, S2_u . z_x / width that of walks u, v, x in the right order of time, and
 * S1_u . S1_v / width common partners; the error falls with the root of the width.
 *
 * The dimensions stand in blocks of SG_BLOCK, which do not depend on each other: a thread can take one block through
 * time by itself. Sums over blocks are made in the order of the blocks, so any number of threads gives the same bytes.
 */
#ifndef SG_MESSAGES_PAIRS_SKETCH_H
#define SG_MESSAGES_PAIRS_SKETCH_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

#define SG_BLOCK 16
#define SG_ORDERS 3

/* Inner products of a pair (u, v), per order. Z is the fixed vector. The order is the one they are made in. */
enum {
    SG_DOT_1U_1V,
    SG_DOT_1U_ZV,
    SG_DOT_ZU_1V,
    SG_DOT_2U_1V,
    SG_DOT_2U_2V,
    SG_DOT_2U_ZV,
    SG_DOT_ZU_2V,
    SG_DOT_1U_2V,
    SG_DOT_1V_1V,
    SG_DOT_2V_2V,
    SG_DOT_1U_1U,
    SG_DOT_2U_2U,
    SG_DOTS
};

typedef struct sg_sketch sg_sketch;

typedef struct sg_sketch_options {
    size_t width;            /* a multiple of SG_BLOCK */
    float factor[SG_ORDERS]; /* 0 <= b < 1 */
    double rate;             /* of S2, per unit of time */
} sg_sketch_options;

/* The part of z_x that stands in a block: dimension i of the block is -1 where bit i is set, else +1. */
uint32_t sg_sketch_signs(uint64_t key, size_t block);

/* keys[nodes] are read in this call only; nodes may grow later (sg_sketch_grow). */
int sg_sketch_open(const sg_sketch_options *options, const uint64_t *keys, size_t nodes, sg_sketch **sketch,
                   scadyg_error *error);
void sg_sketch_close(sg_sketch *sketch); /* NULL is fine */
void sg_sketch_clear(sg_sketch *sketch); /* forgets all events, keeps the nodes */
size_t sg_sketch_blocks(const sg_sketch *sketch);

/* More nodes: new ones are empty. keys[nodes] are those of all nodes. If memory is out, all stays as it was. */
int sg_sketch_grow(sg_sketch *sketch, const uint64_t *keys, size_t nodes, scadyg_error *error);

/* Bytes for this many nodes: what a plan says. Growing takes half as much again, of one block at a time twice. */
uint64_t sg_sketch_bytes(size_t width, uint64_t nodes);

/*
 * Takes events into one block, in the order of time. Events of one time must come in one call. Different blocks may be
 * at different times, and different threads may work on different blocks.
 */
void sg_sketch_add(sg_sketch *sketch, size_t block, const uint32_t *src, const uint32_t *dst, const double *time,
                   size_t count);

/*
 * Adds the block's share of the inner products of pairs (src[i], dst[i]) to dots[i][SG_ORDERS][SG_DOTS]; S2 is as of
 * `at`, which is not before the last event of the block. To be called for the blocks in their order, or into separate
 * arrays that are then added in that order. Many threads may read at once while nobody adds.
 *
 * Pairs of one source that follow each other are faster. A list of many thousands is best read some hundreds of pairs
 * at a time, all blocks of one piece before the next piece, so that dots stay in the cache.
 */
void sg_sketch_read(const sg_sketch *sketch, size_t block, const uint32_t *src, const uint32_t *dst, size_t count,
                    double at, float *dots);

/*
 * The same for a few pairs of a longer list: `known` >= count pairs stand in src and dst, and those behind the first
 * `count` will be read next. Their memory is asked for meanwhile, so that a call for every event does not wait for it.
 */
void sg_sketch_read_some(const sg_sketch *sketch, size_t block, const uint32_t *src, const uint32_t *dst,
                         size_t count, size_t known, double at, float *dots);

/* mass[SG_ORDERS] of a node as one block sees it: for features made of the inner products. Valid until it grows. */
const float *sg_sketch_mass(const sg_sketch *sketch, size_t block, uint32_t node);

#endif
