/* The ledger's slow twin: every number of a row by its definition, in double, from the list of events alone. */
#ifndef TESTS_MESSAGES_LEDGER_TWIN_H
#define TESTS_MESSAGES_LEDGER_TWIN_H

#include "cmocka_all.h"

#include "base/rng.h"
#include "messages/links_twin.h"
#include "messages/pairs/ledger_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TWIN_EVENTS = 60,
    TWIN_NODES = 9,
    TWIN_CROWD = 40,    /* at most, where lists of partners are to overflow */
    TWIN_FEATURES = 20, /* more than are kept */
    TWIN_LOGS = SG_RAW_LOGS - SG_RAW_LIFE + SG_LIST_LOGS,
    TWIN_MORE = TWIN_LOGS + SG_RAW - SG_RAW_SHARES + SG_LIST - SG_LIST_PLACES,
    TWIN_ROW = 4 * SG_RATES + 13 + TWIN_MORE,
    TWIN_NODE_ROW = 2 * (SG_RATES + 1 + 3 + 7) + 3 * SG_LEDGER_FEATURES
};

/* A log with ties, self-loops, short times between long ones and the same pair again and again; the last node meets nobody. */
typedef struct ledger_log {
    uint32_t src[TWIN_EVENTS], dst[TWIN_EVENTS];
    double time[TWIN_EVENTS];
    float weight[TWIN_EVENTS], edge[TWIN_EVENTS * TWIN_FEATURES], node[TWIN_CROWD * TWIN_FEATURES];
    uint64_t keys[TWIN_CROWD];
    sg_columns columns;
} ledger_log;

static inline void ledger_event(ledger_log *log, size_t i, double time, sg_rng *rng)
{
    log->src[i] = (uint32_t)sg_rng_below(rng, TWIN_NODES - 1);
    log->dst[i] = sg_rng_below(rng, 8) ? (uint32_t)sg_rng_below(rng, TWIN_NODES - 1) : log->src[i];
    if (i && sg_rng_below(rng, 4) == 0) {
        log->src[i] = log->src[i - 1];
        log->dst[i] = log->dst[i - 1];
    }
    log->time[i] = time;
    log->weight[i] = (float)(sg_rng_unit(rng) * 6 - 2);
    for (size_t j = 0; j < TWIN_FEATURES; j++) log->edge[i * TWIN_FEATURES + j] = (float)(sg_rng_unit(rng) * 4 - 2);
}

static inline void ledger_link(ledger_log *log, size_t count)
{
    log->columns = (sg_columns){.count = count,
                                .src = log->src,
                                .dst = log->dst,
                                .time = log->time,
                                .weight = log->weight,
                                .edge_features = log->edge,
                                .node_features = log->node};
}

static inline void ledger_log_make(ledger_log *log, uint64_t seed)
{
    sg_rng rng;
    sg_rng_seed(&rng, seed, 0x1ed);
    double now = seed % 3 == 0 ? 1.6e9 : seed % 3 == 1 ? -20 : 0.125;
    for (size_t i = 0; i < TWIN_EVENTS; i++) {
        ledger_event(log, i, now, &rng);
        if (sg_rng_below(&rng, 2)) now += (seed % 4 == 2 ? 0x1p-12 : 0.25) * (double)(1 + sg_rng_below(&rng, 8));
        if (sg_rng_below(&rng, 20) == 0) now += 20;
    }
    for (size_t i = 0; i < TWIN_CROWD * TWIN_FEATURES; i++) log->node[i] = (float)(sg_rng_unit(&rng) * 2 - 1);
    for (size_t i = 0; i < TWIN_CROWD; i++) log->keys[i] = sg_hash3(seed, 9, i);
    ledger_link(log, TWIN_EVENTS);
}

/* The arrays of features are read with the stride of the options, so any number up to TWIN_FEATURES will do. */
static inline sg_ledger_options ledger_options(int weighted, size_t edge, size_t node)
{
    sg_ledger_options o = {
        .weighted = weighted,
        .edge_features = edge,
        .node_features = node,
        .plan = {.pair_bytes = 1u << 24},
    };
    for (int k = 0; k < SG_RATES; k++) o.plan.rates.rate[k] = 0.01 * pow(1.9, k);
    return o;
}

