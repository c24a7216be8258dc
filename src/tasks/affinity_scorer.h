/* The affinity model as a scorer: logits over the classes. */
#ifndef SG_TASKS_AFFINITY_SCORER_H
#define SG_TASKS_AFFINITY_SCORER_H

#include "tasks/affinity_rows.h"

/*
 * From the events of a file, by the model's freshness. The inputs stay the caller's, and must stay; so must the
 * model's values, which may change between passes.
 */
int sg_affinity_scorer_open(sg_inputs *inputs, sg_label_scorer *scorer, scadyg_error *error);

/* The same scores from messages made before, for nodes and label times that are among their rows. */
int sg_affinity_rows_scorer_open(const scadyg_model *model, const sg_affinity_rows *rows, int threads,
                                 sg_label_scorer *scorer, scadyg_error *error);

#endif
