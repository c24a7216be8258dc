/* Exponentials of time differences for many events at once. */
#include "messages/nodes/decay.h"

#include "messages/nodes/exponent.h"

#include <math.h>

/* Two loops, because compilers make vectors of each: the first in double, the second in float. */
SG_INLINE void decay_body(const double *restrict time, size_t count, double reference, double rate, int ascending,
                          float *restrict out)
{
    const double slope = rate * SG_LOG2_E;
    float whole[SG_TILE], rest[SG_TILE];
    if (ascending && (time[0] - reference) * slope >= -126.0) { /* the earliest time has the smallest exponent */
        for (size_t i = 0; i < count; i++) sg_exponent_split((time[i] - reference) * slope, &whole[i], &rest[i]);
    } else {
        for (size_t i = 0; i < count; i++)
            sg_exponent_split(sg_exponent_clamp((time[i] - reference) * slope), &whole[i], &rest[i]);
    }
    for (size_t i = 0; i < count; i++) out[i] = sg_power_of_rest(rest[i]) * sg_power_of_whole(whole[i]);
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
