/*
 * DyGLib's protocol: batches of 200 events in time order, one negative per positive, scored at the positive's time from
 * what lies strictly before it (or, on demand, before its batch). AP and AUC per batch, plain mean over batches.
 */
#include "evaluate/negatives.h"

#include "base/memory.h"
#include "base/search.h"
#include "evaluate/evaluation.h"

#include <math.h>

enum {
    BATCH = SG_BATCH,
    SPAN = 8, /* batches that are put together before they are scored */
    EVENTS = SPAN * BATCH,
    TRIES = 50 /* of a random pair, before one is looked for */
};

/* ---- Negatives, without ever listing all sources x destinations ---- */

static int needs_contacts(const sg_dyglib_negatives *draw)
{
    return draw->pool == SG_POOL_HISTORICAL || draw->pool == SG_POOL_INDUCTIVE;
}

static int open_parts(sg_dyglib_negatives *draw, size_t batch, scadyg_error *error)
{
    const sg_columns *columns = draw->columns;
    int status = sg_list_distinct(columns, columns->src, draw->nodes, &draw->source, &draw->sources, error);
    if (!status)
        status =
            sg_list_distinct(columns, columns->dst, draw->nodes, &draw->destination, &draw->destinations, error);
    if (status) return status;
    draw->number = sg_alloc(batch, sizeof *draw->number);
    if (!draw->number) return sg_fail_memory(error, "the negatives");
    if (!needs_contacts(draw)) return SCADYG_OK;
    status = sg_first_contacts_use(draw->kept, &draw->own_contacts, columns, draw->nodes, &draw->contacts, error);
    if (status) return status;
    const size_t pairs = draw->contacts->pairs;
    status = sg_drawer_open(&draw->drawer, pairs, pairs, error);
    if (!status) status = sg_marks_open(&draw->current, pairs, error);
    if (!status) status = sg_marks_open(&draw->own, pairs, error);
    if (!status && sg_pair_map_open(&draw->filled)) status = sg_fail_memory(error, "the negatives");
    return status;
}

int sg_dyglib_negatives_open(sg_dyglib_negatives *draw, const sg_columns *columns, uint64_t nodes, int pool,
                             uint64_t observed, size_t batch, sg_first_contacts *kept, scadyg_error *error)
{
    *draw =
        (sg_dyglib_negatives){.columns = columns, .nodes = nodes, .pool = pool, .observed = observed, .kept = kept};
    int status = open_parts(draw, batch, error);
    if (status) sg_dyglib_negatives_close(draw);
    return status;
}

void sg_dyglib_negatives_close(sg_dyglib_negatives *draw)
{
    SG_FREE(draw->source, draw->destination, draw->number);
    sg_first_contacts_free(&draw->own_contacts);
    sg_drawer_close(&draw->drawer);
    sg_marks_close(&draw->current);
    sg_marks_close(&draw->own);
    sg_pair_map_close(&draw->filled);
}

/* The number of a pair; SIZE_MAX: it never meets. */
static size_t find_number(const sg_dyglib_negatives *draw, uint32_t src, uint32_t dst)
{
    const size_t place = sg_first_contacts_find(draw->contacts, src, dst);
    return place == SIZE_MAX ? SIZE_MAX : draw->contacts->number[place];
}

static void mark_events(const sg_dyglib_negatives *draw, sg_marks *marks, uint64_t begin, uint64_t end)
{
    sg_marks_clear(marks);
    for (uint64_t e = begin; e < end; e++) {
        const size_t number = find_number(draw, draw->columns->src[e], draw->columns->dst[e]);
        if (number != SIZE_MAX) sg_mark(marks, (uint32_t)number); /* it is, where its source is kept */
    }
}

