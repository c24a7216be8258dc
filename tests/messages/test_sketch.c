/* Walk sketches against a slow twin that follows the definition, and the same bytes on every way to them. */
#include "messages/sketch_log.h"

#include "base/context.h"
#include "base/simd.h"
#include "contexts.h"

enum { NODES = 12, WIDTH = 48, PAIRS = 300 };

static const sg_sketch_options plain = {WIDTH, {0, 0.5f, 0.9f}, 0.3};

/* ---- The twin: explicit vectors in double -------------------------------------------------------------- */

typedef struct twin {
    double z[NODES][WIDTH], s1[NODES][SG_ORDERS][WIDTH], s2[NODES][SG_ORDERS][WIDTH], mass[NODES][SG_ORDERS];
    double last[NODES];
} twin;

static void twin_open(twin *t, const uint64_t *keys)
{
    memset(t, 0, sizeof *t);
    for (size_t x = 0; x < NODES; x++)
        for (size_t i = 0; i < WIDTH; i++)
            t->z[x][i] = sg_sketch_signs(keys[x], i / SG_BLOCK) >> i % SG_BLOCK & 1 ? -1 : 1;
}

/* S2 of u takes in what `before` says of v. */
static void twin_second(twin *t, const twin *before, const sg_sketch_options *o, uint32_t u, uint32_t v, double now)
{
    for (int k = 0; k < SG_ORDERS; k++)
        for (size_t i = 0; i < WIDTH; i++) {
            t->s2[u][k][i] *= exp(-o->rate * (now - t->last[u]));
            if (before->mass[v][k] > 0) t->s2[u][k][i] += before->s1[v][k][i] / before->mass[v][k];
        }
    t->last[u] = now;
}

static void twin_first(twin *t, const sg_sketch_options *o, uint32_t u, uint32_t v)
{
    for (int k = 0; k < SG_ORDERS; k++) {
        for (size_t i = 0; i < WIDTH; i++) t->s1[u][k][i] = (double)o->factor[k] * t->s1[u][k][i] + t->z[v][i];
        t->mass[u][k] = (double)o->factor[k] * t->mass[u][k] + 1;
    }
}

static void twin_add(twin *t, const sg_sketch_options *options, const sketch_log *log)
{
    twin *before = malloc(sizeof *before);
    assert_non_null(before);
    for (size_t i = 0; i < LOG_EVENTS; i++) {
        const uint32_t u = log->src[i], v = log->dst[i];
        if (i == 0 || log->time[i] != log->time[i - 1]) *before = *t;
        twin_second(t, before, options, u, v, log->time[i]);
        twin_second(t, before, options, v, u, log->time[i]);
        twin_first(t, options, u, v);
        twin_first(t, options, v, u);
    }
    free(before);
}

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < WIDTH; i++) sum += a[i] * b[i];
    return sum;
}

static void twin_row(const twin *t, const sg_sketch_options *o, uint32_t u, uint32_t v, int k, double at,
                     double *row)
{
    const double *u1 = t->s1[u][k], *v1 = t->s1[v][k], *u2 = t->s2[u][k], *v2 = t->s2[v][k];
    const double fu = exp(-o->rate * (at - t->last[u])), fv = exp(-o->rate * (at - t->last[v]));
    row[SG_DOT_1U_1V] = dot(u1, v1);
    row[SG_DOT_1U_ZV] = dot(u1, t->z[v]);
    row[SG_DOT_ZU_1V] = dot(t->z[u], v1);
    row[SG_DOT_1U_1U] = dot(u1, u1);
    row[SG_DOT_1V_1V] = dot(v1, v1);
    row[SG_DOT_1U_2V] = dot(u1, v2) * fv;
    row[SG_DOT_2U_1V] = dot(u2, v1) * fu;
    row[SG_DOT_2U_2V] = dot(u2, v2) * fu * fv;
    row[SG_DOT_2U_ZV] = dot(u2, t->z[v]) * fu;
    row[SG_DOT_ZU_2V] = dot(t->z[u], v2) * fv;
    row[SG_DOT_2U_2U] = dot(u2, u2) * fu * fu;
    row[SG_DOT_2V_2V] = dot(v2, v2) * fv * fv;
}

