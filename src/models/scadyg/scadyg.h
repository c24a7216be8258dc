/* The default model for links: what its files share. docs/default.md says what it reads and learns. */
#ifndef SG_MODELS_SCADYG_SCADYG_H
#define SG_MODELS_SCADYG_SCADYG_H

#include "messages/pairs/ledger.h"
#include "models/kind.h"
#include "models/scadyg/pair_net.h"

#define SG_SCADYG_HIDDEN 64 /* by default */
#define SG_WALK_MOST 4096
#define SG_WALK_WIDEST 64 /* unless asked for: wider sketches are no better, see docs/accuracy.md, "Links" */

/* Where random training negatives come from: any nodes, destinations seen so far, or both by halves. */
enum { SG_SCADYG_POOL_ANY, SG_SCADYG_POOL_DESTINATION, SG_SCADYG_POOL_MIXED };

typedef struct sg_scadyg_options {
    sg_train_options train;
    int64_t walk_width; /* numbers per walk sketch; 0: as memory allows, at most 64 */
    int train_pool;     /* SG_SCADYG_POOL_... */
    int64_t negatives;  /* training negatives for each event */
    double historical;  /* unless stepwise: share of negatives that are pairs which have met */
    double binary;      /* share of the binary loss beside the ranking loss */
} sg_scadyg_options;

/* What a model keeps beside its parameters. */
typedef struct sg_scadyg_own {
    sg_pair_net net;
    sg_ledger_plan plan; /* what the ledger needs to know beside the events */
} sg_scadyg_own;

static inline const sg_scadyg_options *sg_scadyg_options_of(const scadyg_model *model)
{
    return (const sg_scadyg_options *)model->options->values;
}

static inline sg_scadyg_own *sg_scadyg_of(const scadyg_model *model)
{
    return (sg_scadyg_own *)model->own;
}

/* The share of the binary loss beside the ranking loss, which may have been left out. */
double sg_scadyg_binary(const scadyg_model *model);

/* The options of the ledger of a model over its files. */
sg_ledger_options sg_scadyg_ledger(const scadyg_model *model);

/* Sets the net that the options, trained_on and the plan ask for, and shapes the model. */
int sg_scadyg_shape(scadyg_model *model, scadyg_error *error);

/* The walk sketches that the options ask for: a multiple of SG_BLOCK. */
uint64_t sg_scadyg_walk_width(const scadyg_model *model);

/* Bytes that a scorer takes over a log of this shape. */
double sg_scadyg_bytes(const scadyg_model *model, const scadyg_shape *shape);

extern const sg_learning sg_scadyg_learning;
int sg_scadyg_scorer_open(const sg_kind *kind, sg_view *view, sg_scorer *scorer, scadyg_error *error);

/* What the scorer can say beyond scores. */
int sg_scadyg_embed(void *scorer, const sg_nodes_asked *asked, float *out, scadyg_error *error);
int sg_scadyg_node_weights(void *scorer, const sg_nodes_asked *asked, float *out, scadyg_error *error);
int sg_scadyg_memory_rates(void *scorer, size_t *count, const double **rates, int *is_logarithm,
                           scadyg_error *error);
int sg_scadyg_memory_vectors(void *scorer, const sg_nodes_asked *asked, size_t *hidden, double **vectors,
                             scadyg_error *error);

#endif
