/* Splits: against numpy's quantiles and against their definition. */
#include "cmocka_all.h"

#include "base/rng.h"
#include "events/steps.h"

#include <math.h>

static void quantiles_are_numpys(void **state)
{
    (void)state;
    const double time[] = {0, 1, 1, 4, 10};
    /* numpy.quantile([0, 1, 1, 4, 10], q): place q * 4. */
    assert_true(sg_quantile(time, 5, 0) == 0);
    assert_true(sg_quantile(time, 5, 0.125) == 0.5);
    assert_true(sg_quantile(time, 5, 0.5) == 1);
    assert_true(fabs(sg_quantile(time, 5, 0.7) - 3.4) < 1e-12);
    assert_true(fabs(sg_quantile(time, 5, 0.85) - 6.4) < 1e-12);
    assert_true(sg_quantile(time, 5, 1) == 10);
    assert_true(sg_quantile(time, 1, 0.7) == 0);
}

static void time_splits(void **state)
{
    (void)state;
    /* Ten events: q70 = 6.3, q85 = 7.65 (between 7 and 8). */
    const double plain[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    sg_split split = sg_split_time(plain, 10, 0.70, 0.15);
    assert_int_equal(split.train_end, 7);
    assert_int_equal(split.validation_end, 8);
    /* The quantile falls on a time that occurs often: all its events are on one side, t <= q. */
    const double ties[] = {0, 1, 2, 3, 5, 5, 5, 5, 5, 9};
    split = sg_split_time(ties, 10, 0.70, 0.15);
    assert_int_equal(split.train_end, 9);
    assert_int_equal(split.validation_end, 9);
    const double same[] = {3, 3, 3};
    split = sg_split_time(same, 3, 0.70, 0.15);
    assert_int_equal(split.train_end, 3);
    assert_int_equal(split.validation_end, 3);
    split = sg_split_time(same, 0, 0.70, 0.15);
    assert_int_equal(split.validation_end, 0);
}

static void step_splits(void **state)
{
    (void)state;
    enum { EVENTS = 2000 };
    static double time[EVENTS];
    for (size_t i = 0; i < EVENTS; i++) time[i] = (double)i;
    for (int64_t count = 1; count <= 400; count++) {
        sg_steps steps;
        assert_int_equal(sg_steps_make(&steps, time, EVENTS, count, SG_STEPS_EQUAL_COUNT, NULL), SCADYG_OK);
        sg_split split = sg_split_steps(&steps, 0.70, 0.15);
        int64_t train = (7 * count + 9) / 10, validation = train + (15 * count + 99) / 100;
        if (validation > count) validation = count;
        assert_int_equal(split.train_end, steps.first[train]);
        assert_int_equal(split.validation_end, steps.first[validation]);
        sg_steps_free(&steps);
    }
}

/* No two events of equal times are parted, and each part is what its bounds say. */
static void random_splits(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < 2000; number++) {
        double time[50], now = 0;
        sg_rng rng;
        sg_rng_seed(&rng, 3, number);
        const uint64_t count = 1 + sg_rng_below(&rng, 50);
        for (uint64_t i = 0; i < count; i++) time[i] = now += (double)sg_rng_below(&rng, 3);
        sg_split split = sg_split_time(time, count, 0.70, 0.15);
        const double first = sg_quantile(time, count, 0.70), second = sg_quantile(time, count, 0.85);
        for (uint64_t i = 0; i < count; i++) {
            assert_int_equal(i < split.train_end, time[i] <= first);
            assert_int_equal(i < split.validation_end, time[i] <= second);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(quantiles_are_numpys), cmocka_unit_test(time_splits),
                                       cmocka_unit_test(step_splits), cmocka_unit_test(random_splits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
