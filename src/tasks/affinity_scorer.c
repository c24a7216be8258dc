/* The affinity model as a scorer: logits over the classes. */
#include "tasks/affinity_scorer.h"

#include "base/memory.h"
#include "tasks/moment.h"

#include <stdlib.h>
#include <string.h>

typedef struct affinity_scorer {
    const scadyg_model *model;
    int threads;
    sg_past_reader past;          /* where messages come from ... */
    const sg_affinity_rows *made; /* ... unless they are made */
    sg_label_state own;           /* of a mix net, unless it is the caller's */
    sg_label_state *state;        /* NULL: not a mix net */
    float *rows, *h;              /* [capacity][width] */
    size_t capacity;
} affinity_scorer;

static int rewind_scorer(void *context, scadyg_error *error)
{
    affinity_scorer *s = context;
    (void)error;
    if (!s->made) sg_past_reader_rewind(&s->past);
    if (s->state) sg_label_state_clear(s->state);
    return SCADYG_OK;
}

static int reveal(void *context, size_t group, scadyg_error *error)
{
    affinity_scorer *s = context;
    return sg_label_state_add(s->state, group, error);
}

static void close_scorer(void *context)
{
    affinity_scorer *s = context;
    if (!s->made) sg_past_reader_close(&s->past);
    sg_label_state_close(&s->own);
    free(s->rows);
    free(s->h);
    free(s);
}

static int look_up(const affinity_scorer *s, const sg_label_question *block, scadyg_error *error)
{
    const sg_affinity_rows *made = s->made;
    for (size_t i = 0; i < block->count; i++) {
        size_t row = sg_labels_find(made->labels, block->group, block->nodes[i]);
        if (row >= made->count)
            return sg_fail(error, SCADYG_E_USAGE, "node %u has no label at this time", block->nodes[i]);
        memcpy(s->rows + i * made->width, made->messages + row * made->width, made->width * sizeof *s->rows);
    }
    return SCADYG_OK;
}

static int score(void *context, const sg_label_question *block, scadyg_error *error)
{
    affinity_scorer *s = context;
    const scadyg_model *model = s->model;
    const sg_net *net = &model->net;
    size_t of_rows = s->capacity, of_h = s->capacity;
    if (sg_grow(&s->rows, &of_rows, block->count, net->width * sizeof *s->rows) ||
        sg_grow(&s->h, &of_h, block->count, net->width * sizeof *s->h))
        return sg_fail_memory(error, "the nodes to score");
    s->capacity = of_h;
    int status = s->made ? look_up(s, block, error)
                         : sg_past_reader_read(&s->past, -1, block->at, block->seen, block->nodes, block->count,
                                               s->rows, error);
    if (!status && s->state)
        return sg_label_state_score(s->state, block->nodes, s->rows, block->count, block->score, error);
    if (!status) status = sg_embed(net, model->values, s->rows, block->count, s->h, s->threads, error);
    if (!status)
        status = sg_affinity_logits(net, model->values, s->h, block->count, block->score, s->threads, error);
    return status;
}

static int make(affinity_scorer **made, const scadyg_model *model, int threads, sg_label_scorer *scorer,
                scadyg_error *error)
{
    affinity_scorer *s = sg_alloc_zero(1, sizeof *s);
    if (!s) return sg_fail_memory(error, "a scorer");
    s->model = model;
    s->threads = threads;
    *scorer = (sg_label_scorer){"scadyg", s, rewind_scorer, score, NULL, close_scorer};
    *made = s;
    return SCADYG_OK;
}

static void take_stage(affinity_scorer *s, sg_label_state *state, sg_label_scorer *scorer)
{
    s->state = state;
    scorer->reveal = state ? reveal : NULL;
}

int sg_affinity_scorer_open(sg_inputs *inputs, const sg_labels *labels, sg_label_scorer *scorer,
                            scadyg_error *error)
{
    const scadyg_model *model = inputs->model;
    affinity_scorer *s = NULL;
    int status = make(&s, model, inputs->threads, scorer, error);
    if (!s) return status;
    status = sg_past_reader_open(&s->past, inputs, error);
    if (!status && model->mix.count) {
        status = sg_label_state_open(&s->own, model, inputs->events, labels, inputs->threads, error);
        take_stage(s, &s->own, scorer);
    }
    if (status) {
        close_scorer(s);
        *scorer = (sg_label_scorer){0};
    }
    return status;
}

int sg_affinity_rows_scorer_open(const scadyg_model *model, const sg_affinity_rows *rows, sg_label_state *state,
                                 int threads, sg_label_scorer *scorer, scadyg_error *error)
{
    affinity_scorer *s = NULL;
    int status = make(&s, model, threads, scorer, error);
    if (!s) return status;
    s->made = rows;
    take_stage(s, state, scorer);
    return status;
}
