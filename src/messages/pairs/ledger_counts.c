/* The counts of the ledger: of nodes, pairs and transitions, and the rates they decay at. */
#include "messages/pairs/ledger_parts.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Rates, from the events alone ---- */

/* docs/accuracy.md, "Links, the first version", has what was tried: the quantile instead of a fixed rate, and the span. */
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

/* ---- Taking in events ---- */

/*
 * Decayed sums of edge features have two memories, the slowest and one of about a hundredth of it. Transitions are read
 * at the same two: (docs/accuracy.md, "Links, the first version").
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

/*
 * Memory is asked for ahead of its use, in three steps, each of which reads what the one before has brought: the records of both
 * nodes and the place of the pair; the pair, and what the source met last, which leads to its transition; the transition.
 * Distances in events, measured on wiki-talk (docs/performance.md).
 */
enum { FAR = 12, MIDWAY = 8, NEAR = 4 };

/* The latest two destinations of a source as they will be when event e comes: those of events from `now` on, or else those of its
 * record. */
static void foresee_latest(const sg_ledger *ledger, uint64_t now, uint64_t e, uint32_t *latest, uint32_t *earlier)
{
    const sg_columns *columns = ledger->columns;
    const uint32_t src = columns->src[e];
    const sg_node_record *record = &ledger->record[src];
    *latest = record->previous;
    *earlier = record->earlier;
    for (uint64_t i = now; i < e; i++)
        if (columns->src[i] == src) {
            *earlier = *latest;
            *latest = columns->dst[i];
        }
}

SG_INLINE void fetch_nodes(const sg_ledger *ledger, uint64_t e)
{
    const uint32_t src = ledger->columns->src[e], dst = ledger->columns->dst[e];
    __builtin_prefetch(&ledger->record[src].out, 1);
    __builtin_prefetch(&ledger->record[src].previous, 1);
    __builtin_prefetch(&ledger->record[dst].in, 1);
    if (ledger->pairs) sg_pair_store_fetch_place(ledger->pairs, src, dst);
}

SG_INLINE void fetch_latest(const sg_ledger *ledger, uint64_t now, uint64_t e)
{
    const uint32_t src = ledger->columns->src[e], dst = ledger->columns->dst[e];
    uint32_t latest, earlier;
    if (ledger->pairs) sg_pair_store_fetch_record(ledger->pairs, src, dst);
    if (!ledger->transitions) return;
    foresee_latest(ledger, now, e, &latest, &earlier);
    if (latest == SG_LEDGER_NOBODY) return;
    __builtin_prefetch(&ledger->record[latest].from, 1);
    sg_pair_store_fetch_place(ledger->transitions, latest, dst);
    sg_successors_fetch(ledger->successors, earlier, latest);
}

SG_INLINE void fetch_transition(const sg_ledger *ledger, uint64_t now, uint64_t e)
{
    uint32_t latest, earlier;
    if (!ledger->transitions) return;
    foresee_latest(ledger, now, e, &latest, &earlier);
    if (latest != SG_LEDGER_NOBODY)
        sg_pair_store_fetch_record(ledger->transitions, latest, ledger->columns->dst[e]);
}

SG_INLINE void fetch_ahead(const sg_ledger *ledger, uint64_t e)
{
    const uint64_t count = ledger->columns->count;
    if (e + FAR < count) fetch_nodes(ledger, e + FAR);
    if (e + MIDWAY < count) fetch_latest(ledger, e, e + MIDWAY);
    if (e + NEAR < count) fetch_transition(ledger, e, e + NEAR);
}

static int add_transition(sg_ledger *ledger, uint64_t e, scadyg_error *error)
{
    const sg_columns *columns = ledger->columns;
    const uint32_t src = columns->src[e], dst = columns->dst[e];
    const uint32_t previous = ledger->record[src].previous, earlier = ledger->record[src].earlier;
    if (!ledger->transitions || previous == SG_LEDGER_NOBODY) return SCADYG_OK;
    sg_tally_add(&ledger->options.plan.rates, &ledger->record[previous].from, columns->time[e], 1);
    int status =
        sg_pair_store_add(ledger->transitions, previous, dst, columns->time[e], &(sg_pair_event){0}, NULL, error);
    return status ? status : sg_successors_add(ledger->successors, earlier, previous, dst, error);
}