static inline double natural_log(double x) /* where the name is taken */
{
    return log(x);
}

static inline double signed_log(double x)
{
    return copysign(log1p(fabs(x)), x);
}

/* ---- The exact counts, by going through all events ---- */

/* The latest contact u -> v among the first `seen` events; -1: none. */
static inline int64_t twin_latest(const ledger_log *log, uint64_t seen, uint32_t u, uint32_t v)
{
    for (int64_t e = (int64_t)seen - 1; e >= 0; e--)
        if (log->src[e] == u && log->dst[e] == v) return e;
    return -1;
}

static inline double *twin_counts(const ledger_log *log, const sg_ledger_options *o, uint64_t seen, double at,
                                  uint32_t u, uint32_t v, int weights, double *to)
{
    for (int k = 0; k < SG_RATES; k++) {
        double sum = 0;
        for (uint64_t e = 0; e < seen; e++)
            if (log->src[e] == u && log->dst[e] == v)
                sum += (weights ? (double)log->weight[e] : 1) * exp(-o->plan.rates.rate[k] * (at - log->time[e]));
        *to++ = signed_log(sum);
    }
    return to;
}

/* 1 / (1 + log(1 + events of the node since)), as source (out) or as destination; 0: they never met. */
static inline double twin_clock(const ledger_log *log, uint64_t seen, int64_t latest, uint32_t node, int out)
{
    double since = 0;
    for (uint64_t e = (uint64_t)latest + 1; latest >= 0 && e < seen; e++)
        since += (out ? log->src[e] : log->dst[e]) == node;
    return latest >= 0 ? 1 / (1 + log1p(since)) : 0;
}

/* The latest destination of a source before event e's time (e may be past the last); -1: none. */
static inline int64_t twin_previous(const ledger_log *log, uint64_t e, uint64_t seen, uint32_t u)
{
    for (int64_t i = (int64_t)e - 1; i >= 0; i--)
        if (log->src[i] == u && (e >= seen || log->time[i] < log->time[e])) return log->dst[i];
    return -1;
}

/* The destination of the source's event before the one that twin_previous found; -1: none. */
static inline int64_t twin_earlier(const ledger_log *log, uint64_t e, uint64_t seen, uint32_t u)
{
    int found = 0;
    for (int64_t i = (int64_t)e - 1; i >= 0; i--)
        if (log->src[i] == u && (e >= seen || log->time[i] < log->time[e]) && found++) return log->dst[i];
    return -1;
}

/* How often v (-1: anyone) came after two. Never more than SG_SUCCESSORS different ones do here. */
static inline double twin_after_two(const ledger_log *log, uint64_t seen, int64_t earlier, int64_t latest,
                                    int64_t v)
{
    double count = 0;
    for (uint64_t e = 0; e < seen && latest >= 0; e++)
        count += twin_previous(log, e, seen, log->src[e]) == latest &&
                 twin_earlier(log, e, seen, log->src[e]) == earlier && (v < 0 || log->dst[e] == (uint32_t)v);
    return count;
}

/* Transitions from `from` to v (-1: to anyone), decayed. */
static inline double twin_transitions(const ledger_log *log, uint64_t seen, double at, double rate, int64_t from,
                                      int64_t v)
{
    double sum = 0;
    for (uint64_t e = 0; e < seen && from >= 0; e++)
        if (twin_previous(log, e, seen, log->src[e]) == from && (v < 0 || log->dst[e] == (uint32_t)v))
            sum += exp(-rate * (at - log->time[e]));
    return sum;
}

static inline double *twin_next(const ledger_log *log, const sg_ledger_options *o, uint64_t seen, double at,
                                uint32_t u, uint32_t v, double *to)
{
    const double rates[2] = {o->plan.rates.rate[0], o->plan.rates.rate[3]};
    const int64_t from = twin_previous(log, seen, seen, u);
    for (int k = 0; k < 2; k++) *to++ = log1p(twin_transitions(log, seen, at, rates[k], from, v));
    for (int k = 0; k < 2; k++)
        *to++ = log1p(100 * twin_transitions(log, seen, at, rates[k], from, v)) - log1p(99) -
                log1p(twin_transitions(log, seen, at, rates[k], from, -1));
    *to++ = from == (int64_t)v;
    return to;
}

