/* Vectors of destinations, learned as events come: their state, and how it follows the log. */
#include "messages/pairs/vectors_parts.h"

#include "base/memory.h"
#include "base/rng.h"
#include "base/simd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE SG_VECTOR_NONE
#define START 0.1f /* deviation of e at first */
#define NOT_DRAWN UINT64_MAX
#define MOST_USED 15 /* counted: who was chosen often long ago is forgotten after a few rounds too */
static const double powers[SG_VECTOR_HEADS] = {0.3, 0.7, 1.2, 3}; /* a_j = (1 + j)^-power at first */

/* ---- Opening ---- */

/* Room for more; what lies in a file is copied. -1 without memory, with all as it was. */
static int regrow(sg_vectors *v, int which, void *array, size_t used, size_t more, size_t size)
{
    void *old, *made;
    if (more <= v->room[which]) return 0;
    memcpy(&old, array, sizeof old);
    if (sg_state_holds(&v->mapped, old)) {
        made = sg_alloc_pages(more, size);
        if (made) memcpy(made, old, used * size);
    } else {
        made = sg_regrow_pages(old, v->room[which], more, size);
    }
    if (!made) return -1;
    memcpy(array, &made, sizeof made);
    v->room[which] = more;
    return 0;
}

static void free_array(const sg_vectors *v, int which, void *array, size_t size)
{
    if (!sg_state_holds(&v->mapped, array)) sg_free_pages(array, v->room[which], size);
}

void sg_vectors_free_arrays(sg_vectors *v)
{
    free_array(v, SG_VECTOR_ROW_OF, v->row_of, sizeof *v->row_of);
    free_array(v, SG_VECTOR_PAST_OF, v->past_of, sizeof *v->past_of);
    free_array(v, SG_VECTOR_ROWS, v->rows, sizeof *v->rows);
    free_array(v, SG_VECTOR_SQUARES, v->squares, sizeof *v->squares);
    free_array(v, SG_VECTOR_OWNERS, v->owners, sizeof *v->owners);
    free_array(v, SG_VECTOR_PASTS, v->pasts, sizeof *v->pasts);
}

/* Nodes from the first one on are new. */
static int add_nodes(sg_vectors *v, size_t first, size_t nodes, scadyg_error *error)
{
    if (regrow(v, SG_VECTOR_ROW_OF, &v->row_of, first, nodes, sizeof *v->row_of) ||
        regrow(v, SG_VECTOR_PAST_OF, &v->past_of, first, nodes, sizeof *v->past_of))
        return sg_fail_memory(error, "the vectors of destinations");
    v->nodes = nodes;
    memset(v->row_of + first, 0xFF, (nodes - first) * sizeof *v->row_of);
    memset(v->past_of + first, 0xFF, (nodes - first) * sizeof *v->past_of);
    return SCADYG_OK;
}

int sg_vectors_open(const sg_columns *columns, const uint64_t *keys, size_t nodes, uint64_t most,
                    sg_vectors **vectors, scadyg_error *error)
{
    sg_vectors *v = sg_alloc_zero(1, sizeof *v);
    *vectors = NULL;
    if (!v) return sg_fail_memory(error, "the vectors of destinations");
    *v = (sg_vectors){.columns = columns, .keys = keys, .most = most < NONE ? (size_t)most : NONE};
    int status = nodes ? add_nodes(v, 0, nodes, error) : SCADYG_OK;
    if (status) {
        sg_vectors_close(v);
        return status;
    }
    sg_vectors_rewind(v);
    *vectors = v;
    return SCADYG_OK;
}

void sg_vectors_close(sg_vectors *v)
{
    if (!v) return;
    sg_vectors_free_arrays(v);
    free(v);
}

