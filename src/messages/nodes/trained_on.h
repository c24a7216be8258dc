/*
 * The trained_on: what a plan takes from the file it is made for.
 *
 * Where steps begin, how fast the past fades and what the one-hot columns mean must not change when the log grows:
 * a model keeps the trained_on of the file it was trained on, and plans for other files are made with it. In an anchored
 * plan nothing depends on what lies ahead: the step of a time follows from the trained_on and the events before it.
 *
 *   equal-time   step i begins at origin + i * range / steps; the grid goes on behind the last step
 *   equal-count  the step of a time is floor(events strictly before it / step_events)
 */
#ifndef SG_MESSAGES_NODES_TRAINED_ON_H
#define SG_MESSAGES_NODES_TRAINED_ON_H

#include "messages/nodes/plan.h"

typedef struct sg_trained_on {
    double origin;          /* the first time */
    double range;           /* last - first */
    uint64_t step_events;   /* equal-count: events per step */
    uint32_t edge_features; /* what other files must have too */
    uint32_t node_features; /* if the plan uses stored ones, else 0 */
    int has_weight;
    int features_zero; /* all edge features were 0, as in some public files: they are passed over */
    uint64_t *columns; /* one-hot: the key of each column's node (sg_node_keys); NULL: none. Owned. */
    size_t column_count;
} sg_trained_on;

/* The edge features an anchored plan uses. */
static inline uint32_t sg_trained_on_features(const sg_trained_on *trained_on)
{
    return trained_on->features_zero ? 0 : trained_on->edge_features;
}

/* The trained_on of a file for these options. Free with sg_trained_on_free. */
int sg_trained_on_make(sg_trained_on *trained_on, scadyg_events *events, const scadyg_messages_options *options,
                       scadyg_error *error);
void sg_trained_on_free(sg_trained_on *trained_on);

/* Refuses a file whose events have other features than the trained_on's. */
int sg_trained_on_check(const sg_trained_on *trained_on, scadyg_events *events, scadyg_error *error);

/* One-hot: which column each node of the plan's file has; plan->keys are set. */
int sg_trained_on_columns(const sg_trained_on *trained_on, scadyg_messages *plan, scadyg_error *error);

/* A plan for `events` with the trained_on of another file, which must stay. `options` are those of the trained_on. */
int sg_messages_open_trained_on(scadyg_events *events, const scadyg_messages_options *options,
                                const sg_trained_on *trained_on, scadyg_messages **messages, scadyg_error *error);

/*
 * The step a time falls in by the anchored plan's rule; may be beyond the last step of the file.
 */
int64_t sg_messages_step_of(const scadyg_messages *messages, double time);

/*
 * What is known before a step begins: the messages of the steps before it (the last N of them with a window) as of
 * the latest event in them, into out[count][width] (nodes NULL: of nodes 0 .. count-1). All zero before step 0. Steps
 * should be visited in ascending order; going back starts again.
 */
int sg_messages_before_step(scadyg_messages *messages, int64_t step, const uint32_t *nodes, size_t count,
                            float *out, scadyg_error *error);

/* A key for every node, from its id: the same node has the same key in every file. keys[nodes] */
int sg_node_keys(scadyg_events *events, uint64_t *keys, scadyg_error *error);

#endif
