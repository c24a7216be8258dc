/* Exponentials: accurate in float for any argument, and T(a) * T(b) = T(a + b). */
#include "cmocka_all.h"

#include "base/rng.h"
#include "messages/nodes/decay.h"
#include "messages/nodes/plan.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void float_is_accurate(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 3, 0);
    double worst = 0;
    for (int round = 0; round < 20000; round++) {
        double time[SG_TILE], reference = sg_rng_below(&rng, 2) ? 2e9 + sg_rng_unit(&rng) : 0;
        const double span = exp(30 * sg_rng_unit(&rng) - 15), rate = exp(30 * sg_rng_unit(&rng) - 15);
        size_t count = 1 + (size_t)sg_rng_below(&rng, SG_TILE);
        float out[SG_TILE];
        for (size_t i = 0; i < count; i++) time[i] = reference - span * sg_rng_unit(&rng);
        qsort(time, count, sizeof *time, ascending);
        sg_decay_float(time, count, reference, rate, out);
        for (size_t i = 0; i < count; i++) {
            double expected = exp(-rate * (reference - time[i]));
            if (expected < 0x1p-126) {
                assert_true(out[i] >= 0 && out[i] <= 0x1p-126f);
            } else {
                worst = fmax(worst, fabs((double)out[i] / expected - 1));
                /* Bits do not depend on the company an event is in. */
                assert_true(out[i] == sg_decay_one_float(time[i], reference, rate));
            }
        }
    }
    if (!(worst < 2e-7)) fail_msg("relative error %g", worst);
}

static void ends_of_the_range(void **state)
{
    (void)state;
    assert_true(sg_decay_one_float(5, 5, 1e300) == 1);
    assert_true(sg_decay_one_float(5, 6, 0) == 1);
    assert_true(sg_decay_one_float(7, 6, 0) == 1); /* without time, later is fine too */
    assert_true(sg_decay_one_float(0, 1e10, 1e300) == 0);
    assert_true(sg_decay_one_float(0, 88, 1) == 0); /* exp(-88) is below the smallest normal float */
    assert_true(sg_decay_one_float(0, 87, 1) > 0);
    assert_true(sg_decay_one_double(0, 1e10, 1e300) == 0);
}

/* Times in any order, the far past among them: each as if it were alone. */
static void any_order(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 5, 0);
    for (int round = 0; round < 2000; round++) {
        double time[SG_TILE];
        float out[SG_TILE];
        const double rate = round % 10 ? exp(20 * sg_rng_unit(&rng) - 10) : 0;
        const size_t count = (size_t)sg_rng_below(&rng, SG_TILE + 1);
        for (size_t i = 0; i < count; i++)
            time[i] = sg_rng_below(&rng, 9) ? 1e9 - 100 * sg_rng_unit(&rng) : -INFINITY;
        sg_decay_each_float(time, count, 1e9, rate, out);
        for (size_t i = 0; i < count; i++) {
            assert_true(out[i] == sg_decay_one_float(time[i], 1e9, rate));
            if (isinf(time[i])) assert_true(out[i] == 0);
        }
    }
}

static void encodings_multiply(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 4, 0);
    for (int round = 0; round < 100000; round++) {
        double a = 20 * sg_rng_unit(&rng), b = 20 * sg_rng_unit(&rng), rate = sg_rng_unit(&rng);
        double wide = sg_decay_one_double(0, a, rate) * sg_decay_one_double(0, b, rate);
        assert_true(fabs(wide / sg_decay_one_double(0, a + b, rate) - 1) < 1e-13);
        double narrow = (double)sg_decay_one_float(0, a, rate) * (double)sg_decay_one_float(0, b, rate);
        assert_true(fabs(narrow / (double)sg_decay_one_float(0, a + b, rate) - 1) < 6e-7);
    }
}

static void rates_are_recognised(void **state)
{
    (void)state;
    double rates[16];
    for (size_t count = 1; count <= 16; count++) {
        sg_rates_even(3e-7, count, rates);
        assert_true(rates[0] == 3e-7);
        if (count > 1) assert_true(fabs(rates[count - 1] / 3e-8 - 1) < 1e-12);
        if (count > 1) assert_true(fabs(sg_rates_difference(rates, count) / (rates[0] - rates[1]) - 1) < 1e-12);
    }
    assert_true(sg_rates_difference((double[]){3, 2, 1}, 3) == 1);
    assert_true(sg_rates_difference((double[]){2, 2, 2}, 3) == 0);
    assert_true(sg_rates_difference((double[]){1, 2, 3}, 3) < 0); /* ascending: powers would overflow */
    assert_true(sg_rates_difference((double[]){4, 2, 1}, 3) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(float_is_accurate),  cmocka_unit_test(ends_of_the_range),    cmocka_unit_test(any_order),
        cmocka_unit_test(encodings_multiply), cmocka_unit_test(rates_are_recognised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
