/* Rows of the ledger: from what its parts say of a pair to the numbers that a net reads. */
#include "messages/pairs/ledger_parts.h"

#include "base/simd.h"

#include <string.h>

#pragma GCC diagnostic ignored "-Wpsabi"

/* ---- Signed logarithms, eight at a time ---- */

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

void sg_log_rows(float *x, size_t count)
{
    if (SG_HAS_AVX2())
        log_avx2(x, count);
    else
        log_body(x, count);
}

/* ---- The row of a pair ---- */

size_t sg_ledger_vector_width(const sg_ledger_options *options)
{
    return options->vectors ? SG_VECTOR_NUMBERS : 0;
}

sg_ledger_widths sg_ledger_widths_of(const sg_ledger_options *options)
{
    const size_t most = SG_LEDGER_FEATURES;
    const size_t edge = options->edge_features < most ? options->edge_features : most;
    const size_t node = options->node_features < most ? options->node_features : most;
    const size_t rates = (options->weighted ? 4 : 2) * SG_RATES;
    return (sg_ledger_widths){.node = 2 * (SG_RATES + 1 + SG_ROLE_LOGS + SG_ROLE_PLAIN) + 2 * edge + node,
                              .rates = rates,
                              .between = rates + 2 + 4 + 2 + 5 + (SG_RAW_LOGS - SG_RAW_LIFE) + SG_LIST_LOGS +
                                         (SG_RAW - SG_RAW_SHARES) + (SG_LIST - SG_LIST_PLACES) +
                                         sg_ledger_vector_width(options)};
}

static float *put_numbers(const float *from, size_t begin, size_t end, float *to)
{
    memcpy(to, from + begin, (end - begin) * sizeof *to);
    return to + (end - begin);
}

void sg_ledger_row(const sg_ledger *ledger, float *raw, float *list, const float *identity, float *row)
{
    const float log_100 = 4.6051702f;
    /* Counts and weights of a pair that never met are 0, and so are their logarithms. */
    if (raw[SG_RAW_MET] > 0 || raw[SG_RAW_MET + 1] > 0) sg_log_rows(raw, ledger->widths.rates);
    sg_log_rows(raw + SG_RAW_AGES, SG_RAW_LOGS - SG_RAW_AGES);
    sg_log_rows(list, SG_LIST_LOGS);
    raw[SG_RAW_AFTER + 1] -= log_100 + raw[SG_RAW_AFTER + 2];
    float *to = put_numbers(raw, 0, ledger->widths.rates, row);
    to = put_numbers(raw, SG_RAW_AGES, SG_RAW_AGES + 2, to);
    for (int i = 0; i < 4; i++) *to++ = raw[SG_RAW_MET + i / 2] / (1 + raw[SG_RAW_CLOCKS + i]);
    to = put_numbers(raw, SG_RAW_MET, SG_RAW_MET + 2, to);
    to = put_numbers(raw, SG_RAW_NEXT, SG_RAW_NEXT + 2, to);
    *to++ = raw[SG_RAW_NEXT + 2] - log_100 - raw[SG_RAW_LEFT];
    *to++ = raw[SG_RAW_NEXT + 3] - log_100 - raw[SG_RAW_LEFT + 1];
    *to++ = raw[SG_RAW_SAME];
    to = put_numbers(raw, SG_RAW_LIFE, SG_RAW_AFTER, to);
    to = put_numbers(list, 0, SG_LIST_LOGS, to);
    to = put_numbers(raw, SG_RAW_AFTER, SG_RAW_LOGS, to);
    to = put_numbers(raw, SG_RAW_SHARES, SG_RAW, to);
    to = put_numbers(list, SG_LIST_PLACES, SG_LIST, to);
    if (ledger->vector_width) (void)put_numbers(identity, 0, ledger->vector_width, to);
}
