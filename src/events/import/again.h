/*
 * Whether what is appended was appended before: where times are whole days, the events of the same file once more are of the
 * newest time and not late.
 */
#ifndef SG_EVENTS_IMPORT_AGAIN_H
#define SG_EVENTS_IMPORT_AGAIN_H

#include <stddef.h>
#include <stdint.h>

typedef struct sg_again {
    uint64_t *pairs; /* of the newest time, sorted when they are first asked for */
    size_t count, room;
    int is_sorted;
    uint64_t rows, found; /* new events, and those that are among the pairs */
} sg_again;

/* An event of the newest time that is there; -1 without memory. All come before the new ones of that time. */
int sg_again_keep(sg_again *again, uint32_t src, uint32_t dst);

/* A new event, and whether it is of that time. */
void sg_again_ask(sg_again *again, uint32_t src, uint32_t dst, int is_newest);

void sg_again_close(sg_again *again);

#endif
