/*
 * Looking into a model: the weights of a node, and memory curves, what one contact of some age still does to the first layer of the head.
 *
 * A contact of age a stands in column j as f(exp(-g_j a)), with f the logarithm where the model takes one. The source's
 * weights turn the columns into what the hidden units see, a vector A_j for each column, so all that is left of the
 * contact is the vector sum over j of A_j f(exp(-g_j a)). The curve is its length, over the length at age 0.
 */
#include "predict/predictor.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

typedef struct mix {
    size_t columns, hidden;
    const double *rates; /* [columns] */
    double *vectors;     /* [columns][hidden] */
    int is_logarithm;    /* f(x) = log(1 + x), else x */
} mix;

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

static int read_rates(const scadyg_predictor *p, mix *m, scadyg_error *error)
{
    const sg_kind *kind = p->model->kind;
    if (!kind->memory_rates) return sg_predictor_cannot(p, "memory curves", error);
    return kind->memory_rates(sg_predictor_state(p), &m->columns, &m->rates, &m->is_logarithm, error);
}

int scadyg_memory_curve(scadyg_predictor *p, uint32_t node, double at, const double *ages, size_t count,
                        double *out, scadyg_error *error)
{
    mix m = {0};
    int status = read_rates(p, &m, error);
    if (!status) status = sg_predictor_check_node(p, node, error);
    if (!status) status = sg_predictor_check_time(p, at, error);
    for (size_t i = 0; i < count && !status; i++)
        if (!(ages[i] >= 0)) status = sg_fail(error, SCADYG_E_USAGE, "an age is a number that is not negative");
    if (status) return status;
    const sg_nodes_asked asked = {at, sg_predictor_seen(p, at), &node, 1};
    status = p->model->kind->memory_vectors(sg_predictor_state(p), &asked, &m.hidden, &m.vectors, error);
    const double first = status ? 0 : length_at(&m, 0);
    for (size_t i = 0; i < count && !status; i++) out[i] = first > 0 ? length_at(&m, ages[i]) / first : 0;
    free(m.vectors);
    return status;
}

int scadyg_memory_rates(const scadyg_predictor *p, double *slowest, double *fastest, scadyg_error *error)
{
    mix m = {0};
    int status = read_rates(p, &m, error);
    if (status) return status;
    *slowest = INFINITY, *fastest = 0;
    for (size_t j = 0; j < m.columns; j++) {
        if (m.rates[j] < *slowest) *slowest = m.rates[j];
        if (m.rates[j] > *fastest) *fastest = m.rates[j];
    }
    return SCADYG_OK;
}

int scadyg_node_weights(scadyg_predictor *p, uint32_t node, double at, float *out, scadyg_error *error)
{
    if (!p->model->kind->node_weights) return sg_predictor_cannot(p, "node weights", error);
    int status = sg_predictor_check_node(p, node, error);
    if (!status) status = sg_predictor_check_time(p, at, error);
    if (status) return status;
    const sg_nodes_asked asked = {at, sg_predictor_seen(p, at), &node, 1};
    return p->model->kind->node_weights(sg_predictor_state(p), &asked, out, error);
}
