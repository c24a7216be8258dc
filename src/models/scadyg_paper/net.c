/* The net: where its groups of learned numbers lie, and their first values. */
#include "models/scadyg_paper/net.h"

#include "base/memory.h"
#include "base/rng.h"
#include "models/options.h"
#include "nn/gemm.h"

#include <math.h>
#include <string.h>

void sg_net_make(sg_net *net, int task, int hypernetwork, size_t width, size_t hidden, size_t outputs)
{
    const size_t inputs = task == SG_TASK_LINK ? 2 * width : width, square = hypernetwork ? width * width : 0;
    memset(net, 0, sizeof *net);
    net->task = task;
    net->hypernetwork = hypernetwork != 0;
    net->width = width;
    net->hidden = hidden;
    net->outputs = outputs;
    net->w = 0;
    net->wr = net->w + square;
    net->wp = net->wr + square;
    net->fc1 = net->wp + (hypernetwork ? width : 0);
    net->fc1_bias = net->fc1 + inputs * hidden;
    net->fc2 = net->fc1_bias + hidden;
    net->fc2_bias = net->fc2 + hidden * outputs;
    net->count = net->fc2_bias + outputs;
}

const char *sg_net_group(const sg_net *net, size_t i, size_t *begin, size_t *rows, size_t *columns)
{
    const size_t d = net->width, inputs = net->task == SG_TASK_LINK ? 2 * d : d;
    const struct {
        const char *name;
        size_t begin, rows, columns;
    } groups[] = {
        {"W", net->w, d, d},
        {"Wr", net->wr, d, d},
        {"Wp", net->wp, 1, d},
        {"fc1.weight", net->fc1, inputs, net->hidden},
        {"fc1.bias", net->fc1_bias, 1, net->hidden},
        {"fc2.weight", net->fc2, net->hidden, net->outputs},
        {"fc2.bias", net->fc2_bias, 1, net->outputs},
    };
    if (!net->hypernetwork) i += 3;
    if (i >= sizeof groups / sizeof *groups) return NULL;
    *begin = groups[i].begin;
    *rows = groups[i].rows;
    *columns = groups[i].columns;
    return groups[i].name;
}

void sg_net_init(const sg_net *net, uint64_t seed, float *values)
{
    for (size_t i = 0; i < net->count; i++) {
        size_t inputs = net->width;
        if (i >= net->fc1) inputs = net->task == SG_TASK_LINK ? 2 * net->width : net->width;
        if (i >= net->fc2) inputs = net->hidden;
        const double u = sg_unit(sg_hash3(seed, 0, i));
        values[i] = (float)((2 * u - 1) / sqrt((double)inputs));
    }
}

/* ---- The workspace: scratch memory for a batch of learning ---- */

static size_t round_up(size_t x, size_t unit)
{
    return (x + unit - 1) / unit * unit;
}

/* Sets *at to the next `count` floats of the block, or only counts them while there is no block. */
static void take_floats(sg_workspace *workspace, size_t *used, float **at, size_t count)
{
    *at = workspace->block ? workspace->block + *used : NULL;
    *used += round_up(count, 16);
}

static size_t lay_out(sg_workspace *workspace)
{
    const sg_net *net = &workspace->net;
    const size_t d = net->width, lanes = SG_LANES(workspace->batch), hidden = net->hidden;
    const size_t nodes = round_up(workspace->sides * lanes, SG_PIECE), pieces = nodes / SG_PIECE;
    const size_t parts = d > SG_NARROW ? pieces : workspace->sides;
    size_t used = 0;
    take_floats(workspace, &used, &workspace->m, nodes * d);
    if (net->hypernetwork) {
        take_floats(workspace, &used, &workspace->r, nodes * d);
        take_floats(workspace, &used, &workspace->h, nodes * d);
        take_floats(workspace, &used, &workspace->dh, nodes * d);
        take_floats(workspace, &used, &workspace->dr, nodes * d);
        take_floats(workspace, &used, &workspace->part, parts * (2 * d * d + d));
        if (d <= SG_NARROW) take_floats(workspace, &used, &workspace->s, nodes * d * d);
        if (d >= SG_DISTINCT_FROM) take_floats(workspace, &used, &workspace->z, workspace->inputs * lanes);
        if (d >= SG_DISTINCT_FROM) take_floats(workspace, &used, &workspace->dz, workspace->inputs * lanes);
    }
    take_floats(workspace, &used, &workspace->x, hidden * lanes);
    take_floats(workspace, &used, &workspace->logit, net->outputs * lanes);
    take_floats(workspace, &used, &workspace->slope, lanes);
    take_floats(workspace, &used, &workspace->log_sum, lanes);
    take_floats(workspace, &used, &workspace->sums, hidden);
    if (net->task == SG_TASK_LINK)
        take_floats(workspace, &used, &workspace->scaled, workspace->inputs * hidden);
    else
        take_floats(workspace, &used, &workspace->dx, hidden * lanes);
    return used;
}

