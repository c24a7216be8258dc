/* Times of logs as they come: bursts, silences, a wrong clock, few times, few events, far from zero and close together. */
#ifndef EVENTS_SHAPES_H
#define EVENTS_SHAPES_H

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

enum { SHAPES_MOST = 3000 };

static inline int shape_compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The time of event i of `count`, as the kind of the shape has it; in no order. */
static inline double shape_time(sg_rng *rng, uint64_t kind, size_t i, size_t count)
{
    const double u = sg_rng_unit(rng), place = (double)i / (double)count;
    switch (kind) {
    case 0: return u;                                        /* even */
    case 1: return floor(u * 5) + 1e-3 * sg_rng_unit(rng);   /* bursts */
    case 2: return place < 0.8 ? u : 10 + 1e-3 * u;          /* a long silence before a last burst */
    case 3: return i == 0 ? 1e4 : u;                         /* one time far ahead */
    case 4: return i == 0 ? -1e4 : u;                        /* one far behind */
    case 5: return i == 0 ? 20 : u;                          /* one ahead, but not that far */
    case 6: return 1;                                        /* all equal */
    case 7: return floor(u * 2);                             /* two times */
    case 8: return floor(u * 3);                             /* three */
    case 9: return floor(u * 10);                            /* ten */
    case 10: return place < 0.9 ? 0 : 1 + u;                 /* most at the first time */
    case 11: return place < 0.9 ? u : 2;                     /* many at the last */
    case 12: return i < 4 ? (double)i + 1 : 0;               /* all but four at one time */
    case 13: return pow(u + 1e-9, -3);                       /* power-law gaps */
    case 14: return exp(20 * u);                             /* a log that grows */
    default: return floor(100 * u) + (place < 0.5 ? 0 : 50); /* days, the second half later */
    }
}

enum { SHAPE_KINDS = 16 };

/* Fills in ascending times of shape number `number` and returns how many: from 10 on. */
static inline size_t shape_make(uint64_t number, double *time)
{
    static const double scales[] = {1, 86400, 1e-300, 1e250, 3e-9}, origins[] = {0, 1.7e9, -5e8};
    sg_rng rng;
    sg_rng_seed(&rng, 7, number);
    const size_t most = sg_rng_below(&rng, 3) ? 600 : SHAPES_MOST;
    const size_t count = 10 + (size_t)sg_rng_below(&rng, most - 9);
    const uint64_t kind = number % SHAPE_KINDS;
    const double scale = scales[sg_rng_below(&rng, 5)];
    const double origin = scale == 1 || scale == 86400 ? origins[sg_rng_below(&rng, 3)] : 0;
    for (size_t i = 0; i < count; i++) time[i] = origin + scale * shape_time(&rng, kind, i, count);
    qsort(time, count, sizeof *time, shape_compare);
    return count;
}

static inline size_t shape_distinct(const double *time, size_t count)
{
    size_t distinct = 1;
    for (size_t i = 1; i < count; i++) distinct += time[i] != time[i - 1];
    return distinct;
}

#endif
