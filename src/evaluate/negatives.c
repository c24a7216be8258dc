/* Negatives of a source, and what they are made with. */
#include "evaluate/negatives.h"

#include "base/memory.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>

/* ---- Draws ---- */

enum { TRIES = 20 }; /* per draw, before what is left is listed */

int sg_marks_open(sg_marks *marks, uint64_t size, scadyg_error *error)
{
    *marks = (sg_marks){.mark = sg_alloc_zero((size_t)size, sizeof(uint32_t)), .size = size, .token = 1};
    return marks->mark ? SCADYG_OK : sg_fail_memory(error, "the negatives");
}

void sg_marks_close(sg_marks *marks)
{
    free(marks->mark);
    *marks = (sg_marks){0};
}

void sg_marks_clear(sg_marks *marks)
{
    if (++marks->token) return;
    memset(marks->mark, 0, (size_t)marks->size * sizeof *marks->mark);
    marks->token = 1;
}

int sg_drawer_open(sg_drawer *drawer, uint64_t pools, uint64_t numbers, scadyg_error *error)
{
    *drawer = (sg_drawer){.left = sg_alloc((size_t)pools, sizeof *drawer->left)};
    if (!drawer->left) return sg_fail_memory(error, "the negatives");
    return sg_marks_open(&drawer->drawn, numbers, error);
}

void sg_drawer_close(sg_drawer *drawer)
{
    free(drawer->left);
    sg_marks_close(&drawer->drawn);
    *drawer = (sg_drawer){0};
}

static int is_excluded(const sg_marks *without, uint32_t node)
{
    return without && sg_marked(without, node);
}

/* Lists what of the pool is neither excluded nor drawn. */
static uint64_t list_left(sg_drawer *drawer, const sg_pool *pool, const sg_marks *without)
{
    uint64_t left = 0;
    for (uint64_t i = 0; i < pool->count; i++) {
        uint32_t node = sg_pool_at(pool, i);
        if (!is_excluded(without, node) && !sg_marked(&drawer->drawn, node)) drawer->left[left++] = node;
    }
    return left;
}

size_t sg_draw_again(sg_drawer *drawer, sg_rng *rng, const sg_pool *pool, const sg_marks *without, size_t count,
                     uint32_t *out)
{
    if (pool->count == 0) return 0;
    size_t done = 0;
    for (size_t tries = 0; done < count && tries < TRIES * count; tries++) {
        uint32_t node = sg_pool_at(pool, sg_rng_below(rng, pool->count));
        out[done] = node;
        done += !is_excluded(without, node);
    }
    if (done == count) return done;
    sg_marks_clear(&drawer->drawn);
    uint64_t left = list_left(drawer, pool, without);
    if (left == 0) return 0;
    while (done < count) out[done++] = drawer->left[sg_rng_below(rng, left)];
    return done;
}

size_t sg_draw_once(sg_drawer *drawer, sg_rng *rng, const sg_pool *pool, const sg_marks *without, size_t count,
                    uint32_t *out)
{
    size_t done = 0;
    sg_marks_clear(&drawer->drawn);
    if (count < pool->count / 2)
        for (size_t tries = 0; done < count && tries < TRIES * count; tries++) {
            uint32_t node = sg_pool_at(pool, sg_rng_below(rng, pool->count));
            if (is_excluded(without, node) || sg_marked(&drawer->drawn, node)) continue;
            sg_mark(&drawer->drawn, node);
            out[done++] = node;
        }
    if (done == count) return done;
    uint64_t left = list_left(drawer, pool, without);
    const int all = left <= count - done;                 /* then there is nothing to choose */
    for (uint64_t i = 0; i < left && done < count; i++) { /* the front of a shuffle */
        uint64_t j = all ? i : i + sg_rng_below(rng, left - i);
        uint32_t node = drawer->left[j];
        drawer->left[j] = drawer->left[i];
        drawer->left[i] = node;
        out[done++] = node;
    }
    return done;
}

int sg_list_distinct(const uint32_t *column, uint64_t events, uint64_t nodes, uint32_t **list, uint64_t *count,
                     scadyg_error *error)
{
    sg_marks seen;
    uint64_t distinct = 0, listed = 0;
    int status = sg_marks_open(&seen, nodes, error);
    if (status) return status;
    for (uint64_t e = 0; e < events; e++) {
        distinct += (uint64_t)!sg_marked(&seen, column[e]);
        sg_mark(&seen, column[e]);
    }
    uint32_t *made = sg_alloc((size_t)distinct, sizeof *made);
    for (uint64_t i = 0; i < nodes && made; i++)
        if (sg_marked(&seen, (uint32_t)i)) made[listed++] = (uint32_t)i;
    sg_marks_close(&seen);
    if (!made) return sg_fail_memory(error, "the negatives");
    *list = made;
    *count = distinct;
    return SCADYG_OK;
}

/* ---- First contacts ---- */

