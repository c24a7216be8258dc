/* Events by source, in time linear in their number: no sorting, and nothing to clear. */
#include "evaluate/bundle.h"

#include "base/memory.h"
#include "base/rng.h"

#include <stdlib.h>

int sg_bundle_open(sg_bundle *bundle, uint64_t nodes)
{
    *bundle = (sg_bundle){.slot = sg_alloc_zero((size_t)nodes, sizeof(uint32_t))};
    return bundle->slot ? 0 : -1;
}

void sg_bundle_close(sg_bundle *bundle)
{
    free(bundle->source);
    free(bundle->first);
    free(bundle->event);
    free(bundle->slot);
    free(bundle->fill);
    *bundle = (sg_bundle){0};
}

static int make_room(sg_bundle *bundle, size_t events)
{
    if (events <= bundle->capacity) return 0;
    free(bundle->source);
    free(bundle->first);
    free(bundle->event);
    free(bundle->fill);
    size_t capacity = events + events / 2 + 16;
    bundle->source = sg_alloc(capacity, sizeof *bundle->source);
    bundle->first = sg_alloc(capacity + 1, sizeof *bundle->first);
    bundle->event = sg_alloc(capacity, sizeof *bundle->event);
    bundle->fill = sg_alloc(capacity, sizeof *bundle->fill);
    int bad = !bundle->source || !bundle->first || !bundle->event || !bundle->fill;
    bundle->capacity = bad ? 0 : capacity;
    return bad ? -1 : 0;
}

int sg_bundle_make(sg_bundle *bundle, const uint32_t *src, uint64_t begin, uint64_t end)
{
    bundle->sources = 0;
    if (make_room(bundle, (size_t)(end - begin))) return -1;
    for (uint64_t e = begin; e < end; e++) {
        uint32_t node = src[e], slot = bundle->slot[node];
        if (slot >= bundle->sources || bundle->source[slot] != node) {
            slot = bundle->slot[node] = (uint32_t)bundle->sources++;
            bundle->source[slot] = node;
            bundle->fill[slot] = 0;
        }
        bundle->fill[slot]++;
    }
    size_t at = 0;
    for (size_t i = 0; i < bundle->sources; i++) {
        bundle->first[i] = at;
        at += bundle->fill[i];
        bundle->fill[i] = bundle->first[i];
    }
    bundle->first[bundle->sources] = at;
    for (uint64_t e = begin; e < end; e++) bundle->event[bundle->fill[bundle->slot[src[e]]]++] = e;
    return 0;
}

void sg_bundle_thin(sg_bundle *bundle, uint64_t every, uint64_t salt)
{
    size_t kept = 0, at = 0;
    for (size_t i = 0; i < bundle->sources; i++) {
        const uint32_t source = bundle->source[i];
        const size_t begin = bundle->first[i], end = bundle->first[i + 1];
        if (sg_hash3(every, salt, source) % every) continue;
        bundle->source[kept] = source;
        bundle->first[kept++] = at;
        for (size_t k = begin; k < end; k++) bundle->event[at++] = bundle->event[k];
    }
    bundle->first[kept] = at;
    bundle->sources = kept;
}
