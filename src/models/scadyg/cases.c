/* Training cases: events and their negatives, a chunk at a time. */

#include "models/scadyg/cases.h"

#include "base/memory.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Both: see docs/accuracy.md, "Links, the first version". */
#define ANYBODY 0.5 /* pool mixed: share of any nodes; without it a model never learns what a newcomer looks like */
#define TAKEN_BACK 0.5 /* share of the logarithm of the chance to be drawn that the offset takes back */
#define TRIES 10
#define LATELY 5 /* first contacts of the latest fifth of what was seen are late ones */
#define FEW 16
#define NONE UINT32_MAX
#define STREAM ((uint64_t)0xCA5E << 48)

/* What the last negative of a case is, by turns, unless stepwise: there nobody can tell which sources are active in the step,
 * and pairs that have met and do not meet again would only teach to distrust those that have met. */
enum { MET, LATE, KINDS };

static size_t has_last(const scadyg_model *model)
{
    return !sg_train_of(model)->stepwise;
}

/* Marks in a table of bits by hash; pairs that share a place with an earlier one are overlooked, which does no harm. */
static int find_first(sg_pair_cases *c)
{
    const sg_columns *columns = c->view->columns;
    size_t places = 1024;
    while (places < 8 * c->train_end) places *= 2;
    unsigned char *met = sg_alloc_zero(places / 8, 1);
    c->first = sg_alloc_zero((size_t)c->train_end / 8 + 1, 1);
    for (uint64_t e = 0; met && c->first && e < c->train_end; e++) {
        sg_columns_pass(columns, e, sizeof *columns->src + sizeof *columns->dst);
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
                    SG_ARRAY(chunk->right, pairs), SG_ARRAY(chunk->nodes, 2 * pairs), SG_ARRAY(chunk->in, pairs),
                    SG_ARRAY(chunk->offset, pairs));
}

static void close_chunk(sg_pair_chunk *chunk)
{
    SG_FREE(chunk->groups, chunk->node_first, chunk->src, chunk->dst, chunk->left, chunk->right, chunk->nodes,
            chunk->in, chunk->offset);
}

static size_t group_of(const scadyg_model *model)
{
    return 1 + (size_t)sg_scadyg_options_of(model)->negatives + has_last(model);
}

/* The pairs of a case have destinations of their own, and the last one its own source. */
sg_read_size sg_pair_chunk_most(const scadyg_model *model, uint64_t events)
{
    const uint64_t group = group_of(model), cases = events < SG_CHUNK ? events : SG_CHUNK;
    return (sg_read_size){cases * group, cases * (group + 1 + has_last(model))};
}

uint64_t sg_pair_chunk_bytes(const scadyg_model *model)
{
    const sg_pair_chunk *chunk = NULL;
    const uint64_t pair = sizeof *chunk->src + sizeof *chunk->dst + sizeof *chunk->left + sizeof *chunk->right +
                          2 * sizeof *chunk->nodes + sizeof *chunk->in + sizeof *chunk->offset;
    return 2 * SG_CHUNK * (group_of(model) * pair + sizeof *chunk->groups + sizeof *chunk->node_first);
}

uint64_t sg_pair_step_bytes(const scadyg_model *model)
{
    const sg_pair_net net = sg_scadyg_net(model);
    const size_t batch = sg_scadyg_batch(model, UINT64_MAX), cases = 2 * batch < SG_CHUNK ? 2 * batch : SG_CHUNK,
                 pairs = cases * group_of(model);
    return sg_pair_workspace_bytes(&net, pairs) + pairs * (net.between + 4) * sizeof(float);
}

int sg_pair_cases_open(sg_pair_cases *c, const sg_view *view, uint64_t train_end, scadyg_error *error)
{
    const size_t nodes = view->nodes, group = group_of(view->model);
    const size_t pairs = SG_CHUNK * group;
    *c = (sg_pair_cases){.view = view, .train_end = train_end, .group = group};
    if (SG_ALLOC(SG_ARRAY(c->pool, nodes), SG_ARRAY(c->slot, nodes), SG_ARRAY(c->is_destination, nodes)) ||
        sg_pair_map_open(&c->now) || open_chunk(&c->chunk[0], pairs) || open_chunk(&c->chunk[1], pairs) ||
        find_first(c)) {
        sg_pair_cases_close(c);
        return sg_fail_memory(error, "the training cases");
    }
    memset(c->slot, 0xFF, nodes * sizeof *c->slot);
    sg_pair_cases_rewind(c);
    return SCADYG_OK;
}

