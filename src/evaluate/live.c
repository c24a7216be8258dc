/*
 * The live protocol: at the time of an event, where does its destination rank among all that have been a destination so
 * far? Asked from everything strictly before that time; ties share their ranks; mean over events.
 *
 * Where the log has many destinations a source is asked about a sample of them, up to half of which it has met before.
 * Events to a destination that nobody has chosen before are left out, and counted: candidates are known ones, so to be
 * unknown would give the answer away. Where the pairs that have met would take too much memory, one source in so many is asked
 * about, by a hash. Beside that, AP and AUC: the chance of the event against that of a random known
 * destination, and against that of an earlier partner of the same source, in sets of 200 events.
 */
#include "base/memory.h"
#include "base/search.h"
#include "evaluate/evaluation.h"
#include "evaluate/negatives.h"

#include <math.h>
#include <stdlib.h>

enum {
    ALL_UP_TO = 10000, /* with at most so many destinations all are candidates */
    CANDIDATES = 1000, /* else so many, the event's own among them */
    CHUNK = 1 << 16,   /* pairs that are put together before they are scored */
    TRIES = 50,        /* of a random destination: with two of them half of the draws fail */
    LEAST = 2000,      /* queries, if there are so many: the standard error is about .01 then */
    SAMPLE = 1         /* the stream of hashes that a sample goes by */
};
#define MOST_PAIRS 1.6e7 /* scored by each, unless --queries says otherwise */

/* An event at hand: where its pairs stand. For each seed: the negatives to rank among, then a random one, then a partner. */
typedef struct live_event {
    uint64_t event;
    size_t positive; /* its pair to rank; its pair for the chance follows behind all ranked ones */
    size_t chance;
} live_event;

typedef struct live {
    sg_evaluation *evaluation;
    sg_negatives negatives;
    sg_by_source by_source;
    uint32_t *order;      /* [destinations] by their first event */
    uint64_t *first_seen; /* [destinations]: that event, ascending */
    uint32_t *place;      /* [nodes]: where a destination stands in that order */
    size_t wanted;        /* negatives of an event, or SG_ALL_NEGATIVES */
    size_t seeds;         /* that differ in what is ranked */
    uint64_t every;       /* one event in so many, */
    uint64_t last_hash;   /* or, where a number was given, those whose hash is not above this; 0: all */
    live_event *asked;    /* of the pairs at hand */
    size_t asked_count, asked_room;
    size_t *offset; /* [asked][seeds + 1]: where the negatives of each seed begin, and where the last end */
    size_t offset_room;
    unsigned char *has; /* [asked][evaluation seeds][2]: whether there is such a negative for AP */
    size_t has_room;
    /* Sets of events for AP and AUC, by scorer and seed: positives and negatives, random and partner. */
    double *set;      /* [scorers][seeds][2][2][SG_BATCH] */
    size_t *fill;     /* [scorers][seeds][2] */
    uint32_t *source; /* [scorers][seeds][2][SG_BATCH]: whose events they are */
} live;

enum { RANDOM, PARTNER, KINDS };

/* ---- Destinations by their first event ---- */

static int order_destinations(live *p, scadyg_error *error)
{
    const sg_columns *columns = &p->evaluation->data->columns;
    const size_t count = (size_t)p->negatives.destinations;
    size_t found = 0;
    if (SG_ALLOC(SG_ARRAY(p->order, count), SG_ARRAY(p->first_seen, count),
                 SG_ARRAY(p->place, (size_t)p->evaluation->data->nodes)))
        return sg_fail_memory(error, "the destinations");
    sg_marks_clear(&p->negatives.without);
    for (uint64_t e = 0; e < columns->count && found < count; e++) {
        sg_columns_pass(columns, e, sizeof *columns->dst);
        if (sg_marked(&p->negatives.without, columns->dst[e])) continue;
        sg_mark(&p->negatives.without, columns->dst[e]);
        p->order[found] = columns->dst[e];
        p->place[columns->dst[e]] = (uint32_t)found;
        p->first_seen[found++] = e;
    }
    p->negatives.random = (sg_pool){.node = p->order, .count = count};
    return SCADYG_OK;
}

/* ---- Pairs to score ---- */

