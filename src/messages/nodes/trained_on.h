/*
 * What a model remembers of the file it was trained on, so that plans for other files are made alike.
 *
 * Where steps begin, how fast the past fades and what the one-hot columns mean must not change when the log grows. In a
 * plan made by an sg_trained_on nothing depends on what lies ahead: the step of a time follows from it and from the events
 * before that time.
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

#endif
