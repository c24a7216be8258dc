/* Training cases: events and their negatives, a chunk at a time. */

#include "models/scadyg/cases.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Both: see docs/accuracy.md, "Links". */
#define ANYBODY 0.5 /* pool mixed: share of any nodes; without it a model never learns what a newcomer looks like */
#define TAKEN_BACK 0.5 /* share of the logarithm of the chance to be drawn that the offset takes back */
#define TRIES 10
#define NONE UINT32_MAX
#define STREAM ((uint64_t)0xCA5E << 48)

/* Marks in a table of bits by hash; pairs that share a place with an earlier one are overlooked, which does no harm. */
static int find_first(sg_pair_cases *c)
{
    const sg_columns *columns = c->view->columns;
    size_t places = 1024;
    while (places < 8 * c->train_end) places *= 2;
    unsigned char *met = sg_alloc_zero(places / 8, 1);
    c->first = sg_alloc_zero((size_t)c->train_end / 8 + 1, 1);
    for (uint64_t e = 0; met && c->first && e < c->train_end; e++) {
        const size_t place = (size_t)sg_hash3(2, columns->src[e], columns->dst[e]) & (places - 1);
        if (!(met[place / 8] >> place % 8 & 1)) c->first[e / 8] |= (unsigned char)(1u << e % 8);
        met[place / 8] |= (unsigned char)(1u << place % 8);
    }
    free(met);
    return met && c->first ? 0 : -1;
}

static int is_first(const sg_pair_cases *c, uint64_t e)
{
    return c->first[e / 8] >> e % 8 & 1;
}

static int open_chunk(sg_pair_chunk *chunk, size_t pairs)
{
    return SG_ALLOC(SG_ARRAY(chunk->groups, SG_CHUNK), SG_ARRAY(chunk->node_first, SG_CHUNK + 1),
                    SG_ARRAY(chunk->src, pairs), SG_ARRAY(chunk->dst, pairs), SG_ARRAY(chunk->left, pairs),
                    SG_ARRAY(chunk->right, pairs), SG_ARRAY(chunk->nodes, 2 * pairs), SG_ARRAY(chunk->own, pairs),
                    SG_ARRAY(chunk->offset, pairs));
}

static void close_chunk(sg_pair_chunk *chunk)
{
    SG_FREE(chunk->groups, chunk->node_first, chunk->src, chunk->dst, chunk->left, chunk->right, chunk->nodes,
            chunk->own, chunk->offset);
}

int sg_pair_cases_open(sg_pair_cases *c, const sg_view *view, uint64_t train_end, scadyg_error *error)
{
    const size_t nodes = view->nodes, group = 1 + (size_t)sg_scadyg_options_of(view->model)->negatives;
    const size_t pairs = SG_CHUNK * group;
    *c = (sg_pair_cases){.view = view, .train_end = train_end, .group = group};
    if (SG_ALLOC(SG_ARRAY(c->times, nodes), SG_ARRAY(c->kept, nodes * SG_KEPT), SG_ARRAY(c->pool, nodes),
                 SG_ARRAY(c->slot, nodes), SG_ARRAY(c->is_destination, nodes)) ||
        open_chunk(&c->chunk[0], pairs) || open_chunk(&c->chunk[1], pairs) || find_first(c)) {
        sg_pair_cases_close(c);
        return sg_fail_memory(error, "the training cases");
    }
    memset(c->slot, 0xFF, nodes * sizeof *c->slot);
    sg_pair_cases_rewind(c);
    return SCADYG_OK;
}

void sg_pair_cases_close(sg_pair_cases *c)
{
    SG_FREE(c->first, c->times, c->kept, c->pool, c->slot, c->is_destination);
    close_chunk(&c->chunk[0]);
    close_chunk(&c->chunk[1]);
    *c = (sg_pair_cases){0};
}

void sg_pair_cases_rewind(sg_pair_cases *c)
{
    memset(c->times, 0, c->view->nodes * sizeof *c->times);
    memset(c->is_destination, 0, c->view->nodes);
    c->known = 0;
    c->seen = c->next = 0;
}

/* ---- What has been seen ---- */

/* Each earlier partner of a source is among those kept with the same chance. */
static void keep_partner(sg_pair_cases *c, uint32_t src, uint32_t dst)
{
    uint64_t slot = c->times[src];
    if (slot >= SG_KEPT) slot = sg_hash3(1, STREAM, c->seen) % (slot + 1);
    if (slot < SG_KEPT) c->kept[(size_t)src * SG_KEPT + slot] = dst;
    if (c->times[src] < UINT32_MAX) c->times[src]++;
}

static void see_events(sg_pair_cases *c, uint64_t seen)
{
    const sg_columns *columns = c->view->columns;
    for (; c->seen < seen; c->seen++) {
        const uint32_t src = columns->src[c->seen], dst = columns->dst[c->seen];
        if (is_first(c, c->seen)) keep_partner(c, src, dst);
        if (!c->is_destination[dst]) c->pool[c->known++] = dst;
        c->is_destination[dst] = 1;
    }
}

/* ---- Drawing ---- */

static uint32_t random_destination(sg_pair_cases *c)
{
    const int pool = sg_scadyg_options_of(c->view->model)->train_pool;
    const int anybody = pool == SG_SCADYG_POOL_ANY || c->known == 0 ||
                        (pool == SG_SCADYG_POOL_MIXED && sg_rng_unit(&c->rng) < ANYBODY);
    if (anybody) return (uint32_t)sg_rng_below(&c->rng, c->view->nodes);
    return c->pool[sg_rng_below(&c->rng, c->known)];
}

/* Stepwise, nobody can tell which sources are active in the step: pairs that have met and do not meet again
 * would only teach to distrust those that have met. */
