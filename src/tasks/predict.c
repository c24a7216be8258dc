/* Predictions: a model joined with an events file. */
#include "base/memory.h"
#include "base/parallel.h"
#include "evaluate/evaluate.h"
#include "tasks/affinity_scorer.h"
#include "tasks/link_scorer.h"
#include "tasks/moment.h"
#include "tasks/task_labels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct scadyg_predictor {
    const scadyg_model *model;
    scadyg_events *events;
    sg_inputs inputs; /* heuristics use its plan only */
    sg_moment moment;
    sg_scorer scorer; /* link */
    sg_labels labels; /* affinity heuristics */
    sg_label_scorer label_scorer;
    uint32_t *all; /* [nodes]: every node in turn; made when needed */
    int blas;
};

static int is_heuristic(const scadyg_predictor *p)
{
    return p->model->options.model != SCADYG_MODEL_SCADYG;
}

static int open_scorer(scadyg_predictor *p, scadyg_error *error)
{
    const scadyg_model *model = p->model;
    const sg_columns *columns = &p->inputs.messages->columns;
    if (model->options.task == SCADYG_TASK_LINK) {
        if (!is_heuristic(p)) return sg_link_scorer_open(&p->inputs, &p->scorer, error);
        return sg_heuristic_open(model->options.model, columns, p->inputs.nodes,
                                 model->train_end - model->anchor.origin, &p->scorer, error);
    }
    if (!is_heuristic(p)) return sg_affinity_scorer_open(&p->inputs, &p->label_scorer, error);
    int status = sg_task_labels(model, p->events, &p->inputs.messages->steps, &p->labels, error);
    if (status) return status;
    return sg_label_heuristic_open(model->options.model, &p->labels, p->inputs.nodes, &p->label_scorer, error);
}

int scadyg_predictor_open(const scadyg_model *model, scadyg_events *events, int threads,
                          scadyg_predictor **predictor, scadyg_error *error)
{
    scadyg_predictor *p = sg_alloc_zero(1, sizeof *p);
    if (!p) return sg_fail_memory(error, "a predictor");
    p->model = model;
    p->events = events;
    int status = sg_inputs_open(model, events, sg_threads(threads), &p->inputs, error);
    if (!status && !is_heuristic(p) && p->inputs.width != model->net.width)
        status = sg_fail(error, SCADYG_E_USAGE, "the model takes messages of %zu numbers; these have %zu",
                         model->net.width, p->inputs.width);
    if (!status) status = sg_moment_open(&p->moment, &p->inputs, error);
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
    sg_moment_close(&p->moment);
    sg_inputs_close(&p->inputs);
    free(p->all);
    free(p);
}

/* ---- Checks ---- */

static int check_task(const scadyg_predictor *p, int task, scadyg_error *error)
{
    if (p->model->options.task == task) return SCADYG_OK;
    if (task == SCADYG_TASK_LINK)
        return sg_fail(error, SCADYG_E_USAGE,
                       "this is an affinity model: it says what a node turns to, not who meets "
                       "whom; use 'affinity'");
    return sg_fail(
        error, SCADYG_E_USAGE,
        "this is a link model: it says who meets whom, not what a node turns to; use 'rank' or 'predict'");
}

static int check_time(const scadyg_predictor *p, double at, scadyg_error *error)
{
    const scadyg_shape *shape = scadyg_events_shape(p->events);
    if (isfinite(at) && at >= shape->first_time) return SCADYG_OK;
    char asked[64], first[64];
    scadyg_time_text(shape->time_kind, at, asked);
    scadyg_time_text(shape->time_kind, shape->first_time, first);
    return sg_fail(error, SCADYG_E_USAGE, "time %s is before the first event at %s: nothing is known then", asked,
                   first);
}

static int check_node(const scadyg_predictor *p, uint32_t node, scadyg_error *error)
{
    if (node < p->inputs.nodes) return SCADYG_OK;
    return sg_fail(error, SCADYG_E_NOT_FOUND, "there is no node %u", node);
}

