/* The model with the head `pair` as a scorer. */
#include "tasks/pair_scorer.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define SLAB 16384 /* pairs at a time, so that their rows stay in the cache and memory does not grow with a block */

typedef struct pair_scorer {
    sg_inputs *inputs;
    sg_pair_reader reader;
    uint32_t *slot; /* [nodes]: the row of a node in this slab; NONE */
    uint32_t nodes[2 * SLAB], left[SLAB], right[SLAB];
} pair_scorer;

static int rewind_scorer(void *context, scadyg_error *error)
{
    (void)error;
    sg_pair_reader_rewind(&((pair_scorer *)context)->reader);
    return SCADYG_OK;
}

static void close_scorer(void *context)
{
    pair_scorer *s = context;
    sg_pair_reader_close(&s->reader);
    free(s->slot);
    free(s);
}

static uint32_t row_of(pair_scorer *s, uint32_t node, size_t *count)
{
    if (s->slot[node] == NONE) {
        s->slot[node] = (uint32_t)*count;
        s->nodes[(*count)++] = node;
    }
    return s->slot[node];
}

static int score_slab(pair_scorer *s, sg_place place, const uint32_t *src, const uint32_t *dst, size_t count,
                      double *score, scadyg_error *error)
{
    const scadyg_model *model = s->inputs->model;
    size_t nodes = 0;
    for (size_t i = 0; i < count; i++) {
        s->left[i] = row_of(s, src[i], &nodes);
        s->right[i] = row_of(s, dst[i], &nodes);
    }
    for (size_t i = 0; i < nodes; i++) s->slot[s->nodes[i]] = NONE;
    const sg_ledger_group group = {place.seen, place.at, 0, count};
    const size_t node_first[2] = {0, nodes};
    const sg_course course = {
        .groups = &group, .count = 1, .src = src, .dst = dst, .nodes = s->nodes, .node_first = node_first};
    int status = sg_pair_reader_run(&s->reader, &course, error);
    if (status) return status;
    const sg_pair_rows rows = {s->reader.nodes, nodes, s->left, s->right, s->reader.between, count};
    return sg_pair_scores(&model->pair, model->values, &rows, score, s->inputs->threads, error);
}

static int score(void *context, const sg_block *block, scadyg_error *error)
{
    pair_scorer *s = context;
    const sg_place place = sg_reader_place(s->inputs, block->step, block->at, block->seen);
    int status = SCADYG_OK;
    for (size_t i = 0; i < block->count && !status; i += SLAB)
        status = score_slab(s, place, block->src + i, block->dst + i,
                            block->count - i < SLAB ? block->count - i : SLAB, block->score + i, error);
    return status;
}

int sg_pair_scorer_open(sg_inputs *inputs, sg_scorer *scorer, scadyg_error *error)
{
    pair_scorer *s = sg_alloc_zero(1, sizeof *s);
    if (!s) return sg_fail_memory(error, "a scorer");
    s->inputs = inputs;
    s->slot = sg_alloc(inputs->nodes, sizeof *s->slot);
    int status = s->slot ? sg_pair_reader_open(&s->reader, inputs, error) : sg_fail_memory(error, "a scorer");
    if (status) {
        close_scorer(s);
        return status;
    }
    memset(s->slot, 0xFF, inputs->nodes * sizeof *s->slot);
    *scorer = (sg_scorer){"scadyg", s, rewind_scorer, score, close_scorer};
    return SCADYG_OK;
}
