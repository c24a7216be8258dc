/*
 * TGB's protocol for links: every event of the part against negatives of its source, at its own time, from what lies
 * strictly before (or, on demand, before its batch of 200); ties share their ranks; mean over events.
 */
#include "base/memory.h"
#include "base/search.h"
#include "evaluate/evaluation.h"
#include "evaluate/negatives.h"

#include <math.h>
#include <stdlib.h>

enum {
    ALL_UP_TO = 12000, /* with at most so many destinations all others are negatives, as for tgbl-wiki */
    NEGATIVES = 20,    /* else as for tgbl-coin, -comment and -flight */
    CHUNK = 1 << 16    /* pairs that are put together before they are scored */
};

typedef struct tgb {
    sg_evaluation *evaluation;
    sg_negatives negatives;
    sg_by_source by_source;
    size_t wanted;  /* negatives of an event, or SG_ALL_NEGATIVES */
    size_t seeds;   /* that differ: one if there is nothing to draw */
    uint64_t every; /* one event in so many is evaluated */
    /* Of the pairs at hand: event i has its positive at pair offset[i * (seeds + 1)], then come the negatives of each
     * seed. */
    size_t *offset, offset_room, events;
    uint64_t *event; /* which they are */
    size_t event_room;
    uint32_t *place; /* of the sources at hand */
    size_t place_room;
} tgb;

static int add_event(tgb *p, uint64_t event, scadyg_error *error)
{
    sg_evaluation *evaluation = p->evaluation;
    const uint32_t source = evaluation->data->columns.src[event];
    const size_t most = sg_negatives_most(&p->negatives, p->wanted), begun = evaluation->pairs;
    size_t *offset, at = p->events * (p->seeds + 1), drawn = 0;
    int status = sg_evaluation_room(evaluation, 1 + p->seeds * most, error);
    if (status) return status;
    if (sg_grow(&p->offset, &p->offset_room, at + p->seeds + 2, sizeof *p->offset) ||
        sg_grow(&p->event, &p->event_room, p->events + 1, sizeof *p->event))
        return sg_fail_memory(error, "the pairs to score");
    p->event[p->events] = event;
    offset = p->offset + at;
    offset[0] = begun;
    sg_evaluation_pair(evaluation, source, evaluation->data->columns.dst[event]);
    sg_evaluation_streams(evaluation, event);
    for (size_t s = 0; s < p->seeds; s++) {
        offset[s + 1] = evaluation->pairs;
        drawn =
            sg_negatives_draw(&p->negatives, &evaluation->rng[s], p->wanted, evaluation->dst + evaluation->pairs);
        for (size_t i = 0; i < drawn; i++) evaluation->src[evaluation->pairs++] = source;
    }
    offset[p->seeds + 1] = evaluation->pairs;
    if (drawn == 0)
        evaluation->pairs = begun; /* every node of the pool is a positive: nothing to tell apart */
    else
        p->events++;
    return SCADYG_OK;
}

static void tell_query(const tgb *p, size_t scorer, size_t seed, size_t number, double rank)
{
    const sg_evaluation *evaluation = p->evaluation;
    const uint64_t *event = p->event + number;
    const double *time = evaluation->data->columns.time;
    if (!evaluation->listener) return;
    const scadyg_query query = {
        .evaluated = scorer,
        .seed = seed,
        .node = evaluation->data->columns.src[*event],
        .at = time[*event],
        .seen = sg_evaluation_seen(evaluation, *event, sg_events_before(time, *event + 1, time[*event])),
        .events = event,
        .event_count = 1,
        .score = 1 / rank,
        .positive = sg_evaluation_scores_of(evaluation, scorer)[p->offset[number * (p->seeds + 1)]],
        .negative = NAN};
    sg_evaluation_tell(evaluation, &query);
}

/* Scores the pairs at hand, adds them to the sums and begins anew. */
static int evaluate_pairs(tgb *p, scadyg_error *error)
{
    sg_evaluation *evaluation = p->evaluation;
    int status = p->events ? sg_evaluation_ask_all(evaluation, error) : SCADYG_OK;
    for (size_t i = 0; i < evaluation->count && !status; i++) {
        const double *score = sg_evaluation_scores_of(evaluation, i);
        for (size_t e = 0; e < p->events; e++) {
            const size_t *offset = p->offset + e * (p->seeds + 1);
            for (size_t s = 0; s < p->seeds; s++) {
                double rank = sg_rank_tgb(score[offset[0]], score + offset[s + 1], offset[s + 2] - offset[s + 1]);
                sg_score_sums_rank(&evaluation->sums[i * evaluation->seeds + s], rank);
                sg_evaluation_compare(evaluation, i, evaluation->data->columns.src[p->event[e]], 1 / rank, 1);
                tell_query(p, i, s, e, rank);
            }
        }
    }
    evaluation->out->queries += p->events;
    evaluation->pairs = evaluation->question_count = p->events = 0;
    return status;
}

