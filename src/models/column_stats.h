/*
 * Mean and deviation of columns, learned once from the training part. Sums are taken from the first row seen, so that
 * a small deviation keeps its digits beside a large mean.
 */
#ifndef SG_MODELS_COLUMN_STATS_H
#define SG_MODELS_COLUMN_STATS_H

#include "base/status.h"

typedef struct sg_column_stats {
    size_t width;
    uint64_t count;               /* rows seen */
    double *first, *sum, *square; /* [width] */
} sg_column_stats;

int sg_column_stats_open(sg_column_stats *stats, size_t width, scadyg_error *error);
void sg_column_stats_close(sg_column_stats *stats);

void sg_column_stats_add(sg_column_stats *stats, const float *row);

/* What to take away and to multiply by for mean 0 and deviation 1. A column that does not vary keeps its size. */
void sg_column_stats_settle(const sg_column_stats *stats, float *mean, float *scale);

#endif
