/*
 * Vectors of destinations against a slow twin of the one pass over the log in double, with room for all and for a few; the same
 * bytes whatever the cut into calls; nothing of what comes at or after a time in what is read of it.
 */
#include "cmocka_all.h"

#include "base/rng.h"
#include "evaluate/rounds.h"
#include "messages/pairs/vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS = 120, NODES = 60, NEGATIVES = 20, D = SG_VECTOR, PAST = SG_VECTOR_PAST, HEADS = 4 };
#define STREAM ((uint64_t)0xEC << 56)

typedef struct log_of {
    uint32_t src[EVENTS], dst[EVENTS];
    double time[EVENTS];
    uint64_t keys[NODES];
    sg_columns columns;
} log_of;

/* Few sources, so that a past overflows; ties; the same destination again. */
static void make_log(log_of *log, uint64_t seed)
{
    sg_rng rng;
    sg_rng_seed(&rng, seed, 6);
    for (size_t i = 0; i < EVENTS; i++) {
        log->src[i] = (uint32_t)sg_rng_below(&rng, 1 + seed % 4);
        log->dst[i] = (uint32_t)(sg_rng_below(&rng, 4) ? sg_rng_below(&rng, NODES) : sg_rng_below(&rng, 5));
        log->time[i] = i ? log->time[i - 1] + (double)sg_rng_below(&rng, 3) : 0;
    }
    for (size_t i = 0; i < NODES; i++) log->keys[i] = sg_hash3(seed, 5, i);
    log->columns = (sg_columns){.count = EVENTS, .src = log->src, .dst = log->dst, .time = log->time};
}

static uint64_t before(const log_of *log, uint64_t e)
{
    return sg_events_before(log->time, EVENTS, log->time[e]);
}

/* ---- The twin ---- */

typedef struct twin {
    const log_of *log;
    double e[NODES][D], f[NODES][D], e_square[NODES], f_square[NODES];
    double a[PAST][HEADS], c[PAST], a_square[PAST][HEADS], c_square[PAST];
    /* Who has vectors, by places: there are so many at most. */
    size_t most, count, known, hand;
    uint32_t who[NODES];
    int has[NODES], used[NODES];
    double made[NODES], now;
    size_t forgotten;
} twin;

static void twin_begin(twin *t, uint32_t v)
{
    for (uint64_t i = 0; i < D; i++) {
        double sum = -2;
        for (uint64_t k = 0; k < 4; k++) sum += sg_unit(sg_hash3(t->log->keys[v], STREAM, 4 * i + k));
        t->e[v][i] = 0.1 * sqrt(3) * sum;
        t->f[v][i] = 0;
    }
    t->e_square[v] = t->f_square[v] = 0;
    t->has[v] = 1;
    t->used[v] = 0;
    t->made[v] = t->now;
}

static void twin_open(twin *t, const log_of *log, size_t most)
{
    *t = (twin){.log = log, .most = most, .now = -1};
    const double power[HEADS] = {0.3, 0.7, 1.2, 3};
    for (int j = 0; j < PAST; j++)
        for (int h = 0; h < HEADS; h++) t->a[j][h] = pow(1 + j, -power[h]);
}

/* The place of the one that is forgotten: the first whose uses, halved at each look, have come to 0. */
static size_t twin_forget(twin *t)
{
    for (;; t->hand = (t->hand + 1) % t->most) {
        const uint32_t v = t->who[t->hand];
        if (t->used[v] == 0) break;
        t->used[v] /= 2;
    }
    const size_t place = t->hand;
    t->hand = (t->hand + 1) % t->most;
    t->has[t->who[place]] = 0;
    t->forgotten++;
    return place;
}

static void twin_choose(twin *t, uint64_t event)
{
    const uint32_t v = t->log->dst[event];
    if (t->log->time[event] != t->now) {
        t->now = t->log->time[event];
        t->known = t->count;
    }
    if (t->has[v]) {
        t->used[v] += t->used[v] < 15;
        return;
    }
    t->who[t->count < t->most ? t->count++ : twin_forget(t)] = v;
    twin_begin(t, v);
}

/* The latest destinations of a source among the first events, each once, the latest first. */
static size_t twin_past(const log_of *log, uint64_t seen, uint32_t src, uint32_t *past)
{
    size_t count = 0;
    for (uint64_t e = seen; e-- > 0 && count < PAST;) {
        int known = log->src[e] != src;
        for (size_t j = 0; j < count; j++) known |= past[j] == log->dst[e];
        if (!known) past[count++] = log->dst[e];
    }
    return count;
}

