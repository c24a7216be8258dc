/* The ledger's slow twin: every number of a row by its definition, in double, from the list of events alone. */
#ifndef TESTS_MESSAGES_LEDGER_TWIN_H
#define TESTS_MESSAGES_LEDGER_TWIN_H

#include "cmocka_all.h"

#include "base/rng.h"
#include "messages/pairs/ledger.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TWIN_EVENTS = 60,
    TWIN_NODES = 9,
    TWIN_WIDTH = 32,
    TWIN_FEATURES = 20, /* more than are kept */
    TWIN_ROW = 4 * SG_RATES + 13 + SG_ORDERS * 15,
    TWIN_NODE_ROW = 2 * (SG_RATES + 1) + 3 * SG_LEDGER_FEATURES
};

/* A log with ties, self-loops and the same pair again and again; the last node meets nobody. */
typedef struct ledger_log {
    uint32_t src[TWIN_EVENTS], dst[TWIN_EVENTS];
    double time[TWIN_EVENTS];
    float weight[TWIN_EVENTS], edge[TWIN_EVENTS * TWIN_FEATURES], node[TWIN_NODES * TWIN_FEATURES];
    uint64_t keys[TWIN_NODES];
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
        if (sg_rng_below(&rng, 2)) now += 0.25 * (double)(1 + sg_rng_below(&rng, 8));
        if (sg_rng_below(&rng, 20) == 0) now += 20;
    }
    for (size_t i = 0; i < TWIN_NODES * TWIN_FEATURES; i++) log->node[i] = (float)(sg_rng_unit(&rng) * 2 - 1);
    for (size_t i = 0; i < TWIN_NODES; i++) log->keys[i] = sg_hash3(seed, 9, i);
    ledger_link(log, TWIN_EVENTS);
}

/* The arrays of features are read with the stride of the options, so any number up to TWIN_FEATURES will do. */
static inline sg_ledger_options ledger_options(int weighted, size_t edge, size_t node)
{
    sg_ledger_options o = {
        .weighted = weighted,
        .edge_features = edge,
        .node_features = node,
        .plan = {.walk_rate = 0.02, .width = TWIN_WIDTH, .pair_bytes = 1u << 22},
    };
    for (int k = 0; k < SG_RATES; k++) o.plan.rates.rate[k] = 0.01 * pow(1.9, k);
    return o;
}

/* ---- Walks, by explicit vectors ---- */

typedef struct ledger_walks {
    double z[TWIN_NODES][TWIN_WIDTH], s1[TWIN_NODES][SG_ORDERS][TWIN_WIDTH], s2[TWIN_NODES][SG_ORDERS][TWIN_WIDTH];
    double mass[TWIN_NODES][SG_ORDERS];
} ledger_walks;

static const double twin_factors[SG_ORDERS] = {0, 0.8f, 0.97f};

/* S2 as of `at`: every walk decays from its own event on. S1 is as before the time of the event. */
static inline void twin_meet(ledger_walks *w, const ledger_walks *before, uint32_t u, uint32_t v, double decay)
{
    for (int k = 0; k < SG_ORDERS; k++)
        for (int i = 0; i < TWIN_WIDTH; i++) {
            if (before->mass[v][k] > 0) w->s2[u][k][i] += decay * before->s1[v][k][i] / before->mass[v][k];
            w->s1[u][k][i] = twin_factors[k] * w->s1[u][k][i] + w->z[v][i];
        }
    for (int k = 0; k < SG_ORDERS; k++) w->mass[u][k] = twin_factors[k] * w->mass[u][k] + 1;
}

static inline void twin_walks(const ledger_log *log, const sg_ledger_options *o, uint64_t seen, double at,
                              ledger_walks *w)
{
    static ledger_walks before;
    memset(w, 0, sizeof *w);
    for (size_t x = 0; x < TWIN_NODES; x++)
        for (size_t i = 0; i < TWIN_WIDTH; i++)
            w->z[x][i] = sg_sketch_signs(log->keys[x], i / SG_BLOCK) >> i % SG_BLOCK & 1 ? -1 : 1;
    for (uint64_t e = 0; e < seen; e++) {
        if (e == 0 || log->time[e] != log->time[e - 1]) before = *w;
        const double decay = exp(-o->plan.walk_rate * (at - log->time[e]));
        twin_meet(w, &before, log->src[e], log->dst[e], decay);
        twin_meet(w, &before, log->dst[e], log->src[e], decay);
    }
}

static inline double twin_dot(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < TWIN_WIDTH; i++) sum += a[i] * b[i];
    return sum;
}

static inline double twin_cosine(const double *a, const double *b)
{
    const double lengths = sqrt(twin_dot(a, a) * twin_dot(b, b));
    return lengths > 0 ? twin_dot(a, b) / lengths : 0;
}

/* a . b over the lengths of the first, the second, both (as many as stand in `by`), over the root of the width else. */
static inline double twin_over(const double *a, const double *b, int by_a, int by_b)
{
    const double root = sqrt((double)TWIN_WIDTH);
    const double of_a = by_a ? sqrt(twin_dot(a, a)) : root, of_b = by_b ? sqrt(twin_dot(b, b)) : root;
    return of_a > 0 && of_b > 0 ? twin_dot(a, b) / of_a / of_b : 0;
}

static inline double signed_log(double x)
{
    return copysign(log1p(fabs(x)), x);
}

static inline double *twin_put_walks(const ledger_walks *w, uint32_t u, uint32_t v, double *to)
{
    const double root = sqrt((double)TWIN_WIDTH);
    for (int k = 0; k < SG_ORDERS; k++) {
        const double *u1 = w->s1[u][k], *v1 = w->s1[v][k], *u2 = w->s2[u][k], *v2 = w->s2[v][k];
        *to++ = twin_cosine(u1, v1);
        *to++ = twin_cosine(u1, w->z[v]);
        *to++ = twin_cosine(w->z[u], v1);
        *to++ = twin_cosine(u1, v2);
        *to++ = twin_cosine(u2, v1);
        *to++ = twin_cosine(u2, w->z[v]);
        *to++ = twin_cosine(w->z[u], v2);
    }
    for (int k = 0; k < SG_ORDERS; k++) {
        const double *u1 = w->s1[u][k], *v1 = w->s1[v][k], *u2 = w->s2[u][k], *v2 = w->s2[v][k];
        *to++ = signed_log(twin_over(u1, v1, 0, 0));
        *to++ = signed_log(sqrt(twin_dot(u1, u1)) / root);
        *to++ = signed_log(sqrt(twin_dot(v1, v1)) / root);
        *to++ = signed_log(twin_over(u1, v2, 1, 0));
        *to++ = signed_log(twin_over(u2, v1, 0, 1));
        *to++ = signed_log(twin_over(u2, v2, 1, 1));
        *to++ = signed_log(sqrt(twin_dot(u2, u2)) / root);
        *to++ = signed_log(sqrt(twin_dot(v2, v2)) / root);
    }
    return to;
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

/* The row of a pair that sees the first `seen` events, which do not part a time. */
static inline void twin_pair(const ledger_log *log, const sg_ledger_options *o, const ledger_walks *walks,
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
    twin_put_walks(walks, u, v, to);
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
}

#endif