static double historical_share(const sg_scadyg_options *options)
{
    return options->train.stepwise ? 0 : options->historical;
}

static int draw_negative(sg_pair_cases *c, uint32_t src, uint32_t dst, uint32_t *from, uint32_t *to)
{
    const sg_columns *columns = c->view->columns;
    const double kind = sg_rng_unit(&c->rng), historical = historical_share(sg_scadyg_options_of(c->view->model));
    *from = src;
    *to = dst;
    if (kind < historical / 2 && c->seen) {
        uint64_t e = sg_rng_below(&c->rng, c->seen);
        for (int i = 0; i < TRIES && !is_first(c, e); i++) e = sg_rng_below(&c->rng, c->seen);
        *from = columns->src[e];
        *to = columns->dst[e];
    } else if (kind < historical && c->times[src]) {
        const uint64_t kept = c->times[src] < SG_KEPT ? c->times[src] : SG_KEPT;
        *to = c->kept[(size_t)src * SG_KEPT + sg_rng_below(&c->rng, kept)];
    }
    if (*from != src || *to != dst) return 0;
    for (int i = 0; i < TRIES && *to == dst; i++) *to = random_destination(c);
    return 1;
}

/* Of a pair with this destination; the chance to be drawn is in units of that of a node drawn from all. */
static float offset_of(const sg_pair_cases *c, uint32_t dst)
{
    if (sg_scadyg_options_of(c->view->model)->train_pool != SG_SCADYG_POOL_MIXED || c->known == 0) return 0;
    const double often = c->is_destination[dst] ? (double)c->view->nodes / (double)c->known : 0;
    return (float)(-TAKEN_BACK * log(ANYBODY + (1 - ANYBODY) * often));
}

/* ---- A chunk ---- */

static uint32_t row_of(sg_pair_cases *c, sg_pair_chunk *chunk, uint32_t node)
{
    if (c->slot[node] == NONE) {
        c->slot[node] = (uint32_t)chunk->node_count;
        chunk->nodes[chunk->node_count++] = node;
    }
    return c->slot[node];
}

static void add_case(sg_pair_cases *c, sg_pair_chunk *chunk, uint64_t e)
{
    const sg_columns *columns = c->view->columns;
    const uint32_t src = columns->src[e], dst = columns->dst[e];
    const size_t begin = chunk->count++ * c->group;
    for (size_t k = begin; k < begin + c->group; k++) {
        uint32_t from = src, to = dst;
        const int random = k == begin || draw_negative(c, src, dst, &from, &to);
        chunk->src[k] = from;
        chunk->dst[k] = to;
        chunk->own[k] = (unsigned char)random;
        chunk->offset[k] = offset_of(c, to);
        chunk->left[k] = row_of(c, chunk, from);
        chunk->right[k] = row_of(c, chunk, to);
    }
}

/* The events first .. end-1 that see the same past. */
static void add_group(sg_pair_cases *c, sg_pair_chunk *chunk, sg_place place, uint64_t first, uint64_t end,
                      int64_t epoch, uint64_t every)
{
    const size_t begin = chunk->count, node_begin = chunk->node_count;
    see_events(c, place.seen);
    for (uint64_t e = first; e < end; e++)
        if (e % every == 0 && (!c->training || sg_training_learns(c->training, epoch, e, e))) add_case(c, chunk, e);
    for (size_t i = node_begin; i < chunk->node_count; i++) c->slot[chunk->nodes[i]] = NONE;
    if (chunk->count == begin) return;
    chunk->groups[chunk->group_count] =
        (sg_ledger_group){place.seen, place.at, begin * c->group, chunk->count * c->group};
    chunk->node_first[++chunk->group_count] = chunk->node_count;
}

/* Where events of the same past as event e end, at most at `most`. */
static uint64_t same_past(const sg_pair_cases *c, uint64_t e, uint64_t most)
{
    const scadyg_messages *messages = c->view->messages;
    if (sg_train_of(c->view->model)->stepwise) {
        const int64_t step = sg_messages_step_of(messages, messages->columns.time[e]);
        const uint64_t end = messages->steps.first[step + 1];
        return end < most ? end : most;
    }
    uint64_t end = e + 1;
    while (end < most && messages->columns.time[end] == messages->columns.time[e]) end++;
    return end;
}

const sg_pair_chunk *sg_pair_cases_next(sg_pair_cases *c, int64_t epoch, uint64_t every)
{
    const double *time = c->view->columns->time;
    const uint64_t first = c->next, end = c->train_end - first < SG_CHUNK ? c->train_end : first + SG_CHUNK;
    if (first >= c->train_end) return NULL;
    c->latest = !c->latest;
    sg_pair_chunk *chunk = &c->chunk[c->latest];
    sg_rng_seed(&c->rng, (uint64_t)sg_train_of(c->view->model)->seed,
                sg_hash3(STREAM, (uint64_t)epoch, first / SG_CHUNK));
    chunk->count = chunk->group_count = chunk->node_count = 0;
    chunk->node_first[0] = 0;
    for (uint64_t e = first, next; e < end; e = next) {
        next = same_past(c, e, end);
        const uint64_t before = sg_events_before(time, c->view->columns->count, time[e]);
        const sg_place place = sg_reader_place(c->view, -1, time[e], before);
        if (place.seen)
            add_group(c, chunk, place, e, next, epoch, every); /* nothing is known before the first events */
    }
    c->next = chunk->next = end;
    return chunk;
}

sg_read_plan sg_pair_chunk_plan(const sg_pair_chunk *chunk)
{
    return (sg_read_plan){.groups = chunk->groups,
                          .count = chunk->group_count,
                          .src = chunk->src,
                          .dst = chunk->dst,
                          .nodes = chunk->nodes,
                          .node_first = chunk->node_first};
}
