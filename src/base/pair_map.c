/* A hash table from ordered pairs of nodes to a number. */
#include "base/pair_map.h"

#include "base/memory.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 1024 };

int sg_pair_map_open_slots(sg_pair_map *map, uint64_t slots)
{
    *map = (sg_pair_map){.key = sg_hash_key_draw()};
    map->slots = sg_alloc_huge((size_t)slots, sizeof *map->slots);
    if (!map->slots) return -1;
    map->mask = slots - 1;
    sg_pair_map_clear(map);
    return 0;
}

int sg_pair_map_open(sg_pair_map *map)
{
    return sg_pair_map_open_slots(map, FIRST_SLOTS);
}

void sg_pair_map_clear(sg_pair_map *map)
{
    for (uint64_t i = 0; i <= map->mask; i++) map->slots[i] = (sg_pair_slot){SG_NO_PAIR, 0};
    map->count = 0;
}

void sg_pair_map_close(sg_pair_map *map)
{
    free(map->slots);
    *map = (sg_pair_map){0};
}

static int double_slots(sg_pair_map *map)
{
    sg_pair_map larger;
    if (sg_pair_map_open_slots(&larger, 2 * (map->mask + 1))) return -1;
    for (uint64_t i = 0; i <= map->mask; i++)
        if (map->slots[i].key != SG_NO_PAIR) *sg_pair_map_slot(&larger, map->slots[i].key) = map->slots[i];
    larger.count = map->count;
    free(map->slots);
    *map = larger;
    return 0;
}

uint64_t *sg_pair_map_put(sg_pair_map *map, uint64_t key, int *is_new)
{
    sg_pair_slot *slot = sg_pair_map_slot(map, key);
    *is_new = slot->key != key;
    if (!*is_new) return &slot->value;
    if (2 * (map->count + 1) > map->mask) { /* at most half full */
        if (double_slots(map)) return NULL;
        slot = sg_pair_map_slot(map, key);
    }
    map->count++;
    *slot = (sg_pair_slot){key, 0};
    return &slot->value;
}
