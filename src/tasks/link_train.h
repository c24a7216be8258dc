/* Learning links. */
#ifndef SG_TASKS_LINK_TRAIN_H
#define SG_TASKS_LINK_TRAIN_H

#include "model/model.h"

/* Trains a model made by sg_model_new. */
int sg_link_train(scadyg_model *model, scadyg_events *events, const char *checkpoint, int resume,
                  const scadyg_watch *watch, const scadyg_progress *progress, scadyg_error *error);

#endif
