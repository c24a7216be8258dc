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

/* A node whose id may stand for none, and the events that it has on each side. */
typedef struct sg_null_node {
    uint32_t node;
    uint64_t count[2];
} sg_null_node;

#define SG_NULLS_MOST 8 /* that are told of */

/* Where the times stop for longest: the events before it, and the times on both sides. */
typedef struct sg_gap {
    double width, from, to;
    uint64_t before;
} sg_gap;

typedef struct sg_checks {
    sg_majority ends[2];    /* source, destination */
    sg_constant *constants; /* [columns]: weight, then features */
    size_t columns;
    /* In the order of the input, of text: */
    uint64_t given, back, forth; /* rows; those with an earlier time than the row before, and a later one */
    double last_given;
    int time_told; /* which column is the time */
    int by_ids;    /* sources and destinations are separate since no id is on both sides */
    /* Of the second pass, in the order of time: */
    uint64_t events, seen, distinct_times, zeros, seconds, milliseconds;
    double first, last, early, late; /* the times; those at 1 % and 99 % of the events */
    int all_whole;
    sg_gap gap;
    double now, now_milli, now_micro; /* seconds, milliseconds and microseconds since 1970, with a day to spare */
    uint64_t future[3];               /* events later than each */
    sg_null_node nulls[SG_NULLS_MOST];
    size_t null_count;
    unsigned currencies;     /* of weights: a bit for each that there is, as sg_is_money numbers them */
    uint64_t headers;        /* lines that were the header again, and no rows */
    uint64_t skipped_clocks; /* times of day that the clocks of the zone do not show */
    const char *zone;        /* that zone */
} sg_checks;

int sg_checks_open(sg_checks *checks, size_t columns, scadyg_error *error);
void sg_checks_close(sg_checks *checks); /* also of a zeroed one */

/* The first pass, in any order: an event and its numbers ([columns], weight first). */
void sg_checks_vote(sg_checks *checks, uint32_t src, uint32_t dst, const float *values, size_t first, size_t count);

/* Likewise, in the order of the input: its time. */
void sg_checks_order(sg_checks *checks, double time);

/* The second, by time. `events`: how many there will be. */
void sg_checks_count(sg_checks *checks, uint32_t src, uint32_t dst, double time, uint64_t events);
void sg_checks_count_value(sg_checks *checks, size_t column, float value);

/* Between the two: nodes with ids that may stand for none (checks_nodes.c). */
void sg_checks_find_nulls(sg_checks *checks, const sg_ids *ids);

/* 4.91E+11: what a spreadsheet shows of a long number, and writes. */
int sg_is_shortened(const char *text, size_t length);

/* Lines for a person, appended to a growing text. */
int sg_checks_describe(const sg_checks *checks, const sg_ids *ids, const scadyg_shape *shape, int has_weight,
                       char **text, scadyg_error *error);

/* Of them, those about nodes. */
int sg_checks_describe_nodes(const sg_checks *checks, const sg_ids *ids, char **text, scadyg_error *error);

#endif
