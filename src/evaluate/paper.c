/*
 * The paper's protocol (ROLAND style): a step is predicted from the steps before it. Per source of a step, its best
 * positive against random negatives; ties against the positive. Mean over sources, steps weighted by their events.
 */
#include "base/memory.h"
#include "evaluate/evaluation.h"
#include "evaluate/negatives.h"

#include <math.h>
#include <string.h>

enum { NEGATIVES = 100, CHUNK = 1 << 18 }; /* pairs that are put together before they are scored */

typedef struct paper {
    sg_evaluation *evaluation;
    sg_negatives negatives;
    sg_by_source by_source;
    size_t ranked;            /* negatives a source is ranked against */
    uint64_t every;           /* one source in so many is evaluated */
    sg_score_sums *step_sums; /* [scorers][seeds], of the step at hand */
    double at;                /* the step is predicted as of this time */
    uint64_t seen;            /* ... from so many events */
    double weight;            /* of one of its sources in the mean */
    /* Of a chunk: negatives of seed s, source i (counted from the chunk's first) begin at pair offset[s * n + i]. */
    size_t *offset, offsets, offset_room;
    /* Of a step, for AP and AUC: each event against one negative of its source. */
    size_t paired, pair_room;
    double *positive; /* [scorers][pair_room] */
    double *negative; /* [scorers][seeds][pair_room] */
} paper;

static int add_positives(paper *p, size_t first, size_t end, scadyg_error *error)
{
    const sg_by_source *by_source = &p->by_source;
    const sg_columns *columns = &p->evaluation->data->columns;
    int status = sg_evaluation_room(p->evaluation, by_source->first[end] - by_source->first[first], error);
    for (size_t i = by_source->first[first]; i < by_source->first[end] && !status; i++)
        sg_evaluation_pair(p->evaluation, columns->src[by_source->event[i]], columns->dst[by_source->event[i]]);
    return status;
}

/* Draws for one source: enough to rank it, and one for each of its events. */
static int add_negatives(paper *p, sg_rng *rng, size_t source, scadyg_error *error)
{
    sg_evaluation *evaluation = p->evaluation;
    const sg_by_source *by_source = &p->by_source;
    size_t events = by_source->first[source + 1] - by_source->first[source];
    size_t wanted = events > p->ranked ? events : p->ranked;
    int status = sg_negatives_of(&p->negatives, by_source->source[source],
                                 by_source->event + by_source->first[source], events, p->seen, error);
    if (!status) status = sg_evaluation_room(evaluation, wanted, error);
    if (status) return status;
    size_t drawn = sg_negatives_draw(&p->negatives, rng, wanted, evaluation->dst + evaluation->pairs);
    for (size_t i = 0; i < drawn; i++) evaluation->src[evaluation->pairs++] = by_source->source[source];
    return SCADYG_OK;
}

/* Puts the pairs of the sources first .. end-1 together: positives, then negatives of each seed. */
static int fill_chunk(paper *p, size_t first, size_t end, scadyg_error *error)
{
    size_t seeds = p->evaluation->seeds, n = end - first;
    p->evaluation->pairs = p->offsets = 0;
    if (sg_grow(&p->offset, &p->offset_room, seeds * n + 1, sizeof *p->offset))
        return sg_fail_memory(error, "the negatives");
    int status = add_positives(p, first, end, error);
    for (size_t s = 0; s < seeds; s++)
        for (size_t i = first; i < end && !status; i++) {
            p->offset[p->offsets++] = p->evaluation->pairs;
            status = add_negatives(p, &p->evaluation->rng[s], i, error);
        }
    p->offset[p->offsets] = p->evaluation->pairs;
    return status;
}

static double find_best(const double *score, size_t count)
{
    double best = NAN;
    for (size_t i = 0; i < count; i++)
        if (!(score[i] <= best) && !isnan(score[i])) best = score[i];
    return best;
}

