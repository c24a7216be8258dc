/* A predictor: opened, closed, what it refuses; embeddings, affinities, scores of pairs, and looks into the model. */
#include "predict/rank.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* Without the file they are in, what needs no labels can be asked all the same. */
static int open_labels(scadyg_predictor *p, scadyg_error *error)
{
    if (!sg_view_has_labels(&p->view, NULL)) return sg_view_labels(&p->view, &p->labels, error);
    sg_label_builder builder;
    int status = sg_label_builder_open(&builder, &p->labels, error);
    return status ? status : sg_labels_name(&p->labels, p->model->class_names, p->model->classes, error);
}

static int open_scorer(scadyg_predictor *p, scadyg_error *error)
{
    const sg_kind *kind = p->model->kind;
    if (kind->task == SG_TASK_LINK) return kind->scorer_open(kind, &p->view, &p->scorer, error);
    int status = kind->needs_labels ? open_labels(p, error) : SCADYG_OK;
    if (!status) status = kind->label_scorer_open(kind, &p->view, &p->labels, &p->label_scorer, error);
    return status;
}

int sg_predictor_new(scadyg_context *context, const scadyg_model *model, scadyg_events *events,
                     scadyg_predictor **predictor, scadyg_error *error)
{
    scadyg_predictor *p = *predictor = sg_alloc_zero(1, sizeof *p);
    if (!p) return sg_fail_memory(error, "a predictor");
    p->model = model;
    p->reached = -INFINITY;
    p->rank_all = SG_RANK_ALL;
    int status = sg_events_report(context, events, "opening", 0, 1, error);
    if (!status) status = sg_view_check_memory(context, model, events, error);
    return status ? status : sg_view_open(context, model, events, &p->view, error);
}

int scadyg_predictor_open(scadyg_context *context, const scadyg_model *model, scadyg_events *events,
                          scadyg_predictor **predictor, scadyg_error *error)
{
    scadyg_predictor *p = NULL;
    int status = sg_predictor_new(context, model, events, &p, error);
    if (!status) status = open_scorer(p, error);
    status = sg_events_finish(status, events, error);
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
    sg_state_close(&p->kept);
    SG_FREE(p->all, p->is_destination, p);
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
    int status = first < p->reached ? p->scorer.rewind(p->scorer.context, error) : SCADYG_OK;
    p->reached = status ? INFINITY : last; /* after a failure nothing but a new beginning will do */
    return status;
}

uint64_t sg_predictor_seen(const scadyg_predictor *p, double at)
{
    return sg_events_before(p->view.columns->time, p->view.columns->count, at);
}

uint64_t scadyg_sees(const scadyg_predictor *p, double at, double *until)
{
    const sg_columns *columns = p->view.columns;
    const sg_steps *steps = &p->view.messages->steps;
    uint64_t seen = sg_predictor_seen(p, at);
    if (p->model->kind->shown.learns && sg_train_of(p->model)->stepwise) {
        const int64_t step = sg_view_step(&p->view, -1, at, seen);
        const uint64_t over = steps->first[step < steps->count ? step : steps->count];
        seen = over < seen ? over : seen;
    }
    if (until) *until = seen ? columns->time[seen - 1] : NAN;
    return seen;
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
    if (!status) status = sg_predictor_report(p, "embedding", 0, count, error);
    if (status) return status;
    const sg_nodes_asked asked = {at, sg_predictor_seen(p, at), nodes ? nodes : p->all, count};
    status = p->model->kind->embed(sg_predictor_state(p), &asked, out, error);
    return sg_events_finish(status, p->view.events, error);
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
        status = sg_predictor_report(p, "following the labels", group, over, error);
        if (status) break;
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
    status = sg_predictor_report(p, "predicting", 0, 1, error);
    if (status) return status;
    float *score = sg_alloc_zero(p->model->classes, sizeof *score);
    if (!score) return sg_fail_memory(error, "the classes");
    const sg_label_question question = {
        .group = SIZE_MAX, .at = at, .seen = sg_predictor_seen(p, at), .nodes = &node, .count = 1, .score = score};
    if (p->model->kind->needs_labels) status = sg_view_has_labels(&p->view, error);
    if (!status && p->model->kind->needs_labels) status = reveal_before(p, at, error);
    if (!status) status = p->label_scorer.score(p->label_scorer.context, &question, error);
    status = sg_events_finish(status, p->view.events, error);
    if (!status) to_shares(p, score, out);
    free(score);
    return status;
}

