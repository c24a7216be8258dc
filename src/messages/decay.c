/* Exponentials of time differences for many events at once. */
#include "messages/decay.h"

#include "messages/simd.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define LOG2_E 1.4426950408889634074
#define ROUNDER 0x1.8p52 /* adding and taking away this rounds to a whole number */

/* 2^f for |f| <= 1/2: interpolated at Chebyshev points, relative error below 2e-8 before rounding. */
SG_INLINE float power_of_two(float f)
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
SG_INLINE float scale_of(float n)
{
    uint32_t bits = (uint32_t)((int32_t)n + 127) << 23;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

/* Two loops, because compilers make vectors of each: the first in double, the second in float. */
SG_INLINE void decay_body(const double *restrict time, size_t count, double reference, double rate, int ascending,
                          float *restrict out)
{
    const double slope = rate * LOG2_E;
    float whole[SG_TILE], rest[SG_TILE];
    if (ascending && (time[0] - reference) * slope >= -126.0) { /* the earliest time has the smallest exponent */
        for (size_t i = 0; i < count; i++) {
            double y = (time[i] - reference) * slope, n = (y + ROUNDER) - ROUNDER;
            whole[i] = (float)n;
            rest[i] = (float)(y - n);
        }
    } else {
        for (size_t i = 0; i < count; i++) {
            double y = (time[i] - reference) * slope;
            if (!(y > -127.0)) y = -127.0;
            double n = (y + ROUNDER) - ROUNDER;
            whole[i] = (float)n;
            rest[i] = (float)(y - n);
        }
    }
    for (size_t i = 0; i < count; i++) out[i] = power_of_two(rest[i]) * scale_of(whole[i]);
}

SG_AVX2 static void decay_avx2(const double *time, size_t count, double reference, double rate, float *out)
{
    decay_body(time, count, reference, rate, 1, out);
}

static void decay_any(const double *time, size_t count, double reference, double rate, float *out)
{
    decay_body(time, count, reference, rate, 1, out);
}

SG_AVX2 static void each_avx2(const double *time, size_t count, double reference, double rate, float *out)
{
    decay_body(time, count, reference, rate, 0, out);
}

static void each_any(const double *time, size_t count, double reference, double rate, float *out)
{
    decay_body(time, count, reference, rate, 0, out);
}

void sg_decay_float(const double *time, size_t count, double reference, double rate, float *out)
{
    if (count == 0) return;
    if (SG_HAS_AVX2())
        decay_avx2(time, count, reference, rate, out);
    else
        decay_any(time, count, reference, rate, out);
}

void sg_decay_each_float(const double *time, size_t count, double reference, double rate, float *out)
{
    if (SG_HAS_AVX2())
        each_avx2(time, count, reference, rate, out);
    else
        each_any(time, count, reference, rate, out);
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
