/* Vectors of destinations in a snapshot. What is read is checked as if somebody had forged it. */
#include "base/memory.h"
#include "messages/pairs/vectors_parts.h"

#include <stdlib.h>
#include <string.h>

#define NONE SG_VECTOR_NONE

typedef struct saved_numbers {
    uint64_t count, sources;
    uint32_t hand, times;
    sg_vector_weights weights;
} saved_numbers;

enum { NUMBERS, ROWS, SQUARES, OWNERS, ROW_OF, PASTS, PAST_OF }; /* sections */

void sg_vectors_save(const sg_vectors *v, uint32_t kind, size_t nodes, sg_state_writer *w)
{
    const saved_numbers n = {v->count, v->sources, v->hand, v->times, v->weights};
    sg_state_begin(w, kind + NUMBERS);
    sg_state_copy(w, &n, sizeof n);
    sg_state_begin(w, kind + ROWS);
    sg_state_put(w, v->rows, v->count * sizeof *v->rows);
    sg_state_begin(w, kind + SQUARES);
    sg_state_put(w, v->squares, v->count * sizeof *v->squares);
    sg_state_begin(w, kind + OWNERS);
    sg_state_put(w, v->owners, v->count * sizeof *v->owners);
    sg_state_begin(w, kind + ROW_OF);
    sg_state_put(w, v->row_of, nodes * sizeof *v->row_of);
    sg_state_begin(w, kind + PASTS);
    sg_state_put(w, v->pasts, v->sources * sizeof *v->pasts);
    sg_state_begin(w, kind + PAST_OF);
    sg_state_put(w, v->past_of, nodes * sizeof *v->past_of);
}

/* Every row is its owner's, and nobody else has one: so there are never more rows than nodes, whatever comes. */
static int have_owners(const sg_vectors *v)
{
    size_t rows = 0;
    int good = 1;
    for (size_t i = 0; i < v->count && good; i++)
        good = v->owners[i].node < v->nodes && v->row_of[v->owners[i].node] == i;
    for (size_t i = 0; i < v->nodes; i++) rows += v->row_of[i] != NONE;
    return good && rows == v->count;
}

/* Every past is one node's. -1 without memory. */
static int have_sources(const sg_vectors *v)
{
    unsigned char *owned = sg_alloc_zero(v->sources, 1);
    size_t pasts = 0;
    int good = 1;
    if (!owned) return -1;
    for (size_t i = 0; i < v->nodes && good; i++) {
        const uint32_t at = v->past_of[i];
        if (at == NONE) continue;
        good = at < v->sources && !owned[at] && sg_vector_past_is_sound(&v->pasts[at], v->nodes);
        if (good) owned[at] = 1;
        pasts++;
    }
    free(owned);
    return good && pasts == v->sources;
}

static int check(const sg_vectors *v, const sg_state_reader *r, scadyg_error *error)
{
    if (!have_owners(v)) return sg_state_bad(r, "its vectors are not of one node each", error);
    const int sound = have_sources(v);
    if (sound < 0) return sg_fail_memory(error, "the vectors of destinations");
    return sound ? SCADYG_OK : sg_state_bad(r, "what its sources chose last makes no sense", error);
}

/* An array, NULL if it is empty: there is nothing to point at. */
static int take(const sg_state_reader *r, uint32_t kind, uint64_t count, size_t size, void *array,
                scadyg_error *error)
{
    void *const none = NULL;
    int status = sg_state_take(r, kind, count * size, array, error);
    if (!status && count == 0) memcpy(array, &none, sizeof none);
    return status;
}

int sg_vectors_load(sg_vectors *v, uint32_t kind, const sg_state_reader *r, scadyg_error *error)
{
    const saved_numbers *n = NULL;
    sg_vectors taken = *v;
    int status = sg_state_take(r, kind + NUMBERS, sizeof *n, &n, error);
    if (!status && (n->count > v->nodes || n->count > v->most || n->sources > v->nodes))
        status = sg_state_bad(r, "it has more vectors than nodes, or than its bound", error);
    if (!status && n->hand && n->hand >= n->count)
        status = sg_state_bad(r, "it would forget a vector that is not there", error);
    if (!status) status = take(r, kind + ROWS, n->count, sizeof *v->rows, &taken.rows, error);
    if (!status) status = take(r, kind + SQUARES, n->count, sizeof *v->squares, &taken.squares, error);
    if (!status) status = take(r, kind + OWNERS, n->count, sizeof *v->owners, &taken.owners, error);
    if (!status) status = take(r, kind + ROW_OF, v->nodes, sizeof *v->row_of, &taken.row_of, error);
    if (!status) status = take(r, kind + PASTS, n->sources, sizeof *v->pasts, &taken.pasts, error);
    if (!status) status = take(r, kind + PAST_OF, v->nodes, sizeof *v->past_of, &taken.past_of, error);
    if (status) return status;
    sg_vectors_free_arrays(v);
    *v = taken;
    v->mapped = (sg_state_range){r->data, r->data + r->size};
    v->count = (size_t)n->count;
    v->sources = (size_t)n->sources;
    v->hand = n->hand;
    v->times = n->times;
    v->room[SG_VECTOR_ROWS] = v->room[SG_VECTOR_SQUARES] = v->room[SG_VECTOR_OWNERS] = v->count;
    v->room[SG_VECTOR_PASTS] = v->sources;
    v->room[SG_VECTOR_ROW_OF] = v->room[SG_VECTOR_PAST_OF] = v->nodes;
    v->weights = n->weights;
    return check(v, r, error);
}
