/* The paper's model: what its files share. docs/method.md maps the paper's formulas to files. */
#ifndef SG_MODELS_SCADYG_PAPER_PAPER_H
#define SG_MODELS_SCADYG_PAPER_PAPER_H

#include "models/kind.h"
#include "models/label_rows.h"
#include "models/scadyg_paper/net.h"

/* Where training negatives come from: any node of the file (the paper), or destinations or nodes that have appeared. */
enum { SG_PAPER_POOL_ANY, SG_PAPER_POOL_DESTINATION, SG_PAPER_POOL_SEEN };

typedef struct sg_paper_options {
    sg_train_options train;
    int select;     /* link: the validation score is 0 MRR, 1 AP */
    int train_pool; /* link: SG_PAPER_POOL_... */
} sg_paper_options;

/* What a model keeps beside its parameters. */
typedef struct sg_paper_own {
    sg_net net;
} sg_paper_own;

static inline const sg_paper_options *sg_paper_options_of(const scadyg_model *model)
{
    return (const sg_paper_options *)model->options->values;
}

static inline sg_net *sg_paper_net(const scadyg_model *model)
{
    return &((sg_paper_own *)model->own)->net;
}

/* Sets the net for messages of this width and shapes the model. */
int sg_paper_shape(scadyg_model *model, size_t width, size_t outputs, scadyg_error *error);

extern const sg_learning sg_paper_link_learning, sg_paper_affinity_learning;

/* rows: that training has prepared; NULL: those of the scorer's own. */
int sg_paper_link_scorer_share(sg_view *view, sg_node_rows *rows, sg_scorer *scorer, scadyg_error *error);
int sg_paper_label_scorer_share(sg_view *view, const sg_label_rows *rows, sg_label_scorer *scorer,
                                scadyg_error *error);

/* What the scorers of both tasks begin with: where the messages of nodes come from, out[count][width]. */
typedef struct sg_paper_scorer {
    sg_view *view;
    int (*read)(void *scorer, const sg_nodes_asked *asked, float *out, scadyg_error *error);
} sg_paper_scorer;

#endif
