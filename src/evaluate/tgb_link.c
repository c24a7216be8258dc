/*
 * TGB's protocol for links: every event of the part against negatives of its source, at its own time, from what lies
 * strictly before (or, on demand, before its batch of 200); ties share their ranks; mean over events.
 */
#include "base/memory.h"
#include "evaluate/bundle.h"
#include "evaluate/court.h"
#include "evaluate/metrics.h"
#include "evaluate/negatives.h"

#include <math.h>
#include <stdlib.h>

enum {
    ALL_UP_TO = 12000, /* with at most so many destinations all others are negatives, as for tgbl-wiki */
    NEGATIVES = 20,    /* else as for tgbl-coin, -comment and -flight */
    CHUNK = 1 << 16,   /* pairs that are put together before they are scored */
    REPORT = 1024      /* events between two reports */
};

typedef struct tgb {
    sg_court *court;
    sg_negatives negatives;
    sg_bundle bundle;
    size_t wanted;  /* negatives of an event, or SG_ALL_NEGATIVES */
    size_t seeds;   /* that differ: one if there is nothing to draw */
    uint64_t every; /* one event in so many is judged */
    /* Of the pairs at hand: event i has its positive at pair offset[i * (seeds + 1)], then come the negatives of each
     * seed. */
    size_t *offset, offset_room, events;
    uint64_t *event; /* which they are */
    size_t event_room;
} tgb;

static int add_event(tgb *p, uint64_t event, scadyg_error *error)
{
    sg_court *court = p->court;
    const uint32_t source = court->trial->columns.src[event];
    const size_t most = sg_negatives_most(&p->negatives, p->wanted), begun = court->pairs;
    size_t *offset, at = p->events * (p->seeds + 1), drawn = 0;
    int status = sg_court_room(court, 1 + p->seeds * most, error);
    if (status) return status;
    if (sg_grow(&p->offset, &p->offset_room, at + p->seeds + 2, sizeof *p->offset) ||
        sg_grow(&p->event, &p->event_room, p->events + 1, sizeof *p->event))
        return sg_fail_memory(error, "the pairs to score");
    p->event[p->events] = event;
    offset = p->offset + at;
    offset[0] = begun;
    sg_court_add(court, source, court->trial->columns.dst[event]);
    sg_court_streams(court, event);
    for (size_t s = 0; s < p->seeds; s++) {
        offset[s + 1] = court->pairs;
        drawn = sg_negatives_draw(&p->negatives, &court->rng[s], p->wanted, court->dst + court->pairs);
        for (size_t i = 0; i < drawn; i++) court->src[court->pairs++] = source;
    }
    offset[p->seeds + 1] = court->pairs;
    if (drawn == 0)
        court->pairs = begun; /* every node of the pool is a positive: nothing to tell apart */
    else
        p->events++;
    return SCADYG_OK;
}

static void tell(const tgb *p, size_t scorer, size_t seed, size_t number, double rank)
{
    const sg_court *court = p->court;
    const uint64_t *event = p->event + number;
    const double *time = court->trial->columns.time;
    if (!court->options->query) return;
    const scadyg_query query = {.judged = scorer,
                                .seed = seed,
                                .node = court->trial->columns.src[*event],
                                .at = time[*event],
                                .seen =
                                    sg_court_seen(court, *event, sg_events_before(time, *event + 1, time[*event])),
                                .events = event,
                                .event_count = 1,
                                .score = 1 / rank,
                                .positive = court->score[p->offset[number * (p->seeds + 1)]],
                                .negative = NAN};
    sg_court_tell(court->options, &query);
}

/* Scores the pairs at hand, tallies them and begins anew. */
static int flush(tgb *p, scadyg_error *error)
{
    sg_court *court = p->court;
    int status = SCADYG_OK;
    for (size_t i = 0; i < court->count && p->events && !status; i++) {
        status = sg_court_ask_blocks(court, i, error);
        for (size_t e = 0; e < p->events && !status; e++) {
            const size_t *offset = p->offset + e * (p->seeds + 1);
            for (size_t s = 0; s < p->seeds; s++) {
                const double *negative = court->score + offset[s + 1];
                double rank = sg_rank_tgb(court->score[offset[0]], negative, offset[s + 2] - offset[s + 1]);
                sg_tally_rank(&court->tally[i * court->seeds + s], rank);
                tell(p, i, s, e, rank);
            }
        }
    }
    court->verdict->queries += p->events;
    court->pairs = court->block_count = p->events = 0;
    return status;
}

static int is_sampled(const tgb *p, uint64_t event)
{
    return p->every <= 1 || sg_hash3(p->every, 0, event) % p->every == 0;
}

