/* The node messages that a model reads. */
#include "models/node_rows.h"

#include "base/memory.h"
#include "messages/nodes/decay.h"
#include "messages/nodes/stream.h"
#include "models/kind.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Mean and deviation of columns ---- */

int sg_column_stats_open(sg_column_stats *stats, size_t width, scadyg_error *error)
{
    double *numbers = sg_alloc_zero(3 * width, sizeof *numbers);
    if (!numbers) return sg_fail_memory(error, "the normalisation");
    *stats = (sg_column_stats){width, 0, numbers, numbers + width, numbers + 2 * width};
    return SCADYG_OK;
}

void sg_column_stats_close(sg_column_stats *stats)
{
    free(stats->first);
    *stats = (sg_column_stats){0};
}

void sg_column_stats_add(sg_column_stats *m, const float *row)
{
    if (m->count++ == 0)
        for (size_t j = 0; j < m->width; j++) m->first[j] = (double)row[j];
    for (size_t j = 0; j < m->width; j++) {
        const double x = (double)row[j] - m->first[j];
        m->sum[j] += x;
        m->square[j] += x * x;
    }
}

void sg_column_stats_settle(const sg_column_stats *m, float *mean, float *scale)
{
    const double count = m->count ? (double)m->count : 1;
    for (size_t j = 0; j < m->width; j++) {
        const double away = m->sum[j] / count, average = m->first[j] + away;
        const double deviation = sqrt(fmax(0, m->square[j] / count - away * away));
        const float factor = (float)(1 / deviation);
        /* What is left of a constant column is rounding. */
        const int constant = !(deviation > 1e-6 * fabs(average)) || !isfinite(factor);
        mean[j] = (float)average;
        scale[j] = constant ? 1 : factor;
    }
}

/* ---- Messages brought to a size a net can learn from ---- */

#define PIECE_NUMBERS 65536

/*
 * log(1 + a) for a >= 0, from +, * and / only, so that it is the same on every machine: 1 + a = 2^k m with m about 1,
 * and log m = 2 atanh(s) with s = (m - 1) / (m + 1). For small a, m - 1 is a itself and nothing is lost. The error is
 * below 1e-9 of the value, so the float is almost always the nearest one.
 */
static double log_one_plus(double a)
{
    double less = a, k = 0; /* m - 1 */
    if (a > 0.41) {
        const double y = 1 + a;
        uint64_t bits;
        memcpy(&bits, &y, sizeof bits);
        /* The exponent, such that m lies between sqrt(1/2) and sqrt(2). */
        const uint64_t above = (bits - 0x3FE6A09E667F3BCDu) & ~(uint64_t)0x000FFFFFFFFFFFFFu;
        bits -= above;
        double m;
        memcpy(&m, &bits, sizeof m);
        less = m - 1;
        k = (double)((int64_t)above >> 52);
    }
    const double s = less / (2 + less), q = s * s;
    const double tail = q * (1. / 3 + q * (1. / 5 + q * (1. / 7 + q * (1. / 9 + q * (1. / 11 + q * (1. / 13))))));
    return 0.69314718055994530942 * k + 2 * (s + s * tail);
}

static float signed_log(float x)
{
    const float a = fabsf(x);
    return a <= FLT_MAX ? copysignf((float)log_one_plus((double)a), x) : x;
}

typedef struct work {
    const scadyg_model *model;
    float *rows;
    size_t count, width, per_piece; /* rows */
} work;

static void normalise_piece(void *data, size_t worker, size_t piece)
{
    (void)worker;
    const work *w = data;
    const scadyg_model *model = w->model;
    const int how = sg_train_of(model)->normalise;
    const size_t begin = piece * w->per_piece;
    const size_t end = w->count - begin < w->per_piece ? w->count : begin + w->per_piece;
    if (how == SG_NORMALISE_LOG || how == SG_NORMALISE_LOG_STANDARD)
        for (size_t i = begin * w->width; i < end * w->width; i++) w->rows[i] = signed_log(w->rows[i]);
    if (how != SG_NORMALISE_STANDARD && how != SG_NORMALISE_LOG_STANDARD) return;
    if (!model->mean || !model->scale) return; /* not learned yet */
    for (size_t row = begin; row < end; row++) {
        float *x = w->rows + row * w->width;
        for (size_t j = 0; j < w->width; j++) x[j] = (x[j] - model->mean[j]) * model->scale[j];
    }
}

void sg_normalise_rows(scadyg_context *context, const scadyg_model *model, float *rows, size_t count)
{
    const size_t width = model->width;
    if (sg_train_of(model)->normalise == SG_NORMALISE_NONE || !width || !count) return;
    const size_t per_piece = width < PIECE_NUMBERS ? PIECE_NUMBERS / width : 1;
    work w = {model, rows, count, width, per_piece};
    sg_parallel_for(context, (count + per_piece - 1) / per_piece, normalise_piece, &w);
}

