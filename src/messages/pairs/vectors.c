/* Vectors of destinations, learned as events come. */
#include "messages/pairs/vectors.h"

#include "base/memory.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wpsabi"

#define NONE UINT32_MAX
#define STREAM ((uint64_t)0xEC << 56)

/* docs/accuracy.md, "Identity", has what was tried. */
enum { NEGATIVES = 20 };
#define START 0.1f      /* deviation of e at first */
#define PULL 0.005f     /* towards 0, of rows */
#define STEP 0.05f      /* of rows */
#define KEEP 0.99f      /* of the mean square of their slopes */
#define STEP_PAST 0.01f /* of a */
#define STEP_SAME 0.05f /* of c */
#define TINY 1e-8f
static const double powers[SG_VECTOR_HEADS] = {0.3, 0.7, 1.2, 3}; /* a_j = (1 + j)^-power at first */

typedef float eight __attribute__((vector_size(32), aligned(4), may_alias));
enum { LANES = 8, PARTS = SG_VECTOR / LANES };

typedef struct row {
    float e[SG_VECTOR], f[SG_VECTOR];
    float e_square, f_square;
} row;

struct sg_vectors {
    const sg_columns *columns;
    const uint64_t *keys;
    size_t nodes;
    uint32_t *row_of; /* [nodes] of destinations, in the order of their first event; NONE */
    uint32_t *past;   /* [nodes][SG_VECTOR_PAST] rows of a source's latest destinations; NONE behind the last */
    row *rows;
    size_t count, room;
    uint64_t number;       /* of event 0 of the columns */
    sg_state_range mapped; /* what lies there is of a file */
    float a[SG_VECTOR_PAST][SG_VECTOR_HEADS], a_square[SG_VECTOR_PAST][SG_VECTOR_HEADS];
    float c[SG_VECTOR_PAST], c_square[SG_VECTOR_PAST];
};

int sg_vectors_open(const sg_columns *columns, const uint64_t *keys, size_t nodes, sg_vectors **vectors,
                    scadyg_error *error)
{
    sg_vectors *v = sg_alloc_zero(1, sizeof *v);
    *vectors = NULL;
    if (v) *v = (sg_vectors){.columns = columns, .keys = keys, .nodes = nodes};
    if (!v || SG_ALLOC(SG_ARRAY(v->row_of, nodes), SG_ARRAY(v->past, nodes * SG_VECTOR_PAST))) {
        sg_vectors_close(v);
        return sg_fail_memory(error, "the vectors of destinations");
    }
    sg_vectors_rewind(v);
    *vectors = v;
    return SCADYG_OK;
}

void sg_vectors_close(sg_vectors *v)
{
    if (!v) return;
    sg_state_free(&v->mapped, v->row_of);
    sg_state_free(&v->mapped, v->past);
    sg_state_free(&v->mapped, v->rows);
    free(v);
}

void sg_vectors_rewind(sg_vectors *v)
{
    memset(v->row_of, 0xFF, v->nodes * sizeof *v->row_of);
    memset(v->past, 0xFF, v->nodes * SG_VECTOR_PAST * sizeof *v->past);
    v->count = 0;
    for (int j = 0; j < SG_VECTOR_PAST; j++) {
        for (int h = 0; h < SG_VECTOR_HEADS; h++) {
            v->a[j][h] = (float)pow(1 + j, -powers[h]);
            v->a_square[j][h] = 0;
        }
        v->c[j] = v->c_square[j] = 0;
    }
}

/* ---- Rows ---- */

