/*
 * DyGLib's protocol: batches of 200 events in time order, one negative per positive, scored at the positive's time from
 * what lies strictly before it (or, on demand, before its batch). AP and AUC per batch, plain mean over batches.
 */
#include "base/memory.h"
#include "evaluate/evaluation.h"
#include "evaluate/metrics.h"
#include "evaluate/negatives.h"
#include "evaluate/dyglib_negatives.h"

#include <math.h>
#include <stdlib.h>

enum {
    BATCH = SG_BATCH,
    SPAN = 8,
    EVENTS = SPAN * BATCH
}; /* batches that are put together before they are scored */

typedef struct dyglib {
    sg_evaluation *evaluation;
    sg_dyglib_negatives draw;
    size_t *drawn;       /* [SPAN][seeds]: negatives of each batch */
    uint32_t *src, *dst; /* [seeds][EVENTS] */
    double *positive;    /* [EVENTS] */
    double *negative;    /* [seeds][EVENTS] */
} dyglib;

static int open_space(dyglib *p, scadyg_error *error)
{
    const size_t seeds = p->evaluation->seeds;
    p->drawn = sg_alloc(seeds * SPAN, sizeof *p->drawn);
    p->src = sg_alloc(seeds * EVENTS, sizeof *p->src);
    p->dst = sg_alloc(seeds * EVENTS, sizeof *p->dst);
    p->positive = sg_alloc(EVENTS, sizeof *p->positive);
    p->negative = sg_alloc(seeds * EVENTS, sizeof *p->negative);
    if (p->drawn && p->src && p->dst && p->positive && p->negative) return SCADYG_OK;
    return sg_fail_memory(error, "the negatives");
}

/* The events begin .. end-1 of batch number `batch`, all of one time, with their negatives; `first` begins the span. */
static int add_time(dyglib *p, size_t batch, uint64_t first, uint64_t begin, uint64_t end, scadyg_error *error)
{
    sg_evaluation *evaluation = p->evaluation;
    const sg_columns *columns = &evaluation->trial->columns;
    const double at = columns->time[begin];
    const uint64_t seen = sg_evaluation_seen(evaluation, begin, sg_events_before(columns->time, begin + 1, at));
    const size_t from = (size_t)(begin - first), to = (size_t)(end - first);
    int status = sg_evaluation_block(evaluation, at, seen, evaluation->pairs, error);
    if (!status) status = sg_evaluation_room(evaluation, (to - from) * (evaluation->seeds + 1), error);
    if (status) return status;
    for (uint64_t e = begin; e < end; e++) sg_evaluation_add(evaluation, columns->src[e], columns->dst[e]);
    for (size_t s = 0; s < evaluation->seeds; s++)
        for (size_t i = from; i < to && i - batch * BATCH < p->drawn[batch * evaluation->seeds + s]; i++)
            sg_evaluation_add(evaluation, p->src[s * EVENTS + i], p->dst[s * EVENTS + i]);
    return SCADYG_OK;
}

static int add_batch(dyglib *p, size_t batch, uint64_t first, uint64_t begin, uint64_t end, scadyg_error *error)
{
    sg_evaluation *evaluation = p->evaluation;
    const double *time = evaluation->trial->columns.time;
    int status = SCADYG_OK;
    sg_evaluation_streams(evaluation, begin - evaluation->begin);
    sg_dyglib_negatives_batch(&p->draw, begin, end);
    for (size_t s = 0; s < evaluation->seeds; s++)
        p->drawn[batch * evaluation->seeds + s] =
            sg_dyglib_negatives_next(&p->draw, &evaluation->rng[s], p->src + s * EVENTS + batch * BATCH,
                                     p->dst + s * EVENTS + batch * BATCH);
    for (uint64_t next; begin < end && !status; begin = next) {
        for (next = begin + 1; next < end && time[next] == time[begin];) next++;
        status = add_time(p, batch, first, begin, next, error);
    }
    return status;
}

/* The scores of one scorer, from where they were asked for to events and seeds. */
static void sort_scores(dyglib *p, uint64_t first, uint64_t end)
{
    const sg_evaluation *evaluation = p->evaluation;
    const double *time = evaluation->trial->columns.time, *score = evaluation->score;
    for (uint64_t batch = first; batch < end; batch += BATCH) {
        const uint64_t last = end - batch > BATCH ? batch + BATCH : end;
        const size_t number = (size_t)(batch - first) / BATCH;
        for (uint64_t begin = batch, next; begin < last; begin = next) {
            for (next = begin + 1; next < last && time[next] == time[begin];) next++;
            const size_t from = (size_t)(begin - first), to = (size_t)(next - first);
            for (size_t i = from; i < to; i++) p->positive[i] = *score++;
            for (size_t s = 0; s < evaluation->seeds; s++)
                for (size_t i = from; i < to && i - number * BATCH < p->drawn[number * evaluation->seeds + s]; i++)
                    p->negative[s * EVENTS + i] = *score++;
        }
    }
}

