/* The sections of a model, for model files and checkpoints. */
#ifndef SG_MODELS_MODEL_FILE_H
#define SG_MODELS_MODEL_FILE_H

#include "models/container.h"
#include "models/model.h"

/* All sections of a model, in order. */
int sg_model_pack(const scadyg_model *model, sg_pack *pack, scadyg_error *error);

/* A model from its sections, checked. */
int sg_model_unpack(sg_unpack *unpack, scadyg_model **model, scadyg_error *error);

#endif
