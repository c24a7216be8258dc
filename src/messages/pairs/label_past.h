/*
 * The past of labels: for every node and class, moving averages of the node's earlier labels at several rates; for
 * every class, the same of the mean label of all nodes (its popularity). It is section 3 of the method with a pair of
 * node and class as the key and the label's share as the message, divided by the decayed number of labels, so that
 * rates can be compared:
 *
 *   average_k(u, c) = sum over labels of u of y_c exp(-rate_k age) / sum over labels of u of exp(-rate_k age)
 *
 * A rate of infinity is the last label alone. Between two labels of a node nothing changes, so only the nodes that get
 * a label are touched. Memory grows with the pairs of node and class that have occurred, not with their product.
 *
 * Where classes are nodes of the log (derived labels), a pair (u, c) is also kept, with zeros, once node c has turned to
 * class u: so what was turned to a node can be read beside what it turned to.
 */
#ifndef SG_MESSAGES_PAIRS_LABEL_PAST_H
#define SG_MESSAGES_PAIRS_LABEL_PAST_H

#include "events/labels.h"

#define SG_LABEL_RATES 8
#define SG_NO_CLASS UINT32_MAX

/* What a node turned to. */
typedef struct sg_label_memory {
    uint32_t *class_of; /* [count], ascending */
    float *average;     /* [count][SG_LABEL_RATES] */
    size_t count, room;
    uint64_t labels;            /* seen so far */
    double time;                /* of the latest */
    double sum[SG_LABEL_RATES]; /* decayed number of labels, as of then */
} sg_label_memory;

typedef struct sg_label_past {
    size_t nodes, classes;
    double rate[SG_LABEL_RATES];
    uint32_t *class_of_node; /* [nodes], SG_NO_CLASS for some; NULL: classes are not nodes */
    uint32_t *node_of_class; /* [classes], UINT32_MAX for some */
    sg_label_memory *of;     /* [nodes] */
    sg_label_memory all;     /* of the classes: popularity, one entry for each class */
    float *mean;             /* [classes]: of a label time, before it takes its place */
} sg_label_past;

/*
 * node_of_class: which node a class is, UINT32_MAX for none; NULL if classes are not nodes. Copied. `rate` may hold
 * INFINITY. On failure nothing is left to close.
 */
int sg_label_past_open(sg_label_past *past, size_t nodes, size_t classes, const double rate[SG_LABEL_RATES],
                       const uint32_t *node_of_class, scadyg_error *error);
void sg_label_past_close(sg_label_past *past); /* also of a zeroed one */

/* Back to before the first label. Keeps the memory. */
void sg_label_past_clear(sg_label_past *past);

/* Takes in all labels of a label time; times ascend. After a failure only clear and close may follow. */
int sg_label_past_add(sg_label_past *past, const sg_labels *labels, size_t group, scadyg_error *error);

/* The averages of a pair, or NULL if there are none. */
const float *sg_label_past_find(const sg_label_past *past, uint32_t node, uint32_t class_of);

/* ---- Figures of labels that say how to look at them: how often they come, how fast to forget, how much they vary ---- */

#define SG_LABEL_NOISE_LEAST 1e-3

/*
 * Rates for labels that come every `gap` within `span`: infinity (the last label), then half-lives from half a gap to
 * half the span, evenly spaced in their logarithm.
 */
void sg_label_rates(double gap, double span, double rate[SG_LABEL_RATES]);

/* The median distance between neighbouring label times among the first `groups`; 1 if there is none. */
int sg_label_gap(const sg_labels *labels, size_t groups, double *gap, scadyg_error *error);

/*
 * How much the logarithm of a share usually changes from one label of a node to its next: the median of |log(y / y')|
 * over the ten largest shares of each label of the first `groups`, as far as the label before has them, kept between
 * SG_LABEL_NOISE_LEAST and 1; 1 if there are none. In these units changes between rates are read: docs/accuracy.md,
 * "Affinity", has what that gains.
 */
int sg_label_noise(const sg_labels *labels, size_t groups, size_t nodes, double *noise, scadyg_error *error);

#endif
