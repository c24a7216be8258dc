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

static inline sg_weight_slot *sg_weight_table_slot(const sg_weight_table *table, uint32_t a, uint32_t b)
{
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    uint64_t i = sg_hash_number(&table->key, (uint64_t)low << 32 | high) & table->mask;
    while ((table->slots[i].low != low || table->slots[i].high != high) &&
           table->slots[i].low != table->slots[i].high)
        i = (i + 1) & table->mask;
    return &table->slots[i];
}

static inline void sg_weight_table_prefetch(const sg_weight_table *table, uint32_t a, uint32_t b)
{
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    __builtin_prefetch(&table->slots[sg_hash_number(&table->key, (uint64_t)low << 32 | high) & table->mask]);
}

/* 0: they never came up together. */
static inline float sg_weight_table_find(const sg_weight_table *table, uint32_t a, uint32_t b)
{
    return a == b ? 0 : sg_weight_table_slot(table, a, b)->weight;
}

#endif
