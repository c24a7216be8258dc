/*
 * The paper's model for links as a scorer.
 *
 * What fc1 makes of a node is computed once per node and moment (a step, or live a time), for the
 * nodes that are asked about only; a pair then costs one pass over the hidden units.
 */
#include "models/scadyg_paper/paper.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

#define NONE UINT32_MAX

typedef struct link_scorer {
    sg_paper_scorer base;
    sg_node_rows own; /* unless they are the caller's */
    sg_past_reader past;
    int64_t step; /* the moment that the sides are of: a step, ... */
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
    sg_node_rows_close(&s->own);
    SG_FREE(s->slot, s->nodes, s->left, s->right, s->rows, s->h, s->src, s->dst, s);
}

static int reserve(link_scorer *s, size_t nodes, size_t fresh, scadyg_error *error)
{
    const size_t hidden = sg_paper_net(s->base.view->model)->hidden, width = s->base.view->width;
    if (SG_GROW(&s->capacity, nodes, SG_ARRAY(s->left, hidden), SG_ARRAY(s->right, hidden),
                SG_ARRAY(s->nodes, 1)) ||
        SG_GROW(&s->fresh_capacity, fresh, SG_ARRAY(s->rows, width), SG_ARRAY(s->h, width)))
        return sg_fail_memory(error, "the nodes to score");
    return SCADYG_OK;
}

/* A slot for every node of the question; those behind `used` are new. */
static int list_nodes(link_scorer *s, const sg_question *question, size_t *fresh, scadyg_error *error)
{
    size_t count = s->used;
    size_t of_nodes = s->capacity;
    const uint32_t *const ends[2] = {question->src, question->dst};
    uint32_t *const slots[2] = {s->src, s->dst};
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < question->count; i++) {
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

static int make_sides(link_scorer *s, const sg_question *question, size_t fresh, scadyg_error *error)
{
    const scadyg_model *model = s->base.view->model;
    const sg_net *net = sg_paper_net(model);
    const size_t from = s->used, hidden = net->hidden;
    int status = reserve(s, from + fresh, fresh, error);
    if (!status)
        status = sg_past_reader_read(&s->past, question->step, question->at, question->seen, s->nodes + from, fresh,
                                     s->rows, error);
    if (!status) status = sg_embed(s->base.view->context, net, model->values, s->rows, fresh, s->h, error);
    if (!status)
        status = sg_link_sides(s->base.view->context, net, model->values, s->h, fresh, s->left + from * hidden,
                               s->right + from * hidden, error);
    return status;
}

/* What was made for another past is forgotten. */
static void move_to(link_scorer *s, const sg_question *question)
{
    if (!sg_train_of(s->base.view->model)->stepwise) {
        if (s->at != question->at || s->seen != question->seen) forget(s);
        s->at = question->at;
        s->seen = question->seen;
        return;
    }
    const int64_t step = sg_view_step(s->base.view, question->step, question->at, question->seen);
    if (s->step != step) forget(s);
    s->step = step;
}

static int score_question(void *context, const sg_question *question, scadyg_error *error)
{
    link_scorer *s = context;
    const scadyg_model *model = s->base.view->model;
    size_t fresh = 0;
    if (SG_GROW(&s->pair_capacity, question->count, SG_ARRAY(s->src, 1), SG_ARRAY(s->dst, 1)))
        return sg_fail_memory(error, "the pairs to score");
    move_to(s, question);
    int status = list_nodes(s, question, &fresh, error);
    const size_t listed = s->used + fresh;
    if (!status && fresh) status = make_sides(s, question, fresh, error);
    s->used = listed;
    if (status) { /* some slots have no sides */
        forget(s);
        return status;
    }
    sg_link_scores(s->base.view->context, sg_paper_net(model), model->values, s->left, s->src, s->right, s->dst,
                   question->count, question->score);
    return SCADYG_OK;
}

static int read_messages(void *scorer, const sg_nodes_asked *asked, float *out, scadyg_error *error)
{
    link_scorer *s = scorer;
    return sg_past_reader_read(&s->past, -1, asked->at, asked->seen, asked->nodes, asked->count, out, error);
}

int sg_paper_link_scorer_share(sg_view *view, sg_node_rows *rows, sg_scorer *scorer, scadyg_error *error)
{
    link_scorer *s = sg_alloc_zero(1, sizeof *s);
    if (!s) return sg_fail_memory(error, "a scorer");
    s->base = (sg_paper_scorer){view, read_messages};
    s->step = -1;
    s->at = NAN;
    sg_node_rows_open(&s->own, view);
    int status = sg_past_reader_open(&s->past, rows ? rows : &s->own, error);
    s->slot = sg_alloc(view->nodes, sizeof *s->slot);
    if (!status && !s->slot) status = sg_fail_memory(error, "the nodes to score");
    if (status) {
        close_scorer(s);
        return status;
    }
    memset(s->slot, 0xFF, view->nodes * sizeof *s->slot);
    *scorer = (sg_scorer){view->model->kind->shown.name, s, rewind_scorer, score_question, close_scorer, NULL};
    return SCADYG_OK;
}
