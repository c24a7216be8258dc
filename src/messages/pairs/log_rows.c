/* Signed logarithms, eight at a time. */
#include "messages/pairs/log_rows.h"

#include "base/simd.h"

#include <stdint.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wpsabi"

typedef float eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef uint32_t bits __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t whole __attribute__((vector_size(32), aligned(4), may_alias));

/*
 * 1 + a = 2^k m with m between sqrt(1/2) and sqrt(2); log m = 2 atanh(s), s = (m - 1) / (m + 1). Where a is small, m - 1
 * is a itself, so that nothing is lost.
 */
SG_INLINE eight signed_log(eight x)
{
    const bits sign = (bits)x & 0x80000000u;
    const eight a = (eight)((bits)x & 0x7FFFFFFFu);
    const eight y = a + 1.0f;
    const bits above = ((bits)y - 0x3F3504F3u) & 0xFF800000u;
    const eight m = (eight)((bits)y - above);
    const whole small = a < 0.41f;
    const eight k = __builtin_convertvector((whole)above >> 23, eight);
    const eight less = (eight)((small & (whole)a) | (~small & (whole)(m - 1.0f)));
    const eight s = less / (less + 2.0f), q = s * s;
    eight p = q * (1.0f / 9) + 1.0f / 7;
    p = p * q + 1.0f / 5;
    p = p * q + 1.0f / 3;
    p = p * q;
    const eight near = (s + s * p) * 2.0f;
    const eight far = (eight)(~small & (whole)(k * 0.693147180559945f));
    return (eight)((bits)(near + far) | sign);
}

SG_INLINE void log_body(float *x, size_t count)
{
    size_t i = 0;
    for (; i + 8 <= count; i += 8) *(eight *)(x + i) = signed_log(*(const eight *)(x + i));
    if (i == count) return;
    float part[8] = {0};
    memcpy(part, x + i, (count - i) * sizeof *x);
    *(eight *)part = signed_log(*(const eight *)part);
    memcpy(x + i, part, (count - i) * sizeof *x);
}

SG_AVX2 static void log_avx2(float *x, size_t count)
{
    log_body(x, count);
}

static void log_any(float *x, size_t count)
{
    log_body(x, count);
}

void sg_log_rows(float *x, size_t count)
{
    if (SG_HAS_AVX2())
        log_avx2(x, count);
    else
        log_any(x, count);
}
