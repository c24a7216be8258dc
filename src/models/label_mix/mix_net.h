/*
 * The mix net: what the default model for affinity learns. For a node u and a class c it reads
 *
 *   a [rates]      moving averages of u's earlier labels on c, as shares
 *   q [rates]      the same of all nodes: the popularity of c
 *   x [pair]       these and what else lies between u and c, scaled
 *   m [summary]    what is known of u
 *
 *   base  = log(sum_k w_k a_k + w_0 sum_k v_k q_k + SG_MIX_LEAST),   w = softmax(mix), v = softmax(popular)
 *   g_i   = sum_j sigmoid((Vr m)_i Vp_j) V_ij x_j, i < SG_MIXES        the node sets how the rates are weighted
 *   delta = fc2 . relu(fc1 [x || g] + b1)
 *   score = exp(tune_0) base + noise delta
 *
 * Classes that have nothing to do with u share the last term: score = exp(tune_0) log(w_0 sum_k v_k q_k + SG_MIX_LEAST)
 * + tune_1. With fc2 = 0 the net is a moving average, which is where learning begins. The loss is a smooth form of
 * 1 - NDCG@10 with a little cross entropy (mix_net.c). Nothing in the net grows with the classes.
 *
 * Groups, in the order of the flat array of values: mix [rates + 1] (the last is w_0), popular [rates], tune [2],
 * V [SG_MIXES][pair], Vr [SG_MIXES][summary], Vp [pair] (these three with the hypernetwork), fc1.weight [in][hidden]
 * with in = pair, or pair + SG_MIXES; fc1.bias [hidden], fc2.weight [hidden].
 */
#ifndef SG_MODELS_LABEL_MIX_MIX_NET_H
#define SG_MODELS_LABEL_MIX_MIX_NET_H

#include "base/status.h"

#define SG_MIX_MIXES 8
#define SG_MIX_RATES_MOST 16
#define SG_MIX_LEAST 1e-6f

typedef struct sg_mix_net {
    int hypernetwork;
    int popularity; /* without it w_0 = 0 */
    int reverse;    /* whether x has what turned to the node; not the net's business */
    size_t rates, pair, summary, hidden;

    /* Set by sg_mix_net_make. */
    size_t mix, popular, tune, v, vr, vp, fc1, fc1_bias, fc2, count;
} sg_mix_net;

/* From the fields before. */
void sg_mix_net_make(sg_mix_net *net);

/* Group i, from 0: its name, its place and shape; NULL after the last. Vectors have one row. */
const char *sg_mix_net_group(const sg_mix_net *net, size_t i, size_t *begin, size_t *rows, size_t *columns);

/*
 * First values: the weight on one rate, or half of it on each of two, with `others` times as much on each other one;
 * fc2 = 0, the rest uniform in +-1/sqrt(in).
 */
typedef struct sg_mix_start {
    size_t first, second;
    double others;
} sg_mix_start;

void sg_mix_net_init(const sg_mix_net *net, uint64_t seed, const sg_mix_start *start, float *values);

/* A node at a label time: the classes it has to do with, ascending. */
typedef struct sg_mix_node {
    size_t count;
    const uint32_t *class_of; /* [count] */
    const float *average;     /* [count][rates] */
    const float *x;           /* [count][pair] */
    const float *summary;     /* [summary] */
} sg_mix_node;

/* A label: its weights sum to 1. */
typedef struct sg_mix_label {
    size_t count;
    const uint32_t *class_of; /* [count], ascending */
    const float *weight;
} sg_mix_label;

/*
 * What all nodes of a label time share under these values: settled once, read by many threads. Its memory lasts until
 * sg_mix_shared_free; zero it before the first use.
 */
typedef struct sg_mix_shared {
    const sg_mix_net *net;
    const float *values;
    const float *popularity; /* [classes][rates] */
    size_t classes, room;
    float noise; /* set before sg_mix_share */
    float weight[SG_MIX_RATES_MOST + 1], popular[SG_MIX_RATES_MOST], sharpness;
    float *pop;  /* [classes]: sum_k v_k q_k */
    float *rest; /* [classes]: the score of a class that has nothing to do with a node */
} sg_mix_shared;

int sg_mix_share(sg_mix_shared *shared, const sg_mix_net *net, const float *values, const float *popularity,
                 size_t classes, scadyg_error *error);
void sg_mix_shared_free(sg_mix_shared *shared);

/* Scratch memory of one thread at a time. Zero it before the first use. */
typedef struct sg_mix_scratch {
    float *block;
    size_t room;
} sg_mix_scratch;

/* Makes it large enough for nodes that have to do with up to `most` classes. */
int sg_mix_scratch_room(sg_mix_scratch *scratch, const sg_mix_net *net, size_t classes, size_t most,
                        scadyg_error *error);
void sg_mix_scratch_free(sg_mix_scratch *scratch);

/* score[classes] of a node. */
void sg_mix_scores(const sg_mix_shared *shared, const sg_mix_node *node, sg_mix_scratch *scratch, float *score);

/* The loss of scores[classes], which become its slopes, times share. */
double sg_mix_loss(const sg_mix_label *label, float *score, size_t classes, float share);

/* The loss of a node's label; `share` times its gradient is added to gradient[net->count]. */
double sg_mix_gradient(const sg_mix_shared *shared, const sg_mix_node *node, const sg_mix_label *label, float share,
                       sg_mix_scratch *scratch, float *gradient);

#endif
