/* Steps: both rules against their definition, on random times. */
#include "cmocka_all.h"

#include "base/rng.h"
#include "events/steps.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 60 };

/* Times with ties, far from zero as often as not. */
static size_t random_times(sg_rng *rng, double *time)
{
    const size_t count = 1 + (size_t)sg_rng_below(rng, MOST);
    double now = sg_rng_below(rng, 2) ? 2e9 + sg_rng_unit(rng) : -3;
    for (size_t i = 0; i < count; i++) {
        time[i] = now;
        if (sg_rng_below(rng, 3)) now += sg_rng_unit(rng) * (sg_rng_below(rng, 10) ? 1 : 50);
    }
    return count;
}

/* What holds for any cut: all events in order, each found in its step, ends are the times of the last events.
 */
static void check_cut(const sg_steps *steps, const double *time, size_t count)
{
    assert_int_equal(steps->first[0], 0);
    assert_int_equal(steps->first[steps->count], count);
    for (int64_t i = 0; i < steps->count; i++) {
        assert_true(steps->first[i] <= steps->first[i + 1]);
        for (uint64_t e = steps->first[i]; e < steps->first[i + 1]; e++) {
            assert_int_equal(sg_steps_find(steps, time[e]), i);
            assert_int_equal(sg_steps_find_open(steps, time[e]), i);
        }
        uint64_t next = steps->first[i + 1];
        assert_true(steps->end[i] == (next ? time[next - 1] : time[0]));
    }
    assert_int_equal(sg_steps_find(steps, time[0] - 1), 0);
    assert_true(sg_steps_find(steps, time[count - 1] + 1e6) < steps->count);
}

static void equal_time(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < 5000; number++) {
        sg_rng rng;
        double time[MOST];
        sg_steps steps;
        sg_rng_seed(&rng, 1, number);
        size_t count = random_times(&rng, time);
        int64_t parts = 1 + (int64_t)sg_rng_below(&rng, 20);
        assert_int_equal(sg_steps_make(&steps, time, count, parts, SG_STEPS_EQUAL_TIME, NULL), SCADYG_OK);
        check_cut(&steps, time, count);
        const double range = time[count - 1] - time[0];
        for (size_t e = 0; e < count; e++) {
            if (range == 0) continue;
            double place = (time[e] - time[0]) / range * (double)parts;
            int64_t step = sg_steps_find(&steps, time[e]);
            assert_true(place >= (double)step - 1e-9 && place <= (double)step + 1 + 1e-9);
        }
        assert_int_equal(sg_steps_find(&steps, time[count - 1]), range > 0 ? parts - 1 : 0);
        /* The grid goes on behind the last step, at the same width. */
        if (range > 0)
            assert_int_equal(sg_steps_find_open(&steps, time[0] + range * (2 + 0.5 / (double)parts)), 2 * parts);
        sg_steps_free(&steps);
    }
}

static void equal_count(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < 5000; number++) {
        sg_rng rng;
        double time[MOST];
        sg_steps steps;
        sg_rng_seed(&rng, 2, number);
        size_t count = random_times(&rng, time);
        int64_t parts = 1 + (int64_t)sg_rng_below(&rng, 20);
        assert_int_equal(sg_steps_make(&steps, time, count, parts, SG_STEPS_EQUAL_COUNT, NULL), SCADYG_OK);
        check_cut(&steps, time, count);
        for (int64_t i = 0; i < parts; i++) {
            uint64_t end = steps.first[i + 1];
            uint64_t border = ((uint64_t)(i + 1) * count + (uint64_t)parts - 1) / (uint64_t)parts;
            assert_true(end >= border);
            /* Beyond the border only for the sake of a tie that reaches across it. */
            if (end > border) assert_true(time[border - 1] == time[end - 1]);
            if (end > 0 && end < count) assert_true(time[end - 1] < time[end]);
        }
        sg_steps_free(&steps);
    }
}