/* Adds a chunk to the sums of one scorer and one seed; returns how many events were set against a negative. */
static size_t sum_chunk(paper *p, size_t scorer, size_t seed, size_t first, size_t end)
{
    const sg_evaluation *evaluation = p->evaluation;
    const size_t *begin = p->by_source.first, base = begin[first], n = end - first;
    const double *score = sg_evaluation_scores_of(evaluation, scorer);
    double *positive = p->positive + scorer * p->pair_room;
    double *negative = p->negative + (scorer * evaluation->seeds + seed) * p->pair_room;
    size_t paired = p->paired;
    for (size_t i = 0; i < n; i++) {
        const double *mine = score + begin[first + i] - base;
        const double *against = score + p->offset[seed * n + i];
        size_t events = begin[first + i + 1] - begin[first + i];
        size_t drawn = p->offset[seed * n + i + 1] - p->offset[seed * n + i];
        if (drawn == 0) continue; /* every node of the pool is a positive: nothing to tell apart */
        const double best = find_best(mine, events);
        const double rank = sg_rank_paper(best, against, drawn < p->ranked ? drawn : p->ranked);
        sg_score_sums_rank(&p->step_sums[scorer * evaluation->seeds + seed], rank);
        const scadyg_query query = {.evaluated = scorer,
                                    .seed = seed,
                                    .node = p->by_source.source[first + i],
                                    .at = p->at,
                                    .seen = p->seen,
                                    .events = p->by_source.event + begin[first + i],
                                    .event_count = events,
                                    .score = 1 / rank,
                                    .positive = best,
                                    .negative = NAN};
        sg_evaluation_compare(p->evaluation, scorer, query.node, query.score, p->weight);
        sg_evaluation_tell(evaluation, &query);
        for (size_t j = 0; j < events; j++) {
            if (seed == 0) positive[paired] = mine[j];
            negative[paired++] = against[j % drawn];
        }
    }
    return paired - p->paired;
}

/* Sources from `first` on that make a chunk. */
static size_t find_chunk_end(const paper *p, size_t first)
{
    const sg_by_source *by_source = &p->by_source;
    size_t pairs = 0, end = first;
    while (end < by_source->sources && (end == first || pairs < CHUNK)) {
        size_t events = by_source->first[end + 1] - by_source->first[end];
        pairs += events + p->evaluation->seeds * (events > p->ranked ? events : p->ranked);
        end++;
    }
    return end;
}

static int evaluate_chunk(paper *p, size_t first, size_t end, int64_t step, scadyg_error *error)
{
    sg_evaluation *evaluation = p->evaluation;
    int status = fill_chunk(p, first, end, error);
    size_t paired = 0;
    for (size_t i = 0; i < evaluation->count && !status; i++) {
        status = sg_evaluation_ask(evaluation, i, p->at, p->seen, step, error);
        for (size_t s = 0; s < evaluation->seeds && !status; s++) paired = sum_chunk(p, i, s, first, end);
    }
    if (status) return status;
    p->paired += paired;
    for (size_t i = 0; i < end - first; i++) evaluation->out->queries += p->offset[i + 1] > p->offset[i];
    return SCADYG_OK;
}

static int begin_step(paper *p, size_t events, scadyg_error *error)
{
    size_t scorers = p->evaluation->count ? p->evaluation->count : 1;
    p->paired = 0;
    memset(p->step_sums, 0, scorers * p->evaluation->seeds * sizeof *p->step_sums);
    if (events <= p->pair_room) return SCADYG_OK;
    SG_FREE(p->positive, p->negative);
    p->positive = sg_alloc(scorers * events, sizeof *p->positive);
    p->negative = sg_alloc(scorers * p->evaluation->seeds * events, sizeof *p->negative);
    p->pair_room = p->positive && p->negative ? events : 0;
    return p->pair_room ? SCADYG_OK : sg_fail_memory(error, "the scores of a step");
}

/* The means of a step, weighted by its events, go into the sums. */
static void end_step(paper *p, double events)
{
    const sg_evaluation *evaluation = p->evaluation;
    for (size_t i = 0; i < evaluation->count * evaluation->seeds; i++) {
        sg_score_sums *step = &p->step_sums[i];
        if (p->paired)
            sg_score_sums_set(step, SG_AGAINST_RANDOM, p->positive + i / evaluation->seeds * p->pair_room,
                              p->paired, p->negative + i * p->pair_room, p->paired);
        sg_score_sums_add(&evaluation->sums[i], step, events);
    }
}