static void twin_query(const twin *t, const uint32_t *past, size_t count, double *q)
{
    memset(q, 0, D * sizeof *q);
    for (size_t j = 0; j < count; j++)
        for (int i = 0; i < D && t->has[past[j]]; i++) q[i] += t->a[j][i / (D / HEADS)] * t->e[past[j]][i];
}

static double twin_dot(const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < D; i++) sum += x[i] * y[i];
    return sum;
}

static void twin_row(double *x, double *square, const double *slope)
{
    double g[D];
    for (int i = 0; i < D; i++) g[i] = slope[i] + 0.005 * x[i];
    *square = 0.99 * *square + twin_dot(g, g) / D;
    for (int i = 0; i < D; i++) x[i] -= 0.05 * g[i] / sqrt(*square + 1e-8);
}

static void twin_number(double *x, double *square, double slope, double step)
{
    *square += slope * slope;
    *x -= step * slope / sqrt(*square + 1e-8);
}

static size_t twin_remembered(const twin *t, const uint32_t *past, size_t length)
{
    size_t count = 0;
    for (size_t j = 0; j < length; j++) count += t->has[past[j]] != 0;
    return count;
}

static size_t twin_draw(const twin *t, uint64_t event, uint32_t *at)
{
    size_t count = 1;
    at[0] = t->log->dst[event];
    for (uint64_t k = 0; k < NEGATIVES; k++) {
        const uint32_t other = t->who[sg_hash3(STREAM, event, k) % t->known];
        if (other != at[0] && t->made[other] < t->now) at[count++] = other;
    }
    return count;
}

/* One step on -log softmax of the destination; what was met last before the time is what is known of the source. */
static void twin_learn(twin *t, uint64_t event)
{
    uint32_t past[PAST], at[NEGATIVES + 1];
    double q[D], dq[D] = {0}, p[NEGATIVES + 1], slope[D], sum = 0;
    twin_choose(t, event);
    const size_t length = twin_past(t->log, before(t->log, event), t->log->src[event], past);
    if (!twin_remembered(t, past, length)) return;
    const size_t count = twin_draw(t, event, at);
    twin_query(t, past, length, q);
    for (size_t k = 0; k < count; k++) {
        p[k] = twin_dot(q, t->f[at[k]]);
        for (size_t j = 0; j < length; j++) p[k] += past[j] == at[k] ? t->c[j] : 0;
        sum += exp(p[k]);
    }
    for (size_t k = 0; k < count; k++) {
        p[k] = exp(p[k]) / sum - (k == 0);
        for (int i = 0; i < D; i++) dq[i] += p[k] * t->f[at[k]][i];
        for (size_t j = 0; j < length; j++)
            if (past[j] == at[k]) twin_number(&t->c[j], &t->c_square[j], p[k], 0.05);
    }
    for (size_t k = 0; k < count; k++) {
        for (int i = 0; i < D; i++) slope[i] = p[k] * q[i];
        twin_row(t->f[at[k]], &t->f_square[at[k]], slope);
    }
    for (size_t j = 0; j < length; j++) {
        double da[HEADS] = {0};
        if (!t->has[past[j]]) continue;
        for (int i = 0; i < D; i++) da[i / (D / HEADS)] += dq[i] * t->e[past[j]][i];
        for (int i = 0; i < D; i++) slope[i] = t->a[j][i / (D / HEADS)] * dq[i];
        twin_row(t->e[past[j]], &t->e_square[past[j]], slope);
        for (int h = 0; h < HEADS; h++) twin_number(&t->a[j][h], &t->a_square[j][h], da[h], 0.01);
    }
}

static void twin_read(const twin *t, uint64_t seen, uint32_t src, uint32_t dst, double *to)
{
    uint32_t past[PAST];
    double q[D];
    const size_t length = twin_past(t->log, seen, src, past);
    memset(to, 0, SG_VECTOR_NUMBERS * sizeof *to);
    if (!twin_remembered(t, past, length) || !t->has[dst]) return;
    twin_query(t, past, length, q);
    to[0] = to[1] = twin_dot(q, t->f[dst]);
    for (size_t j = 0; j < length; j++) to[0] += past[j] == dst ? t->c[j] : 0;
    to[3] = sqrt(twin_dot(q, q));
    to[4] = sqrt(twin_dot(t->f[dst], t->f[dst]));
    for (int i = 0; i < D; i++) to[5 + i / (D / HEADS)] += q[i] * t->f[dst][i];
    to[2] = to[3] > 0 && to[4] > 0 ? to[1] / (to[3] * to[4]) : 0;
}

static sg_vectors *must_open(const log_of *log, size_t most)
{
    sg_vectors *vectors;
    assert_int_equal(sg_vectors_open(&log->columns, log->keys, NODES, most, &vectors, NULL), SCADYG_OK);
    return vectors;
}