static double *set_of(const live *p, size_t scorer, size_t seed, int kind, int negative)
{
    return p->set +
           (((scorer * p->evaluation->seeds + seed) * KINDS + (size_t)kind) * 2 + (size_t)negative) * SG_BATCH;
}

/* The pairs to be ranked: the positive, then the negatives of each seed. */
static int add_ranked(live *p, uint32_t source, uint32_t destination, double at, uint64_t seen, scadyg_error *error)
{
    sg_evaluation *evaluation = p->evaluation;
    const size_t most = sg_negatives_most(&p->negatives, p->wanted);
    size_t *offset = p->offset + p->asked_count * (p->seeds + 1);
    int status = sg_evaluation_room(evaluation, 1 + p->seeds * most, error);
    evaluation->ask = SG_ASK_ORDER;
    if (!status) status = sg_evaluation_question(evaluation, at, seen, error);
    if (status) return status;
    p->asked[p->asked_count].positive = evaluation->pairs;
    sg_evaluation_pair(evaluation, source, destination);
    for (size_t s = 0; s < p->seeds; s++) {
        offset[s] = evaluation->pairs;
        const size_t drawn =
            sg_negatives_draw(&p->negatives, &evaluation->rng[s], p->wanted, evaluation->dst + evaluation->pairs);
        for (size_t i = 0; i < drawn; i++) evaluation->src[evaluation->pairs++] = source;
    }
    offset[p->seeds] = evaluation->pairs;
    return SCADYG_OK;
}

/* A known destination other than the event's, and one that the source has met and does not meet now. 0: there is none. */
static int draw_random(const live *p, sg_rng *rng, uint32_t destination, uint32_t *node)
{
    for (int tries = 0; tries < TRIES; tries++) {
        *node = sg_pool_at(&p->negatives.random, sg_rng_below(rng, p->negatives.random.count));
        if (*node != destination) return 1;
    }
    return 0;
}

static int draw_partner(const live *p, sg_rng *rng, uint32_t *node)
{
    const sg_pool *met = &p->negatives.met;
    if (met->count) *node = sg_pool_at(met, sg_rng_below(rng, met->count));
    return met->count > 0;
}

/* The pairs by themselves: the event, then for each seed a random known destination and an earlier partner. */
static int add_chances(live *p, uint32_t source, uint32_t destination, double at, uint64_t seen,
                       scadyg_error *error)
{
    sg_evaluation *evaluation = p->evaluation;
    unsigned char *has = p->has + p->asked_count * evaluation->seeds * KINDS;
    int status = sg_evaluation_room(evaluation, 1 + evaluation->seeds * KINDS, error);
    evaluation->ask = SG_ASK_CHANCE;
    if (!status) status = sg_evaluation_question(evaluation, at, seen, error);
    if (status) return status;
    p->asked[p->asked_count].chance = evaluation->pairs;
    sg_evaluation_pair(evaluation, source, destination);
    for (size_t s = 0; s < evaluation->seeds; s++) {
        uint32_t node = destination;
        has[s * KINDS + RANDOM] = (unsigned char)draw_random(p, &evaluation->rng[s], destination, &node);
        sg_evaluation_pair(evaluation, source, node);
        node = destination;
        has[s * KINDS + PARTNER] = (unsigned char)draw_partner(p, &evaluation->rng[s], &node);
        sg_evaluation_pair(evaluation, source, node);
    }
    return SCADYG_OK;
}

static int add_event(live *p, uint64_t event, uint64_t seen, scadyg_error *error)
{
    sg_evaluation *evaluation = p->evaluation;
    const sg_columns *columns = &evaluation->data->columns;
    const uint32_t source = columns->src[event], destination = columns->dst[event];
    if (sg_grow(&p->asked, &p->asked_room, p->asked_count + 1, sizeof *p->asked) ||
        sg_grow(&p->offset, &p->offset_room, (p->asked_count + 1) * (p->seeds + 1), sizeof *p->offset) ||
        sg_grow(&p->has, &p->has_room, (p->asked_count + 1) * evaluation->seeds * KINDS, sizeof *p->has))
        return sg_fail_memory(error, "the pairs to score");
    sg_evaluation_streams(evaluation, event);
    p->asked[p->asked_count].event = event;
    int status = add_ranked(p, source, destination, columns->time[event], seen, error);
    if (!status) status = add_chances(p, source, destination, columns->time[event], seen, error);
    if (!status) p->asked_count++;
    return status;
}

