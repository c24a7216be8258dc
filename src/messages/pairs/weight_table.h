/*
 * A number for each unordered pair of nodes that came up together, added to again and again: open addressing, 16 bytes a
 * slot, at most half of which are taken. The memory is bounded: when no more pairs fit, all numbers are halved and those
 * below a twentieth forgotten, then again with twice that bound, until a quarter of the room is free. What stays depends
 * on the numbers alone.
 */
#ifndef SG_MESSAGES_PAIRS_WEIGHT_TABLE_H
#define SG_MESSAGES_PAIRS_WEIGHT_TABLE_H

#include "base/hash.h"
#include "base/status.h"

typedef struct sg_weight_slot {
    uint32_t low, high; /* low == high: free */
    float weight;
    uint32_t unused;
} sg_weight_slot;

typedef struct sg_weight_table {
    sg_weight_slot *slots;
    uint64_t mask, count, limit; /* limit: the most slots there may be */
    sg_hash_key key;
} sg_weight_table;

/* bytes: that it may take in all, also while it grows; 4096 slots are always there. */
int sg_weight_table_open(uint64_t bytes, sg_weight_table **table, scadyg_error *error);
void sg_weight_table_close(sg_weight_table *table); /* NULL is fine */
void sg_weight_table_clear(sg_weight_table *table);
uint64_t sg_weight_table_bytes(const sg_weight_table *table);

/* What a table of so many pairs takes at most, also while it grows. */
uint64_t sg_weight_table_bytes_for(uint64_t pairs);

/* Two different nodes. Without memory it fails, and nothing has changed. */
int sg_weight_table_add(sg_weight_table *table, uint32_t a, uint32_t b, float weight, scadyg_error *error);

/* Where the search for a pair begins, brought into the cache. It holds until something is added. */
static inline uint64_t sg_weight_table_prefetch(const sg_weight_table *table, uint32_t a, uint32_t b)
{
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    const uint64_t place = sg_hash_number(&table->key, (uint64_t)low << 32 | high) & table->mask;
    __builtin_prefetch(&table->slots[place]);
    return place;
}

static inline sg_weight_slot *sg_weight_table_slot_from(const sg_weight_table *table, uint64_t place, uint32_t a,
                                                        uint32_t b)
{
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    while ((table->slots[place].low != low || table->slots[place].high != high) &&
           table->slots[place].low != table->slots[place].high)
        place = (place + 1) & table->mask;
    return &table->slots[place];
}

static inline sg_weight_slot *sg_weight_table_slot(const sg_weight_table *table, uint32_t a, uint32_t b)
{
    return sg_weight_table_slot_from(table, sg_weight_table_prefetch(table, a, b), a, b);
}

/* 0: they never came up together. */
static inline float sg_weight_table_find(const sg_weight_table *table, uint32_t a, uint32_t b)
{
    return a == b ? 0 : sg_weight_table_slot(table, a, b)->weight;
}

/* The same with the place where the search begins. */
static inline float sg_weight_table_find_from(const sg_weight_table *table, uint64_t place, uint32_t a, uint32_t b)
{
    return a == b ? 0 : sg_weight_table_slot_from(table, place, a, b)->weight;
}

#endif