void sg_dyglib_negatives_batch(sg_dyglib_negatives *draw, uint64_t begin, uint64_t end)
{
    const sg_first_contacts *contacts = draw->contacts;
    const double *time = draw->columns->time;
    draw->begin = begin;
    draw->end = end;
    if (!needs_contacts(draw)) return;
    /* Everything at the first and last time belongs to the batch time, also what other batches hold of it. Many batches
     * of one time mark it once. */
    const uint64_t first = sg_events_before(time, begin + 1, time[begin]);
    const uint64_t last = sg_after_double(time, (size_t)draw->columns->count, time[end - 1]);
    if (first != draw->current_first || last != draw->current_last) mark_events(draw, &draw->current, first, last);
    draw->current_first = first;
    draw->current_last = last;
    mark_events(draw, &draw->own, begin, end);
    const size_t until = sg_first_contacts_before(contacts, first);
    const size_t from = draw->pool == SG_POOL_INDUCTIVE ? sg_first_contacts_before(contacts, draw->observed) : 0;
    draw->eligible = (sg_pool){.first = (uint32_t)from, .count = until > from ? until - from : 0};
}

static size_t draw_nodes(const sg_dyglib_negatives *draw, sg_rng *rng, uint32_t *src, uint32_t *dst)
{
    for (uint64_t e = draw->begin; e < draw->end; e++) {
        *src++ = draw->columns->src[e];
        *dst++ = draw->pool == SG_POOL_ANY ? (uint32_t)sg_rng_below(rng, draw->nodes)
                                           : draw->destination[sg_rng_below(rng, draw->destinations)];
    }
    return (size_t)(draw->end - draw->begin);
}

/* Pair number n of sources x destinations, if it is not of the batch, nor (with `fresh`) drawn already. */
static int is_free(const sg_dyglib_negatives *draw, uint64_t n, int fresh, uint64_t *key)
{
    uint32_t src = draw->source[n / draw->destinations], dst = draw->destination[n % draw->destinations];
    const size_t number = find_number(draw, src, dst);
    *key = sg_pair_key(src, dst);
    return !(number != SIZE_MAX && sg_marked(&draw->own, (uint32_t)number)) &&
           !(fresh && sg_pair_map_find(&draw->filled, *key));
}

/* A random pair that is not in the batch: a new one if there is one, else a repeated one. 0: there is none. */
static int draw_free(sg_dyglib_negatives *draw, sg_rng *rng, uint64_t *key)
{
    const uint64_t all = draw->sources * draw->destinations;
    for (int tries = 0; tries < TRIES; tries++)
        if (is_free(draw, sg_rng_below(rng, all), 1, key)) return 1;
    /* Nearly exhausted: the first from a random place on. Taken ones are few, so this is short, or `all` is. */
    const uint64_t taken = (draw->end - draw->begin) + draw->filled.count + 1;
    const uint64_t start = sg_rng_below(rng, all), most = taken < all ? taken : all;
    for (int fresh = 1; fresh >= 0; fresh--)
        for (uint64_t i = 0; i < most; i++)
            if (is_free(draw, (start + i) % all, fresh, key)) return 1;
    return 0;
}

static size_t draw_random(sg_dyglib_negatives *draw, sg_rng *rng, size_t count, uint32_t *src, uint32_t *dst)
{
    size_t done = 0;
    uint64_t key;
    int is_new;
    sg_pair_map_clear(&draw->filled);
    while (done < count && draw_free(draw, rng, &key)) {
        (void)sg_pair_map_put(&draw->filled, key, &is_new); /* far from full: a batch is small */
        src[done] = (uint32_t)(key >> 32);
        dst[done++] = (uint32_t)key;
    }
    return done;
}

size_t sg_dyglib_negatives_next(sg_dyglib_negatives *draw, sg_rng *rng, uint32_t *src, uint32_t *dst)
{
    if (!needs_contacts(draw)) return draw_nodes(draw, rng, src, dst);
    const size_t size = (size_t)(draw->end - draw->begin);
    size_t met = sg_draw_once(&draw->drawer, rng, &draw->eligible, &draw->current, size, draw->number);
    size_t done = met < size ? draw_random(draw, rng, size - met, src, dst) : 0;
    for (size_t i = 0; i < met; i++, done++) {
        const uint64_t event = sg_first_contacts_event(draw->contacts, draw->number[i]);
        src[done] = draw->columns->src[event];
        dst[done] = draw->columns->dst[event];
    }
    return done;
}

