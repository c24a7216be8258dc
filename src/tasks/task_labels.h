/* The labels of an affinity model over a file, and the parts they fall in. */
#ifndef SG_TASKS_TASK_LABELS_H
#define SG_TASKS_TASK_LABELS_H

#include "events/labels.h"
#include "model/model.h"

/*
 * Read from the file the options name, or derived from the events in these steps, which are those of the model's plan
 * for the file. A model that has classes keeps them; one that has none yet gets all there are.
 */
int sg_task_labels(const scadyg_model *model, scadyg_events *events, const sg_steps *steps, const char *file,
                   sg_labels *labels, scadyg_error *error);

/* Label times in order: groups 0 .. train-1 are for training, then up to validation-1 for validation. */
typedef struct sg_label_split {
    size_t train, validation;
} sg_label_split;

/* By the quantiles .70 and .85 of the event times, as the protocol tgb-node has it. */
sg_label_split sg_task_label_split(const sg_labels *labels, const sg_columns *columns);

#endif
