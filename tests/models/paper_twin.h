/*
 * The twin of the paper's net: the formulas of the method in double precision, one node and one pair at a time, with nothing
 * clever. Learned numbers lie as in sg_net.
 */
#ifndef TESTS_MODELS_PAPER_TWIN_H
#define TESTS_MODELS_PAPER_TWIN_H

#include "base/rng.h"
#include "evaluate/evaluate.h"
#include "models/scadyg_paper/net.h"
#include "numbers.h"

#include <string.h>

static inline double twin_sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static inline double *twin_zeros(size_t count)
{
    double *x = calloc(count ? count : 1, sizeof *x);
    assert_non_null(x);
    return x;
}

/* h[d] of a message m[d]. */
static inline void twin_embed(const sg_net *net, const double *values, const double *m, double *h)
{
    const size_t d = net->width;
    const double *w = values + net->w, *wr = values + net->wr, *p = values + net->wp;
    for (size_t i = 0; i < d; i++) {
        double r = 0;
        h[i] = m[i];
        if (!net->hypernetwork) continue;
        for (size_t j = 0; j < d; j++) r += wr[i * d + j] * m[j];
        h[i] = 0;
        for (size_t j = 0; j < d; j++) h[i] += twin_sigmoid(r * p[j]) * w[i * d + j] * m[j];
    }
}

/* Adds to gradient[count] what comes of dh[d]; dm[d] (may be NULL) is the gradient of the message. */
static inline void twin_embed_back(const sg_net *net, const double *values, const double *m, const double *dh,
                                   double *gradient, double *dm)
{
    const size_t d = net->width;
    const double *w = values + net->w, *wr = values + net->wr, *p = values + net->wp;
    for (size_t j = 0; dm && j < d; j++) dm[j] = net->hypernetwork ? 0 : dh[j];
    if (!net->hypernetwork) return;
    for (size_t i = 0; i < d; i++) {
        double r = 0, dr = 0;
        for (size_t j = 0; j < d; j++) r += wr[i * d + j] * m[j];
        for (size_t j = 0; j < d; j++) {
            const double s = twin_sigmoid(r * p[j]), ds = dh[i] * w[i * d + j] * m[j] * s * (1 - s);
            gradient[net->w + i * d + j] += dh[i] * s * m[j];
            gradient[net->wp + j] += ds * r;
            dr += ds * p[j];
            if (dm) dm[j] += dh[i] * s * w[i * d + j];
        }
        for (size_t j = 0; j < d; j++) {
            gradient[net->wr + i * d + j] += dr * m[j];
            if (dm) dm[j] += dr * wr[i * d + j];
        }
    }
}

static inline size_t twin_inputs(const sg_net *net)
{
    return net->task == SG_TASK_LINK ? 2 * net->width : net->width;
}

/* Hidden units x[hidden] before the relu, and logits[outputs], of an input z. */
static inline void twin_head(const sg_net *net, const double *values, const double *z, double *x, double *logits)
{
    const size_t hidden = net->hidden, outputs = net->outputs;
    for (size_t h = 0; h < hidden; h++) {
        x[h] = values[net->fc1_bias + h];
        for (size_t k = 0; k < twin_inputs(net); k++) x[h] += z[k] * values[net->fc1 + k * hidden + h];
    }
    for (size_t o = 0; o < outputs; o++) {
        logits[o] = values[net->fc2_bias + o];
        for (size_t h = 0; h < hidden; h++) logits[o] += fmax(x[h], 0) * values[net->fc2 + h * outputs + o];
    }
}

/* Adds to gradient what comes of slope[outputs] at the logits; dz is the gradient of z. */
static inline void twin_head_back(const sg_net *net, const double *values, const double *z, const double *x,
                                  const double *slope, double *gradient, double *dz)
{
    const size_t hidden = net->hidden, outputs = net->outputs;
    memset(dz, 0, twin_inputs(net) * sizeof *dz);
    for (size_t o = 0; o < outputs; o++) gradient[net->fc2_bias + o] += slope[o];
    for (size_t h = 0; h < hidden; h++) {
        double dx = 0;
        for (size_t o = 0; o < outputs; o++) {
            gradient[net->fc2 + h * outputs + o] += slope[o] * fmax(x[h], 0);
            dx += slope[o] * values[net->fc2 + h * outputs + o];
        }
        if (!(x[h] > 0)) continue;
        gradient[net->fc1_bias + h] += dx;
        for (size_t k = 0; k < twin_inputs(net); k++) {
            gradient[net->fc1 + k * hidden + h] += dx * z[k];
            dz[k] += dx * values[net->fc1 + k * hidden + h];
        }
    }
}

/* A batch of either task. */
typedef struct twin_batch {
    const double *rows;
    const uint32_t *left, *right;
    const float *label;
    const size_t *first;
    const uint32_t *class_of;
    const float *weight;
    size_t count;
} twin_batch;

/* Loss of case k and its slope at the logits. */
static inline double twin_loss(const sg_net *net, const twin_batch *batch, size_t k, const double *logits,
                               double *slope)
{
    if (net->task == SG_TASK_LINK) {
        const double y = (double)batch->label[k], x = logits[0];
        slope[0] = twin_sigmoid(x) - y;
        return fmax(x, 0) - x * y + log1p(exp(-fabs(x)));
    }
    double top = -INFINITY, sum = 0, loss = 0, total = 0; /* of weights: 1, but for rounding */
    for (size_t o = 0; o < net->outputs; o++) top = fmax(top, logits[o]);
    for (size_t o = 0; o < net->outputs; o++) sum += exp(logits[o] - top);
    for (size_t e = batch->first[k]; e < batch->first[k + 1]; e++) total += (double)batch->weight[e];
    for (size_t o = 0; o < net->outputs; o++) slope[o] = total * exp(logits[o] - top) / sum;
    for (size_t e = batch->first[k]; e < batch->first[k + 1]; e++) {
        loss += (double)batch->weight[e] * (top + log(sum) - logits[batch->class_of[e]]);
        slope[batch->class_of[e]] -= (double)batch->weight[e];
    }
    return loss;
}

