/*
 * The state of labels: their past up to a label time, and everything that is asked of nodes there. One
 * code path for learning, validation, evaluation and prediction, so all of them see the same numbers.
 *
 * Of a pair (u, c) the net reads, each as log(1 + share / LEAST) brought to about -1 .. 1: u's averages on c, c's
 * popularity, and, where classes are nodes, c's averages on u; and how many labels u has had. Of a node: that number,
 * how concentrated its averages are, and its message.
 */
#ifndef SG_MODELS_LABEL_MIX_LABEL_STATE_H
#define SG_MODELS_LABEL_MIX_LABEL_STATE_H

#include "messages/pairs/label_past.h"
#include "models/label_mix/label_mix.h"

typedef struct sg_label_state {
    const scadyg_model *model;
    const sg_labels *labels;
    scadyg_context *context;
    sg_label_past past;
    sg_mix_shared shared;
    float *popular_x; /* [classes][rates]: popularity as the net reads it */
    int settled;      /* whether popular_x is that of the past as it is */
    struct sg_mix_piece *pieces;
} sg_label_state;

/* The model has its net and classes; labels, the model and its values must stay. */
int sg_label_state_open(scadyg_context *context, sg_label_state *state, const scadyg_model *model,
                        scadyg_events *events, const sg_labels *labels, scadyg_error *error);
void sg_label_state_close(sg_label_state *state); /* also of a zeroed one */

void sg_label_state_clear(sg_label_state *state);
int sg_label_state_add(sg_label_state *state, size_t group, scadyg_error *error);

/* Scores [count][classes] of nodes with messages [count][width]. */
int sg_label_state_score(sg_label_state *state, const uint32_t *nodes, const float *messages, size_t count,
                         float *score, scadyg_error *error);

/*
 * The mean loss of rows of the labels, all of the label time that comes next, with messages[row][width] of all rows,
 * at these values of the net; writes its gradient.
 */
int sg_label_state_gradient(sg_label_state *state, const float *values, const uint32_t *rows, const float *messages,
                            size_t count, double *loss, float *gradient, scadyg_error *error);

#endif
