/* Affinity: logits = fc2 relu(fc1 h) for nodes, softmax cross entropy with soft labels, and the gradient. */
#include "model/bench.h"
#include "model/blas.h"

#include <string.h>

/* The labels of a batch, as in sg_affinity_gradient. */
typedef struct labels {
    const size_t *first;
    const uint32_t *class_of;
    const float *weight;
} labels;

/* Sum of the cross entropies; bench->logit becomes their slope, divided by the number of cases. */
static double soft_cross_entropy(sg_bench *bench, const labels *of)
{
    const size_t lanes = bench->lanes, count = bench->count, classes = bench->net.outputs;
    const float share = 1 / (float)count;
    float *x = bench->logit;
    double loss = 0;
    for (size_t k = 0; k < count; k++)
        for (size_t e = of->first[k]; e < of->first[k + 1]; e++)
            loss -= (double)of->weight[e] * (double)x[of->class_of[e] * lanes + k];
    bench->kernels->softmax(classes, lanes, x, bench->log_sum);
    for (size_t c = 0; c < classes; c++)
        for (size_t k = 0; k < lanes; k++) x[c * lanes + k] = k < count ? x[c * lanes + k] * share : 0;
    for (size_t k = 0; k < count; k++)
        for (size_t e = of->first[k]; e < of->first[k + 1]; e++) {
            loss += (double)of->weight[e] * (double)bench->log_sum[k];
            x[of->class_of[e] * lanes + k] -= of->weight[e] * share;
        }
    return loss;
}

double sg_affinity_gradient(sg_bench *bench, const float *values, const float *rows, const uint32_t *row,
                            const size_t *first, const uint32_t *class_of, const float *weight, size_t count,
                            float *gradient)
{
    const sg_net *net = &bench->net;
    const sg_kernels *kernels = bench->kernels;
    const size_t hidden = net->hidden, inputs = bench->inputs, classes = net->outputs, lanes = SG_LANES(count);
    const float *fc1 = values + net->fc1, *fc2 = values + net->fc2;
    if (!count) {
        memset(gradient, 0, net->count * sizeof *gradient);
        return 0;
    }
    const float *z = sg_bench_forward(bench, values, rows, row, NULL, count);
    sg_mix(kernels, hidden, inputs, lanes, (sg_weights){fc1, hidden, 1}, values + net->fc1_bias, z, bench->x);
    kernels->relu(hidden * lanes, bench->x);
    sg_mix(kernels, classes, hidden, lanes, (sg_weights){fc2, classes, 1}, values + net->fc2_bias, bench->x,
           bench->logit);
    const double loss = soft_cross_entropy(bench, &(labels){first, class_of, weight}) / (double)count;

    sg_outer(kernels, hidden, classes, lanes, bench->x, bench->logit, gradient + net->fc2);
    kernels->sums(classes, lanes, bench->logit, gradient + net->fc2_bias);
    sg_mix(kernels, hidden, classes, lanes, (sg_weights){fc2, 1, classes}, NULL, bench->logit, bench->dx);
    kernels->relu_back(hidden * lanes, bench->x, bench->dx);
    sg_outer(kernels, inputs, hidden, lanes, z, bench->dx, gradient + net->fc1);
    kernels->sums(hidden, lanes, bench->dx, gradient + net->fc1_bias);
    if (net->hypernetwork) {
        sg_mix(kernels, inputs, hidden, lanes, (sg_weights){fc1, 1, hidden}, NULL, bench->dx,
               bench->dz ? bench->dz : bench->dh);
        sg_bench_backward(bench, gradient);
    }
    return loss;
}
