/* Pairs of one source with nothing between them: the first layer is a sum of two rows. */
#include "models/scadyg/pair_net.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { SHARE = 32 * SG_PAIR_PIECE }; /* pairs that a thread takes at a time */

typedef struct job {
    sg_pair_weights weights;
    sg_pair_piece *pieces; /* one for each thread */
    size_t threads;
    const sg_blank_pairs *pairs;
    float *start, *direct; /* [width]: m_u A_u + b1 + s A_s; [SG_PAIR_DIRECT] */
    double *score;

    const float *rows;
    const uint32_t *at;
    size_t count;
    float *right;
} job;

static size_t shares_of(size_t count)
{
    return (count + SHARE - 1) / SHARE;
}

static void close_job(job *work)
{
    for (size_t i = 0; work->pieces && i < work->threads; i++) sg_pair_piece_close(&work->pieces[i]);
    sg_pair_weights_close(&work->weights);
    SG_FREE(work->pieces, work->start);
}

static int open_job(job *work, scadyg_context *context, const sg_pair_net *net, const float *values)
{
    if (sg_pair_weights_open(net, 0, &work->weights)) return -1;
    sg_pair_weights_set(&work->weights, values);
    work->threads = shares_of(work->count) > 1 ? sg_context_threads(context) : 1;
    work->start = sg_alloc_aligned(work->weights.width + SG_PAIR_DIRECT, sizeof *work->start);
    work->pieces = sg_alloc_zero(work->threads, sizeof *work->pieces);
    if (!work->start || !work->pieces) return -1;
    work->direct = work->start + work->weights.width;
    for (size_t i = 0; i < work->threads; i++)
        if (sg_pair_piece_open(&work->weights, SG_PAIR_PIECE, 0, &work->pieces[i])) return -1;
    return 0;
}

/* body takes pairs first .. first + count - 1, with the memory of a thread. */
static void run_shares(scadyg_context *context, job *work, sg_body *body)
{
    const size_t shares = shares_of(work->count);
    sg_parallel_for(shares > 1 ? context : NULL, shares, body, work);
}

/* ---- Sides ---- */

static void side_share(void *data, size_t worker, size_t share)
{
    const job *work = data;
    const sg_pair_weights *w = &work->weights;
    sg_pair_piece *piece = &work->pieces[worker];
    const size_t node = w->net.node, begin = share * SHARE;
    const size_t end = work->count - begin < SHARE ? work->count : begin + SHARE;
    for (size_t first = begin, count; first < end; first += count) {
        count = end - first < SG_PAIR_PIECE ? end - first : SG_PAIR_PIECE;
        const sg_layer layer = {.inputs = node,
                                .outputs = w->width,
                                .panels = w->right,
                                .x = {work->rows + first * node, node},
                                .out = piece->sides.left,
                                .out_pitch = w->width};
        w->kernels->layer(&layer, count);
        for (size_t i = 0; i < count; i++)
            memcpy(work->right + work->at[first + i] * w->width, piece->sides.left + i * w->width,
                   w->width * sizeof *work->right);
    }
}

int sg_pair_right_sides(scadyg_context *context, const sg_pair_net *net, const float *values, const float *rows,
                        size_t count, const uint32_t *at, float *right, scadyg_error *error)
{
    job work = {.rows = rows, .count = count, .at = at, .right = right};
    if (count == 0) return SCADYG_OK;
    const int failed = open_job(&work, context, net, values);
    if (!failed) run_shares(context, &work, side_share);
    close_job(&work);
    return failed ? sg_fail_memory(error, "the scores of pairs") : SCADYG_OK;
}

/* ---- Scores ---- */

/* What all pairs have in common: the row of the source, then that of the pair, as sg_pair_forward adds them. */
static void set_start(job *work)
{
    const sg_pair_weights *w = &work->weights;
    sg_layer layer = {.inputs = w->net.node,
                      .outputs = w->width,
                      .panels = w->left,
                      .from = {w->bias, 0},
                      .x = {work->pairs->source, w->net.node},
                      .out = work->start,
                      .out_pitch = w->width};
    w->kernels->layer(&layer, 1);
    layer.inputs = w->net.between;
    layer.panels = w->between;
    layer.from.at = work->start;
    layer.x = (sg_rows_read){work->pairs->between, w->net.between};
    w->kernels->layer(&layer, 1);
    layer.outputs = SG_PAIR_DIRECT;
    layer.panels = w->direct;
    layer.from.at = NULL;
    layer.out = work->direct;
    layer.out_pitch = SG_PAIR_DIRECT;
    w->kernels->layer(&layer, 1);
}

static void score_share(void *data, size_t worker, size_t share)
{
    enum { AHEAD = 24 }; /* pairs whose sides are fetched ahead */
    const job *work = data;
    const sg_pair_weights *w = &work->weights;
    const sg_blank_pairs *pairs = work->pairs;
    sg_pair_piece *piece = &work->pieces[worker];
    const size_t begin = share * SHARE, end = work->count - begin < SHARE ? work->count : begin + SHARE;
    double score[SG_PAIR_PIECE];
    for (size_t i = 0; i < SG_PAIR_PIECE; i++)
        memcpy(piece->direct + i * SG_PAIR_DIRECT, work->direct, SG_PAIR_DIRECT * sizeof *work->direct);
    for (size_t first = begin, count; first < end; first += count) {
        count = end - first < SG_PAIR_PIECE ? end - first : SG_PAIR_PIECE;
        for (size_t i = first; i < first + count; i++) {
            if (i + AHEAD >= end) break;
            const float *side = pairs->right + pairs->at[i + AHEAD] * w->width;
            for (size_t o = 0; o < w->width; o += 16) __builtin_prefetch(side + o);
        }
        const sg_layer one = {.outputs = w->width,
                              .panels = w->between,
                              .from = {work->start, 0},
                              .x = {work->start, 0}, /* of no inputs */
                              .out = piece->x1,
                              .out_pitch = w->pitch,
                              .form = SG_PLUS_RELU,
                              .plus_at = pairs->at + first,
                              .plus = pairs->right};
        w->kernels->layer(&one, count);
        sg_pair_second(piece, count);
        sg_pair_score(piece, 0, count, pairs->output, pairs->compared, NULL, score);
        for (size_t i = 0; i < count; i++) work->score[pairs->to[first + i]] = score[i];
    }
}

int sg_pair_blank_scores(scadyg_context *context, const sg_pair_net *net, const float *values,
                         const sg_blank_pairs *pairs, double *score, scadyg_error *error)
{
    job work = {.pairs = pairs, .count = pairs->count, .score = score};
    if (pairs->count == 0) return SCADYG_OK;
    const int failed = open_job(&work, context, net, values);
    if (!failed) {
        set_start(&work);
        run_shares(context, &work, score_share);
    }
    close_job(&work);
    return failed ? sg_fail_memory(error, "the scores of pairs") : SCADYG_OK;
}
