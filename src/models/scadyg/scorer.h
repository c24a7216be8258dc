/* The default model for links as a scorer, with a reader of the caller's. */
#ifndef SG_MODELS_SCADYG_SCORER_H
#define SG_MODELS_SCADYG_SCORER_H

#include "models/scadyg/reader.h"

/* The caller does not use the reader at the same time: there is one ledger in memory, and it goes on from where the
 * caller left it. NULL: one of its own. */
int sg_scadyg_scorer_share(sg_view *view, sg_pair_reader *reader, sg_scorer *scorer, scadyg_error *error);

#endif
