/* Whether all of many numbers are finite. */
#ifndef SG_BASE_FINITE_H
#define SG_BASE_FINITE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* By their bits: numbers that are not finite have all bits of the exponent, and that needs no order of the sum. */
static inline int sg_all_finite(const float *values, size_t count)
{
    const uint32_t exponent = 0x7F800000u;
    uint32_t bad = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        bad |= (bits & exponent) == exponent;
    }
    return !bad;
}

#endif