void sg_vectors_rewind(sg_vectors *v)
{
    memset(v->row_of, 0xFF, v->nodes * sizeof *v->row_of);
    memset(v->past_of, 0xFF, v->nodes * sizeof *v->past_of);
    v->count = v->sources = 0;
    v->hand = v->times = 0;
    v->drawn = NOT_DRAWN;
    memset(&v->weights, 0, sizeof v->weights);
    for (int j = 0; j < SG_VECTOR_PAST; j++)
        for (int h = 0; h < SG_VECTOR_HEADS; h++) v->weights.a[j][h] = (float)pow(1 + j, -powers[h]);
}

uint64_t sg_vectors_bytes(const sg_vectors *v)
{
    return sg_vector_past_bytes(v->nodes, v->sources) + v->count * SG_VECTOR_ROW_BYTES;
}

/* ---- Rows and pasts ---- */

/* A normal number from a hash, by the sum of four uniform ones. */
static float draw_normal(uint64_t key, uint64_t i)
{
    double sum = -2;
    for (uint64_t k = 0; k < 4; k++) sum += sg_unit(sg_hash3(key, SG_VECTOR_STREAM, 4 * i + k));
    return (float)(sum * sqrt(3));
}

/* Room for one more, by doubling, but never more than can be needed. What is large is not touched before it is used. */
static size_t more_than(size_t used, size_t most)
{
    size_t room = 128;
    while (room <= used) room *= 2;
    return room < most ? room : most;
}

static int make_room(sg_vectors *v)
{
    const size_t more = more_than(v->count, v->most < v->nodes ? v->most : v->nodes);
    return regrow(v, SG_VECTOR_ROWS, &v->rows, v->count, more, sizeof *v->rows) ||
           regrow(v, SG_VECTOR_SQUARES, &v->squares, v->count, more, sizeof *v->squares) ||
           regrow(v, SG_VECTOR_OWNERS, &v->owners, v->count, more, sizeof *v->owners);
}

/* Who comes once stays for a round of the hand. What is halved was counted before, so that the hand moves no more often than
 * destinations are chosen. */
static uint32_t forget_least_used(sg_vectors *v)
{
    for (;;) {
        const uint32_t at = v->hand;
        sg_vector_owner *owner = &v->owners[at];
        v->hand = at + 1 < v->count ? at + 1 : 0;
        if (owner->used == 0) {
            v->row_of[owner->node] = NONE;
            return at;
        }
        owner->used /= 2;
    }
}

static void begin_row(sg_vectors *v, uint32_t at, uint32_t node)
{
    sg_vector_row *r = &v->rows[at];
    *r = (sg_vector_row){0};
    for (uint64_t i = 0; i < SG_VECTOR; i++) r->e[i] = START * draw_normal(v->keys[node], i);
    v->squares[at] = (sg_vector_squares){0};
    v->owners[at] = (sg_vector_owner){.node = node, .made = v->times};
    v->row_of[node] = at;
}

/* A destination is chosen: it has a row from now on. */
static int choose(sg_vectors *v, uint32_t node, scadyg_error *error)
{
    const uint32_t at = v->row_of[node];
    if (at != NONE) {
        v->owners[at].used += v->owners[at].used < MOST_USED;
    } else if (v->count == v->most) {
        begin_row(v, forget_least_used(v), node);
    } else {
        if (make_room(v)) return sg_fail_memory(error, "the vectors of destinations");
        begin_row(v, (uint32_t)v->count++, node);
    }
    return SCADYG_OK;
}

const sg_vector_past *sg_vectors_past(const sg_vectors *v, uint32_t source)
{
    static const sg_vector_past nothing = {{NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
                                            NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
                                            NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE}};
    const uint32_t at = v->past_of[source];
    return at == NONE ? &nothing : &v->pasts[at];
}

