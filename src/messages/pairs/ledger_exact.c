/* The exact part of the ledger: counts of nodes and pairs, the rates they decay at, and the rows of numbers a net reads. */
#include "messages/pairs/ledger_parts.h"

#include "base/memory.h"
#include "base/simd.h"

#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wpsabi"

/* ---- Rates, from the events alone ---- */

/* docs/accuracy.md, "Links", has what was tried: the quantile instead of a fixed rate, and the span. */
#define SAMPLE 65536   /* gaps looked at */
#define SHORT 0.1      /* the quantile of the gaps that the fastest rate is for */
#define LEAST_SPAN 50  /* times the slowest rate, at least */
#define MOST_SPAN 1e6  /* and at most */
#define NO_TIME 1e-300 /* a range this short has no rates that are numbers: as if all came at once */

static int compare_sizes(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The short quantile of the gaps above 0 between events of the same source, looked at evenly over the part; *gap stays if
 * there are none. */
static int find_short_gap(const sg_columns *columns, uint64_t nodes, uint64_t end, double *gap, scadyg_error *error)
{
    double *last = sg_alloc(nodes, sizeof *last), *gaps = sg_alloc(SAMPLE, sizeof *gaps);
    size_t count = 0;
    const uint64_t stride = end / SAMPLE + 1;
    for (uint64_t i = 0; last && i < nodes; i++) last[i] = NAN;
    for (uint64_t e = 0; last && gaps && e < end; e++) {
        const double since = columns->time[e] - last[columns->src[e]];
        if (since > 0 && e % stride == 0 && count < SAMPLE) gaps[count++] = since;
        last[columns->src[e]] = columns->time[e];
    }
    const int status = last && gaps ? SCADYG_OK : sg_fail_memory(error, "the gaps between events");
    if (!status && count) {
        qsort(gaps, count, sizeof *gaps, compare_sizes);
        *gap = gaps[(size_t)(SHORT * (double)(count - 1))];
    }
    SG_FREE(last, gaps);
    return status;
}

int sg_ledger_rates(const sg_columns *columns, uint64_t nodes, uint64_t train_end, sg_rates *rates,
                    scadyg_error *error)
{
    double range = train_end ? columns->time[train_end - 1] - columns->time[0] : 0;
    if (!(range > NO_TIME)) range = 1;
    double gap = range;
    int status = find_short_gap(columns, nodes, train_end, &gap, error);
    if (status) return status;
    double span = range / gap;
    span = span < LEAST_SPAN ? LEAST_SPAN : span > MOST_SPAN ? MOST_SPAN : span;
    for (int k = 0; k < SG_RATES; k++) rates->rate[k] = pow(span, (double)k / (SG_RATES - 1)) / range;
    return SCADYG_OK;
}

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

/* ---- Taking in events ---- */

/*
 * Decayed sums of edge features have two memories, the slowest and one of about a hundredth of it. Transitions are read
 * at the same two: beside the sketches they help (docs/accuracy.md, "Links").
 */
enum { SLOW = 0, MIDDLE = 3, FEATURE_RATES = 2 };
static const int feature_rate[FEATURE_RATES] = {SLOW, MIDDLE};

/* sums += x projected on `kept` numbers. */
static void add_projected(const float *x, size_t count, const float *signs, size_t kept, float *sums)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < kept; j++) sums[j] += x[i] * signs[i * kept + j];
}

static void add_features(sg_ledger *ledger, uint32_t node, double time, const float *x)
{
    const size_t kept = ledger->edge_kept;
    float *sums = ledger->edge_sums + node * FEATURE_RATES * kept;
    for (int k = 0; k < FEATURE_RATES; k++, sums += kept) {
        const float fade =
            sg_decay_one_float(ledger->edge_time[node], time, ledger->options.plan.rates.rate[feature_rate[k]]);
        for (size_t j = 0; j < kept; j++) sums[j] *= fade;
        if (ledger->edge_signs)
            add_projected(x, ledger->options.edge_features, ledger->edge_signs, kept, sums);
        else
            for (size_t j = 0; j < kept; j++) sums[j] += x[j];
    }
    ledger->edge_time[node] = time;
}

