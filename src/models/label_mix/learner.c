/*
 * The default model for affinity: learning, and answering.
 *
 * An epoch follows the label times of the training part in their order, the nodes of each in random order, in batches;
 * then the labels of that time become part of the past. So nothing but the past is kept, and what is learned last is what
 * happened last.
 */
#include "base/memory.h"
#include "models/label_mix/label_state.h"

#include <math.h>
#include <stdlib.h>

#define SHUFFLE ((uint64_t)0xAFF2 << 48) /* streams of random numbers: with epoch and label time below */

/* ---- The scorer ---- */

typedef struct label_scorer {
    sg_label_source source;
    sg_label_state own; /* unless it is the caller's */
    sg_label_state *state;
} label_scorer;

static int rewind_scorer(void *context, scadyg_error *error)
{
    label_scorer *s = context;
    (void)error;
    sg_label_source_rewind(&s->source);
    sg_label_state_clear(s->state);
    return SCADYG_OK;
}

static int reveal_labels(void *context, size_t group, scadyg_error *error)
{
    return sg_label_state_add(((label_scorer *)context)->state, group, error);
}

static void close_scorer(void *context)
{
    label_scorer *s = context;
    sg_label_source_close(&s->source);
    sg_label_state_close(&s->own);
    free(s);
}

static int score_question(void *context, const sg_label_question *question, scadyg_error *error)
{
    label_scorer *s = context;
    int status = sg_label_source_read(&s->source, question, error);
    if (!status)
        status = sg_label_state_score(s->state, question->nodes, s->source.rows, question->count, question->score,
                                      error);
    return status;
}

/* rows and state: those of a learner; NULL: of its own, from the log and the labels. */
static int open_scorer(sg_view *view, const sg_labels *labels, const sg_label_rows *rows, sg_label_state *state,
                       sg_label_scorer *scorer, scadyg_error *error)
{
    label_scorer *s = sg_alloc_zero(1, sizeof *s);
    if (!s) return sg_fail_memory(error, "a scorer");
    s->state = state ? state : &s->own;
    int status = sg_label_source_open(&s->source, view, rows, error);
    if (!status && !state)
        status = sg_label_state_open(view->context, &s->own, view->model, view->events, labels, error);
    if (status) {
        close_scorer(s);
        return status;
    }
    *scorer = (sg_label_scorer){
        view->model->kind->shown.name, s, rewind_scorer, score_question, reveal_labels, close_scorer};
    return SCADYG_OK;
}

int sg_label_mix_scorer_open(const sg_kind *kind, sg_view *view, const sg_labels *labels, sg_label_scorer *scorer,
                             scadyg_error *error)
{
    (void)kind;
    return open_scorer(view, labels, NULL, NULL, scorer, error);
}

int sg_label_mix_embed(void *scorer, const sg_nodes_asked *asked, float *out, scadyg_error *error)
{
    return sg_label_source_ask(&((label_scorer *)scorer)->source, asked, out, error);
}

/* ---- An epoch ---- */

typedef struct learner {
    sg_training *training;
    scadyg_model *model;
    sg_label_rows rows;
    sg_label_state state;
    uint32_t *order; /* [rows to learn from] */
    float *gradient; /* [count] */
} learner;

/* Weight decay is for the head alone: a mixture has nothing to gain from being near to even. */
static void spare_mixture(learner *l, const float *values, double decay)
{
    for (size_t i = 0; i < sg_label_mix_of(l->model)->net.v; i++) l->gradient[i] -= (float)decay * values[i];
}

/* Small steps: the start is good, and the labels of a time are alike. */
#define NODES_MOST 32

/* One label time. */
static int learn_group(learner *l, int64_t epoch, size_t group, sg_optimiser *optimiser, double *sum,
                       scadyg_error *error)
{
    scadyg_model *model = l->model;
    const size_t begin = l->training->labels.first_row[group], end = l->training->labels.first_row[group + 1];
    const size_t batch = sg_train_of(model)->batch < NODES_MOST ? (size_t)sg_train_of(model)->batch : NODES_MOST;
    int status = SCADYG_OK;
    sg_shuffle_rows(l->order, begin, end, (uint64_t)sg_train_of(model)->seed,
                    SHUFFLE ^ (uint64_t)epoch << 32 ^ begin);
    for (size_t at = begin; at < end && !status; at += batch) {
        const size_t count = end - at < batch ? end - at : batch;
        const float *values = sg_optimiser_at(optimiser, model->values);
        double loss = 0;
        status = sg_label_state_gradient(&l->state, values, l->order + at, l->rows.messages, count, &loss,
                                         l->gradient, error);
        if (status) break;
        spare_mixture(l, values, optimiser->adam.weight_decay);
        sg_optimiser_step(optimiser, model->count, model->values, l->gradient);
        *sum += loss * (double)count;
    }
    return status;
}