/* ---- Scores of pairs, each at its time ---- */

typedef struct query {
    double time;
    size_t index;
} query;

static int by_time(const void *a, const void *b)
{
    const query *one = a, *other = b;
    if (one->time != other->time) return one->time < other->time ? -1 : 1;
    return one->index < other->index ? -1 : one->index > other->index;
}

/* Whether two times see the same past. */
static int same_past(const scadyg_predictor *p, double one, double other)
{
    if (one == other) return 1;
    if (!p->model->kind->shown.learns || !sg_train_of(p->model)->stepwise) return 0;
    return sg_messages_step_of(p->view.messages, one) == sg_messages_step_of(p->view.messages, other);
}

typedef struct pairs {
    query *queries; /* [count], by time */
    uint32_t *src, *dst;
    double *score;
} pairs;

enum { QUESTIONS = 64 }; /* from one report to the next; the quickest take less than a microsecond each */

static int score_sorted(scadyg_predictor *p, pairs *work, size_t count, scadyg_error *error)
{
    int status =
        count ? sg_predictor_from(p, work->queries[0].time, work->queries[count - 1].time, error) : SCADYG_OK;
    for (size_t i = 0, questions = 0, next; i < count && !status; i = next) {
        const double at = work->queries[i].time;
        for (next = i + 1; next < count && same_past(p, at, work->queries[next].time);) next++;
        if (questions++ % QUESTIONS == 0) status = sg_predictor_report(p, "scoring", i, count, error);
        if (status) break;
        const sg_question question = {.at = at,
                                      .seen = sg_predictor_seen(p, at),
                                      .step = -1,
                                      .src = work->src + i,
                                      .dst = work->dst + i,
                                      .count = next - i,
                                      .score = work->score + i,
                                      .ask = SG_ASK_CHANCE};
        status = p->scorer.score(p->scorer.context, &question, error);
    }
    return status;
}

static int check_pairs(const scadyg_predictor *p, const uint32_t *src, const uint32_t *dst, const double *time,
                       size_t count, scadyg_error *error)
{
    int status = sg_predictor_check_task(p, SG_TASK_LINK, error);
    for (size_t i = 0; i < count && !status; i++) {
        status = sg_predictor_check_node(p, src[i], error);
        if (!status) status = sg_predictor_check_node(p, dst[i], error);
        if (!status) status = sg_predictor_check_time(p, time[i], error);
    }
    return status;
}

int scadyg_predict(scadyg_predictor *p, const uint32_t *src, const uint32_t *dst, const double *time, size_t count,
                   double *score, scadyg_error *error)
{
    int status = check_pairs(p, src, dst, time, count, error);
    if (status) return status;
    pairs work = {sg_alloc(count, sizeof *work.queries), sg_alloc(count, sizeof *work.src),
                  sg_alloc(count, sizeof *work.dst), sg_alloc(count, sizeof *work.score)};
    if (!work.queries || !work.src || !work.dst || !work.score) status = sg_fail_memory(error, "the pairs");
    for (size_t i = 0; i < count && !status; i++) work.queries[i] = (query){time[i], i};
    if (!status) {
        qsort(work.queries, count, sizeof *work.queries, by_time);
        for (size_t i = 0; i < count; i++) {
            work.src[i] = src[work.queries[i].index];
            work.dst[i] = dst[work.queries[i].index];
        }
        status = sg_events_finish(score_sorted(p, &work, count, error), p->view.events, error);
    }
    for (size_t i = 0; i < count && !status; i++) score[work.queries[i].index] = work.score[i];
    SG_FREE(work.queries, work.src, work.dst, work.score);
    return status;
}