/* ---- All nodes, step by step ---- */

void sg_node_rows_open(sg_node_rows *rows, sg_view *view)
{
    *rows = (sg_node_rows){.view = view, .step = {-1, -1}};
}

void sg_node_rows_close(sg_node_rows *rows)
{
    SG_FREE(rows->kept, rows->rows[0], rows->rows[1]);
    *rows = (sg_node_rows){.step = {-1, -1}};
}

/* ---- Normalisation: learned from the messages of both ends of the training events, before their steps ---- */

typedef struct preparation {
    sg_node_rows *node_rows;
    uint64_t train_end;
    int standard;
    sg_column_stats stats;
    float *row; /* [width] */
} preparation;

/* The model does not standardise yet (mean 0, scale 1), but may take logarithms. */
static void add_end(preparation *p, const float *message)
{
    memcpy(p->row, message, p->node_rows->view->width * sizeof *p->row);
    sg_normalise_rows(NULL, p->node_rows->view->model, p->row, 1);
    sg_column_stats_add(&p->stats, p->row);
}

static void add_step_stats(preparation *p, int64_t step, const float *rows)
{
    const scadyg_messages *messages = p->node_rows->view->messages;
    const sg_steps *steps = &messages->steps;
    const sg_columns *columns = &messages->columns;
    const size_t width = p->node_rows->view->width;
    for (uint64_t e = steps->first[step]; e < steps->first[step + 1] && e < p->train_end; e++) {
        add_end(p, rows + columns->src[e] * width);
        add_end(p, rows + columns->dst[e] * width);
    }
}

/* Where the raw messages of a step go: to their place if they are kept, else to one buffer. */
static float *place_of(sg_node_rows *node_rows, int64_t step)
{
    return node_rows->kept ? node_rows->kept + (size_t)step * node_rows->view->nodes * node_rows->view->width
                           : node_rows->rows[0];
}

static int walk_steps(preparation *p, scadyg_error *error)
{
    sg_node_rows *node_rows = p->node_rows;
    const sg_steps *steps = &node_rows->view->messages->steps;
    int status = SCADYG_OK;
    for (int64_t step = 0; step < steps->count && !status; step++) {
        if (!node_rows->kept && (!p->standard || steps->first[step] >= p->train_end)) break;
        status = sg_events_report(node_rows->view->context, node_rows->view->events, "preparing messages",
                                  (uint64_t)step, (uint64_t)steps->count, error);
        float *rows = place_of(node_rows, step);
        if (!status)
            status =
                sg_messages_before_step(node_rows->view->messages, step, NULL, node_rows->view->nodes, rows, error);
        if (!status && p->standard && step > 0) add_step_stats(p, step, rows);
    }
    return status;
}

static int allocate_rows(sg_node_rows *node_rows, uint64_t memory, scadyg_error *error)
{
    const uint64_t one = (uint64_t)node_rows->view->nodes * node_rows->view->width * sizeof(float);
    const uint64_t steps = (uint64_t)node_rows->view->messages->steps.count;
    if (one <= memory / steps) node_rows->kept = sg_alloc_huge((size_t)(one * steps) + 1, 1);
    if (node_rows->kept) {
        node_rows->bytes = one * steps;
        return SCADYG_OK;
    }
    node_rows->bytes = 2 * one;
    for (int i = 0; i < 2; i++) {
        node_rows->rows[i] = sg_alloc_huge((size_t)one + 1, 1);
        if (!node_rows->rows[i]) return sg_fail_memory(error, "the messages of a step");
    }
    return SCADYG_OK;
}

int sg_node_rows_prepare(sg_node_rows *node_rows, scadyg_model *model, const sg_split *split, uint64_t memory,
                         scadyg_error *error)
{
    preparation p = {.node_rows = node_rows,
                     .train_end = split ? split->train_end : 0,
                     .standard = split && sg_model_standardises(model)};
    int status = sg_column_stats_open(&p.stats, node_rows->view->width, error);
    if (status) return status;
    p.row = sg_alloc(node_rows->view->width, sizeof *p.row);
    status = p.row ? allocate_rows(node_rows, memory, error) : sg_fail_memory(error, "the normalisation");
    if (!status) status = walk_steps(&p, error);
    if (!status && p.standard) sg_column_stats_settle(&p.stats, model->mean, model->scale);
    sg_column_stats_close(&p.stats);
    free(p.row);
    if (!status && node_rows->kept)
        sg_normalise_rows(node_rows->view->context, model, node_rows->kept,
                          (size_t)node_rows->view->messages->steps.count * node_rows->view->nodes);
    return status;
}

