/* The link model as a scorer. */
#include "tasks/link_scorer.h"

#include "base/memory.h"
#include "tasks/moment.h"
#include "tasks/pair_scorer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

typedef struct link_scorer {
    sg_inputs *inputs;
    sg_past_reader past;
    int64_t step; /* the past that the sides are of: a step, ... */
    double at;    /* ... or a time; NaN: none */
    uint64_t seen;

    uint32_t *slot;  /* [nodes]: where a node's sides are; NONE: not made yet */
    uint32_t *nodes; /* [used] */
    size_t used, capacity;
    float *left, *right; /* [capacity][hidden] */

    size_t fresh_capacity;
    float *rows, *h; /* [fresh_capacity][width], of the nodes being made */

    size_t pair_capacity;
    uint32_t *src, *dst; /* slots of the pairs */
} link_scorer;

static void forget(link_scorer *s)
{
    for (size_t i = 0; i < s->used; i++) s->slot[s->nodes[i]] = NONE;
    s->used = 0;
    s->step = -1;
    s->at = NAN;
}

static int rewind_scorer(void *context, scadyg_error *error)
{
    (void)error;
    link_scorer *s = context;
    forget(s);
    sg_past_reader_rewind(&s->past);
    return SCADYG_OK;
}

static void close_scorer(void *context)
{
    link_scorer *s = context;
    sg_past_reader_close(&s->past);
    free(s->slot);
    free(s->nodes);
    free(s->left);
    free(s->right);
    free(s->rows);
    free(s->h);
    free(s->src);
    free(s->dst);
    free(s);
}

static int reserve(link_scorer *s, size_t nodes, size_t fresh, scadyg_error *error)
{
    const size_t hidden = s->inputs->model->net.hidden, width = s->inputs->width;
    size_t capacity = s->capacity, of_right = s->capacity, of_nodes = s->capacity;
    size_t rows = s->fresh_capacity, of_h = s->fresh_capacity;
    if (sg_grow(&s->left, &capacity, nodes, hidden * sizeof *s->left) ||
        sg_grow(&s->right, &of_right, nodes, hidden * sizeof *s->right) ||
        sg_grow(&s->nodes, &of_nodes, nodes, sizeof *s->nodes) ||
        sg_grow(&s->rows, &rows, fresh, width * sizeof *s->rows) ||
        sg_grow(&s->h, &of_h, fresh, width * sizeof *s->h))
        return sg_fail_memory(error, "the nodes to score");
    s->capacity = capacity;
    s->fresh_capacity = rows;
    return SCADYG_OK;
}

/* A slot for every node of the block; those behind `used` are new. */
static int list_nodes(link_scorer *s, const sg_question *block, size_t *fresh, scadyg_error *error)
{
    size_t count = s->used;
    size_t of_nodes = s->capacity;
    const uint32_t *const ends[2] = {block->src, block->dst};
    uint32_t *const slots[2] = {s->src, s->dst};
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < block->count; i++) {
            const uint32_t node = ends[side][i];
            if (s->slot[node] == NONE) {
                if (count == of_nodes) {
                    int status = reserve(s, count + 1, 0, error);
                    if (status) {
                        *fresh = count - s->used;
                        return status;
                    }
                    of_nodes = s->capacity;
                }
                s->nodes[count] = node;
                s->slot[node] = (uint32_t)count++;
            }
            slots[side][i] = s->slot[node];
        }
    *fresh = count - s->used;
    return SCADYG_OK;
}

static int make_sides(link_scorer *s, const sg_question *block, size_t fresh, scadyg_error *error)
{
    const scadyg_model *model = s->inputs->model;
    const size_t from = s->used, hidden = model->net.hidden;
    int status = reserve(s, from + fresh, fresh, error);
    if (!status)
        status = sg_past_reader_read(&s->past, block->step, block->at, block->seen, s->nodes + from, fresh, s->rows,
                                     error);
    if (!status) status = sg_embed(&model->net, model->values, s->rows, fresh, s->h, s->inputs->threads, error);
    if (!status)
        status = sg_link_sides(&model->net, model->values, s->h, fresh, s->left + from * hidden,
                               s->right + from * hidden, s->inputs->threads, error);
    return status;
}

/* What was made for another past is forgotten. */
static void move_to(link_scorer *s, const sg_question *block)
{
    if (s->inputs->model->options.freshness == SCADYG_FRESHNESS_EVENT) {
        if (s->at != block->at || s->seen != block->seen) forget(s);
        s->at = block->at;
        s->seen = block->seen;
        return;
    }
    const int64_t step = sg_past_reader_step(s->inputs, block->step, block->at, block->seen);
    if (s->step != step) forget(s);
    s->step = step;
}

static int score(void *context, const sg_question *block, scadyg_error *error)
{
    link_scorer *s = context;
    const scadyg_model *model = s->inputs->model;
    size_t of_src = s->pair_capacity, of_dst = s->pair_capacity, fresh = 0;
    if (sg_grow(&s->src, &of_src, block->count, sizeof *s->src) ||
        sg_grow(&s->dst, &of_dst, block->count, sizeof *s->dst))
        return sg_fail_memory(error, "the pairs to score");
    s->pair_capacity = of_src;
    move_to(s, block);
    int status = list_nodes(s, block, &fresh, error);
    const size_t listed = s->used + fresh;
    if (!status && fresh) status = make_sides(s, block, fresh, error);
    s->used = listed;
    if (status) { /* some slots have no sides */
        forget(s);
        return status;
    }
    sg_link_scores(&model->net, model->values, s->left, s->src, s->right, s->dst, block->count, block->score,
                   s->inputs->threads);
    return SCADYG_OK;
}

int sg_link_scorer_open(sg_inputs *inputs, sg_scorer *scorer, scadyg_error *error)
{
    if (sg_model_reads_pairs(inputs->model)) return sg_pair_scorer_open(inputs, scorer, error);
    link_scorer *s = sg_alloc_zero(1, sizeof *s);
    if (!s) return sg_fail_memory(error, "a scorer");
    s->inputs = inputs;
    s->step = -1;
    s->at = NAN;
    int status = sg_past_reader_open(&s->past, inputs, error);
    s->slot = sg_alloc(inputs->nodes, sizeof *s->slot);
    if (!status && !s->slot) status = sg_fail_memory(error, "the nodes to score");
    if (status) {
        close_scorer(s);
        return status;
    }
    memset(s->slot, 0xFF, inputs->nodes * sizeof *s->slot);
    *scorer = (sg_scorer){"scadyg", s, rewind_scorer, score, close_scorer, NULL};
    return SCADYG_OK;
}