/* ---- Latest partners, and what came up together ---- */

/* The partners of a node, each once, the latest first, at most SG_RECENT of them. */
typedef struct twin_list {
    size_t count;
    uint32_t who[SG_RECENT];
    double times[SG_RECENT];
} twin_list;

/* Where a node stands in a list; -1: it does not. */
static inline int twin_place(const twin_list *list, uint32_t node)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->who[i] == node) return (int)i;
    return -1;
}

/* Whoever is met comes to the front; times: how often since then, as long as it stays in the list. */
static inline void twin_list_meet(twin_list *list, uint32_t partner)
{
    const int place = twin_place(list, partner);
    const double times = place < 0 ? 0 : list->times[place];
    if (place < 0 && list->count < SG_RECENT) list->count++;
    for (size_t i = place < 0 ? list->count - 1 : (size_t)place; i > 0; i--) {
        list->who[i] = list->who[i - 1];
        list->times[i] = list->times[i - 1];
    }
    list->who[0] = partner;
    list->times[0] = times + 1;
}

static inline twin_list twin_partners(const ledger_log *log, uint64_t seen, uint32_t node, int out)
{
    twin_list list = {0};
    for (uint64_t e = 0; e < seen; e++)
        if ((out ? log->src[e] : log->dst[e]) == node) twin_list_meet(&list, out ? log->dst[e] : log->src[e]);
    return list;
}

/* What holds for all pairs at one place. */
typedef struct twin_state {
    twin_list out[TWIN_CROWD], in[TWIN_CROWD];
    double sent[TWIN_CROWD], received[TWIN_CROWD]; /* events */
    twin_links items[TWIN_CROWD], peers[TWIN_CROWD];
} twin_state;

/* Each of the list came before the node at hand, the latest of them counting most. */
static inline void twin_meet(twin_links *links, const twin_list *list, uint32_t node)
{
    for (size_t j = 0; j < list->count; j++)
        if (list->who[j] != node) twin_link(&links[node], list->who[j], 1 / (float)(1 + j));
}

static inline void twin_settle(const ledger_log *log, size_t nodes, uint64_t seen, twin_state *state)
{
    *state = (twin_state){0};
    for (uint64_t e = 0; e < seen; e++) {
        const uint64_t before = sg_events_before(log->time, log->columns.count, log->time[e]);
        const twin_list out = twin_partners(log, before, log->src[e], 1),
                        in = twin_partners(log, before, log->dst[e], 0);
        twin_meet(state->items, &out, log->dst[e]);
        twin_meet(state->peers, &in, log->src[e]);
        state->sent[log->src[e]]++;
        state->received[log->dst[e]]++;
    }
    for (uint32_t i = 0; i < nodes; i++) {
        state->out[i] = twin_partners(log, seen, i, 1);
        state->in[i] = twin_partners(log, seen, i, 0);
    }
}

/* How often two came together, relative to how often each came. */
static inline double twin_share(double weight, double a, double b)
{
    return 100 * weight / (sqrt(a * b) + 5);
}

/* u's latest destinations and v: how often v came after and before each. */
static inline void twin_items(const twin_state *s, uint32_t u, uint32_t v, double *to)
{
    double sum[7] = {0};
    for (size_t j = 0; j < s->out[u].count; j++) {
        const uint32_t i = s->out[u].who[j];
        const double after = (double)twin_linked(&s->items[v], i), before = (double)twin_linked(&s->items[i], v);
        const double n = s->received[i], m = s->received[v], place = 1 + (double)j;
        sum[0] += after + before;
        sum[1] += twin_share(after + before, n, m) / place;
        sum[2] = fmax(sum[2], twin_share(after + before, n, m));
        sum[3] += twin_share(after, n, m) / place;
        sum[4] = fmax(sum[4], twin_share(after, n, m));
        sum[5] += twin_share(before, n, m) / place;
        sum[6] += 100 * after / (n + 5);
    }
    for (int k = 0; k < 7; k++) to[k] = log1p(sum[k]);
}

