/*
 * Memory curves: what one contact of some age still does to the first layer of the head.
 *
 * A contact of age a stands in column j as f(exp(-g_j a)), with f the logarithm where the model takes one. The source's
 * weights turn the columns into what the hidden units see, a vector A_j for each column, so all that is left of the
 * contact is the vector sum over j of A_j f(exp(-g_j a)). The curve is its length, over the length at age 0.
 */
#include "base/memory.h"
#include "tasks/predictor.h"

#include <math.h>
#include <stdlib.h>

typedef struct mix {
    size_t columns, hidden;
    double *rates;    /* [columns] */
    double *vectors;  /* [columns][hidden] */
    int is_logarithm; /* f(x) = log(1 + x), else x */
} mix;

static int mix_open(mix *m, size_t columns, size_t hidden, scadyg_error *error)
{
    m->columns = columns;
    m->hidden = hidden;
    m->rates = sg_alloc_zero(columns, sizeof *m->rates);
    m->vectors = sg_alloc_zero(columns * hidden, sizeof *m->vectors);
    return m->rates && m->vectors ? SCADYG_OK : sg_fail_memory(error, "a memory curve");
}

static void mix_close(mix *m)
{
    free(m->rates);
    free(m->vectors);
}

/* Adds weight times a row of fc1 to the vector of a column. */
static void add_row(mix *m, size_t column, const float *row, double weight)
{
    for (size_t h = 0; h < m->hidden; h++) m->vectors[column * m->hidden + h] += weight * (double)row[h];
}

static double length_at(const mix *m, double age)
{
    double square = 0;
    for (size_t h = 0; h < m->hidden; h++) {
        double sum = 0;
        for (size_t j = 0; j < m->columns; j++) {
            const double left = exp(-m->rates[j] * age);
            sum += m->vectors[j * m->hidden + h] * (m->is_logarithm ? log1p(left) : left);
        }
        square += sum * sum;
    }
    return sqrt(square);
}

/* ---- Head pair: the decayed counts of source -> destination ---- */

static double pair_rate(const scadyg_model *model, unsigned without, size_t j)
{
    return model->plan.rates.rate[without & SG_WITHOUT_MULTIRATE ? 1 : j];
}

static void fill_pair(const scadyg_model *model, unsigned without, const float *message, mix *m)
{
    const sg_pair_net *net = &model->pair;
    const float *values = model->values, *fc1 = values + net->fc1 + 2 * net->node * net->hidden;
    const float *scale = model->scale + net->node;
    m->is_logarithm = 1;
    for (size_t j = 0; j < m->columns; j++) {
        m->rates[j] = pair_rate(model, without, j);
        if (!net->hypernetwork) add_row(m, j, fc1 + j * net->hidden, (double)scale[j]);
    }
    for (size_t i = 0; i < SG_MIXES && net->hypernetwork; i++) {
        double r = 0;
        for (size_t k = 0; k < net->node; k++)
            r += (double)values[net->vr + i * net->node + k] * (double)message[k];
        for (size_t j = 0; j < m->columns; j++) {
            const double gate = 1 / (1 + exp(-r * (double)values[net->vp + j]));
            add_row(m, j, fc1 + i * net->hidden,
                    gate * (double)values[net->v + i * net->rates + j] * (double)scale[j]);
        }
    }
}

/* ---- Head paper: the columns of the first hop ---- */

static int fill_paper(const scadyg_predictor *p, const float *message, mix *m, scadyg_error *error)
{
    const scadyg_model *model = p->model;
    const sg_net *net = &model->net;
    const size_t d = net->width;
    const int how = model->options.normalise;
    float *matrix = sg_alloc(d * d, sizeof *matrix);
    if (!matrix) return sg_fail_memory(error, "a memory curve");
    sg_node_matrix(net, model->values, message, matrix);
    m->is_logarithm = how == SCADYG_NORMALISE_LOG || how == SCADYG_NORMALISE_LOG_STANDARD;
    for (size_t j = 0; j < m->columns; j++) {
        m->rates[j] = scadyg_messages_rates(p->inputs.messages)[j];
        for (size_t i = 0; i < d; i++)
            add_row(m, j, model->values + net->fc1 + i * net->hidden,
                    (double)matrix[i * d + j] * (model->scale ? (double)model->scale[j] : 1));
    }
    free(matrix);
    return SCADYG_OK;
}

/* ---- The calls ---- */

static int check(const scadyg_predictor *p, unsigned *without, scadyg_error *error)
{
    int status = sg_predictor_check_learned(p, "memory curves", error);
    if (!status) status = sg_without(p->model->options.without, without, error);
    if (!status && p->model->mix.count)
        status = sg_fail(
            error, SCADYG_E_USAGE,
            "an affinity model with --head pair weighs earlier labels, not events; it has no memory curves");
    if (!status && sg_model_reads_pairs(p->model) && *without & SG_WITHOUT_PAIRS)
        status =
            sg_fail(error, SCADYG_E_USAGE, "the model was trained without pairs, whose memory the curve shows");
    return status;
}

static size_t columns_of(const scadyg_predictor *p)
{
    return sg_model_reads_pairs(p->model) ? SG_RATES
                                          : p->inputs.width / (size_t)sg_model_messages_options(p->model).hops;
}

int scadyg_memory_curve(scadyg_predictor *p, uint32_t node, double at, const double *ages, size_t count,
                        double *out, scadyg_error *error)
{
    unsigned without = 0;
    const size_t columns = columns_of(p);
    int status = check(p, &without, error);
    if (!status) status = sg_predictor_check_node(p, node, error);
    if (!status) status = sg_predictor_check_time(p, at, error);
    for (size_t i = 0; i < count && !status; i++)
        if (!(ages[i] >= 0)) status = sg_fail(error, SCADYG_E_USAGE, "an age is a number that is not negative");
    if (status) return status;
    const int pairs = sg_model_reads_pairs(p->model);
    mix m = {0};
    float *message = sg_alloc(pairs ? p->model->pair.node : p->inputs.width, sizeof *message);
    status = message ? mix_open(&m, columns, pairs ? p->model->pair.hidden : p->model->net.hidden, error)
                     : sg_fail_memory(error, "a message");
    if (!status) status = sg_predictor_message(p, node, at, message, error);
    if (!status && pairs) fill_pair(p->model, without, message, &m);
    if (!status && !pairs) status = fill_paper(p, message, &m, error);
    const double first = status ? 0 : length_at(&m, 0);
    for (size_t i = 0; i < count && !status; i++) out[i] = first > 0 ? length_at(&m, ages[i]) / first : 0;
    mix_close(&m);
    free(message);
    return status;
}

int scadyg_memory_rates(const scadyg_predictor *p, double *slowest, double *fastest, scadyg_error *error)
{
    unsigned without = 0;
    int status = check(p, &without, error);
    if (status) return status;
    const double *rates = sg_model_reads_pairs(p->model) ? NULL : scadyg_messages_rates(p->inputs.messages);
    *slowest = INFINITY, *fastest = 0;
    for (size_t j = 0; j < columns_of(p); j++) {
        const double rate = rates ? rates[j] : pair_rate(p->model, without, j);
        if (rate < *slowest) *slowest = rate;
        if (rate > *fastest) *fastest = rate;
    }
    return SCADYG_OK;
}
