/* Counting repeats. */
#include "events/info_pairs.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK ((uint64_t)1 << 22) /* events between two progress reports */
#define BATCH 64                  /* events whose slots are fetched ahead together */
#define LEAST_SLOTS ((uint64_t)1024)

typedef struct slot {
    uint32_t src, dst; /* src UINT32_MAX: free, since no node has that number */
    double time;
} slot;

/* The table of one partition in work. */
typedef struct partition {
    slot *slots;
    uint64_t used;
    uint64_t repeated_events;
    int full;
} partition;

typedef struct work {
    const uint32_t *src, *dst;
    const double *time;
    uint64_t begin, end; /* events of the present block */
    uint64_t slot_count; /* of each table, a power of two */
    uint64_t partitions; /* in all */
    uint64_t first;      /* partition of tables[0] */
    partition *tables;
} work;

static uint64_t hash_pair(uint32_t src, uint32_t dst)
{
    return sg_hash64((uint64_t)src << 32 | dst);
}

static void add_event(const work *w, partition *table, uint64_t event, uint64_t hash)
{
    const uint32_t src = w->src[event], dst = w->dst[event];
    const double time = w->time[event];
    uint64_t mask = w->slot_count - 1, at = hash & mask;
    for (; table->slots[at].src != UINT32_MAX; at = (at + 1) & mask) {
        slot *known = &table->slots[at];
        if (known->src != src || known->dst != dst) continue;
        table->repeated_events += known->time == time;
        known->time = time;
        return;
    }
    if (table->used >= w->slot_count / 4 * 3) {
        table->full = 1;
        return;
    }
    table->slots[at] = (slot){src, dst, time};
    table->used++;
}

/* The events of a block that belong to one partition. Slots are asked for a batch ahead: memory is slow. */
static void scan_block(void *context, size_t index)
{
    const work *w = context;
    partition *table = &w->tables[index];
    const uint64_t wanted = w->first + index, mask = w->slot_count - 1;
    uint64_t events[BATCH], hashes[BATCH];
    for (uint64_t at = w->begin; at < w->end && !table->full; at += BATCH) {
        uint64_t end = at + BATCH < w->end ? at + BATCH : w->end, count = 0;
        for (uint64_t i = at; i < end; i++) {
            uint64_t hash = hash_pair(w->src[i], w->dst[i]);
            events[count] = i;
            hashes[count] = hash;
            if (((hash >> 32) * w->partitions) >> 32 != wanted) continue;
            __builtin_prefetch(&table->slots[hash & mask], 1);
            count++;
        }
        for (uint64_t i = 0; i < count && !table->full; i++) add_event(w, table, events[i], hashes[i]);
    }
}

/* One reading of the events for the partitions first .. first + width - 1. *full: a table was too small. */
static int run_round(work *w, uint64_t width, uint64_t events, int threads, const scadyg_progress *progress,
                     int *full, scadyg_error *error)
{
    for (uint64_t i = 0; i < width; i++) {
        w->tables[i] = (partition){.slots = w->tables[i].slots};
        memset(w->tables[i].slots, 0xFF, w->slot_count * sizeof(slot));
    }
    for (uint64_t at = 0; at < events; at += BLOCK) {
        w->begin = at;
        w->end = at + BLOCK < events ? at + BLOCK : events;
        sg_parallel_for(threads, width, scan_block, w);
        for (uint64_t i = 0; i < width; i++) *full |= w->tables[i].full;
        int status = sg_report(progress, "counting pairs", (w->first / width) * events + w->end,
                               (w->partitions / width) * events, error);
        if (status || *full) return status;
    }
    return SCADYG_OK;
}

/* All rounds with the present number of partitions. */
static int run_rounds(work *w, uint64_t width, uint64_t events, int threads, const scadyg_progress *progress,
                      sg_pair_counts *counts, int *full, scadyg_error *error)
{
    *counts = (sg_pair_counts){.partitions = w->partitions};
    for (w->first = 0; w->first < w->partitions; w->first += width) {
        int status = run_round(w, width, events, threads, progress, full, error);
        if (status || *full) return status;
        for (uint64_t i = 0; i < width; i++) {
            counts->distinct_pairs += w->tables[i].used;
            counts->repeated_events += w->tables[i].repeated_events;
        }
    }
    return SCADYG_OK;
}

int sg_count_pairs(const uint32_t *src, const uint32_t *dst, const double *time, uint64_t events, uint64_t memory,
                   int threads, const scadyg_progress *progress, sg_pair_counts *counts, scadyg_error *error)
{
    const uint64_t width = (uint64_t)threads, room = memory / width / sizeof(slot);
    work w = {.src = src, .dst = dst, .time = time, .slot_count = LEAST_SLOTS, .partitions = width};
    while (w.slot_count < 2 * (events / width) && w.slot_count * 2 <= room) w.slot_count *= 2;
    w.tables = sg_alloc_zero(width, sizeof *w.tables);
    int status = w.tables ? SCADYG_OK : sg_fail_memory(error, "counting pairs");
    for (uint64_t i = 0; i < width && !status; i++) {
        w.tables[i].slots = sg_alloc_aligned(w.slot_count, sizeof(slot));
        if (!w.tables[i].slots) status = sg_fail_memory(error, "counting pairs");
    }
    int full = 0;
    if (!status) status = run_rounds(&w, width, events, threads, progress, counts, &full, error);
    /* A table that is too small shows it early, so trying and doubling costs less than knowing beforehand. */
    while (!status && full) {
        full = 0;
        w.partitions *= 2;
        status = run_rounds(&w, width, events, threads, progress, counts, &full, error);
    }
    for (uint64_t i = 0; w.tables && i < width; i++) free(w.tables[i].slots);
    free(w.tables);
    return status;
}