int sg_workspace_open(scadyg_context *context, const sg_net *net, size_t batch, sg_workspace **result,
                      scadyg_error *error)
{
    *result = NULL;
    sg_workspace *workspace = sg_alloc_zero(1, sizeof *workspace);
    if (!workspace) return sg_fail_memory(error, "a batch");
    workspace->net = *net;
    workspace->kernels = sg_kernels_best();
    workspace->batch = batch ? batch : 1;
    workspace->context = context;
    workspace->sides = net->task == SG_TASK_LINK ? 2 : 1;
    workspace->inputs = workspace->sides * net->width;
    const size_t ends = workspace->sides * workspace->batch;
    size_t table = 16;
    while (table < 2 * ends) table *= 2;
    workspace->key = sg_hash_key_draw();
    workspace->table_mask = table - 1;
    workspace->table = sg_alloc(table, sizeof *workspace->table);
    workspace->row_at = sg_alloc(ends, sizeof *workspace->row_at);
    workspace->place = sg_alloc(ends, sizeof *workspace->place);
    workspace->block = sg_alloc_aligned(lay_out(workspace), sizeof *workspace->block);
    if (!workspace->table || !workspace->row_at || !workspace->place || !workspace->block) {
        sg_workspace_close(workspace);
        return sg_fail_memory(error, "a batch");
    }
    lay_out(workspace);
    const size_t widest = workspace->inputs > net->outputs ? workspace->inputs : net->outputs;
    int status = sg_gemm_ready(net->hidden, widest, SG_LANES(workspace->batch), error);
    if (status)
        sg_workspace_close(workspace);
    else
        *result = workspace;
    return status;
}

void sg_workspace_close(sg_workspace *workspace)
{
    if (!workspace) return;
    SG_FREE(workspace->table, workspace->row_at, workspace->place, workspace->block, workspace);
}

/* ---- The hypernetwork over a batch: h_i = sum over j of sigmoid(r_i p_j) W_ij m_j with r = Wr m ---- */

static sg_grid grid_of(const sg_workspace *workspace, size_t i)
{
    const size_t d = workspace->net.width, size = d * workspace->piece;
    float *part = workspace->part + i * (2 * d * d + d);
    return (sg_grid){.width = d,
                     .lanes = workspace->piece,
                     .w = workspace->values + workspace->net.w,
                     .p = workspace->values + workspace->net.wp,
                     .m = workspace->m + i * size,
                     .r = workspace->r + i * size,
                     .h = workspace->h + i * size,
                     .s = workspace->s ? workspace->s + i * d * size : NULL,
                     .dh = workspace->dh + i * size,
                     .dr = workspace->dr + i * size,
                     .dw = part,
                     .dp = part + 2 * d * d};
}

static void piece_forward(void *data, size_t worker, size_t i)
{
    (void)worker;
    sg_workspace *workspace = data;
    const size_t d = workspace->net.width;
    const sg_grid grid = grid_of(workspace, i);
    if (workspace->z) {
        const size_t begin = i * workspace->piece, left = workspace->nodes - begin;
        workspace->kernels->gather(d, workspace->rows, workspace->row_at + begin,
                                   left < workspace->piece ? left : workspace->piece, workspace->piece,
                                   workspace->m + begin * d);
    }
    workspace->kernels->mix(d, d, workspace->piece, (sg_weights){workspace->values + workspace->net.wr, 1, d}, NULL,
                            grid.m, workspace->r + i * d * workspace->piece);
    workspace->kernels->grid_forward(&grid);
}

static void piece_backward(void *data, size_t worker, size_t i)
{
    (void)worker;
    sg_workspace *workspace = data;
    const size_t d = workspace->net.width;
    const sg_grid grid = grid_of(workspace, i);
    workspace->kernels->grid_backward(&grid);
    workspace->kernels->outer(d, d, workspace->piece, grid.dr, grid.m, grid.dw + d * d);
}

/* The distinct rows of the batch, numbered in the order of their first appearance. */
static void find_distinct(sg_workspace *workspace)
{
    memset(workspace->table, 0, (workspace->table_mask + 1) * sizeof *workspace->table);
    workspace->nodes = 0;
    for (size_t side = 0; side < workspace->sides; side++)
        for (size_t k = 0; k < workspace->count; k++) {
            const uint32_t row = workspace->index[side][k];
            size_t at = (size_t)sg_hash_number(&workspace->key, row) & workspace->table_mask;
            while (workspace->table[at] && workspace->row_at[workspace->table[at] - 1] != row)
                at = (at + 1) & workspace->table_mask;
            if (!workspace->table[at]) {
                workspace->row_at[workspace->nodes] = row;
                workspace->table[at] = (uint32_t)++workspace->nodes;
            }
            workspace->place[side * workspace->count + k] = workspace->table[at] - 1;
        }
}

/* Where the first number of a place is in matrices [pieces][d][piece]. */
static size_t begin_of(const sg_workspace *workspace, uint32_t place)
{
    return place / workspace->piece * workspace->piece * workspace->net.width + place % workspace->piece;
}

