/* Learning the pair net: the gradient of a batch, in pieces. */
#include "model/pair_workspace.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/*
 * The pieces of a batch go to at most this many shares, each a run of two or more pieces with a gradient of its own;
 * these are added in order. The number depends on the batch alone, so the bytes are the same for any number of threads.
 */
enum { SHARES = 32 };

/* Multiplications worth another thread: half a millisecond. */
#define WORTH_A_THREAD ((size_t)1 << 24)

static int is_long(const sg_pair_net *net, size_t pairs)
{
    return 3 * pairs * (net->inputs + net->hidden2) * net->hidden >= WORTH_A_THREAD;
}

int sg_pair_workspace_open(const sg_pair_net *net, size_t pairs, sg_workers *workers, sg_pair_workspace **result,
                           scadyg_error *error)
{
    *result = NULL;
    sg_pair_workspace *workspace = sg_alloc_zero(1, sizeof *workspace);
    if (!workspace) return sg_fail_memory(error, "a batch of pairs");
    workspace->pairs = pairs ? pairs : 1;
    workspace->shares = SHARES;
    workspace->workers = workers;
    workspace->threads = is_long(net, workspace->pairs) ? sg_workers_threads(workers) : 1;
    int failed = sg_pair_weights_open(net, 1, &workspace->weights);
    workspace->layout = sg_pair_part_of(&workspace->weights);
    for (size_t o = 0; o < SG_OUTPUTS; o++)
        if (!(workspace->score[o] = sg_alloc(workspace->pairs, sizeof *workspace->score[o]))) failed = 1;
    workspace->loss = sg_alloc(workspace->shares, sizeof *workspace->loss);
    workspace->parts = sg_alloc_huge(workspace->shares * workspace->layout.count, sizeof *workspace->parts);
    workspace->pieces = sg_alloc_zero(workspace->threads, sizeof *workspace->pieces);
    if (!workspace->loss || !workspace->parts || !workspace->pieces) failed = 1;
    for (size_t i = 0; !failed && i < workspace->threads; i++)
        failed = sg_pair_piece_open(&workspace->weights, workspace->pairs, 1, &workspace->pieces[i]);
    if (failed) {
        sg_pair_workspace_close(workspace);
        return sg_fail_memory(error, "a batch of pairs");
    }
    *result = workspace;
    return SCADYG_OK;
}

void sg_pair_workspace_close(sg_pair_workspace *workspace)
{
    if (!workspace) return;
    for (size_t i = 0; workspace->pieces && i < workspace->threads; i++) sg_pair_piece_close(&workspace->pieces[i]);
    sg_pair_weights_close(&workspace->weights);
    free(workspace->pieces);
    for (size_t o = 0; o < SG_OUTPUTS; o++) free(workspace->score[o]);
    free(workspace->loss);
    free(workspace->parts);
    free(workspace);
}

typedef struct batch {
    sg_pair_workspace *workspace;
    const sg_pair_rows *rows;
    const unsigned char *own;
    size_t cases, group;
    size_t at_once; /* cases of a piece */
    size_t pieces, shares;
    float ranking, binary; /* what the losses of one case count */
} batch;

static double piece_gradient(const batch *work, sg_pair_piece *piece, size_t index, float *part)
{
    const sg_pair_workspace *workspace = work->workspace;
    const sg_kernels *kernels = workspace->weights.kernels;
    const size_t first_case = index * work->at_once, left = work->cases - first_case;
    const size_t cases = left < work->at_once ? left : work->at_once;
    const size_t first = first_case * work->group, count = cases * work->group;
    sg_pair_place(piece, work->rows, first, count);
    sg_pair_embed_listed(piece, work->rows->nodes);
    sg_pair_side_listed(piece, work->rows->nodes, &piece->sides);
    sg_pair_forward(piece, work->rows, first, count, &piece->sides);
    for (int o = 0; o < SG_OUTPUTS; o++) {
        sg_pair_output(piece, count, o, workspace->score[o] + first);
        for (size_t k = first; work->rows->offset && k < first + count; k++)
            workspace->score[o][k] += (double)work->rows->offset[k];
    }
    double loss = kernels->rank_loss(cases, work->group, workspace->score[SG_ORDER] + first, work->own + first,
                                     work->ranking, piece->slope[SG_ORDER]);
    loss += kernels->judge_loss(cases, work->group, workspace->score[SG_CHANCE] + first, work->binary,
                                piece->slope[SG_CHANCE]);
    sg_pair_backward(piece, work->rows, first, count, &workspace->layout, part);
    return loss;
}

