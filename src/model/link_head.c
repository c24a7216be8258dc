/*
 * Links: logit = fc2 relu(fc1 [h_u || h_v]) for pairs, binary cross entropy, and the gradient.
 *
 * With slope g_i of the loss at the logit of pair i and gates Q[h][i] = g_i where hidden unit h is open, else 0,
 * everything follows from the products G = z Q^T [inputs][hidden] and b = sums of Q [hidden]:
 *
 *   d fc1[k][h] = fc2[h] G[k][h]     d fc1.bias[h] = fc2[h] b[h]
 *   d fc2[h] = sum over i of x[h][i] Q[h][i] = fc1.bias[h] b[h] + sum over k of fc1[k][h] G[k][h]
 *   d z = (fc1 fc2) Q
 */
#include "model/workspace.h"
#include "model/blas.h"

#include <string.h>

/* From G and b, standing in gradient fc1 and in workspace->sums, to the gradients of the head. */
static void finish(const sg_workspace *workspace, const float *values, float *gradient)
{
    const sg_net *net = &workspace->net;
    const size_t hidden = net->hidden;
    const float *fc1 = values + net->fc1, *bias = values + net->fc1_bias, *fc2 = values + net->fc2;
    float *d1 = gradient + net->fc1, *d1_bias = gradient + net->fc1_bias, *d2 = gradient + net->fc2;
    for (size_t h = 0; h < hidden; h++) {
        d1_bias[h] = fc2[h] * workspace->sums[h];
        d2[h] = bias[h] * workspace->sums[h];
    }
    for (size_t k = 0; k < workspace->inputs; k++, fc1 += hidden, d1 += hidden)
        for (size_t h = 0; h < hidden; h++) {
            d2[h] += fc1[h] * d1[h];
            d1[h] *= fc2[h];
        }
}

double sg_link_gradient(sg_workspace *workspace, const float *values, const float *rows, const uint32_t *left,
                        const uint32_t *right, const float *label, size_t count, float *gradient)
{
    const sg_net *net = &workspace->net;
    const sg_kernels *kernels = workspace->kernels;
    const size_t hidden = net->hidden, inputs = workspace->inputs, lanes = SG_LANES(count);
    const float *fc1 = values + net->fc1, *fc2 = values + net->fc2;
    if (!count) {
        memset(gradient, 0, net->count * sizeof *gradient);
        return 0;
    }
    const float *z = sg_workspace_forward(workspace, values, rows, left, right, count);
    sg_gemm_lanes(kernels, hidden, inputs, lanes, (sg_weights){fc1, hidden, 1}, values + net->fc1_bias, z,
                  workspace->x);
    kernels->relu_dot(hidden, lanes, workspace->x, fc2, values[net->fc2_bias], workspace->logit);
    const double loss = kernels->cross_entropy(count, workspace->logit, label, workspace->slope) / (double)count;

    kernels->gate(hidden, lanes, workspace->slope, workspace->x, workspace->sums);
    kernels->sums(1, lanes, workspace->slope, gradient + net->fc2_bias);
    sg_gemm_outer(kernels, inputs, hidden, lanes, z, workspace->x, gradient + net->fc1);
    finish(workspace, values, gradient);
    if (net->hypernetwork) {
        for (size_t k = 0; k < inputs; k++)
            for (size_t h = 0; h < hidden; h++) workspace->scaled[k * hidden + h] = fc1[k * hidden + h] * fc2[h];
        sg_gemm_lanes(kernels, inputs, hidden, lanes, (sg_weights){workspace->scaled, 1, hidden}, NULL,
                      workspace->x, workspace->dz ? workspace->dz : workspace->dh);
        sg_workspace_backward(workspace, gradient);
    }
    return loss;
}
