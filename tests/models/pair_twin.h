/*
 * The twin of the pair net: its formulas in double precision, one pair at a time, with nothing clever. Learned numbers
 * lie as in sg_pair_net.
 */
#ifndef TESTS_MODELS_PAIR_TWIN_H
#define TESTS_MODELS_PAIR_TWIN_H

#include "base/rng.h"
#include "models/scadyg/pair_net.h"
#include "numbers.h"

#include <string.h>

static inline void *zeros(size_t count, size_t size)
{
    void *x = calloc(count ? count : 1, size);
    assert_non_null(x);
    return x;
}

static inline double sigmoid_of(double x)
{
    return 1 / (1 + exp(-x));
}

/* A batch of pairs in doubles that are floats. */
typedef struct twin_pairs {
    const double *nodes, *between;
    const uint32_t *left, *right;
    const unsigned char *own;
    size_t count, group;
    double binary;
} twin_pairs;

/*
 * out_i = sum over j of sigmoid((R m)_i p_j) W_ij x_j for i < rows: the hypernetwork of a node with x = m, and that of
 * a pair with x = c. With dout also the way back, added to dw, dr, dp.
 */
typedef struct twin_grid {
    size_t rows, columns, width; /* of W; of m */
    const double *w, *wr, *p;
    double *dw, *dwr, *dp;
} twin_grid;

static inline void twin_grid_forward(const twin_grid *g, const double *m, const double *x, double *out)
{
    for (size_t i = 0; i < g->rows; i++) {
        double r = 0;
        out[i] = 0;
        for (size_t j = 0; j < g->width; j++) r += g->wr[i * g->width + j] * m[j];
        for (size_t j = 0; j < g->columns; j++) out[i] += sigmoid_of(r * g->p[j]) * g->w[i * g->columns + j] * x[j];
    }
}

static inline void twin_grid_back(const twin_grid *g, const double *m, const double *x, const double *dout)
{
    for (size_t i = 0; i < g->rows; i++) {
        double r = 0, dr = 0;
        for (size_t j = 0; j < g->width; j++) r += g->wr[i * g->width + j] * m[j];
        for (size_t j = 0; j < g->columns; j++) {
            const size_t at = i * g->columns + j;
            const double s = sigmoid_of(r * g->p[j]), ds = dout[i] * g->w[at] * x[j] * s * (1 - s);
            g->dw[at] += dout[i] * s * x[j];
            g->dp[j] += ds * r;
            dr += ds * g->p[j];
        }
        for (size_t j = 0; j < g->width; j++) g->dwr[i * g->width + j] += dr * m[j];
    }
}

static inline twin_grid twin_node_grid(const sg_pair_net *net, const double *v, double *gradient)
{
    return (twin_grid){net->node,   net->node,         net->node,          v + net->w,        v + net->wr,
                       v + net->wp, gradient + net->w, gradient + net->wr, gradient + net->wp};
}

static inline twin_grid twin_rate_grid(const sg_pair_net *net, const double *v, double *gradient)
{
    return (twin_grid){SG_MIXES,    net->rates,        net->node,          v + net->v,        v + net->vr,
                       v + net->vp, gradient + net->v, gradient + net->vr, gradient + net->vp};
}

static inline void twin_pair_embed(const sg_pair_net *net, const double *v, const double *m, double *h)
{
    const twin_grid grid = twin_node_grid(net, v, (double *)(uintptr_t)v);
    if (net->hypernetwork)
        twin_grid_forward(&grid, m, m, h);
    else
        memcpy(h, m, net->node * sizeof *h);
}

/* z, both layers of hidden units before the relu, and the outputs. */
static inline void twin_pair_score(const sg_pair_net *net, const double *v, const twin_pairs *pairs, size_t k,
                                   double *z, double *x1, double *x2, double score[SG_OUTPUTS])
{
    const size_t node = net->node, row = net->rates + net->rest;
    const double *mu = pairs->nodes + pairs->left[k] * node, *mv = pairs->nodes + pairs->right[k] * node;
    const double *c = pairs->between + k * row;
    const twin_grid rates = twin_rate_grid(net, v, (double *)(uintptr_t)v);
    twin_pair_embed(net, v, mu, z);
    twin_pair_embed(net, v, mv, z + node);
    if (net->hypernetwork)
        twin_grid_forward(&rates, mu, c, z + 2 * node);
    else
        memcpy(z + 2 * node, c, net->rates * sizeof *z);
    memcpy(z + net->inputs - net->rest, c + net->rates, net->rest * sizeof *z);
    for (size_t i = 0; i < SG_OUTPUTS; i++) score[i] = v[net->fc3_bias + i];
    for (size_t h = 0; h < net->hidden; h++) {
        x1[h] = v[net->fc1_bias + h];
        for (size_t i = 0; i < net->inputs; i++) x1[h] += z[i] * v[net->fc1 + i * net->hidden + h];
    }
    for (size_t o = 0; o < net->hidden2; o++) {
        x2[o] = v[net->fc2_bias + o];
        for (size_t h = 0; h < net->hidden; h++) x2[o] += fmax(x1[h], 0) * v[net->fc2 + h * net->hidden2 + o];
        for (size_t i = 0; i < SG_OUTPUTS; i++) score[i] += fmax(x2[o], 0) * v[net->fc3 + o * SG_OUTPUTS + i];
    }
}