static float dot(const float *x, const float *y)
{
    eight sum = {0};
    for (int i = 0; i < SG_VECTOR; i += LANES) sum += *(const eight *)(x + i) * *(const eight *)(y + i);
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

enum { HEAD = SG_VECTOR / SG_VECTOR_HEADS };

static float dot_head(const float *x, const float *y, int h)
{
    eight sum = {0};
    for (int i = h * HEAD; i < (h + 1) * HEAD; i += LANES) sum += *(const eight *)(x + i) * *(const eight *)(y + i);
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

static void add_heads(const float *scale, const float *x, float *to)
{
    for (int i = 0; i < SG_VECTOR; i += LANES) *(eight *)(to + i) += *(const eight *)(x + i) * scale[i / HEAD];
}

static void add(float scale, const float *x, float *to)
{
    for (int i = 0; i < SG_VECTOR; i += LANES) *(eight *)(to + i) += *(const eight *)(x + i) * scale;
}

/* A normal number from a hash, by the sum of four uniform ones. */
static float draw_normal(uint64_t key, uint64_t i)
{
    double sum = -2;
    for (uint64_t k = 0; k < 4; k++) sum += sg_unit(sg_hash3(key, STREAM, 4 * i + k));
    return (float)(sum * sqrt(3));
}

/* realloc(), but for what lies in a file. -1 without memory. */
static int resize(const sg_vectors *v, void *array, size_t used, size_t room, size_t size)
{
    void *old, *made;
    memcpy(&old, array, sizeof old);
    if (sg_state_holds(&v->mapped, old)) {
        made = sg_alloc(room, size);
        if (made) memcpy(made, old, used * size);
    } else {
        made = room <= SIZE_MAX / size ? realloc(old, room * size) : NULL;
    }
    if (!made) return -1;
    memcpy(array, &made, sizeof made);
    return 0;
}

/* Twice as many rows, but never more than nodes: SG_VECTOR_BYTES counts on that. */
static int make_room(sg_vectors *v)
{
    const size_t twice = v->room ? 2 * v->room : 16, room = twice < v->nodes ? twice : v->nodes;
    if (resize(v, &v->rows, v->count, room, sizeof *v->rows)) return -1;
    v->room = room;
    return 0;
}

static int make_row(sg_vectors *v, uint32_t node, scadyg_error *error)
{
    if (v->row_of[node] != NONE) return SCADYG_OK;
    if (v->count == v->room && make_room(v)) return sg_fail_memory(error, "the vectors of destinations");
    row *r = &v->rows[v->count];
    *r = (row){0};
    for (uint64_t i = 0; i < SG_VECTOR; i++) r->e[i] = START * draw_normal(v->keys[node], i);
    v->row_of[node] = (uint32_t)v->count++;
    return SCADYG_OK;
}

/* One step of a row against its slope. */
static void step_row(float *x, float *square, const float *slope)
{
    float g[SG_VECTOR];
    for (int i = 0; i < SG_VECTOR; i += LANES)
        *(eight *)(g + i) = *(const eight *)(slope + i) + *(eight *)(x + i) * PULL;
    *square = KEEP * *square + dot(g, g) / SG_VECTOR;
    add(-STEP / sqrtf(*square + TINY), g, x);
}

static void step_number(float *x, float *square, float slope, float step)
{
    *square += slope * slope;
    *x -= step * slope / sqrtf(*square + TINY);
}

/* ---- Learning from an event ---- */

static size_t make_query(const sg_vectors *v, const uint32_t *past, float *q)
{
    size_t count = 0;
    memset(q, 0, SG_VECTOR * sizeof *q);
    for (; count < SG_VECTOR_PAST && past[count] != NONE; count++)
        add_heads(v->a[count], v->rows[past[count]].e, q);
    return count;
}

static float score_row(const sg_vectors *v, const uint32_t *past, size_t count, const float *q, uint32_t at)
{
    float score = dot(q, v->rows[at].f);
    for (size_t j = 0; j < count; j++)
        if (past[j] == at) score += v->c[j];
    return score;
}

/* The event's destination first, then random ones among the `known` first rows. */
static size_t draw_rows(uint64_t event, uint32_t own, size_t known, uint32_t *at)
{
    size_t count = 1;
    at[0] = own;
    for (uint64_t k = 0; k < NEGATIVES; k++) {
        const uint32_t other = (uint32_t)(sg_hash3(STREAM, event, k) % known);
        if (other != own) at[count++] = other;
    }
    return count;
}

static void learn(sg_vectors *v, uint64_t event, size_t known)
{
    const sg_columns *columns = v->columns;
    const uint32_t *past = v->past + (size_t)columns->src[event] * SG_VECTOR_PAST;
    uint32_t at[NEGATIVES + 1];
    float q[SG_VECTOR], dq[SG_VECTOR] = {0}, p[NEGATIVES + 1], slope[SG_VECTOR], top, sum = 0;
    const size_t length = make_query(v, past, q);
    if (!length || !known) return;
    const size_t count = draw_rows(v->number + event, v->row_of[columns->dst[event]], known, at);
    for (size_t k = 0; k < count; k++) p[k] = score_row(v, past, length, q, at[k]);
    top = p[0];
    for (size_t k = 1; k < count; k++) top = fmaxf(top, p[k]);
    for (size_t k = 0; k < count; k++) sum += p[k] = expf(p[k] - top);
    for (size_t k = 0; k < count; k++) {
        p[k] = p[k] / sum - (k == 0);
        add(p[k], v->rows[at[k]].f, dq);
        for (size_t j = 0; j < length; j++)
            if (past[j] == at[k]) step_number(&v->c[j], &v->c_square[j], p[k], STEP_SAME);
    }
    for (size_t k = 0; k < count; k++) {
        memset(slope, 0, sizeof slope);
        add(p[k], q, slope);
        step_row(v->rows[at[k]].f, &v->rows[at[k]].f_square, slope);
    }
    for (size_t j = 0; j < length; j++) {
        row *r = &v->rows[past[j]];
        float da[SG_VECTOR_HEADS];
        for (int h = 0; h < SG_VECTOR_HEADS; h++) da[h] = dot_head(dq, r->e, h);
        memset(slope, 0, sizeof slope);
        add_heads(v->a[j], dq, slope);
        step_row(r->e, &r->e_square, slope);
        for (int h = 0; h < SG_VECTOR_HEADS; h++) step_number(&v->a[j][h], &v->a_square[j][h], da[h], STEP_PAST);
    }
}

static void push(uint32_t *past, uint32_t at)
{
    size_t place = 0;
    while (place < SG_VECTOR_PAST - 1 && past[place] != at && past[place] != NONE) place++;
    memmove(past + 1, past, place * sizeof *past);
    past[0] = at;
}

int sg_vectors_add(sg_vectors *v, uint64_t first, uint64_t end, scadyg_error *error)
{
    const sg_columns *columns = v->columns;
    int status = SCADYG_OK;
    for (uint64_t e = first, next; e < end && !status; e = next) {
        const size_t known = v->count;
        for (next = e; next < end && columns->time[next] == columns->time[e] && !status; next++)
            status = make_row(v, columns->dst[next], error);
        for (uint64_t i = e; i < next && !status; i++) learn(v, i, known);
        for (uint64_t i = e; i < next && !status; i++)
            push(v->past + (size_t)columns->src[i] * SG_VECTOR_PAST, v->row_of[columns->dst[i]]);
    }
    return status;
}

/* ---- Live ---- */

int sg_vectors_grow(sg_vectors *v, const uint64_t *keys, size_t nodes, scadyg_error *error)
{
    const size_t before = v->nodes;
    v->keys = keys;
    if (nodes <= before) return SCADYG_OK;
    if (resize(v, &v->row_of, before, nodes, sizeof *v->row_of) ||
        resize(v, &v->past, before, nodes, SG_VECTOR_PAST * sizeof *v->past))
        return sg_fail_memory(error, "the vectors of destinations");
    v->nodes = nodes;
    memset(v->row_of + before, 0xFF, (nodes - before) * sizeof *v->row_of);
    memset(v->past + before * SG_VECTOR_PAST, 0xFF, (nodes - before) * SG_VECTOR_PAST * sizeof *v->past);
    return SCADYG_OK;
}

void sg_vectors_set_number(sg_vectors *v, uint64_t number)
{
    v->number = number;
}

size_t sg_vectors_known(const sg_vectors *v)
{
    return v->count;
}

const uint32_t *sg_vectors_past(const sg_vectors *v, uint32_t source)
{
    return v->past + (size_t)source * SG_VECTOR_PAST;
}

int sg_vectors_go_on(sg_vectors *v, uint64_t event, size_t known, const uint32_t *before, scadyg_error *error)
{
    uint32_t now[SG_VECTOR_PAST], *past = v->past + (size_t)v->columns->src[event] * SG_VECTOR_PAST;
    int status = make_row(v, v->columns->dst[event], error);
    if (status) return status;
    memcpy(now, past, sizeof now);
    memcpy(past, before, sizeof now);
    learn(v, event, known);
    memcpy(past, now, sizeof now);
    push(past, v->row_of[v->columns->dst[event]]);
    return SCADYG_OK;
}

typedef struct saved_numbers {
    uint64_t count;
    float a[SG_VECTOR_PAST][SG_VECTOR_HEADS], a_square[SG_VECTOR_PAST][SG_VECTOR_HEADS];
    float c[SG_VECTOR_PAST], c_square[SG_VECTOR_PAST];
} saved_numbers;

enum { NUMBERS, ROWS, ROW_OF, PAST }; /* sections */

void sg_vectors_save(const sg_vectors *v, uint32_t kind, size_t nodes, sg_state_writer *w)
{
    saved_numbers n = {.count = v->count};
    memcpy(n.a, v->a, sizeof n.a);
    memcpy(n.a_square, v->a_square, sizeof n.a_square);
    memcpy(n.c, v->c, sizeof n.c);
    memcpy(n.c_square, v->c_square, sizeof n.c_square);
    sg_state_begin(w, kind + NUMBERS);
    sg_state_copy(w, &n, sizeof n);
    sg_state_begin(w, kind + ROWS);
    sg_state_put(w, v->rows, v->count * sizeof *v->rows);
    sg_state_begin(w, kind + ROW_OF);
    sg_state_put(w, v->row_of, nodes * sizeof *v->row_of);
    sg_state_begin(w, kind + PAST);
    sg_state_put(w, v->past, nodes * SG_VECTOR_PAST * sizeof *v->past);
}

/* Rows that are there, or none. */
static int are_rows(const sg_vectors *v, const uint32_t *at, size_t count)
{
    int good = 1;
    for (size_t i = 0; i < count; i++) good &= at[i] < v->count || at[i] == NONE;
    return good;
}

/* Every row is one node's: so there are never more rows than nodes, whatever comes. -1 without memory. */
static int have_owners(const sg_vectors *v)
{
    unsigned char *owned = sg_alloc_zero(v->count, 1);
    size_t owners = 0;
    int good = 1;
    if (!owned) return -1;
    for (size_t i = 0; i < v->nodes; i++) {
        const uint32_t at = v->row_of[i];
        if (at == NONE) continue;
        good &= !owned[at];
        owned[at] = 1;
        owners++;
    }
    free(owned);
    return good && owners == v->count;
}

int sg_vectors_load(sg_vectors *v, uint32_t kind, const sg_state_reader *r, scadyg_error *error)
{
    const saved_numbers *n = NULL;
    uint32_t *row_of = NULL, *past = NULL;
    row *rows = NULL;
    int status = sg_state_take(r, kind + NUMBERS, sizeof *n, &n, error);
    if (!status && n->count > v->nodes) status = sg_state_bad(r, "it has more vectors than nodes", error);
    if (!status) status = sg_state_take(r, kind + ROWS, n->count * sizeof *rows, &rows, error);
    if (!status) status = sg_state_take(r, kind + ROW_OF, v->nodes * sizeof *row_of, &row_of, error);
    if (!status) status = sg_state_take(r, kind + PAST, v->nodes * SG_VECTOR_PAST * sizeof *past, &past, error);
    if (status) return status;
    SG_FREE(v->row_of, v->past, v->rows);
    v->mapped = (sg_state_range){r->data, r->data + r->size};
    v->row_of = row_of;
    v->past = past;
    v->rows = rows;
    v->count = v->room = (size_t)n->count;
    memcpy(v->a, n->a, sizeof v->a);
    memcpy(v->a_square, n->a_square, sizeof v->a_square);
    memcpy(v->c, n->c, sizeof v->c);
    memcpy(v->c_square, n->c_square, sizeof v->c_square);
    if (!are_rows(v, row_of, v->nodes) || !are_rows(v, past, v->nodes * SG_VECTOR_PAST))
        return sg_state_bad(r, "it names vectors that are not there", error);
    const int owned = have_owners(v);
    if (owned < 0) return sg_fail_memory(error, "the vectors of destinations");
    return owned ? SCADYG_OK : sg_state_bad(r, "its vectors are not of one node each", error);
}

/* ---- Reading ---- */

void sg_vectors_read(const sg_vectors *v, uint32_t src, uint32_t dst, sg_vector_query *query, float *numbers)
{
    const uint32_t *past = v->past + (size_t)src * SG_VECTOR_PAST, at = v->row_of[dst];
    memset(numbers, 0, SG_VECTOR_NUMBERS * sizeof *numbers);
    if (query->source != src) {
        (void)make_query(v, past, query->q);
        query->length = sqrtf(dot(query->q, query->q));
        query->source = src;
    }
    if (at == NONE || past[0] == NONE) return;
    const float *f = v->rows[at].f, length = sqrtf(dot(f, f)), product = dot(query->q, f);
    numbers[0] = numbers[1] = product;
    for (size_t j = 0; j < SG_VECTOR_PAST; j++)
        if (past[j] == at) numbers[0] += v->c[j];
    numbers[2] = length > 0 && query->length > 0 ? product / (length * query->length) : 0;
    numbers[3] = query->length;
    numbers[4] = length;
    for (int h = 0; h < SG_VECTOR_HEADS; h++) numbers[5 + h] = dot_head(query->q, f, h);
}
