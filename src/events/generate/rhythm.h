/*
 * The rhythm of the generated graph: when events come, and who is popular meanwhile.
 *
 * The clock is a Poisson process with a daily rhythm. In hour h of each day events come at `rate` * r(h) per second,
 * r(h) = 1 + 0.8 sin(2 pi (h - 9) / 24): quiet at three in the morning, busy at three in the afternoon. Times are cut to
 * milliseconds.
 *
 * Popularity waves: a few possible destinations are hot for some days each. There are W waves. Each carries one
 * destination, drawn uniformly, for SG_WAVE_LIFE seconds, then the next; their lives are staggered evenly. The strength of
 * a wave at the fraction f of its life is sin^2(pi f), taken at the beginning of each quarter of an hour.
 */
#ifndef SG_EVENTS_GENERATE_RHYTHM_H
#define SG_EVENTS_GENERATE_RHYTHM_H

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

#define SG_WAVE_LIMIT 64
#define SG_WAVE_LIFE (4 * SG_DAY)

typedef struct sg_waves {
    uint64_t seed;
    uint32_t first, size; /* the possible destinations: first .. first + size - 1 */
    int count;            /* W */
    double next_change;   /* when the strengths change again */
    double total;         /* of the strengths */
    uint32_t node[SG_WAVE_LIMIT];
    double strength[SG_WAVE_LIMIT];
} sg_waves;

void sg_waves_start(sg_waves *waves, uint64_t seed, uint32_t first, uint32_t size);

/* Brings the waves to a time at or after next_change. */
void sg_waves_move(sg_waves *waves, double time);

/* A node with probability strength / total. */
uint32_t sg_waves_draw(const sg_waves *waves, sg_rng *rng);

#endif
