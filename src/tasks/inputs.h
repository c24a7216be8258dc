/*
 * Inputs: the messages a model learns from and is asked about, step by step, normalised as the model says.
 *
 * Prepared once: the messages of all nodes before every step are kept if they fit into the memory granted; else they
 * are walked through again in every pass, which gives the same numbers.
 */
#ifndef SG_TASKS_INPUTS_H
#define SG_TASKS_INPUTS_H

#include "base/workers.h"
#include "events/split.h"
#include "messages/nodes/trained_on.h"
#include "model/model.h"

typedef struct sg_inputs {
    const scadyg_model *model;
    scadyg_messages *messages;
    scadyg_events *events;
    size_t nodes, width;
    int threads;
    sg_workers *workers; /* of so many threads */
    float *kept;         /* [steps][nodes][width], or NULL */
    float *rows[2];      /* walked: the two latest steps, [nodes][width] each */
    int64_t step[2];     /* which they are; -1: none */
    int latest;          /* of the two */
    uint64_t bytes;      /* that the messages take */
} sg_inputs;

int sg_inputs_open(const scadyg_model *model, scadyg_events *events, int threads, sg_inputs *inputs,
                   scadyg_error *error);
void sg_inputs_close(sg_inputs *inputs); /* also of a zeroed one */

/*
 * For training, once the model has its shape: learns the normalisation from the events of the training part (into
 * model->mean and scale, if it standardises) and keeps the messages of all steps if they take at most `memory` bytes.
 */
int sg_inputs_prepare(sg_inputs *inputs, scadyg_model *model, const sg_split *split, uint64_t memory,
                      const scadyg_progress *progress, scadyg_error *error);

/* The messages of all nodes before a step. The rows of a step and of the one asked for before it stay valid. */
int sg_inputs_step(sg_inputs *inputs, int64_t step, const float **rows, scadyg_error *error);

/* Of some nodes, out[count][width]. */
int sg_inputs_some(sg_inputs *inputs, int64_t step, const uint32_t *nodes, size_t count, float *out,
                   scadyg_error *error);

#endif
