/* A step_sums: the sums of one step, for the nodes that took part in it. */
#include "messages/nodes/step_sums.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "messages/nodes/decay.h"

#include <stdlib.h>

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
            status = sg_sums_add(&step_sums->sums, source, first + done, size, src_rows, dst_rows, 1, error);
        if (status) return status;
    }
    return SCADYG_OK;
}

int sg_step_sums_make(sg_step_sums *step_sums, const sg_source *source, uint64_t first, uint64_t count,
                      double frame, int threads, scadyg_error *error)
{
    sg_node_map_clear(&step_sums->map);
    sg_sums_free(&step_sums->sums);
    uint32_t *src_rows = sg_alloc((size_t)count, 2 * sizeof *src_rows), *dst_rows = src_rows + count;
    if (!src_rows) return sg_fail_memory(error, "the ends of a step's events");
    int status = find_rows(step_sums, source, first, count, src_rows, dst_rows, error);
    if (!status) {
        sg_sums_fix(&step_sums->sums, frame);
        status = sg_sums_add(&step_sums->sums, source, first, count, src_rows, dst_rows, threads, error);
    }
    if (!status) sg_sums_hops(&step_sums->sums, src_rows, dst_rows, count, threads);
    free(src_rows);
    return status;
}

/* Nodes of a step_sums are distinct, so slices of it can be folded at the same time. */

#define SLICE ((size_t)1024)

typedef struct fold {
    const sg_step_sums *step_sums;
    sg_sums *sums;
} fold;

static void fold_slice(void *context, size_t index)
{
    const fold *f = context;
    const sg_node_map *map = &f->step_sums->map;
    const size_t begin = index * SLICE, end = map->count - begin < SLICE ? map->count : begin + SLICE;
    for (size_t row = begin; row < end; row++) sg_sums_fold(f->sums, map->nodes[row], &f->step_sums->sums, row);
}

void sg_step_sums_fold(const sg_step_sums *step_sums, sg_sums *sums, int threads)
{
    fold f = {step_sums, sums};
    sg_parallel_for(threads, (step_sums->map.count + SLICE - 1) / SLICE, fold_slice, &f);
}

void sg_step_sums_read(const sg_step_sums *step_sums, uint32_t node, double at, double *out)
{
    const uint32_t row = sg_node_map_find(&step_sums->map, node);
    if (row != UINT32_MAX) sg_sums_read(&step_sums->sums, row, at, out);
}
