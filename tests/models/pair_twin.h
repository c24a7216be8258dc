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
    const unsigned char *in;
    size_t count, group;
    double binary;
} twin_pairs;

/* What the first layer makes of a node as a source (with the bias) and as a destination. */
static inline void twin_pair_embed(const sg_pair_net *net, const double *v, const double *m, double *h)
{
    for (size_t o = 0; o < net->hidden; o++) {
        h[o] = v[net->fc1_bias + o];
        h[net->hidden + o] = 0;
        for (size_t i = 0; i < net->node; i++) {
            h[o] += m[i] * v[net->fc1 + i * net->hidden + o];
            h[net->hidden + o] += m[i] * v[net->fc1 + (net->node + i) * net->hidden + o];
        }
    }
}

/* -log of the sum over kinds of share * exp(-output): log(p / sum of share q) where the outputs are log(p / q). */
static inline double twin_combine(const double *score, const double *shares)
{
    double sum = 0;
    for (int k = 0; k < SG_OUTPUTS - 1; k++) sum += shares[k] * exp(-score[SG_CHANCE_RANDOM + k]);
    return -log(sum);
}

/* z, both layers of hidden units before the relu, and the outputs. */
static inline void twin_pair_score(const sg_pair_net *net, const double *v, const twin_pairs *pairs, size_t k,
                                   double *z, double *x1, double *x2, double score[SG_OUTPUTS])
{
    const size_t node = net->node;
    memcpy(z, pairs->nodes + pairs->left[k] * node, node * sizeof *z);
    memcpy(z + node, pairs->nodes + pairs->right[k] * node, node * sizeof *z);
    memcpy(z + 2 * node, pairs->between + k * net->between, net->between * sizeof *z);
    for (size_t i = 0; i < SG_OUTPUTS; i++) score[i] = v[net->fc3_bias + i];
    for (size_t i = 0; i < net->between * SG_OUTPUTS; i++)
        score[i % SG_OUTPUTS] += z[2 * node + i / SG_OUTPUTS] * v[net->direct + i];
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

/* Whether pair k of a case is part of the loss of this output: the positive is part of all that have a negative. */
static inline int twin_is_in(const unsigned char *in, size_t k, int output)
{
    return k == 0 || (in[k] >> output & 1);
}

/* The cross entropy of the positive plus the mean of those of the negatives; nothing without negatives. */
static inline double twin_binary(const twin_pairs *pairs, const unsigned char *in, int output,
                                 double (*score)[SG_OUTPUTS], double (*slope)[SG_OUTPUTS])
{
    double loss = 0, negatives = 0;
    for (size_t k = 1; k < pairs->group; k++) negatives += twin_is_in(in, k, output);
    for (size_t k = 0; k < pairs->group; k++) {
        const double y = k == 0, x = score[k][output], counts = twin_is_in(in, k, output) && negatives > 0;
        const double weight = counts * (k ? 1 / fmax(negatives, 1) : 1) * pairs->binary / 2;
        if (counts > 0) loss += weight * (fmax(x, 0) - x * y + log1p(exp(-fabs(x))));
        slope[k][output] = counts > 0 ? weight * (sigmoid_of(x) - y) : 0;
    }
    return loss;
}

/* Loss of a case and its slopes, given the outputs of its pairs. */
static inline double twin_case(const twin_pairs *pairs, const unsigned char *in, double (*score)[SG_OUTPUTS],
                               double (*slope)[SG_OUTPUTS])
{
    double sum = 0, top = score[0][SG_ORDER];
    for (size_t k = 0; k < pairs->group; k++)
        if (twin_is_in(in, k, SG_ORDER)) top = fmax(top, score[k][SG_ORDER]);
    for (size_t k = 0; k < pairs->group; k++)
        if (twin_is_in(in, k, SG_ORDER)) sum += exp(score[k][SG_ORDER] - top);
    for (size_t k = 0; k < pairs->group; k++) {
        const double share = twin_is_in(in, k, SG_ORDER) ? exp(score[k][SG_ORDER] - top) / sum : 0;
        slope[k][SG_ORDER] = (1 - pairs->binary) * (share - (k == 0));
    }
    double loss = (1 - pairs->binary) * (log(sum) - (score[0][SG_ORDER] - top));
    for (int o = SG_CHANCE_RANDOM; o < SG_OUTPUTS; o++) loss += twin_binary(pairs, in, o, score, slope);
    return loss;
}

/* Adds to gradient what comes of the slopes at the outputs of pair k in a batch of so many cases. */
static inline void twin_pair_back(const sg_pair_net *net, const double *v, const twin_pairs *pairs, size_t k,
                                  const double slope[SG_OUTPUTS], double cases, double *gradient)
{
    const size_t hidden = net->hidden, hidden2 = net->hidden2;
    double *z = zeros(net->inputs, 8), *x1 = zeros(hidden, 8), *x2 = zeros(hidden2, 8);
    double *dx1 = zeros(hidden, 8), score[SG_OUTPUTS];
    twin_pair_score(net, v, pairs, k, z, x1, x2, score);
    for (size_t i = 0; i < SG_OUTPUTS; i++) gradient[net->fc3_bias + i] += slope[i] / cases;
    for (size_t i = 0; i < net->between * SG_OUTPUTS; i++)
        gradient[net->direct + i] += slope[i % SG_OUTPUTS] / cases * z[2 * net->node + i / SG_OUTPUTS];
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
        for (size_t i = 0; i < net->inputs; i++) gradient[net->fc1 + i * hidden + h] += dx1[h] * z[i];
    }
    free(z), free(x1), free(x2), free(dx1);
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
        loss += twin_case(pairs, pairs->in + k, score + k, slope + k) / cases;
    for (size_t k = 0; gradient && k < pairs->count; k++)
        twin_pair_back(net, v, pairs, k, slope[k], cases, gradient);
    free(z), free(x1), free(x2), free(slope);
    return loss;
}

#endif