/* v's latest sources and u: how often u came after each. */
static inline void twin_peers(const twin_state *s, uint32_t u, uint32_t v, double *to)
{
    double sum = 0, near = 0, most = 0;
    for (size_t j = 0; j < s->in[v].count; j++) {
        const uint32_t w = s->in[v].who[j];
        const double after = (double)twin_linked(&s->peers[u], w),
                     share = twin_share(after, s->sent[u], s->sent[w]);
        sum += after;
        near += share / (1 + (double)j);
        most = fmax(most, share);
    }
    to[0] = log1p(sum);
    to[1] = log1p(near);
    to[2] = log1p(most);
}

/* How many of the first list are in the second too; *near: each by its place in the first. */
static inline double twin_common(const twin_list *a, const twin_list *b, double *near)
{
    double count = 0, sum = 0;
    for (size_t i = 0; i < a->count; i++)
        if (twin_place(b, a->who[i]) >= 0) {
            count += 1;
            sum += 1 / (1 + (double)i);
        }
    *near = log1p(sum);
    return log1p(count);
}

/* 1 / (1 + the place of a node in a list), and by how often those of the list have met; 0: it is not there. */
static inline double twin_rank(const twin_list *list, uint32_t node, double *by_times)
{
    const int place = twin_place(list, node);
    double above = 0;
    *by_times = 0;
    if (place < 0) return 0;
    for (size_t i = 0; i < list->count; i++) above += list->times[i] > list->times[place];
    *by_times = 1 / (1 + above);
    return 1 / (1 + (double)place);
}

/* ---- Since when, how often and at what pace ---- */

/* log(a / b) within 10 either way. */
static inline double twin_ratio(double a, double b)
{
    return fmin(10, fmax(-10, log((a + 1e-12) / (b + 1e-12))));
}

typedef struct twin_life {
    double times, first, last;
} twin_life;

/* Of a pair u -> v; v or u may be -1: of all that one of them does. */
static inline twin_life twin_live(const ledger_log *log, uint64_t seen, int64_t u, int64_t v)
{
    twin_life life = {0};
    for (uint64_t e = 0; e < seen; e++) {
        if ((u >= 0 && log->src[e] != u) || (v >= 0 && log->dst[e] != v)) continue;
        if (life.times++ == 0) life.first = log->time[e];
        life.last = log->time[e];
    }
    return life;
}

static inline double twin_gap(twin_life life)
{
    return life.times > 1 ? (life.last - life.first) / (life.times - 1) : 0;
}

/* How overdue: the time since the last, in usual gaps. */
static inline double twin_overdue(const sg_ledger_options *o, twin_life life, double at)
{
    const double slow = o->plan.rates.rate[0];
    return life.times > 1 ? twin_ratio((at - life.last) * slow, twin_gap(life) * slow) : 0;
}

static inline double twin_age(const ledger_log *log, twin_life life, double at)
{
    return (at - life.first) / fmax(at - log->time[0], 1e-300);
}

static inline void twin_put_life(const ledger_log *log, const sg_ledger_options *o, const twin_state *state,
                                 uint64_t seen, double at, uint32_t u, uint32_t v, double *logs, double *plain)
{
    const twin_life life = twin_live(log, seen, u, v);
    const double unit = o->plan.rates.rate[SG_RATES - 1];
    memset(logs, 0, 3 * sizeof *logs);
    memset(plain, 0, 6 * sizeof *plain);
    if (life.times == 0) return;
    logs[0] = log1p((at - life.first) * unit);
    logs[1] = log1p(life.times);
    logs[2] = log1p(twin_gap(life) * unit);
    plain[0] = twin_age(log, life, at);
    plain[1] = life.times / state->sent[u];
    plain[2] = life.times / state->received[v];
    plain[3] = twin_overdue(o, life, at);
    plain[4] = life.times == 1;
    plain[5] = life.times > 1;
}

