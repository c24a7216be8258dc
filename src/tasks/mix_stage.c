/* The stage of a mix net: what it reads at a label time, in fixed pieces over threads. */
#include "tasks/mix_stage.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { K = SG_LABEL_RATES, READ = 2 * K - 1, PIECE = 8, PIECES = 32 };

/* A share of this size is barely one. */
#define LEAST 1e-4f
#define FINEST 1e-6f

/* Multiplications worth another thread: see model/infer.c. */
#define WORTH_A_THREAD ((size_t)1 << 23)

/* Scratch memory of up to PIECE nodes, one after the other. */
typedef struct sg_mix_piece {
    float *x, *summary; /* [most][pair], [summary] */
    size_t x_room;
    sg_mix_scratch scratch;
    float *gradient; /* [count] */
    double loss;
} sg_mix_piece;

/* ---- What the net reads ---- */

static float scaled(float share)
{
    return 0.25f * logf(1 + share / LEAST) - 1;
}

/* A change in units of the usual noise, between -1 and 1. */
static float squashed(float change)
{
    return change / (1 + fabsf(change));
}

/* Shares at all rates, coarsely, and what changes from a rate to the next slower one, finely: x[READ]. */
static void read_shares(const float *average, float noise, float *x)
{
    float fine[K];
    for (size_t k = 0; k < K; k++) {
        x[k] = scaled(average[k]);
        fine[k] = logf(average[k] + FINEST);
    }
    for (size_t k = 0; k + 1 < K; k++) x[K + k] = squashed((fine[k] - fine[k + 1]) / noise);
}

static void settle(sg_mix_stage *stage)
{
    const sg_label_memory *all = &stage->past.all;
    const float noise = (float)stage->model->label_noise;
    if (stage->settled) return;
    for (size_t c = 0; c < all->count; c++) read_shares(all->average + c * K, noise, stage->popular_x + c * READ);
    stage->settled = 1;
}

static float seen_of(const sg_label_memory *m)
{
    return 0.25f * logf(1 + (float)m->labels);
}

/* One pair, x[pair]. */
static void read_pair(const sg_mix_stage *stage, uint32_t node, size_t n, float *x)
{
    const sg_label_past *past = &stage->past;
    const sg_mix_net *mix = &stage->model->mix;
    const sg_label_memory *m = &past->of[node];
    const uint32_t class_of = m->class_of[n];
    read_shares(m->average + n * K, (float)stage->model->label_noise, x);
    x += READ;
    if (mix->popularity) {
        memcpy(x, stage->popular_x + class_of * READ, READ * sizeof *x);
        x += READ;
    }
    if (mix->reverse) {
        const uint32_t other = past->node_of_class[class_of], own = past->class_of_node[node];
        const float *average =
            other < past->nodes && own != SG_NO_CLASS ? sg_label_past_find(past, other, own) : NULL;
        for (size_t k = 0; k < K; k++) *x++ = average ? scaled(average[k]) : -1;
        *x++ = own == class_of; /* itself */
    }
    *x = seen_of(m);
}

static void read_summary(const sg_mix_stage *stage, uint32_t node, const float *message, float *summary)
{
    const sg_mix_net *mix = &stage->model->mix;
    const sg_label_memory *m = &stage->past.of[node];
    summary[0] = 1;
    summary[1] = seen_of(m);
    for (size_t k = 0; k < K; k++) {
        float square = 0;
        for (size_t n = 0; n < m->count; n++) square += m->average[n * K + k] * m->average[n * K + k];
        summary[2 + k] = 2 * scaled(square);
    }
    memcpy(summary + 2 + K, message, (mix->summary - 2 - K) * sizeof *summary);
}

static sg_mix_node read_node(const sg_mix_stage *stage, uint32_t node, const float *message, sg_mix_piece *piece)
{
    const sg_label_memory *m = &stage->past.of[node];
    const size_t pair = stage->model->mix.pair;
    for (size_t n = 0; n < m->count; n++) read_pair(stage, node, n, piece->x + n * pair);
    read_summary(stage, node, message, piece->summary);
    return (sg_mix_node){m->count, m->class_of, m->average, piece->x, piece->summary};
}