static int add_transition(sg_ledger *ledger, uint64_t e, scadyg_error *error)
{
    const sg_columns *columns = ledger->columns;
    const uint32_t previous = ledger->record[columns->src[e]].previous;
    if (previous == SG_LEDGER_NOBODY) return SCADYG_OK;
    sg_tally_add(&ledger->options.plan.rates, &ledger->record[previous].from, columns->time[e], 1);
    return sg_pair_store_add(ledger->transitions, previous, columns->dst[e], columns->time[e], 1, 0, 0, error);
}

static int add_contact(sg_ledger *ledger, uint64_t e, scadyg_error *error)
{
    const sg_columns *columns = ledger->columns;
    const sg_rates *rates = &ledger->options.plan.rates;
    const uint32_t src = columns->src[e], dst = columns->dst[e];
    const double time = columns->time[e];
    sg_node_record *from = &ledger->record[src], *to = &ledger->record[dst];
    sg_tally_add(rates, &from->out, time, 1);
    sg_tally_add(rates, &to->in, time, 1);
    from->previous = dst;
    if (ledger->edge_kept) {
        const float *x = columns->edge_features + e * ledger->options.edge_features;
        add_features(ledger, src, time, x);
        add_features(ledger, dst, time, x);
    }
    if (!ledger->pairs) return SCADYG_OK;
    return sg_pair_store_add(ledger->pairs, src, dst, time, ledger->options.weighted ? columns->weight[e] : 1,
                             from->out.times, to->in.times, error);
}

/* Transitions of a time first, from what was met last before it; then the contacts. */
int sg_exact_add(sg_ledger *ledger, uint64_t first, uint64_t end, scadyg_error *error)
{
    const double *time = ledger->columns->time;
    int status = SCADYG_OK;
    for (uint64_t e = first, next; e < end && !status; e = next) {
        for (next = e + 1; next < end && time[next] == time[e];) next++;
        for (uint64_t i = e; i < next && ledger->transitions && !status; i++)
            status = add_transition(ledger, i, error);
        for (uint64_t i = e; i < next && !status; i++) status = add_contact(ledger, i, error);
    }
    return status;
}

/* ---- Reading counts ---- */

void sg_exact_prefetch(const sg_ledger *ledger, const uint32_t *src, const uint32_t *dst, size_t count)
{
    uint32_t previous[SG_PAIR_GROUP], next[SG_PAIR_GROUP];
    size_t transitions = 0;
    for (size_t i = 0; i < count; i++) {
        __builtin_prefetch(&ledger->record[dst[i]]);
        previous[transitions] = ledger->record[src[i]].previous;
        next[transitions] = dst[i];
        transitions += previous[transitions] != SG_LEDGER_NOBODY;
    }
    if (ledger->pairs) {
        sg_pair_store_prefetch(ledger->pairs, src, dst, count);
        sg_pair_store_prefetch(ledger->pairs, dst, src, count);
    }
    if (ledger->transitions) sg_pair_store_prefetch(ledger->transitions, previous, next, transitions);
}

/* One direction: counts, weights, how long ago by three clocks. */
static void read_direction(const sg_ledger *ledger, uint32_t src, uint32_t dst, double at, int back, float *raw)
{
    const sg_rates *rates = &ledger->options.plan.rates;
    float *count = raw + (back ? SG_RAW_VU : SG_RAW_UV),
          *weight = raw + (back ? SG_RAW_VU_WEIGHT : SG_RAW_UV_WEIGHT);
    const double unit = rates->rate[SG_RATES - 1];
    sg_pair_message message;
    if (!sg_pair_store_find(ledger->pairs, src, dst, &message)) {
        /* Never is longer ago than anything in the training part. */
        raw[SG_RAW_AGES + back] = (float)(10 * unit / rates->rate[0]);
        return;
    }
    const sg_tally *tally = message.tally;
    float fade[SG_RATES];
    sg_rates_decay(rates, at - tally->last, fade);
    for (int k = 0; k < SG_RATES; k++) count[k] = tally->count[k] * fade[k];
    if (message.weight)
        for (int k = 0; k < SG_RATES; k++) weight[k] = message.weight[k] * fade[k];
    raw[SG_RAW_AGES + back] = (float)((at - tally->last) * unit);
    raw[SG_RAW_CLOCKS + 2 * back] = (float)(ledger->record[src].out.times - tally->clock[0]);
    raw[SG_RAW_CLOCKS + 2 * back + 1] = (float)(ledger->record[dst].in.times - tally->clock[1]);
    raw[SG_RAW_MET + back] = 1;
}

