/* Vectors of destinations in a snapshot. What is read is checked as if somebody had forged it. */
#include "base/memory.h"
#include "messages/pairs/vectors_parts.h"

#include <stdlib.h>
#include <string.h>

#define NONE SG_VECTOR_NONE

typedef struct saved_numbers {
    uint64_t count, sources;
    sg_vector_weights weights;
} saved_numbers;

enum { NUMBERS, ROWS, SQUARES, ROW_OF, PASTS, PAST_OF }; /* sections */

void sg_vectors_save(const sg_vectors *v, uint32_t kind, size_t nodes, sg_state_writer *w)
{
    const saved_numbers n = {v->count, v->sources, v->weights};
    sg_state_begin(w, kind + NUMBERS);
    sg_state_copy(w, &n, sizeof n);
    sg_state_begin(w, kind + ROWS);
    sg_state_put(w, v->rows, v->count * sizeof *v->rows);
    sg_state_begin(w, kind + SQUARES);
    sg_state_put(w, v->squares, v->count * sizeof *v->squares);
    sg_state_begin(w, kind + ROW_OF);
    sg_state_put(w, v->row_of, nodes * sizeof *v->row_of);
    sg_state_begin(w, kind + PASTS);
    sg_state_put(w, v->pasts, v->sources * sizeof *v->pasts);
    sg_state_begin(w, kind + PAST_OF);
    sg_state_put(w, v->past_of, nodes * sizeof *v->past_of);
}

/* Every one of `count` is one node's: so there are never more of them than nodes, whatever comes. -1 without memory. */
static int have_owners(const uint32_t *of, size_t nodes, size_t count)
{
    unsigned char *owned = sg_alloc_zero(count, 1);
    size_t owners = 0;
    int good = 1;
    if (!owned) return -1;
    for (size_t i = 0; i < nodes && good; i++) {
        if (of[i] == NONE) continue;
        good = of[i] < count && !owned[of[i]];
        if (good) owned[of[i]] = 1;
        owners++;
    }
    free(owned);
    return good && owners == count;
}

static int have_nodes(const sg_vectors *v)
{
    int good = 1;
    for (size_t i = 0; i < v->sources; i++) good &= sg_vector_past_is_sound(&v->pasts[i], v->nodes);
    return good;
}

static int check(const sg_vectors *v, const sg_state_reader *r, scadyg_error *error)
{
    const int rows = have_owners(v->row_of, v->nodes, v->count);
    const int pasts = have_owners(v->past_of, v->nodes, v->sources);
    if (rows < 0 || pasts < 0) return sg_fail_memory(error, "the vectors of destinations");
    if (!rows || !pasts) return sg_state_bad(r, "its vectors are not of one node each", error);
    return have_nodes(v) ? SCADYG_OK : sg_state_bad(r, "its vectors name nodes that are not there", error);
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
    if (!status && (n->count > v->nodes || n->sources > v->nodes))
        status = sg_state_bad(r, "it has more vectors than nodes", error);
    if (!status) status = take(r, kind + ROWS, n->count, sizeof *v->rows, &taken.rows, error);
    if (!status) status = take(r, kind + SQUARES, n->count, sizeof *v->squares, &taken.squares, error);
    if (!status) status = take(r, kind + ROW_OF, v->nodes, sizeof *v->row_of, &taken.row_of, error);
    if (!status) status = take(r, kind + PASTS, n->sources, sizeof *v->pasts, &taken.pasts, error);
    if (!status) status = take(r, kind + PAST_OF, v->nodes, sizeof *v->past_of, &taken.past_of, error);
    if (status) return status;
    sg_vectors_free_arrays(v);
    *v = taken;
    v->mapped = (sg_state_range){r->data, r->data + r->size};
    v->count = (size_t)n->count;
    v->sources = (size_t)n->sources;
    v->room[SG_VECTOR_ROWS] = v->room[SG_VECTOR_SQUARES] = v->count;
    v->room[SG_VECTOR_PASTS] = v->sources;
    v->room[SG_VECTOR_ROW_OF] = v->room[SG_VECTOR_PAST_OF] = v->nodes;
    v->weights = n->weights;
    return check(v, r, error);
}
