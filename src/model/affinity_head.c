/* Affinity: logits = fc2 relu(fc1 h) for nodes, softmax cross entropy with soft labels, and the gradient. */
#include "model/workspace.h"
#include "model/blas.h"

#include <string.h>

/* The labels of a batch, as in sg_affinity_gradient. */
typedef struct labels {
    const size_t *first;
    const uint32_t *class_of;
    const float *weight;
} labels;

/* Sum of the cross entropies; workspace->logit becomes their slope, divided by the number of cases. */
static double soft_cross_entropy(sg_workspace *workspace, const labels *of)
{
    const size_t lanes = workspace->lanes, count = workspace->count, classes = workspace->net.outputs;
    const float share = 1 / (float)count;
    float *x = workspace->logit;
    double loss = 0;
    for (size_t k = 0; k < count; k++)
        for (size_t e = of->first[k]; e < of->first[k + 1]; e++)
            loss -= (double)of->weight[e] * (double)x[of->class_of[e] * lanes + k];
    workspace->kernels->softmax(classes, lanes, x, workspace->log_sum);
    for (size_t c = 0; c < classes; c++)
        for (size_t k = 0; k < lanes; k++) x[c * lanes + k] = k < count ? x[c * lanes + k] * share : 0;
    for (size_t k = 0; k < count; k++)
        for (size_t e = of->first[k]; e < of->first[k + 1]; e++) {
            loss += (double)of->weight[e] * (double)workspace->log_sum[k];
            x[of->class_of[e] * lanes + k] -= of->weight[e] * share;
        }
    return loss;
}

double sg_affinity_gradient(sg_workspace *workspace, const float *values, const float *rows, const uint32_t *row,
                            const size_t *first, const uint32_t *class_of, const float *weight, size_t count,
                            float *gradient)
{
    const sg_net *net = &workspace->net;
    const sg_kernels *kernels = workspace->kernels;
    const size_t hidden = net->hidden, inputs = workspace->inputs, classes = net->outputs, lanes = SG_LANES(count);
    const float *fc1 = values + net->fc1, *fc2 = values + net->fc2;
    if (!count) {
        memset(gradient, 0, net->count * sizeof *gradient);
        return 0;
    }
    const float *z = sg_workspace_forward(workspace, values, rows, row, NULL, count);
    sg_gemm_lanes(kernels, hidden, inputs, lanes, (sg_weights){fc1, hidden, 1}, values + net->fc1_bias, z,
                  workspace->x);
    kernels->relu(hidden * lanes, workspace->x);
    sg_gemm_lanes(kernels, classes, hidden, lanes, (sg_weights){fc2, classes, 1}, values + net->fc2_bias,
                  workspace->x, workspace->logit);
    const double loss = soft_cross_entropy(workspace, &(labels){first, class_of, weight}) / (double)count;

    sg_gemm_outer(kernels, hidden, classes, lanes, workspace->x, workspace->logit, gradient + net->fc2);
    kernels->sums(classes, lanes, workspace->logit, gradient + net->fc2_bias);
    sg_gemm_lanes(kernels, hidden, classes, lanes, (sg_weights){fc2, 1, classes}, NULL, workspace->logit,
                  workspace->dx);
    kernels->relu_back(hidden * lanes, workspace->x, workspace->dx);
    sg_gemm_outer(kernels, inputs, hidden, lanes, z, workspace->dx, gradient + net->fc1);
    kernels->sums(hidden, lanes, workspace->dx, gradient + net->fc1_bias);
    if (net->hypernetwork) {
        sg_gemm_lanes(kernels, inputs, hidden, lanes, (sg_weights){fc1, 1, hidden}, NULL, workspace->dx,
                      workspace->dz ? workspace->dz : workspace->dh);
        sg_workspace_backward(workspace, gradient);
    }
    return loss;
}