static int evaluate_step(paper *p, int64_t step, uint64_t begin, uint64_t end, scadyg_error *error)
{
    sg_evaluation *evaluation = p->evaluation;
    const sg_steps *steps = evaluation->data->steps;
    p->seen = steps->first[step];
    p->at = nextafter(steps->end[step - 1], INFINITY);
    int status = begin_step(p, (size_t)(end - begin), error);
    if (!status) status = sg_by_source_make(&p->by_source, evaluation->data->columns.src, begin, end, error);
    if (!status && p->every > 1) sg_by_source_thin(&p->by_source, p->every, (uint64_t)step);
    p->weight = (double)(end - begin) / (double)(p->by_source.sources ? p->by_source.sources : 1);
    sg_evaluation_streams(evaluation, (uint64_t)step);
    for (size_t first = 0, next; first < p->by_source.sources && !status; first = next) {
        next = find_chunk_end(p, first);
        status = evaluate_chunk(p, first, next, step, error);
    }
    if (status) return status;
    end_step(p, (double)(end - begin));
    return sg_evaluation_progress(evaluation, end - evaluation->begin, evaluation->end - evaluation->begin, error);
}

/* The events of a step that are in the part; none of steps that have no past. */
static void clip_step(const sg_evaluation *evaluation, int64_t step, uint64_t *begin, uint64_t *end)
{
    const uint64_t first = evaluation->data->steps->first[step], next = evaluation->data->steps->first[step + 1];
    *begin = first > evaluation->begin ? first : evaluation->begin;
    *end = next < evaluation->end ? next : evaluation->end;
    if (first == 0 || *end < *begin) *end = *begin;
}

static int choose_every(paper *p, scadyg_error *error)
{
    const sg_evaluation *evaluation = p->evaluation;
    uint64_t queries = 0;
    p->every = 1;
    if (evaluation->options->queries <= 0) return SCADYG_OK;
    for (int64_t i = 1; i < evaluation->data->steps->count; i++) {
        uint64_t begin, end;
        clip_step(evaluation, i, &begin, &end);
        if (begin == end) continue;
        int status = sg_by_source_make(&p->by_source, evaluation->data->columns.src, begin, end, error);
        if (status) return status;
        queries += p->by_source.sources;
    }
    p->every = sg_evaluation_one_in(evaluation, queries, UINT64_MAX);
    return SCADYG_OK;
}

static int evaluate_steps(paper *p, scadyg_error *error)
{
    const sg_evaluation *evaluation = p->evaluation;
    int status = choose_every(p, error);
    for (int64_t i = 1; i < evaluation->data->steps->count && !status; i++) {
        uint64_t begin, end;
        clip_step(evaluation, i, &begin, &end);
        if (begin < end) status = evaluate_step(p, i, begin, end, error);
    }
    if (!status && evaluation->out->queries == 0)
        status = sg_fail(error, SCADYG_E_USAGE,
                         "there is nothing to evaluate: no step of the %s has both a past and negatives",
                         p->every > 1 ? "sample" : "part");
    return status;
}

int sg_evaluate_paper(sg_evaluation *evaluation, scadyg_error *error)
{
    const sg_evaluated_data *data = evaluation->data;
    paper p = {.evaluation = evaluation, .ranked = (size_t)evaluation->options->negatives};
    if (p.ranked == 0) p.ranked = NEGATIVES;
    evaluation->out->negatives = (int64_t)p.ranked;
    int status = sg_negatives_open(&p.negatives, &data->columns, data->nodes, evaluation->pool, 1,
                                   evaluation->split.train_end, data->contacts, error);
    if (status) return status;
    p.step_sums = sg_alloc((evaluation->count ? evaluation->count : 1) * evaluation->seeds, sizeof *p.step_sums);
    status = p.step_sums ? SCADYG_OK : sg_fail_memory(error, "the sums of the scores");
    if (!status) status = sg_by_source_open(&p.by_source, data->nodes, error);
    if (!status) status = evaluate_steps(&p, error);
    sg_negatives_close(&p.negatives);
    sg_by_source_close(&p.by_source);
    SG_FREE(p.step_sums, p.offset, p.positive, p.negative);
    return status;
}
