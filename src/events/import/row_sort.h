/* Sorting rows by time, stably, fast where they are nearly in order already. */
#ifndef SG_EVENTS_IMPORT_ROW_SORT_H
#define SG_EVENTS_IMPORT_ROW_SORT_H

#include <stddef.h>
#include <stdint.h>

typedef struct sg_sort_key {
    double time;
    uint64_t row;
} sg_sort_key;

/* Sorts keys[0..count); keys with equal times keep their order. scratch has room for as many. */
void sg_sort_by_time(sg_sort_key *keys, sg_sort_key *scratch, size_t count);

#endif