void sg_first_contacts_free(sg_first_contacts *contacts)
{
    SG_FREE(contacts->event, contacts->row, contacts->by_source);
    sg_pair_map_close(&contacts->index);
    *contacts = (sg_first_contacts){0};
}

static int find_first_events(sg_first_contacts *contacts, const sg_columns *columns)
{
    size_t capacity = 0;
    for (uint64_t e = 0; e < columns->count; e++) {
        int is_new;
        uint64_t *place = sg_pair_map_put(&contacts->index, sg_pair_key(columns->src[e], columns->dst[e]), &is_new);
        if (!place) return -1;
        if (!is_new) continue;
        if (sg_grow(&contacts->event, &capacity, contacts->pairs + 1, sizeof *contacts->event)) return -1;
        *place = contacts->pairs;
        contacts->event[contacts->pairs++] = e;
    }
    return 0;
}

static int sort_contacts(sg_first_contacts *contacts, const sg_columns *columns, uint64_t nodes)
{
    contacts->row = sg_alloc_zero((size_t)nodes + 2, sizeof *contacts->row);
    contacts->by_source = sg_alloc(contacts->pairs, sizeof *contacts->by_source);
    if (!contacts->row || !contacts->by_source) return -1;
    /* Counted two places on, so that after filling row[i] is where i begins. */
    for (size_t p = 0; p < contacts->pairs; p++) contacts->row[columns->src[contacts->event[p]] + (size_t)2]++;
    for (uint64_t i = 0; i < nodes; i++) contacts->row[i + 2] += contacts->row[i + 1];
    for (size_t p = 0; p < contacts->pairs; p++) {
        uint64_t e = contacts->event[p];
        contacts->by_source[contacts->row[columns->src[e] + (size_t)1]++] = e;
    }
    return 0;
}

int sg_first_contacts_make(sg_first_contacts *contacts, const sg_columns *columns, uint64_t nodes,
                           scadyg_error *error)
{
    *contacts = (sg_first_contacts){0};
    if (!sg_pair_map_open(&contacts->index) && !find_first_events(contacts, columns) &&
        !sort_contacts(contacts, columns, nodes) && contacts->pairs < UINT32_MAX)
        return SCADYG_OK;
    sg_first_contacts_free(contacts);
    return sg_fail_memory(error, "the pairs that have met");
}

/* ---- Events by source ---- */

int sg_by_source_open(sg_by_source *by_source, uint64_t nodes, scadyg_error *error)
{
    *by_source = (sg_by_source){.slot = sg_alloc_zero((size_t)nodes, sizeof(uint32_t))};
    return by_source->slot ? SCADYG_OK : sg_fail_memory(error, "the events by source");
}

void sg_by_source_close(sg_by_source *by_source)
{
    SG_FREE(by_source->source, by_source->first, by_source->event, by_source->slot, by_source->fill);
    *by_source = (sg_by_source){0};
}

static int grow_room(sg_by_source *by_source, size_t events)
{
    if (events <= by_source->capacity) return 0;
    SG_FREE(by_source->source, by_source->first, by_source->event, by_source->fill);
    size_t capacity = events + events / 2 + 16;
    const int bad = SG_ALLOC(SG_ARRAY(by_source->source, capacity), SG_ARRAY(by_source->first, capacity + 1),
                             SG_ARRAY(by_source->event, capacity), SG_ARRAY(by_source->fill, capacity));
    by_source->capacity = bad ? 0 : capacity;
    return bad;
}

/* No sorting, and nothing to clear: whether a slot is of this call is seen from what stands there. */
int sg_by_source_make(sg_by_source *by_source, const uint32_t *src, uint64_t begin, uint64_t end,
                      scadyg_error *error)
{
    by_source->sources = 0;
    if (grow_room(by_source, (size_t)(end - begin))) return sg_fail_memory(error, "the events by source");
    for (uint64_t e = begin; e < end; e++) {
        uint32_t node = src[e], slot = by_source->slot[node];
        if (slot >= by_source->sources || by_source->source[slot] != node) {
            slot = by_source->slot[node] = (uint32_t)by_source->sources++;
            by_source->source[slot] = node;
            by_source->fill[slot] = 0;
        }
        by_source->fill[slot]++;
    }
    size_t at = 0;
    for (size_t i = 0; i < by_source->sources; i++) {
        by_source->first[i] = at;
        at += by_source->fill[i];
        by_source->fill[i] = by_source->first[i];
    }
    by_source->first[by_source->sources] = at;
    for (uint64_t e = begin; e < end; e++) by_source->event[by_source->fill[by_source->slot[src[e]]]++] = e;
    return SCADYG_OK;
}