/* The tally and its part of first contacts fade alike, so that the exponentials are made once for both. */
static void add_to_role(const sg_ledger *ledger, sg_node_role *role, double time, int is_new)
{
    const sg_rates *rates = &ledger->options.plan.rates;
    sg_tally *tally = &role->tally;
    const int together = tally->last == time;
    if (!together) {
        float fade[SG_RATES];
        sg_rates_decay(rates, time - tally->last, fade);
        if (tally->times) tally->life += (float)((time - tally->last) * rates->rate[SLOW]);
        for (int k = 0; k < FEATURE_RATES; k++) role->fresh[k] *= fade[feature_rate[k]];
        for (int k = 0; k < SG_RATES; k++) tally->count[k] *= fade[k];
        tally->last = time;
    }
    for (int k = 0; k < FEATURE_RATES; k++) role->fresh[k] += (float)is_new;
    for (int k = 0; k < SG_RATES; k++) tally->count[k] += 1;
    tally->clock[0] += (uint32_t)is_new;
    tally->clock[1] = together ? tally->clock[1] + 1 : 1;
    tally->times += tally->times < UINT32_MAX;
}

static int add_contact(sg_ledger *ledger, uint64_t e, scadyg_error *error)
{
    const sg_columns *columns = ledger->columns;
    const uint32_t src = columns->src[e], dst = columns->dst[e];
    const double time = columns->time[e];
    sg_node_record *from = &ledger->record[src], *to = &ledger->record[dst];
    sg_pair_event event = {.weight = ledger->options.weighted ? columns->weight[e] : 1,
                           .clock = {from->out.tally.times + 1, to->in.tally.times + 1}};
    const sg_tally *pair = NULL;
    int status = SCADYG_OK;
    if (ledger->pairs) status = sg_pair_store_add(ledger->pairs, src, dst, time, &event, &pair, error);
    if (status) return status;
    const int is_new = pair && pair->times == 1;
    add_to_role(ledger, &from->out, time, is_new);
    add_to_role(ledger, &to->in, time, is_new);
    sg_tally_add(&ledger->options.plan.rates, &ledger->all, time, 1);
    from->earlier = from->previous;
    from->previous = dst;
    if (ledger->edge_kept) {
        const float *x = columns->edge_features + e * ledger->options.edge_features;
        add_features(ledger, src, time, x);
        add_features(ledger, dst, time, x);
    }
    return SCADYG_OK;
}

/* Transitions of a time first, from what was met last before it; then the contacts. */
int sg_counts_add(sg_ledger *ledger, uint64_t first, uint64_t end, scadyg_error *error)
{
    const double *time = ledger->columns->time;
    int status = SCADYG_OK;
    for (uint64_t e = first, next; e < end && !status; e = next) {
        for (next = e + 1; next < end && time[next] == time[e];) next++;
        for (uint64_t i = e; i < next && !status; i++) {
            fetch_ahead(ledger, i);
            status = add_transition(ledger, i, error);
        }
        for (uint64_t i = e; i < next && !status; i++) status = add_contact(ledger, i, error);
    }
    return status;
}

/* ---- Reading counts ---- */

