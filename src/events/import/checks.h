/*
 * What looks odd in a log that was understood: for a person to check. Nothing here stops an import; each line says what was
 * seen and what it might mean.
 */
#ifndef SG_EVENTS_IMPORT_CHECKS_H
#define SG_EVENTS_IMPORT_CHECKS_H

#include "events/import/ids.h"
#include "scadyg.h"

#define SG_CHECKED_MOST 64 /* columns of numbers that are checked */

/* The node that has most of the events, if one has: found in the first pass, counted in the second. */
typedef struct sg_majority {
    uint32_t node;
    uint64_t votes, count;
} sg_majority;

/* A column of numbers that may nearly always be the same. */
typedef struct sg_constant {
    float value;
    uint64_t votes, count;
} sg_constant;

typedef struct sg_checks {
    sg_majority ends[2];    /* source, destination */
    sg_constant *constants; /* [columns]: weight, then features */
    size_t columns;
    /* Of the second pass, in the order of time: */
    uint64_t events, seen, distinct_times, zeros, seconds, milliseconds;
    double last, early, late; /* the latest time; the times at 1 % and 99 % of the events */
    int all_whole;
} sg_checks;

int sg_checks_open(sg_checks *checks, size_t columns, scadyg_error *error);
void sg_checks_close(sg_checks *checks); /* also of a zeroed one */

/* The first pass, in any order: an event and its numbers ([columns], weight first). */
void sg_checks_vote(sg_checks *checks, uint32_t src, uint32_t dst, const float *values, size_t first, size_t count);

/* The second, by time. `events`: how many there will be. */
void sg_checks_count(sg_checks *checks, uint32_t src, uint32_t dst, double time, uint64_t events);
void sg_checks_count_value(sg_checks *checks, size_t column, float value);

/* Lines for a person, appended to a growing text. */
int sg_checks_describe(const sg_checks *checks, const sg_ids *ids, const scadyg_shape *shape, int has_weight,
                       char **text, scadyg_error *error);

#endif
