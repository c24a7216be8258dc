/* The row of a pair: what the exact part and the sketches say, as numbers a net can read. */
#include "messages/pairs/ledger_parts.h"
#include "messages/pairs/log_rows.h"

#include <string.h>

/* Of one order: cosines, and logarithms of what the inner products estimate. */
enum { COSINES = 7, LOGS = 8, WALK = COSINES + LOGS };

static size_t rates_width(const sg_ledger_options *options)
{
    return (options->weighted ? 4 : 2) * SG_RATES;
}

sg_ledger_widths sg_ledger_widths_of(const sg_ledger_options *options)
{
    const size_t most = SG_LEDGER_FEATURES;
    const size_t edge = options->edge_features < most ? options->edge_features : most;
    const size_t node = options->node_features < most ? options->node_features : most;
    return (sg_ledger_widths){.node = 2 * (SG_RATES + 1) + 2 * edge + node,
                              .rates = rates_width(options),
                              .rest = 2 + 4 + 2 + 5 + (options->plan.width ? SG_ORDERS * WALK : 0)};
}

/* 1 / sqrt(x), 0 for an empty sketch. */
static float inverse_root(float x)
{
    return x > 0 ? 1 / sqrtf(x) : 0;
}

static void walk_of_order(const float *dot, float root, float *cosine, float *log)
{
    const float u = inverse_root(dot[SG_DOT_1U_1U]), v = inverse_root(dot[SG_DOT_1V_1V]);
    const float u2 = inverse_root(dot[SG_DOT_2U_2U]), v2 = inverse_root(dot[SG_DOT_2V_2V]);
    cosine[0] = dot[SG_DOT_1U_1V] * u * v;
    cosine[1] = dot[SG_DOT_1U_ZV] * u * root;
    cosine[2] = dot[SG_DOT_ZU_1V] * v * root;
    cosine[3] = dot[SG_DOT_1U_2V] * u * v2;
    cosine[4] = dot[SG_DOT_2U_1V] * u2 * v;
    cosine[5] = dot[SG_DOT_2U_ZV] * u2 * root;
    cosine[6] = dot[SG_DOT_ZU_2V] * v2 * root;
    log[0] = dot[SG_DOT_1U_1V] * root * root;
    log[1] = sqrtf(dot[SG_DOT_1U_1U]) * root;
    log[2] = sqrtf(dot[SG_DOT_1V_1V]) * root;
    log[3] = dot[SG_DOT_1U_2V] * u * root;
    log[4] = dot[SG_DOT_2U_1V] * v * root;
    log[5] = dot[SG_DOT_2U_2V] * u2 * v2;
    log[6] = sqrtf(dot[SG_DOT_2U_2U]) * root;
    log[7] = sqrtf(dot[SG_DOT_2V_2V]) * root;
}

/* The inner products of an order as if S2 were empty. */
static void leave_out_second(const float *dot, float *out)
{
    static const int first[] = {SG_DOT_1U_1V, SG_DOT_1U_ZV, SG_DOT_ZU_1V, SG_DOT_1V_1V, SG_DOT_1U_1U};
    memset(out, 0, SG_DOTS * sizeof *out);
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) out[first[i]] = dot[first[i]];
}

static void put_walks(const sg_ledger *ledger, const float *dots, float *to)
{
    const float root = 1 / sqrtf((float)ledger->options.plan.width);
    float log[SG_ORDERS * LOGS], some[SG_DOTS];
    for (size_t k = 0; k < SG_ORDERS; k++) {
        const float *dot = dots + k * SG_DOTS;
        if (ledger->options.without & SG_LEDGER_NO_S2) {
            leave_out_second(dot, some);
            dot = some;
        }
        walk_of_order(dot, root, to + k * COSINES, log + k * LOGS);
    }
    sg_log_rows(log, SG_ORDERS * LOGS);
    memcpy(to + SG_ORDERS * COSINES, log, sizeof log);
}

void sg_ledger_row(const sg_ledger *ledger, float *raw, const float *dots, float *row)
{
    const float log_100 = 4.6051702f;
    /* Counts and weights of a pair that never met are 0, and so are their logarithms. */
    if (raw[SG_RAW_MET] > 0 || raw[SG_RAW_MET + 1] > 0) sg_log_rows(raw, ledger->widths.rates);
    sg_log_rows(raw + SG_RAW_AGES, SG_RAW_LOGS - SG_RAW_AGES);
    memcpy(row, raw, ledger->widths.rates * sizeof *row);
    float *to = row + ledger->widths.rates;
    *to++ = raw[SG_RAW_AGES];
    *to++ = raw[SG_RAW_AGES + 1];
    for (int i = 0; i < 4; i++) *to++ = raw[SG_RAW_MET + i / 2] / (1 + raw[SG_RAW_CLOCKS + i]);
    *to++ = raw[SG_RAW_MET];
    *to++ = raw[SG_RAW_MET + 1];
    *to++ = raw[SG_RAW_NEXT];
    *to++ = raw[SG_RAW_NEXT + 1];
    *to++ = raw[SG_RAW_NEXT + 2] - log_100 - raw[SG_RAW_LEFT];
    *to++ = raw[SG_RAW_NEXT + 3] - log_100 - raw[SG_RAW_LEFT + 1];
    *to++ = raw[SG_RAW_SAME];
    if (ledger->sketch)
        put_walks(ledger, dots, to);
    else if (ledger->options.plan.width)
        memset(to, 0, SG_ORDERS * WALK * sizeof *to);
}
