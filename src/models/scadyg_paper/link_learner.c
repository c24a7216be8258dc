/*
 * Learning links: one epoch is a pass over the steps of the training part in time order; the cases of a step come in
 * random order, in batches. Batches follow each other, and one of a narrow net takes microseconds, so threads serve only
 * wide nets, inside a batch.
 */
#include "base/memory.h"
#include "models/scadyg_paper/link_cases.h"

#include <stdlib.h>

typedef struct learner {
    sg_training *training;
    scadyg_model *model;
    sg_node_rows rows;
    sg_past_reader past;
    sg_train_pool pool;
    sg_workspace *workspace;
    float *gradient;

    sg_link_cases cases;
    double loss; /* sum over cases */
    uint64_t learned;
} learner;

/* The events of a step that are trained on. Nothing is known before step 0, so it teaches nothing. */
static int step_events(const learner *l, int64_t step, uint64_t *first, uint64_t *end)
{
    const sg_steps *steps = &l->training->view.messages->steps;
    *first = steps->first[step];
    *end = steps->first[step + 1] < l->training->split.train_end ? steps->first[step + 1]
                                                                 : l->training->split.train_end;
    return step > 0 && *first < *end;
}

static void learn_cases(learner *l, sg_optimiser *optimiser)
{
    scadyg_model *model = l->model;
    const sg_link_cases *cases = &l->cases;
    const size_t size = sg_even_batch(cases->count, (size_t)sg_train_of(model)->batch);
    for (size_t begin = 0; begin < cases->count; begin += size) {
        const size_t count = cases->count - begin < size ? cases->count - begin : size;
        l->loss += (double)count * sg_link_gradient(l->workspace, model->values, cases->rows, cases->left + begin,
                                                    cases->right + begin, cases->label + begin, count, l->gradient);
        sg_optimiser_step(optimiser, model->count, model->values, l->gradient);
    }
    l->learned += cases->count / 2;
}

static int learn_epoch(sg_training *training, void *state, int64_t epoch, sg_optimiser *optimiser, double *loss,
                       uint64_t *events, scadyg_error *error)
{
    (void)training;
    learner *l = state;
    const uint64_t seed = (uint64_t)sg_train_of(l->model)->seed;
    int status = SCADYG_OK;
    l->loss = 0;
    l->learned = 0;
    sg_past_reader_rewind(&l->past);
    for (int64_t step = 1; step < l->training->view.messages->steps.count && !status; step++) {
        uint64_t first, end;
        if (!step_events(l, step, &first, &end)) continue;
        status = sg_report(l->training->context, "learning", l->learned, l->training->split.train_end, error);
        if (!status)
            status = sg_link_cases_make(&l->cases, &l->past, &l->pool, step, first, end, seed, epoch, error);
        if (!status) learn_cases(l, optimiser);
    }
    *loss = l->learned ? l->loss / (2 * (double)l->learned) : 0;
    *events = l->learned;
    return status;
}

static void close_learner(void *state)
{
    learner *l = state;
    sg_link_cases_free(&l->cases);
    sg_past_reader_close(&l->past);
    sg_node_rows_close(&l->rows);
    sg_workspace_close(l->workspace);
    sg_train_pool_free(&l->pool);
    free(l->gradient);
}

static int open_learner(sg_training *training, sg_learner *out, scadyg_error *error)
{
    learner *l = out->state;
    scadyg_model *model = training->model;
    sg_view *view = &training->view;
    const sg_train_options *options = sg_train_of(model);
    /* With event freshness every event has its own messages; only the stream makes them. */
    const uint64_t memory = options->freshness == SG_FRESHNESS_EVENT ? 0 : sg_context_memory(training->context, 4);
    l->training = training;
    l->model = model;
    sg_node_rows_open(&l->rows, view);
    int status = sg_paper_shape(model, view->width, 1, error);
    if (!status) status = sg_node_rows_prepare(&l->rows, model, &training->split, memory, error);
    if (!status) status = sg_past_reader_open(&l->past, &l->rows, error);
    if (!status)
        status = sg_train_pool_make(&l->pool, view->columns, view->nodes, &view->messages->steps,
                                    sg_paper_options_of(model)->train_pool, error);
    if (!status)
        status = sg_workspace_open(training->context, sg_paper_net(model), 2 * (size_t)options->batch,
                                   &l->workspace, error);
    if (!status && !(l->gradient = sg_alloc_aligned(model->count, sizeof *l->gradient)))
        status = sg_fail_memory(error, "the gradient");
    if (!status) sg_net_init(sg_paper_net(model), (uint64_t)options->seed, model->values);
    if (!status) status = sg_paper_link_scorer_share(view, &l->rows, &out->scorer, error);
    out->width = view->width;
    out->bytes = l->rows.bytes;
    out->kept = l->rows.kept != NULL;
    return status;
}

const sg_learning sg_paper_link_learning = {sizeof(learner), open_learner, learn_epoch, close_learner};
