/*
 * Vectors of destinations: the arithmetic. Every sum has its terms in one order, lane by lane, so that a processor with wide
 * registers gives the same bytes as any other.
 */
#include "base/simd.h"
#include "messages/pairs/vectors_parts.h"

#include <math.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#pragma GCC diagnostic ignored "-Wpsabi"

/* docs/accuracy.md, "Identity", has what was tried. */
#define PULL 0.005f     /* towards 0, of rows */
#define STEP 0.05f      /* of rows */
#define KEEP 0.99f      /* of the mean square of their slopes */
#define STEP_PAST 0.01f /* of a */
#define STEP_SAME 0.05f /* of c */
#define TINY 1e-8f

typedef float four __attribute__((vector_size(16), aligned(4), may_alias));
typedef float eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef uint32_t eight_words __attribute__((vector_size(32), aligned(4), may_alias));
enum { LANES = 8, PARTS = SG_VECTOR / LANES, HEAD_PARTS = PARTS / SG_VECTOR_HEADS };

/* A vector of 64, in registers where there are enough. */
typedef struct whole {
    eight part[PARTS];
} whole;

_Static_assert(SG_VECTOR_HEADS == 4, "heads are the lanes of a `four`");

SG_INLINE eight load(const float *x, int part)
{
    return *(const eight *)(x + part * LANES);
}

SG_INLINE eight spread(float x)
{
    return (eight){x, x, x, x, x, x, x, x};
}

SG_INLINE four halves(eight x)
{
    return __builtin_shufflevector(x, x, 0, 1, 2, 3) + __builtin_shufflevector(x, x, 4, 5, 6, 7);
}