static int check_learned(const scadyg_predictor *p, const char *what, scadyg_error *error)
{
    if (!is_heuristic(p)) return SCADYG_OK;
    return sg_fail(error, SCADYG_E_USAGE, "a heuristic has no %s", what);
}

static uint64_t events_before(const scadyg_predictor *p, double at)
{
    const sg_columns *columns = &p->inputs.messages->columns;
    return sg_events_before(columns->time, columns->count, at);
}

/* ---- Pairs ---- */

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
    if (is_heuristic(p) || p->model->options.freshness == SCADYG_FRESHNESS_EVENT) return 0;
    return sg_messages_step_of(p->inputs.messages, one) == sg_messages_step_of(p->inputs.messages, other);
}

typedef struct pairs {
    query *queries; /* [count], by time */
    uint32_t *src, *dst;
    double *score;
} pairs;

static int score_sorted(scadyg_predictor *p, pairs *work, size_t count, const scadyg_progress *progress,
                        scadyg_error *error)
{
    int status = p->scorer.rewind(p->scorer.context, error);
    for (size_t i = 0, next; i < count && !status; i = next) {
        const double at = work->queries[i].time;
        for (next = i + 1; next < count && same_past(p, at, work->queries[next].time);) next++;
        status = sg_report(progress, "scoring", i, count, error);
        const sg_block block = {.at = at,
                                .seen = events_before(p, at),
                                .step = -1,
                                .src = work->src + i,
                                .dst = work->dst + i,
                                .count = next - i,
                                .score = work->score + i};
        if (!status) status = p->scorer.score(p->scorer.context, &block, error);
    }
    return status;
}

static int check_pairs(const scadyg_predictor *p, const uint32_t *src, const uint32_t *dst, const double *time,
                       size_t count, scadyg_error *error)
{
    int status = check_task(p, SCADYG_TASK_LINK, error);
    for (size_t i = 0; i < count && !status; i++) {
        status = check_node(p, src[i], error);
        if (!status) status = check_node(p, dst[i], error);
        if (!status) status = check_time(p, time[i], error);
    }
    return status;
}

int scadyg_predict(scadyg_predictor *p, const uint32_t *src, const uint32_t *dst, const double *time, size_t count,
                   double *score, const scadyg_progress *progress, scadyg_error *error)
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
        const int blas = sg_blas_single();
        status = score_sorted(p, &work, count, progress, error);
        sg_blas_restore(blas);
    }
    for (size_t i = 0; i < count && !status; i++) score[work.queries[i].index] = work.score[i];
    free(work.queries);
    free(work.src);
    free(work.dst);
    free(work.score);
    return status;
}

double scadyg_probability(const scadyg_model *model, double score)
{
    if (model->options.model != SCADYG_MODEL_SCADYG || model->options.task != SCADYG_TASK_LINK) return NAN;
    return 1 / (1 + exp(-score));
}

/* ---- Ranks ---- */

typedef struct ranked {
    double score;
    uint32_t node;
} ranked;

static int by_score(const void *a, const void *b)
{
    const ranked *one = a, *other = b;
    /* A score that is not a number comes last. */
    const double x = isnan(one->score) ? -INFINITY : one->score, y = isnan(other->score) ? -INFINITY : other->score;
    if (x != y) return x > y ? -1 : 1;
    return one->node < other->node ? -1 : one->node > other->node;
}

/* Nodes that were a destination before the time. The source itself only if it has met itself. */
static size_t list_candidates(const scadyg_predictor *p, uint32_t source, uint64_t seen, int exclude_seen,
                              unsigned char *is, uint32_t *list)
{
    const sg_columns *columns = &p->inputs.messages->columns;
    int itself = 0;
    for (uint64_t e = 0; e < seen; e++) {
        is[columns->dst[e]] |= 1;
        if (columns->src[e] != source) continue;
        is[columns->dst[e]] |= 2;
        itself |= columns->dst[e] == source;
    }
    if (!itself) is[source] = 0;
    size_t count = 0;
    for (size_t node = 0; node < p->inputs.nodes; node++)
        if (is[node] == 1 || (is[node] == 3 && !exclude_seen)) list[count++] = (uint32_t)node;
    return count;
}

