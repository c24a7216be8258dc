/* Learning affinities. */
#ifndef SG_TASKS_AFFINITY_TRAIN_H
#define SG_TASKS_AFFINITY_TRAIN_H

#include "model/model.h"

/* Trains a model made by sg_model_new, which gets the classes of the labels. A rule gets nothing else but the times
 * its parts end. */
int sg_affinity_train(scadyg_model *model, scadyg_events *events, const char *checkpoint, int resume,
                      const scadyg_watch *watch, const scadyg_progress *progress, scadyg_error *error);

#endif
