/*
 * The plan of the messages of a file: which numbers an event contributes, at which rates, in which steps.
 *
 * A message is hops * hop_width numbers, and each hop is [edge part || node part]. The rates and the columns
 * of the first hop are repeated by the later ones.
 */
#ifndef SG_MESSAGES_NODES_PLAN_H
#define SG_MESSAGES_NODES_PLAN_H

#include "base/options.h"
#include "events/file.h"
#include "events/steps.h"
#include "scadyg_lab.h"

/*
 * The options that say what messages are. Tables of other structs that hold an sg_messages_options take the same rows:
 *
 *   static const sg_option table[] = {SG_MESSAGES_STEP_OPTIONS(my_options, messages), ...};
 */

typedef struct sg_messages_options {
    int64_t steps;             /* L */
    int step_rule;             /* SG_STEPS_..., see events/steps.h */
    int64_t window;            /* N, in steps; 0: all */
    int64_t hops;              /* 1 to 3 */
    double gamma0;             /* the largest rate; 0: 1 / time range */
    const char *rates;         /* "g1,g2,..." instead of gamma0, or NULL */
    const char *node_features; /* "none", "onehot", "random:D" or "stored" */
    int64_t repeat;            /* how often a single edge feature is repeated */
    int64_t seed;              /* of random node features */
    int double_precision;      /* sums in double instead of float */
} sg_messages_options;

/* The options of "messages". */
extern const sg_option_set sg_messages_set;

/* Where steps begin and end. `holder` is the struct and `field` its sg_messages_options. */
#define SG_MESSAGES_STEP_OPTIONS(holder, field)                                                                    \
    SG_OPTION(holder, field.steps, "steps", 0, SCADYG_OPTION_INT, "L", "100", NULL, 1, SG_STEPS_MOST,              \
              "cut the time range into L steps", 0),                                                               \
        SG_OPTION(holder, field.step_rule, "step-rule", 0, SCADYG_OPTION_CHOICE, "RULE", "equal-time",             \
                  "equal-time|equal-count", 1, 0,                                                                  \
                  "what the steps have in common: their length or their number of events", 1)

/* Which numbers a message has, and how fast each of them fades. */
#define SG_MESSAGES_COLUMN_OPTIONS(holder, field)                                                                  \
    SG_OPTION(holder, field.window, "window", 0, SCADYG_OPTION_INT, "N", "all", "all", 1, 1e15,                    \
              "use the events of the last N steps only", 0),                                                       \
        SG_OPTION(holder, field.hops, "hops", 0, SCADYG_OPTION_INT, "H", "1", NULL, 1, 3,                          \
                  "messages of 1 to H hops within a step, side by side", 1),                                       \
        SG_OPTION(holder, field.gamma0, "gamma0", 0, SCADYG_OPTION_REAL, "G", NULL, "auto", 1e-300, 1e300,         \
                  "the largest rate; the others descend evenly to a tenth of it [1 / time range]", 0),             \
        SG_OPTION(holder, field.rates, "rates", 0, SCADYG_OPTION_TEXT, "G1,G2,...", NULL, NULL, 1, 0,              \
                  "the rate of every column, instead of --gamma0", 1),                                             \
        SG_OPTION(holder, field.node_features, "node-features", 0, SCADYG_OPTION_TEXT, "KIND", "none", NULL, 1, 0, \
                  "features of the nodes: none, onehot, random:D (D numbers) or stored (the file's)", 0),          \
        SG_OPTION(holder, field.repeat, "repeat", 0, SCADYG_OPTION_INT, "K", "8", NULL, 1, 4096,                   \
                  "repeat a single edge feature K times, once per rate", 1)

#define SG_MESSAGES_OPTIONS(holder, field)                                                                         \
    SG_MESSAGES_STEP_OPTIONS(holder, field), SG_MESSAGES_COLUMN_OPTIONS(holder, field)

/*
 * What a model remembers of the file it was trained on, so that plans for other files are made alike.
 *
 * Where steps begin, how fast the past fades and what the one-hot columns mean must not change when the log grows. In a
 * plan made by an sg_trained_on nothing depends on what lies ahead: the step of a time follows from it and from the events
 * before that time.
 *
 *   equal-time   step i begins at origin + i * range / steps; the grid goes on behind the last step
 *   equal-count  the step of a time is floor(events strictly before it * steps / events)
 */

typedef struct sg_trained_on {
    double origin;   /* the first time */
    double range;    /* last - first */
    uint64_t events; /* it had so many */
    int64_t steps;   /* L and the rule it was cut by: those asked for, or others if these leave parts empty */
    int step_rule;
    uint32_t edge_features; /* what other files must have too */
    uint32_t node_features; /* if the plan uses stored ones, else 0 */
    int has_weight;
    int features_zero; /* all edge features were 0, as in some public files: they are passed over */
    uint64_t *columns; /* one-hot: the key of each column's node (sg_events_keys); NULL: none. Owned. */
    size_t column_count;
} sg_trained_on;

/* The edge features that plans made by it use. */
static inline uint32_t sg_trained_on_features(const sg_trained_on *trained_on)
{
    return trained_on->features_zero ? 0 : trained_on->edge_features;
}

/* Of a file, for these options. Free with sg_trained_on_free. */
int sg_trained_on_make(sg_trained_on *trained_on, scadyg_events *events, const sg_messages_options *options,
                       scadyg_error *error);
void sg_trained_on_free(sg_trained_on *trained_on);

/* Refuses a file whose events have other features than those trained on. */
int sg_trained_on_check(const sg_trained_on *trained_on, scadyg_events *events, scadyg_error *error);

/* A plan for `events` by what is remembered of another file, which must stay. The options are those it was made with. */
int sg_messages_open_trained_on(scadyg_context *context, scadyg_events *events, const sg_messages_options *options,
                                const sg_trained_on *trained_on, scadyg_messages **messages, scadyg_error *error);

/* The step a time falls in, in a plan made so; may be beyond the last step of the file. */
int64_t sg_messages_step_of(const scadyg_messages *messages, double time);

/*
 * What is known before a step begins: the messages of the steps before it (the last N of them with a window) as of
 * the latest event in them, into out[count][width] (nodes NULL: of nodes 0 .. count-1). All zero before step 0. Steps
 * should be visited in ascending order; going back starts again.
 */
int sg_messages_before_step(scadyg_messages *messages, int64_t step, const uint32_t *nodes, size_t count,
                            float *out, scadyg_error *error);

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