typedef struct ranking {
    unsigned char *is;
    uint32_t *src, *dst;
    double *score;
    ranked *ranked;
    size_t count;
} ranking;

static int score_candidates(scadyg_predictor *p, uint32_t source, double at, uint64_t seen, ranking *r,
                            scadyg_error *error)
{
    for (size_t i = 0; i < r->count; i++) r->src[i] = source;
    const sg_block block = {at, seen, -1, r->src, r->dst, r->count, r->score};
    const int blas = sg_blas_single();
    int status = p->scorer.rewind(p->scorer.context, error);
    if (!status && r->count) status = p->scorer.score(p->scorer.context, &block, error);
    sg_blas_restore(blas);
    if (status) return status;
    for (size_t i = 0; i < r->count; i++) r->ranked[i] = (ranked){r->score[i], r->dst[i]};
    qsort(r->ranked, r->count, sizeof *r->ranked, by_score);
    return SCADYG_OK;
}

int scadyg_rank(scadyg_predictor *p, uint32_t source, double at, int exclude_seen, size_t top, uint32_t *nodes,
                double *scores, size_t *count, scadyg_error *error)
{
    int status = check_task(p, SCADYG_TASK_LINK, error);
    if (!status) status = check_node(p, source, error);
    if (!status) status = check_time(p, at, error);
    if (status) return status;
    const size_t most = p->inputs.nodes;
    const uint64_t seen = events_before(p, at);
    ranking r = {sg_alloc_zero(most, 1),          sg_alloc(most, sizeof *r.src),    sg_alloc(most, sizeof *r.dst),
                 sg_alloc(most, sizeof *r.score), sg_alloc(most, sizeof *r.ranked), 0};
    if (!r.is || !r.src || !r.dst || !r.score || !r.ranked) status = sg_fail_memory(error, "the candidates");
    if (!status) {
        r.count = list_candidates(p, source, seen, exclude_seen, r.is, r.dst);
        status = score_candidates(p, source, at, seen, &r, error);
    }
    if (!status) {
        *count = r.count < top ? r.count : top;
        for (size_t i = 0; i < *count; i++) {
            nodes[i] = r.ranked[i].node;
            scores[i] = r.ranked[i].score;
        }
    }
    free(r.is);
    free(r.src);
    free(r.dst);
    free(r.score);
    free(r.ranked);
    return status;
}

/* ---- Embeddings and node-specific weights ---- */

static int all_nodes(scadyg_predictor *p, scadyg_error *error)
{
    if (p->all) return SCADYG_OK;
    p->all = sg_alloc(p->inputs.nodes, sizeof *p->all);
    if (!p->all) return sg_fail_memory(error, "the list of nodes");
    for (size_t i = 0; i < p->inputs.nodes; i++) p->all[i] = (uint32_t)i;
    return SCADYG_OK;
}

static int check_nodes(scadyg_predictor *p, const uint32_t *nodes, size_t count, scadyg_error *error)
{
    if (!nodes && count != p->inputs.nodes)
        return sg_fail(error, SCADYG_E_USAGE, "the embeddings of all nodes are %zu, not %zu", p->inputs.nodes,
                       count);
    int status = nodes ? SCADYG_OK : all_nodes(p, error);
    for (size_t i = 0; nodes && i < count && !status; i++) status = check_node(p, nodes[i], error);
    return status;
}

