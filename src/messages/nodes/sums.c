/* Sums: memory, frames, and the choice between the engines. */
#include "messages/nodes/sums.h"

#include "base/memory.h"
#include "messages/nodes/eight.h"
#include "messages/nodes/kernel.h"

#include <stdlib.h>
#include <string.h>

static size_t real_size(const sg_sums *sums)
{
    return sums->plan->double_precision ? sizeof(double) : sizeof(float);
}

void sg_sums_init(sg_sums *sums, const scadyg_messages *plan)
{
    *sums = (sg_sums){.plan = plan};
}

void sg_sums_free(sg_sums *sums)
{
    free(sums->rows);
    free(sums->frames);
    free(sums->scratch);
    free(sums->entries);
    sg_sums_init(sums, sums->plan);
}

void *sg_sums_entries(sg_sums *sums, size_t bytes)
{
    if (bytes > sums->entry_bytes) {
        free(sums->entries);
        sums->entries = sg_alloc_huge(bytes, 1);
        sums->entry_bytes = sums->entries ? bytes : 0;
    }
    return sums->entries;
}

int sg_sums_reserve(sg_sums *sums, size_t count, scadyg_error *error)
{
    if (!sums->scratch) {
        sums->scratch = sg_alloc_aligned(SG_TILE * sg_packed_width(sums->plan), real_size(sums));
        if (!sums->scratch) return sg_fail_memory(error, "the messages of some events");
    }
    if (count > sums->capacity) {
        const size_t row_bytes = sums->plan->width * real_size(sums);
        size_t capacity = sums->capacity + sums->capacity / 2;
        if (capacity < count) capacity = count;
        void *rows = sg_alloc_aligned(capacity, row_bytes);
        double *frames = sums->frames ? sg_alloc(capacity, sizeof *frames) : NULL;
        if (!rows || (sums->frames && !frames)) {
            free(rows);
            free(frames);
            return sg_fail(error, SCADYG_E_MEMORY, "not enough memory for the messages of %zu nodes", count);
        }
        if (sums->count) memcpy(rows, sums->rows, sums->count * row_bytes);
        if (frames && sums->count) memcpy(frames, sums->frames, sums->count * sizeof *frames);
        free(sums->rows);
        free(sums->frames);
        sums->rows = rows;
        sums->frames = frames;
        sums->capacity = capacity;
    }
    for (; sums->frames && sums->count < count; sums->count++) sums->frames[sums->count] = sums->frame;
    if (sums->count < count) sums->count = count;
    return SCADYG_OK;
}

void sg_sums_fix(sg_sums *sums, double frame)
{
    sums->frame = frame;
    sums->has_frame = 1;
}

int sg_sums_advance(sg_sums *sums, double time, scadyg_error *error)
{
    const double length = sums->plan->frame_length;
    if (!sums->has_frame) {
        sg_sums_fix(sums, time + length);
        return SCADYG_OK;
    }
    if (time <= sums->frame || length == 0) return SCADYG_OK;
    if (!sums->frames) {
        sums->frames = sg_alloc(sums->capacity, sizeof *sums->frames);
        if (!sums->frames) return sg_fail_memory(error, "the frames of the nodes");
        for (size_t row = 0; row < sums->count; row++) sums->frames[row] = sums->frame;
    }
    sums->frame = time + length;
    return SCADYG_OK;
}

/* How many of the events, from the first on, lie in the current frame. At least the first does. */
static uint64_t in_frame(const sg_sums *sums, const double *time, uint64_t count)
{
    if (sums->plan->frame_length == 0 || time[count - 1] <= sums->frame) return count;
    uint64_t low = 1, high = count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (time[middle] <= sums->frame)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int add_in_frame(sg_sums *sums, const sg_source *source, uint64_t first, uint64_t count,
                        const uint32_t *src_rows, const uint32_t *dst_rows, int threads, scadyg_error *error)
{
    const int parallel = threads > 1 && count >= SG_PARALLEL_EVENTS;
    if (sg_eight_applies(sums->plan)) {
        if (parallel && sg_eight_parallel_pays(sums, threads))
            return sg_eight_add_parallel(sums, source, first, count, src_rows, dst_rows, threads, error);
        sg_eight_add(sums, source, first, count, src_rows, dst_rows);
    } else if (sums->plan->double_precision) {
        if (parallel) return sg_add_parallel_double(sums, source, first, count, src_rows, dst_rows, threads, error);
        sg_add_double(sums, source, first, count, src_rows, dst_rows);
    } else {
        if (parallel) return sg_add_parallel_float(sums, source, first, count, src_rows, dst_rows, threads, error);
        sg_add_float(sums, source, first, count, src_rows, dst_rows);
    }
    return SCADYG_OK;
}

int sg_sums_add(sg_sums *sums, const sg_source *source, uint64_t first, uint64_t count, const uint32_t *src_rows,
                const uint32_t *dst_rows, int threads, scadyg_error *error)
{
    while (count) {
        int status = sg_sums_advance(sums, source->time[first], error);
        if (status) return status;
        const uint64_t run = in_frame(sums, source->time + first, count);
        status = add_in_frame(sums, source, first, run, src_rows, dst_rows, threads, error);
        if (status) return status;
        first += run;
        count -= run;
        if (src_rows) src_rows += run;
        if (dst_rows) dst_rows += run;
    }
    return SCADYG_OK;
}

void sg_sums_hops(sg_sums *sums, const uint32_t *src_rows, const uint32_t *dst_rows, uint64_t count, int threads)
{
    if (sums->plan->double_precision)
        sg_hops_double(sums, src_rows, dst_rows, count, threads);
    else
        sg_hops_float(sums, src_rows, dst_rows, count, threads);
}

void sg_sums_fold(sg_sums *sums, size_t row, const sg_sums *from, size_t from_row)
{
    if (sums->plan->double_precision)
        sg_fold_double(sums, row, from, from_row);
    else
        sg_fold_float(sums, row, from, from_row);
}

void sg_sums_read(const sg_sums *sums, size_t row, double at, double *out)
{
    /* Nothing was added, and there is no time to carry it from; or memory ran out before the row was made. */
    if (!sums->has_frame || row >= sums->count) return;
    if (sums->plan->double_precision)
        sg_read_double(sums, row, at, out);
    else
        sg_read_float(sums, row, at, out);
}