static void spread(sg_workspace *workspace)
{
    const size_t d = workspace->net.width;
    for (size_t side = 0; side < workspace->sides; side++) {
        float *z = workspace->z + side * d * workspace->lanes;
        for (size_t k = 0; k < workspace->count; k++) {
            const float *h = workspace->h + begin_of(workspace, workspace->place[side * workspace->count + k]);
            for (size_t j = 0; j < d; j++) z[j * workspace->lanes + k] = h[j * workspace->piece];
        }
        for (size_t j = 0; j < d; j++)
            for (size_t k = workspace->count; k < workspace->lanes; k++) z[j * workspace->lanes + k] = 0;
    }
}

static void gather_back(sg_workspace *workspace)
{
    const size_t d = workspace->net.width;
    memset(workspace->dh, 0, workspace->pieces * workspace->piece * d * sizeof *workspace->dh);
    for (size_t side = 0; side < workspace->sides; side++) {
        const float *dz = workspace->dz + side * d * workspace->lanes;
        for (size_t k = 0; k < workspace->count; k++) {
            float *dh = workspace->dh + begin_of(workspace, workspace->place[side * workspace->count + k]);
            for (size_t j = 0; j < d; j++) dh[j * workspace->piece] += dz[j * workspace->lanes + k];
        }
    }
}

/* A batch of a narrow net takes microseconds. */
static scadyg_context *context_of(const sg_workspace *workspace)
{
    return workspace->net.width > SG_NARROW ? workspace->context : NULL;
}

const float *sg_workspace_forward(sg_workspace *workspace, const float *values, const float *rows,
                                  const uint32_t *first, const uint32_t *second, size_t count)
{
    const size_t d = workspace->net.width;
    workspace->values = values;
    workspace->rows = rows;
    workspace->index[0] = first;
    workspace->index[1] = second;
    workspace->count = count;
    workspace->lanes = SG_LANES(count);
    if (!workspace->z) {
        workspace->piece = workspace->lanes;
        workspace->pieces = workspace->sides;
        for (size_t side = 0; side < workspace->sides; side++)
            workspace->kernels->gather(d, rows, workspace->index[side], count, workspace->lanes,
                                       workspace->m + side * d * workspace->lanes);
        if (!workspace->net.hypernetwork) return workspace->m;
    } else {
        find_distinct(workspace);
        workspace->piece = d > SG_NARROW ? SG_PIECE : SG_LANES(workspace->nodes);
        workspace->pieces = (workspace->nodes + workspace->piece - 1) / workspace->piece;
    }
    sg_parallel_for(context_of(workspace), workspace->pieces, piece_forward, workspace);
    if (!workspace->z) return workspace->h;
    spread(workspace);
    return workspace->z;
}

void sg_workspace_backward(sg_workspace *workspace, float *gradient)
{
    const size_t d = workspace->net.width, size = 2 * d * d + d;
    if (workspace->z) gather_back(workspace);
    sg_parallel_for(context_of(workspace), workspace->pieces, piece_backward, workspace);
    memcpy(gradient, workspace->part, size * sizeof *gradient);
    for (size_t i = 1; i < workspace->pieces; i++)
        for (size_t k = 0; k < size; k++) gradient[k] += workspace->part[i * size + k];
}

/*
 * ---- Links: logit = fc2 relu(fc1 [h_u || h_v]) for pairs, binary cross entropy, and the gradient ----
 *
 * With slope g_i of the loss at the logit of pair i and gates Q[h][i] = g_i where hidden unit h is open, else 0,
 * everything follows from the products G = z Q^T [inputs][hidden] and b = sums of Q [hidden]:
 *
 *   d fc1[k][h] = fc2[h] G[k][h]     d fc1.bias[h] = fc2[h] b[h]
 *   d fc2[h] = sum over i of x[h][i] Q[h][i] = fc1.bias[h] b[h] + sum over k of fc1[k][h] G[k][h]
 *   d z = (fc1 fc2) Q
 */

/* From G and b, standing in gradient fc1 and in workspace->sums, to the gradients of the head. */
static void finish_head(const sg_workspace *workspace, const float *values, float *gradient)
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
    finish_head(workspace, values, gradient);
    if (net->hypernetwork) {
        for (size_t k = 0; k < inputs; k++)
            for (size_t h = 0; h < hidden; h++) workspace->scaled[k * hidden + h] = fc1[k * hidden + h] * fc2[h];
        sg_gemm_lanes(kernels, inputs, hidden, lanes, (sg_weights){workspace->scaled, 1, hidden}, NULL,
                      workspace->x, workspace->dz ? workspace->dz : workspace->dh);
        sg_workspace_backward(workspace, gradient);
    }
    return loss;
}

/* ---- Affinity: logits = fc2 relu(fc1 h), softmax cross entropy with soft labels, and the gradient ---- */

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
