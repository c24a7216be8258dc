/* What a node will turn to. */
#include "base/memory.h"
#include "tasks/predictor.h"

#include <math.h>
#include <stdlib.h>

/* How many label times are over at `at`: of steps that are over when its step begins; from a file, before it. */
static size_t over_before(const scadyg_predictor *p, double at)
{
    const scadyg_messages *messages = p->inputs.messages;
    const int64_t step = sg_messages_step_of(messages, at);
    size_t group = 0;
    for (; group < p->labels.groups && p->labels.time[group] < at; group++)
        if (!p->model->options.labels && sg_messages_step_of(messages, p->labels.time[group]) >= step) break;
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

/* Scores to shares that sum to 1: softmax of logits, or proportions of what a heuristic says. */
static void to_shares(const scadyg_predictor *p, const float *score, double *out)
{
    const size_t classes = p->model->classes;
    double largest = -INFINITY, sum = 0;
    for (size_t c = 0; c < classes; c++) largest = fmax(largest, (double)score[c]);
    for (size_t c = 0; c < classes; c++) {
        out[c] = sg_predictor_is_rule(p) ? (double)score[c] : exp((double)score[c] - largest);
        sum += out[c];
    }
    for (size_t c = 0; c < classes && sum > 0; c++) out[c] /= sum;
}

int scadyg_affinity(scadyg_predictor *p, uint32_t node, double at, double *out, scadyg_error *error)
{
    int status = sg_predictor_check_task(p, SCADYG_TASK_AFFINITY, error);
    if (!status) status = sg_predictor_check_node(p, node, error);
    if (!status) status = sg_predictor_check_time(p, at, error);
    if (status) return status;
    float *score = sg_alloc_zero(p->model->classes, sizeof *score);
    if (!score) return sg_fail_memory(error, "the classes");
    const sg_label_question block = {
        .group = SIZE_MAX, .at = at, .seen = sg_predictor_seen(p, at), .nodes = &node, .count = 1, .score = score};
    status = sg_predictor_needs_labels(p) ? reveal_before(p, at, error) : SCADYG_OK;
    if (!status) status = p->label_scorer.score(p->label_scorer.context, &block, error);
    if (!status) to_shares(p, score, out);
    free(score);
    return status;
}