void sg_by_source_thin(sg_by_source *by_source, uint64_t every, uint64_t salt)
{
    size_t kept = 0, at = 0;
    for (size_t i = 0; i < by_source->sources; i++) {
        const uint32_t source = by_source->source[i];
        const size_t begin = by_source->first[i], end = by_source->first[i + 1];
        if (sg_hash3(every, salt, source) % every) continue;
        by_source->source[kept] = source;
        by_source->first[kept++] = at;
        for (size_t k = begin; k < end; k++) by_source->event[at++] = by_source->event[k];
    }
    by_source->first[kept] = at;
    by_source->sources = kept;
}

/* ---- Negatives of a source ---- */

const char *sg_pool_text(int pool)
{
    switch (pool) {
    case SG_POOL_ANY: return "any";
    case SG_POOL_DESTINATION: return "destination";
    case SG_POOL_HISTORICAL: return "historical";
    case SG_POOL_INDUCTIVE: return "inductive";
    case SG_POOL_MIX: return "historical and random";
    default: return "none";
    }
}

static int needs_contacts(int pool)
{
    return pool != SG_POOL_ANY && pool != SG_POOL_DESTINATION;
}

static int open_parts(sg_negatives *negatives, uint64_t nodes, scadyg_error *error)
{
    const sg_columns *columns = negatives->columns;
    int status = sg_list_distinct(columns->dst, columns->count, nodes, &negatives->destination,
                                  &negatives->destinations, error);
    if (!status) status = sg_drawer_open(&negatives->drawer, nodes, nodes, error);
    if (!status) status = sg_marks_open(&negatives->without, nodes, error);
    if (status) return status;
    negatives->random = negatives->pool == SG_POOL_ANY
                            ? (sg_pool){.count = nodes}
                            : (sg_pool){.node = negatives->destination, .count = negatives->destinations};
    if (!needs_contacts(negatives->pool)) return SCADYG_OK;
    return sg_first_contacts_make(&negatives->contacts, columns, nodes, error);
}

int sg_negatives_open(sg_negatives *negatives, const sg_columns *columns, uint64_t nodes, int pool, int again,
                      uint64_t train_end, scadyg_error *error)
{
    *negatives = (sg_negatives){.columns = columns, .pool = pool, .again = again, .train_end = train_end};
    int status = open_parts(negatives, nodes, error);
    if (status) sg_negatives_close(negatives);
    return status;
}

void sg_negatives_close(sg_negatives *negatives)
{
    SG_FREE(negatives->destination, negatives->met);
    sg_first_contacts_free(&negatives->contacts);
    sg_drawer_close(&negatives->drawer);
    sg_marks_close(&negatives->without);
    *negatives = (sg_negatives){0};
}

/* Lists what the source has met, without its positives, and excludes it from random draws. */
static int list_met(sg_negatives *negatives, uint32_t source, uint64_t seen, scadyg_error *error)
{
    const size_t *row = &negatives->contacts.row[source];
    const uint64_t *event = negatives->contacts.by_source + row[0];
    size_t count = row[1] - row[0], trained = sg_first_uint64(event, count, negatives->train_end);
    size_t first = negatives->pool == SG_POOL_INDUCTIVE ? trained : 0;
    size_t end = negatives->pool == SG_POOL_MIX ? trained : sg_first_uint64(event, count, seen);
    if (end <= first) return SCADYG_OK;
    if (sg_grow(&negatives->met, &negatives->met_room, end - first, sizeof *negatives->met))
        return sg_fail_memory(error, "the negatives");
    for (size_t i = first; i < end; i++) {
        uint32_t node = negatives->columns->dst[event[i]];
        if (!sg_marked(&negatives->without, node)) negatives->met[negatives->met_count++] = node;
        sg_mark(&negatives->without, node);
    }
    return SCADYG_OK;
}

int sg_negatives_of(sg_negatives *negatives, uint32_t source, const uint64_t *positive, size_t positives,
                    uint64_t seen, scadyg_error *error)
{
    sg_marks_clear(&negatives->without);
    for (size_t i = 0; i < positives; i++) sg_mark(&negatives->without, negatives->columns->dst[positive[i]]);
    negatives->met_count = 0;
    return needs_contacts(negatives->pool) ? list_met(negatives, source, seen, error) : SCADYG_OK;
}

size_t sg_negatives_most(const sg_negatives *negatives, size_t count)
{
    size_t all = negatives->met_count + (size_t)negatives->random.count;
    return negatives->again || count < all ? count : all;
}

size_t sg_negatives_draw(sg_negatives *negatives, sg_rng *rng, size_t count, uint32_t *out)
{
    size_t share = negatives->pool == SG_POOL_MIX ? count / 2 : count, done = 0;
    if (negatives->met_count) {
        sg_pool met = {.node = negatives->met, .count = negatives->met_count};
        done = sg_draw_once(&negatives->drawer, rng, &met, NULL, share, out);
    }
    if (done == count) return done;
    return done + (negatives->again ? sg_draw_again : sg_draw_once)(&negatives->drawer, rng, &negatives->random,
                                                                    &negatives->without, count - done, out + done);
}
