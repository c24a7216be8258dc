/*
 * Drawing negatives: uniformly from a pool of nodes without those that are marked, with or without replacement.
 *
 * Draws with rejection are bounded. Where too many were rejected the pool is nearly exhausted; what is left of it is
 * then listed and drawn from directly, which has the same distribution.
 */
#ifndef SG_EVALUATE_DRAW_H
#define SG_EVALUATE_DRAW_H

#include "base/rng.h"

#include <stddef.h>

/* A set of nodes (or any numbers) that is emptied at no cost. */
typedef struct sg_marks {
    uint32_t *mark; /* [size]: in the set if equal to token */
    uint64_t size;
    uint32_t token;
} sg_marks;

int sg_marks_open(sg_marks *marks, uint64_t size); /* -1 without memory */
void sg_marks_close(sg_marks *marks);
void sg_marks_clear(sg_marks *marks);

static inline void sg_mark(sg_marks *marks, uint32_t i)
{
    marks->mark[i] = marks->token;
}

static inline int sg_marked(const sg_marks *marks, uint32_t i)
{
    return marks->mark[i] == marks->token;
}

/* What is drawn from: node[0 .. count-1], or the numbers first .. first + count - 1. */
typedef struct sg_pool {
    const uint32_t *node; /* NULL: numbers */
    uint32_t first;
    uint64_t count;
} sg_pool;

static inline uint32_t sg_pool_at(const sg_pool *pool, uint64_t i)
{
    return pool->node ? pool->node[i] : pool->first + (uint32_t)i;
}

/* Working space for draws from pools up to a size. */
typedef struct sg_drawer {
    uint32_t *left; /* [largest pool] */
    sg_marks drawn;
} sg_drawer;

/* pools: the largest pool; numbers: all numbers drawn are below this. -1 without memory. */
int sg_drawer_open(sg_drawer *drawer, uint64_t pools, uint64_t numbers);
void sg_drawer_close(sg_drawer *drawer);

/* `without` may be NULL. count draws with replacement; returns count, or 0 if nothing is allowed. */
size_t sg_draw_again(sg_drawer *drawer, sg_rng *rng, const sg_pool *pool, const sg_marks *without, size_t count,
                     uint32_t *out);

/* Without replacement; returns how many there were, at most count. */
size_t sg_draw_once(sg_drawer *drawer, sg_rng *rng, const sg_pool *pool, const sg_marks *without, size_t count,
                    uint32_t *out);

#endif