/* Everything of a pair beside its counts, its ages and transitions. */
static inline void twin_more(const ledger_log *log, const sg_ledger_options *o, const twin_state *s, uint64_t seen,
                             double at, uint32_t u, uint32_t v, double *logs)
{
    double *plain = logs + TWIN_LOGS, unused;
    twin_put_life(log, o, s, seen, at, u, v, logs, plain);
    twin_put_life(log, o, s, seen, at, v, u, logs + 3, plain + 6);
    logs[6] = twin_common(&s->out[u], &s->in[v], &logs[10]);
    logs[7] = twin_common(&s->in[u], &s->out[v], &logs[11]);
    logs[8] = twin_common(&s->out[u], &s->out[v], &logs[12]);
    logs[9] = twin_common(&s->in[u], &s->in[v], &logs[13]);
    twin_items(s, u, v, logs + 14);
    twin_peers(s, u, v, logs + 21);
    const int64_t earlier = twin_earlier(log, seen, seen, u), latest = twin_previous(log, seen, seen, u);
    const double count = twin_after_two(log, seen, earlier, latest, v),
                 all = twin_after_two(log, seen, earlier, latest, -1);
    logs[24] = log1p(count);
    logs[25] = log1p(100 * count) - log1p(99) - log1p(all);
    logs[26] = log1p(all);
    const int64_t uv = twin_latest(log, seen, u, v), vu = twin_latest(log, seen, v, u);
    const double there = uv >= 0 ? log->time[uv] : -INFINITY, back = vu >= 0 ? log->time[vu] : -INFINITY;
    plain[12] = there > back ? 1 : there < back ? -1 : 0;
    plain[13] = u == v;
    plain[14] = twin_rank(&s->out[u], v, &plain[18]);
    plain[15] = twin_rank(&s->in[v], u, &plain[19]);
    plain[16] = twin_rank(&s->in[u], v, &unused);
    plain[17] = twin_rank(&s->out[v], u, &unused);
}

/* The row of a pair that sees the first `seen` events, which do not part a time. */
static inline void twin_pair(const ledger_log *log, const sg_ledger_options *o, const twin_state *state,
                             uint64_t seen, double at, uint32_t u, uint32_t v, double *to)
{
    const double unit = o->plan.rates.rate[SG_RATES - 1];
    const int64_t uv = twin_latest(log, seen, u, v), vu = twin_latest(log, seen, v, u);
    for (int weights = 0; weights <= o->weighted; weights++) {
        to = twin_counts(log, o, seen, at, u, v, weights, to);
        to = twin_counts(log, o, seen, at, v, u, weights, to);
    }
    const double never = 10 * unit / o->plan.rates.rate[0];
    *to++ = log1p(uv >= 0 ? (at - log->time[uv]) * unit : never);
    *to++ = log1p(vu >= 0 ? (at - log->time[vu]) * unit : never);
    *to++ = twin_clock(log, seen, uv, u, 1);
    *to++ = twin_clock(log, seen, uv, v, 0);
    *to++ = twin_clock(log, seen, vu, v, 1);
    *to++ = twin_clock(log, seen, vu, u, 0);
    *to++ = uv >= 0;
    *to++ = vu >= 0;
    to = twin_next(log, o, seen, at, u, v, to);
    twin_more(log, o, state, seen, at, u, v, to);
}

/* ---- Nodes ---- */

static inline double *twin_side(const ledger_log *log, const sg_ledger_options *o, uint64_t seen, double at,
                                uint32_t node, int out, double *to)
{
    double latest = NAN;
    memset(to, 0, SG_RATES * sizeof *to);
    for (uint64_t e = 0; e < seen; e++) {
        if ((out ? log->src[e] : log->dst[e]) != node) continue;
        for (int k = 0; k < SG_RATES; k++) to[k] += exp(-o->plan.rates.rate[k] * (at - log->time[e]));
        latest = log->time[e];
    }
    for (int k = 0; k < SG_RATES; k++) to[k] = signed_log(to[k]);
    to[SG_RATES] = signed_log(isnan(latest) ? -1 : (at - latest) * o->plan.rates.rate[SG_RATES - 1]);
    return to + SG_RATES + 1;
}

/* Feature j of those kept: itself, or of more than are kept a sum with random signs. */
static inline double twin_feature(const float *x, size_t count, size_t j, uint64_t stream)
{
    const size_t kept = SG_LEDGER_FEATURES;
    double sum = 0;
    if (count <= kept) return (double)x[j];
    for (size_t i = 0; i < count; i++)
        sum += (double)x[i] * (sg_hash3(1, stream, i * kept + j) & 1 ? 1 : -1) / sqrt((double)kept);
    return sum;
}