/* Of the events bundled, all of one time, those from .. to-1: they see the same. */
static int judge_piece(tgb *p, uint64_t begin, uint64_t from, uint64_t to, scadyg_error *error)
{
    const sg_bundle *bundle = &p->bundle;
    const double at = p->court->trial->columns.time[begin];
    const uint64_t seen = sg_court_seen(p->court, from, begin);
    int status = sg_court_block(p->court, at, seen, p->court->pairs, error);
    for (size_t i = 0; i < bundle->sources && !status; i++) {
        const size_t first = bundle->first[i], events = bundle->first[i + 1] - first;
        int sampled = 0;
        for (size_t e = first; e < first + events; e++) sampled |= is_sampled(p, bundle->event[e]);
        if (!sampled) continue;
        if (sg_negatives_of(&p->negatives, bundle->source[i], bundle->event + first, events, begin))
            return sg_fail_memory(error, "the negatives");
        for (size_t e = first; e < first + events && !status; e++) {
            if (bundle->event[e] < from || bundle->event[e] >= to) continue;
            if (!is_sampled(p, bundle->event[e])) continue;
            status = add_event(p, bundle->event[e], error);
            if (status || p->court->pairs < CHUNK) continue;
            status = flush(p, error);
            if (!status) status = sg_court_block(p->court, at, seen, 0, error);
        }
    }
    return status;
}

/* The events begin .. end-1 are all events of one time. Revealed in batches, they may be of several. */
static int judge_time(tgb *p, uint64_t begin, uint64_t end, scadyg_error *error)
{
    const int batches = p->court->options->reveal == SCADYG_REVEAL_BATCH;
    if (sg_bundle_make(&p->bundle, p->court->trial->columns.src, begin, end))
        return sg_fail_memory(error, "the sources of a time");
    int status = SCADYG_OK;
    for (uint64_t from = begin, to; from < end && !status; from = to) {
        const uint64_t left = SG_BATCH - (from - p->court->begin) % SG_BATCH; /* of the batch */
        to = batches && end - from > left ? from + left : end;
        status = judge_piece(p, begin, from, to, error);
    }
    return status;
}

static int judge_times(tgb *p, scadyg_error *error)
{
    sg_court *court = p->court;
    const double *time = court->trial->columns.time;
    uint64_t reported = court->begin;
    int status = SCADYG_OK;
    p->every = sg_court_one_in(court, court->end - court->begin);
    for (uint64_t begin = court->begin, end; begin < court->end && !status; begin = end) {
        for (end = begin + 1; end < court->end && time[end] == time[begin];) end++;
        status = judge_time(p, begin, end, error);
        if (!status && (end - reported >= REPORT || end == court->end))
            status = sg_court_progress(court, reported = end, error);
    }
    if (!status) status = flush(p, error);
    if (!status && court->verdict->queries == 0)
        status = sg_fail(error, SCADYG_E_USAGE, "there is nothing to judge: no event of the %s has negatives",
                         p->every > 1 ? "sample" : "part");
    for (size_t i = 0; i < court->count; i++) /* seeds that do not differ */
        for (size_t s = p->seeds; s < court->seeds; s++)
            court->tally[i * court->seeds + s] = court->tally[i * court->seeds];
    return status;
}

/* The number the protocol has of itself: all destinations where they are few. */
static size_t own_number(const tgb *p)
{
    int pool = p->negatives.pool, few = p->negatives.destinations <= ALL_UP_TO;
    return few && (pool == SG_POOL_MIX || pool == SCADYG_POOL_DESTINATION) ? SG_ALL_NEGATIVES : NEGATIVES;
}

int sg_judge_tgb(sg_court *court, scadyg_error *error)
{
    tgb p = {.court = court};
    int status = sg_negatives_open(&p.negatives, &court->trial->columns, court->trial->nodes, court->options->pool,
                                   0, court->split.train_end, error);
    if (status) return status;
    p.wanted = court->options->negatives ? (size_t)court->options->negatives : own_number(&p);
    p.seeds = p.wanted == SG_ALL_NEGATIVES ? 1 : court->seeds;
    court->verdict->negatives = court->options->negatives      ? court->options->negatives
                                : p.wanted == SG_ALL_NEGATIVES ? 0
                                                               : (int64_t)p.wanted;
    court->verdict->pool = sg_pool_text(court->options->pool);
    if (sg_bundle_open(&p.bundle, court->trial->nodes)) status = sg_fail_memory(error, "the sources of a time");
    if (!status) status = judge_times(&p, error);
    sg_negatives_close(&p.negatives);
    sg_bundle_close(&p.bundle);
    free(p.offset);
    free(p.event);
    return status;
}
