/*
 * Exponentials in float from an exponent in double: y = n + f with n whole and |f| <= 1/2, reduced in double so that
 * only f is rounded to float. Written for loops that compilers make vectors of: one in double, the next in float.
 */
#ifndef SG_MESSAGES_NODES_EXPONENT_H
#define SG_MESSAGES_NODES_EXPONENT_H

#include "base/simd.h"

#include <stdint.h>
#include <string.h>

#define SG_LOG2_E 1.4426950408889634074
#define SG_ROUNDER 0x1.8p52 /* adding and taking away this rounds to a whole number */

/* 2^-127 and less count as 0. */
SG_INLINE double sg_exponent_clamp(double y)
{
    return y > -127.0 ? y : -127.0;
}

SG_INLINE void sg_exponent_split(double y, float *whole, float *rest)
{
    const double n = (y + SG_ROUNDER) - SG_ROUNDER;
    *whole = (float)n;
    *rest = (float)(y - n);
}

/* 2^f for |f| <= 1/2: interpolated at Chebyshev points, relative error below 2e-8 before rounding. */
SG_INLINE float sg_power_of_rest(float f)
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
SG_INLINE float sg_power_of_whole(float n)
{
    uint32_t bits = (uint32_t)((int32_t)n + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

#endif
