/* Small random multigraphs with everything that is awkward, and random ways to ask for their messages. */
#ifndef RANDOM_GRAPH_H
#define RANDOM_GRAPH_H

#include "make_events.h"
#include "messages/opening.h"

#include "base/rng.h"

#include <math.h>

enum { GRAPH_EVENTS = 60, GRAPH_NODES = 10, GRAPH_FEATURES = 5, GRAPH_NODE_FEATURES = 3 };

typedef struct random_graph {
    uint32_t src[GRAPH_EVENTS], dst[GRAPH_EVENTS];
    double time[GRAPH_EVENTS];
    float weight[GRAPH_EVENTS], features[GRAPH_EVENTS * GRAPH_FEATURES];
    float node_values[GRAPH_NODES * GRAPH_NODE_FEATURES];
    made_events made;
} random_graph;

static inline uint64_t pick(sg_rng *rng, uint64_t n)
{
    return sg_rng_below(rng, n);
}

/* Gaps of every kind: ties, fractions, and ones so long that everything before has decayed to nothing. */
static inline void random_times(sg_rng *rng, double *time, size_t count)
{
    const uint64_t kind = pick(rng, 4);
    double now = kind == 0 ? 0 : kind == 1 ? 2e9 + sg_rng_unit(rng) : kind == 2 ? -5 : 1e6;
    const double unit = kind == 1 && pick(rng, 2) ? 0.01 : kind == 3 ? 1000 : 1;
    for (size_t i = 0; i < count; i++) {
        time[i] = now;
        uint64_t gap = pick(rng, 8);
        if (gap == 0) now += unit * 40 * sg_rng_unit(rng);
        if (gap == 1 && pick(rng, 6) == 0) now += unit * 1e5;
        if (gap > 4) now += unit * sg_rng_unit(rng);
    }
}

static inline void random_graph_make(random_graph *graph, sg_rng *rng)
{
    const size_t count = pick(rng, 8) == 0 ? 1 + pick(rng, 2) : 1 + pick(rng, GRAPH_EVENTS);
    const uint64_t nodes = 1 + pick(rng, GRAPH_NODES);
    random_times(rng, graph->time, count);
    for (size_t i = 0; i < count; i++) {
        graph->src[i] = (uint32_t)pick(rng, nodes);
        graph->dst[i] = (uint32_t)pick(rng, nodes);
        if (i && pick(rng, 4) == 0) { /* the same pair again */
            graph->src[i] = graph->src[i - 1];
            graph->dst[i] = graph->dst[i - 1];
        }
        graph->weight[i] = (float)(sg_rng_unit(rng) * 20 - 10);
    }
    for (size_t i = 0; i < GRAPH_EVENTS * GRAPH_FEATURES; i++)
        graph->features[i] = (float)(sg_rng_unit(rng) * 4 - 2);
    for (size_t i = 0; i < GRAPH_NODES * GRAPH_NODE_FEATURES; i++)
        graph->node_values[i] = (float)(sg_rng_unit(rng) * 2 - 1);
    graph->made = (made_events){
        .count = count,
        .nodes = nodes,
        .src = graph->src,
        .dst = graph->dst,
        .time = graph->time,
        .weight = pick(rng, 2) ? graph->weight : NULL,
        .edge_features = pick(rng, 3) ? (uint32_t)pick(rng, GRAPH_FEATURES + 1) : 0,
        .features = graph->features,
        .node_features = pick(rng, 2) ? GRAPH_NODE_FEATURES : 0,
        .node_values = graph->node_values,
    };
}

/* How many columns the first hop has under these options. */
static inline size_t hop_columns(const made_events *made, const sg_messages_options *options)
{
    size_t edge = made->edge_features > 1 ? made->edge_features : (size_t)options->repeat, node = 0;
    if (strcmp(options->node_features, "onehot") == 0) node = made->nodes;
    if (strncmp(options->node_features, "random:", 7) == 0) node = strtoul(options->node_features + 7, NULL, 10);
    if (strcmp(options->node_features, "stored") == 0) node = made->node_features;
    return edge + node;
}

/* `text` holds the rates. */
static inline sg_messages_options random_options(const made_events *made, sg_rng *rng, char text[2048])
{
    static const char *const kinds[] = {"none", "none", "onehot", "random:1", "random:11", "stored"};
    sg_messages_options options = default_messages();
    options.steps = 1 + (int64_t)pick(rng, 12);
    options.step_rule = (int)pick(rng, 2);
    options.window = pick(rng, 2) ? 0 : 1 + (int64_t)pick(rng, 5);
    options.hops = pick(rng, 2) ? 1 : 1 + (int64_t)pick(rng, 3);
    options.node_features = kinds[pick(rng, made->node_features ? 6 : 5)];
    options.repeat = pick(rng, 2) ? 8 : 1 + (int64_t)pick(rng, 20);
    options.seed = (int64_t)pick(rng, 1000);
    const uint64_t kind = pick(rng, 5);
    if (kind == 1) options.gamma0 = exp(12 * sg_rng_unit(rng) - 6);
    if (kind >= 2) { /* any rates; all the same; all zero */
        const double same = exp(8 * sg_rng_unit(rng) - 5);
        size_t used = 0, columns = hop_columns(made, &options);
        for (size_t j = 0; j < columns; j++) {
            double rate = kind == 2 ? exp(14 * sg_rng_unit(rng) - 9) : kind == 3 ? same : 0;
            if (kind == 2 && pick(rng, 6) == 0) rate = 0;
            used += (size_t)snprintf(text + used, 2048 - used, "%s%.17g", j ? "," : "", rate);
        }
        options.rates = text;
    }
    return options;
}

#endif
