/* The affinity model as a scorer: logits over the classes. */
#ifndef SG_TASKS_AFFINITY_SCORER_H
#define SG_TASKS_AFFINITY_SCORER_H

#include "tasks/affinity_rows.h"
#include "tasks/mix_stage.h"

/*
 * From the events of a file, by the model's freshness. The inputs stay the caller's, and must stay; so must the
 * model's values, which may change between passes. A mix net also reads the labels that are revealed; others need none.
 */
int sg_affinity_scorer_open(sg_inputs *inputs, const sg_labels *labels, sg_label_scorer *scorer,
                            scadyg_error *error);

/*
 * The same scores from messages made before, for nodes and label times that are among their rows. state: of a mix net,
 * else NULL; it stays the caller's.
 */
int sg_affinity_rows_scorer_open(const scadyg_model *model, const sg_affinity_rows *rows, sg_label_state *state,
                                 int threads, sg_label_scorer *scorer, scadyg_error *error);

#endif
