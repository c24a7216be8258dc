/* Negatives of a batch of events, as DyGLib draws them, but without ever listing all sources x destinations. */
#include "evaluate/dyglib_negatives.h"

#include "base/memory.h"

#include <stdlib.h>

enum { TRIES = 50 };

static int has_meetings(const sg_dyglib_negatives *draw)
{
    return draw->pool == SCADYG_POOL_HISTORICAL || draw->pool == SCADYG_POOL_INDUCTIVE;
}

/* The distinct nodes of a column, ascending. */
static uint32_t *list_distinct(const uint32_t *column, uint64_t events, uint64_t nodes, uint64_t *count)
{
    sg_marks seen;
    uint32_t *list = sg_alloc((size_t)nodes, sizeof *list);
    if (!list || sg_marks_open(&seen, nodes)) {
        free(list);
        return NULL;
    }
    for (uint64_t e = 0; e < events; e++) sg_mark(&seen, column[e]);
    *count = 0;
    for (uint64_t i = 0; i < nodes; i++)
        if (sg_marked(&seen, (uint32_t)i)) list[(*count)++] = (uint32_t)i;
    sg_marks_close(&seen);
    return list;
}

static int open_parts(sg_dyglib_negatives *draw, size_t batch, scadyg_error *error)
{
    const sg_columns *columns = draw->columns;
    draw->source = list_distinct(columns->src, columns->count, draw->nodes, &draw->sources);
    draw->destination = list_distinct(columns->dst, columns->count, draw->nodes, &draw->destinations);
    draw->place = sg_alloc(batch, sizeof *draw->place);
    if (!draw->source || !draw->destination || !draw->place) return sg_fail_memory(error, "the negatives");
    if (!has_meetings(draw)) return SCADYG_OK;
    int status = sg_first_contacts_make(&draw->first_contacts, columns, draw->nodes, error);
    if (status) return status;
    const size_t pairs = draw->first_contacts.pairs;
    if (sg_drawer_open(&draw->drawer, pairs, pairs) || sg_marks_open(&draw->current, pairs) ||
        sg_marks_open(&draw->own, pairs) || sg_pair_map_open(&draw->filled))
        return sg_fail_memory(error, "the negatives");
    return SCADYG_OK;
}

int sg_dyglib_negatives_open(sg_dyglib_negatives *draw, const sg_columns *columns, uint64_t nodes, int pool,
                             uint64_t observed, size_t batch, scadyg_error *error)
{
    *draw = (sg_dyglib_negatives){.columns = columns, .nodes = nodes, .pool = pool, .observed = observed};
    int status = open_parts(draw, batch, error);
    if (status) sg_dyglib_negatives_close(draw);
    return status;
}

void sg_dyglib_negatives_close(sg_dyglib_negatives *draw)
{
    free(draw->source);
    free(draw->destination);
    free(draw->place);
    sg_first_contacts_free(&draw->first_contacts);
    sg_drawer_close(&draw->drawer);
    sg_marks_close(&draw->current);
    sg_marks_close(&draw->own);
    sg_pair_map_close(&draw->filled);
}

static uint64_t *place_of(const sg_dyglib_negatives *draw, uint32_t src, uint32_t dst)
{
    return sg_pair_map_find(&draw->first_contacts.index, sg_pair_key(src, dst));
}

static void mark_events(const sg_dyglib_negatives *draw, sg_marks *marks, uint64_t begin, uint64_t end)
{
    sg_marks_clear(marks);
    for (uint64_t e = begin; e < end; e++)
        sg_mark(marks, (uint32_t)*place_of(draw, draw->columns->src[e], draw->columns->dst[e]));
}

void sg_dyglib_negatives_batch(sg_dyglib_negatives *draw, uint64_t begin, uint64_t end)
{
    const sg_first_contacts *first_contacts = &draw->first_contacts;
    const double *time = draw->columns->time;
    draw->begin = begin;
    draw->end = end;
    if (!has_meetings(draw)) return;
    /* Everything at the first and last time belongs to the batch time, also what other batches hold of it. */
    uint64_t first = begin, last = end;
    while (first > 0 && time[first - 1] == time[begin]) first--;
    while (last < draw->columns->count && time[last] == time[end - 1]) last++;
    mark_events(draw, &draw->current, first, last);
    mark_events(draw, &draw->own, begin, end);
    size_t until = sg_events_until(first_contacts->event, first_contacts->pairs, first);
    size_t from = draw->pool == SCADYG_POOL_INDUCTIVE
                      ? sg_events_until(first_contacts->event, first_contacts->pairs, draw->observed)
                      : 0;
    draw->eligible = (sg_pool){.first = (uint32_t)from, .count = until > from ? until - from : 0};
}

static size_t draw_nodes(const sg_dyglib_negatives *draw, sg_rng *rng, uint32_t *src, uint32_t *dst)
{
    for (uint64_t e = draw->begin; e < draw->end; e++) {
        *src++ = draw->columns->src[e];
        *dst++ = draw->pool == SCADYG_POOL_ANY ? (uint32_t)sg_rng_below(rng, draw->nodes)
                                               : draw->destination[sg_rng_below(rng, draw->destinations)];
    }
    return (size_t)(draw->end - draw->begin);
}

/* Pair number n of sources x destinations, if it is not of the batch, nor (with `fresh`) drawn already. */
static int is_free(const sg_dyglib_negatives *draw, uint64_t n, int fresh, uint64_t *key)
{
    uint32_t src = draw->source[n / draw->destinations], dst = draw->destination[n % draw->destinations];
    const uint64_t *place = place_of(draw, src, dst);
    *key = sg_pair_key(src, dst);
    return !(place && sg_marked(&draw->own, (uint32_t)*place)) && !(fresh && sg_pair_map_find(&draw->filled, *key));
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
    if (!has_meetings(draw)) return draw_nodes(draw, rng, src, dst);
    const size_t size = (size_t)(draw->end - draw->begin);
    size_t met = sg_draw_once(&draw->drawer, rng, &draw->eligible, &draw->current, size, draw->place);
    size_t done = met < size ? draw_random(draw, rng, size - met, src, dst) : 0;
    for (size_t i = 0; i < met; i++, done++) {
        uint64_t event = draw->first_contacts.event[draw->place[i]];
        src[done] = draw->columns->src[event];
        dst[done] = draw->columns->dst[event];
    }
    return done;
}
