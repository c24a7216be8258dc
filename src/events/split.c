/* Splits: training, validation and test part. */
#include "events/split.h"

#include <math.h>

/* The first event later than a time. */
static uint64_t first_after(const double *time, uint64_t events, double at)
{
    uint64_t low = 0, high = events;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (time[middle] <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double sg_quantile(const double *time, uint64_t events, double q)
{
    if (events == 0) return 0;
    double place = q * (double)(events - 1);
    if (!(place > 0)) return time[0];
    uint64_t below = (uint64_t)place;
    if (below >= events - 1) return time[events - 1];
    double share = place - (double)below, step = time[below + 1] - time[below];
    /* As numpy does it, from the nearer end, so that the last bit is the same. */
    return share >= 0.5 ? time[below + 1] - step * (1 - share) : time[below] + step * share;
}

sg_split sg_split_time(const double *time, uint64_t events, double train, double validation)
{
    sg_split split;
    split.train_end = first_after(time, events, sg_quantile(time, events, train));
    split.validation_end = first_after(time, events, sg_quantile(time, events, train + validation));
    if (split.validation_end < split.train_end) split.validation_end = split.train_end;
    return split;
}

/* ceil(share * L) where 0.15 * 100 counts as 15, although its double is a little more. */
static int64_t share_of(double share, int64_t count)
{
    double exact = share * (double)count, whole = nearbyint(exact);
    double parts = fabs(exact - whole) <= 1e-9 * (double)count ? whole : ceil(exact);
    return parts >= (double)count ? count : parts > 0 ? (int64_t)parts : 0;
}

sg_split sg_split_steps(const sg_steps *steps, double train, double validation)
{
    int64_t first = share_of(train, steps->count), second = first + share_of(validation, steps->count);
    if (second > steps->count) second = steps->count;
    return (sg_split){.train_end = steps->first[first], .validation_end = steps->first[second]};
}
