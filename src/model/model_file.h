/* The sections of a model, for model files and checkpoints. */
#ifndef SG_MODEL_MODEL_FILE_H
#define SG_MODEL_MODEL_FILE_H

#include "model/container.h"
#include "model/model.h"

/* Why a model would not be read back, or NULL: figures out of range, or parts that do not fit each other. */
const char *sg_model_fault(const scadyg_model *model);

/* Whether all numbers are finite. */
int sg_all_finite(const float *values, size_t count);

/* The options as lines "name=value". Free it; NULL without memory. */
char *sg_options_write(const scadyg_train_options *options);

/* Reads them back and makes them the model's. `path` is for messages. */
int sg_options_read(scadyg_model *model, const char *text, size_t size, const char *path, scadyg_error *error);

/* All sections of a model, in order. */
int sg_model_pack(const scadyg_model *model, sg_pack *pack, scadyg_error *error);

/* A model from its sections, checked. */
int sg_model_unpack(sg_unpack *unpack, scadyg_model **model, scadyg_error *error);

#endif