/* ---- Pieces ---- */

typedef struct job {
    sg_mix_stage *stage;
    const uint32_t *nodes; /* or rows of the labels */
    const float *messages;
    size_t count;
    float *score;
    float share;
} job;

static size_t piece_end(const job *work, size_t i)
{
    return work->count < (i + 1) * PIECE ? work->count : (i + 1) * PIECE;
}

static void score_piece(void *context, size_t i)
{
    const job *work = context;
    sg_mix_stage *stage = work->stage;
    sg_mix_piece *piece = &stage->pieces[i];
    const size_t width = stage->model->net.width, classes = stage->labels->classes;
    for (size_t at = i * PIECE; at < piece_end(work, i); at++) {
        const sg_mix_node node = read_node(stage, work->nodes[at], work->messages + at * width, piece);
        sg_mix_scores(&stage->shared, &node, &piece->scratch, work->score + at * classes);
    }
}

static void learn_piece(void *context, size_t i)
{
    const job *work = context;
    sg_mix_stage *stage = work->stage;
    const sg_labels *labels = stage->labels;
    sg_mix_piece *piece = &stage->pieces[i];
    const size_t width = stage->model->net.width;
    piece->loss = 0;
    memset(piece->gradient, 0, stage->model->mix.count * sizeof *piece->gradient);
    for (size_t at = i * PIECE; at < piece_end(work, i); at++) {
        const size_t row = work->nodes[at], first = labels->first[row];
        const sg_mix_node node = read_node(stage, labels->node[row], work->messages + row * width, piece);
        const sg_mix_label label = {labels->first[row + 1] - first, labels->class_of + first,
                                    labels->weight + first};
        piece->loss +=
            sg_mix_gradient(&stage->shared, &node, &label, work->share, &piece->scratch, piece->gradient);
    }
}

/* Makes room in the pieces for these nodes, and says on how many threads they are worth it. */
static int make_room(sg_mix_stage *stage, const job *work, int rows, int *threads, scadyg_error *error)
{
    const sg_mix_net *mix = &stage->model->mix;
    size_t most = 1, all = 0;
    for (size_t i = 0; i < work->count; i++) {
        const uint32_t node = rows ? stage->labels->node[work->nodes[i]] : work->nodes[i];
        const size_t count = stage->past.of[node].count;
        most = count > most ? count : most;
        all += count;
    }
    for (size_t i = 0; i * PIECE < work->count; i++) {
        sg_mix_piece *piece = &stage->pieces[i];
        if (sg_grow(&piece->x, &piece->x_room, most * mix->pair, sizeof *piece->x))
            return sg_fail_memory(error, "the classes of a node");
        int status = sg_mix_scratch_room(&piece->scratch, mix, stage->labels->classes, most, error);
        if (status) return status;
    }
    *threads = all * mix->pair * mix->hidden < WORTH_A_THREAD ? 1 : stage->threads;
    return SCADYG_OK;
}

int sg_mix_stage_score(sg_mix_stage *stage, const uint32_t *nodes, const float *messages, size_t count,
                       float *score, scadyg_error *error)
{
    const scadyg_model *model = stage->model;
    const size_t classes = stage->labels->classes, width = model->net.width;
    settle(stage);
    int status = sg_mix_share(&stage->shared, &model->mix, model->values, stage->past.all.average, classes, error);
    for (size_t at = 0; at < count && !status; at += PIECE * PIECES) {
        const size_t left = count - at < PIECE * PIECES ? count - at : PIECE * PIECES;
        job work = {stage, nodes + at, messages + at * width, left, score + at * classes, 0};
        int threads = 1;
        status = make_room(stage, &work, 0, &threads, error);
        if (!status) sg_parallel_for(threads, (left + PIECE - 1) / PIECE, score_piece, &work);
    }
    return status;
}

