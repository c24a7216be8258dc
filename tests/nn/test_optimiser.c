/* Adam against golden numbers and its twin; the running average against its definition. */
#include "golden.h"

#include "base/rng.h"
#include "nn/optimiser.h"
#include "numbers.h"

#include <string.h>

/* A step of Adam, t from 1. */
static inline void twin_adam(const sg_adam *adam, size_t count, double *values, const double *gradient,
                             double *average, double *square, uint64_t t)
{
    for (size_t i = 0; i < count; i++) {
        const double g = gradient[i] + adam->weight_decay * values[i];
        average[i] = adam->beta1 * average[i] + (1 - adam->beta1) * g;
        square[i] = adam->beta2 * square[i] + (1 - adam->beta2) * g * g;
        const double mean = average[i] / (1 - pow(adam->beta1, (double)t));
        const double power = square[i] / (1 - pow(adam->beta2, (double)t));
        values[i] -= adam->learning_rate * mean / (sqrt(power) + adam->epsilon);
    }
}

static void adam(void **state)
{
    (void)state;
    enum { N = 60 };
    json_t *golden = golden_load("adam.json");
    const sg_adam options = {json_number_value(json_object_get(golden, "lr")),
                             json_number_value(json_object_get(golden, "weight_decay")),
                             json_number_value(json_object_get(golden, "beta1")),
                             json_number_value(json_object_get(golden, "beta2")),
                             json_number_value(json_object_get(golden, "eps"))};
    double values[N], gradient[N], average[N] = {0}, square[N] = {0}, after[N];
    float fast[N], slope[N], mean[N] = {0}, power[N] = {0};
    assert_int_equal(golden_numbers(json_object_get(golden, "param"), values), N);
    for (size_t i = 0; i < N; i++) fast[i] = (float)values[i];
    for (size_t t = 1; t <= 3; t++) {
        json_t *step = json_array_get(json_object_get(golden, "after"), t - 1);
        if (json_is_object(step)) step = json_object_get(step, "param");
        assert_int_equal(golden_numbers(json_array_get(json_object_get(golden, "grads"), t - 1), gradient), N);
        assert_int_equal(golden_numbers(step, after), N);
        for (size_t i = 0; i < N; i++) slope[i] = (float)gradient[i];
        twin_adam(&options, N, values, gradient, average, square, t);
        sg_adam_step(&options, N, fast, slope, mean, power, t);
        for (size_t i = 0; i < N; i++) near(values[i], after[i], 1e-12);
        for (size_t i = 0; i < N; i++) near((double)fast[i], after[i], 1e-6);
    }
    json_decref(golden);
}

/* The values are the mean of what Adam moved so far, and later that with a share of the older ones. */
static void running_average(void **state)
{
    (void)state;
    enum { N = 13, STEPS = 300 };
    const double share = 0.98;
    float values[N], moved[N], raw[N], gradient[N], mean[2][N] = {{0}}, power[2][N] = {{0}};
    double expected[N];
    sg_optimiser optimiser = {.adam = SG_ADAM_DEFAULT(0.01, 1e-4),
                              .average = mean[0],
                              .square = power[0],
                              .averaging = share,
                              .raw = raw};
    sg_rng rng;
    sg_rng_seed(&rng, 1, 0);
    for (size_t i = 0; i < N; i++)
        expected[i] = (double)(values[i] = raw[i] = moved[i] = (float)sg_rng_normal(&rng));
    for (uint64_t t = 1; t <= STEPS; t++) {
        for (size_t i = 0; i < N; i++) gradient[i] = (float)sg_rng_normal(&rng);
        assert_ptr_equal(sg_optimiser_at(&optimiser, values), raw);
        sg_optimiser_step(&optimiser, N, values, gradient);
        sg_adam_step(&optimiser.adam, N, moved, gradient, mean[1], power[1], t);
        assert_int_equal(optimiser.steps, t);
        assert_memory_equal(raw, moved, sizeof raw);
        const double older = fmin(share, (double)t / (double)(t + 1));
        for (size_t i = 0; i < N; i++) {
            expected[i] = older * expected[i] + (1 - older) * (double)moved[i];
            near((double)values[i], expected[i], 1e-5);
        }
    }
}

/* Without one the values are what Adam moves. */
static void no_average(void **state)
{
    (void)state;
    enum { N = 9 };
    float values[N] = {0}, moved[N] = {0}, gradient[N], mean[2][N] = {{0}}, power[2][N] = {{0}};
    sg_optimiser optimiser = {.adam = SG_ADAM_DEFAULT(0.01, 0), .average = mean[0], .square = power[0]};
    assert_ptr_equal(sg_optimiser_at(&optimiser, values), values);
    for (size_t i = 0; i < N; i++) gradient[i] = (float)i - 4;
    for (uint64_t t = 1; t < 20; t++) {
        sg_optimiser_step(&optimiser, N, values, gradient);
        sg_adam_step(&optimiser.adam, N, moved, gradient, mean[1], power[1], t);
        assert_memory_equal(values, moved, sizeof values);
    }
    assert_true(values[0] > 0 && values[N - 1] < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adam),
        cmocka_unit_test(running_average),
        cmocka_unit_test(no_average),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
