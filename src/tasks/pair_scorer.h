/* The model with the head `pair` as a scorer. */
#ifndef SG_TASKS_PAIR_SCORER_H
#define SG_TASKS_PAIR_SCORER_H

#include "evaluate/scorer.h"
#include "tasks/pair_reader.h"

/* The inputs stay the caller's, and must stay; so must the model's values, which may change between passes. */
int sg_pair_scorer_open(sg_inputs *inputs, sg_scorer *scorer, scadyg_error *error);

/* The same with a reader of the caller's, who does not use it at the same time: there is one ledger in memory, and it goes
 * on from where the caller left it. */
int sg_pair_scorer_share(sg_inputs *inputs, sg_pair_reader *reader, sg_scorer *scorer, scadyg_error *error);

#endif