int scadyg_embed(scadyg_predictor *p, double at, const uint32_t *nodes, size_t count, float *out,
                 const scadyg_progress *progress, scadyg_error *error)
{
    int status = check_learned(p, "embeddings", error);
    if (!status) status = check_time(p, at, error);
    if (!status) status = check_nodes(p, nodes, count, error);
    if (!status) status = sg_report(progress, "embedding", 0, count, error);
    if (status) return status;
    const scadyg_model *model = p->model;
    const int blas = sg_blas_single();
    float *rows = sg_alloc(count * p->inputs.width, sizeof *rows);
    if (!rows) status = sg_fail_memory(error, "the messages");
    if (!status)
        status =
            sg_moment_read(&p->moment, -1, at, events_before(p, at), nodes ? nodes : p->all, count, rows, error);
    if (!status) status = sg_embed(&model->net, model->values, rows, count, out, p->inputs.threads, error);
    sg_blas_restore(blas);
    free(rows);
    return status;
}

int scadyg_node_weights(scadyg_predictor *p, uint32_t node, double at, float *out, scadyg_error *error)
{
    int status = check_learned(p, "weights", error);
    if (!status && !p->model->net.hypernetwork)
        status =
            sg_fail(error, SCADYG_E_USAGE, "the model was trained without the hypernetwork, which makes weights");
    if (!status) status = check_node(p, node, error);
    if (!status) status = check_time(p, at, error);
    if (status) return status;
    float *row = sg_alloc(p->inputs.width, sizeof *row);
    if (!row) return sg_fail_memory(error, "a message");
    status = sg_moment_read(&p->moment, -1, at, events_before(p, at), &node, 1, row, error);
    if (!status) sg_node_matrix(&p->model->net, p->model->values, row, out);
    free(row);
    return status;
}

/* ---- Affinity ---- */

/* The labels of the steps that are over when the step of `at` begins; labels from a file before the time itself. */
static int reveal_before(scadyg_predictor *p, double at, scadyg_error *error)
{
    const scadyg_messages *messages = p->inputs.messages;
    const sg_label_scorer *scorer = &p->label_scorer;
    int status = scorer->rewind(scorer->context, error);
    for (size_t group = 0; group < p->labels.groups && !status; group++) {
        const double time = p->labels.time[group];
        if (time >= at) break;
        if (!p->model->options.labels && sg_messages_step_of(messages, time) >= sg_messages_step_of(messages, at))
            break;
        status = scorer->reveal(scorer->context, group, error);
    }
    return status;
}

/* Scores to shares that sum to 1: softmax of logits, or proportions of what a heuristic says. */
static void to_shares(const scadyg_predictor *p, const float *score, double *out)
{
    const size_t classes = p->model->classes;
    double largest = -INFINITY, sum = 0;
    for (size_t c = 0; c < classes; c++) largest = fmax(largest, (double)score[c]);
    for (size_t c = 0; c < classes; c++) {
        out[c] = is_heuristic(p) ? (double)score[c] : exp((double)score[c] - largest);
        sum += out[c];
    }
    for (size_t c = 0; c < classes && sum > 0; c++) out[c] /= sum;
}

int scadyg_affinity(scadyg_predictor *p, uint32_t node, double at, double *out, scadyg_error *error)
{
    int status = check_task(p, SCADYG_TASK_AFFINITY, error);
    if (!status) status = check_node(p, node, error);
    if (!status) status = check_time(p, at, error);
    if (status) return status;
    float *score = sg_alloc_zero(p->model->classes, sizeof *score);
    if (!score) return sg_fail_memory(error, "the classes");
    const sg_label_block block = {
        .group = SIZE_MAX, .at = at, .seen = events_before(p, at), .nodes = &node, .count = 1, .score = score};
    const int blas = sg_blas_single();
    status = is_heuristic(p) ? reveal_before(p, at, error) : SCADYG_OK;
    if (!status) status = p->label_scorer.score(p->label_scorer.context, &block, error);
    sg_blas_restore(blas);
    if (!status) to_shares(p, score, out);
    free(score);
    return status;
}