/* ---- The protocol ---- */

typedef struct dyglib {
    sg_evaluation *evaluation;
    sg_dyglib_negatives draw;
    size_t *drawn;       /* [SPAN][seeds]: negatives of each batch */
    uint32_t *src, *dst; /* [seeds][EVENTS] */
    double *positive;    /* [EVENTS] */
    double *negative;    /* [seeds][EVENTS] */
} dyglib;

static int make_room(dyglib *p, scadyg_error *error)
{
    const size_t seeds = p->evaluation->seeds;
    if (SG_ALLOC(SG_ARRAY(p->drawn, seeds * SPAN), SG_ARRAY(p->src, seeds * EVENTS),
                 SG_ARRAY(p->dst, seeds * EVENTS), SG_ARRAY(p->positive, EVENTS),
                 SG_ARRAY(p->negative, seeds * EVENTS)))
        return sg_fail_memory(error, "the negatives");
    return SCADYG_OK;
}

/* The events begin .. end-1 of batch number `batch`, all of one time, with their negatives; `first` begins the span. */
static int add_time(dyglib *p, size_t batch, uint64_t first, uint64_t begin, uint64_t end, scadyg_error *error)
{
    sg_evaluation *evaluation = p->evaluation;
    const sg_columns *columns = &evaluation->data->columns;
    const double at = columns->time[begin];
    const uint64_t seen = sg_evaluation_seen(evaluation, begin, sg_events_before(columns->time, begin + 1, at));
    const size_t from = (size_t)(begin - first), to = (size_t)(end - first);
    int status = sg_evaluation_question(evaluation, at, seen, error);
    if (!status) status = sg_evaluation_room(evaluation, (to - from) * (evaluation->seeds + 1), error);
    if (status) return status;
    for (uint64_t e = begin; e < end; e++) sg_evaluation_pair(evaluation, columns->src[e], columns->dst[e]);
    for (size_t s = 0; s < evaluation->seeds; s++)
        for (size_t i = from; i < to && i - batch * BATCH < p->drawn[batch * evaluation->seeds + s]; i++)
            sg_evaluation_pair(evaluation, p->src[s * EVENTS + i], p->dst[s * EVENTS + i]);
    return SCADYG_OK;
}

