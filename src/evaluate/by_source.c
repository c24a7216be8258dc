/* Events by source, in time linear in their number: no sorting, and nothing to clear. */
#include "evaluate/by_source.h"

#include "base/memory.h"
#include "base/rng.h"

#include <stdlib.h>

int sg_by_source_open(sg_by_source *by_source, uint64_t nodes)
{
    *by_source = (sg_by_source){.slot = sg_alloc_zero((size_t)nodes, sizeof(uint32_t))};
    return by_source->slot ? 0 : -1;
}

void sg_by_source_close(sg_by_source *by_source)
{
    free(by_source->source);
    free(by_source->first);
    free(by_source->event);
    free(by_source->slot);
    free(by_source->fill);
    *by_source = (sg_by_source){0};
}

static int make_room(sg_by_source *by_source, size_t events)
{
    if (events <= by_source->capacity) return 0;
    free(by_source->source);
    free(by_source->first);
    free(by_source->event);
    free(by_source->fill);
    size_t capacity = events + events / 2 + 16;
    by_source->source = sg_alloc(capacity, sizeof *by_source->source);
    by_source->first = sg_alloc(capacity + 1, sizeof *by_source->first);
    by_source->event = sg_alloc(capacity, sizeof *by_source->event);
    by_source->fill = sg_alloc(capacity, sizeof *by_source->fill);
    int bad = !by_source->source || !by_source->first || !by_source->event || !by_source->fill;
    by_source->capacity = bad ? 0 : capacity;
    return bad ? -1 : 0;
}

int sg_by_source_make(sg_by_source *by_source, const uint32_t *src, uint64_t begin, uint64_t end)
{
    by_source->sources = 0;
    if (make_room(by_source, (size_t)(end - begin))) return -1;
    for (uint64_t e = begin; e < end; e++) {
        uint32_t node = src[e], slot = by_source->slot[node];
        if (slot >= by_source->sources || by_source->source[slot] != node) {
            slot = by_source->slot[node] = (uint32_t)by_source->sources++;
            by_source->source[slot] = node;
            by_source->fill[slot] = 0;
        }
        by_source->fill[slot]++;
    }
    size_t at = 0;
    for (size_t i = 0; i < by_source->sources; i++) {
        by_source->first[i] = at;
        at += by_source->fill[i];
        by_source->fill[i] = by_source->first[i];
    }
    by_source->first[by_source->sources] = at;
    for (uint64_t e = begin; e < end; e++) by_source->event[by_source->fill[by_source->slot[src[e]]]++] = e;
    return 0;
}

void sg_by_source_thin(sg_by_source *by_source, uint64_t every, uint64_t salt)
{
    size_t kept = 0, at = 0;
    for (size_t i = 0; i < by_source->sources; i++) {
        const uint32_t source = by_source->source[i];
        const size_t begin = by_source->first[i], end = by_source->first[i + 1];
        if (sg_hash3(every, salt, source) % every) continue;
        by_source->source[kept] = source;
        by_source->first[kept++] = at;
        for (size_t k = begin; k < end; k++) by_source->event[at++] = by_source->event[k];
    }
    by_source->first[kept] = at;
    by_source->sources = kept;
}
