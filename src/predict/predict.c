/* Scores of pairs, each at its time. */
#include "predict/predictor.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

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
    if (!p->model->kind->shown.learns || sg_train_of(p->model)->freshness == SG_FRESHNESS_EVENT) return 0;
    return sg_messages_step_of(p->view.messages, one) == sg_messages_step_of(p->view.messages, other);
}

typedef struct pairs {
    query *queries; /* [count], by time */
    uint32_t *src, *dst;
    double *score;
} pairs;

static int score_sorted(scadyg_predictor *p, pairs *work, size_t count, scadyg_error *error)
{
    int status =
        count ? sg_predictor_from(p, work->queries[0].time, work->queries[count - 1].time, error) : SCADYG_OK;
    for (size_t i = 0, next; i < count && !status; i = next) {
        const double at = work->queries[i].time;
        for (next = i + 1; next < count && same_past(p, at, work->queries[next].time);) next++;
        status = sg_report(p->view.context, "scoring", i, count, error);
        const sg_question question = {.at = at,
                                      .seen = sg_predictor_seen(p, at),
                                      .step = -1,
                                      .src = work->src + i,
                                      .dst = work->dst + i,
                                      .count = next - i,
                                      .score = work->score + i,
                                      .ask = SG_ASK_CHANCE};
        if (!status) status = p->scorer.score(p->scorer.context, &question, error);
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
        status = score_sorted(p, &work, count, error);
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
    if (!model->kind->shown.learns || model->kind->task != SG_TASK_LINK) return NAN;
    return 1 / (1 + exp(-score));
}
