/*
 * Info, inside: counting repeats, which is how many events have a pair, or a pair and a time, that occurred in an
 * earlier event.
 *
 * A hash table keeps each ordered pair with its latest time. Pairs are split by hash into partitions so that the tables of
 * the partitions in work fit in the given memory; the events are read once per round of partitions.
 */
#ifndef SG_EVENTS_INFO_H
#define SG_EVENTS_INFO_H

#include "events/file.h"

typedef struct sg_pair_counts {
    uint64_t distinct_pairs;
    uint64_t repeated_events; /* equal to an earlier event in source, destination and time */
    uint64_t partitions;      /* how many it took */
} sg_pair_counts;

int sg_count_pairs(scadyg_context *context, const sg_columns *columns, uint64_t memory, sg_pair_counts *counts,
                   scadyg_error *error);

#endif
