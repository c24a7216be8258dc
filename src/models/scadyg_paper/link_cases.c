/* The cases of a step: positives, negatives, and their order. */
#include "models/scadyg_paper/link_cases.h"

#include "base/memory.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

/* Draws for one negative before a collision is left in: some sources meet every node of the pool. */
#define TRIES 20

void sg_link_cases_free(sg_link_cases *cases)
{
    free(cases->left);
    free(cases->right);
    free(cases->label);
    free(cases->pairs);
    free(cases->own_rows);
    free(cases->nodes);
    *cases = (sg_link_cases){0};
}

/* ---- The step's pairs, to tell negatives from positives ---- */

static uint64_t pair_of(uint32_t src, uint32_t dst)
{
    return ((uint64_t)src << 32 | dst) + 1; /* 0 stands for a free slot; the last node number is not used */
}

static size_t slot_of(const sg_link_cases *cases, uint64_t pair)
{
    size_t slot = (size_t)(pair * 0x9E3779B97F4A7C15u >> 20) & (cases->slots - 1);
    while (cases->pairs[slot] && cases->pairs[slot] != pair) slot = (slot + 1) & (cases->slots - 1);
    return slot;
}

static int hash_pairs(sg_link_cases *cases, const sg_columns *columns, uint64_t first, uint64_t end,
                      scadyg_error *error)
{
    size_t slots = 64;
    while (slots < 3 * (size_t)(end - first)) slots *= 2;
    if (sg_grow(&cases->pairs, &cases->slot_capacity, slots, sizeof *cases->pairs))
        return sg_fail_memory(error, "the pairs of a step");
    cases->slots = slots;
    memset(cases->pairs, 0, slots * sizeof *cases->pairs);
    for (uint64_t e = first; e < end; e++) {
        const uint64_t pair = pair_of(columns->src[e], columns->dst[e]);
        cases->pairs[slot_of(cases, pair)] = pair;
    }
    return SCADYG_OK;
}

static uint32_t draw_negative(const sg_link_cases *cases, const sg_train_pool *pool, uint32_t src, sg_rng *rng)
{
    uint32_t node = 0;
    for (int i = 0; i < TRIES; i++) {
        const uint64_t n = sg_rng_below(rng, cases->known);
        node = pool->nodes ? pool->nodes[n] : (uint32_t)n;
        const uint64_t pair = pair_of(src, node);
        if (cases->pairs[slot_of(cases, pair)] != pair) break;
    }
    return node;
}

/* ---- Rows ---- */

/* Step freshness: all messages of the step lie in one table, and a node's row is its number. */
static void list_by_node(sg_link_cases *cases, const sg_columns *columns, const sg_train_pool *pool, uint64_t first,
                         size_t events, sg_rng *rng)
{
    for (size_t i = 0; i < events; i++) {
        const uint32_t src = columns->src[first + i];
        cases->left[2 * i] = cases->left[2 * i + 1] = src;
        cases->right[2 * i] = columns->dst[first + i];
        cases->right[2 * i + 1] = draw_negative(cases, pool, src, rng);
    }
}

/* Event freshness: three rows per event, read at its time. Events of the same time see the same past. */
static int read_at_times(sg_link_cases *cases, sg_past_reader *past, const sg_train_pool *pool, uint64_t first,
                         size_t events, sg_rng *rng, scadyg_error *error)
{
    const sg_columns *columns = &past->rows->view->messages->columns;
    const size_t width = past->rows->view->width;
    size_t of_nodes = cases->own_capacity, of_rows = cases->own_capacity;
    if (sg_grow(&cases->nodes, &of_nodes, 3 * events, sizeof *cases->nodes) ||
        sg_grow(&cases->own_rows, &of_rows, 3 * events, width * sizeof *cases->own_rows))
        return sg_fail_memory(error, "the messages of a step's events");
    cases->own_capacity = of_rows;
    for (size_t i = 0; i < events; i++) {
        uint32_t *ends = cases->nodes + 3 * i;
        ends[0] = columns->src[first + i];
        ends[1] = columns->dst[first + i];
        ends[2] = draw_negative(cases, pool, ends[0], rng);
        cases->left[2 * i] = cases->left[2 * i + 1] = (uint32_t)(3 * i);
        cases->right[2 * i] = (uint32_t)(3 * i + 1);
        cases->right[2 * i + 1] = (uint32_t)(3 * i + 2);
    }
    int status = SCADYG_OK;
    for (size_t i = 0, next; i < events && !status; i = next) {
        const double at = columns->time[first + i];
        for (next = i + 1; next < events && columns->time[first + next] == at;) next++;
        status = sg_past_reader_read(past, -1, at, sg_events_before(columns->time, columns->count, at),
                                     cases->nodes + 3 * i, 3 * (next - i), cases->own_rows + 3 * i * width, error);
    }
    cases->rows = cases->own_rows;
    return status;
}

