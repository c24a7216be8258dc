/* Learning links with the head `pair`. */
#ifndef SG_TASKS_PAIR_TRAIN_H
#define SG_TASKS_PAIR_TRAIN_H

#include "model/model.h"

/* Trains a model made by sg_model_new. */
int sg_pair_train(scadyg_model *model, scadyg_events *events, const char *checkpoint, int resume,
                  const scadyg_watch *watch, const scadyg_progress *progress, scadyg_error *error);

/*
 * How the validation part is judged: `judging` for pool number `pool`, from 0 on. Returns how many pools there are. The mean
 * over them is the validation score, of MRR with the parts cut by steps, else of AP.
 */
size_t sg_pair_validation(const scadyg_train_options *options, size_t pool, scadyg_eval_options *judging);

#endif
