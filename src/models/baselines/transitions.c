/* Transitions from one destination of a source to the next, counted with decay. */
#include "models/baselines/transitions.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

void sg_transitions_rewind(sg_transitions *transitions)
{
    const size_t nodes = (size_t)transitions->nodes;
    if (transitions->seen) sg_pair_map_clear(&transitions->pairs);
    transitions->seen = 0;
    for (size_t i = 0; i < nodes; i++) transitions->out[i] = -INFINITY;
    memset(transitions->last, 0, nodes * sizeof *transitions->last);
    memset(transitions->before, 0, nodes * sizeof *transitions->before);
}

int sg_transitions_open(sg_transitions *transitions, const sg_columns *columns, uint64_t nodes, double rate,
                        scadyg_error *error)
{
    *transitions = (sg_transitions){.columns = columns, .nodes = nodes, .rate = rate};
    if (SG_ALLOC(SG_ARRAY(transitions->out, nodes), SG_ARRAY(transitions->last, nodes),
                 SG_ARRAY(transitions->before, nodes)) ||
        sg_pair_map_open(&transitions->pairs))
        return sg_fail_memory(error, "the transitions");
    sg_transitions_rewind(transitions);
    return SCADYG_OK;
}

void sg_transitions_close(sg_transitions *transitions)
{
    sg_pair_map_close(&transitions->pairs);
    SG_FREE(transitions->out, transitions->last, transitions->before);
    *transitions = (sg_transitions){0};
}

static double from_bits(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static uint64_t to_bits(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* log(exp(a) + exp(b)); b is finite. */
static double join_logs(double a, double b)
{
    return a > b ? a + log1p(exp(b - a)) : b + log1p(exp(a - b));
}

static int add_transition(sg_transitions *transitions, uint64_t e)
{
    const sg_columns *columns = transitions->columns;
    const uint32_t source = columns->src[e];
    sg_columns_pass(columns, e, sizeof *columns->src + sizeof *columns->dst + sizeof *columns->time);
    const uint64_t last = transitions->last[source];
    if (last && columns->time[last - 1] != columns->time[e]) transitions->before[source] = last;
    const uint64_t before = transitions->before[source];
    if (before) {
        const uint32_t from = columns->dst[before - 1];
        const double weight = transitions->rate * (columns->time[e] - columns->time[0]);
        int is_new;
        uint64_t *value = sg_pair_map_put(&transitions->pairs, sg_pair_key(from, columns->dst[e]), &is_new);
        if (!value) return -1;
        *value = to_bits(is_new ? weight : join_logs(from_bits(*value), weight));
        transitions->out[from] = join_logs(transitions->out[from], weight);
    }
    transitions->last[source] = e + 1;
    return 0;
}

enum { AHEAD = 16 }; /* events; twice as many ahead of the source's own numbers */

/* What an event will need, as far as it can be told: its source may have other events before it. */
static inline __attribute__((always_inline)) void fetch_ahead(const sg_transitions *transitions, uint64_t e)
{
    const sg_columns *columns = transitions->columns;
    if (e + 2 * AHEAD >= columns->count) return;
    __builtin_prefetch(&transitions->last[columns->src[e + 2 * AHEAD]], 1);
    __builtin_prefetch(&transitions->before[columns->src[e + 2 * AHEAD]], 1);
    const uint64_t last = transitions->last[columns->src[e + AHEAD]];
    if (!last) return;
    const uint32_t from = columns->dst[last - 1];
    __builtin_prefetch(&transitions->out[from], 1);
    sg_pair_map_prefetch(&transitions->pairs, sg_pair_key(from, columns->dst[e + AHEAD]));
}

int sg_transitions_follow(sg_transitions *transitions, uint64_t seen, scadyg_error *error)
{
    for (; transitions->seen < seen; transitions->seen++) {
        fetch_ahead(transitions, transitions->seen);
        if (add_transition(transitions, transitions->seen)) return sg_fail_memory(error, "the transitions");
    }
    return SCADYG_OK;
}

double sg_transitions_share(const sg_transitions *transitions, uint32_t src, uint32_t dst)
{
    const uint64_t last = transitions->last[src];
    if (!last) return -1;
    const uint32_t from = transitions->columns->dst[last - 1];
    const uint64_t *value = sg_pair_map_find(&transitions->pairs, sg_pair_key(from, dst));
    return value ? exp(from_bits(*value) - transitions->out[from]) : -1;
}
