/*
 * Splits: training, validation and test part, as ranges of events in time order. Events with equal times are never
 * parted.
 *
 *   steps  the first ceil(train * L) steps, the next ceil(validation * L), the rest (the paper)
 *   time   by numpy's linear quantiles of all event times: train t <= q(train), validation t <= q(train + validation)
 */
#ifndef SG_EVENTS_SPLIT_H
#define SG_EVENTS_SPLIT_H

#include "events/steps.h"

typedef struct sg_split {
    uint64_t train_end;      /* events 0 .. train_end-1 are for training */
    uint64_t validation_end; /* then up to here for validation; the rest is test */
} sg_split;

sg_split sg_split_steps(const sg_steps *steps, double train, double validation);
sg_split sg_split_time(const double *time, uint64_t events, double train, double validation);

/* numpy.quantile(time, q) of ascending times. */
double sg_quantile(const double *time, uint64_t events, double q);

#endif