static void read_transition(const sg_ledger *ledger, uint32_t src, uint32_t dst, double at, float *raw)
{
    const sg_rates *rates = &ledger->options.plan.rates;
    const uint32_t previous = ledger->record[src].previous;
    float count[SG_RATES];
    if (previous == SG_LEDGER_NOBODY) return;
    raw[SG_RAW_SAME] = previous == dst;
    if (ledger->record[previous].from.times == 0) return;
    sg_tally_read(rates, &ledger->record[previous].from, at, count);
    raw[SG_RAW_LEFT] = count[SLOW];
    raw[SG_RAW_LEFT + 1] = count[MIDDLE];
    sg_pair_message message;
    if (!sg_pair_store_find(ledger->transitions, previous, dst, &message)) return;
    sg_tally_read(rates, message.tally, at, count);
    raw[SG_RAW_NEXT] = count[SLOW];
    raw[SG_RAW_NEXT + 1] = count[MIDDLE];
    raw[SG_RAW_NEXT + 2] = 100 * count[SLOW];
    raw[SG_RAW_NEXT + 3] = 100 * count[MIDDLE];
}

void sg_exact_pair(const sg_ledger *ledger, uint32_t src, uint32_t dst, double at, float *raw)
{
    memset(raw, 0, SG_RAW * sizeof *raw);
    if (ledger->pairs) {
        read_direction(ledger, src, dst, at, 0, raw);
        read_direction(ledger, dst, src, at, 1, raw);
    }
    if (ledger->transitions) read_transition(ledger, src, dst, at, raw);
}

static float *read_tally(const sg_ledger *ledger, const sg_tally *tally, double at, float *row)
{
    if (tally->times)
        sg_tally_read(&ledger->options.plan.rates, tally, at, row);
    else
        memset(row, 0, SG_RATES * sizeof *row);
    row[SG_RATES] = tally->times ? (float)((at - tally->last) * ledger->options.plan.rates.rate[SG_RATES - 1]) : -1;
    return row + SG_RATES + 1;
}

void sg_exact_node(const sg_ledger *ledger, uint32_t node, double at, float *row)
{
    float *to = row;
    if (ledger->options.without & SG_LEDGER_NO_NODES) {
        memset(row, 0, ledger->widths.node * sizeof *row);
        return;
    }
    to = read_tally(ledger, &ledger->record[node].out, at, to);
    to = read_tally(ledger, &ledger->record[node].in, at, to);
    for (int k = 0; ledger->edge_kept && k < FEATURE_RATES; k++) {
        const float fade =
            sg_decay_one_float(ledger->edge_time[node], at, ledger->options.plan.rates.rate[feature_rate[k]]);
        const float *sums = ledger->edge_sums + (node * FEATURE_RATES + (size_t)k) * ledger->edge_kept;
        for (size_t j = 0; j < ledger->edge_kept; j++) *to++ = sums[j] * fade;
    }
    if (ledger->node_kept) {
        const float *x = ledger->columns->node_features + node * ledger->options.node_features;
        if (ledger->node_signs) {
            memset(to, 0, ledger->node_kept * sizeof *to);
            add_projected(x, ledger->options.node_features, ledger->node_signs, ledger->node_kept, to);
        } else {
            memcpy(to, x, ledger->node_kept * sizeof *to);
        }
    }
    sg_log_rows(row, ledger->widths.node);
}

/* ---- The row of a pair ---- */

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

static void make_walk_numbers(const float *dot, float root, float *cosine, float *log)
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
        make_walk_numbers(dot, root, to + k * COSINES, log + k * LOGS);
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