double scadyg_probability(const scadyg_model *model, double score)
{
    return model->info.probabilities ? 1 / (1 + exp(-score)) : NAN;
}

/*
 * ---- Looking into a model ----
 *
 * The weights of a node, and memory curves: what one contact of some age still does to the first layer of the head.
 *
 * A contact of age a stands in column j as f(exp(-g_j a)), with f the logarithm where the model takes one. The source's
 * weights turn the columns into what the hidden units see, a vector A_j for each column, so all that is left of the
 * contact is the vector sum over j of A_j f(exp(-g_j a)). The curve is its length, over the length at age 0.
 */

typedef struct mix {
    size_t columns, hidden;
    const double *rates; /* [columns] */
    double *vectors;     /* [columns][hidden] */
    int is_logarithm;    /* f(x) = log(1 + x), else x */
} mix;

static double length_at(const mix *m, double age)
{
    double square = 0;
    for (size_t h = 0; h < m->hidden; h++) {
        double sum = 0;
        for (size_t j = 0; j < m->columns; j++) {
            const double left = exp(-m->rates[j] * age);
            sum += m->vectors[j * m->hidden + h] * (m->is_logarithm ? log1p(left) : left);
        }
        square += sum * sum;
    }
    return sqrt(square);
}

static int read_rates(const scadyg_predictor *p, mix *m, scadyg_error *error)
{
    const sg_kind *kind = p->model->kind;
    if (!kind->memory_rates) return sg_predictor_cannot(p, "memory curves", error);
    return kind->memory_rates(sg_predictor_state(p), &m->columns, &m->rates, &m->is_logarithm, error);
}

int scadyg_memory_curve(scadyg_predictor *p, uint32_t node, double at, const double *ages, size_t count,
                        double *out, scadyg_error *error)
{
    mix m = {0};
    int status = read_rates(p, &m, error);
    if (!status) status = sg_predictor_check_node(p, node, error);
    if (!status) status = sg_predictor_check_time(p, at, error);
    for (size_t i = 0; i < count && !status; i++)
        if (!(ages[i] >= 0)) status = sg_fail(error, SCADYG_E_USAGE, "an age is a number that is not negative");
    if (status) return status;
    status = sg_predictor_report(p, "looking", 0, 1, error);
    if (status) return status;
    const sg_nodes_asked asked = {at, sg_predictor_seen(p, at), &node, 1};
    status = p->model->kind->memory_vectors(sg_predictor_state(p), &asked, &m.hidden, &m.vectors, error);
    status = sg_events_finish(status, p->view.events, error);
    const double first = status ? 0 : length_at(&m, 0);
    for (size_t i = 0; i < count && !status; i++) out[i] = first > 0 ? length_at(&m, ages[i]) / first : 0;
    free(m.vectors);
    return status;
}

int scadyg_memory_rates(const scadyg_predictor *p, double *slowest, double *fastest, scadyg_error *error)
{
    mix m = {0};
    int status = read_rates(p, &m, error);
    if (status) return status;
    *slowest = INFINITY, *fastest = 0;
    for (size_t j = 0; j < m.columns; j++) {
        if (m.rates[j] < *slowest) *slowest = m.rates[j];
        if (m.rates[j] > *fastest) *fastest = m.rates[j];
    }
    return SCADYG_OK;
}

int scadyg_node_weights(scadyg_predictor *p, uint32_t node, double at, float *out, scadyg_error *error)
{
    if (!p->model->kind->node_weights) return sg_predictor_cannot(p, "node weights", error);
    int status = sg_predictor_check_node(p, node, error);
    if (!status) status = sg_predictor_check_time(p, at, error);
    if (status) return status;
    status = sg_predictor_report(p, "looking", 0, 1, error);
    if (status) return status;
    const sg_nodes_asked asked = {at, sg_predictor_seen(p, at), &node, 1};
    status = p->model->kind->node_weights(sg_predictor_state(p), &asked, out, error);
    return sg_events_finish(status, p->view.events, error);
}
