/*
 * The plan of the messages of a file: which numbers an event contributes, at which rates, in which steps.
 *
 * A message is hops * hop_width numbers, and each hop is [edge part || node part]. The rates and the columns
 * of the first hop are repeated by the later ones.
 */
#ifndef SG_MESSAGES_NODES_PLAN_H
#define SG_MESSAGES_NODES_PLAN_H

#include "events/file.h"
#include "events/steps.h"
#include "messages/nodes/options.h"

#include "scadyg_lab.h"

typedef enum sg_edge_kind {
    SG_EDGE_STORED, /* the file's edge features */
    SG_EDGE_WEIGHT, /* no features but weights: the constant 1, which the weight then multiplies */
    SG_EDGE_TIME    /* neither: the scaled time of the event */
} sg_edge_kind;

typedef enum sg_node_kind { SG_NODE_NONE, SG_NODE_ONEHOT, SG_NODE_RANDOM, SG_NODE_STORED } sg_node_kind;

struct scadyg_messages {
    scadyg_context *context;
    scadyg_events *events;
    sg_columns columns;
    uint64_t nodes;

    int edge_kind;     /* an sg_edge_kind */
    int node_kind;     /* an sg_node_kind */
    size_t stored;     /* stored edge features per event */
    size_t edge_width; /* columns of the edge part */
    size_t node_width; /* columns of the node part */
    size_t hop_width;  /* edge_width + node_width */
    size_t hops;
    size_t width; /* hops * hop_width: the length of a message */
    uint64_t seed;
    const uint64_t *keys; /* random: [nodes], sg_events_keys, so that a node has the same numbers in every file */
    uint32_t
        *column_of; /* one-hot by another file: [nodes], UINT32_MAX: none; NULL: a node's column is its number */

    double *rates;       /* [width] */
    char *name_text;     /* the column names, one after the other */
    char **names;        /* [width] */
    double difference;   /* between neighbouring rates if they descend evenly, else -1 */
    double frame_length; /* see sums.h; 0: all rates are zero and one frame is enough */
    double scale;        /* of the time feature: 1 / time range, 0 if that is 0 */

    sg_steps steps;
    int64_t window; /* in steps; 0: all */
    int double_precision;
    const struct sg_trained_on *trained_on; /* NULL: steps, rates and columns are the file's own */

    scadyg_stream *walk; /* where scadyg_messages_step stands; NULL before the first */
    int64_t walked;      /* the step it has reached */
};

/* scadyg_messages_open inside the library. context and events must stay; the options need not. */
int sg_messages_open(scadyg_context *context, scadyg_events *events, const sg_messages_options *options,
                     scadyg_messages **messages, scadyg_error *error);

/* ---- Events in memory ---- */

/*
 * Columns of a file, or a few events of a caller. Every column is indexed by the same number; weight is NULL if the
 * plan has none, features likewise.
 */
typedef struct sg_source {
    const uint32_t *src, *dst;
    const double *time;
    const float *weight;
    const float *features; /* [.][plan->stored] */
} sg_source;

sg_source sg_plan_source(const scadyg_messages *plan);

/* ---- Rates of the time encoding T(dt)_j = exp(-g_j * dt) ---- */

/* The paper's choice: count rates evenly spaced from gamma0 down to 0.1 * gamma0; one rate is gamma0 itself. */
void sg_rates_even(double gamma0, size_t count, double *rates);

/* How many numbers "g1,g2,..." has: one more than its commas. */
size_t sg_rates_count(const char *text);

/* Reads exactly count rates, each finite and not negative. */
int sg_rates_parse(const char *text, size_t count, double *rates, scadyg_error *error);

/*
 * The difference g_j - g_{j+1} if the rates descend in equal steps, so that powers of one number can stand for most
 * exponentials; -1 if they do not.
 */
double sg_rates_difference(const double *rates, size_t count);

/* ---- Features of nodes ---- */

/* Features begin .. begin+count-1 of a node; zero for a node the file does not know. Not for one-hot. */
void sg_node_feature(const scadyg_messages *plan, uint32_t node, size_t begin, size_t count, float *z);

/* The column of a node's one-hot feature, from 0; UINT32_MAX for a node the plan does not know. */
static inline uint32_t sg_onehot_column(const scadyg_messages *plan, uint32_t node)
{
    if (node >= plan->nodes) return UINT32_MAX;
    return plan->column_of ? plan->column_of[node] : node;
}

/* Fills plan->column_of: the columns of the file trained on, found again by plan->keys, which are set. */
int sg_onehot_columns(scadyg_messages *plan, scadyg_error *error);

#endif
