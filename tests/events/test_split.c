/* Splits: against numpy's quantiles and against their definition. */
#include "cmocka_all.h"

#include "events/shapes.h"
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
    /* Both quantiles fall on a time that occurs often: all its events are on one side, which leaves the others some. */
    const double ties[] = {0, 1, 2, 3, 5, 5, 5, 5, 5, 9};
    split = sg_split_time(ties, 10, 0.70, 0.15);
    assert_int_equal(split.train_end, 4);
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

/* No two events of equal times are parted, and each part is what its bounds say, unless one would be empty. */
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
        uint64_t known = 0, chosen = 0;
        for (uint64_t i = 0; i < count; i++) known += time[i] <= first, chosen += time[i] <= second;
        const int empty = known == 0 || chosen == known || chosen == count || time[known - 1] == time[0];
        for (uint64_t i = 0; i < count && !empty; i++) {
            assert_int_equal(i < split.train_end, time[i] <= first);
            assert_int_equal(i < split.validation_end, time[i] <= second);
        }
    }
}

/* Both cuts lie between two times, in order. */
static void check_cuts(const double *time, size_t count, sg_split split)
{
    assert_true(split.train_end <= split.validation_end && split.validation_end <= count);
    const uint64_t cuts[] = {split.train_end, split.validation_end};
    for (size_t i = 0; i < 2; i++)
        if (cuts[i] > 0 && cuts[i] < count) assert_true(time[cuts[i] - 1] < time[cuts[i]]);
}

/* Whatever the log looks like, four distinct times are enough for parts that can be learned from, by steps and by time. */
static void parts_of_any_shape(void **state)
{
    (void)state;
    static double time[SHAPES_MOST];
    for (uint64_t number = 0; number < 1000; number++) {
        const size_t count = shape_make(number, time), distinct = shape_distinct(time, count);
        sg_split split = sg_split_time(time, count, 0.70, 0.15);
        check_cuts(time, count, split);
        assert_true(split.train_end > 0);
        assert_int_equal(split.validation_end<count, distinct> 1);
        assert_int_equal(split.train_end<split.validation_end, distinct> 2);
        if (distinct > 3) assert_true(time[split.train_end - 1] > time[0]);
        for (int rule = SG_STEPS_EQUAL_TIME; rule <= SG_STEPS_EQUAL_COUNT; rule++) {
            const sg_step_needs needs = {SG_NEEDS_STEP_PARTS, 0.70, 0.15};
            int64_t steps_count = 100;
            int chosen = rule;
            sg_steps steps;
            assert_int_equal(sg_steps_choose(time, count, &needs, &steps_count, &chosen, NULL), SCADYG_OK);
            assert_int_equal(sg_steps_make(&steps, time, count, steps_count, chosen, NULL), SCADYG_OK);
            const int found = sg_split_serving(&steps, 0.70, 0.15, &split);
            assert_int_equal(found != SG_SPLIT_NONE, distinct > 3);
            check_cuts(time, count, split);
            if (distinct < 2) assert_int_equal(split.train_end, count);
            if (found) {
                assert_true(split.train_end > steps.first[1] && split.validation_end > split.train_end);
                assert_true(count > split.validation_end);
            } else {
                assert_int_equal(steps_count, 100); /* nothing helps: as asked for */
                assert_int_equal(chosen, rule);
                assert_true(split.train_end > 0);
            }
            sg_steps_free(&steps);
        }
    }
}

/* Logs that are nothing special keep what was asked for, bit by bit. */
static void ordinary_logs_stay(void **state)
{
    (void)state;
    static double time[SHAPES_MOST];
    for (uint64_t number = 0; number < 16 * SHAPE_KINDS; number += SHAPE_KINDS) {
        const sg_step_needs needs = {SG_NEEDS_STEP_PARTS, 0.70, 0.15};
        const size_t count = shape_make(number, time);
        int64_t steps_count = 100;
        int rule = SG_STEPS_EQUAL_TIME;
        sg_steps steps;
        sg_split split;
        if (count < 300) continue;
        assert_int_equal(sg_steps_choose(time, count, &needs, &steps_count, &rule, NULL), SCADYG_OK);
        assert_int_equal(steps_count, 100);
        assert_int_equal(rule, SG_STEPS_EQUAL_TIME);
        assert_int_equal(sg_steps_make(&steps, time, count, steps_count, rule, NULL), SCADYG_OK);
        assert_int_equal(sg_split_serving(&steps, 0.70, 0.15, &split), SG_SPLIT_ALL_STEPS);
        assert_int_equal(split.train_end, steps.first[70]);
        assert_int_equal(split.validation_end, steps.first[85]);
        sg_steps_free(&steps);
    }
}

/* ---- Shares of the events ---- */

/* Distinct times among the first so many events. */
static uint64_t count_times(const double *time, uint64_t events)
{
    uint64_t times = events > 0;
    for (uint64_t i = 1; i < events; i++) times += time[i] != time[i - 1];
    return times;
}

/* The twin: of all places between two times with at least two times before them, the nearest one below `end`, the
 * earlier of two. `end` if there is none. */
static uint64_t nearest_place(const double *time, uint64_t end, uint64_t wanted)
{
    uint64_t best = end;
    double distance = INFINITY;
    for (uint64_t place = 1; place < end; place++) {
        const double away = fabs((double)place - (double)wanted);
        if (time[place] == time[place - 1] || count_times(time, place) < 2 || away >= distance) continue;
        best = place;
        distance = away;
    }
    return best;
}

static uint64_t share_of(double share, uint64_t events)
{
    return (uint64_t)floor(share * (double)events + 0.5);
}

