/*
 * DyGLib's protocol: batches of 200 events in time order, one negative per positive, scored at the positive's time from
 * what lies strictly before it (or, on demand, before its batch). AP and AUC per batch, plain mean over batches.
 */
#include "base/memory.h"
#include "evaluate/court.h"
#include "evaluate/metrics.h"
#include "evaluate/negatives.h"
#include "evaluate/pair_draw.h"

#include <stdlib.h>

enum { BATCH = SG_BATCH, REPORT = 5 * BATCH };

typedef struct dyglib {
    sg_court *court;
    sg_pair_draw draw;
    size_t *drawn;       /* [seeds]: negatives of the batch */
    uint32_t *src, *dst; /* [seeds][BATCH] */
    double *positive;    /* [scorers][BATCH] */
    double *negative;    /* [scorers][seeds][BATCH] */
} dyglib;

static int open_space(dyglib *p, scadyg_error *error)
{
    size_t seeds = p->court->seeds, scorers = p->court->count ? p->court->count : 1;
    p->drawn = sg_alloc(seeds, sizeof *p->drawn);
    p->src = sg_alloc(seeds * BATCH, sizeof *p->src);
    p->dst = sg_alloc(seeds * BATCH, sizeof *p->dst);
    p->positive = sg_alloc(scorers * BATCH, sizeof *p->positive);
    p->negative = sg_alloc(scorers * seeds * BATCH, sizeof *p->negative);
    if (p->drawn && p->src && p->dst && p->positive && p->negative) return SCADYG_OK;
    return sg_fail_memory(error, "the negatives");
}

/* Scores the events begin .. end-1, all of one time, with their negatives; `first` begins the batch. */
static int judge_time(dyglib *p, uint64_t first, uint64_t begin, uint64_t end, scadyg_error *error)
{
    sg_court *court = p->court;
    const sg_columns *columns = &court->trial->columns;
    const double at = columns->time[begin];
    const uint64_t seen = sg_court_seen(court, begin, sg_events_before(columns->time, begin + 1, at));
    const size_t from = (size_t)(begin - first), to = (size_t)(end - first);
    court->pairs = 0;
    int status = sg_court_room(court, (to - from) * (court->seeds + 1), error);
    if (status) return status;
    for (uint64_t e = begin; e < end; e++) sg_court_add(court, columns->src[e], columns->dst[e]);
    for (size_t s = 0; s < court->seeds; s++)
        for (size_t i = from; i < to && i < p->drawn[s]; i++)
            sg_court_add(court, p->src[s * BATCH + i], p->dst[s * BATCH + i]);
    for (size_t k = 0; k < court->count && !status; k++) {
        status = sg_court_ask(court, k, at, seen, -1, error);
        const double *score = court->score;
        for (size_t i = from; i < to && !status; i++) p->positive[k * BATCH + i] = *score++;
        for (size_t s = 0; s < court->seeds && !status; s++)
            for (size_t i = from; i < to && i < p->drawn[s]; i++)
                p->negative[(k * court->seeds + s) * BATCH + i] = *score++;
    }
    return status;
}

static void close_batch(dyglib *p, size_t size)
{
    const sg_court *court = p->court;
    for (size_t k = 0; k < court->count; k++)
        for (size_t s = 0; s < court->seeds; s++) {
            sg_tally *tally = &court->tally[k * court->seeds + s];
            double ap, auc;
            if (p->drawn[s] == 0) continue; /* no other pair is possible: nothing to tell apart */
            sg_ap_auc(p->positive + k * BATCH, size, p->negative + (k * court->seeds + s) * BATCH, p->drawn[s], &ap,
                      &auc);
            tally->sets++;
            tally->ap += ap;
            tally->auc += auc;
        }
    if (p->drawn[0]) court->verdict->queries += size;
}

static int judge_batch(dyglib *p, uint64_t first, uint64_t end, scadyg_error *error)
{
    sg_court *court = p->court;
    const double *time = court->trial->columns.time;
    int status = SCADYG_OK;
    sg_court_streams(court, first - court->begin);
    sg_pair_draw_batch(&p->draw, first, end);
    for (size_t s = 0; s < court->seeds; s++)
        p->drawn[s] = sg_pair_draw_next(&p->draw, &court->rng[s], p->src + s * BATCH, p->dst + s * BATCH);
    for (uint64_t begin = first, next; begin < end && !status; begin = next) {
        for (next = begin + 1; next < end && time[next] == time[begin];) next++;
        status = judge_time(p, first, begin, next, error);
    }
    if (!status) close_batch(p, (size_t)(end - first));
    return status;
}

static int judge_batches(dyglib *p, scadyg_error *error)
{
    sg_court *court = p->court;
    int status = SCADYG_OK;
    for (uint64_t first = court->begin, end; first < court->end && !status; first = end) {
        end = court->end - first > BATCH ? first + BATCH : court->end;
        status = judge_batch(p, first, end, error);
        if (!status && ((end - court->begin) % REPORT == 0 || end == court->end))
            status = sg_court_progress(court, end, error);
    }
    if (!status && court->verdict->queries == 0)
        status = sg_fail(error, SCADYG_E_USAGE, "there is nothing to judge: no event of the part has a negative");
    return status;
}

int sg_judge_dyglib(sg_court *court, scadyg_error *error)
{
    dyglib p = {.court = court};
    int pool = court->options->pool == SCADYG_POOL_DEFAULT ? SCADYG_POOL_DESTINATION : court->options->pool;
    if (court->options->negatives > 1)
        return sg_fail(error, SCADYG_E_USAGE,
                       "the protocol dyglib has one negative per positive: leave --negatives");
    court->verdict->negatives = 1;
    court->verdict->pool = sg_pool_text(pool);
    int status =
        sg_pair_draw_open(&p.draw, &court->trial->columns, court->trial->nodes, pool, court->begin, BATCH, error);
    if (status) return status;
    status = open_space(&p, error);
    if (!status) status = judge_batches(&p, error);
    sg_pair_draw_close(&p.draw);
    free(p.drawn);
    free(p.src);
    free(p.dst);
    free(p.positive);
    free(p.negative);
    return status;
}
