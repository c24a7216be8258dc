/* Sums: memory, frames, and the choice between the engines; and the buffer of a few events. */
#include "messages/nodes/sums.h"

#include "base/context.h"
#include "base/memory.h"
#include "base/search.h"
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
    SG_FREE(sums->rows, sums->frames, sums->scratch, sums->entries);
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
            SG_FREE(rows, frames);
            return sg_fail(error, SCADYG_E_MEMORY, "not enough memory for the messages of %zu nodes", count);
        }
        if (sums->count) memcpy(rows, sums->rows, sums->count * row_bytes);
        if (frames && sums->count) memcpy(frames, sums->frames, sums->count * sizeof *frames);
        SG_FREE(sums->rows, sums->frames);
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
static uint64_t count_in_frame(const sg_sums *sums, const double *time, uint64_t count)
{
    if (sums->plan->frame_length == 0 || time[count - 1] <= sums->frame) return count;
    return 1 + sg_after_double(time + 1, (size_t)count - 1, sums->frame);
}

static int add_in_frame(scadyg_context *context, sg_sums *sums, const sg_source *source, uint64_t first,
                        uint64_t count, const uint32_t *src_rows, const uint32_t *dst_rows, scadyg_error *error)
{
    const int parallel = sg_context_threads(context) > 1 && count >= SG_PARALLEL_EVENTS;
    if (sg_eight_applies(sums->plan)) {
        if (parallel && sg_eight_parallel_pays(context, sums))
            return sg_eight_add_parallel(context, sums, source, first, count, src_rows, dst_rows, error);
        sg_eight_add(sums, source, first, count, src_rows, dst_rows);
    } else if (sums->plan->double_precision) {
        if (parallel) return sg_add_parallel_double(context, sums, source, first, count, src_rows, dst_rows, error);
        sg_add_double(sums, source, first, count, src_rows, dst_rows);
    } else {
        if (parallel) return sg_add_parallel_float(context, sums, source, first, count, src_rows, dst_rows, error);
        sg_add_float(sums, source, first, count, src_rows, dst_rows);
    }
    return SCADYG_OK;
}

int sg_sums_add(scadyg_context *context, sg_sums *sums, const sg_source *source, uint64_t first, uint64_t count,
                const uint32_t *src_rows, const uint32_t *dst_rows, scadyg_error *error)
{
    while (count) {
        int status = sg_sums_advance(sums, source->time[first], error);
        if (status) return status;
        const uint64_t run = count_in_frame(sums, source->time + first, count);
        status = add_in_frame(context, sums, source, first, run, src_rows, dst_rows, error);
        if (status) return status;
        first += run;
        count -= run;
        if (src_rows) src_rows += run;
        if (dst_rows) dst_rows += run;
    }
    return SCADYG_OK;
}

void sg_sums_hops(scadyg_context *context, sg_sums *sums, const uint32_t *src_rows, const uint32_t *dst_rows,
                  uint64_t count)
{
    if (sums->plan->double_precision)
        sg_hops_double(context, sums, src_rows, dst_rows, count);
    else
        sg_hops_float(context, sums, src_rows, dst_rows, count);
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

/* ---- A few events kept aside ---- */

void sg_buffer_free(sg_buffer *buffer)
{
    SG_FREE(buffer->src, buffer->dst, buffer->time, buffer->weight, buffer->features);
    *buffer = (sg_buffer){0};
}

static int grow_buffer(sg_buffer *buffer, size_t needed, int weights, size_t features, scadyg_error *error)
{
    if (SG_GROW(&buffer->capacity, needed, SG_ARRAY(buffer->src, 1), SG_ARRAY(buffer->dst, 1),
                SG_ARRAY(buffer->time, 1), SG_ARRAY_IF(weights, buffer->weight, 1),
                SG_ARRAY_IF(features, buffer->features, features)))
        return sg_fail_memory(error, "the events of a step");
    return SCADYG_OK;
}

int sg_buffer_append(sg_buffer *buffer, const scadyg_messages *plan, const sg_source *source, uint64_t first,
                     uint64_t count, scadyg_error *error)
{
    const size_t at = buffer->count, size = (size_t)count, stored = plan->stored;
    if (at + size > buffer->capacity) {
        int status = grow_buffer(buffer, at + size, source->weight != NULL, stored, error);
        if (status) return status;
    }
    /* Plain loops: events mostly come one by one, and a call to copy a number would cost more than the number. */
    for (size_t i = 0; i < size; i++) {
        buffer->src[at + i] = source->src[first + i];
        buffer->dst[at + i] = source->dst[first + i];
        buffer->time[at + i] = source->time[first + i];
        if (source->weight) buffer->weight[at + i] = source->weight[first + i];
    }
    if (stored)
        memcpy(buffer->features + at * stored, source->features + first * stored,
               size * stored * sizeof *buffer->features);
    buffer->count += size;
    return SCADYG_OK;
}

void sg_buffer_drop(sg_buffer *buffer, const scadyg_messages *plan, size_t count)
{
    const size_t left = buffer->count - count, stored = plan->stored;
    memmove(buffer->src, buffer->src + count, left * sizeof *buffer->src);
    memmove(buffer->dst, buffer->dst + count, left * sizeof *buffer->dst);
    memmove(buffer->time, buffer->time + count, left * sizeof *buffer->time);
    if (buffer->weight) memmove(buffer->weight, buffer->weight + count, left * sizeof *buffer->weight);
    if (stored)
        memmove(buffer->features, buffer->features + count * stored, left * stored * sizeof *buffer->features);
    buffer->count = left;
}

sg_source sg_buffer_source(const sg_buffer *buffer)
{
    return (sg_source){buffer->src, buffer->dst, buffer->time, buffer->weight, buffer->features};
}
