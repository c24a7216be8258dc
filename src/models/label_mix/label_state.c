/* The state of a mix net: what it reads at a label time, in fixed pieces over threads. */

#include "models/label_mix/label_state.h"

#include "base/memory.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { K = SG_LABEL_RATES, READ = 2 * K - 1, PIECE = 8, PIECES = 32 };

/* A share of this size is barely one. */
#define LEAST 1e-4f
#define FINEST 1e-6f

/* Multiplications worth another thread: see models/scadyg_paper/infer.c. */
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

static void settle_popularity(sg_label_state *state)
{
    const sg_label_memory *all = &state->past.all;
    const float noise = (float)sg_label_mix_of(state->model)->noise;
    if (state->settled) return;
    for (size_t c = 0; c < all->count; c++) read_shares(all->average + c * K, noise, state->popular_x + c * READ);
    state->settled = 1;
}

static float seen_of(const sg_label_memory *m)
{
    return 0.25f * logf(1 + (float)m->labels);
}

/* One pair, x[pair]. */
static void read_pair(const sg_label_state *state, uint32_t node, size_t n, float *x)
{
    const sg_label_past *past = &state->past;
    const sg_mix_net *mix = &sg_label_mix_of(state->model)->net;
    const sg_label_memory *m = &past->of[node];
    const uint32_t class_of = m->class_of[n];
    read_shares(m->average + n * K, (float)sg_label_mix_of(state->model)->noise, x);
    x += READ;
    if (mix->popularity) {
        memcpy(x, state->popular_x + class_of * READ, READ * sizeof *x);
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

static void read_summary(const sg_label_state *state, uint32_t node, const float *message, float *summary)
{
    const sg_mix_net *mix = &sg_label_mix_of(state->model)->net;
    const sg_label_memory *m = &state->past.of[node];
    summary[0] = 1;
    summary[1] = seen_of(m);
    for (size_t k = 0; k < K; k++) {
        float square = 0;
        for (size_t n = 0; n < m->count; n++) square += m->average[n * K + k] * m->average[n * K + k];
        summary[2 + k] = 2 * scaled(square);
    }
    memcpy(summary + 2 + K, message, (mix->summary - 2 - K) * sizeof *summary);
}

static sg_mix_node read_node(const sg_label_state *state, uint32_t node, const float *message, sg_mix_piece *piece)
{
    const sg_label_memory *m = &state->past.of[node];
    const size_t pair = sg_label_mix_of(state->model)->net.pair;
    for (size_t n = 0; n < m->count; n++) read_pair(state, node, n, piece->x + n * pair);
    read_summary(state, node, message, piece->summary);
    return (sg_mix_node){m->count, m->class_of, m->average, piece->x, piece->summary};
}

/* ---- Pieces ---- */

typedef struct job {
    sg_label_state *state;
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

static void score_piece(void *data, size_t worker, size_t i)
{
    (void)worker;
    const job *work = data;
    sg_label_state *state = work->state;
    sg_mix_piece *piece = &state->pieces[i];
    const size_t width = state->model->width, classes = state->labels->classes;
    for (size_t at = i * PIECE; at < piece_end(work, i); at++) {
        const sg_mix_node node = read_node(state, work->nodes[at], work->messages + at * width, piece);
        sg_mix_scores(&state->shared, &node, &piece->scratch, work->score + at * classes);
    }
}

static void learn_piece(void *data, size_t worker, size_t i)
{
    (void)worker;
    const job *work = data;
    sg_label_state *state = work->state;
    const sg_labels *labels = state->labels;
    sg_mix_piece *piece = &state->pieces[i];
    const size_t width = state->model->width;
    piece->loss = 0;
    memset(piece->gradient, 0, sg_label_mix_of(state->model)->net.count * sizeof *piece->gradient);
    for (size_t at = i * PIECE; at < piece_end(work, i); at++) {
        const size_t row = work->nodes[at], first = labels->first[row];
        const sg_mix_node node = read_node(state, labels->node[row], work->messages + row * width, piece);
        const sg_mix_label label = {labels->first[row + 1] - first, labels->class_of + first,
                                    labels->weight + first};
        piece->loss +=
            sg_mix_gradient(&state->shared, &node, &label, work->share, &piece->scratch, piece->gradient);
    }
}

/* Makes room in the pieces for these nodes, and says whether they are worth other threads. */
static int make_room(sg_label_state *state, const job *work, int rows, scadyg_context **context,
                     scadyg_error *error)
{
    const sg_mix_net *mix = &sg_label_mix_of(state->model)->net;
    size_t most = 1, all = 0;
    for (size_t i = 0; i < work->count; i++) {
        const uint32_t node = rows ? state->labels->node[work->nodes[i]] : work->nodes[i];
        const size_t count = state->past.of[node].count;
        most = count > most ? count : most;
        all += count;
    }
    for (size_t i = 0; i * PIECE < work->count; i++) {
        sg_mix_piece *piece = &state->pieces[i];
        if (sg_grow(&piece->x, &piece->x_room, most * mix->pair, sizeof *piece->x))
            return sg_fail_memory(error, "the classes of a node");
        int status = sg_mix_scratch_room(&piece->scratch, mix, state->labels->classes, most, error);
        if (status) return status;
    }
    *context = all * mix->pair * mix->hidden < WORTH_A_THREAD ? NULL : state->context;
    return SCADYG_OK;
}

int sg_label_state_score(sg_label_state *state, const uint32_t *nodes, const float *messages, size_t count,
                         float *score, scadyg_error *error)
{
    const scadyg_model *model = state->model;
    const size_t classes = state->labels->classes, width = model->width;
    settle_popularity(state);
    int status = sg_mix_share(&state->shared, &sg_label_mix_of(model)->net, model->values, state->past.all.average,
                              classes, error);
    for (size_t at = 0; at < count && !status; at += PIECE * PIECES) {
        const size_t left = count - at < PIECE * PIECES ? count - at : PIECE * PIECES;
        job work = {state, nodes + at, messages + at * width, left, score + at * classes, 0};
        scadyg_context *context = NULL;
        status = make_room(state, &work, 0, &context, error);
        if (!status) sg_parallel_for(context, (left + PIECE - 1) / PIECE, score_piece, &work);
    }
    return status;
}

int sg_label_state_gradient(sg_label_state *state, const float *values, const uint32_t *rows, const float *messages,
                            size_t count, double *loss, float *gradient, scadyg_error *error)
{
    const scadyg_model *model = state->model;
    const size_t size = sg_label_mix_of(model)->net.count;
    double sum = 0;
    settle_popularity(state);
    memset(gradient, 0, size * sizeof *gradient);
    int status = sg_mix_share(&state->shared, &sg_label_mix_of(model)->net, values, state->past.all.average,
                              state->labels->classes, error);
    for (size_t at = 0; at < count && !status; at += PIECE * PIECES) {
        const size_t left = count - at < PIECE * PIECES ? count - at : PIECE * PIECES;
        const size_t pieces = (left + PIECE - 1) / PIECE;
        job work = {state, rows + at, messages, left, NULL, 1 / (float)count};
        scadyg_context *context = NULL;
        status = make_room(state, &work, 1, &context, error);
        if (status) break;
        sg_parallel_for(context, pieces, learn_piece, &work);
        for (size_t i = 0; i < pieces; i++) {
            sum += state->pieces[i].loss;
            for (size_t j = 0; j < size; j++) gradient[j] += state->pieces[i].gradient[j];
        }
    }
    *loss = sum / (double)count;
    return status;
}

/* ---- Opened, moved on, closed ---- */

static int open_past(sg_label_state *state, scadyg_events *events, scadyg_error *error)
{
    const scadyg_model *model = state->model;
    double rate[K];
    uint32_t *node = NULL;
    int status = SCADYG_OK;
    sg_label_mix_rates(model, rate);
    if (sg_label_mix_of(model)->net.reverse) {
        node = sg_alloc(model->classes, sizeof *node);
        if (!node) return sg_fail_memory(error, "the classes");
        status = sg_labels_class_nodes(events, model->class_names, model->classes, node, error);
    }
    if (!status) status = sg_label_past_open(&state->past, events->shape.nodes, model->classes, rate, node, error);
    free(node);
    return status;
}

static int open_pieces(sg_label_state *state, scadyg_error *error)
{
    const sg_mix_net *mix = &sg_label_mix_of(state->model)->net;
    state->popular_x = sg_alloc_zero(state->model->classes * READ, sizeof *state->popular_x);
    state->pieces = sg_alloc_zero(PIECES, sizeof *state->pieces);
    if (!state->popular_x || !state->pieces) return sg_fail_memory(error, "the classes");
    for (size_t i = 0; i < PIECES; i++) {
        state->pieces[i].summary = sg_alloc(mix->summary, sizeof(float));
        state->pieces[i].gradient = sg_alloc(mix->count, sizeof(float));
        if (!state->pieces[i].summary || !state->pieces[i].gradient) return sg_fail_memory(error, "a batch");
    }
    return SCADYG_OK;
}

int sg_label_state_open(scadyg_context *context, sg_label_state *state, const scadyg_model *model,
                        scadyg_events *events, const sg_labels *labels, scadyg_error *error)
{
    *state = (sg_label_state){.model = model, .labels = labels, .context = context};
    state->shared.noise = (float)sg_label_mix_of(model)->noise;
    int status = open_past(state, events, error);
    if (!status) status = open_pieces(state, error);
    if (status) sg_label_state_close(state);
    return status;
}

void sg_label_state_close(sg_label_state *state)
{
    for (size_t i = 0; state->pieces && i < PIECES; i++) {
        free(state->pieces[i].x);
        free(state->pieces[i].summary);
        free(state->pieces[i].gradient);
        sg_mix_scratch_free(&state->pieces[i].scratch);
    }
    sg_label_past_close(&state->past);
    sg_mix_shared_free(&state->shared);
    free(state->popular_x);
    free(state->pieces);
    *state = (sg_label_state){0};
}

void sg_label_state_clear(sg_label_state *state)
{
    state->settled = 0;
    sg_label_past_clear(&state->past);
}

int sg_label_state_add(sg_label_state *state, size_t group, scadyg_error *error)
{
    state->settled = 0;
    return sg_label_past_add(&state->past, state->labels, group, error);
}
