/* Negatives of a source, and what they are made with. */
#include "evaluate/negatives.h"

#include "base/memory.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>

/* ---- Draws ---- */

enum {
    TRIES = 20, /* per draw, before what is left is listed */
    LONG = 4096 /* a pool of more than this is not listed for each source anew */
};

int sg_marks_open(sg_marks *marks, uint64_t size, scadyg_error *error)
{
    const size_t words = (size_t)size / 64 + 1; /* with more marks than words it is cheaper to clear the words */
    *marks = (sg_marks){.bits = sg_alloc_zero(words, sizeof(uint64_t)),
                        .listed = sg_alloc(words, sizeof(uint32_t)),
                        .size = size,
                        .room = words};
    if (marks->bits && marks->listed) return SCADYG_OK;
    sg_marks_close(marks);
    return sg_fail_memory(error, "the negatives");
}

void sg_marks_close(sg_marks *marks)
{
    SG_FREE(marks->bits, marks->listed);
    *marks = (sg_marks){0};
}

void sg_marks_clear(sg_marks *marks)
{
    if (marks->count <= marks->room)
        for (uint64_t i = 0; i < marks->count; i++) marks->bits[marks->listed[i] / 64] = 0;
    else
        memset(marks->bits, 0, (size_t)marks->room * sizeof *marks->bits);
    marks->count = 0;
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

/* What is not drawn: what is marked, and what a source has met. */
typedef struct excluded {
    const sg_marks *marks; /* NULL: nothing */
    sg_negatives *met;     /* NULL: nothing */
} excluded;

/* Looked up, since a source may have met as many as there are events. */
static int has_met(const sg_negatives *negatives, uint32_t node)
{
    const size_t place = sg_first_contacts_find(negatives->contacts, negatives->source, node);
    return place >= negatives->first && place < negatives->end;
}

static int is_excluded(const excluded *without, uint32_t node)
{
    if (without->marks && sg_marked(without->marks, node)) return 1;
    return without->met && !without->met->met_is_marked && has_met(without->met, node);
}

/*
 * What the source has not met of a long pool: those that have met nearly all of it are few, and so is what they have not
 * met, so that keeping it for each of them costs less than their contacts do. It may have become less since it was listed.
 * Without memory for it the whole pool does as well.
 */
static sg_pool find_unmet(sg_negatives *negatives, const sg_pool *pool)
{
    int is_new;
    uint64_t *number = sg_pair_map_put(&negatives->unmet_of, negatives->source, &is_new);
    if (!number) return *pool;
    if (is_new) {
        *number = SIZE_MAX;
        sg_unmet list = {.until = negatives->until, .node = sg_alloc((size_t)pool->count, sizeof *list.node)};
        if (!list.node || sg_grow(&negatives->unmet, &negatives->unmet_room, negatives->unmet_count + 1,
                                  sizeof *negatives->unmet)) {
            free(list.node);
            return *pool;
        }
        for (uint64_t i = 0; i < pool->count; i++)
            if (!has_met(negatives, sg_pool_at(pool, i))) list.node[list.count++] = sg_pool_at(pool, i);
        uint32_t *shorter = realloc(list.node, (size_t)(list.count + 1) * sizeof *shorter);
        if (shorter) list.node = shorter;
        *number = negatives->unmet_count;
        negatives->unmet[negatives->unmet_count++] = list;
    }
    if (*number == SIZE_MAX || negatives->unmet[*number].until > negatives->until) return *pool;
    return (sg_pool){.node = negatives->unmet[*number].node, .count = negatives->unmet[*number].count};
}

/* Where a whole pool is listed it is cheaper to mark them. */
static void mark_met(sg_negatives *negatives)
{
    if (negatives->met_is_marked) return;
    for (uint64_t i = 0; i < negatives->met.count; i++)
        sg_mark(&negatives->without, sg_pool_at(&negatives->met, i));
    negatives->met_is_marked = 1;
}

/* Lists what of the pool is neither excluded nor drawn. */
static uint64_t list_left(sg_drawer *drawer, const sg_pool *pool, const excluded *without)
{
    uint64_t left = 0;
    if (without->met && pool->node == without->met->random.node) mark_met(without->met);
    for (uint64_t i = 0; i < pool->count; i++) {
        uint32_t node = sg_pool_at(pool, i);
        if (!is_excluded(without, node) && !sg_marked(&drawer->drawn, node)) drawer->left[left++] = node;
    }
    return left;
}

/* Draws with rejection until `count` are there or too many were rejected; once: none that was drawn already. */
static size_t try_draws(sg_drawer *drawer, sg_rng *rng, const sg_pool *pool, const excluded *without, int once,
                        size_t count, size_t done, uint32_t *out)
{
    for (size_t tries = 0; done < count && tries < TRIES * count; tries++) {
        uint32_t node = sg_pool_at(pool, sg_rng_below(rng, pool->count));
        if (is_excluded(without, node) || (once && sg_marked(&drawer->drawn, node))) continue;
        if (once) sg_mark(&drawer->drawn, node);
        out[done++] = node;
    }
    return done;
}

/* The same from a pool that may be long and nearly all excluded: then from the rest of it. */
static size_t try_pool(sg_drawer *drawer, sg_rng *rng, sg_pool *pool, const excluded *without, int once,
                       size_t count, uint32_t *out)
{
    size_t done = try_draws(drawer, rng, pool, without, once, count, 0, out);
    /* What was seen so far grows, so that a list of what is left of it would not hold. */
    if (done == count || !without->met || without->met->pool == SG_POOL_SEEN || pool->count <= LONG) return done;
    *pool = find_unmet(without->met, pool);
    return pool->count > LONG ? try_draws(drawer, rng, pool, without, once, count, done, out) : done;
}

static size_t draw_again(sg_drawer *drawer, sg_rng *rng, sg_pool pool, const excluded *without, size_t count,
                         uint32_t *out)
{
    if (pool.count == 0) return 0;
    size_t done = try_pool(drawer, rng, &pool, without, 0, count, out);
    if (done == count) return done;
    sg_marks_clear(&drawer->drawn);
    uint64_t left = list_left(drawer, &pool, without);
    if (left == 0) return 0;
    while (done < count) out[done++] = drawer->left[sg_rng_below(rng, left)];
    return done;
}

static size_t draw_once(sg_drawer *drawer, sg_rng *rng, sg_pool pool, const excluded *without, size_t count,
                        uint32_t *out)
{
    sg_marks_clear(&drawer->drawn);
    size_t done = count < pool.count / 2 ? try_pool(drawer, rng, &pool, without, 1, count, out) : 0;
    if (done == count) return done;
    uint64_t left = list_left(drawer, &pool, without);
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

size_t sg_draw_again(sg_drawer *drawer, sg_rng *rng, const sg_pool *pool, const sg_marks *without, size_t count,
                     uint32_t *out)
{
    return draw_again(drawer, rng, *pool, &(excluded){.marks = without}, count, out);
}

size_t sg_draw_once(sg_drawer *drawer, sg_rng *rng, const sg_pool *pool, const sg_marks *without, size_t count,
                    uint32_t *out)
{
    return draw_once(drawer, rng, *pool, &(excluded){.marks = without}, count, out);
}

int sg_list_distinct(const sg_columns *columns, const uint32_t *column, uint64_t nodes, uint32_t **list,
                     uint64_t *count, scadyg_error *error)
{
    sg_marks seen;
    uint64_t distinct = 0, listed = 0;
    int status = sg_marks_open(&seen, nodes, error);
    if (status) return status;
    for (uint64_t e = 0; e < columns->count; e++) {
        sg_columns_pass(columns, e, sizeof *column);
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

/* ---- Negatives of a source ---- */

const char *sg_pool_text(int pool)
{
    switch (pool) {
    case SG_POOL_ANY: return "any";
    case SG_POOL_DESTINATION: return "destination";
    case SG_POOL_HISTORICAL: return "historical";
    case SG_POOL_INDUCTIVE: return "inductive";
    case SG_POOL_MIX: return "historical and random";
    case SG_POOL_SEEN: return "destinations seen so far";
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
    int status =
        sg_list_distinct(columns, columns->dst, nodes, &negatives->destination, &negatives->destinations, error);
    if (!status) status = sg_drawer_open(&negatives->drawer, nodes, nodes, error);
    if (!status) status = sg_marks_open(&negatives->without, nodes, error);
    if (status) return status;
    negatives->random = negatives->pool == SG_POOL_ANY
                            ? (sg_pool){.count = nodes}
                            : (sg_pool){.node = negatives->destination, .count = negatives->destinations};
    if (!needs_contacts(negatives->pool)) return SCADYG_OK;
    status = sg_first_contacts_use(negatives->kept, &negatives->own, columns, nodes, &negatives->contacts, error);
    if (status) return status;
    return sg_pair_map_open(&negatives->unmet_of) ? sg_fail_memory(error, "the negatives") : SCADYG_OK;
}

int sg_negatives_open(sg_negatives *negatives, const sg_columns *columns, uint64_t nodes, int pool, int again,
                      uint64_t train_end, sg_first_contacts *kept, scadyg_error *error)
{
    *negatives =
        (sg_negatives){.columns = columns, .pool = pool, .again = again, .train_end = train_end, .kept = kept};
    int status = open_parts(negatives, nodes, error);
    if (status) sg_negatives_close(negatives);
    return status;
}

void sg_negatives_close(sg_negatives *negatives)
{
    for (size_t i = 0; i < negatives->unmet_count; i++) free(negatives->unmet[i].node);
    sg_pair_map_close(&negatives->unmet_of);
    SG_FREE(negatives->destination, negatives->hole, negatives->unmet);
    sg_first_contacts_free(&negatives->own);
    sg_drawer_close(&negatives->drawer);
    sg_marks_close(&negatives->without);
    *negatives = (sg_negatives){0};
}

static int ascending(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Where the positives that were met at an earlier time stand among those that were. */
static size_t find_holes(sg_negatives *negatives, const uint64_t *positive, size_t positives)
{
    size_t found = 0, holes = 0;
    for (size_t i = 0; i < positives; i++) {
        const uint32_t node = negatives->columns->dst[positive[i]];
        const size_t place = sg_first_contacts_find(negatives->contacts, negatives->source, node);
        if (place >= negatives->first && place < negatives->end)
            negatives->hole[found++] = place - negatives->first;
    }
    qsort(negatives->hole, found, sizeof *negatives->hole, ascending);
    for (size_t i = 0; i < found; i++)
        if (!holes || negatives->hole[i] != negatives->hole[holes - 1])
            negatives->hole[holes++] = negatives->hole[i];
    return holes;
}

/* The place of the first pair of the source that did not meet before an event. */
static size_t find_later(const sg_negatives *negatives, uint64_t event)
{
    const sg_first_contacts *contacts = negatives->contacts;
    const uint32_t *row = &contacts->row[negatives->source];
    const size_t number = sg_first_contacts_before(contacts, event);
    return row[0] + sg_first_uint32(contacts->number + row[0], row[1] - row[0], (uint32_t)number);
}

/* What the source has met, without its positives. */
static int find_met(sg_negatives *negatives, const uint64_t *positive, size_t positives, uint64_t seen,
                    scadyg_error *error)
{
    negatives->until = negatives->pool == SG_POOL_MIX ? negatives->train_end : seen;
    negatives->first = find_later(negatives, negatives->pool == SG_POOL_INDUCTIVE ? negatives->train_end : 0);
    negatives->end = find_later(negatives, negatives->until);
    if (negatives->end <= negatives->first) return SCADYG_OK;
    if (sg_grow(&negatives->hole, &negatives->hole_room, positives, sizeof *negatives->hole))
        return sg_fail_memory(error, "the negatives");
    const size_t holes = find_holes(negatives, positive, positives);
    negatives->met = (sg_pool){.node = negatives->contacts->partner + negatives->first,
                               .count = negatives->end - negatives->first - holes,
                               .hole = negatives->hole,
                               .holes = holes};
    return SCADYG_OK;
}

int sg_negatives_of(sg_negatives *negatives, uint32_t source, const uint64_t *positive, size_t positives,
                    uint64_t seen, scadyg_error *error)
{
    sg_marks_clear(&negatives->without);
    for (size_t i = 0; i < positives; i++) sg_mark(&negatives->without, negatives->columns->dst[positive[i]]);
    negatives->source = source;
    negatives->met = (sg_pool){0};
    negatives->met_is_marked = !needs_contacts(negatives->pool);
    return negatives->met_is_marked ? SCADYG_OK : find_met(negatives, positive, positives, seen, error);
}

size_t sg_negatives_most(const sg_negatives *negatives, size_t count)
{
    size_t all = (size_t)(negatives->met.count + negatives->random.count);
    return negatives->again || count < all ? count : all;
}

size_t sg_negatives_draw(sg_negatives *negatives, sg_rng *rng, size_t count, uint32_t *out)
{
    const excluded nothing = {0}, without = {&negatives->without, negatives};
    const int half = negatives->pool == SG_POOL_MIX || negatives->pool == SG_POOL_SEEN;
    size_t share = half ? count / 2 : count, done = 0;
    if (negatives->met.count) done = draw_once(&negatives->drawer, rng, negatives->met, &nothing, share, out);
    if (done == count) return done;
    return done + (negatives->again ? draw_again : draw_once)(&negatives->drawer, rng, negatives->random, &without,
                                                              count - done, out + done);
}