static void compare(const sg_sketch *sketch, const twin *t, const sg_sketch_options *options, double at)
{
    float *dots = read_all(sketch, NODES, at);
    for (uint32_t u = 0; u < NODES; u++)
        for (uint32_t v = 0; v < NODES; v++)
            for (int k = 0; k < SG_ORDERS; k++) {
                const float *got = dots + (u * NODES + v) * ROW + (size_t)k * SG_DOTS;
                double row[SG_DOTS];
                twin_row(t, options, u, v, k, at, row);
                for (int d = 0; d < SG_DOTS; d++)
                    if (!(fabs((double)got[d] - row[d]) <= 2e-4 * (1 + 0.01 * fabs(row[d]))))
                        fail_msg("pair %u %u, order %d, product %d: %.9g, not %.9g", u, v, k, d, (double)got[d],
                                 row[d]);
            }
    for (uint32_t u = 0; u < NODES; u++)
        for (size_t b = 0; b < sg_sketch_blocks(sketch); b++)
            for (int k = 0; k < SG_ORDERS; k++)
                assert_true(fabs((double)sg_sketch_mass(sketch, b, u)[k] - t->mass[u][k]) < 1e-5);
    free(dots);
}

static void follows_the_definition(void **state)
{
    (void)state;
    twin *t = malloc(sizeof *t);
    assert_non_null(t);
    for (uint64_t seed = 0; seed < 40; seed++) {
        sg_sketch_options options = plain;
        if (seed % 5 == 4) options.rate = 0;
        uint64_t keys[NODES];
        make_keys(seed, NODES, keys);
        const sketch_log log = make_log(seed, NODES);
        sg_sketch *sketch = must_sketch(&options, keys, NODES);
        twin_open(t, keys);
        compare(sketch, t, &options, log.time[0]); /* empty */
        add_log(sketch, &log);
        twin_add(t, &options, &log);
        compare(sketch, t, &options, log.time[LOG_EVENTS - 1]);
        compare(sketch, t, &options, log.end);
        compare(sketch, t, &options, log.end + 1e6);
        sg_sketch_close(sketch);
    }
    free(t);
}

/* ---- The same bytes ------------------------------------------------------------------------------------ */

static void assert_same_as(const float *expected, const sg_sketch *sketch, double at)
{
    float *dots = read_all(sketch, NODES, at);
    assert_memory_equal(dots, expected, NODES * NODES * ROW * sizeof *dots);
    free(dots);
}

/* Blocks one after the other in pieces of the log, backwards, with nodes that come later, and after a clear. */
static void however_it_is_made(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        uint64_t keys[NODES];
        make_keys(seed, NODES, keys);
        const sketch_log log = make_log(seed, NODES);
        sg_sketch *whole = must_sketch(&plain, keys, NODES), *grown = must_sketch(&plain, keys, seed % 2 ? 6 : 0);
        add_log(whole, &log);
        float *expected = read_all(whole, NODES, log.end);
        for (size_t n = 1; n <= NODES; n++) {
            assert_int_equal(sg_sketch_grow(grown, keys, n, NULL), SCADYG_OK);
            if (n != 6) continue;
            for (size_t b = sg_sketch_blocks(grown); b-- > 0;)
                sg_sketch_add(grown, b, log.src, log.dst, log.time, LOG_EVENTS / 2);
        }
        for (size_t b = sg_sketch_blocks(grown); b-- > 0;)
            for (size_t i = LOG_EVENTS / 2, end; i < LOG_EVENTS; i = end) {
                for (end = i + 1; end < LOG_EVENTS && log.time[end] == log.time[i];) end++;
                sg_sketch_add(grown, b, log.src + i, log.dst + i, log.time + i, end - i);
            }
        assert_same_as(expected, grown, log.end);
        sg_sketch_clear(grown);
        float *empty = read_all(grown, NODES, log.end);
        for (size_t i = 0; i < NODES * NODES * ROW; i++) assert_true(empty[i] == 0);
        free(empty);
        add_log(grown, &log);
        assert_same_as(expected, grown, log.end);
        free(expected);
        sg_sketch_close(whole);
        sg_sketch_close(grown);
    }
}

