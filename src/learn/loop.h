/*
 * The loop of training: epoch after epoch until the validation score no longer rises, whatever it is that learns.
 *
 * After every epoch the state is written to the checkpoint. All that an epoch depends on is in there or follows from
 * the options and the number of the epoch, so a run that goes on from a checkpoint ends in the same bytes.
 */
#ifndef SG_LEARN_LOOP_H
#define SG_LEARN_LOOP_H

#include "models/kind.h"

/*
 * Trains model->values, which hold the first values, by the options of the model: at most `epochs` epochs, until
 * `patience` of them in a row were not better. In the end the values are those of the best epoch, and epochs,
 * best_epoch and validation are set. Where no epoch had a score the values are the last ones and best_epoch is 0.
 *
 * With `resume` and an existing checkpoint the finished epochs are only shown to the watch, and it goes on from there.
 */
int sg_training_run(sg_training *training, const sg_learner *learner, const char *checkpoint, int resume,
                    scadyg_error *error);

#endif
