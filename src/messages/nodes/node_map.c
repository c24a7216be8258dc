/* A map from node numbers to rows: open addressing, at most half full. */
#include "messages/nodes/node_map.h"

#include "base/memory.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

void sg_node_map_free(sg_node_map *map)
{
    free(map->slots);
    free(map->nodes);
    *map = (sg_node_map){0};
}

void sg_node_map_clear(sg_node_map *map)
{
    if (map->slots) memset(map->slots, 0, map->size * sizeof *map->slots);
    map->count = 0;
}

/* The slot of a node, or the empty one where it belongs. */
static size_t slot_of(const sg_node_map *map, uint32_t node)
{
    size_t slot = (size_t)sg_hash64(node) & (map->size - 1);
    while (map->slots[slot] && map->nodes[map->slots[slot] - 1] != node) slot = (slot + 1) & (map->size - 1);
    return slot;
}

static int grow(sg_node_map *map, scadyg_error *error)
{
    const size_t size = map->size ? map->size * 2 : 64;
    if (sg_grow(&map->nodes, &map->capacity, size / 2, sizeof *map->nodes))
        return sg_fail_memory(error, "a table of nodes");
    uint32_t *slots = sg_alloc_zero(size, sizeof *slots);
    if (!slots) return sg_fail_memory(error, "a table of nodes");
    free(map->slots);
    map->slots = slots;
    map->size = size;
    for (size_t row = 0; row < map->count; row++) slots[slot_of(map, map->nodes[row])] = (uint32_t)row + 1;
    return SCADYG_OK;
}

int sg_node_map_add(sg_node_map *map, uint32_t node, uint32_t *row, scadyg_error *error)
{
    if (map->count * 2 >= map->size) {
        int status = grow(map, error);
        if (status) return status;
    }
    const size_t slot = slot_of(map, node);
    if (!map->slots[slot]) {
        map->nodes[map->count] = node;
        map->slots[slot] = (uint32_t)++map->count;
    }
    *row = map->slots[slot] - 1;
    return SCADYG_OK;
}

uint32_t sg_node_map_find(const sg_node_map *map, uint32_t node)
{
    if (!map->size) return UINT32_MAX;
    return map->slots[slot_of(map, node)] - 1; /* an empty slot wraps around to UINT32_MAX */
}