static int push(sg_vectors *v, uint32_t source, uint32_t node, scadyg_error *error)
{
    if (v->past_of[source] == NONE) {
        if (v->sources == v->room[SG_VECTOR_PASTS] &&
            regrow(v, SG_VECTOR_PASTS, &v->pasts, v->sources, more_than(v->sources, v->nodes), sizeof *v->pasts))
            return sg_fail_memory(error, "the vectors of destinations");
        memset(&v->pasts[v->sources], 0xFF, sizeof *v->pasts);
        v->past_of[source] = (uint32_t)v->sources++;
    }
    uint32_t *who = v->pasts[v->past_of[source]].who;
    size_t place = 0;
    while (place < SG_VECTOR_PAST - 1 && who[place] != node && who[place] != NONE) place++;
    memmove(who + 1, who, place * sizeof *who);
    who[0] = node;
    return SCADYG_OK;
}

/* ---- Learning from an event ---- */

/* hash % known by a multiplication: the quotient of the inverse is right or one too small. */
SG_INLINE uint32_t reduce(uint64_t hash, uint64_t known, uint64_t inverse)
{
    const uint64_t quotient = (uint64_t)((unsigned __int128)hash * inverse >> 64), rest = hash - quotient * known;
    return (uint32_t)(rest < known ? rest : rest - known);
}

static void draw(sg_vectors *v, uint64_t number)
{
    for (uint64_t k = 0; k < SG_VECTOR_NEGATIVES; k++) v->draws[k] = sg_hash3(SG_VECTOR_STREAM, number, k);
    v->drawn = number;
}

/* The event's destination first, then random ones among the `known` first rows, but for those where another was forgotten at
 * this very time. */
static void choose_rows(sg_vectors *v, uint64_t number, uint32_t own, size_t known, sg_vector_case *one)
{
    const uint64_t inverse = UINT64_MAX / known;
    const int full = v->count == v->most;
    if (v->drawn != number) draw(v, number);
    one->count = 1;
    one->at[0] = own;
    for (size_t k = 0; k < SG_VECTOR_NEGATIVES; k++) {
        const uint32_t other = reduce(v->draws[k], known, inverse);
        one->at[one->count] = other;
        one->count += other != own && !(full && v->owners[other].made == v->times);
    }
}

static int learn(sg_vectors *v, uint64_t event, size_t known, const sg_vector_past *past, scadyg_error *error)
{
    const uint32_t dst = v->columns->dst[event];
    sg_vector_case one;
    int status = choose(v, dst, error);
    if (status || !known) return status;
    sg_vector_case_past(v, past, &one);
    if (!one.length) return SCADYG_OK;
    choose_rows(v, v->number + event, v->row_of[dst], known, &one);
    sg_vectors_learn(v, &one);
    return SCADYG_OK;
}

/* ---- Following the log ---- */

int sg_vectors_count_roles(const sg_columns *columns, uint64_t nodes, sg_vector_roles *roles, scadyg_error *error)
{
    enum { SOURCE = 1, DESTINATION = 2 };
    unsigned char *is = sg_alloc_zero((size_t)nodes, 1);
    *roles = (sg_vector_roles){.nodes = nodes};
    if (!is) return sg_fail_memory(error, "a look at the nodes");
    for (uint64_t e = 0; e < columns->count; e++) {
        sg_columns_pass(columns, e, sizeof *columns->src + sizeof *columns->dst);
        is[columns->src[e]] |= SOURCE;
        is[columns->dst[e]] |= DESTINATION;
    }
    for (uint64_t i = 0; i < nodes; i++) {
        roles->sources += (is[i] & SOURCE) != 0;
        roles->destinations += (is[i] & DESTINATION) != 0;
    }
    free(is);
    return SCADYG_OK;
}

/*
 * Memory is asked for ahead of its use: FAR events ahead where the nodes' past and row are, MIDWAY the past, NEAR where the rows
 * of those in it are, and the rows of the next event while this one is computed.
 */
enum { FAR = 6, MIDWAY = 4, NEAR = 2, NEXT = 1, LINE = 64 };

SG_INLINE void fetch_half(const float *x)
{
    for (size_t line = 0; line < SG_VECTOR * sizeof *x; line += LINE) __builtin_prefetch((const char *)x + line, 1);
}