/* Any number of events: no step is empty for rounding, and all are of the same size but for one event. */
static void equal_count_is_even(void **state)
{
    (void)state;
    enum { STEPS = 100 };
    static double time[600];
    for (size_t i = 0; i < 600; i++) time[i] = (double)i;
    for (uint64_t count = STEPS; count <= 600; count++) {
        sg_steps steps;
        assert_int_equal(sg_steps_make(&steps, time, count, STEPS, SG_STEPS_EQUAL_COUNT, NULL), SCADYG_OK);
        for (int64_t i = 0; i < STEPS; i++) {
            const uint64_t size = steps.first[i + 1] - steps.first[i];
            assert_true(size == count / STEPS || size == count / STEPS + 1);
        }
        sg_steps_free(&steps);
    }
}

/* The step of a time is the same in a longer file; steps go on behind the last one. */
static void longer_files(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < 2000; number++) {
        sg_rng rng;
        double time[MOST];
        sg_steps whole, part, grown;
        sg_rng_seed(&rng, 4, number);
        const size_t count = random_times(&rng, time);
        const int64_t parts = 1 + (int64_t)sg_rng_below(&rng, 20);
        const int rule = (int)sg_rng_below(&rng, 2);
        size_t known = 1 + (size_t)sg_rng_below(&rng, count);
        while (known < count && time[known] == time[known - 1]) known++;
        const double range = time[known - 1] - time[0];
        assert_int_equal(sg_steps_make(&whole, time, known, parts, rule, NULL), SCADYG_OK);
        assert_int_equal(sg_steps_make_anchored(&part, time, known, parts, rule, time[0], range, known, NULL),
                         SCADYG_OK);
        assert_int_equal(sg_steps_make_anchored(&grown, time, count, parts, rule, time[0], range, known, NULL),
                         SCADYG_OK);
        check_cut(&grown, time, count);
        for (size_t e = 0; e < known; e++) {
            const int64_t step = sg_steps_find_open(&whole, time[e]);
            assert_int_equal(sg_steps_find_open(&part, time[e]), step);
            assert_int_equal(sg_steps_find_open(&grown, time[e]), step);
        }
        for (int64_t i = 0; i < parts; i++) assert_int_equal(part.first[i], whole.first[i]);
        sg_steps_free(&whole);
        sg_steps_free(&part);
        sg_steps_free(&grown);
    }
}

static void one_step_needs_one(void **state)
{
    (void)state;
    sg_steps steps;
    scadyg_error error;
    double time = 5;
    assert_int_equal(sg_steps_make(&steps, &time, 1, 0, SG_STEPS_EQUAL_TIME, &error), SCADYG_E_USAGE);
    assert_string_equal(error.message, "--steps must be at least 1");
}

/* Whole numbers on whole borders: each belongs to the step it begins, the last one to the last step. */
static void borders_are_exact(void **state)
{
    (void)state;
    for (int64_t count = 1; count <= 300; count++) {
        double *time = malloc((size_t)(count + 1) * sizeof *time);
        assert_non_null(time);
        for (int shift = 0; shift < 2; shift++) {
            for (int64_t i = 0; i <= count; i++) time[i] = (shift ? 1.7e9 : 0) + (double)(7 * i);
            sg_steps steps;
            scadyg_error error;
            assert_int_equal(sg_steps_make(&steps, time, (uint64_t)count + 1, count, SG_STEPS_EQUAL_TIME, &error),
                             SCADYG_OK);
            for (int64_t i = 0; i <= count; i++)
                assert_int_equal(sg_steps_find(&steps, time[i]), i < count ? i : count - 1);
            for (int64_t i = 0; i < count; i++) assert_int_equal(steps.first[i], i);
            sg_steps_free(&steps);
        }
        free(time);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(borders_are_exact),   cmocka_unit_test(equal_time),   cmocka_unit_test(equal_count),
        cmocka_unit_test(equal_count_is_even), cmocka_unit_test(longer_files), cmocka_unit_test(one_step_needs_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
