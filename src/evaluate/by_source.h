/* The events of a step, or of one time, by source: sources in order of appearance, events of each in order. */
#ifndef SG_EVALUATE_BY_SOURCE_H
#define SG_EVALUATE_BY_SOURCE_H

#include <stddef.h>
#include <stdint.h>

typedef struct sg_by_source {
    size_t sources;
    uint32_t *source; /* [sources] */
    size_t *first;    /* [sources + 1], into event */
    uint64_t *event;
    size_t capacity; /* events there is room for */
    uint32_t *slot;  /* [nodes]: where a node stands in source, if it does */
    size_t *fill;
} sg_by_source;

int sg_by_source_open(sg_by_source *by_source, uint64_t nodes); /* -1 without memory */
void sg_by_source_close(sg_by_source *by_source);

/* Bundles the events begin .. end-1. -1 without memory. */
int sg_by_source_make(sg_by_source *by_source, const uint32_t *src, uint64_t begin, uint64_t end);

/* Leaves one source in `every`, which ones depends on `salt`. */
void sg_by_source_thin(sg_by_source *by_source, uint64_t every, uint64_t salt);

#endif
