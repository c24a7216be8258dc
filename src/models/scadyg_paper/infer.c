/* Inference: embeddings, the two sides of links, scores, logits; in slices over threads. */

#include "models/scadyg_paper/net.h"

#include "base/memory.h"
#include "nn/gemm.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Nodes of a slice: fixed, so that the bytes are the same for any number of threads. */
enum { SLICE = 256, PAIR_SLICE = 4096 };

typedef struct job {
    const sg_net *net;
    const float *values, *in;
    size_t count;
    float *out, *right;
    const sg_kernels *kernels;
    atomic_int failed;
} job;

/* Multiplications worth another thread, some milliseconds. On a busy machine it may take 10 ms until the other thread
 * has its turn, and the many small steps of a pass would take a hundred times as long as alone. */
#define WORTH_A_THREAD ((size_t)1 << 24)

/* What a sigmoid costs, in multiplications. */
#define SIGMOID 8

/* each: multiplications per node. */
static int run_slices(scadyg_context *context, job *work, size_t each, sg_body *body, scadyg_error *error)
{
    work->kernels = sg_kernels_best();
    atomic_init(&work->failed, 0);
    const sg_net *net = work->net;
    int status = sg_gemm_ready(net->hidden, net->width > net->outputs ? net->width : net->outputs, SLICE, error);
    if (status) return status;
    if (work->count * each < WORTH_A_THREAD) context = NULL;
    sg_parallel_for(context, (work->count + SLICE - 1) / SLICE, body, work);
    return atomic_load(&work->failed) ? sg_fail_memory(error, "a slice of nodes") : SCADYG_OK;
}

static size_t slice_size(const job *work, size_t slice)
{
    const size_t left = work->count - slice * SLICE;
    return left < SLICE ? left : SLICE;
}

/* Up to SG_PIECE messages at in[count][d]. scratch: three matrices [d][SG_PIECE]. */
static void embed_piece(const job *work, const float *in, size_t count, float *scratch, float *out)
{
    const size_t d = work->net->width, lanes = SG_LANES(count);
    float *m = scratch, *r = scratch + d * SG_PIECE, *h = scratch + 2 * d * SG_PIECE;
    const sg_grid grid = {.width = d,
                          .lanes = lanes,
                          .w = work->values + work->net->w,
                          .p = work->values + work->net->wp,
                          .m = m,
                          .r = r,
                          .h = h};
    work->kernels->gather(d, in, NULL, count, lanes, m);
    work->kernels->mix(d, d, lanes, (sg_weights){work->values + work->net->wr, 1, d}, NULL, m, r);
    work->kernels->grid_forward(&grid);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < d; j++) out[i * d + j] = h[j * lanes + i];
}

static void embed_slice(void *data, size_t worker, size_t slice)
{
    (void)worker;
    job *work = data;
    const size_t d = work->net->width, begin = slice * SLICE, count = slice_size(work, slice);
    float *scratch = sg_alloc_huge(3 * d * SG_PIECE, sizeof *scratch);
    if (!scratch) {
        atomic_store(&work->failed, 1);
        return;
    }
    for (size_t i = 0; i < count; i += SG_PIECE)
        embed_piece(work, work->in + (begin + i) * d, count - i < SG_PIECE ? count - i : SG_PIECE, scratch,
                    work->out + (begin + i) * d);
    free(scratch);
}

int sg_embed(scadyg_context *context, const sg_net *net, const float *values, const float *rows, size_t count,
             float *h, scadyg_error *error)
{
    if (!net->hypernetwork) {
        if (h != rows) memcpy(h, rows, count * net->width * sizeof *h);
        return SCADYG_OK;
    }
    return run_slices(context, &(job){.net = net, .values = values, .in = rows, .count = count, .out = h},
                      SIGMOID * net->width * net->width, embed_slice, error);
}

static void sides_slice(void *data, size_t worker, size_t slice)
{
    (void)worker;
    const job *work = data;
    const sg_net *net = work->net;
    const size_t d = net->width, hidden = net->hidden, begin = slice * SLICE, count = slice_size(work, slice);
    const float *fc1 = work->values + net->fc1, *in = work->in + begin * d;
    if (work->out)
        sg_gemm_rows(work->kernels, hidden, d, count, fc1, work->values + net->fc1_bias, in,
                     work->out + begin * hidden);
    if (work->right)
        sg_gemm_rows(work->kernels, hidden, d, count, fc1 + d * hidden, NULL, in, work->right + begin * hidden);
}

int sg_link_sides(scadyg_context *context, const sg_net *net, const float *values, const float *h, size_t count,
                  float *left, float *right, scadyg_error *error)
{
    return run_slices(context,
                      &(job){.net = net, .values = values, .in = h, .count = count, .out = left, .right = right},
                      2 * net->width * net->hidden, sides_slice, error);
}

typedef struct score_job {
    sg_pairs pairs;
    const sg_kernels *kernels;
    size_t count;
    double *score;
} score_job;

static void score_slice(void *data, size_t worker, size_t slice)
{
    (void)worker;
    const score_job *work = data;
    const size_t begin = slice * PAIR_SLICE, left = work->count - begin;
    work->kernels->scores(&work->pairs, begin, left < PAIR_SLICE ? left : PAIR_SLICE, work->score + begin);
}

void sg_link_scores(scadyg_context *context, const sg_net *net, const float *values, const float *left,
                    const uint32_t *src, const float *right, const uint32_t *dst, size_t count, double *score)
{
    score_job work = {.pairs = {.hidden = net->hidden,
                                .fc2 = values + net->fc2,
                                .bias = (double)values[net->fc2_bias],
                                .left = left,
                                .right = right,
                                .src = src,
                                .dst = dst},
                      .kernels = sg_kernels_best(),
                      .count = count,
                      .score = score};
    if (count * net->hidden < WORTH_A_THREAD) context = NULL;
    sg_parallel_for(context, (count + PAIR_SLICE - 1) / PAIR_SLICE, score_slice, &work);
}

static void logits_slice(void *data, size_t worker, size_t slice)
{
    (void)worker;
    job *work = data;
    const sg_net *net = work->net;
    const size_t hidden = net->hidden, begin = slice * SLICE, count = slice_size(work, slice);
    float *x = sg_alloc_huge(SG_LANES(count * hidden), sizeof *x);
    if (!x) {
        atomic_store(&work->failed, 1);
        return;
    }
    memset(x + count * hidden, 0, (SG_LANES(count * hidden) - count * hidden) * sizeof *x);
    sg_gemm_rows(work->kernels, hidden, net->width, count, work->values + net->fc1, work->values + net->fc1_bias,
                 work->in + begin * net->width, x);
    work->kernels->relu(SG_LANES(count * hidden), x);
    sg_gemm_rows(work->kernels, net->outputs, hidden, count, work->values + net->fc2, work->values + net->fc2_bias,
                 x, work->out + begin * net->outputs);
    free(x);
}

int sg_affinity_logits(scadyg_context *context, const sg_net *net, const float *values, const float *h,
                       size_t count, float *logits, scadyg_error *error)
{
    return run_slices(context, &(job){.net = net, .values = values, .in = h, .count = count, .out = logits},
                      (net->width + net->outputs) * net->hidden, logits_slice, error);
}
