/* The parts a model is trained, chosen and tested on. */
#ifndef SG_TASKS_SPLIT_H
#define SG_TASKS_SPLIT_H

#include "events/split.h"
#include "model/model.h"

/* By the model's options, over a file. */
sg_split sg_model_parts(const scadyg_model *model, const scadyg_messages *messages);

/* The same for training. An error if a part has no events. */
int sg_model_split(const scadyg_model *model, const scadyg_messages *messages, sg_split *split,
                   scadyg_error *error);

#endif
