/*
 * The options that say what messages are. Tables of other structs that hold an sg_messages_options take the same rows:
 *
 *   static const sg_option table[] = {SG_MESSAGES_STEP_OPTIONS(my_options, messages), ...};
 */
#ifndef SG_MESSAGES_NODES_OPTIONS_H
#define SG_MESSAGES_NODES_OPTIONS_H

#include "base/options.h"

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
    SG_OPTION(holder, field.steps, "steps", 0, SCADYG_OPTION_INT, "L", "100", NULL, 1, 1e7,                        \
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

#endif