/* ---- Scores ---- */

static void tell_query(const live *p, size_t scorer, size_t seed, size_t number, double rank)
{
    const sg_evaluation *evaluation = p->evaluation;
    const live_event *asked = &p->asked[number];
    const size_t *offset = p->offset + number * (p->seeds + 1);
    const double *time = evaluation->data->columns.time;
    const scadyg_query query = {.evaluated = scorer,
                                .seed = seed,
                                .node = evaluation->data->columns.src[asked->event],
                                .at = time[asked->event],
                                .seen = sg_events_before(time, asked->event + 1, time[asked->event]),
                                .events = &asked->event,
                                .event_count = 1,
                                .score = 1 / rank,
                                .positive = sg_evaluation_scores_of(evaluation, scorer)[asked->positive],
                                .negative = NAN,
                                .negatives = evaluation->dst + offset[seed],
                                .negative_count = offset[seed + 1] - offset[seed],
                                .all_negatives = p->wanted == SG_ALL_NEGATIVES};
    sg_evaluation_tell(evaluation, &query);
}

static void rank_event(live *p, size_t scorer, size_t number)
{
    sg_evaluation *evaluation = p->evaluation;
    const live_event *asked = &p->asked[number];
    const size_t *offset = p->offset + number * (p->seeds + 1);
    const double *score = sg_evaluation_scores_of(evaluation, scorer);
    for (size_t s = 0; s < p->seeds; s++) {
        const double rank = sg_rank_tgb(score[asked->positive], score + offset[s], offset[s + 1] - offset[s]);
        sg_score_sums_rank(&evaluation->sums[scorer * evaluation->seeds + s], rank);
        sg_evaluation_compare(evaluation, scorer, evaluation->data->columns.src[asked->event], 1 / rank, 1);
        if (evaluation->listener) tell_query(p, scorer, s, number, rank);
    }
}

/* What the sources of a set owe to its scores, or these to them: for their standard errors. */
static void compare_set(live *p, size_t scorer, size_t set, size_t count)
{
    static const int scores[KINDS][2] = {{SCADYG_AP, SCADYG_AUC}, {SCADYG_AP_PARTNERS, SCADYG_AUC_PARTNERS}};
    double influence[2][SG_BATCH];
    const double *positive = p->set + set * 2 * SG_BATCH;
    sg_ap_auc_influence(positive, positive + SG_BATCH, count, influence[0], influence[1]);
    for (int score = 0; score < 2; score++)
        for (size_t k = 0; k < count; k++)
            sg_paired_add(&p->evaluation->others[scores[set % KINDS][score]], p->source[set * SG_BATCH + k], scorer,
                          influence[score][k], 1 / (double)count);
}

static void close_set(live *p, size_t scorer, size_t seed, int kind)
{
    const size_t set = (scorer * p->evaluation->seeds + seed) * KINDS + (size_t)kind;
    size_t *fill = &p->fill[set];
    if (*fill && p->source) compare_set(p, scorer, set, *fill);
    if (*fill)
        sg_score_sums_set(&p->evaluation->sums[scorer * p->evaluation->seeds + seed],
                          kind == RANDOM ? SG_AGAINST_RANDOM : SG_AGAINST_PARTNERS,
                          set_of(p, scorer, seed, kind, 0), *fill, set_of(p, scorer, seed, kind, 1), *fill);
    *fill = 0;
}

static void pair_event(live *p, size_t scorer, size_t number)
{
    const sg_evaluation *evaluation = p->evaluation;
    const double *score = sg_evaluation_scores_of(evaluation, scorer) + p->asked[number].chance;
    for (size_t s = 0; s < evaluation->seeds; s++)
        for (int kind = 0; kind < KINDS; kind++) {
            if (!p->has[(number * evaluation->seeds + s) * KINDS + (size_t)kind]) continue;
            size_t *fill = &p->fill[(scorer * evaluation->seeds + s) * KINDS + (size_t)kind];
            if (p->source)
                p->source[((scorer * evaluation->seeds + s) * KINDS + (size_t)kind) * SG_BATCH + *fill] =
                    evaluation->data->columns.src[p->asked[number].event];
            set_of(p, scorer, s, kind, 0)[*fill] = score[0];
            set_of(p, scorer, s, kind, 1)[*fill] = score[1 + s * KINDS + (size_t)kind];
            if (++*fill == SG_BATCH) close_set(p, scorer, s, kind);
        }
}

