/* Mean and deviation of columns. */
#include "tasks/moments.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

int sg_moments_open(sg_moments *moments, size_t width, scadyg_error *error)
{
    double *numbers = sg_alloc_zero(3 * width, sizeof *numbers);
    if (!numbers) return sg_fail_memory(error, "the normalisation");
    *moments = (sg_moments){width, 0, numbers, numbers + width, numbers + 2 * width};
    return SCADYG_OK;
}

void sg_moments_close(sg_moments *moments)
{
    free(moments->first);
    *moments = (sg_moments){0};
}

void sg_moments_add(sg_moments *m, const float *row)
{
    if (m->count++ == 0)
        for (size_t j = 0; j < m->width; j++) m->first[j] = (double)row[j];
    for (size_t j = 0; j < m->width; j++) {
        const double x = (double)row[j] - m->first[j];
        m->sum[j] += x;
        m->square[j] += x * x;
    }
}

void sg_moments_settle(const sg_moments *m, float *mean, float *scale)
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
