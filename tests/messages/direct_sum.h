/*
 * The definition of a message, computed slowly and in double: the third engine, which the others must equal.
 *
 * Beside every sum stands the sum of the absolute values of its terms, because rounding is relative to that.
 */
#ifndef DIRECT_SUM_H
#define DIRECT_SUM_H

#include "messages/random_graph.h"
#include "messages/nodes/plan.h"

enum { DIRECT_WIDTH = 3 * (GRAPH_NODES + 64) };

typedef struct direct_sum {
    double sum[GRAPH_NODES][DIRECT_WIDTH], size[GRAPH_NODES][DIRECT_WIDTH];
    int events[GRAPH_NODES]; /* of the window; none means exactly zero */
} direct_sum;

/* Column j of the message of an event, without the time encoding. */
static inline double direct_value(const made_events *made, const sg_messages_options *options,
                                  const scadyg_messages *plan, size_t event, size_t j)
{
    const double first = made->time[0], range = made->time[made->count - 1] - first;
    const double weight = made->weight ? (double)made->weight[event] : 1;
    const size_t edge = made->edge_features > 1 ? made->edge_features : plan->edge_width;
    if (j < edge) {
        if (made->edge_features)
            return weight * (double)made->features[event * made->edge_features + (made->edge_features > 1 ? j : 0)];
        return made->weight ? weight : range > 0 ? (made->time[event] - first) / range : 1;
    }
    const uint32_t ends[2] = {made->src[event], made->dst[event]};
    double value = 0;
    j -= edge;
    for (int k = 0; k < 2; k++) {
        if (strcmp(options->node_features, "onehot") == 0) value += ends[k] == j;
        if (strcmp(options->node_features, "stored") == 0)
            value += (double)made->node_values[ends[k] * made->node_features + j];
        if (strncmp(options->node_features, "random:", 7) == 0) {
            float z;
            sg_node_feature(plan, ends[k], j, 1, &z);
            assert_true(z >= 0 && z < 1);
            value += (double)z;
        }
    }
    return value * weight;
}

/* Adds the messages of one step's events, all hops, as of time `at`. */
static inline void direct_step(const made_events *made, const sg_messages_options *options,
                               const scadyg_messages *plan, size_t first, size_t end, double at, direct_sum *total)
{
    static direct_sum step;
    const size_t columns = plan->hop_width;
    memset(&step, 0, sizeof step);
    for (size_t e = first; e < end; e++) {
        total->events[made->src[e]]++;
        total->events[made->dst[e]]++;
        for (size_t j = 0; j < columns; j++) {
            double value = direct_value(made, options, plan, e, j) * exp(-plan->rates[j] * (at - made->time[e]));
            step.sum[made->src[e]][j] += value;
            step.sum[made->dst[e]][j] += value;
            step.size[made->src[e]][j] += fabs(value);
            step.size[made->dst[e]][j] += fabs(value);
        }
    }
    for (size_t hop = 1; hop < plan->hops; hop++)
        for (size_t e = first; e < end; e++)
            for (size_t j = hop * columns, k = j - columns; k < hop * columns; j++, k++) {
                uint32_t u = made->src[e], v = made->dst[e];
                double sum = step.sum[u][k] + step.sum[v][k], size = step.size[u][k] + step.size[v][k];
                step.sum[u][j] += sum;
                step.sum[v][j] += sum;
                step.size[u][j] += size;
                step.size[v][j] += size;
            }
    for (size_t node = 0; node < made->nodes; node++)
        for (size_t j = 0; j < plan->width; j++) {
            total->sum[node][j] += step.sum[node][j];
            total->size[node][j] += step.size[node][j];
        }
}

/* The messages at `at` from events 0 .. end-1, of the window that ends with step `last`. */
static inline void direct_messages(const made_events *made, const sg_messages_options *options,
                                   const scadyg_messages *plan, size_t end, int64_t last, double at,
                                   direct_sum *total)
{
    assert_true(plan->width <= DIRECT_WIDTH);
    memset(total, 0, sizeof *total);
    for (int64_t step = 0; step <= last; step++) {
        uint64_t first, count;
        if (options->window && step <= last - options->window) continue;
        assert_int_equal(scadyg_messages_step_range(plan, step, &first, &count, NULL), SCADYG_OK);
        uint64_t stop = first + count < end ? first + count : end;
        if (first < stop) direct_step(made, options, plan, (size_t)first, (size_t)stop, at, total);
    }
}

#endif