static void share_gradient(void *context, size_t worker, size_t share)
{
    const batch *work = context;
    sg_pair_workspace *workspace = work->workspace;
    float *part = workspace->parts + share * workspace->layout.count;
    const size_t end = (share + 1) * work->pieces / work->shares;
    memset(part, 0, workspace->layout.count * sizeof *part);
    workspace->loss[share] = 0;
    for (size_t i = share * work->pieces / work->shares; i < end; i++)
        workspace->loss[share] += piece_gradient(work, &workspace->pieces[worker], i, part);
}

static void unpad(size_t rows, size_t columns, size_t pitch, const float *from, float *to)
{
    for (size_t k = 0; k < rows; k++) memcpy(to + k * columns, from + k * pitch, columns * sizeof *to);
}

/* From the padded gradient to the flat one. */
static void finish(const sg_pair_workspace *workspace, float *gradient)
{
    const sg_pair_weights *w = &workspace->weights;
    const sg_pair_net *net = &w->net;
    const sg_pair_part *at = &workspace->layout;
    const float *sum = workspace->parts;
    if (net->hypernetwork) {
        memcpy(gradient + net->w, sum + at->w, (2 * net->node * net->node + net->node) * sizeof *gradient);
        unpad(SG_MIXES, net->node, w->node, sum + at->vr, gradient + net->vr);
        for (size_t j = 0; j < net->rates; j++) {
            const float *dv = sum + at->v + j * SG_MIXES, *dp = sum + at->vp + j * SG_MIXES;
            float total = 0;
            for (size_t i = 0; i < SG_MIXES; i++) {
                gradient[net->v + i * net->rates + j] = dv[i];
                total += dp[i];
            }
            gradient[net->vp + j] = total;
        }
    }
    unpad(net->inputs, net->hidden, w->width, sum + at->fc1, gradient + net->fc1);
    unpad(1, net->hidden, w->width, sum + at->fc1_bias, gradient + net->fc1_bias);
    unpad(net->hidden, net->hidden2, w->width2, sum + at->fc2, gradient + net->fc2);
    unpad(1, net->hidden2, w->width2, sum + at->fc2_bias, gradient + net->fc2_bias);
    for (size_t o = 0; o < SG_OUTPUTS; o++) {
        for (size_t k = 0; k < net->hidden2; k++)
            gradient[net->fc3 + k * SG_OUTPUTS + o] = sum[at->fc3 + o * w->width2 + k];
        gradient[net->fc3_bias + o] = sum[at->fc3_bias + o];
    }
}

double sg_pair_gradient(sg_pair_workspace *workspace, const float *values, const sg_pair_rows *rows, size_t group,
                        const unsigned char *own, double binary, float *gradient)
{
    const size_t cases = group ? rows->count / group : 0;
    const size_t at_once = cases && group < SG_PAIR_PIECE ? SG_PAIR_PIECE / group : 1;
    if (!cases) {
        memset(gradient, 0, workspace->weights.net.count * sizeof *gradient);
        return 0;
    }
    batch work = {.workspace = workspace,
                  .rows = rows,
                  .own = own,
                  .cases = cases,
                  .group = group,
                  .at_once = at_once,
                  .pieces = (cases + at_once - 1) / at_once,
                  .ranking = (float)((1 - binary) / (double)cases),
                  .binary = (float)(binary / (double)cases)};
    work.shares = work.pieces < 2 * workspace->shares ? (work.pieces + 1) / 2 : workspace->shares;
    sg_pair_weights_set(&workspace->weights, values);
    if (is_long(&workspace->weights.net, cases * group))
        sg_workers_run(workspace->workers, work.shares, share_gradient, &work);
    else
        for (size_t i = 0; i < work.shares; i++) share_gradient(&work, 0, i);
    double loss = 0;
    for (size_t i = 0; i < work.shares; i++) loss += workspace->loss[i];
    workspace->weights.kernels->sum_parts(workspace->layout.count, work.shares, workspace->parts);
    finish(workspace, gradient);
    return loss;
}
