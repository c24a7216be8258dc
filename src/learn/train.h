/* Training: as a search calls it, its loop, its checkpoints. */
#ifndef SG_LEARN_TRAIN_H
#define SG_LEARN_TRAIN_H

#include "models/kind.h"
#include "models/model.h"
#include "scadyg.h"

/* How far a training got. */
typedef struct sg_reached {
    int64_t epochs;
    int64_t best_epoch; /* 0: none was better than the start, or had a score */
    double validation;  /* the score of the best epoch, or of a start that counts; NaN: there is none */
} sg_reached;

/* The validation score of a training whose model nobody wants; NaN: there is none. */
int sg_train_trial(scadyg_context *context, scadyg_events *events, const scadyg_options *options,
                   double *validation, scadyg_error *error);

/* scadyg_train that also says, if it is stopped too, how far it got. reached may be NULL. */
int sg_train(scadyg_context *context, scadyg_events *events, const scadyg_options *options, const char *checkpoint,
             int resume, const scadyg_watch *watch, sg_reached *reached, scadyg_model **model, scadyg_error *error);

/*
 * The loop of training: epoch after epoch until the validation score no longer rises, whatever it is that learns.
 *
 * After every epoch the state is written to the checkpoint. All that an epoch depends on is in there or follows from
 * the options and the number of the epoch, so a run that goes on from a checkpoint ends in the same bytes.
 */

/*
 * Trains model->values, which hold the first values, by the options of the model: at most `epochs` epochs, until
 * `patience` of them in a row gained nothing: were not better than the best before, or (kinds with clear_gains) by less than
 * the standard error of the difference over the same queries. In the end the values are those of the best epoch, and epochs,
 * best_epoch and validation are set. Where no epoch had a score the values are the last ones and best_epoch is 0.
 *
 * With `resume` and an existing checkpoint the finished epochs are only shown to the watch, and it goes on from there.
 */
int sg_training_run(sg_training *training, const sg_learner *learner, const char *checkpoint, int resume,
                    scadyg_error *error);

/* Tells the watch that something is done otherwise than usual. */
void sg_training_say(const sg_training *training, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Where an option is left to the data: a copy of the options with its value, for the caller to close; else *settled is NULL.
 * A training that is resumed (checkpoint not NULL) keeps what its checkpoint has.
 */
int sg_trial_settle(scadyg_context *context, scadyg_events *events, const scadyg_options *options,
                    const char *checkpoint, const scadyg_watch *watch, scadyg_options **settled,
                    scadyg_error *error);

/* The same where it was settled before, as the other options say. */
int sg_trial_keep(const scadyg_options *options, const scadyg_options *before, scadyg_options **settled,
                  scadyg_error *error);

/* The same where nothing tells which epoch is best, and for how many it trains. */
void sg_training_say_blind(const sg_training *training, const char *reason);

/* ---- Its parts ---- */

/* Sets the steps in model->trained_on that leave each part something, before a view is opened. */
int sg_training_choose_steps(sg_training *training, scadyg_events *events, scadyg_error *error);

/* The parts of the events, or of the labels, and what the model keeps of them. */
int sg_training_cut(sg_training *training, scadyg_error *error);

/* ---- The checkpoint: a model in training, and what training needs to go on as if it had never stopped ---- */

/* `epochs` lists all epochs so far. */
typedef struct sg_checkpoint {
    int64_t epoch;      /* finished */
    int64_t since_gain; /* epochs without a gain */
    uint64_t adam_steps;
    float *average, *square; /* [count] */
    float *best;             /* [count]: the values of the best epoch */
    float *raw;              /* [count]: what is learned, where the values are its running average; else NULL */
    scadyg_epoch *epochs;    /* [epoch]; score points to static text */
    sg_validated validated;  /* what validation said of the best epoch; its score is the model's */
} sg_checkpoint;

int sg_checkpoint_save(const char *path, const scadyg_model *model, const sg_checkpoint *state,
                       scadyg_error *error);

/* Reads both. Fails with SCADYG_E_USAGE and a sentence if the checkpoint is of other data or options. */
int sg_checkpoint_open(const char *path, const scadyg_model *expected, scadyg_model **model, sg_checkpoint *state,
                       scadyg_error *error);
void sg_checkpoint_free(sg_checkpoint *state);

#endif
