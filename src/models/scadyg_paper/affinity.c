/*
 * The paper's model for affinity: learning, and answering.
 *
 * An epoch is a pass over the labels of the training part in random order, in batches. Given the messages, which are made
 * once, labels do not depend on each other, so they need not come in the order of time.
 */
#include "base/memory.h"
#include "models/scadyg_paper/paper.h"

#define SHUFFLE ((uint64_t)0xAFF1 << 48) /* streams of random numbers: with the epoch in the low bits */
#define REPORT_EVERY 64                  /* batches */

/* ---- The scorer: logits over the classes ---- */

typedef struct label_scorer {
    sg_paper_scorer base;
    sg_label_source source;
    float *h; /* [capacity][width] */
    size_t capacity;
} label_scorer;

static int rewind_scorer(void *context, scadyg_error *error)
{
    (void)error;
    sg_label_source_rewind(&((label_scorer *)context)->source);
    return SCADYG_OK;
}

static void close_scorer(void *context)
{
    label_scorer *s = context;
    sg_label_source_close(&s->source);
    SG_FREE(s->h, s);
}

static int score_question(void *context, const sg_label_question *question, scadyg_error *error)
{
    label_scorer *s = context;
    const scadyg_model *model = s->base.view->model;
    const sg_net *net = sg_paper_net(model);
    if (sg_grow(&s->h, &s->capacity, question->count, net->width * sizeof *s->h))
        return sg_fail_memory(error, "the nodes to score");
    int status = sg_label_source_read(&s->source, question, error);
    if (!status)
        status = sg_embed(s->base.view->context, net, model->values, s->source.rows, question->count, s->h, error);
    if (!status)
        status = sg_affinity_logits(s->base.view->context, net, model->values, s->h, question->count,
                                    question->score, error);
    return status;
}

static int read_messages(void *scorer, const sg_nodes_asked *asked, float *out, scadyg_error *error)
{
    return sg_label_source_ask(&((label_scorer *)scorer)->source, asked, out, error);
}

int sg_paper_label_scorer_share(sg_view *view, const sg_label_rows *rows, sg_label_scorer *scorer,
                                scadyg_error *error)
{
    label_scorer *s = sg_alloc_zero(1, sizeof *s);
    if (!s) return sg_fail_memory(error, "a scorer");
    s->base = (sg_paper_scorer){view, read_messages};
    int status = sg_label_source_open(&s->source, view, rows, error);
    if (status) {
        close_scorer(s);
        return status;
    }
    *scorer =
        (sg_label_scorer){view->model->kind->shown.name, s, rewind_scorer, score_question, NULL, close_scorer};
    return SCADYG_OK;
}

/* ---- The learner ---- */

typedef struct learner {
    sg_training *training;
    scadyg_model *model;
    sg_label_rows rows;
    sg_workspace *workspace;

    size_t train;       /* rows to learn from */
    uint32_t *order;    /* [train] */
    size_t *first;      /* [batch + 1]: the labels of a batch, one after the other */
    uint32_t *class_of; /* [room] */
    float *weight;      /* [room] */
    size_t room;
    float *gradient;
} learner;

static int gather_labels(learner *l, const uint32_t *row, size_t count, scadyg_error *error)
{
    const sg_labels *labels = &l->training->labels;
    size_t entries = 0;
    for (size_t k = 0; k < count; k++) entries += labels->first[row[k] + 1] - labels->first[row[k]];
    if (SG_GROW(&l->room, entries, SG_ARRAY(l->class_of, 1), SG_ARRAY(l->weight, 1)))
        return sg_fail_memory(error, "the labels of a batch");
    size_t at = 0;
    for (size_t k = 0; k < count; k++) {
        l->first[k] = at;
        for (size_t e = labels->first[row[k]]; e < labels->first[row[k] + 1]; e++, at++) {
            l->class_of[at] = labels->class_of[e];
            l->weight[at] = labels->weight[e];
        }
    }
    l->first[count] = at;
    return SCADYG_OK;
}

/* Of the rows in their order those that this epoch learns from come first: so many. */
static size_t keep_learned(learner *l, int64_t epoch)
{
    size_t count = 0;
    for (size_t i = 0; i < l->train; i++)
        if (sg_training_learns(l->training, epoch, l->order[i], l->order[i])) l->order[count++] = l->order[i];
    return count;
}

static int learn_epoch(sg_training *training, void *state, int64_t epoch, sg_optimiser *optimiser, double *loss,
                       uint64_t *cases, scadyg_error *error)
{
    (void)training;
    learner *l = state;
    scadyg_model *model = l->model;
    const size_t batch = (size_t)sg_train_of(model)->batch;
    int status = SCADYG_OK;
    double sum = 0;
    sg_shuffle_rows(l->order, 0, l->train, (uint64_t)sg_train_of(model)->seed, SHUFFLE | (uint64_t)epoch);
    const size_t train = keep_learned(l, epoch);
    for (size_t begin = 0, batches = 0; begin < train && !status; begin += batch, batches++) {
        const size_t count = train - begin < batch ? train - begin : batch;
        const uint32_t *row = l->order + begin;
        if (batches % REPORT_EVERY == 0) status = sg_training_report(l->training, "learning", begin, train, error);
        if (!status) status = gather_labels(l, row, count, error);
        if (status) break;
        sum += (double)count * sg_affinity_gradient(l->workspace, model->values, l->rows.messages, row, l->first,
                                                    l->class_of, l->weight, count, l->gradient);
        sg_optimiser_step(optimiser, model->count, model->values, l->gradient);
    }
    *loss = train ? sum / (double)train : 0;
    *cases = train; /* so "events" per second are labels here: one node at one label time each */
    return status;
}

static void close_learner(void *state)
{
    learner *l = state;
    sg_label_rows_free(&l->rows);
    sg_workspace_close(l->workspace);
    SG_FREE(l->order, l->first, l->class_of, l->weight, l->gradient);
}

static int open_learner(sg_training *training, sg_learner *out, scadyg_error *error)
{
    learner *l = out->state;
    scadyg_model *model = training->model;
    const size_t batch = (size_t)sg_train_of(model)->batch;
    l->training = training;
    l->model = model;
    int status = training->from ? sg_model_keep_values(model, training->from, error)
                                : sg_paper_shape(model, training->view.width, training->labels.classes, error);
    if (!status) status = sg_label_rows_make(&l->rows, training, error);
    if (!status) status = sg_workspace_open(training->context, sg_paper_net(model), batch, &l->workspace, error);
    if (status) return status;
    l->train = training->labels.first_row[training->label_split.train];
    l->order = sg_alloc(l->train, sizeof *l->order);
    l->first = sg_alloc(batch + 1, sizeof *l->first);
    l->gradient = sg_alloc_aligned(model->count, sizeof *l->gradient);
    if (!l->order || !l->first || !l->gradient) return sg_fail_memory(error, "the training");
    if (!training->from) sg_net_init(sg_paper_net(model), (uint64_t)sg_train_of(model)->seed, model->values);
    out->width = l->rows.width;
    out->bytes = (uint64_t)l->rows.count * l->rows.width * sizeof *l->rows.messages;
    out->kept = 1;
    return sg_paper_label_scorer_share(&training->view, &l->rows, &out->label_scorer, error);
}

const sg_learning sg_paper_affinity_learning = {
    .size = sizeof(learner), .open = open_learner, .learn = learn_epoch, .close = close_learner};
