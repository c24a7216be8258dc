/*
 * Mean and deviation of columns, learned once from the training part. Sums are taken from the first row seen, so that
 * a small deviation keeps its digits beside a large mean.
 */
#ifndef SG_TASKS_MOMENTS_H
#define SG_TASKS_MOMENTS_H

#include "base/status.h"

typedef struct sg_moments {
    size_t width;
    uint64_t count;               /* rows seen */
    double *first, *sum, *square; /* [width] */
} sg_moments;

int sg_moments_open(sg_moments *moments, size_t width, scadyg_error *error);
void sg_moments_close(sg_moments *moments);

void sg_moments_add(sg_moments *moments, const float *row);

/* What to take away and to multiply by for mean 0 and deviation 1. A column that does not vary keeps its size. */
void sg_moments_settle(const sg_moments *moments, float *mean, float *scale);

#endif