SG_INLINE float sum_of(eight x)
{
    const four sum = halves(x);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* The same of four at once. */
SG_INLINE four sums_of(const eight *x)
{
    const four a = halves(x[0]), b = halves(x[1]), c = halves(x[2]), d = halves(x[3]);
    const four ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const four cd = __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
    return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

SG_INLINE float dot(const float *x, const float *y)
{
    eight sum = {0};
    for (int i = 0; i < PARTS; i++) sum += load(x, i) * load(y, i);
    return sum_of(sum);
}

/* A product for each head. */
SG_INLINE four dot_heads(const float *x, const float *y)
{
    eight sum[SG_VECTOR_HEADS];
    for (int h = 0; h < SG_VECTOR_HEADS; h++) {
        sum[h] = (eight){0};
        for (int i = h * HEAD_PARTS; i < (h + 1) * HEAD_PARTS; i++) sum[h] += load(x, i) * load(y, i);
    }
    return sums_of(sum);
}

SG_INLINE four root(four x)
{
#if defined(__x86_64__)
    return (four)_mm_sqrt_ps((__m128)x);
#else
    return (four){sqrtf(x[0]), sqrtf(x[1]), sqrtf(x[2]), sqrtf(x[3])};
#endif
}

/* ---- A source's latest destinations ---- */

void sg_vector_case_past(const sg_vectors *v, const sg_vector_past *past, sg_vector_case *one)
{
    size_t count = 0;
    for (uint32_t j = 0; j < SG_VECTOR_PAST && past->who[j] != SG_VECTOR_NONE; j++) {
        one->past[count] = v->row_of[past->who[j]];
        one->place[count] = j;
        count += one->past[count] != SG_VECTOR_NONE;
    }
    one->length = count;
    for (; count < sizeof one->past / sizeof *one->past; count++) one->past[count] = SG_VECTOR_NONE;
}

SG_INLINE void make_query(const sg_vectors *v, const sg_vector_case *one, float *q)
{
    whole sum;
    for (int i = 0; i < PARTS; i++) sum.part[i] = (eight){0};
    for (size_t j = 0; j < one->length; j++) {
        const float *a = v->weights.a[one->place[j]], *e = v->rows[one->past[j]].e;
        for (int i = 0; i < PARTS; i++) sum.part[i] += load(e, i) * spread(a[i / HEAD_PARTS]);
    }
    memcpy(q, &sum, sizeof sum);
}

/* Where a row stands in the past, if it does: mostly not. */
SG_INLINE uint32_t find_place(const sg_vector_case *one, uint32_t row)
{
    const eight_words *past = (const eight_words *)one->past;
    const eight_words asked = {row, row, row, row, row, row, row, row};
    const eight_words same = (eight_words)(past[0] == asked) | (eight_words)(past[1] == asked) |
                             (eight_words)(past[2] == asked) | (eight_words)(past[3] == asked);
    uint64_t any[4];
    memcpy(any, &same, sizeof any);
    if (!((any[0] | any[1]) | (any[2] | any[3]))) return SG_VECTOR_NONE;
    size_t j = 0;
    while (one->past[j] != row) j++;
    return one->place[j];
}

/* ---- One step ---- */

SG_INLINE void step_number(float *x, float *square, float slope, float step)
{
    *square += slope * slope;
    *x -= step * slope / sqrtf(*square + TINY);
}

SG_INLINE void step_heads(float *x, float *square, four slope)
{
    const four squares = *(four *)square + slope * slope;
    *(four *)square = squares;
    *(four *)x -= (STEP_PAST * slope) / root(squares + TINY);
}

/* A row against its slope. */
SG_INLINE void step_row(float *x, float *square, const whole *slope)
{
    whole g;
    eight sum = {0};
    for (int i = 0; i < PARTS; i++) {
        g.part[i] = slope->part[i] + load(x, i) * PULL;
        sum += g.part[i] * g.part[i];
    }
    *square = KEEP * *square + sum_of(sum) / SG_VECTOR;
    const float scale = -STEP / sqrtf(*square + TINY);
    for (int i = 0; i < PARTS; i++) *(eight *)(x + i * LANES) += g.part[i] * scale;
}

/* Scores of the rows become what softmax gives each too much. */
SG_INLINE void find_errors(float *p, size_t count)
{
    float top = p[0], sum = 0;
    for (size_t k = 1; k < count; k++) top = p[k] > top ? p[k] : top;
    for (size_t k = 0; k < count; k++) sum += p[k] = expf(p[k] - top);
    for (size_t k = 0; k < count; k++) p[k] = p[k] / sum - (k == 0);
}

SG_INLINE void score_rows(const sg_vectors *v, const sg_vector_case *one, const float *q, uint32_t *place, float *p)
{
    for (size_t k = 0; k < one->count; k++) {
        p[k] = dot(q, v->rows[one->at[k]].f);
        place[k] = find_place(one, one->at[k]);
        if (place[k] != SG_VECTOR_NONE) p[k] += v->weights.c[place[k]];
    }
}

/* The slope of q, from all rows as they are before the step. */
SG_INLINE void make_slope(const sg_vectors *v, const sg_vector_case *one, const float *p, float *dq)
{
    whole sum;
    for (int i = 0; i < PARTS; i++) sum.part[i] = (eight){0};
    for (size_t k = 0; k < one->count; k++) {
        const float *f = v->rows[one->at[k]].f;
        for (int i = 0; i < PARTS; i++) sum.part[i] += load(f, i) * p[k];
    }
    memcpy(dq, &sum, sizeof sum);
}

SG_INLINE void step_chosen(sg_vectors *v, const sg_vector_case *one, const float *q, const float *p)
{
    for (size_t k = 0; k < one->count; k++) {
        whole slope;
        for (int i = 0; i < PARTS; i++) slope.part[i] = load(q, i) * p[k];
        step_row(v->rows[one->at[k]].f, &v->squares[one->at[k]].f, &slope);
    }
}

SG_INLINE void step_past(sg_vectors *v, const sg_vector_case *one, const float *dq)
{
    for (size_t j = 0; j < one->length; j++) {
        float *e = v->rows[one->past[j]].e, *a = v->weights.a[one->place[j]];
        const four da = dot_heads(dq, e);
        whole slope;
        for (int i = 0; i < PARTS; i++) slope.part[i] = load(dq, i) * spread(a[i / HEAD_PARTS]);
        step_row(e, &v->squares[one->past[j]].e, &slope);
        step_heads(a, v->weights.a_square[one->place[j]], da);
    }
}

SG_INLINE void learn(sg_vectors *v, const sg_vector_case *one)
{
    float q[SG_VECTOR], dq[SG_VECTOR], p[SG_VECTOR_NEGATIVES + 1];
    uint32_t place[SG_VECTOR_NEGATIVES + 1];
    make_query(v, one, q);
    score_rows(v, one, q, place, p);
    find_errors(p, one->count);
    make_slope(v, one, p, dq);
    for (size_t k = 0; k < one->count; k++)
        if (place[k] != SG_VECTOR_NONE)
            step_number(&v->weights.c[place[k]], &v->weights.c_square[place[k]], p[k], STEP_SAME);
    step_chosen(v, one, q, p);
    step_past(v, one, dq);
}

SG_AVX2 static void learn_avx2(sg_vectors *v, const sg_vector_case *one)
{
    learn(v, one);
}

void sg_vectors_learn(sg_vectors *v, const sg_vector_case *one)
{
    if (SG_HAS_AVX2())
        learn_avx2(v, one);
    else
        learn(v, one);
}

/* ---- Reading ---- */

SG_INLINE void read_pair(const sg_vectors *v, uint32_t src, uint32_t dst, sg_vector_query *query, float *numbers)
{
    const sg_vector_past *past = sg_vectors_past(v, src);
    const uint32_t at = v->row_of[dst];
    memset(numbers, 0, SG_VECTOR_NUMBERS * sizeof *numbers);
    if (query->source != src) {
        sg_vector_case one;
        sg_vector_case_past(v, past, &one);
        make_query(v, &one, query->q);
        query->length = sqrtf(dot(query->q, query->q));
        query->source = src;
        query->remembered = one.length;
    }
    if (at == SG_VECTOR_NONE || !query->remembered) return;
    const float *f = v->rows[at].f, length = sqrtf(dot(f, f)), product = dot(query->q, f);
    numbers[0] = numbers[1] = product;
    for (size_t j = 0; j < SG_VECTOR_PAST; j++)
        if (past->who[j] == dst) numbers[0] += v->weights.c[j];
    numbers[2] = length > 0 && query->length > 0 ? product / (length * query->length) : 0;
    numbers[3] = query->length;
    numbers[4] = length;
    *(four *)(numbers + 5) = dot_heads(query->q, f);
}

SG_AVX2 static void read_avx2(const sg_vectors *v, uint32_t src, uint32_t dst, sg_vector_query *query, float *to)
{
    read_pair(v, src, dst, query, to);
}

void sg_vectors_read(const sg_vectors *v, uint32_t src, uint32_t dst, sg_vector_query *query, float *numbers)
{
    if (SG_HAS_AVX2())
        read_avx2(v, src, dst, query, numbers);
    else
        read_pair(v, src, dst, query, numbers);
}