/* How near to 0 a hidden unit of the batch is. */
static inline double twin_nearest(const sg_pair_net *net, const double *v, const twin_pairs *pairs)
{
    double *z = zeros(net->inputs, 8), *x1 = zeros(net->hidden, 8), *x2 = zeros(net->hidden2, 8), least = 1;
    double score[SG_OUTPUTS];
    for (size_t k = 0; k < pairs->count; k++) {
        twin_pair_score(net, v, pairs, k, z, x1, x2, score);
        for (size_t h = 0; h < net->hidden; h++) least = fmin(least, fabs(x1[h]));
        for (size_t o = 0; o < net->hidden2; o++) least = fmin(least, fabs(x2[o]));
    }
    free(z), free(x1), free(x2);
    return least;
}

/* Loss of a case and its slopes, given the two outputs of its pairs. */
static inline double twin_case(const twin_pairs *pairs, const unsigned char *own, double (*score)[SG_OUTPUTS],
                               double (*slope)[SG_OUTPUTS])
{
    double sum = 0, top = score[0][SG_ORDER], ranking, binary = 0;
    const double negatives = (double)pairs->group - 1;
    for (size_t k = 0; k < pairs->group; k++) top = own[k] || !k ? fmax(top, score[k][SG_ORDER]) : top;
    for (size_t k = 0; k < pairs->group; k++) sum += own[k] || !k ? exp(score[k][SG_ORDER] - top) : 0;
    ranking = log(sum) - (score[0][SG_ORDER] - top);
    for (size_t k = 0; k < pairs->group; k++) {
        const double y = k == 0, weight = k ? 1 / negatives : 1, x = score[k][SG_CHANCE];
        const double share = own[k] || !k ? exp(score[k][SG_ORDER] - top) / sum : 0;
        binary += weight * (fmax(x, 0) - x * y + log1p(exp(-fabs(x))));
        slope[k][SG_ORDER] = (1 - pairs->binary) * (share - y);
        slope[k][SG_CHANCE] = pairs->binary * weight * (sigmoid_of(x) - y);
    }
    return (1 - pairs->binary) * ranking + pairs->binary * binary;
}

/* Adds to gradient what comes of the slopes at the outputs of pair k in a batch of so many cases. */
static inline void twin_pair_back(const sg_pair_net *net, const double *v, const twin_pairs *pairs, size_t k,
                                  const double slope[SG_OUTPUTS], double cases, double *gradient)
{
    const size_t node = net->node, hidden = net->hidden, hidden2 = net->hidden2;
    double *z = zeros(net->inputs, 8), *dz = zeros(net->inputs, 8), *x1 = zeros(hidden, 8), *x2 = zeros(hidden2, 8);
    double *dx1 = zeros(hidden, 8), score[SG_OUTPUTS];
    twin_pair_score(net, v, pairs, k, z, x1, x2, score);
    for (size_t i = 0; i < SG_OUTPUTS; i++) gradient[net->fc3_bias + i] += slope[i] / cases;
    for (size_t o = 0; o < hidden2; o++) {
        double d = 0;
        for (size_t i = 0; i < SG_OUTPUTS; i++) {
            if (x2[o] > 0) d += slope[i] / cases * v[net->fc3 + o * SG_OUTPUTS + i];
            gradient[net->fc3 + o * SG_OUTPUTS + i] += slope[i] / cases * fmax(x2[o], 0);
        }
        gradient[net->fc2_bias + o] += d;
        for (size_t h = 0; h < hidden; h++) {
            gradient[net->fc2 + h * hidden2 + o] += d * fmax(x1[h], 0);
            dx1[h] += d * v[net->fc2 + h * hidden2 + o];
        }
    }
    for (size_t h = 0; h < hidden; h++) {
        if (!(x1[h] > 0)) continue;
        gradient[net->fc1_bias + h] += dx1[h];
        for (size_t i = 0; i < net->inputs; i++) {
            gradient[net->fc1 + i * hidden + h] += dx1[h] * z[i];
            dz[i] += dx1[h] * v[net->fc1 + i * hidden + h];
        }
    }
    if (net->hypernetwork) {
        const double *mu = pairs->nodes + pairs->left[k] * node, *mv = pairs->nodes + pairs->right[k] * node;
        const twin_grid nodes = twin_node_grid(net, v, gradient), rates = twin_rate_grid(net, v, gradient);
        twin_grid_back(&nodes, mu, mu, dz);
        twin_grid_back(&nodes, mv, mv, dz + node);
        twin_grid_back(&rates, mu, pairs->between + k * (net->rates + net->rest), dz + 2 * node);
    }
    free(z), free(dz), free(x1), free(x2), free(dx1);
}

/* Mean loss of a batch, its outputs, and its gradient if gradient is not NULL. */
static inline double twin_pair_gradient(const sg_pair_net *net, const double *v, const twin_pairs *pairs,
                                        double (*score)[SG_OUTPUTS], double *gradient)
{
    double *z = zeros(net->inputs, 8), *x1 = zeros(net->hidden, 8), *x2 = zeros(net->hidden2, 8);
    double(*slope)[SG_OUTPUTS] = zeros(pairs->count, sizeof *slope), loss = 0;
    const double cases = (double)(pairs->count / pairs->group);
    if (gradient) memset(gradient, 0, net->count * sizeof *gradient);
    for (size_t k = 0; k < pairs->count; k++) twin_pair_score(net, v, pairs, k, z, x1, x2, score[k]);
    for (size_t k = 0; k < pairs->count; k += pairs->group)
        loss += twin_case(pairs, pairs->own + k, score + k, slope + k) / cases;
    for (size_t k = 0; gradient && k < pairs->count; k++)
        twin_pair_back(net, v, pairs, k, slope[k], cases, gradient);
    free(z), free(x1), free(x2), free(slope);
    return loss;
}

#endif