SG_INLINE void fetch_past(const sg_vectors *v, uint32_t source)
{
    const char *past = (const char *)sg_vectors_past(v, source);
    __builtin_prefetch(past);
    __builtin_prefetch(past + sizeof(sg_vector_past) - 1);
}

SG_INLINE void fetch_places(const sg_vectors *v, uint32_t source)
{
    const sg_vector_past *past = sg_vectors_past(v, source);
    for (size_t j = 0; j < SG_VECTOR_PAST && past->who[j] != NONE; j++)
        __builtin_prefetch(&v->row_of[past->who[j]]);
}

/* Which rows are drawn may still change a little, as others become known. */
SG_INLINE void fetch_rows(sg_vectors *v, uint64_t event)
{
    const sg_vector_past *past = sg_vectors_past(v, v->columns->src[event]);
    const uint32_t own = v->row_of[v->columns->dst[event]];
    if (past->who[0] == NONE || !v->count) return;
    for (size_t j = 0; j < SG_VECTOR_PAST && past->who[j] != NONE; j++) {
        const uint32_t at = v->row_of[past->who[j]];
        if (at == NONE) continue;
        fetch_half(v->rows[at].e);
        __builtin_prefetch(&v->squares[at], 1);
    }
    if (own != NONE) fetch_half(v->rows[own].f);
    draw(v, v->number + event);
    const uint64_t inverse = UINT64_MAX / v->count;
    const int full = v->count == v->most;
    for (size_t k = 0; k < SG_VECTOR_NEGATIVES; k++) {
        const uint32_t at = reduce(v->draws[k], v->count, inverse);
        fetch_half(v->rows[at].f);
        __builtin_prefetch(&v->squares[at], 1);
        if (full) __builtin_prefetch(&v->owners[at]);
    }
}

SG_INLINE void fetch_ahead(sg_vectors *v, uint64_t e)
{
    const sg_columns *columns = v->columns;
    const uint64_t count = columns->count;
    if (e + FAR < count) {
        __builtin_prefetch(&v->past_of[columns->src[e + FAR]]);
        __builtin_prefetch(&v->row_of[columns->dst[e + FAR]]);
    }
    if (e + MIDWAY < count) fetch_past(v, columns->src[e + MIDWAY]);
    if (e + NEAR < count) fetch_places(v, columns->src[e + NEAR]);
    if (e + NEXT < count) fetch_rows(v, e + NEXT);
}

int sg_vectors_add(sg_vectors *v, uint64_t first, uint64_t end, scadyg_error *error)
{
    const sg_columns *columns = v->columns;
    int status = SCADYG_OK;
    for (uint64_t e = first, next; e < end && !status; e = next) {
        const size_t known = v->count;
        v->times++;
        for (next = e + 1; next < end && columns->time[next] == columns->time[e];) next++;
        for (uint64_t i = e; i < next && !status; i++) {
            status = learn(v, i, known, sg_vectors_past(v, columns->src[i]), error);
            fetch_ahead(v, i);
        }
        for (uint64_t i = e; i < next && !status; i++) status = push(v, columns->src[i], columns->dst[i], error);
    }
    return status;
}

/* ---- Live ---- */

int sg_vectors_grow(sg_vectors *v, const uint64_t *keys, size_t nodes, scadyg_error *error)
{
    v->keys = keys;
    return nodes > v->nodes ? add_nodes(v, v->nodes, nodes, error) : SCADYG_OK;
}

void sg_vectors_set_number(sg_vectors *v, uint64_t number)
{
    v->number = number;
}

size_t sg_vectors_known(const sg_vectors *v)
{
    return v->count;
}

int sg_vectors_go_on(sg_vectors *v, uint64_t event, size_t known, const sg_vector_past *past, scadyg_error *error)
{
    int status = learn(v, event, known, past, error);
    return status ? status : push(v, v->columns->src[event], v->columns->dst[event], error);
}
