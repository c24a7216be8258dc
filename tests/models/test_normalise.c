/* Normalising messages: against libm, and the same bytes for any number of threads. */
#include "cmocka_all.h"
#include "contexts.h"

#include "base/rng.h"
#include "models/node_rows.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static float one(int how, float x)
{
    float mean = 0.5f, scale = 4;
    sg_train_options values = {.normalise = how};
    scadyg_options options = {.values = &values};
    const scadyg_model model = {.options = &options, .width = 1, .mean = &mean, .scale = &scale};
    sg_normalise_rows(NULL, &model, &x, 1);
    return x;
}

static void logarithm(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 1, 0);
    double worst = 0;
    for (int i = 0; i < 300000; i++) {
        const float x = (float)exp((sg_rng_unit(&rng) - 0.5) * 170);
        const double expected = log1p((double)x), got = (double)one(SG_NORMALISE_LOG, x);
        worst = fmax(worst, fabs(got - expected) / expected);
        assert_true(one(SG_NORMALISE_LOG, -x) == -(float)got);
    }
    /* Half a unit in the last place of a float is 6e-8 of it. */
    if (worst > 6.1e-8) fail_msg("off by %g", worst);
    static const float exact[] = {0, 0.41f, 0.41421357f, 0.4142135f, 1, 3, 1e-30f, FLT_MAX, FLT_MIN, FLT_TRUE_MIN};
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        const float got = one(SG_NORMALISE_LOG, exact[i]), expected = (float)log1p((double)exact[i]);
        assert_true(fabsf(got - expected) <= expected * 1.2e-7f);
    }
    assert_true(signbit(one(SG_NORMALISE_LOG, -0.0f)));
    assert_true(isnan(one(SG_NORMALISE_LOG, NAN)));
    assert_true(isinf(one(SG_NORMALISE_LOG, INFINITY)));
}

/* Messages grow, so their logarithms must. */
static void ascending(void **state)
{
    (void)state;
    float before = 0;
    for (float x = 1e-6f; x < 1e7f; x *= 1.00001f) {
        const float now = one(SG_NORMALISE_LOG, x);
        assert_true(now >= before);
        before = now;
    }
}

static void kinds(void **state)
{
    (void)state;
    assert_true(one(SG_NORMALISE_NONE, 3) == 3);
    assert_true(one(SG_NORMALISE_STANDARD, 3) == 10);
    assert_true(one(SG_NORMALISE_LOG_STANDARD, 3) == (one(SG_NORMALISE_LOG, 3) - 0.5f) * 4);
}

static void threads(void **state)
{
    (void)state;
    enum { ROWS = 30011, WIDTH = 7 };
    float mean[WIDTH], scale[WIDTH];
    sg_train_options values = {.normalise = SG_NORMALISE_LOG_STANDARD};
    scadyg_options options = {.values = &values};
    const scadyg_model model = {.options = &options, .width = WIDTH, .mean = mean, .scale = scale};
    for (int j = 0; j < WIDTH; j++) {
        mean[j] = (float)j;
        scale[j] = 1 / (1 + (float)j);
    }
    float *rows[2];
    for (int t = 0; t < 2; t++) {
        rows[t] = malloc(ROWS * WIDTH * sizeof(float));
        assert_non_null(rows[t]);
        for (size_t i = 0; i < ROWS * WIDTH; i++) rows[t][i] = (float)(sg_unit(sg_hash3(1, 2, i)) * 1000 - 500);
        sg_normalise_rows(context_of(t ? 4 : 1), &model, rows[t], ROWS);
    }
    assert_memory_equal(rows[0], rows[1], ROWS * WIDTH * sizeof(float));
    const size_t last = (ROWS - 1) * WIDTH + 3;
    const float x = (float)(sg_unit(sg_hash3(1, 2, last)) * 1000 - 500);
    assert_true(rows[0][last] == (one(SG_NORMALISE_LOG, x) - 3) * 0.25f);
    free(rows[0]);
    free(rows[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logarithm),
        cmocka_unit_test(ascending),
        cmocka_unit_test(kinds),
        cmocka_unit_test(threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