/* Every event of a batch that begins with event `begin` beside its negative. Comes before the scores are sorted. */
static void tell_batch(const dyglib *p, size_t scorer, size_t batch, uint64_t begin, size_t size)
{
    const sg_evaluation *evaluation = p->evaluation;
    const double *time = evaluation->trial->columns.time;
    if (!evaluation->options->query) return;
    for (size_t s = 0; s < evaluation->seeds; s++)
        for (size_t i = 0; i < size && i < p->drawn[batch * evaluation->seeds + s]; i++) {
            const uint64_t event = begin + i;
            const double positive = p->positive[batch * BATCH + i];
            const double negative = p->negative[s * EVENTS + batch * BATCH + i];
            const scadyg_query query = {
                .judged = scorer,
                .seed = s,
                .node = evaluation->trial->columns.src[event],
                .at = time[event],
                .seen = sg_evaluation_seen(evaluation, event, sg_events_before(time, event + 1, time[event])),
                .events = &event,
                .event_count = 1,
                .score = positive > negative                      ? 1
                         : positive < negative || isnan(positive) ? 0
                                                                  : 0.5,
                .positive = positive,
                .negative = negative};
            sg_evaluation_tell(evaluation->options, &query);
        }
}

static void tally_batch(dyglib *p, size_t scorer, size_t batch, size_t size)
{
    const sg_evaluation *evaluation = p->evaluation;
    for (size_t s = 0; s < evaluation->seeds; s++) {
        sg_score_sums *tally = &evaluation->tally[scorer * evaluation->seeds + s];
        const size_t drawn = p->drawn[batch * evaluation->seeds + s];
        double ap, auc;
        if (drawn == 0) continue; /* no other pair is possible: nothing to tell apart */
        sg_ap_auc(p->positive + batch * BATCH, size, p->negative + s * EVENTS + batch * BATCH, drawn, &ap, &auc);
        tally->sets++;
        tally->ap += ap;
        tally->auc += auc;
    }
    if (scorer == 0 && p->drawn[batch * evaluation->seeds]) evaluation->scores_out->queries += size;
}

static int judge_span(dyglib *p, uint64_t first, uint64_t end, scadyg_error *error)
{
    sg_evaluation *evaluation = p->evaluation;
    int status = SCADYG_OK;
    evaluation->pairs = evaluation->block_count = 0;
    for (uint64_t begin = first, next; begin < end && !status; begin = next) {
        next = end - begin > BATCH ? begin + BATCH : end;
        status = add_batch(p, (size_t)(begin - first) / BATCH, first, begin, next, error);
    }
    for (size_t k = 0; k < evaluation->count && !status; k++) {
        status = sg_evaluation_ask_blocks(evaluation, k, error);
        if (status) break;
        sort_scores(p, first, end);
        for (uint64_t begin = first; begin < end; begin += BATCH) {
            const size_t batch = (size_t)(begin - first) / BATCH;
            const size_t size = end - begin > BATCH ? BATCH : (size_t)(end - begin);
            tell_batch(p, k, batch, begin, size);
            tally_batch(p, k, batch, size);
        }
    }
    return status;
}

static int judge_batches(dyglib *p, scadyg_error *error)
{
    sg_evaluation *evaluation = p->evaluation;
    /* A sample is of single batches, at least of one. */
    const uint64_t batches = (evaluation->end - evaluation->begin + BATCH - 1) / BATCH;
    uint64_t every = sg_evaluation_one_in(evaluation, evaluation->end - evaluation->begin), number = 0;
    if (every > batches) every = evaluation->scores_out->one_in = batches ? batches : 1;
    const uint64_t span = every > 1 ? BATCH : EVENTS;
    int status = SCADYG_OK;
    for (uint64_t first = evaluation->begin, end; first < evaluation->end && !status; first = end) {
        end = evaluation->end - first > span ? first + span : evaluation->end;
        if (number++ % every == every / 2) status = judge_span(p, first, end, error);
        if (!status) status = sg_evaluation_progress(evaluation, end, error);
    }
    if (!status && evaluation->count && evaluation->scores_out->queries == 0)
        status = sg_fail(error, SCADYG_E_USAGE, "there is nothing to judge: no event of the part has a negative");
    return status;
}

int sg_evaluate_dyglib(sg_evaluation *evaluation, scadyg_error *error)
{
    dyglib p = {.evaluation = evaluation};
    int pool =
        evaluation->options->pool == SCADYG_POOL_DEFAULT ? SCADYG_POOL_DESTINATION : evaluation->options->pool;
    if (evaluation->options->negatives > 1)
        return sg_fail(error, SCADYG_E_USAGE,
                       "the protocol dyglib has one negative per positive: leave --negatives");
    evaluation->question = SG_ASK_CHANCE;
    evaluation->scores_out->negatives = 1;
    evaluation->scores_out->pool = sg_pool_text(pool);
    int status = sg_dyglib_negatives_open(&p.draw, &evaluation->trial->columns, evaluation->trial->nodes, pool,
                                          evaluation->begin, BATCH, error);
    if (status) return status;
    status = open_space(&p, error);
    if (!status) status = judge_batches(&p, error);
    sg_dyglib_negatives_close(&p.draw);
    free(p.drawn);
    free(p.src);
    free(p.dst);
    free(p.positive);
    free(p.negative);
    return status;
}
