/* Tallies: decayed counts at eight rates, all rates in one go. */
#include "messages/pairs/tally.h"

#include "messages/nodes/exponent.h"

typedef double four_double __attribute__((vector_size(32)));
typedef int64_t four_bits __attribute__((vector_size(32)));
typedef float four_float __attribute__((vector_size(16)));

_Static_assert(SG_RATES % 4 == 0, "rates are taken in fours");

/*
 * The arithmetic of exponent.h, four rates at once. It says where the vectors are, because compilers unroll so short a
 * loop and then keep to single numbers.
 */
SG_INLINE four_float decay_four(const double *rate, double elapsed)
{
    const four_double least = {-127.0, -127.0, -127.0, -127.0};
    float whole[4], rest[4], power[4];
    four_double y;
    four_float result;
    memcpy(&y, rate, sizeof y);
    y = y * SG_LOG2_E * -elapsed;
    const four_bits above = y > least; /* not so for what is not a number: a rate of 0 and an infinite time */
    y = (four_double)(((four_bits)y & above) | ((four_bits)least & ~above));
    const four_double n = (y + SG_ROUNDER) - SG_ROUNDER;
    const four_float n_float = __builtin_convertvector(n, four_float);
    const four_float f_float = __builtin_convertvector(y - n, four_float);
    memcpy(whole, &n_float, sizeof whole);
    memcpy(rest, &f_float, sizeof rest);
    for (int k = 0; k < 4; k++) power[k] = sg_power_of_rest(rest[k]) * sg_power_of_whole(whole[k]);
    memcpy(&result, power, sizeof result);
    return result;
}

SG_INLINE void decay_body(const sg_rates *rates, double elapsed, float *out)
{
    for (int k = 0; k < SG_RATES; k += 4) {
        const four_float decay = decay_four(rates->rate + k, elapsed);
        memcpy(out + k, &decay, sizeof decay);
    }
}

SG_AVX2 static void decay_avx2(const sg_rates *rates, double elapsed, float *out)
{
    decay_body(rates, elapsed, out);
}

static void decay_any(const sg_rates *rates, double elapsed, float *out)
{
    decay_body(rates, elapsed, out);
}

void sg_rates_decay(const sg_rates *rates, double elapsed, float *out)
{
    if (SG_HAS_AVX2())
        decay_avx2(rates, elapsed, out);
    else
        decay_any(rates, elapsed, out);
}

/* sums = sums * decay + amount */
SG_INLINE void add_four(float *sums, four_float decay, float amount)
{
    four_float sum;
    memcpy(&sum, sums, sizeof sum);
    sum = sum * decay + amount;
    memcpy(sums, &sum, sizeof sum);
}

/* weights may be NULL */
SG_INLINE void add_body(const sg_rates *rates, sg_tally *tally, double time, float amount, float *weights,
                        float weight)
{
    for (int k = 0; k < SG_RATES; k += 4) {
        const four_float decay = decay_four(rates->rate + k, time - tally->last);
        add_four(tally->count + k, decay, amount);
        if (weights) add_four(weights + k, decay, weight);
    }
}

SG_AVX2 static void add_avx2(const sg_rates *rates, sg_tally *tally, double time, float amount, float *weights,
                             float weight)
{
    add_body(rates, tally, time, amount, weights, weight);
}

static void add_any(const sg_rates *rates, sg_tally *tally, double time, float amount, float *weights, float weight)
{
    add_body(rates, tally, time, amount, weights, weight);
}

void sg_tally_add_weight(const sg_rates *rates, sg_tally *tally, double time, float amount, float *weights,
                         float weight)
{
    if (time == tally->last) { /* all factors are 1 */
        for (int k = 0; k < SG_RATES; k++) tally->count[k] += amount;
        if (weights)
            for (int k = 0; k < SG_RATES; k++) weights[k] += weight;
    } else if (SG_HAS_AVX2()) {
        add_avx2(rates, tally, time, amount, weights, weight);
    } else {
        add_any(rates, tally, time, amount, weights, weight);
    }
    tally->last = time;
    tally->times += tally->times < UINT32_MAX;
}

void sg_tally_add(const sg_rates *rates, sg_tally *tally, double time, float amount)
{
    sg_tally_add_weight(rates, tally, time, amount, NULL, 0);
}

SG_INLINE void fade_body(const sg_rates *rates, double elapsed, const float *sums, float *out)
{
    for (int k = 0; k < SG_RATES; k += 4) {
        four_float sum;
        memcpy(&sum, sums + k, sizeof sum);
        sum *= decay_four(rates->rate + k, elapsed);
        memcpy(out + k, &sum, sizeof sum);
    }
}

SG_AVX2 static void fade_avx2(const sg_rates *rates, double elapsed, const float *sums, float *out)
{
    fade_body(rates, elapsed, sums, out);
}

static void fade_any(const sg_rates *rates, double elapsed, const float *sums, float *out)
{
    fade_body(rates, elapsed, sums, out);
}

void sg_rates_fade(const sg_rates *rates, double elapsed, const float *sums, float *out)
{
    if (elapsed == 0) /* all factors are 1 */
        memmove(out, sums, SG_RATES * sizeof *out);
    else if (SG_HAS_AVX2())
        fade_avx2(rates, elapsed, sums, out);
    else
        fade_any(rates, elapsed, sums, out);
}

void sg_tally_read(const sg_rates *rates, const sg_tally *tally, double at, float *out)
{
    sg_rates_fade(rates, at - tally->last, tally->count, out);
}
