/* A predictor: opened, closed, what it refuses; embeddings and affinities. */
#include "predict/predictor.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

static int open_scorer(scadyg_predictor *p, scadyg_error *error)
{
    const sg_kind *kind = p->model->kind;
    if (kind->task == SG_TASK_LINK) return kind->scorer_open(kind, &p->view, &p->scorer, error);
    int status = kind->needs_labels ? sg_view_labels(&p->view, NULL, &p->labels, error) : SCADYG_OK;
    if (!status) status = kind->label_scorer_open(kind, &p->view, &p->labels, &p->label_scorer, error);
    return status;
}

int scadyg_predictor_open(scadyg_context *context, const scadyg_model *model, scadyg_events *events,
                          scadyg_predictor **predictor, scadyg_error *error)
{
    scadyg_predictor *p = sg_alloc_zero(1, sizeof *p);
    if (!p) return sg_fail_memory(error, "a predictor");
    p->model = model;
    p->reached = -INFINITY;
    int status = sg_report(context, "opening", 0, 1, error);
    if (!status) status = sg_view_open(context, model, events, &p->view, error);
    if (!status) status = open_scorer(p, error);
    if (status) {
        scadyg_predictor_close(p);
        return status;
    }
    *predictor = p;
    return SCADYG_OK;
}

void scadyg_predictor_close(scadyg_predictor *p)
{
    if (!p) return;
    if (p->scorer.close) p->scorer.close(p->scorer.context);
    if (p->label_scorer.close) p->label_scorer.close(p->label_scorer.context);
    sg_labels_free(&p->labels);
    sg_view_close(&p->view);
    free(p->all);
    free(p->is_destination);
    free(p);
}

/* ---- What it refuses ---- */

int sg_predictor_check_task(const scadyg_predictor *p, int task, scadyg_error *error)
{
    if (p->model->kind->task == task) return SCADYG_OK;
    if (task == SG_TASK_LINK)
        return sg_fail(error, SCADYG_E_USAGE,
                       "this is an affinity model: it says what a node turns to, not who meets "
                       "whom; use 'affinity'");
    return sg_fail(
        error, SCADYG_E_USAGE,
        "this is a link model: it says who meets whom, not what a node turns to; use 'rank' or 'predict'");
}

int sg_predictor_check_time(const scadyg_predictor *p, double at, scadyg_error *error)
{
    const scadyg_shape *shape = scadyg_events_shape(p->view.events);
    if (isfinite(at) && at >= shape->first_time) return SCADYG_OK;
    char asked[64], first[64];
    scadyg_time_text(shape->time_kind, at, asked);
    scadyg_time_text(shape->time_kind, shape->first_time, first);
    return sg_fail(error, SCADYG_E_USAGE, "time %s is before the first event at %s: nothing is known then", asked,
                   first);
}

int sg_predictor_check_node(const scadyg_predictor *p, uint32_t node, scadyg_error *error)
{
    if (node < p->view.nodes) return SCADYG_OK;
    return sg_fail(error, SCADYG_E_NOT_FOUND, "there is no node %u", node);
}

int sg_predictor_cannot(const scadyg_predictor *p, const char *what, scadyg_error *error)
{
    const sg_kind *kind = p->model->kind;
    if (!kind->shown.learns)
        return sg_fail(error, SCADYG_E_USAGE, "%s is a baseline that learns nothing: it has no %s",
                       kind->shown.name, what);
    return sg_fail(error, SCADYG_E_USAGE, "%s for --task %s has no %s", kind->shown.name, kind->shown.task, what);
}

int sg_predictor_from(scadyg_predictor *p, double first, double last, scadyg_error *error)
{
    const int back = first < p->reached;
    p->reached = last;
    return back ? p->scorer.rewind(p->scorer.context, error) : SCADYG_OK;
}

uint64_t sg_predictor_seen(const scadyg_predictor *p, double at)
{
    return sg_events_before(p->view.columns->time, p->view.columns->count, at);
}

/* ---- Embeddings ---- */

static int list_all_nodes(scadyg_predictor *p, scadyg_error *error)
{
    if (p->all) return SCADYG_OK;
    p->all = sg_alloc(p->view.nodes, sizeof *p->all);
    if (!p->all) return sg_fail_memory(error, "the list of nodes");
    for (size_t i = 0; i < p->view.nodes; i++) p->all[i] = (uint32_t)i;
    return SCADYG_OK;
}