/* Scores the pairs at hand, adds them to the sums and begins anew. */
static int evaluate_pairs(live *p, scadyg_error *error)
{
    sg_evaluation *evaluation = p->evaluation;
    int status = p->asked_count ? sg_evaluation_ask_all(evaluation, error) : SCADYG_OK;
    for (size_t i = 0; i < evaluation->count && !status; i++)
        for (size_t e = 0; e < p->asked_count; e++) {
            rank_event(p, i, e);
            pair_event(p, i, e);
        }
    evaluation->out->queries += p->asked_count;
    evaluation->pairs = evaluation->question_count = p->asked_count = 0;
    return status;
}

/* ---- The events of the part ---- */

static int is_sampled(const live *p, uint64_t event)
{
    if (!sg_first_contacts_keeps(p->negatives.contacts, p->evaluation->data->columns.src[event])) return 0;
    if (p->last_hash) return sg_hash3(SAMPLE, 0, event) <= p->last_hash;
    return p->every <= 1 || sg_hash3(p->every, 0, event) % p->every == 0;
}

/* The events of a source at one time, all of which see the first `seen` events. */
static int evaluate_source(live *p, size_t number, uint64_t seen, scadyg_error *error)
{
    sg_evaluation *evaluation = p->evaluation;
    const sg_by_source *by_source = &p->by_source;
    const size_t first = by_source->first[number], end = by_source->first[number + 1];
    int prepared = 0, status = SCADYG_OK;
    for (size_t i = first; i < end && !status; i++) {
        const uint64_t event = by_source->event[i];
        if (!is_sampled(p, event)) continue;
        if (p->place[evaluation->data->columns.dst[event]] >= p->negatives.random.count) {
            evaluation->out->unranked++;
            continue;
        }
        if (!prepared)
            status = sg_negatives_of(&p->negatives, by_source->source[number], by_source->event + first,
                                     end - first, seen, error);
        prepared = 1;
        if (!status) status = add_event(p, event, seen, error);
        if (status || evaluation->pairs < CHUNK) continue;
        status = evaluate_pairs(p, error);
        if (!status)
            status = sg_evaluation_progress(evaluation, event - evaluation->begin,
                                            evaluation->end - evaluation->begin, error);
    }
    return status;
}

/* All events of one time. */
static int evaluate_time(void *protocol, uint64_t begin, uint64_t end, scadyg_error *error)
{
    live *p = protocol;
    p->negatives.random.count = sg_first_uint64(p->first_seen, (size_t)p->negatives.destinations, begin);
    int status = sg_by_source_make(&p->by_source, p->evaluation->data->columns.src, begin, end, error);
    for (size_t i = 0; i < p->by_source.sources && !status; i++) status = evaluate_source(p, i, begin, error);
    return status;
}

static int evaluate_times(live *p, scadyg_error *error)
{
    const sg_evaluation *evaluation = p->evaluation;
    int status = sg_evaluation_times(evaluation, evaluate_time, p, error);
    if (!status) status = evaluate_pairs(p, error);
    for (size_t i = 0; i < evaluation->count * evaluation->seeds * KINDS && !status; i++)
        close_set(p, i / KINDS / evaluation->seeds, i / KINDS % evaluation->seeds, (int)(i % KINDS));
    return status;
}

/* ---- How many ---- */

