/*
 * The pair net: what the default model for links learns. It reads the messages of both nodes and what lies between
 * them, all of it normalised already:
 *
 *   m_u, m_v [node]   node messages
 *   c [rates]         the pair's decayed counts at all rates, both directions
 *   s [rest]          the rest: ages, walks
 *
 *   h = HN(m)                 the hypernetwork of the method over node messages: S_ij = sigmoid((Wr m)_i Wp_j),
 *                             h_i = sum_j S_ij W_ij m_j; one for both ends
 *   g_i = sum_j sigmoid((Vr m_u)_i Vp_j) V_ij c_j, i < SG_MIXES     the source sets how the pair's rates are weighted
 *   z = [h_u || h_v || g || s]
 *   [order, chance] = fc3 relu(fc2 relu(fc1 z + b1) + b2) + b3
 *
 * Two questions, two outputs: `order` says who of a source's candidates comes first, `chance` how likely a pair is by
 * itself, against pairs of any source. What one learns from spoils the other, so each has its own loss; all but the
 * last layer is common.
 *
 * Without the hypernetwork h = m and g = c. Groups, in the order of the flat array of values: W [node][node],
 * Wr [node][node], Wp [node], V [SG_MIXES][rates], Vr [SG_MIXES][node], Vp [rates], fc1.weight [in][hidden], fc1.bias,
 * fc2.weight [hidden][hidden2], fc2.bias, fc3.weight [hidden2][SG_OUTPUTS], fc3.bias. Head weights are input-major as in
 * scadyg_paper/net.h.
 */
#ifndef SG_MODELS_SCADYG_PAIR_NET_H
#define SG_MODELS_SCADYG_PAIR_NET_H

#include "base/context.h"
#include "nn/kernels.h"

typedef struct sg_pair_net {
    int hypernetwork;
    size_t node, rates, rest;
    size_t hidden, hidden2;

    /* Set by sg_pair_net_make: the head's inputs, where each group begins, and the number of all. */
    size_t inputs;
    size_t w, wr, wp, v, vr, vp, fc1, fc1_bias, fc2, fc2_bias, fc3, fc3_bias, count;
} sg_pair_net;

void sg_pair_net_make(sg_pair_net *net, int hypernetwork, size_t node, size_t rates, size_t rest, size_t hidden,
                      size_t hidden2);

/* Group i, from 0: its name, its place and shape; NULL after the last. Vectors have one row. */
const char *sg_pair_net_group(const sg_pair_net *net, size_t i, size_t *begin, size_t *rows, size_t *columns);

/* First values: uniform in +-1/sqrt(in) for each layer. */
void sg_pair_net_init(const sg_pair_net *net, uint64_t seed, float *values);

/*
 * Pairs: pair k has node messages nodes[left[k]] and nodes[right[k]] (rows of `node` numbers) and between[k] (a row of
 * rates + rest numbers: c, then s). A row of nodes is often shared by pairs of the same source: its part is computed once.
 */
typedef struct sg_pair_rows {
    const float *nodes;
    size_t node_count;
    const uint32_t *left, *right;
    const float *between;
    size_t count;
    const float *offset; /* [count] added to the scores in the loss, no part of what is learned; NULL: none */
} sg_pair_rows;

typedef struct sg_pair_workspace sg_pair_workspace;

/* Scratch memory for batches of at most `pairs` pairs. The context must stay. */
int sg_pair_workspace_open(scadyg_context *context, const sg_pair_net *net, size_t pairs,
                           sg_pair_workspace **workspace, scadyg_error *error);
void sg_pair_workspace_close(sg_pair_workspace *workspace); /* NULL is fine */

/*
 * The gradient of the loss over count / group cases of `group` pairs each, the first of which is the positive and the
 * others its negatives. own[k]: pair k has the source of its case's positive (1 for the positive itself).
 *
 *   ranking   by order: -log softmax of the positive among the pairs of its case with own = 1
 *   binary    by chance: cross entropy of the positive, plus the mean cross entropy of all negatives of the case
 *   loss      (1 - binary) * ranking + binary * binary, mean over the cases
 *
 * Threads take fixed pieces of the batch and the pieces are added in order: same bytes for any number of them.
 */
double sg_pair_gradient(sg_pair_workspace *workspace, const float *values, const sg_pair_rows *rows, size_t group,
                        const unsigned char *own, double binary, float *gradient);

/* One output of any number of pairs, on the workers; same bytes for any number of them. */
int sg_pair_scores(scadyg_context *context, const sg_pair_net *net, const float *values, const sg_pair_rows *rows,
                   int output, double *score, scadyg_error *error);

/* h of rows[count][node]: the embedding. */
int sg_pair_embed(scadyg_context *context, const sg_pair_net *net, const float *values, const float *rows,
                  size_t count, float *h, scadyg_error *error);

#endif
