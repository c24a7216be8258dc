/* A hash table from ordered pairs of nodes to a number: open addressing, one probe as a rule. */
#ifndef SG_BASE_PAIR_MAP_H
#define SG_BASE_PAIR_MAP_H

#include "base/hash.h"

#include <stddef.h>

#define SG_NO_PAIR UINT64_MAX /* no pair has this key: node numbers end before 2^32 - 1 */

typedef struct sg_pair_slot {
    uint64_t key, value;
} sg_pair_slot;

typedef struct sg_pair_map {
    sg_pair_slot *slots; /* [mask + 1] */
    uint64_t mask;       /* a power of two less one */
    uint64_t count;
    sg_hash_key key;
} sg_pair_map;

static inline uint64_t sg_pair_key(uint32_t src, uint32_t dst)
{
    return (uint64_t)src << 32 | dst;
}

/* Both -1 without memory. A map opened with so many slots, a power of two, can be filled by hand: it does not grow then. */
int sg_pair_map_open(sg_pair_map *map);
int sg_pair_map_open_slots(sg_pair_map *map, uint64_t slots);
void sg_pair_map_clear(sg_pair_map *map);
void sg_pair_map_close(sg_pair_map *map);

/* The slot of a pair, or the free one (SG_NO_PAIR) where it would go. */
static inline sg_pair_slot *sg_pair_map_slot(const sg_pair_map *map, uint64_t key)
{
    uint64_t i = sg_hash_number(&map->key, key) & map->mask;
    while (map->slots[i].key != key && map->slots[i].key != SG_NO_PAIR) i = (i + 1) & map->mask;
    return &map->slots[i];
}

/* Asks memory for the slot of a pair that is needed soon. Always inlined: compilers drop calls that do nothing else. */
static inline __attribute__((always_inline)) void sg_pair_map_prefetch(const sg_pair_map *map, uint64_t key)
{
    __builtin_prefetch(&map->slots[sg_hash_number(&map->key, key) & map->mask], 1);
}

/* The value of a pair, or NULL. */
static inline uint64_t *sg_pair_map_find(const sg_pair_map *map, uint64_t key)
{
    sg_pair_slot *slot = sg_pair_map_slot(map, key);
    return slot->key == key ? &slot->value : NULL;
}

/* The same, added with value 0 if it is new; NULL without memory. Valid until the next call. */
uint64_t *sg_pair_map_put(sg_pair_map *map, uint64_t key, int *is_new);

#endif
