/* Tallies against sums in double, over times of every kind; and the bytes of the plain loop, whatever the processor. */
#include "messages/random_graph.h"

#include "evaluate/rounds.h"
#include "messages/nodes/decay.h"
#include "messages/pairs/pair_store.h"

#include <string.h>

static sg_rates random_rates(sg_rng *rng)
{
    sg_rates rates;
    for (int k = 0; k < SG_RATES; k++) rates.rate[k] = pick(rng, 10) ? exp(20 * sg_rng_unit(rng) - 15) : 0;
    return rates;
}

/* Anything from nothing to more than any sum survives. */
static double random_gap(sg_rng *rng)
{
    switch (pick(rng, 8)) {
    case 0: return 0;
    case 1: return INFINITY;
    case 2: return (double)pick(rng, 1000);
    default: return exp(50 * sg_rng_unit(rng) - 20);
    }
}

/* sg_decay_one_float is compiled for any processor, so equal bytes say that AVX2 makes no difference. */
static void decay_is_that_of_one_rate(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 1, 0);
    double worst = 0;
    for (uint64_t round = 0; round < rounds(1000) * 300; round++) {
        const sg_rates rates = random_rates(&rng);
        const double gap = random_gap(&rng);
        float out[SG_RATES];
        sg_rates_decay(&rates, gap, out);
        for (int k = 0; k < SG_RATES; k++) {
            const float one = sg_decay_one_float(0, gap, rates.rate[k]);
            if (memcmp(&out[k], &one, sizeof one) != 0)
                fail_msg("rate %g, gap %g: %g, not %g", rates.rate[k], gap, (double)out[k], (double)one);
            const double exact = exp(-rates.rate[k] * gap);
            if (exact >= 0x1p-126) worst = fmax(worst, fabs((double)out[k] / exact - 1));
        }
    }
    if (!(worst < 2e-7)) fail_msg("relative error %g", worst);
}

static void order_of_rates_does_not_matter(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 2, 0);
    for (uint64_t round = 0; round < rounds(1000); round++) {
        const sg_rates rates = random_rates(&rng);
        sg_rates turned;
        const int turn = (int)pick(&rng, SG_RATES);
        for (int k = 0; k < SG_RATES; k++) turned.rate[(k + turn) % SG_RATES] = rates.rate[k];
        const double gap = random_gap(&rng);
        float a[SG_RATES], b[SG_RATES];
        sg_rates_decay(&rates, gap, a);
        sg_rates_decay(&turned, gap, b);
        for (int k = 0; k < SG_RATES; k++) assert_true(a[k] == b[(k + turn) % SG_RATES]);
    }
}

/* sum of amount * exp(-rate (at - time)), and in *all that of the sizes of its terms, which is what errors are measured by. */
static double direct(const double *time, const float *amount, size_t count, double rate, double at, double *all)
{
    double sum = 0;
    *all = 0;
    for (size_t i = 0; i < count; i++) {
        const double term = (double)amount[i] * exp(-rate * (at - time[i]));
        sum += term;
        *all += fabs(term);
    }
    return sum;
}

/* The same operations one by one, in float. */
static void plain_add(const sg_rates *rates, double last, float *sums, double time, float amount)
{
    for (int k = 0; k < SG_RATES; k++) {
        sums[k] *= sg_decay_one_float(last, time, rates->rate[k]);
        sums[k] += amount;
    }
}

static void sums_are_those_of_the_events(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 3, 0);
    for (uint64_t round = 0; round < rounds(3000); round++) {
        enum { MOST = 100 };
        double time[MOST];
        float ones[MOST], weight[MOST];
        const size_t count = 1 + pick(&rng, MOST);
        const sg_rates rates = random_rates(&rng);
        sg_tally tally = SG_TALLY_NONE;
        float weights[SG_RATES] = {0}, plain[SG_RATES] = {0}, plain_weights[SG_RATES] = {0}, out[SG_RATES];
        random_times(&rng, time, count);
        for (size_t i = 0; i < count; i++) {
            ones[i] = 1;
            weight[i] = (float)(20 * sg_rng_unit(&rng) - 10);
            plain_add(&rates, tally.last, plain, time[i], 1);
            plain_add(&rates, tally.last, plain_weights, time[i], weight[i]);
            sg_tally_add_weight(&rates, &tally, time[i], 1, weights, weight[i]);
            assert_memory_equal(tally.count, plain, sizeof plain);
            assert_memory_equal(weights, plain_weights, sizeof weights);
        }
        assert_true(tally.last == time[count - 1]);
        assert_int_equal(tally.times, count);
        const double later = time[count - 1] + (pick(&rng, 3) ? 10 * sg_rng_unit(&rng) : 0);
        sg_tally_read(&rates, &tally, later, out);
        sg_rates_fade(&rates, later - tally.last, weights, weights);
        for (int k = 0; k < SG_RATES; k++) {
            double all;
            const double counted = direct(time, ones, count, rates.rate[k], later, &all);
            assert_true(fabs((double)out[k] - counted) <= 5e-7 * (double)count * all + 1e-37);
            const double weighed = direct(time, weight, count, rates.rate[k], later, &all);
            assert_true(fabs((double)weights[k] - weighed) <= 5e-7 * (double)count * all + 1e-37);
        }
    }
}

static void ends_of_the_range(void **state)
{
    (void)state;
    const sg_rates rates = {{1e300, 1, 0.1, 0, 1e-3, 5, 1e-300, 2}};
    float out[SG_RATES];
    sg_tally tally = SG_TALLY_NONE;
    sg_tally_read(&rates, &tally, 3, out);
    for (int k = 0; k < SG_RATES; k++) assert_true(out[k] == 0); /* none yet, not even at rate 0 */
    sg_tally_add(&rates, &tally, -2e9, 3);
    sg_tally_read(&rates, &tally, -2e9, out);
    for (int k = 0; k < SG_RATES; k++) assert_true(out[k] == 3);
    sg_tally_read(&rates, &tally, 2e9, out);
    for (int k = 0; k < SG_RATES; k++) assert_true(out[k] == (k == 3 || k == 6 ? 3 : 0));
    tally.times = UINT32_MAX - 1;
    sg_tally_add(&rates, &tally, 5, 1);
    assert_true(tally.times == UINT32_MAX);
    sg_tally_add(&rates, &tally, 5, 1);
    assert_true(tally.times == UINT32_MAX);
    assert_true(tally.count[0] == 2 && tally.count[3] == 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decay_is_that_of_one_rate),
        cmocka_unit_test(order_of_rates_does_not_matter),
        cmocka_unit_test(sums_are_those_of_the_events),
        cmocka_unit_test(ends_of_the_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
