/*
 * Sums: rows of decayed sums, one per node, in float or double.
 *
 * A row is not decayed at every event. Instead, each row refers to the end of a frame, a stretch of time so
 * short that no rate decays by more than exp(-16) within it: an event at t adds x * T(frame - t). Only when a
 * row is touched in a later frame is it carried there, by T of the difference. Because T(a) * T(b) = T(a + b)
 * this is exact, and an event costs two exponentials for both its ends together. With the paper's rates, one
 * frame holds the whole file.
 */
#ifndef SG_MESSAGES_NODES_SUMS_H
#define SG_MESSAGES_NODES_SUMS_H

#include "messages/nodes/plan.h"

#define SG_NO_ROW UINT32_MAX /* an end whose sums nobody wants */

typedef struct sg_sums {
    const scadyg_messages *plan;
    void *rows;     /* float or double [capacity][plan->width] */
    double *frames; /* [capacity]: the frame of each row; NULL: all are in the current one */
    double frame;   /* the end of the current frame */
    int has_frame;  /* the first event has opened one */
    size_t count;   /* rows in use; the others are zero */
    size_t capacity;
    void *scratch; /* the messages of one tile */
    void *entries; /* of the parallel engines, kept for the next chunk */
    size_t entry_bytes;
} sg_sums;

/* All zero, no memory taken. */
void sg_sums_init(sg_sums *sums, const scadyg_messages *plan);
void sg_sums_free(sg_sums *sums);

/* Room for `count` rows, new ones zero. */
int sg_sums_reserve(sg_sums *sums, size_t count, scadyg_error *error);

/* Fixes the frame: for sums that are wanted at one time only, not before any event. */
void sg_sums_fix(sg_sums *sums, double frame);

/* Opens a new frame if `time` is behind the current one. Done by sg_sums_add itself. */
int sg_sums_advance(sg_sums *sums, double time, scadyg_error *error);

/*
 * Adds events first .. first+count-1 (hop 1 columns). Ends go to the rows src_rows[i], dst_rows[i] of the
 * i-th event added, or if these are NULL to the rows of their node numbers. On any number of threads, every
 * row receives its additions in the order of events, so the bytes are the same.
 */
int sg_sums_add(scadyg_context *context, sg_sums *sums, const sg_source *source, uint64_t first, uint64_t count,
                const uint32_t *src_rows, const uint32_t *dst_rows, scadyg_error *error);

/* Fills the columns of hops 2 and up from those of hop 1, given the rows of the ends of a step's events. */
void sg_sums_hops(scadyg_context *context, sg_sums *sums, const uint32_t *src_rows, const uint32_t *dst_rows,
                  uint64_t count);

/* Adds row `from_row` of `from`, whose frame is not after this one's, to row `row`. Call sg_sums_advance before. */
void sg_sums_fold(sg_sums *sums, size_t row, const sg_sums *from, size_t from_row);

/* Adds a row, carried to time `at`, to out[width]. */
void sg_sums_read(const sg_sums *sums, size_t row, double at, double *out);

/* ---- A few events kept aside: those of a step that is not over, or those that touch the wanted nodes ---- */

typedef struct sg_buffer {
    size_t count, capacity;
    uint32_t *src, *dst;
    double *time;
    float *weight;   /* NULL unless the plan has weights */
    float *features; /* NULL unless the plan has stored features */
} sg_buffer;

void sg_buffer_free(sg_buffer *buffer);

/* Appends events first .. first+count-1 of a source. */
int sg_buffer_append(sg_buffer *buffer, const scadyg_messages *plan, const sg_source *source, uint64_t first,
                     uint64_t count, scadyg_error *error);

/* Appends one event where there is room, without a call; returns 0 if there is none. */
static inline int sg_buffer_push(sg_buffer *buffer, uint32_t src, uint32_t dst, double time, float weight)
{
    const size_t at = buffer->count;
    if (at == buffer->capacity || buffer->features) return 0;
    buffer->src[at] = src;
    buffer->dst[at] = dst;
    buffer->time[at] = time;
    if (buffer->weight) buffer->weight[at] = weight;
    buffer->count++;
    return 1;
}

/* Forgets the first `count` events. */
void sg_buffer_drop(sg_buffer *buffer, const scadyg_messages *plan, size_t count);

sg_source sg_buffer_source(const sg_buffer *buffer);

/*
 * The common case, fast: eight columns that share one number, at rates that descend evenly, in float.
 *
 * This is a file without features, or with a single one, repeated eight times. An event is then two numbers,
 * its value at the slowest rate and the ratio of neighbouring columns, and a row is one vector.
 */

int sg_eight_applies(const scadyg_messages *plan);

/*
 * Whether several threads are faster than one. Sorting by blocks costs as much as adding directly to rows that are far
 * from the processor, and several times as much as adding to rows that are near.
 */
int sg_eight_parallel_pays(scadyg_context *context, const sg_sums *sums);

/* As sg_sums_add, within the current frame. */
void sg_eight_add(sg_sums *sums, const sg_source *source, uint64_t first, uint64_t count, const uint32_t *src_rows,
                  const uint32_t *dst_rows);
int sg_eight_add_parallel(scadyg_context *context, sg_sums *sums, const sg_source *source, uint64_t first,
                          uint64_t count, const uint32_t *src_rows, const uint32_t *dst_rows, scadyg_error *error);

#endif
