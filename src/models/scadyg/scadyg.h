/* The default model for links: what its files share. docs/default.md says what it reads and learns. */
#ifndef SG_MODELS_SCADYG_SCADYG_H
#define SG_MODELS_SCADYG_SCADYG_H

#include "messages/pairs/ledger.h"
#include "models/kind.h"
#include "models/scadyg/pair_net.h"

#define SG_SCADYG_HIDDEN 64 /* by default */
#define SG_SCADYG_CASES                                                                                            \
    262144 /* of an epoch at least, if there are so many, by default: docs/accuracy.md, "Learning from a sample" */
#define SG_SCADYG_ALLOWED 1.1 /* times the least error against random pairs, for the sake of others (shares.c) */

/* Where random training negatives come from: any nodes, destinations seen so far, or both by halves. */
enum { SG_SCADYG_POOL_ANY, SG_SCADYG_POOL_DESTINATION, SG_SCADYG_POOL_MIXED };

/* Vectors of destinations: as short trainings say, none, or learned as events come. */
enum { SG_SCADYG_VECTORS_AUTO, SG_SCADYG_VECTORS_OFF, SG_SCADYG_VECTORS_ON };

typedef struct sg_scadyg_options {
    sg_train_options train;
    int fallback;      /* answer as a baseline where no epoch is better than it */
    int vectors;       /* of destinations: SG_SCADYG_VECTORS_... */
    int train_pool;    /* SG_SCADYG_POOL_... */
    int64_t cases;     /* events that an epoch learns from, at most; 0: SG_SCADYG_CASES */
    int64_t negatives; /* training negatives for each event */
    double binary;     /* share of the binary loss beside the ranking loss */
} sg_scadyg_options;

/* What a model keeps beside its parameters. */
typedef struct sg_scadyg_own {
    sg_pair_net net;
    sg_ledger_plan plan;             /* what the ledger needs to know beside the events */
    double compared[SG_OUTPUTS - 1]; /* of a pair's chance: random pairs, those that have met, that met lately */
    uint64_t rule; /* it answers as this baseline, from 1 (sg_link_rules), for no epoch was better; 0: as itself */
} sg_scadyg_own;

static inline const sg_scadyg_options *sg_scadyg_options_of(const scadyg_model *model)
{
    return (const sg_scadyg_options *)model->options->values;
}

static inline sg_scadyg_own *sg_scadyg_of(const scadyg_model *model)
{
    return (sg_scadyg_own *)model->own;
}

/* One in so many events of a training part is a case of an epoch. */
uint64_t sg_scadyg_every(const scadyg_model *model, uint64_t train_end);

/* Epochs of so many cases, at most, unless another number than the default is asked for. */
int64_t sg_scadyg_most_epochs(uint64_t cases);

/* Events of a step, where an epoch has so many cases. */
size_t sg_scadyg_batch(const scadyg_model *model, uint64_t cases);

/* The share of the binary loss beside the ranking loss, which may have been left out. */
double sg_scadyg_binary(const scadyg_model *model);

/* The options of the ledger of a model over its files. */
sg_ledger_options sg_scadyg_ledger(const scadyg_model *model);

/* The net that the options, trained_on and the plan ask for; sets it, and shapes the model. */
sg_pair_net sg_scadyg_net(const scadyg_model *model);
int sg_scadyg_shape(scadyg_model *model, scadyg_error *error);

/* Bytes that a scorer takes over a log of this shape. */
double sg_scadyg_bytes(const scadyg_model *model, const scadyg_shape *shape);

/* When the parameters are chosen: the shares of its chance, and whether a baseline is better. */
int sg_scadyg_settle(sg_training *training, const sg_learner *learner, scadyg_error *error);

/* compared[SG_OUTPUTS - SG_CHANCE_RANDOM]: see shares.c; left as they are where there is nothing to ask. */
int sg_scadyg_choose_shares(const sg_training *training, const sg_learner *learner, double *compared,
                            scadyg_error *error);

extern const sg_learning sg_scadyg_learning;
extern const sg_trial sg_scadyg_trial;
int sg_scadyg_scorer_open(const sg_kind *kind, sg_view *view, sg_scorer *scorer, scadyg_error *error);

extern const sg_live_kind sg_scadyg_live;
int sg_scadyg_met(void *scorer, const sg_nodes_asked *asked, uint32_t source, unsigned char *met,
                  scadyg_error *error);

int sg_scadyg_retrieve(void *scorer, const sg_nodes_asked *asked, sg_retrieval *retrieval, scadyg_error *error);
int sg_scadyg_unmet(void *scorer, const sg_nodes_asked *asked, uint32_t source, uint32_t *list, size_t *count,
                    scadyg_error *error);

/* The reader of a scorer; NULL: it answers as a baseline. */
struct sg_pair_reader;
struct sg_pair_reader *sg_scadyg_reader(const void *scorer);

/* What the scorer can say beyond scores. */
int sg_scadyg_embed(void *scorer, const sg_nodes_asked *asked, float *out, scadyg_error *error);
int sg_scadyg_memory_rates(void *scorer, size_t *count, const double **rates, int *is_logarithm,
                           scadyg_error *error);
int sg_scadyg_memory_vectors(void *scorer, const sg_nodes_asked *asked, size_t *hidden, double **vectors,
                             scadyg_error *error);

#endif
