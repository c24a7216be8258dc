/*
 * Exponentials in float from an exponent in double: exp(x) = 2^y, and y = n + f with n whole and |f| <= 1/2, reduced in
 * double so that only f is rounded to float. Every body is written once and compiled for AVX2 and for any processor.
 */
#include "messages/nodes/decay.h"

#include "base/simd.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define LOG2_E 1.4426950408889634074
#define ROUNDER 0x1.8p52 /* adding and taking away this rounds to a whole number */

/* ---- 2^y ---- */

/* 2^-127 and less count as 0. */
SG_INLINE double clamp_exponent(double y)
{
    return y > -127.0 ? y : -127.0;
}

SG_INLINE void split_exponent(double y, float *whole, float *rest)
{
    const double n = (y + ROUNDER) - ROUNDER;
    *whole = (float)n;
    *rest = (float)(y - n);
}

/* 2^f for |f| <= 1/2: interpolated at Chebyshev points, relative error below 2e-8 before rounding. */
SG_INLINE float power_of_rest(float f)
{
    float p = 1.5461444854736328e-4f;
    p = p * f + 1.3400427997112274e-3f;
    p = p * f + 9.618056938052177e-3f;
    p = p * f + 5.550327152013779e-2f;
    p = p * f + 2.4022650718688965e-1f;
    p = p * f + 6.931471824645996e-1f;
    return p * f + 1.0f;
}