static int ascending(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static int is_sampled(const tgb *p, uint64_t event)
{
    return p->every <= 1 || sg_hash3(p->every, 0, event) % p->every == 0;
}

/* Which sources the events from .. to-1 are of, by their places in by_source, ascending. */
static int find_sources(tgb *p, uint64_t from, uint64_t to, size_t *count, scadyg_error *error)
{
    const sg_by_source *by_source = &p->by_source;
    const uint32_t *src = p->evaluation->data->columns.src;
    size_t found = 0;
    if (sg_grow(&p->place, &p->place_room, (size_t)(to - from), sizeof *p->place))
        return sg_fail_memory(error, "the events by source");
    for (uint64_t e = from; e < to; e++) p->place[found++] = by_source->slot[src[e]];
    qsort(p->place, found, sizeof *p->place, ascending);
    *count = 0;
    for (size_t i = 0; i < found; i++)
        if (!*count || p->place[i] != p->place[*count - 1]) p->place[(*count)++] = p->place[i];
    return SCADYG_OK;
}

/* Those events of one source that are among from .. to-1; all that it has at this time are its positives. */
static int evaluate_source(tgb *p, size_t place, uint64_t begin, uint64_t from, uint64_t to, scadyg_error *error)
{
    const sg_by_source *by_source = &p->by_source;
    const double at = p->evaluation->data->columns.time[begin];
    const uint64_t seen = sg_evaluation_seen(p->evaluation, from, begin);
    const uint64_t *event = by_source->event + by_source->first[place];
    const size_t events = by_source->first[place + 1] - by_source->first[place];
    const size_t first = sg_first_uint64(event, events, from), end = sg_first_uint64(event, events, to);
    int sampled = 0, status = SCADYG_OK;
    for (size_t e = first; e < end; e++) sampled |= is_sampled(p, event[e]);
    if (!sampled) return SCADYG_OK;
    status = sg_negatives_of(&p->negatives, by_source->source[place], event, events, begin, error);
    for (size_t e = first; e < end && !status; e++) {
        if (!is_sampled(p, event[e])) continue;
        status = add_event(p, event[e], error);
        if (status || p->evaluation->pairs < CHUNK) continue;
        status = evaluate_pairs(p, error);
        if (!status) status = sg_evaluation_question(p->evaluation, at, seen, error);
    }
    return status;
}

/* Of the events by source, all of one time, those from .. to-1: they see the same. */
static int evaluate_piece(tgb *p, uint64_t begin, uint64_t from, uint64_t to, scadyg_error *error)
{
    const double at = p->evaluation->data->columns.time[begin];
    size_t sources = 0;
    int status = sg_evaluation_question(p->evaluation, at, sg_evaluation_seen(p->evaluation, from, begin), error);
    if (!status) status = find_sources(p, from, to, &sources, error);
    for (size_t i = 0; i < sources && !status; i++)
        status = evaluate_source(p, p->place[i], begin, from, to, error);
    return status;
}

/* The events begin .. end-1 are all events of one time. Revealed in batches, they may be of several. */
static int evaluate_time(void *protocol, uint64_t begin, uint64_t end, scadyg_error *error)
{
    tgb *p = protocol;
    const int batches = p->evaluation->options->reveal == SG_REVEAL_BATCH;
    int status = sg_by_source_make(&p->by_source, p->evaluation->data->columns.src, begin, end, error);
    for (uint64_t from = begin, to; from < end && !status; from = to) {
        const uint64_t left = SG_BATCH - (from - p->evaluation->begin) % SG_BATCH; /* of the batch */
        to = batches && end - from > left ? from + left : end;
        status = evaluate_piece(p, begin, from, to, error);
    }
    return status;
}

static int evaluate_times(tgb *p, scadyg_error *error)
{
    sg_evaluation *evaluation = p->evaluation;
    p->every = sg_evaluation_one_in(evaluation, evaluation->end - evaluation->begin, UINT64_MAX);
    int status = sg_evaluation_times(evaluation, evaluate_time, p, error);
    if (!status) status = evaluate_pairs(p, error);
    if (!status && evaluation->out->queries == 0)
        status = sg_fail(error, SCADYG_E_USAGE, "there is nothing to evaluate: no event of the %s has negatives",
                         p->every > 1 ? "sample" : "part");
    sg_evaluation_same_seeds(evaluation, p->seeds);
    return status;
}

/* The number the protocol has of itself: all destinations where they are few. */
static size_t choose_number(const tgb *p)
{
    int pool = p->negatives.pool, few = p->negatives.destinations <= ALL_UP_TO;
    return few && (pool == SG_POOL_MIX || pool == SG_POOL_DESTINATION) ? SG_ALL_NEGATIVES : NEGATIVES;
}

int sg_evaluate_tgb_link(sg_evaluation *evaluation, scadyg_error *error)
{
    const sg_evaluated_data *data = evaluation->data;
    tgb p = {.evaluation = evaluation};
    int status = sg_negatives_open(&p.negatives, &data->columns, data->nodes, evaluation->pool, 0,
                                   evaluation->split.train_end, data->contacts, error);
    if (status) return status;
    p.wanted = evaluation->options->negatives ? (size_t)evaluation->options->negatives : choose_number(&p);
    p.seeds = p.wanted == SG_ALL_NEGATIVES ? 1 : evaluation->seeds;
    evaluation->out->negatives = p.wanted == SG_ALL_NEGATIVES ? 0 : (int64_t)p.wanted;
    status = sg_by_source_open(&p.by_source, data->nodes, error);
    if (!status) status = evaluate_times(&p, error);
    sg_negatives_close(&p.negatives);
    sg_by_source_close(&p.by_source);
    SG_FREE(p.offset, p.event, p.place);
    return status;
}