static int learn_epoch(sg_training *training, void *state, int64_t epoch, sg_optimiser *optimiser, double *loss,
                       uint64_t *cases, scadyg_error *error)
{
    (void)training;
    learner *l = state;
    const size_t train = l->training->label_split.train;
    double sum = 0;
    int status = SCADYG_OK;
    sg_label_state_clear(&l->state);
    for (size_t group = 0; group < train && !status; group++) {
        status = sg_report(l->training->context, "learning", group, train, error);
        /* Before the first labels there is nothing to tell classes apart by. */
        if (!status && group > 0) status = learn_group(l, epoch, group, optimiser, &sum, error);
        if (!status) status = sg_label_state_add(&l->state, group, error);
    }
    *loss = sum / (double)l->training->labels.first_row[train];
    *cases = l->training->labels.first_row[train]; /* labels: one node at one label time each */
    return status;
}

/* ---- Before the first epoch ---- */

/* It begins with the moving average, or the mean of two next to each other, that does best on the validation part. */
static int choose_start(learner *l, const sg_learner *out, scadyg_error *error)
{
    static const double others[] = {0.003, 0.01};
    scadyg_model *model = l->model;
    const sg_mix_net *net = &sg_label_mix_of(model)->net;
    const uint64_t seed = (uint64_t)sg_train_of(model)->seed;
    sg_mix_start best = {0, 0, others[0]};
    double most = -INFINITY;
    int status = SCADYG_OK;
    for (size_t i = 0; i < 2 * net->rates - 1 && !status; i++)
        for (size_t j = 0; j < sizeof others / sizeof *others && !status; j++) {
            const sg_mix_start start = {i / 2, (i + 1) / 2, others[j]};
            double score = 0;
            sg_mix_net_init(net, seed, &start, model->values);
            status = sg_validate(l->training, out, &score, error);
            if (score > most) best = start;
            most = fmax(most, score);
        }
    sg_mix_net_init(net, seed, &best, model->values);
    return status;
}

static void close_learner(void *state)
{
    learner *l = state;
    sg_label_rows_free(&l->rows);
    sg_label_state_close(&l->state);
    free(l->order);
    free(l->gradient);
}

/* How often labels come, over which time, and how much they vary. */
static int measure_labels(learner *l, scadyg_error *error)
{
    const sg_labels *labels = &l->training->labels;
    const size_t train = l->training->label_split.train;
    sg_label_mix_own *own = sg_label_mix_of(l->model);
    int status = sg_label_gap(labels, train, &own->gap, error);
    if (!status) status = sg_label_noise(labels, train, l->training->view.nodes, &own->noise, error);
    own->span = labels->time[train - 1] - labels->time[0];
    return status;
}

static int open_learner(sg_training *training, sg_learner *out, scadyg_error *error)
{
    learner *l = out->state;
    scadyg_model *model = training->model;
    const sg_labels *labels = &training->labels;
    l->training = training;
    l->model = model;
    out->start_counts = out->kept = 1;
    int status = sg_label_mix_shape(model, training->view.width, error);
    if (!status) status = sg_label_rows_make(&l->rows, training, error);
    if (!status) status = measure_labels(l, error);
    if (!status)
        status = sg_label_state_open(training->context, &l->state, model, training->view.events, labels, error);
    if (status) return status;
    l->order = sg_alloc(labels->first_row[training->label_split.train], sizeof *l->order);
    l->gradient = sg_alloc_aligned(model->count, sizeof *l->gradient);
    if (!l->order || !l->gradient) return sg_fail_memory(error, "the training");
    out->width = l->rows.width;
    out->bytes = (uint64_t)l->rows.count * l->rows.width * sizeof *l->rows.messages;
    status = open_scorer(&training->view, labels, &l->rows, &l->state, &out->label_scorer, error);
    return status ? status : choose_start(l, out, error);
}

const sg_learning sg_label_mix_learning = {sizeof(learner), open_learner, learn_epoch, close_learner};