static sg_split slow_split(const double *time, uint64_t events, double train, double validation)
{
    sg_split split = {events, events};
    if (train >= 1 || count_times(time, events) < 3) return split;
    const uint64_t known = share_of(train + validation, events);
    if (train + validation < 1) split.validation_end = nearest_place(time, events, known);
    split.train_end = split.validation_end;
    if (validation == 0) return split;
    const uint64_t wanted = split.validation_end < known
                                ? share_of(train / (train + validation), split.validation_end)
                                : share_of(train, events);
    split.train_end = nearest_place(time, split.validation_end, wanted);
    return split;
}

static void split_is(const double *time, uint64_t events, uint64_t train_end, uint64_t validation_end)
{
    const sg_split split = sg_split_events(time, events, 0.70, 0.15);
    assert_int_equal(split.train_end, train_end);
    assert_int_equal(split.validation_end, validation_end);
}

static void event_splits(void **state)
{
    (void)state;
    const double plain[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}; /* 7 and 8.5, which is 9 */
    split_is(plain, 10, 7, 9);
    split_is(plain, 3, 2, 2); /* three times leave no validation part, two or one nothing but training */
    split_is(plain, 2, 2, 2);
    split_is(plain, 1, 1, 1);
    split_is(plain, 0, 0, 0);
    split_is(plain, 4, 2, 3);                                              /* training has at least two times */
    const double silence[] = {0, 1, 2, 3, 4, 5, 6, 1e9, 1e9 + 1, 1e9 + 1}; /* how long it lasts does not matter */
    split_is(silence, 10, 7, 8);
    const double burst[] = {0, 1, 2, 9, 9,
                            9, 9, 9, 9, 9}; /* the last time is the test part; what is left is cut anew */
    split_is(burst, 10, 2, 3);
    const double early[] = {0, 0, 0, 0, 0, 0, 0, 1, 1, 2};
    split_is(early, 10, 9, 9);
    const double same[] = {3, 3, 3, 3, 3, 3, 3, 3, 3, 3};
    split_is(same, 10, 10, 10);
    const sg_split all = sg_split_events(plain, 10, 1, 0.15), none = sg_split_events(plain, 10, 0.8, 0.2);
    assert_true(all.train_end == 10 && all.validation_end == 10);
    assert_true(none.train_end == 8 && none.validation_end == 10);
    const sg_split blind = sg_split_events(plain, 10, 0.8, 0);
    assert_true(blind.train_end == 8 && blind.validation_end == 8);
}

enum { SHAPES = 8, MOST = 300 };

/* Steady, bursts, silences, one outlier behind or in front, few times, all times equal, a log that grows. */
static uint64_t draw_shape(sg_rng *rng, uint64_t shape, double *time)
{
    const uint64_t count = sg_rng_below(rng, 3) ? 1 + sg_rng_below(rng, MOST)
                           : shape % 2          ? MOST
                                                : 1 + sg_rng_below(rng, 9);
    const uint64_t burst = 1 + sg_rng_below(rng, 60);
    double now = 0;
    for (uint64_t i = 0; i < count; i++) {
        switch (shape) {
        case 0: now += sg_rng_unit(rng); break;
        case 1: now += (double)(sg_rng_below(rng, burst) == 0); break;
        case 2: now += sg_rng_below(rng, burst) ? 1 : 1e7; break;
        case 3: now += i + 1 == count ? 1e9 : (double)sg_rng_below(rng, 2); break;
        case 4: now += i == 1 ? 1e9 : (double)sg_rng_below(rng, 2); break;
        case 5: now += (double)(sg_rng_below(rng, 1 + count / 2) == 0); break;
        case 6: break;
        default: now = floor(sqrt((double)i) * 3); break;
        }
        time[i] = now;
    }
    return count;
}

static void check_parts(const double *time, uint64_t count, double train, double validation, uint64_t number)
{
    const sg_split split = sg_split_events(time, count, train, validation),
                   slow = slow_split(time, count, train, validation);
    const uint64_t times = count_times(time, count), cuts[] = {split.train_end, split.validation_end};
    if (split.train_end != slow.train_end || split.validation_end != slow.validation_end)
        fail_msg("shape %u: %u and %u, not %u and %u of %u", (unsigned)number, (unsigned)split.train_end,
                 (unsigned)split.validation_end, (unsigned)slow.train_end, (unsigned)slow.validation_end,
                 (unsigned)count);
    /* Each event is in one part, and equal times are in the same. */
    assert_true(split.train_end <= split.validation_end && split.validation_end <= count);
    for (int i = 0; i < 2; i++)
        if (cuts[i] > 0 && cuts[i] < count) assert_true(time[cuts[i] - 1] < time[cuts[i]]);
    assert_true(count_times(time, split.train_end) >= (times < 2 ? times : 2));
    if (times >= 3 && train + validation < 1) assert_true(split.validation_end < count);
}

static void shapes(void **state)
{
    (void)state;
    static const double shares[][2] = {{0.70, 0.15}, {0.5, 0.3}, {0.98, 0.01}, {0.8, 0.2},
                                       {0.9, 0},     {1, 0.15},  {1e-6, 0.5}};
    for (uint64_t number = 0; number < 1000; number++) {
        double time[MOST];
        sg_rng rng;
        sg_rng_seed(&rng, 14, number);
        const uint64_t count = draw_shape(&rng, number % SHAPES, time);
        const size_t i = number % 3 ? sg_rng_below(&rng, sizeof shares / sizeof *shares) : 0;
        check_parts(time, count, shares[i][0], shares[i][1], number);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(quantiles_are_numpys), cmocka_unit_test(time_splits),
                                       cmocka_unit_test(step_splits),          cmocka_unit_test(random_splits),
                                       cmocka_unit_test(parts_of_any_shape),   cmocka_unit_test(ordinary_logs_stay),
                                       cmocka_unit_test(event_splits),         cmocka_unit_test(shapes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
