/*
 * The link model as a scorer.
 *
 * What fc1 makes of a node is computed once per node and past (a step, or with event freshness a time), for the
 * nodes that are asked about only; a pair then costs one pass over the hidden units.
 */
#ifndef SG_TASKS_LINK_SCORER_H
#define SG_TASKS_LINK_SCORER_H

#include "evaluate/scorer.h"
#include "tasks/inputs.h"

/* The inputs stay the caller's, and must stay; so must the model's values, which may change between passes. */
int sg_link_scorer_open(sg_inputs *inputs, sg_scorer *scorer, scadyg_error *error);

#endif