static void swap(uint32_t *a, uint32_t *b)
{
    const uint32_t other = *a;
    *a = *b;
    *b = other;
}

static void shuffle(sg_link_cases *cases, sg_rng *rng)
{
    for (size_t i = cases->count; i > 1; i--) {
        const size_t j = (size_t)sg_rng_below(rng, i);
        const float label = cases->label[j];
        swap(&cases->left[i - 1], &cases->left[j]);
        swap(&cases->right[i - 1], &cases->right[j]);
        cases->label[j] = cases->label[i - 1];
        cases->label[i - 1] = label;
    }
}

int sg_link_cases_make(sg_link_cases *cases, sg_past_reader *past, const sg_train_pool *pool, int64_t step,
                       uint64_t first, uint64_t end, uint64_t seed, int64_t epoch, scadyg_error *error)
{
    const sg_columns *columns = &past->rows->view->messages->columns;
    const size_t events = (size_t)(end - first);
    size_t of_left = cases->capacity, of_right = cases->capacity, of_label = cases->capacity;
    if (sg_grow(&cases->left, &of_left, 2 * events, sizeof *cases->left) ||
        sg_grow(&cases->right, &of_right, 2 * events, sizeof *cases->right) ||
        sg_grow(&cases->label, &of_label, 2 * events, sizeof *cases->label))
        return sg_fail_memory(error, "the cases of a step");
    cases->capacity = of_left;
    cases->count = 2 * events;
    cases->known = pool->known[step];
    sg_rng rng;
    sg_rng_seed(&rng, sg_hash3(seed, (uint64_t)epoch, (uint64_t)step), 1);
    int status = hash_pairs(cases, columns, first, end, error);
    if (!status && sg_train_of(past->rows->view->model)->freshness == SG_FRESHNESS_EVENT) {
        status = read_at_times(cases, past, pool, first, events, &rng, error);
    } else if (!status) {
        status = sg_node_rows_step(past->rows, step, &cases->rows, error);
        if (!status) list_by_node(cases, columns, pool, first, events, &rng);
    }
    if (status) return status;
    for (size_t i = 0; i < events; i++) {
        cases->label[2 * i] = 1;
        cases->label[2 * i + 1] = 0;
    }
    shuffle(cases, &rng);
    return SCADYG_OK;
}

/* ---- Where training negatives come from ---- */

void sg_train_pool_free(sg_train_pool *pool)
{
    free(pool->nodes);
    free(pool->known);
    *pool = (sg_train_pool){0};
}

static void list_nodes(sg_train_pool *pool, const sg_columns *columns, const sg_steps *steps)
{
    size_t known = 0;
    for (int64_t step = 0; step < steps->count; step++) {
        for (uint64_t e = steps->first[step]; e < steps->first[step + 1]; e++) {
            const uint32_t last = columns->src[e] > columns->dst[e] ? columns->src[e] : columns->dst[e];
            if (last >= known) known = (size_t)last + 1;
        }
        pool->known[step] = known;
    }
}

static int list_destinations(sg_train_pool *pool, const sg_columns *columns, size_t nodes, const sg_steps *steps,
                             scadyg_error *error)
{
    unsigned char *is = sg_alloc_zero(nodes, 1);
    pool->nodes = sg_alloc(nodes, sizeof *pool->nodes);
    if (!is || !pool->nodes) {
        free(is);
        return sg_fail_memory(error, "the destinations");
    }
    size_t known = 0;
    for (int64_t step = 0; step < steps->count; step++) {
        for (uint64_t e = steps->first[step]; e < steps->first[step + 1]; e++) {
            const uint32_t node = columns->dst[e];
            if (!is[node]) pool->nodes[known++] = node;
            is[node] = 1;
        }
        pool->known[step] = known;
    }
    free(is);
    return SCADYG_OK;
}

int sg_train_pool_make(sg_train_pool *pool, const sg_columns *columns, size_t nodes, const sg_steps *steps,
                       int kind, scadyg_error *error)
{
    *pool = (sg_train_pool){.known = sg_alloc((size_t)steps->count, sizeof *pool->known)};
    if (!pool->known) return sg_fail_memory(error, "the pool of negatives");
    if (kind == SG_PAPER_POOL_DESTINATION) return list_destinations(pool, columns, nodes, steps, error);
    for (int64_t step = 0; step < steps->count; step++) pool->known[step] = nodes;
    if (kind == SG_PAPER_POOL_SEEN) list_nodes(pool, columns, steps);
    return SCADYG_OK;
}
