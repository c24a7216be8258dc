/*
 * Steps: the time range cut into L parts.
 *
 * equal-time   parts of equal length; an event on a border belongs to the later part, the last event to the last.
 * equal-count  parts of ceil(events / L) events; events with equal times are never parted, so a part takes in the
 *              whole group its last event belongs to. Parts at the end may be empty.
 *
 * Empty steps keep their place.
 */
#ifndef SG_EVENTS_STEPS_H
#define SG_EVENTS_STEPS_H

#include "base/status.h"

typedef struct sg_steps {
    int64_t count;   /* L */
    int rule;        /* a scadyg_step_rule */
    double origin;   /* first time */
    double range;    /* last time - first time */
    uint64_t *first; /* [L + 1]: the first event of each step; first[L] = events */
    double *begin;   /* [L]: equal-count: the time of the first event of each step, +inf for trailing empties */
    double
        *end; /* [L]: t_i, the largest event time up to and including step i; an empty step has its predecessor's */
} sg_steps;

int sg_steps_make(sg_steps *steps, const double *time, uint64_t events, int64_t count, int rule,
                  scadyg_error *error);
void sg_steps_free(sg_steps *steps);

/* The step a time falls in, from 0. Times after the last event fall in the last step, before the first in 0. */
int64_t sg_steps_find(const sg_steps *steps, double time);

/*
 * The same for a growing log: with equal-time the grid goes on behind the last step at the same width, so the
 * result may be L or more. With equal-count everything later belongs to the last step.
 */
int64_t sg_steps_find_open(const sg_steps *steps, double time);

#endif
