/* The batch engine for a few nodes: find the events that touch them, add only these, in the same order. */
#include "base/memory.h"
#include "base/parallel.h"
#include "messages/nodes/batch.h"
#include "messages/nodes/buffer.h"

#include <stdlib.h>

#define PIECE ((uint64_t)1 << 16) /* events one task looks through */
#define CHUNK (16 * PIECE)        /* events looked through before any are added */
#define FLUSH ((size_t)4096)      /* events added together */

typedef struct filter {
    sg_sums *sums;
    const sg_node_map *wanted;
    sg_source source;
    uint64_t *bits; /* one per node: it is wanted */
    uint64_t first, end;
    uint32_t *found;              /* [CHUNK]: events that touch a wanted node, from the piece's place on */
    size_t counts[CHUNK / PIECE]; /* how many per piece */
    sg_buffer buffer;
    uint32_t src_rows[FLUSH], dst_rows[FLUSH];
} filter;

static inline int is_wanted(const filter *f, uint32_t node)
{
    return (int)(f->bits[node >> 6] >> (node & 63) & 1);
}

static void look_through(void *context, size_t index)
{
    filter *f = context;
    const uint64_t begin = f->first + index * PIECE, end = f->end - begin < PIECE ? f->end : begin + PIECE;
    uint32_t *found = f->found + index * PIECE;
    size_t count = 0;
    for (uint64_t event = begin; event < end; event++) {
        found[count] = (uint32_t)(event - f->first);
        count += (size_t)(is_wanted(f, f->source.src[event]) | is_wanted(f, f->source.dst[event]));
    }
    f->counts[index] = count;
}

static int flush(filter *f, scadyg_error *error)
{
    const sg_source source = sg_buffer_source(&f->buffer);
    const size_t count = f->buffer.count;
    for (size_t i = 0; i < count; i++) {
        f->src_rows[i] = is_wanted(f, source.src[i]) ? sg_node_map_find(f->wanted, source.src[i]) : SG_NO_ROW;
        f->dst_rows[i] = is_wanted(f, source.dst[i]) ? sg_node_map_find(f->wanted, source.dst[i]) : SG_NO_ROW;
    }
    f->buffer.count = 0;
    return sg_sums_add(f->sums, &source, 0, count, f->src_rows, f->dst_rows, 1, error);
}

static int add_chunk(filter *f, scadyg_error *error)
{
    const size_t pieces = (size_t)((f->end - f->first + PIECE - 1) / PIECE);
    sg_parallel_for(f->sums->plan->threads, pieces, look_through, f);
    int status = SCADYG_OK;
    for (size_t piece = 0; piece < pieces; piece++)
        for (size_t i = 0; i < f->counts[piece] && !status; i++) {
            const uint64_t event = f->first + f->found[piece * PIECE + i];
            status = sg_buffer_append(&f->buffer, f->sums->plan, &f->source, event, 1, error);
            if (!status && f->buffer.count == FLUSH) status = flush(f, error);
        }
    return status;
}

static int filter_span(filter *f, const sg_span *span, const scadyg_progress *progress, scadyg_error *error)
{
    const uint64_t total = span->end - span->first;
    for (size_t row = 0; row < f->wanted->count; row++)
        f->bits[f->wanted->nodes[row] >> 6] |= (uint64_t)1 << (f->wanted->nodes[row] & 63);
    for (uint64_t done = 0; done < total; done += CHUNK) {
        int status = sg_report(progress, "propagating", done, total, error);
        f->first = span->first + done;
        f->end = total - done < CHUNK ? span->end : f->first + CHUNK;
        if (!status) status = add_chunk(f, error);
        if (status) return status;
    }
    int status = flush(f, error);
    return status ? status : sg_report(progress, "propagating", total, total, error);
}

int sg_batch_some(sg_sums *sums, const sg_node_map *wanted, const sg_span *span, const scadyg_progress *progress,
                  scadyg_error *error)
{
    int status = sg_sums_reserve(sums, wanted->count, error);
    if (status) return status;
    filter *f = sg_alloc_zero(1, sizeof *f);
    if (!f) return sg_fail_memory(error, "the wanted nodes");
    f->sums = sums;
    f->wanted = wanted;
    f->source = sg_plan_source(sums->plan);
    f->bits = sg_alloc_zero((size_t)(sums->plan->nodes / 64 + 1), sizeof *f->bits);
    f->found = sg_alloc((size_t)CHUNK, sizeof *f->found);
    status =
        f->bits && f->found ? filter_span(f, span, progress, error) : sg_fail_memory(error, "the wanted nodes");
    sg_buffer_free(&f->buffer);
    free(f->bits);
    free(f->found);
    free(f);
    return status;
}
