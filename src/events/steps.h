/*
 * Steps and splits.
 *
 * Steps: the time range cut into L parts.
 *
 * equal-time   parts of equal length; an event on a border belongs to the later part, the last event to the last.
 * equal-count  parts of ceil(events / L) events; events with equal times are never parted, so a part takes in the
 *              whole group its last event belongs to. Parts at the end may be empty.
 *
 * Empty steps keep their place.
 *
 * Anchored steps keep the grid of another file, so that they do not depend on what the log will hold later:
 *
 * equal-time   the other file's origin and step length; the grid goes on behind its last step
 * equal-count  the step of a time is floor(events strictly before it / events per step of the other file)
 */
#ifndef SG_EVENTS_STEPS_H
#define SG_EVENTS_STEPS_H

#include "base/status.h"

enum { SG_STEPS_EQUAL_TIME = 0, SG_STEPS_EQUAL_COUNT = 1 };

typedef struct sg_steps {
    int64_t count; /* steps of this file; L if not anchored */
    int64_t parts; /* L, over the range */
    int rule;      /* SG_STEPS_... */
    double origin; /* first time */
    double range;  /* last time - first time */
    uint64_t size; /* equal-count: events per step */
    int anchored;
    const double *time; /* [events], borrowed */
    uint64_t events;
    uint64_t *first; /* [L + 1]: the first event of each step; first[L] = events */
    double *begin;   /* [L]: equal-count: the time of the first event of each step, +inf for trailing empties */
    double *end;     /* [L]: t_i, the largest event time up to and including step i; an empty step has its
                        predecessor's */
} sg_steps;

int sg_steps_make(sg_steps *steps, const double *time, uint64_t events, int64_t count, int rule,
                  scadyg_error *error);
void sg_steps_free(sg_steps *steps);

/* The same grid over other events: `parts` steps over origin .. origin + range, or of `size` events each. */
int sg_steps_make_anchored(sg_steps *steps, const double *time, uint64_t events, int64_t parts, int rule,
                           double origin, double range, uint64_t size, scadyg_error *error);

/* The step a time falls in, from 0. Times after the last event fall in the last step, before the first in 0. */
int64_t sg_steps_find(const sg_steps *steps, double time);

/*
 * The same for a growing log: with equal-time the grid goes on behind the last step at the same width, so the
 * result may be L or more. With equal-count everything later belongs to the last step, unless they are anchored.
 */
int64_t sg_steps_find_open(const sg_steps *steps, double time);

/*
 * Splits: training, validation and test part, as ranges of events in time order. Events with equal times are never
 * parted.
 *
 *   steps  the first ceil(train * L) steps, the next ceil(validation * L), the rest (the paper)
 *   time   by numpy's linear quantiles of all event times: train t <= q(train), validation t <= q(train + validation)
 */
typedef struct sg_split {
    uint64_t train_end;      /* events 0 .. train_end-1 are for training */
    uint64_t validation_end; /* then up to here for validation; the rest is test */
} sg_split;

sg_split sg_split_steps(const sg_steps *steps, double train, double validation);
sg_split sg_split_time(const double *time, uint64_t events, double train, double validation);

/* numpy.quantile(time, q) of ascending times. */
double sg_quantile(const double *time, uint64_t events, double q);

#endif
