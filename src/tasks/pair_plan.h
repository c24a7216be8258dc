/* The plan of a ledger: rates from the events, widths from the memory. */
#ifndef SG_TASKS_PAIR_PLAN_H
#define SG_TASKS_PAIR_PLAN_H

#include "tasks/inputs.h"

/* Sets model->plan for training on events 0 .. train_end-1. An error if the memory granted is not enough. */
int sg_pair_plan(scadyg_model *model, const sg_inputs *inputs, uint64_t train_end, uint64_t memory,
                 scadyg_error *error);

#endif