static int add_batch(dyglib *p, size_t batch, uint64_t first, uint64_t begin, uint64_t end, scadyg_error *error)
{
    sg_evaluation *evaluation = p->evaluation;
    const double *time = evaluation->data->columns.time;
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
static void sort_scores(dyglib *p, size_t scorer, uint64_t first, uint64_t end)
{
    const sg_evaluation *evaluation = p->evaluation;
    const double *time = evaluation->data->columns.time, *score = sg_evaluation_scores_of(evaluation, scorer);
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
    const double *time = evaluation->data->columns.time;
    if (!evaluation->listener) return;
    for (size_t s = 0; s < evaluation->seeds; s++)
        for (size_t i = 0; i < size && i < p->drawn[batch * evaluation->seeds + s]; i++) {
            const uint64_t event = begin + i;
            const double positive = p->positive[batch * BATCH + i];
            const double negative = p->negative[s * EVENTS + batch * BATCH + i];
            const scadyg_query query = {
                .evaluated = scorer,
                .seed = s,
                .node = evaluation->data->columns.src[event],
                .at = time[event],
                .seen = sg_evaluation_seen(evaluation, event, sg_events_before(time, event + 1, time[event])),
                .events = &event,
                .event_count = 1,
                .score = positive > negative                      ? 1
                         : positive < negative || isnan(positive) ? 0
                                                                  : 0.5,
                .positive = positive,
                .negative = negative};
            sg_evaluation_tell(evaluation, &query);
        }
}

/* Batches are their own clusters: AP is of a batch as a whole. */
static void sum_batch(dyglib *p, size_t scorer, size_t batch, uint64_t begin, size_t size)
{
    sg_evaluation *evaluation = p->evaluation;
    for (size_t s = 0; s < evaluation->seeds; s++) {
        const size_t drawn = p->drawn[batch * evaluation->seeds + s];
        if (drawn == 0) continue; /* no other pair is possible: nothing to tell apart */
        const double ap =
            sg_score_sums_set(&evaluation->sums[scorer * evaluation->seeds + s], SG_AGAINST_RANDOM,
                              p->positive + batch * BATCH, size, p->negative + s * EVENTS + batch * BATCH, drawn);
        sg_evaluation_compare(evaluation, scorer, begin / BATCH, ap, 1);
    }
    if (scorer == 0 && p->drawn[batch * evaluation->seeds]) evaluation->out->queries += size;
}

static int evaluate_span(dyglib *p, uint64_t first, uint64_t end, scadyg_error *error)
{
    sg_evaluation *evaluation = p->evaluation;
    int status = SCADYG_OK;
    evaluation->pairs = evaluation->question_count = 0;
    for (uint64_t begin = first, next; begin < end && !status; begin = next) {
        next = end - begin > BATCH ? begin + BATCH : end;
        status = add_batch(p, (size_t)(begin - first) / BATCH, first, begin, next, error);
    }
    if (!status) status = sg_evaluation_ask_all(evaluation, error);
    for (size_t k = 0; k < evaluation->count && !status; k++) {
        sort_scores(p, k, first, end);
        for (uint64_t begin = first; begin < end; begin += BATCH) {
            const size_t batch = (size_t)(begin - first) / BATCH;
            const size_t size = end - begin > BATCH ? BATCH : (size_t)(end - begin);
            tell_batch(p, k, batch, begin, size);
            sum_batch(p, k, batch, begin, size);
        }
    }
    return status;
}

static int evaluate_batches(dyglib *p, scadyg_error *error)
{
    sg_evaluation *evaluation = p->evaluation;
    /* A sample is of single batches, at least of one. */
    const uint64_t batches = (evaluation->end - evaluation->begin + BATCH - 1) / BATCH;
    uint64_t every = sg_evaluation_one_in(evaluation, evaluation->end - evaluation->begin, UINT64_MAX), number = 0;
    if (every > batches) every = evaluation->out->one_in = batches ? batches : 1;
    const uint64_t span = every > 1 ? BATCH : EVENTS;
    int status = SCADYG_OK;
    for (uint64_t first = evaluation->begin, end; first < evaluation->end && !status; first = end) {
        end = evaluation->end - first > span ? first + span : evaluation->end;
        if (number++ % every == every / 2) status = evaluate_span(p, first, end, error);
        if (!status)
            status = sg_evaluation_progress(evaluation, end - evaluation->begin,
                                            evaluation->end - evaluation->begin, error);
    }
    if (!status && evaluation->count && evaluation->out->queries == 0)
        status =
            sg_fail(error, SCADYG_E_USAGE, "there is nothing to evaluate: no event of the part has a negative");
    return status;
}

static int ask_of_pool(int pool)
{
    return pool == SG_POOL_HISTORICAL ? SG_ASK_MET : pool == SG_POOL_INDUCTIVE ? SG_ASK_LATE : SG_ASK_RANDOM;
}

int sg_evaluate_dyglib(sg_evaluation *evaluation, scadyg_error *error)
{
    const sg_evaluated_data *data = evaluation->data;
    dyglib p = {.evaluation = evaluation};
    evaluation->ask = SG_ASK_CHANCE;
    if (evaluation->options->answer == SG_ANSWER_POOL) evaluation->ask = ask_of_pool(evaluation->pool);
    evaluation->out->negatives = 1;
    int status = sg_dyglib_negatives_open(&p.draw, &data->columns, data->nodes, evaluation->pool, evaluation->begin,
                                          BATCH, data->contacts, error);
    if (status) return status;
    status = make_room(&p, error);
    if (!status) status = evaluate_batches(&p, error);
    sg_dyglib_negatives_close(&p.draw);
    SG_FREE(p.drawn, p.src, p.dst, p.positive, p.negative);
    return status;
}
