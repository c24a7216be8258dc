/*
 * Training: epoch after epoch until the validation score no longer rises, whatever it is that learns.
 *
 * After every epoch the state is written to the checkpoint. All that an epoch depends on is in there or follows from
 * the options and the number of the epoch, so a run that goes on from a checkpoint ends in the same bytes.
 */
#ifndef SG_TASKS_TRAINING_H
#define SG_TASKS_TRAINING_H

#include "model/model.h"

typedef struct sg_optimiser {
    sg_adam adam;
    float *average, *square; /* [count] */
    uint64_t steps;          /* made so far */
    double averaging;        /* share of the older values in the running average */
    float *raw;              /* [count]: what Adam moves, where the values are its running average; else NULL */
} sg_optimiser;

/* Where a gradient is to be taken: what Adam moves. */
static inline const float *sg_optimiser_at(const sg_optimiser *optimiser, const float *values)
{
    return optimiser->raw ? optimiser->raw : values;
}

/* One step of Adam down a gradient[count]; values follow. */
void sg_optimiser_step(sg_optimiser *optimiser, size_t count, float *values, const float *gradient);

/*
 * Who learns. Both calls may take long and report progress themselves; SCADYG_E_CANCELLED ends the run and leaves the
 * checkpoint of the last whole epoch.
 */
typedef struct sg_learner {
    void *context;
    const char *score; /* what `validate` measures, static text: "MRR" */

    /* One epoch, from 1: improves model->values through the optimiser. *loss is the mean, *cases how many events (or
     * labels) it learned from. What it does may depend only on the options, the epoch and the values. */
    int (*learn)(void *context, int64_t epoch, sg_optimiser *optimiser, double *loss, uint64_t *cases,
                 scadyg_error *error);

    /* The score of the values as they are, higher is better; NaN if there is nothing to measure. */
    int (*validate)(void *context, double *score, scadyg_error *error);

    int start_counts; /* the first values are a model already: kept where no epoch is better, with best_epoch 0 */
} sg_learner;

/*
 * Trains model->values, which hold the first values, by the options of the model: at most `epochs` epochs, until
 * `patience` of them in a row were not better. In the end the values are those of the best epoch, and epochs,
 * best_epoch and validation are set. Where no epoch had a score the values are the last ones
 * and best_epoch is 0.
 *
 * With `resume` and an existing checkpoint the finished epochs are only shown to the watch, and it goes on from there.
 */
int sg_training_run(scadyg_model *model, const sg_learner *learner, const char *checkpoint, int resume,
                    const scadyg_watch *watch, const scadyg_progress *progress, scadyg_error *error);

#endif