/* First contacts of a node among the first events, decayed at a rate; 0: their number. */
static inline double twin_fresh(const ledger_log *log, uint64_t seen, uint32_t node, int out, double rate,
                                double at)
{
    double sum = 0;
    for (uint64_t e = 0; e < seen; e++)
        if ((out ? log->src[e] : log->dst[e]) == node && twin_latest(log, e, log->src[e], log->dst[e]) < 0)
            sum += exp(-rate * (at - log->time[e]));
    return sum;
}

/* Partners, events at the latest time, usual gap. */
static inline double *twin_role_logs(const ledger_log *log, const sg_ledger_options *o, uint64_t seen,
                                     uint32_t node, int out, double *to)
{
    const twin_life life = twin_live(log, seen, out ? (int64_t)node : -1, out ? -1 : (int64_t)node);
    double latest = 0;
    for (uint64_t e = 0; e < seen; e++)
        latest += (out ? log->src[e] : log->dst[e]) == node && log->time[e] == life.last;
    *to++ = log1p(twin_fresh(log, seen, node, out, 0, 0));
    *to++ = log1p(life.times > 0 ? latest : 0);
    *to++ = log1p(twin_gap(life) * o->plan.rates.rate[SG_RATES - 1]);
    return to;
}

static inline double twin_decayed(const ledger_log *log, uint64_t seen, int64_t node, int out, double rate,
                                  double at)
{
    double sum = 0;
    for (uint64_t e = 0; e < seen; e++)
        if (node < 0 || (out ? log->src[e] : log->dst[e]) == node) sum += exp(-rate * (at - log->time[e]));
    return sum;
}

/* The share of new partners at two memories, how overdue, since when, the logarithm of its share of all events at three. */
static inline double *twin_role(const ledger_log *log, const sg_ledger_options *o, uint64_t seen, double at,
                                uint32_t node, int out, double *to)
{
    static const int rate[3] = {0, 3, 6};
    const double *rates = o->plan.rates.rate;
    const twin_life life = twin_live(log, seen, out ? (int64_t)node : -1, out ? -1 : (int64_t)node);
    for (int k = 0; k < 2; k++) /* as of its latest event: later both decay alike */
        *to++ = life.times > 0 ? twin_fresh(log, seen, node, out, rates[rate[k]], life.last) /
                                     twin_decayed(log, seen, node, out, rates[rate[k]], life.last)
                               : 0;
    *to++ = twin_overdue(o, life, at);
    *to++ = life.times > 0 ? twin_age(log, life, at) : 0;
    for (int k = 0; k < 3; k++)
        *to++ = natural_log((twin_decayed(log, seen, node, out, rates[rate[k]], at) + 0.01) /
                            (twin_decayed(log, seen, -1, out, rates[rate[k]], at) + 1));
    return to;
}

static inline void twin_node(const ledger_log *log, const sg_ledger_options *o, uint64_t seen, double at,
                             uint32_t node, double *to)
{
    const double rates[2] = {o->plan.rates.rate[0], o->plan.rates.rate[3]};
    const size_t most = SG_LEDGER_FEATURES;
    const size_t edge = o->edge_features < most ? o->edge_features : most;
    const size_t own = o->node_features < most ? o->node_features : most;
    to = twin_side(log, o, seen, at, node, 1, to);
    to = twin_side(log, o, seen, at, node, 0, to);
    for (int k = 0; k < 2; k++)
        for (size_t j = 0; j < edge; j++) {
            double sum = 0;
            for (uint64_t e = 0; e < seen; e++) {
                const int ends = (log->src[e] == node) + (log->dst[e] == node);
                const double x = twin_feature(log->edge + e * o->edge_features, o->edge_features, j, 1);
                sum += ends * x * exp(-rates[k] * (at - log->time[e]));
            }
            *to++ = signed_log(sum);
        }
    for (size_t j = 0; j < own; j++)
        *to++ = signed_log(twin_feature(log->node + node * o->node_features, o->node_features, j, 2));
    to = twin_role_logs(log, o, seen, node, 1, to);
    to = twin_role_logs(log, o, seen, node, 0, to);
    to = twin_role(log, o, seen, at, node, 1, to);
    (void)twin_role(log, o, seen, at, node, 0, to);
}

#endif