void sg_counts_prefetch(const sg_ledger *ledger, const uint32_t *src, const uint32_t *dst, size_t count)
{
    uint32_t previous[SG_PAIR_GROUP], next[SG_PAIR_GROUP];
    size_t transitions = 0;
    for (size_t i = 0; i < count; i++) {
        __builtin_prefetch(&ledger->record[dst[i]]);
        __builtin_prefetch(&ledger->record[dst[i]].in);
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

/* log(a / b), where neither may be 0, within what a net can use. */
static float log_ratio(double a, double b)
{
    const double ratio = log((a + 1e-12) / (b + 1e-12));
    return (float)(ratio > 10 ? 10 : ratio < -10 ? -10 : ratio);
}

/* Between one and the next, in lengths of the slowest memory. */
static double usual_gap(const sg_tally *tally)
{
    return tally->times > 1 ? (double)tally->life / (tally->times - 1) : 0;
}

/* An age as a share of that of the log. */
static float share_of_log(const sg_ledger *ledger, double age, double at)
{
    const double all = (at - ledger->columns->time[0]) * ledger->options.plan.rates.rate[SLOW];
    return (float)(age / fmax(all, 1e-12));
}

/* Since when a pair has met, how often and at what pace; of how much of what its nodes do. */
static void read_life(const sg_ledger *ledger, uint32_t src, uint32_t dst, double at, int back,
                      const sg_tally *tally, float *raw)
{
    const sg_rates *rates = &ledger->options.plan.rates;
    const double scale = rates->rate[SG_RATES - 1] / rates->rate[SLOW], gap = usual_gap(tally);
    const double since = (at - tally->last) * rates->rate[SLOW], age = since + (double)tally->life;
    float *log = raw + SG_RAW_LIFE + 3 * back, *plain = raw + SG_RAW_SHARES + 6 * back;
    log[0] = (float)(age * scale);
    log[1] = (float)tally->times;
    log[2] = (float)(gap * scale);
    plain[0] = share_of_log(ledger, age, at);
    plain[1] = (float)tally->times / (float)ledger->record[src].out.tally.times;
    plain[2] = (float)tally->times / (float)ledger->record[dst].in.tally.times;
    plain[3] = tally->times > 1 ? log_ratio(since, gap) : 0;
    plain[4] = tally->times == 1;
    plain[5] = tally->times > 1;
}

/* Never is longer ago than anything in the training part. */
static float never(const sg_rates *rates)
{
    return (float)(10 * rates->rate[SG_RATES - 1] / rates->rate[0]);
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
        raw[SG_RAW_AGES + back] = never(rates);
        return;
    }
    const sg_tally *tally = message.tally;
    float fade[SG_RATES];
    sg_rates_decay(rates, at - tally->last, fade);
    for (int k = 0; k < SG_RATES; k++) count[k] = tally->count[k] * fade[k];
    if (message.weight)
        for (int k = 0; k < SG_RATES; k++) weight[k] = message.weight[k] * fade[k];
    raw[SG_RAW_AGES + back] = (float)((at - tally->last) * unit);
    raw[SG_RAW_CLOCKS + 2 * back] = (float)(ledger->record[src].out.tally.times - tally->clock[0]);
    raw[SG_RAW_CLOCKS + 2 * back + 1] = (float)(ledger->record[dst].in.tally.times - tally->clock[1]);
    raw[SG_RAW_MET + back] = 1;
    read_life(ledger, src, dst, at, back, tally, raw);
}

/* Transitions from the source's latest to anyone; whether there are any. */
static int read_left(const sg_ledger *ledger, uint32_t previous, double at, float *raw)
{
    float count[SG_RATES];
    if (previous == SG_LEDGER_NOBODY || ledger->record[previous].from.times == 0) return 0;
    sg_tally_read(&ledger->options.plan.rates, &ledger->record[previous].from, at, count);
    raw[SG_RAW_LEFT] = count[SLOW];
    raw[SG_RAW_LEFT + 1] = count[MIDDLE];
    return 1;
}

static void read_transition(const sg_ledger *ledger, uint32_t src, uint32_t dst, double at, float *raw)
{
    const sg_rates *rates = &ledger->options.plan.rates;
    const uint32_t previous = ledger->record[src].previous;
    float count[SG_RATES];
    raw[SG_RAW_SAME] = previous == dst;
    if (!read_left(ledger, previous, at, raw)) return;
    sg_pair_message message;
    if (!sg_pair_store_find(ledger->transitions, previous, dst, &message)) return;
    sg_tally_read(rates, message.tally, at, count);
    raw[SG_RAW_NEXT] = count[SLOW];
    raw[SG_RAW_NEXT + 1] = count[MIDDLE];
    raw[SG_RAW_NEXT + 2] = 100 * count[SLOW];
    raw[SG_RAW_NEXT + 3] = 100 * count[MIDDLE];
}

/* How often v came after u's latest two, also a hundredfold, and how often anything did. */
static void read_after_two(const sg_ledger *ledger, uint32_t src, uint32_t dst, float *to)
{
    const sg_node_record *u = &ledger->record[src];
    if (u->previous == SG_LEDGER_NOBODY) return;
    const sg_successor_line *line = sg_successors_line(ledger->successors, u->earlier, u->previous);
    to[0] = sg_successors_count(line, dst);
    to[1] = 100 * to[0];
    to[2] = line->all;
}

void sg_counts_pair(const sg_ledger *ledger, uint32_t src, uint32_t dst, double at, float *raw)
{
    memset(raw, 0, SG_RAW * sizeof *raw);
    if (ledger->pairs) {
        read_direction(ledger, src, dst, at, 0, raw);
        read_direction(ledger, dst, src, at, 1, raw);
        const float there = raw[SG_RAW_AGES], back = raw[SG_RAW_AGES + 1];
        raw[SG_RAW_LAST] = there < back ? 1 : there > back ? -1 : 0;
    }
    raw[SG_RAW_SELF] = src == dst;
    if (ledger->transitions) read_transition(ledger, src, dst, at, raw);
    if (ledger->successors) read_after_two(ledger, src, dst, raw + SG_RAW_AFTER);
}

void sg_counts_blank(const sg_ledger *ledger, uint32_t src, double at, float *raw)
{
    const sg_rates *rates = &ledger->options.plan.rates;
    if (ledger->pairs) raw[SG_RAW_AGES] = raw[SG_RAW_AGES + 1] = never(rates);
    if (ledger->transitions) (void)read_left(ledger, ledger->record[src].previous, at, raw);
    if (ledger->successors) read_after_two(ledger, src, SG_LEDGER_NOBODY, raw + SG_RAW_AFTER);
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

enum { FAST = 6 };

static float *read_role_logs(const sg_ledger *ledger, const sg_node_role *role, float *to)
{
    const sg_rates *rates = &ledger->options.plan.rates;
    memset(to, 0, SG_ROLE_LOGS * sizeof *to);
    if (role->tally.times) {
        to[0] = (float)role->tally.clock[0];
        to[1] = (float)role->tally.clock[1];
        to[2] = (float)(usual_gap(&role->tally) * rates->rate[SG_RATES - 1] / rates->rate[SLOW]);
    }
    return to + SG_ROLE_LOGS;
}

static float *read_role(const sg_ledger *ledger, const sg_node_role *role, double at, float *to)
{
    static const int rate[3] = {SLOW, MIDDLE, FAST};
    const sg_rates *rates = &ledger->options.plan.rates;
    float own[SG_RATES] = {0}, all[SG_RATES] = {0};
    memset(to, 0, SG_ROLE_PLAIN * sizeof *to);
    if (ledger->all.times) sg_tally_read(rates, &ledger->all, at, all);
    if (role->tally.times) {
        const double since = (at - role->tally.last) * rates->rate[SLOW];
        sg_tally_read(rates, &role->tally, at, own);
        for (int k = 0; k < FEATURE_RATES; k++)
            to[k] = role->fresh[k] / fmaxf(role->tally.count[feature_rate[k]], 1e-6f);
        to[2] = role->tally.times > 1 ? log_ratio(since, usual_gap(&role->tally)) : 0;
        to[3] = share_of_log(ledger, since + (double)role->tally.life, at);
    }
    for (int k = 0; k < 3; k++) to[4 + k] = logf((own[rate[k]] + 0.01f) / (all[rate[k]] + 1));
    return to + SG_ROLE_PLAIN;
}

void sg_counts_node(const sg_ledger *ledger, uint32_t node, double at, float *row)
{
    float *to = row;
    if (ledger->options.without & SG_LEDGER_NO_NODES) {
        memset(row, 0, ledger->widths.node * sizeof *row);
        return;
    }
    to = read_tally(ledger, &ledger->record[node].out.tally, at, to);
    to = read_tally(ledger, &ledger->record[node].in.tally, at, to);
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
    if (ledger->node_kept) to += ledger->node_kept;
    to = read_role_logs(ledger, &ledger->record[node].out, to);
    to = read_role_logs(ledger, &ledger->record[node].in, to);
    sg_log_rows(row, (size_t)(to - row));
    to = read_role(ledger, &ledger->record[node].out, at, to);
    (void)read_role(ledger, &ledger->record[node].in, at, to);
}