static int by_size(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Exactly so many events, where more can be ranked: those with the least hashes, which are spread over the part, and more
 * are the same and others. */
static int sample_exactly(live *p, uint64_t wanted, scadyg_error *error)
{
    const sg_evaluation *evaluation = p->evaluation;
    const sg_columns *columns = &evaluation->data->columns;
    uint64_t *hash = sg_alloc((size_t)(evaluation->end - evaluation->begin), sizeof *hash);
    uint64_t count = 0, same_time = evaluation->begin; /* the first event of the time at hand */
    if (!hash) return sg_fail_memory(error, "the sample of events");
    for (uint64_t e = evaluation->begin; e < evaluation->end; e++) {
        sg_columns_pass(columns, e, sizeof *columns->time + sizeof *columns->src + sizeof *columns->dst);
        if (columns->time[e] != columns->time[same_time]) same_time = e;
        if (p->first_seen[p->place[columns->dst[e]]] < same_time &&
            sg_first_contacts_keeps(p->negatives.contacts, columns->src[e]))
            hash[count++] = sg_hash3(SAMPLE, 0, e);
    }
    if (wanted < count) {
        qsort(hash, (size_t)count, sizeof *hash, by_size);
        p->last_hash = hash[wanted - 1];
        evaluation->out->of = count;
    }
    free(hash);
    return SCADYG_OK;
}

/* All candidates where they are few; and so many queries that the pairs to score stay within bounds. */
static int choose_numbers(live *p, scadyg_error *error)
{
    sg_evaluation *evaluation = p->evaluation;
    const sg_eval_options *options = evaluation->options;
    const uint64_t events = evaluation->end - evaluation->begin, all = p->negatives.destinations;
    p->wanted = options->negatives ? (size_t)options->negatives
                : all <= ALL_UP_TO ? SG_ALL_NEGATIVES
                                   : CANDIDATES - 1;
    if (p->wanted >= all) p->wanted = SG_ALL_NEGATIVES;
    p->seeds = p->wanted == SG_ALL_NEGATIVES ? 1 : evaluation->seeds;
    evaluation->out->negatives = p->wanted == SG_ALL_NEGATIVES ? 0 : (int64_t)p->wanted;
    p->every = 1;
    evaluation->out->sources_one_in = p->negatives.contacts->one_in > 1 ? p->negatives.contacts->one_in : 1;
    if (options->exactly && options->queries > 0) return sample_exactly(p, (uint64_t)options->queries, error);
    const double each = p->wanted == SG_ALL_NEGATIVES ? (double)all : (double)p->wanted * (double)p->seeds;
    const double most = MOST_PAIRS / each > LEAST ? MOST_PAIRS / each : LEAST;
    const uint64_t every =
        sg_evaluation_one_in(evaluation, events, most < (double)events ? (uint64_t)most : events);
    p->every = every / evaluation->out->sources_one_in; /* of those of the sources that are asked about */
    return SCADYG_OK;
}

static int make_room(live *p, scadyg_error *error)
{
    const size_t sets = (p->evaluation->count ? p->evaluation->count : 1) * p->evaluation->seeds * KINDS;
    p->set = sg_alloc(sets * 2, SG_BATCH * sizeof *p->set);
    p->fill = sg_alloc_zero(sets, sizeof *p->fill);
    if (!p->set || !p->fill) return sg_fail_memory(error, "the scores of events");
    sg_evaluation *evaluation = p->evaluation;
    if (!evaluation->out->score_errors && !evaluation->out->own_errors) return SCADYG_OK;
    p->source = sg_alloc(sets, SG_BATCH * sizeof *p->source);
    int status = p->source ? SCADYG_OK : sg_fail_memory(error, "the scores of events");
    for (int k = SCADYG_AP; k <= SCADYG_AUC_PARTNERS && !status; k++)
        status = sg_paired_open(&evaluation->others[k], evaluation->count, error);
    return status;
}

int sg_evaluate_live(sg_evaluation *evaluation, scadyg_error *error)
{
    const sg_evaluated_data *data = evaluation->data;
    live p = {.evaluation = evaluation};
    int status = sg_negatives_open(&p.negatives, &data->columns, data->nodes, SG_POOL_SEEN, 0,
                                   evaluation->split.train_end, data->contacts, error);
    if (status) return status;
    status = order_destinations(&p, error);
    if (!status) status = choose_numbers(&p, error);
    if (!status) status = make_room(&p, error);
    if (!status) status = sg_by_source_open(&p.by_source, data->nodes, error);
    if (!status) status = evaluate_times(&p, error);
    if (!status && evaluation->out->queries == 0)
        status =
            sg_fail(error, SCADYG_E_USAGE,
                    "there is nothing to evaluate: no event of the %s goes to a destination that was seen before",
                    p.every > 1 ? "sample" : "part");
    sg_evaluation_same_ranks(evaluation, p.seeds);
    sg_negatives_close(&p.negatives);
    sg_by_source_close(&p.by_source);
    SG_FREE(p.order, p.first_seen, p.place, p.asked, p.offset, p.has, p.set, p.fill, p.source);
    return status;
}