/* A list at once, in the company of others, or pair by pair: runs of one source, and sources that change. */
static void however_it_is_read(void **state)
{
    (void)state;
    static float whole[PAIRS * ROW], single[PAIRS * ROW], some[PAIRS * ROW];
    uint32_t src[PAIRS], dst[PAIRS];
    uint64_t keys[NODES];
    sg_rng rng;
    make_keys(1, NODES, keys);
    sg_rng_seed(&rng, 1, 0);
    const sketch_log log = make_log(1, NODES);
    sg_sketch *sketch = must_sketch(&plain, keys, NODES);
    add_log(sketch, &log);
    for (size_t i = 0; i < PAIRS; i++) {
        src[i] = i && sg_rng_below(&rng, 4) ? src[i - 1] : (uint32_t)sg_rng_below(&rng, NODES);
        if (i >= PAIRS / 2) src[i] = src[PAIRS / 2 - 1];
        dst[i] = (uint32_t)sg_rng_below(&rng, NODES);
    }
    for (size_t b = 0; b < sg_sketch_blocks(sketch); b++) {
        sg_sketch_read(sketch, b, src, dst, PAIRS, log.end, whole);
        sg_sketch_read(sketch, b, src, dst, 0, log.end, NULL);
        for (size_t i = 0; i < PAIRS; i++)
            sg_sketch_read(sketch, b, src + i, dst + i, 1, log.end, single + i * ROW);
        for (size_t i = 0; i < PAIRS; i += 7) {
            const size_t left = PAIRS - i;
            sg_sketch_read_some(sketch, b, src + i, dst + i, left < 7 ? left : 7, left, log.end, some + i * ROW);
        }
    }
    assert_memory_equal(whole, single, sizeof whole);
    assert_memory_equal(whole, some, sizeof whole);
    /* The two ends change places. */
    memset(single, 0, sizeof single);
    for (size_t b = 0; b < sg_sketch_blocks(sketch); b++)
        sg_sketch_read(sketch, b, dst, src, PAIRS, log.end, single);
    for (size_t i = 0; i < PAIRS * SG_ORDERS; i++) {
        const float *a = whole + i * SG_DOTS, *c = single + i * SG_DOTS;
        assert_true(a[SG_DOT_1U_1V] == c[SG_DOT_1U_1V] && a[SG_DOT_1U_ZV] == c[SG_DOT_ZU_1V]);
        assert_true(a[SG_DOT_2U_2V] == c[SG_DOT_2U_2V] && a[SG_DOT_2U_ZV] == c[SG_DOT_ZU_2V]);
        assert_true(a[SG_DOT_2U_1V] == c[SG_DOT_1U_2V] && a[SG_DOT_2U_2U] == c[SG_DOT_2V_2V]);
        assert_true(a[SG_DOT_1U_1U] == c[SG_DOT_1V_1V]);
    }
    sg_sketch_close(sketch);
}

static void on_any_processor(void **state)
{
    (void)state;
#if defined(__x86_64__)
    if (!SG_HAS_AVX2()) skip();
    for (uint64_t seed = 0; seed < 40; seed++) {
        uint64_t keys[NODES];
        make_keys(seed, NODES, keys);
        const sketch_log log = make_log(seed, NODES);
        sg_sketch *fast = must_sketch(&plain, keys, NODES), *any = must_sketch(&plain, keys, NODES);
        fast->loops = &sg_sketch_avx2;
        any->loops = &sg_sketch_any;
        add_log(fast, &log);
        add_log(any, &log);
        for (size_t b = 0; b < fast->blocks; b++)
            assert_memory_equal(fast->block[b].walks, any->block[b].walks, NODES * sizeof(sg_walks));
        float *expected = read_all(fast, NODES, log.end);
        assert_same_as(expected, any, log.end);
        free(expected);
        sg_sketch_close(fast);
        sg_sketch_close(any);
    }
#else
    skip();
#endif
}

typedef struct work {
    sg_sketch *sketch;
    const sketch_log *log;
    const uint32_t *src, *dst;
    float *dots; /* [blocks][PAIRS][ROW] */
} work;

