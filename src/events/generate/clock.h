/*
 * The clock of the generated graph: a Poisson process with a daily rhythm.
 *
 * In hour h of each day events come at `rate` * r(h) per second, r(h) = 1 + 0.8 sin(2 pi (h - 9) / 24): quiet
 * at three in the morning, busy at three in the afternoon. Times are cut to milliseconds.
 */
#ifndef SG_EVENTS_GENERATE_CLOCK_H
#define SG_EVENTS_GENERATE_CLOCK_H

#include "base/rng.h"

#define SG_DAY 86400.0

typedef struct sg_clock {
    double rate[24]; /* events per second in each hour of the day */
    int64_t hour;    /* since the beginning */
    double second;   /* within the hour */
} sg_clock;

/* Begins at time 0 with so many events a day on average. */
void sg_clock_start(sg_clock *clock, double events_per_day);

/* The time of the next event, in seconds. */
double sg_clock_next(sg_clock *clock, sg_rng *rng);

#endif
