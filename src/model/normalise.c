/* Messages brought to a size a net can learn from. */
#include "base/workers.h"
#include "base/parallel.h"
#include "model/model.h"

#include <float.h>
#include <math.h>
#include <string.h>

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

static void normalise_piece(void *context, size_t piece)
{
    const work *w = context;
    const scadyg_model *model = w->model;
    const int how = model->options.normalise;
    const size_t begin = piece * w->per_piece;
    const size_t end = w->count - begin < w->per_piece ? w->count : begin + w->per_piece;
    if (how == SCADYG_NORMALISE_LOG || how == SCADYG_NORMALISE_LOG_STANDARD)
        for (size_t i = begin * w->width; i < end * w->width; i++) w->rows[i] = signed_log(w->rows[i]);
    if (how != SCADYG_NORMALISE_STANDARD && how != SCADYG_NORMALISE_LOG_STANDARD) return;
    if (!model->mean || !model->scale) return; /* not learned yet */
    for (size_t row = begin; row < end; row++) {
        float *x = w->rows + row * w->width;
        for (size_t j = 0; j < w->width; j++) x[j] = (x[j] - model->mean[j]) * model->scale[j];
    }
}

void sg_model_normalise(const scadyg_model *model, float *rows, size_t count, int threads)
{
    const size_t width = model->net.width;
    if (model->options.normalise == SCADYG_NORMALISE_NONE || !width || !count) return;
    const size_t per_piece = width < PIECE_NUMBERS ? PIECE_NUMBERS / width : 1;
    work w = {model, rows, count, width, per_piece};
    sg_parallel_for(threads, (count + per_piece - 1) / per_piece, normalise_piece, &w);
}

/* ---- Head pair: rows of nodes and of pairs, which have their logarithms already ---- */

#define FARTHEST 8.0f /* deviations; what lies beyond teaches nothing but its direction */

typedef struct pair_work {
    const float *mean, *scale;
    float *rows;
    size_t count, width, per_piece;
} pair_work;

static void standardise_piece(void *context, size_t worker, size_t piece)
{
    const pair_work *w = context;
    (void)worker;
    const size_t begin = piece * w->per_piece;
    const size_t end = w->count - begin < w->per_piece ? w->count : begin + w->per_piece;
    for (size_t row = begin; row < end; row++) {
        float *x = w->rows + row * w->width;
        for (size_t j = 0; j < w->width; j++) {
            float z = (x[j] - w->mean[j]) * w->scale[j];
            z = z < FARTHEST ? z : FARTHEST;
            x[j] = z > -FARTHEST ? z : -FARTHEST;
        }
    }
}

static void standardise(pair_work w, sg_workers *workers)
{
    w.per_piece = w.width < PIECE_NUMBERS ? PIECE_NUMBERS / w.width : 1;
    if (w.count) sg_workers_run(workers, (w.count + w.per_piece - 1) / w.per_piece, standardise_piece, &w);
}

void sg_model_normalise_pairs(const scadyg_model *model, float *nodes, size_t node_count, float *between,
                              size_t pairs, sg_workers *workers)
{
    const size_t node = model->pair.node, width = model->pair.rates + model->pair.rest;
    standardise((pair_work){model->mean, model->scale, nodes, node_count, node, 0}, workers);
    standardise((pair_work){model->mean + node, model->scale + node, between, pairs, width, 0}, workers);
}
