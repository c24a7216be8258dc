/* Learning links with the head `pair`. */
#ifndef SG_TASKS_PAIR_TRAIN_H
#define SG_TASKS_PAIR_TRAIN_H

#include "model/model.h"

/* Trains a model made by sg_model_new. */
int sg_pair_train(scadyg_model *model, scadyg_events *events, const char *checkpoint, int resume,
                  const scadyg_watch *watch, const scadyg_progress *progress, scadyg_error *error);

#endif
