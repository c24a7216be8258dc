/*
 * Learning by a mix net: an epoch follows the label times of the training part in their order, the nodes of each in
 * random order, in batches; then the labels of that time become part of the past. So nothing but the past is kept, and
 * what is learned last is what happened last.
 */
#ifndef SG_TASKS_MIX_TRAIN_H
#define SG_TASKS_MIX_TRAIN_H

#include "tasks/affinity_rows.h"
#include "tasks/mix_stage.h"
#include "tasks/task_labels.h"
#include "tasks/training.h"

typedef struct sg_mix_course {
    scadyg_model *model;
    const sg_labels *labels;
    const sg_label_split *split;
    const sg_affinity_rows *rows;
    sg_label_state *state;
    uint32_t *order; /* [rows to learn from] */
    float *gradient; /* [net.count] */
    const scadyg_progress *progress;
} sg_mix_course;

int sg_mix_learn(const sg_mix_course *read_plan, int64_t epoch, sg_optimiser *optimiser, double *loss,
                 scadyg_error *error);

#endif
