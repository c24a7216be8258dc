/* The default model for affinity: what its files share. docs/affinity.md says what it reads and learns. */
#ifndef SG_MODELS_LABEL_MIX_LABEL_MIX_H
#define SG_MODELS_LABEL_MIX_LABEL_MIX_H

#include "messages/pairs/label_past.h"
#include "models/kind.h"
#include "models/label_mix/mix_net.h"
#include "models/label_rows.h"

typedef struct sg_label_mix_options {
    sg_train_options train;
} sg_label_mix_options;

/* What a model keeps beside its parameters. */
typedef struct sg_label_mix_own {
    sg_mix_net net;
    double gap;     /* the usual distance between label times of the training part, */
    double span;    /* how far apart its first and last one are, */
    double noise;   /* and how much the logarithm of a share usually changes from label to label */
    uint64_t start; /* number of the start that training began with */
} sg_label_mix_own;

/* Where training may begin: a moving average, or the mean of two next to each other, with so much for other classes. */
enum { SG_MIX_OTHERS = 2, SG_MIX_STARTS = (2 * SG_LABEL_RATES - 1) * SG_MIX_OTHERS };

static inline sg_label_mix_own *sg_label_mix_of(const scadyg_model *model)
{
    return (sg_label_mix_own *)model->own;
}

/* Sets the net for node messages of this width and shapes the model. */
int sg_label_mix_shape(scadyg_model *model, size_t width, scadyg_error *error);

/* The rates of its label averages, as gap, span and ablations say. */
void sg_label_mix_rates(const scadyg_model *model, double *rates);

extern const sg_learning sg_label_mix_learning;
int sg_label_mix_scorer_open(const sg_kind *kind, sg_view *view, const sg_labels *labels, sg_label_scorer *scorer,
                             scadyg_error *error);

/* The message of a node, as the net takes it. */
int sg_label_mix_embed(void *scorer, const sg_nodes_asked *asked, float *out, scadyg_error *error);

#endif