void sg_pair_cases_close(sg_pair_cases *c)
{
    SG_FREE(c->first, c->pool, c->slot, c->is_destination);
    sg_pair_map_close(&c->now);
    close_chunk(&c->chunk[0]);
    close_chunk(&c->chunk[1]);
    *c = (sg_pair_cases){0};
}

void sg_pair_cases_rewind(sg_pair_cases *c)
{
    memset(c->is_destination, 0, c->view->nodes);
    c->known = 0;
    c->seen = c->next = 0;
}

/* ---- What has been seen ---- */

static void see_events(sg_pair_cases *c, uint64_t seen)
{
    const sg_columns *columns = c->view->columns;
    for (; c->seen < seen; c->seen++) {
        const uint32_t dst = columns->dst[c->seen];
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

#define BIT(output) (1u << (output))
#define RANDOM_IN (BIT(SG_ORDER) | BIT(SG_CHANCE_RANDOM))

/* A pair that first met among the events from `from` on, each with the same chance; 0: none was found. */
static int draw_met(sg_pair_cases *c, uint64_t from, uint32_t *src, uint32_t *dst)
{
    if (from >= c->seen) return 0;
    uint64_t e = from + sg_rng_below(&c->rng, c->seen - from);
    for (int i = 0; i < TRIES && !is_first(c, e); i++) e = from + sg_rng_below(&c->rng, c->seen - from);
    *src = c->view->columns->src[e];
    *dst = c->view->columns->dst[e];
    return is_first(c, e);
}

/* Negative `k` of a case, from 0, whose last one is of this kind. Returns the losses it is part of. */
static unsigned draw_negative(sg_pair_cases *c, size_t k, int kind, uint32_t *src, uint32_t *dst)
{
    const size_t random = (size_t)sg_scadyg_options_of(c->view->model)->negatives;
    const uint32_t own = *src, met = *dst;
    if (k == random && draw_met(c, kind == LATE ? c->seen - c->seen / LATELY : 0, src, dst))
        return kind == LATE ? BIT(SG_CHANCE_LATE) : BIT(SG_CHANCE_MET);
    *src = own;
    *dst = met;
    for (int i = 0; i < TRIES && *dst == met; i++) *dst = random_destination(c);
    return k == 0 && kind == LATE ? RANDOM_IN | BIT(SG_CHANCE_LATE) : RANDOM_IN;
}

/* An empty map that is not much too large for so many pairs: clearing it takes as long as it is. */
static int clear_map(sg_pair_map *map, uint64_t pairs)
{
    if (map->mask < 16 * pairs) {
        sg_pair_map_clear(map);
        return 0;
    }
    sg_pair_map_close(map);
    return sg_pair_map_open(map);
}

/* The pairs of events first .. end-1, which see the same past: few are looked through, more are listed. */
static int list_now(sg_pair_cases *c, uint64_t first, uint64_t end)
{
    const sg_columns *columns = c->view->columns;
    int is_new;
    if (first == c->now_begin && end == c->now_end) return 0;
    c->now_begin = c->now_end = 0;
    if (end - first > FEW && clear_map(&c->now, end - first)) return -1;
    for (uint64_t e = first; e < end && end - first > FEW; e++)
        if (!sg_pair_map_put(&c->now, sg_pair_key(columns->src[e], columns->dst[e]), &is_new)) return -1;
    c->now_begin = first;
    c->now_end = end;
    return 0;
}

/* Whether a pair meets in the past being made: then it is no negative. */
static int meets_now(const sg_pair_cases *c, uint32_t src, uint32_t dst)
{
    const sg_columns *columns = c->view->columns;
    if (c->now_end - c->now_begin > FEW) return sg_pair_map_find(&c->now, sg_pair_key(src, dst)) != NULL;
    for (uint64_t e = c->now_begin; e < c->now_end; e++)
        if (columns->src[e] == src && columns->dst[e] == dst) return 1;
    return 0;
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
    const size_t begin = chunk->count++ * c->group;
    const int kind = has_last(c->view->model) ? (int)sg_rng_below(&c->rng, KINDS) : MET;
    for (size_t k = begin; k < begin + c->group; k++) {
        uint32_t from = columns->src[e], to = columns->dst[e];
        unsigned in = k == begin ? UCHAR_MAX : draw_negative(c, k - begin - 1, kind, &from, &to);
        if (k > begin && meets_now(c, from, to)) in = 0;
        chunk->src[k] = from;
        chunk->dst[k] = to;
        chunk->in[k] = (unsigned char)in;
        chunk->offset[k] = offset_of(c, to);
        chunk->left[k] = row_of(c, chunk, from);
        chunk->right[k] = row_of(c, chunk, to);
    }
}

/* One of each `every` events in a row; which one is random at first, and the next one in the next epoch. */
static int is_case(uint64_t e, uint64_t every, int64_t epoch)
{
    return every <= 1 || e % every == (sg_hash64(e / every) % every + (uint64_t)epoch) % every;
}

/* The events first .. end-1 that see the same past. */
static int add_group(sg_pair_cases *c, sg_pair_chunk *chunk, sg_place place, uint64_t first, uint64_t end,
                     int64_t epoch, uint64_t every)
{
    const size_t begin = chunk->count, node_begin = chunk->node_count;
    see_events(c, place.seen);
    if (list_now(c, c->past_begin, c->past_end)) return -1;
    for (uint64_t e = first; e < end; e++)
        if (is_case(e, every, epoch) && (!c->training || sg_training_learns(c->training, epoch, e, e)))
            add_case(c, chunk, e);
    for (size_t i = node_begin; i < chunk->node_count; i++) c->slot[chunk->nodes[i]] = NONE;
    if (chunk->count == begin) return 0;
    chunk->groups[chunk->group_count] =
        (sg_ledger_group){place.seen, place.at, begin * c->group, chunk->count * c->group};
    chunk->node_first[++chunk->group_count] = chunk->node_count;
    return 0;
}

/* Where events of the same past as event e end, at most at `most`; all of them are kept as the past being made. */
static uint64_t same_past(sg_pair_cases *c, uint64_t e, uint64_t most)
{
    const scadyg_messages *messages = c->view->messages;
    if (sg_train_of(c->view->model)->stepwise) {
        const int64_t step = sg_messages_step_of(messages, messages->columns.time[e]);
        c->past_begin = messages->steps.first[step];
        c->past_end = messages->steps.first[step + 1];
    } else {
        const sg_columns *columns = &messages->columns;
        for (c->past_begin = e; c->past_begin > 0 && columns->time[c->past_begin - 1] == columns->time[e];)
            c->past_begin--;
        for (c->past_end = e + 1; c->past_end < columns->count && columns->time[c->past_end] == columns->time[e];)
            c->past_end++;
    }
    return c->past_end < most ? c->past_end : most;
}

/* The cases of the next so many events. */
static int fill_chunk(sg_pair_cases *c, sg_pair_chunk *chunk, int64_t epoch, uint64_t every, scadyg_error *error)
{
    const double *time = c->view->columns->time;
    const uint64_t first = c->next, span = SG_CHUNK * every,
                   end = c->train_end - first < span ? c->train_end : first + span;
    sg_rng_seed(&c->rng, (uint64_t)sg_train_of(c->view->model)->seed,
                sg_hash3(STREAM, (uint64_t)epoch, first / SG_CHUNK));
    chunk->count = chunk->group_count = chunk->node_count = 0;
    chunk->node_first[0] = 0;
    for (uint64_t e = first, next; e < end; e = next) {
        next = same_past(c, e, end);
        const uint64_t before = sg_events_before(time, c->view->columns->count, time[e]);
        const sg_place place = sg_reader_place(c->view, -1, time[e], before);
        /* Nothing is known before the first events. */
        if (place.seen && add_group(c, chunk, place, e, next, epoch, every))
            return sg_fail_memory(error, "the training cases");
    }
    c->next = chunk->next = end;
    return SCADYG_OK;
}

/* Stretches without a case are passed over: the first step may be longer than one. */
int sg_pair_cases_next(sg_pair_cases *c, int64_t epoch, uint64_t every, const sg_pair_chunk **made,
                       scadyg_error *error)
{
    sg_pair_chunk *chunk = &c->chunk[!c->latest];
    int status = SCADYG_OK;
    *made = NULL;
    while (c->next < c->train_end && !*made && !status) {
        status = fill_chunk(c, chunk, epoch, every, error);
        if (!status && chunk->count) *made = chunk;
    }
    if (*made) c->latest = !c->latest;
    return status;
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