static void compare_all(const sg_vectors *vectors, const twin *t, uint64_t seen)
{
    for (uint32_t pair = 0; pair < 4 * NODES; pair++) {
        float got[SG_VECTOR_NUMBERS];
        double right[SG_VECTOR_NUMBERS];
        sg_vector_query query = {.source = UINT32_MAX};
        sg_vectors_read(vectors, pair / NODES, pair % NODES, &query, got);
        twin_read(t, seen, pair / NODES, pair % NODES, right);
        for (int i = 0; i < SG_VECTOR_NUMBERS; i++)
            if (!(fabs((double)got[i] - right[i]) <= 1e-4 + 1e-3 * fabs(right[i])))
                fail_msg("after %llu events, number %d of pair %u: %.9g, not %.9g", (unsigned long long)seen, i,
                         pair, (double)got[i], right[i]);
    }
}

static void follow(const log_of *log, size_t most)
{
    static twin t;
    twin_open(&t, log, most);
    sg_vectors *vectors = must_open(log, most);
    for (uint64_t seen = 0, next; seen <= EVENTS; seen = next) {
        compare_all(vectors, &t, seen);
        assert_int_equal(sg_vectors_known(vectors), t.count);
        if (seen == EVENTS) break;
        for (next = seen + 1; next < EVENTS && log->time[next] == log->time[seen];) next++;
        assert_int_equal(sg_vectors_add(vectors, seen, next, NULL), SCADYG_OK);
        for (uint64_t e = seen; e < next; e++) twin_learn(&t, e);
    }
    assert_true(most == NODES ? t.forgotten == 0 : t.forgotten > 0);
    sg_vectors_close(vectors);
}

static void follows_the_definition(void **state)
{
    (void)state;
    static log_of log;
    static const size_t most[] = {1, 2, 5, 20};
    for (uint64_t seed = 0; seed < rounds(8); seed++) {
        make_log(&log, seed);
        follow(&log, NODES);
        follow(&log, most[seed % 4]);
    }
}

/* ---- The same bytes ---- */

static float *read_all(const sg_vectors *vectors)
{
    float *rows = malloc((size_t)NODES * NODES * SG_VECTOR_NUMBERS * sizeof *rows);
    sg_vector_query query = {.source = UINT32_MAX};
    assert_non_null(rows);
    for (uint32_t pair = 0; pair < NODES * NODES; pair++)
        sg_vectors_read(vectors, pair / NODES, pair % NODES, &query, rows + (size_t)pair * SG_VECTOR_NUMBERS);
    return rows;
}

static void must_be_same(const sg_vectors *a, const sg_vectors *b)
{
    float *x = read_all(a), *y = read_all(b);
    assert_memory_equal(x, y, (size_t)NODES * NODES * SG_VECTOR_NUMBERS * sizeof *x);
    free(x), free(y);
}

static void however_it_is_cut(void **state)
{
    (void)state;
    static log_of log;
    sg_rng rng;
    sg_rng_seed(&rng, 3, 3);
    for (uint64_t seed = 0; seed < 5; seed++) {
        make_log(&log, seed);
        const size_t most = seed % 2 ? NODES : 7;
        sg_vectors *whole = must_open(&log, most), *cut = must_open(&log, most);
        assert_int_equal(sg_vectors_add(whole, 0, EVENTS, NULL), SCADYG_OK);
        for (int again = 0; again < 3; again++) {
            sg_vectors_rewind(cut);
            for (uint64_t first = 0, next; first < EVENTS; first = next) {
                next = first + 1 + sg_rng_below(&rng, EVENTS - first);
                while (next < EVENTS && log.time[next] == log.time[next - 1]) next++;
                assert_int_equal(sg_vectors_add(cut, first, next, NULL), SCADYG_OK);
                if (sg_rng_below(&rng, 2)) free(read_all(cut)); /* looking changes nothing */
            }
            must_be_same(whole, cut);
        }
        sg_vectors_close(whole), sg_vectors_close(cut);
    }
}

/* The order of the pairs, and those beside them, make no difference. */
static void however_it_is_read(void **state)
{
    (void)state;
    static log_of log;
    make_log(&log, 3);
    sg_vectors *vectors = must_open(&log, NODES / 2);
    assert_int_equal(sg_vectors_add(vectors, 0, EVENTS, NULL), SCADYG_OK);
    float *rows = read_all(vectors), few[SG_VECTOR_NUMBERS + 1];
    for (uint32_t pair = NODES * NODES; pair-- > 0;) {
        sg_vector_query query = {.source = UINT32_MAX};
        few[SG_VECTOR_NUMBERS] = 7;
        sg_vectors_read(vectors, pair / NODES, pair % NODES, &query, few);
        assert_memory_equal(few, rows + (size_t)pair * SG_VECTOR_NUMBERS, SG_VECTOR_NUMBERS * sizeof *few);
        assert_true(few[SG_VECTOR_NUMBERS] == 7);
    }
    free(rows);
    sg_vectors_close(vectors);
    sg_vectors_close(NULL);
}

