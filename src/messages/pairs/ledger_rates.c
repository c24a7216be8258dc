/* Rates of the ledger, from the events alone. */
#include "messages/pairs/ledger.h"

#include "base/memory.h"

#include <stdlib.h>

#define SAMPLE 65536   /* gaps looked at */
#define SHORT 0.1      /* the quantile of the gaps that the fastest rate is for */
#define LEAST_SPAN 50  /* times the slowest rate, at least */
#define MOST_SPAN 1e6  /* and at most */
#define NO_TIME 1e-300 /* a range this short has no rates that are numbers: as if all came at once */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Gaps above 0 between events of the same source, spread evenly over the part. -1 without memory. */
static int short_gap(const sg_columns *columns, uint64_t nodes, uint64_t end, double *gap)
{
    double *last = sg_alloc(nodes, sizeof *last), *gaps = sg_alloc(SAMPLE, sizeof *gaps);
    size_t count = 0;
    const uint64_t stride = end / SAMPLE + 1;
    for (uint64_t i = 0; last && i < nodes; i++) last[i] = NAN;
    for (uint64_t e = 0; last && gaps && e < end; e++) {
        const double since = columns->time[e] - last[columns->src[e]];
        if (since > 0 && e % stride == 0 && count < SAMPLE) gaps[count++] = since;
        last[columns->src[e]] = columns->time[e];
    }
    const int status = last && gaps ? 0 : -1;
    if (!status && count) {
        qsort(gaps, count, sizeof *gaps, by_size);
        *gap = gaps[(size_t)(SHORT * (double)(count - 1))];
    }
    free(last);
    free(gaps);
    return status;
}

int sg_ledger_rates(const sg_columns *columns, uint64_t nodes, uint64_t train_end, sg_rates *rates,
                    scadyg_error *error)
{
    double range = train_end ? columns->time[train_end - 1] - columns->time[0] : 0;
    if (!(range > NO_TIME)) range = 1;
    double gap = range;
    if (short_gap(columns, nodes, train_end, &gap)) return sg_fail_memory(error, "the gaps between events");
    double span = range / gap;
    span = span < LEAST_SPAN ? LEAST_SPAN : span > MOST_SPAN ? MOST_SPAN : span;
    for (int k = 0; k < SG_RATES; k++) rates->rate[k] = pow(span, (double)k / (SG_RATES - 1)) / range;
    return SCADYG_OK;
}