int sg_node_rows_step(sg_node_rows *node_rows, int64_t step, const float **rows, scadyg_error *error)
{
    if (node_rows->kept && step < node_rows->view->messages->steps.count) {
        *rows = place_of(node_rows, step);
        return SCADYG_OK;
    }
    for (int i = 0; i < 2; i++)
        if (node_rows->step[i] == step) {
            node_rows->latest = i;
            *rows = node_rows->rows[i];
            return SCADYG_OK;
        }
    const int to = !node_rows->latest;
    const size_t numbers = node_rows->view->nodes * node_rows->view->width;
    if (!node_rows->rows[to]) node_rows->rows[to] = sg_alloc_huge(numbers + 1, sizeof(float));
    if (!node_rows->rows[to]) return sg_fail_memory(error, "the messages of a step");
    node_rows->step[to] = -1;
    int status = sg_messages_before_step(node_rows->view->messages, step, NULL, node_rows->view->nodes,
                                         node_rows->rows[to], error);
    if (status) return status;
    sg_normalise_rows(node_rows->view->context, node_rows->view->model, node_rows->rows[to],
                      node_rows->view->nodes);
    node_rows->step[to] = step;
    node_rows->latest = to;
    *rows = node_rows->rows[to];
    return SCADYG_OK;
}

/* With a window each of its steps has sums of its own, of the nodes that took part in it. */
double sg_node_rows_bytes(const scadyg_model *model, const scadyg_shape *shape)
{
    const sg_messages_options options = sg_model_messages_options(model);
    const double width = (double)sg_model_hop_width(model) * (double)options.hops, nodes = (double)shape->nodes;
    const double steps = fmin(fmin((double)options.window, (double)options.steps), (double)shape->events);
    const double sums = options.window ? 2 * (double)shape->events + steps * SG_TILE : nodes;
    const double current = options.hops > 1 ? nodes : 0;
    return width * ((sums + current) * sizeof(float) + nodes * (sizeof(double) + 2 * sizeof(float)));
}

/* ---- Some nodes, at a point of the log ---- */

static int read_step(sg_node_rows *node_rows, int64_t step, const uint32_t *nodes, size_t count, float *out,
                     scadyg_error *error)
{
    const size_t width = node_rows->view->width;
    const float *rows = NULL;
    if (node_rows->kept && step < node_rows->view->messages->steps.count)
        rows = place_of(node_rows, step);
    else if (count > node_rows->view->nodes / 8) {
        int status = sg_node_rows_step(node_rows, step, &rows, error);
        if (status) return status;
    }
    if (rows) {
        for (size_t i = 0; i < count; i++) memcpy(out + i * width, rows + nodes[i] * width, width * sizeof *out);
        return SCADYG_OK;
    }
    int status = sg_messages_before_step(node_rows->view->messages, step, nodes, count, out, error);
    if (!status) sg_normalise_rows(NULL, node_rows->view->model, out, count);
    return status;
}

int sg_past_reader_open(sg_past_reader *past, sg_node_rows *rows, scadyg_error *error)
{
    *past = (sg_past_reader){.rows = rows, .at = -INFINITY};
    past->message = sg_alloc(rows->view->width, sizeof *past->message);
    return past->message ? SCADYG_OK : sg_fail_memory(error, "a message");
}

void sg_past_reader_close(sg_past_reader *past)
{
    if (past->stream) scadyg_stream_close(past->stream);
    free(past->message);
    *past = (sg_past_reader){0};
}

void sg_past_reader_rewind(sg_past_reader *past)
{
    if (past->stream) scadyg_stream_close(past->stream);
    past->stream = NULL;
    past->added = 0;
    past->at = -INFINITY;
}

/* In stretches, for each gives the pages back that were read before it. */
static int follow_log(sg_past_reader *past, double at, uint64_t seen, scadyg_error *error)
{
    const sg_view *view = past->rows->view;
    const uint64_t most = sg_view_stretch(view);
    if (seen < past->added || at < past->at) sg_past_reader_rewind(past);
    int status = SCADYG_OK;
    if (!past->stream) status = scadyg_stream_open(view->messages, &past->stream, error);
    while (!status && past->added < seen) {
        const uint64_t count = seen - past->added < most ? seen - past->added : most;
        status = scadyg_stream_add_events(past->stream, view->events, past->added, count, error);
        past->added += count;
    }
    if (status) {
        sg_past_reader_rewind(past);
        return status;
    }
    past->at = at;
    return SCADYG_OK;
}

int sg_past_reader_read(sg_past_reader *past, int64_t step, double at, uint64_t seen, const uint32_t *nodes,
                        size_t count, float *out, scadyg_error *error)
{
    const sg_view *view = past->rows->view;
    const size_t width = view->width;
    if (sg_train_of(view->model)->stepwise)
        return read_step(past->rows, sg_view_step(view, step, at, seen), nodes, count, out, error);
    int status = follow_log(past, at, seen, error);
    for (size_t i = 0; i < count && !status; i++) {
        status = scadyg_stream_read(past->stream, nodes[i], at, past->message, error);
        for (size_t j = 0; j < width && !status; j++) out[i * width + j] = (float)past->message[j];
    }
    if (!status) sg_normalise_rows(NULL, view->model, out, count);
    return status;
}
