/*
 * The messages of labels: for every row of the labels, what was known of its node at its time. Made once; training
 * takes the rows in any order, and validation looks them up.
 */
#ifndef SG_TASKS_AFFINITY_ROWS_H
#define SG_TASKS_AFFINITY_ROWS_H

#include "evaluate/scorer.h"
#include "events/labels.h"
#include "tasks/inputs.h"

typedef struct sg_affinity_rows {
    const sg_labels *labels;
    size_t width;
    size_t count;    /* rows 0 .. count-1 of the labels */
    float *messages; /* [count][width], normalised */
} sg_affinity_rows;

/*
 * Of the rows of groups 0 .. groups-1. Where the model standardises, its mean and scale are learned from the first
 * `train` of these groups. The model has its shape already.
 */
int sg_affinity_rows_make(sg_affinity_rows *rows, scadyg_model *model, sg_inputs *inputs, const sg_labels *labels,
                          size_t train, size_t groups, const scadyg_progress *progress, scadyg_error *error);
void sg_affinity_rows_free(sg_affinity_rows *rows);

#endif