/* ---- It learns ---- */

/* Two groups of destinations that no source mixes: what goes with a past scores above what never does. */
static void goes_together(void **state)
{
    (void)state;
    static uint32_t src[4000], dst[4000];
    static double time[4000];
    uint64_t keys[40];
    sg_rng rng;
    sg_rng_seed(&rng, 2, 2);
    for (size_t i = 0; i < 4000; i++) {
        src[i] = (uint32_t)sg_rng_below(&rng, 20);
        dst[i] = (uint32_t)(20 + src[i] % 2 * 10 + sg_rng_below(&rng, 10));
        time[i] = (double)i;
    }
    for (size_t i = 0; i < 40; i++) keys[i] = sg_hash64(i);
    const sg_columns columns = {.count = 4000, .src = src, .dst = dst, .time = time};
    sg_vectors *vectors;
    assert_int_equal(sg_vectors_open(&columns, keys, 40, 40, &vectors, NULL), SCADYG_OK);
    assert_int_equal(sg_vectors_add(vectors, 0, 4000, NULL), SCADYG_OK);
    for (uint32_t u = 0; u < 20; u++) {
        float own = INFINITY, other = -INFINITY, numbers[SG_VECTOR_NUMBERS];
        for (uint32_t v = 20; v < 40; v++) {
            sg_vector_query query = {.source = UINT32_MAX};
            sg_vectors_read(vectors, u, v, &query, numbers);
            assert_true(isfinite(numbers[0]) && fabsf(numbers[2]) <= 1.0001f);
            if ((v - 20) / 10 == u % 2)
                own = fminf(own, numbers[1]);
            else
                other = fmaxf(other, numbers[1]);
        }
        assert_true(own > other);
    }
    sg_vectors_close(vectors);
}

/* ---- It forgets ---- */

/* Among many that come once, few that come again and again stay, until they come no more. */
static void keeps_who_is_used(void **state)
{
    (void)state;
    enum { COUNT = 2000, ALL = COUNT + 1, FEW = 5, MOST = 20 };
    static uint32_t src[COUNT], dst[COUNT];
    static double time[COUNT];
    static uint64_t keys[ALL];
    sg_vectors *vectors;
    for (uint32_t i = 0; i < COUNT; i++) {
        dst[i] = i < COUNT / 2 && i % 2 == 0 ? 1 + i / 2 % FEW : FEW + 1 + i % (COUNT - FEW);
        time[i] = i;
    }
    for (size_t i = 0; i < ALL; i++) keys[i] = sg_hash64(i);
    const sg_columns columns = {.count = COUNT, .src = src, .dst = dst, .time = time};
    assert_int_equal(sg_vectors_open(&columns, keys, ALL, MOST, &vectors, NULL), SCADYG_OK);
    for (uint64_t end = 40; end <= COUNT; end += 40) {
        assert_int_equal(sg_vectors_add(vectors, end - 40, end, NULL), SCADYG_OK);
        assert_int_equal(sg_vectors_known(vectors), MOST);
        for (uint32_t v = 1; v <= FEW; v++) {
            float numbers[SG_VECTOR_NUMBERS];
            sg_vector_query query = {.source = UINT32_MAX};
            sg_vectors_read(vectors, 0, v, &query, numbers);
            if (end <= COUNT / 2) assert_true(numbers[4] > 0);
            if (end > COUNT / 2 + 200) assert_true(numbers[4] == 0);
        }
    }
    assert_true(sg_vectors_bytes(vectors) ==
                ALL * SG_VECTOR_NODE_BYTES + MOST * SG_VECTOR_ROW_BYTES + SG_VECTOR_PAST_BYTES);
    sg_vectors_close(vectors);
}

static void counts_roles(void **state)
{
    (void)state;
    const uint32_t src[] = {0, 2, 2, 5}, dst[] = {1, 1, 2, 1};
    const sg_columns columns = {.count = 4, .src = src, .dst = dst};
    sg_vector_roles roles;
    assert_int_equal(sg_vectors_count_roles(&columns, 7, &roles, NULL), SCADYG_OK);
    assert_true(roles.nodes == 7 && roles.sources == 3 && roles.destinations == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_the_definition), cmocka_unit_test(however_it_is_cut),
        cmocka_unit_test(however_it_is_read),     cmocka_unit_test(goes_together),
        cmocka_unit_test(keeps_who_is_used),      cmocka_unit_test(counts_roles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