int sg_mix_stage_gradient(sg_mix_stage *stage, const float *values, const uint32_t *rows, const float *messages,
                          size_t count, double *loss, float *gradient, scadyg_error *error)
{
    const scadyg_model *model = stage->model;
    const size_t size = model->mix.count;
    double sum = 0;
    settle(stage);
    memset(gradient, 0, size * sizeof *gradient);
    int status =
        sg_mix_share(&stage->shared, &model->mix, values, stage->past.all.average, stage->labels->classes, error);
    for (size_t at = 0; at < count && !status; at += PIECE * PIECES) {
        const size_t left = count - at < PIECE * PIECES ? count - at : PIECE * PIECES;
        const size_t pieces = (left + PIECE - 1) / PIECE;
        job work = {stage, rows + at, messages, left, NULL, 1 / (float)count};
        int threads = 1;
        status = make_room(stage, &work, 1, &threads, error);
        if (status) break;
        sg_parallel_for(threads, pieces, learn_piece, &work);
        for (size_t i = 0; i < pieces; i++) {
            sum += stage->pieces[i].loss;
            for (size_t j = 0; j < size; j++) gradient[j] += stage->pieces[i].gradient[j];
        }
    }
    *loss = sum / (double)count;
    return status;
}

/* ---- Opened, moved on, closed ---- */

static int open_past(sg_mix_stage *stage, scadyg_events *events, scadyg_error *error)
{
    const scadyg_model *model = stage->model;
    double rate[K];
    uint32_t *node = NULL;
    int status = sg_model_label_rates(model, rate, error);
    if (!status && model->mix.reverse) {
        node = sg_alloc(model->classes, sizeof *node);
        if (!node) return sg_fail_memory(error, "the classes");
        status = sg_labels_class_nodes(events, model->class_names, model->classes, node, error);
    }
    if (!status) status = sg_label_past_open(&stage->past, events->shape.nodes, model->classes, rate, node, error);
    free(node);
    return status;
}

static int open_pieces(sg_mix_stage *stage, scadyg_error *error)
{
    const sg_mix_net *mix = &stage->model->mix;
    stage->popular_x = sg_alloc_zero(stage->model->classes * READ, sizeof *stage->popular_x);
    stage->pieces = sg_alloc_zero(PIECES, sizeof *stage->pieces);
    if (!stage->popular_x || !stage->pieces) return sg_fail_memory(error, "the classes");
    for (size_t i = 0; i < PIECES; i++) {
        stage->pieces[i].summary = sg_alloc(mix->summary, sizeof(float));
        stage->pieces[i].gradient = sg_alloc(mix->count, sizeof(float));
        if (!stage->pieces[i].summary || !stage->pieces[i].gradient) return sg_fail_memory(error, "a batch");
    }
    return SCADYG_OK;
}

int sg_mix_stage_open(sg_mix_stage *stage, const scadyg_model *model, scadyg_events *events,
                      const sg_labels *labels, int threads, scadyg_error *error)
{
    *stage = (sg_mix_stage){.model = model, .labels = labels, .threads = sg_threads(threads)};
    stage->shared.noise = (float)model->label_noise;
    int status = open_past(stage, events, error);
    if (!status) status = open_pieces(stage, error);
    if (status) sg_mix_stage_close(stage);
    return status;
}

void sg_mix_stage_close(sg_mix_stage *stage)
{
    for (size_t i = 0; stage->pieces && i < PIECES; i++) {
        free(stage->pieces[i].x);
        free(stage->pieces[i].summary);
        free(stage->pieces[i].gradient);
        sg_mix_scratch_free(&stage->pieces[i].scratch);
    }
    sg_label_past_close(&stage->past);
    sg_mix_shared_free(&stage->shared);
    free(stage->popular_x);
    free(stage->pieces);
    *stage = (sg_mix_stage){0};
}

void sg_mix_stage_clear(sg_mix_stage *stage)
{
    stage->settled = 0;
    sg_label_past_clear(&stage->past);
}

int sg_mix_stage_add(sg_mix_stage *stage, size_t group, scadyg_error *error)
{
    stage->settled = 0;
    return sg_label_past_add(&stage->past, stage->labels, group, error);
}
