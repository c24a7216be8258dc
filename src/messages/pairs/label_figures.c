/* Figures of labels. */
#include "messages/pairs/label_figures.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

enum { K = SG_LABEL_RATES, TOP = 10 };

void sg_label_rates(double gap, double span, double rate[SG_LABEL_RATES])
{
    const double first = gap / 2, last = fmax(span / 2, 4 * gap);
    rate[0] = INFINITY;
    for (int k = 1; k < K; k++) rate[k] = log(2) / (first * pow(last / first, (k - 1) / (double)(K - 2)));
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int sg_label_gap(const sg_labels *labels, size_t groups, double *gap, scadyg_error *error)
{
    *gap = 1;
    if (groups < 2) return SCADYG_OK;
    double *gaps = sg_alloc(groups - 1, sizeof *gaps);
    if (!gaps) return sg_fail_memory(error, "the label times");
    for (size_t i = 0; i + 1 < groups; i++) gaps[i] = labels->time[i + 1] - labels->time[i];
    qsort(gaps, groups - 1, sizeof *gaps, by_size);
    if (isfinite(gaps[(groups - 1) / 2])) *gap = gaps[(groups - 1) / 2];
    free(gaps);
    return SCADYG_OK;
}

/* The tenth largest weight of a row, or 0 if it has fewer. */
static float tenth(const sg_labels *labels, size_t row)
{
    float top[TOP] = {0};
    for (size_t i = labels->first[row]; i < labels->first[row + 1]; i++) {
        size_t at = TOP;
        for (; at > 0 && labels->weight[i] > top[at - 1]; at--)
            if (at < TOP) top[at] = top[at - 1];
        if (at < TOP) top[at] = labels->weight[i];
    }
    return top[TOP - 1];
}

/* The changes of the largest shares of a row since an earlier one, to change[]; returns how many. */
static size_t changes_of(const sg_labels *labels, size_t row, size_t before, double *change)
{
    const float least = tenth(labels, row);
    size_t count = 0, old = labels->first[before];
    for (size_t i = labels->first[row]; i < labels->first[row + 1] && count < TOP; i++) {
        while (old < labels->first[before + 1] && labels->class_of[old] < labels->class_of[i]) old++;
        if (old == labels->first[before + 1]) break;
        if (labels->weight[i] >= least && labels->class_of[old] == labels->class_of[i])
            change[count++] = fabs(log((double)labels->weight[i] / (double)labels->weight[old]));
    }
    return count;
}

int sg_label_noise(const sg_labels *labels, size_t groups, size_t nodes, double *noise, scadyg_error *error)
{
    const size_t rows = labels->first_row[groups];
    size_t *latest = sg_alloc(nodes, sizeof *latest), count = 0;
    double *change = rows <= SIZE_MAX / TOP ? sg_alloc(rows * TOP, sizeof *change) : NULL;
    const int failed = !latest || !change;
    for (size_t i = 0; !failed && i < nodes; i++) latest[i] = SIZE_MAX;
    for (size_t row = 0; !failed && row < rows; row++) {
        size_t *before = &latest[labels->node[row]];
        if (*before != SIZE_MAX) count += changes_of(labels, row, *before, change + count);
        *before = row;
    }
    *noise = 1;
    if (!failed && count) {
        qsort(change, count, sizeof *change, by_size);
        *noise = fmin(1, fmax(change[count / 2], SG_LABEL_NOISE_LEAST));
    }
    free(latest);
    free(change);
    return failed ? sg_fail_memory(error, "the label times") : SCADYG_OK;
}
