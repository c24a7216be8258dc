/* Mean and deviation of columns. */
#include "models/column_stats.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

int sg_column_stats_open(sg_column_stats *stats, size_t width, scadyg_error *error)
{
    double *numbers = sg_alloc_zero(3 * width, sizeof *numbers);
    if (!numbers) return sg_fail_memory(error, "the normalisation");
    *stats = (sg_column_stats){width, 0, numbers, numbers + width, numbers + 2 * width};
    return SCADYG_OK;
}

void sg_column_stats_close(sg_column_stats *stats)
{
    free(stats->first);
    *stats = (sg_column_stats){0};
}

void sg_column_stats_add(sg_column_stats *m, const float *row)
{
    if (m->count++ == 0)
        for (size_t j = 0; j < m->width; j++) m->first[j] = (double)row[j];
    for (size_t j = 0; j < m->width; j++) {
        const double x = (double)row[j] - m->first[j];
        m->sum[j] += x;
        m->square[j] += x * x;
    }
}

void sg_column_stats_settle(const sg_column_stats *m, float *mean, float *scale)
{
    const double count = m->count ? (double)m->count : 1;
    for (size_t j = 0; j < m->width; j++) {
        const double away = m->sum[j] / count, average = m->first[j] + away;
        const double deviation = sqrt(fmax(0, m->square[j] / count - away * away));
        const float factor = (float)(1 / deviation);
        /* What is left of a constant column is rounding. */
        const int constant = !(deviation > 1e-6 * fabs(average)) || !isfinite(factor);
        mean[j] = (float)average;
        scale[j] = constant ? 1 : factor;
    }
}
