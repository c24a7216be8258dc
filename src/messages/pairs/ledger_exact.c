/* The exact part of the ledger: exact messages of nodes and pairs. */
#include "messages/nodes/decay.h"
#include "messages/pairs/ledger_parts.h"
#include "messages/pairs/log_rows.h"

#include <string.h>

/* Decayed sums of edge features have two memories: the slowest, and one of about a hundredth of it. */
#define FEATURE_RATES 2
static const int feature_rate[FEATURE_RATES] = {0, 3};
/* Transitions are read at the same two. */
#define SLOW feature_rate[0]
#define MIDDLE feature_rate[1]

/* ---- Taking in ---- */

/* sums += x projected on `kept` numbers. */
static void project(const float *x, size_t count, const float *signs, size_t kept, float *sums)
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
            project(x, ledger->options.edge_features, ledger->edge_signs, kept, sums);
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
int sg_exact_add(sg_ledger *ledger, uint64_t first, uint64_t end)
{
    const double *time = ledger->columns->time;
    scadyg_error error;
    int status = SCADYG_OK;
    for (uint64_t e = first, next; e < end && !status; e = next) {
        for (next = e + 1; next < end && time[next] == time[e];) next++;
        for (uint64_t i = e; i < next && ledger->transitions && !status; i++)
            status = add_transition(ledger, i, &error);
        for (uint64_t i = e; i < next && !status; i++) status = add_contact(ledger, i, &error);
    }
    return status ? -1 : 0;
}

/* ---- Reading ---- */

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
            project(x, ledger->options.node_features, ledger->node_signs, ledger->node_kept, to);
        } else {
            memcpy(to, x, ledger->node_kept * sizeof *to);
        }
    }
    sg_log_rows(row, ledger->widths.node);
}
