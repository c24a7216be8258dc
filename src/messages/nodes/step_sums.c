/* Sums that few nodes take part in: those of one step, and the map from nodes to their rows. */
#include "messages/nodes/step_sums.h"

#include "base/context.h"
#include "base/memory.h"
#include "messages/nodes/decay.h"

#include <stdlib.h>
#include <string.h>

/* ---- A map from node numbers to rows: open addressing, at most half full ---- */

void sg_node_map_free(sg_node_map *map)
{
    SG_FREE(map->slots, map->nodes);
    *map = (sg_node_map){0};
}

void sg_node_map_clear(sg_node_map *map)
{
    if (map->slots) memset(map->slots, 0, map->size * sizeof *map->slots);
    map->count = 0;
}

/* The slot of a node, or the empty one where it belongs. */
static size_t find_slot(const sg_node_map *map, uint32_t node)
{
    size_t slot = (size_t)sg_hash_number(&map->key, node) & (map->size - 1);
    while (map->slots[slot] && map->nodes[map->slots[slot] - 1] != node) slot = (slot + 1) & (map->size - 1);
    return slot;
}

static int grow_map(sg_node_map *map, scadyg_error *error)
{
    const size_t size = map->size ? map->size * 2 : 64;
    if (sg_grow(&map->nodes, &map->capacity, size / 2, sizeof *map->nodes))
        return sg_fail_memory(error, "a table of nodes");
    uint32_t *slots = sg_alloc_zero(size, sizeof *slots);
    if (!slots) return sg_fail_memory(error, "a table of nodes");
    if (!map->size) map->key = sg_hash_key_draw();
    free(map->slots);
    map->slots = slots;
    map->size = size;
    for (size_t row = 0; row < map->count; row++) slots[find_slot(map, map->nodes[row])] = (uint32_t)row + 1;
    return SCADYG_OK;
}

int sg_node_map_add(sg_node_map *map, uint32_t node, uint32_t *row, scadyg_error *error)
{
    if (map->count * 2 >= map->size) {
        int status = grow_map(map, error);
        if (status) return status;
    }
    const size_t slot = find_slot(map, node);
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
    return map->slots[find_slot(map, node)] - 1; /* an empty slot wraps around to UINT32_MAX */
}

/* ---- The sums of one step ---- */

void sg_step_sums_init(sg_step_sums *step_sums, const scadyg_messages *plan, int64_t step)
{
    *step_sums = (sg_step_sums){.step = step};
    sg_sums_init(&step_sums->sums, plan);
}

void sg_step_sums_free(sg_step_sums *step_sums)
{
    sg_node_map_free(&step_sums->map);
    sg_sums_free(&step_sums->sums);
}

/* The rows of the ends of events, new ones where needed. */
static int find_rows(sg_step_sums *step_sums, const sg_source *source, uint64_t first, uint64_t count,
                     uint32_t *src_rows, uint32_t *dst_rows, scadyg_error *error)
{
    for (uint64_t i = 0; i < count; i++) {
        int status = sg_node_map_add(&step_sums->map, source->src[first + i], &src_rows[i], error);
        if (!status) status = sg_node_map_add(&step_sums->map, source->dst[first + i], &dst_rows[i], error);
        if (status) return status;
    }
    return sg_sums_reserve(&step_sums->sums, step_sums->map.count, error);
}

int sg_step_sums_add(sg_step_sums *step_sums, const sg_source *source, uint64_t first, uint64_t count,
                     scadyg_error *error)
{
    uint32_t src_rows[SG_TILE], dst_rows[SG_TILE];
    for (uint64_t done = 0; done < count; done += SG_TILE) {
        const uint64_t size = count - done < SG_TILE ? count - done : SG_TILE;
        int status = find_rows(step_sums, source, first + done, size, src_rows, dst_rows, error);
        if (!status)
            status = sg_sums_add(NULL, &step_sums->sums, source, first + done, size, src_rows, dst_rows, error);
        if (status) return status;
    }
    return SCADYG_OK;
}

int sg_step_sums_make(scadyg_context *context, sg_step_sums *step_sums, const sg_source *source, uint64_t first,
                      uint64_t count, double frame, scadyg_error *error)
{
    sg_node_map_clear(&step_sums->map);
    sg_sums_free(&step_sums->sums);
    uint32_t *src_rows = sg_alloc((size_t)count, 2 * sizeof *src_rows), *dst_rows = src_rows + count;
    if (!src_rows) return sg_fail_memory(error, "the ends of a step's events");
    int status = find_rows(step_sums, source, first, count, src_rows, dst_rows, error);
    if (!status) {
        sg_sums_fix(&step_sums->sums, frame);
        status = sg_sums_add(context, &step_sums->sums, source, first, count, src_rows, dst_rows, error);
    }
    if (!status) sg_sums_hops(context, &step_sums->sums, src_rows, dst_rows, count);
    free(src_rows);
    return status;
}

/* The nodes of a step are distinct, so slices of its sums can be folded at the same time. */

#define SLICE ((size_t)1024)

typedef struct fold {
    const sg_step_sums *step_sums;
    sg_sums *sums;
} fold;

static void fold_slice(void *data, size_t worker, size_t index)
{
    (void)worker;
    const fold *f = data;
    const sg_node_map *map = &f->step_sums->map;
    const size_t begin = index * SLICE, end = map->count - begin < SLICE ? map->count : begin + SLICE;
    for (size_t row = begin; row < end; row++) sg_sums_fold(f->sums, map->nodes[row], &f->step_sums->sums, row);
}

void sg_step_sums_fold(scadyg_context *context, const sg_step_sums *step_sums, sg_sums *sums)
{
    fold f = {step_sums, sums};
    sg_parallel_for(context, (step_sums->map.count + SLICE - 1) / SLICE, fold_slice, &f);
}

void sg_step_sums_read(const sg_step_sums *step_sums, uint32_t node, double at, double *out)
{
    const uint32_t row = sg_node_map_find(&step_sums->map, node);
    if (row != UINT32_MAX) sg_sums_read(&step_sums->sums, row, at, out);
}
