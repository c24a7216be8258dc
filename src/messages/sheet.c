/* A sheet: the sums of one step, for the nodes that took part in it. */
#include "messages/sheet.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "messages/decay.h"

#include <stdlib.h>

void sg_sheet_init(sg_sheet *sheet, const scadyg_messages *plan, int64_t step)
{
    *sheet = (sg_sheet){.step = step};
    sg_sums_init(&sheet->sums, plan);
}

void sg_sheet_free(sg_sheet *sheet)
{
    sg_node_map_free(&sheet->map);
    sg_sums_free(&sheet->sums);
}

/* The rows of the ends of events, new ones where needed. */
static int find_rows(sg_sheet *sheet, const sg_source *source, uint64_t first, uint64_t count, uint32_t *src_rows,
                     uint32_t *dst_rows, scadyg_error *error)
{
    for (uint64_t i = 0; i < count; i++) {
        int status = sg_node_map_add(&sheet->map, source->src[first + i], &src_rows[i], error);
        if (!status) status = sg_node_map_add(&sheet->map, source->dst[first + i], &dst_rows[i], error);
        if (status) return status;
    }
    return sg_sums_reserve(&sheet->sums, sheet->map.count, error);
}

int sg_sheet_add(sg_sheet *sheet, const sg_source *source, uint64_t first, uint64_t count, scadyg_error *error)
{
    uint32_t src_rows[SG_TILE], dst_rows[SG_TILE];
    for (uint64_t done = 0; done < count; done += SG_TILE) {
        const uint64_t size = count - done < SG_TILE ? count - done : SG_TILE;
        int status = find_rows(sheet, source, first + done, size, src_rows, dst_rows, error);
        if (!status) status = sg_sums_add(&sheet->sums, source, first + done, size, src_rows, dst_rows, 1, error);
        if (status) return status;
    }
    return SCADYG_OK;
}

int sg_sheet_make(sg_sheet *sheet, const sg_source *source, uint64_t first, uint64_t count, double frame,
                  int threads, scadyg_error *error)
{
    sg_node_map_clear(&sheet->map);
    sg_sums_free(&sheet->sums);
    uint32_t *src_rows = sg_alloc((size_t)count, 2 * sizeof *src_rows), *dst_rows = src_rows + count;
    if (!src_rows) return sg_fail_memory(error, "the ends of a step's events");
    int status = find_rows(sheet, source, first, count, src_rows, dst_rows, error);
    if (!status) {
        sg_sums_fix(&sheet->sums, frame);
        status = sg_sums_add(&sheet->sums, source, first, count, src_rows, dst_rows, threads, error);
    }
    if (!status) sg_sums_hops(&sheet->sums, src_rows, dst_rows, count, threads);
    free(src_rows);
    return status;
}

/* Nodes of a sheet are distinct, so slices of it can be folded at the same time. */

#define SLICE ((size_t)1024)

typedef struct fold {
    const sg_sheet *sheet;
    sg_sums *sums;
} fold;

static void fold_slice(void *context, size_t index)
{
    const fold *f = context;
    const sg_node_map *map = &f->sheet->map;
    const size_t begin = index * SLICE, end = map->count - begin < SLICE ? map->count : begin + SLICE;
    for (size_t row = begin; row < end; row++) sg_sums_fold(f->sums, map->nodes[row], &f->sheet->sums, row);
}

void sg_sheet_fold(const sg_sheet *sheet, sg_sums *sums, int threads)
{
    fold f = {sheet, sums};
    sg_parallel_for(threads, (sheet->map.count + SLICE - 1) / SLICE, fold_slice, &f);
}

void sg_sheet_read(const sg_sheet *sheet, uint32_t node, double at, double *out)
{
    const uint32_t row = sg_node_map_find(&sheet->map, node);
    if (row != UINT32_MAX) sg_sums_read(&sheet->sums, row, at, out);
}