/* 2^n for whole n from -126 to 127; -127 gives 0. */
SG_INLINE float power_of_whole(float n)
{
    uint32_t bits = (uint32_t)((int32_t)n + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* ---- Many events, one rate ---- */

/* Two loops, because compilers make vectors of each: the first in double, the second in float. */
SG_INLINE void decay_body(const double *restrict time, size_t count, double reference, double rate, int ascending,
                          float *restrict out)
{
    const double slope = rate * LOG2_E;
    float whole[SG_TILE], rest[SG_TILE];
    if (ascending && (time[0] - reference) * slope >= -126.0) { /* the earliest time has the smallest exponent */
        for (size_t i = 0; i < count; i++) split_exponent((time[i] - reference) * slope, &whole[i], &rest[i]);
    } else {
        for (size_t i = 0; i < count; i++)
            split_exponent(clamp_exponent((time[i] - reference) * slope), &whole[i], &rest[i]);
    }
    for (size_t i = 0; i < count; i++) out[i] = power_of_rest(rest[i]) * power_of_whole(whole[i]);
}

SG_AVX2 static void decay_ascending_avx2(const double *time, size_t count, double reference, double rate,
                                         float *out)
{
    decay_body(time, count, reference, rate, 1, out);
}

SG_AVX2 static void decay_each_avx2(const double *time, size_t count, double reference, double rate, float *out)
{
    decay_body(time, count, reference, rate, 0, out);
}

void sg_decay_float(const double *time, size_t count, double reference, double rate, float *out)
{
    if (count == 0) return;
    if (SG_HAS_AVX2())
        decay_ascending_avx2(time, count, reference, rate, out);
    else
        decay_body(time, count, reference, rate, 1, out);
}

void sg_decay_each_float(const double *time, size_t count, double reference, double rate, float *out)
{
    if (SG_HAS_AVX2())
        decay_each_avx2(time, count, reference, rate, out);
    else
        decay_body(time, count, reference, rate, 0, out);
}

void sg_decay_double(const double *time, size_t count, double reference, double rate, double *out)
{
    for (size_t i = 0; i < count; i++) out[i] = exp((time[i] - reference) * rate);
}

float sg_decay_one_float(double time, double reference, double rate)
{
    float out;
    decay_body(&time, 1, reference, rate, 1, &out);
    return out;
}

double sg_decay_one_double(double time, double reference, double rate)
{
    return exp((time - reference) * rate);
}

/* ---- One event, eight rates ---- */

typedef double four_double __attribute__((vector_size(32)));
typedef int64_t four_bits __attribute__((vector_size(32)));
typedef float four_float __attribute__((vector_size(16)));

_Static_assert(SG_RATES % 4 == 0, "rates are taken in fours");

/*
 * The arithmetic of above, four rates at once. It says where the vectors are, because compilers unroll so short a loop
 * and then keep to single numbers.
 */
SG_INLINE four_float decay_four(const double *rate, double elapsed)
{
    const four_double least = {-127.0, -127.0, -127.0, -127.0};
    float whole[4], rest[4], power[4];
    four_double y;
    four_float result;
    memcpy(&y, rate, sizeof y);
    y = y * LOG2_E * -elapsed;
    const four_bits above = y > least; /* not so for what is not a number: a rate of 0 and an infinite time */
    y = (four_double)(((four_bits)y & above) | ((four_bits)least & ~above));
    const four_double n = (y + ROUNDER) - ROUNDER;
    const four_float n_float = __builtin_convertvector(n, four_float);
    const four_float f_float = __builtin_convertvector(y - n, four_float);
    memcpy(whole, &n_float, sizeof whole);
    memcpy(rest, &f_float, sizeof rest);
    for (int k = 0; k < 4; k++) power[k] = power_of_rest(rest[k]) * power_of_whole(whole[k]);
    memcpy(&result, power, sizeof result);
    return result;
}

SG_INLINE void rates_decay_body(const sg_rates *rates, double elapsed, float *out)
{
    for (int k = 0; k < SG_RATES; k += 4) {
        const four_float decay = decay_four(rates->rate + k, elapsed);
        memcpy(out + k, &decay, sizeof decay);
    }
}

SG_AVX2 static void rates_decay_avx2(const sg_rates *rates, double elapsed, float *out)
{
    rates_decay_body(rates, elapsed, out);
}

void sg_rates_decay(const sg_rates *rates, double elapsed, float *out)
{
    if (SG_HAS_AVX2())
        rates_decay_avx2(rates, elapsed, out);
    else
        rates_decay_body(rates, elapsed, out);
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

void sg_rates_fade(const sg_rates *rates, double elapsed, const float *sums, float *out)
{
    if (elapsed == 0) /* all factors are 1 */
        memmove(out, sums, SG_RATES * sizeof *out);
    else if (SG_HAS_AVX2())
        fade_avx2(rates, elapsed, sums, out);
    else
        fade_body(rates, elapsed, sums, out);
}

/* sums = sums * decay + amount */
SG_INLINE void add_four(float *sums, four_float decay, float amount)
{
    four_float sum;
    memcpy(&sum, sums, sizeof sum);
    sum = sum * decay + amount;
    memcpy(sums, &sum, sizeof sum);
}

SG_INLINE void add_body(const sg_rates *rates, double elapsed, float *sums, float amount, float *other,
                        float other_amount)
{
    for (int k = 0; k < SG_RATES; k += 4) {
        const four_float decay = decay_four(rates->rate + k, elapsed);
        add_four(sums + k, decay, amount);
        if (other) add_four(other + k, decay, other_amount);
    }
}

SG_AVX2 static void add_avx2(const sg_rates *rates, double elapsed, float *sums, float amount, float *other,
                             float other_amount)
{
    add_body(rates, elapsed, sums, amount, other, other_amount);
}

void sg_rates_add(const sg_rates *rates, double elapsed, float *sums, float amount, float *other,
                  float other_amount)
{
    if (elapsed == 0) { /* all factors are 1 */
        for (int k = 0; k < SG_RATES; k++) sums[k] += amount;
        for (int k = 0; other && k < SG_RATES; k++) other[k] += other_amount;
    } else if (SG_HAS_AVX2()) {
        add_avx2(rates, elapsed, sums, amount, other, other_amount);
    } else {
        add_body(rates, elapsed, sums, amount, other, other_amount);
    }
}