static int check_nodes(scadyg_predictor *p, const uint32_t *nodes, size_t count, scadyg_error *error)
{
    if (!nodes && count != p->view.nodes)
        return sg_fail(error, SCADYG_E_USAGE, "the embeddings of all nodes are %zu, not %zu", p->view.nodes, count);
    int status = nodes ? SCADYG_OK : list_all_nodes(p, error);
    for (size_t i = 0; nodes && i < count && !status; i++) status = sg_predictor_check_node(p, nodes[i], error);
    return status;
}

int scadyg_embed(scadyg_predictor *p, double at, const uint32_t *nodes, size_t count, float *out,
                 scadyg_error *error)
{
    if (!p->model->kind->embed) return sg_predictor_cannot(p, "embeddings", error);
    int status = sg_predictor_check_time(p, at, error);
    if (!status) status = check_nodes(p, nodes, count, error);
    if (!status) status = sg_report(p->view.context, "embedding", 0, count, error);
    if (status) return status;
    const sg_nodes_asked asked = {at, sg_predictor_seen(p, at), nodes ? nodes : p->all, count};
    return p->model->kind->embed(sg_predictor_state(p), &asked, out, error);
}

/* ---- Affinities ---- */

/* How many label times are over at `at`: of steps that are over when its step begins; from a file, before it. */
static size_t over_before(const scadyg_predictor *p, double at)
{
    const scadyg_messages *messages = p->view.messages;
    const int64_t step = sg_messages_step_of(messages, at);
    size_t group = 0;
    for (; group < p->labels.groups && p->labels.time[group] < at; group++)
        if (!sg_given(sg_train_of(p->model)->labels) &&
            sg_messages_step_of(messages, p->labels.time[group]) >= step)
            break;
    return group;
}

/* Reveals what is over at `at`. Only going back in time begins anew. */
static int reveal_before(scadyg_predictor *p, double at, scadyg_error *error)
{
    const sg_label_scorer *scorer = &p->label_scorer;
    const size_t over = over_before(p, at);
    int status = SCADYG_OK;
    if (over < p->revealed || p->revealed == 0) {
        p->revealed = 0;
        status = scorer->rewind(scorer->context, error);
    }
    while (!status && p->revealed < over) {
        const size_t group = p->revealed;
        p->revealed = SIZE_MAX; /* after a failure nothing but a new beginning will do */
        status = scorer->reveal(scorer->context, group, error);
        if (!status) p->revealed = group + 1;
    }
    return status;
}

/* Scores to shares that sum to 1: softmax of logits, or proportions. */
static void to_shares(const scadyg_predictor *p, const float *score, double *out)
{
    const size_t classes = p->model->classes;
    double largest = -INFINITY, sum = 0;
    for (size_t c = 0; c < classes; c++) largest = (double)score[c] > largest ? (double)score[c] : largest;
    for (size_t c = 0; c < classes; c++) {
        out[c] = p->model->kind->shares ? (double)score[c] : exp((double)score[c] - largest);
        sum += out[c];
    }
    for (size_t c = 0; c < classes && sum > 0; c++) out[c] /= sum;
}

int scadyg_affinity(scadyg_predictor *p, uint32_t node, double at, double *out, scadyg_error *error)
{
    int status = sg_predictor_check_task(p, SG_TASK_AFFINITY, error);
    if (!status) status = sg_predictor_check_node(p, node, error);
    if (!status) status = sg_predictor_check_time(p, at, error);
    if (status) return status;
    float *score = sg_alloc_zero(p->model->classes, sizeof *score);
    if (!score) return sg_fail_memory(error, "the classes");
    const sg_label_question question = {
        .group = SIZE_MAX, .at = at, .seen = sg_predictor_seen(p, at), .nodes = &node, .count = 1, .score = score};
    status = p->model->kind->needs_labels ? reveal_before(p, at, error) : SCADYG_OK;
    if (!status) status = p->label_scorer.score(p->label_scorer.context, &question, error);
    if (!status) to_shares(p, score, out);
    free(score);
    return status;
}