/* Mean loss of a batch; its gradient if gradient is not NULL. */
static inline double twin_gradient(const sg_net *net, const double *values, const twin_batch *batch,
                                   double *gradient)
{
    const size_t d = net->width, inputs = twin_inputs(net);
    double *z = twin_zeros(inputs), *dz = twin_zeros(inputs), *x = twin_zeros(net->hidden), loss = 0;
    double *logits = twin_zeros(net->outputs), *slope = twin_zeros(net->outputs);
    if (gradient) memset(gradient, 0, net->count * sizeof *gradient);
    for (size_t k = 0; k < batch->count; k++) {
        const double *left = batch->rows + batch->left[k] * d, *right = NULL;
        if (net->task == SG_TASK_LINK) right = batch->rows + batch->right[k] * d;
        twin_embed(net, values, left, z);
        if (right) twin_embed(net, values, right, z + d);
        twin_head(net, values, z, x, logits);
        loss += twin_loss(net, batch, k, logits, slope) / (double)batch->count;
        if (!gradient) continue;
        for (size_t o = 0; o < net->outputs; o++) slope[o] /= (double)batch->count;
        twin_head_back(net, values, z, x, slope, gradient, dz);
        twin_embed_back(net, values, left, dz, gradient, NULL);
        if (right) twin_embed_back(net, values, right, dz + d, gradient, NULL);
    }
    free(z), free(dz), free(x), free(logits), free(slope);
    return loss;
}

/* ---- Random batches ---- */

typedef struct random_batch {
    sg_net net;
    twin_batch twin; /* rows and values as doubles that are floats */
    float *values, *rows;
    double *values_double;
    size_t nodes;
    void *memory[9];
} random_batch;

static inline void *random_memory(random_batch *batch, size_t slot, size_t bytes)
{
    return batch->memory[slot] = calloc(1, bytes ? bytes : 1);
}

static inline void random_labels(random_batch *batch, sg_rng *rng, size_t count)
{
    float *label = random_memory(batch, 5, count * sizeof *label);
    size_t *first = random_memory(batch, 6, (count + 1) * sizeof *first);
    uint32_t *class_of = random_memory(batch, 7, 5 * count * sizeof *class_of);
    float *weight = random_memory(batch, 8, 5 * count * sizeof *weight);
    for (size_t k = 0; k < count; k++) {
        const size_t entries = 1 + sg_rng_below(rng, 5);
        float total = 0;
        label[k] = (float)sg_rng_below(rng, 2);
        first[k + 1] = first[k] + entries;
        for (size_t e = first[k]; e < first[k + 1]; e++) {
            class_of[e] = (uint32_t)sg_rng_below(rng, batch->net.outputs);
            total += weight[e] = (float)(0.1 + sg_rng_unit(rng));
        }
        for (size_t e = first[k]; e < first[k + 1]; e++) weight[e] /= total;
    }
    batch->twin.label = label, batch->twin.first = first, batch->twin.class_of = class_of;
    batch->twin.weight = weight;
}

/* A batch over `nodes` rows of normal numbers; a net with first values from the same seed. */
static inline random_batch random_make(const sg_net *net, size_t nodes, size_t count, uint64_t seed)
{
    random_batch batch = {.net = *net, .nodes = nodes};
    const size_t d = net->width;
    sg_rng rng;
    sg_rng_seed(&rng, seed, 7);
    batch.values = random_memory(&batch, 0, net->count * sizeof *batch.values);
    batch.values_double = random_memory(&batch, 1, net->count * sizeof *batch.values_double);
    batch.rows = random_memory(&batch, 2, nodes * d * sizeof *batch.rows);
    double *rows = random_memory(&batch, 3, nodes * d * sizeof *rows);
    uint32_t *left = random_memory(&batch, 4, 2 * count * sizeof *left);
    for (size_t i = 0; i < 5; i++) assert_non_null(batch.memory[i]);
    sg_net_init(net, seed, batch.values);
    for (size_t i = 0; i < net->count; i++) batch.values_double[i] = (double)batch.values[i];
    for (size_t i = 0; i < nodes * d; i++) rows[i] = (double)(batch.rows[i] = (float)sg_rng_normal(&rng));
    for (size_t i = 0; i < 2 * count; i++) left[i] = (uint32_t)sg_rng_below(&rng, nodes);
    random_labels(&batch, &rng, count);
    batch.twin.rows = rows, batch.twin.count = count;
    batch.twin.left = left, batch.twin.right = left + count;
    return batch;
}

static inline void random_free(random_batch *batch)
{
    for (size_t i = 0; i < 9; i++) free(batch->memory[i]);
}

/* The fast gradient of either task. */
static inline double fast_gradient(sg_workspace *workspace, const random_batch *batch, float *gradient)
{
    const twin_batch *b = &batch->twin;
    if (batch->net.task == SG_TASK_LINK)
        return sg_link_gradient(workspace, batch->values, batch->rows, b->left, b->right, b->label, b->count,
                                gradient);
    return sg_affinity_gradient(workspace, batch->values, batch->rows, b->left, b->first, b->class_of, b->weight,
                                b->count, gradient);
}

#endif