/* One block through time: the pairs before each event, then the event. */
static void one_block(void *data, size_t worker, size_t b)
{
    const work *w = data;
    (void)worker;
    float *dots = w->dots + b * PAIRS * ROW;
    for (size_t i = 0, end; i < LOG_EVENTS; i = end) {
        for (end = i + 1; end < LOG_EVENTS && w->log->time[end] == w->log->time[i];) end++;
        for (size_t j = i; j < end; j++)
            sg_sketch_read(w->sketch, b, w->src + j * 5, w->dst + j * 5, 5, w->log->time[i], dots + j * 5 * ROW);
        sg_sketch_add(w->sketch, b, w->log->src + i, w->log->dst + i, w->log->time + i, end - i);
    }
}

static void any_number_of_threads(void **state)
{
    (void)state;
    const sg_sketch_options options = {16 * 16, {0, 0.5f, 0.9f}, 0.3};
    const size_t size = 16 * PAIRS * ROW;
    uint64_t keys[NODES];
    uint32_t src[PAIRS], dst[PAIRS];
    sg_rng rng;
    sg_rng_seed(&rng, 9, 0);
    make_keys(3, NODES, keys);
    for (size_t i = 0; i < PAIRS; i++) {
        src[i] = (uint32_t)sg_rng_below(&rng, NODES);
        dst[i] = (uint32_t)sg_rng_below(&rng, NODES);
    }
    const sketch_log log = make_log(3, NODES);
    float *dots[4];
    for (int threads = 1; threads <= 4; threads++) {
        work w = {must_sketch(&options, keys, NODES), &log, src, dst, calloc(size, sizeof(float))};
        assert_non_null(w.dots);
        sg_parallel_for(context_of(threads), sg_sketch_blocks(w.sketch), one_block, &w);
        dots[threads - 1] = w.dots;
        assert_memory_equal(dots[threads - 1], dots[0], size * sizeof(float));
        sg_sketch_close(w.sketch);
    }
    for (int i = 0; i < 4; i++) free(dots[i]);
}

/* ---- Refusals ------------------------------------------------------------------------------------------ */

static void refuse(sg_sketch_options options, size_t nodes, int status)
{
    scadyg_error error = {0};
    sg_sketch *sketch;
    assert_int_equal(sg_sketch_open(&options, NULL, nodes, &sketch, &error), status);
    assert_null(sketch);
    assert_true(error.message[0]);
}

static void refusals(void **state)
{
    (void)state;
    const sg_sketch_options wrong[] = {{0, {0, 0, 0}, 1},    {40, {0, 0, 0}, 1},       {16, {0, 1, 0}, 1},
                                       {16, {0, -1, 0}, 1},  {16, {0, 0, NAN}, 1},     {16, {0, 0, 0}, -1},
                                       {16, {0, 0, 0}, NAN}, {16, {0, 0, 0}, INFINITY}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) refuse(wrong[i], 0, SCADYG_E_USAGE);
    refuse(plain, SIZE_MAX / sizeof(sg_walks), SCADYG_E_MEMORY);
    refuse(plain, SIZE_MAX / 2, SCADYG_E_MEMORY);
    refuse((sg_sketch_options){SIZE_MAX / 16 * 16, {0, 0, 0}, 1}, 1, SCADYG_E_MEMORY);
    uint64_t keys[NODES];
    make_keys(2, NODES, keys);
    const sketch_log log = make_log(2, NODES);
    sg_sketch *sketch = must_sketch(&plain, keys, NODES);
    add_log(sketch, &log);
    float *expected = read_all(sketch, NODES, log.end);
    assert_int_equal(sg_sketch_grow(sketch, NULL, SIZE_MAX / 2, NULL), SCADYG_E_MEMORY);
    assert_int_equal(sg_sketch_grow(sketch, NULL, 3, NULL), SCADYG_OK); /* never fewer */
    assert_same_as(expected, sketch, log.end);
    free(expected);
    sg_sketch_close(sketch);
    sg_sketch_close(NULL);
    assert_true(sg_sketch_bytes(64, 1000) == 4 * 1000 * (384 + 32));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_the_definition), cmocka_unit_test(however_it_is_made),
        cmocka_unit_test(however_it_is_read),     cmocka_unit_test(on_any_processor),
        cmocka_unit_test(any_number_of_threads),  cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
