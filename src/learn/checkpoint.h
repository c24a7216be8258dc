/* The checkpoint: a model in training, and what training needs to go on as if it had never stopped. */
#ifndef SG_LEARN_CHECKPOINT_H
#define SG_LEARN_CHECKPOINT_H

#include "models/model.h"

/* `epochs` lists all epochs so far. */
typedef struct sg_checkpoint {
    int64_t epoch;      /* finished */
    int64_t since_best; /* epochs without a better score */
    uint64_t adam_steps;
    float *average, *square; /* [count] */
    float *best;             /* [count]: the values of the best epoch */
    float *raw;              /* [count]: what is learned, where the values are its running average; else NULL */
    scadyg_epoch *epochs;    /* [epoch]; score points to static text */
} sg_checkpoint;

int sg_checkpoint_save(const char *path, const scadyg_model *model, const sg_checkpoint *state,
                       scadyg_error *error);

/* Reads both. Fails with SCADYG_E_USAGE and a sentence if the checkpoint is of other data or options. */
int sg_checkpoint_open(const char *path, const scadyg_model *expected, scadyg_model **model, sg_checkpoint *state,
                       scadyg_error *error);
void sg_checkpoint_free(sg_checkpoint *state);

#endif
