/* Inputs that rise and fall together, taken apart. */
#include "nn/decorrelate.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

#define RIDGE 2.0 /* what hardly varies by itself is not blown up: docs/accuracy.md, "Decorrelated inputs" */
#define SWEEPS 30 /* at most; it takes about eight */
#define NOTHING 1e-12

int sg_covariance_open(sg_covariance *c, size_t width, scadyg_error *error)
{
    *c = (sg_covariance){.width = width};
    c->first = sg_alloc_zero(width * (width + 2), sizeof *c->first);
    if (!c->first) return sg_fail_memory(error, "the correlations of the inputs");
    c->sum = c->first + width;
    c->product = c->sum + width;
    return SCADYG_OK;
}

void sg_covariance_close(sg_covariance *c)
{
    free(c->first);
    *c = (sg_covariance){0};
}

void sg_covariance_add(sg_covariance *c, const float *row)
{
    const size_t width = c->width;
    for (size_t i = 0; i < width && c->count == 0; i++) c->first[i] = (double)row[i];
    c->count++;
    for (size_t i = 0; i < width; i++) {
        const double x = (double)row[i] - c->first[i];
        double *to = c->product + i * width;
        c->sum[i] += x;
        for (size_t j = 0; j <= i && x != 0; j++) to[j] += x * ((double)row[j] - c->first[j]);
    }
}

/* [width][width] */
static void scale_covariance(const sg_covariance *c, const float *scale, double *to)
{
    const size_t width = c->width;
    const double share = c->count ? 1 / (double)c->count : 0;
    for (size_t i = 0; i < width; i++)
        for (size_t j = 0; j <= i; j++) {
            const double together = c->product[i * width + j] * share - c->sum[i] * share * (c->sum[j] * share);
            to[i * width + j] = to[j * width + i] = together * (double)scale[i] * (double)scale[j];
        }
}

/* Columns p and q of a, or its rows, turned by an angle with this cosine and sine. */
static void turn(size_t width, double *a, size_t p, size_t q, size_t step, double cosine, double sine)
{
    for (size_t i = 0; i < width; i++, p += step, q += step) {
        const double x = a[p], y = a[q];
        a[p] = cosine * x - sine * y;
        a[q] = sine * x + cosine * y;
    }
}

/* Jacobi's rotations: a becomes diagonal, the columns of v are its eigenvectors. Returns the number of rotations. */
static size_t sweep(size_t width, double *a, double *v)
{
    size_t turned = 0;
    for (size_t p = 0; p < width; p++)
        for (size_t q = p + 1; q < width; q++) {
            const double between = a[p * width + q];
            if (fabs(between) < NOTHING) continue;
            const double half = (a[q * width + q] - a[p * width + p]) / (2 * between);
            const double tangent = (half >= 0 ? 1 : -1) / (fabs(half) + sqrt(half * half + 1));
            const double cosine = 1 / sqrt(tangent * tangent + 1), sine = tangent * cosine;
            turn(width, a, p, q, width, cosine, sine);
            turn(width, a, p * width, q * width, 1, cosine, sine);
            turn(width, v, p, q, width, cosine, sine);
            turned++;
        }
    return turned;
}

/* V f(eigenvalues) V^T */
static void compose(size_t width, const double *v, const double *factor, float *to)
{
    for (size_t i = 0; i < width; i++)
        for (size_t j = 0; j < width; j++) {
            double sum = 0;
            for (size_t k = 0; k < width; k++) sum += v[i * width + k] * factor[k] * v[j * width + k];
            to[i * width + j] = (float)sum;
        }
}

int sg_decorrelate(const sg_covariance *c, const float *scale, float *matrix, float *inverse, scadyg_error *error)
{
    const size_t width = c->width;
    double *a = NULL, *v = NULL, *factor = NULL;
    if (SG_ALLOC(SG_ARRAY(a, width * width), SG_ARRAY(v, width * width), SG_ARRAY(factor, width))) {
        SG_FREE(a, v, factor);
        return sg_fail_memory(error, "the correlations of the inputs");
    }
    scale_covariance(c, scale, a);
    for (size_t i = 0; i < width * width; i++) v[i] = i % (width + 1) == 0;
    for (int i = 0; i < SWEEPS && sweep(width, a, v); i++) continue;
    for (size_t k = 0; k < width; k++) factor[k] = sqrt((1 + RIDGE) / (fmax(a[k * width + k], 0) + RIDGE));
    compose(width, v, factor, matrix);
    for (size_t k = 0; k < width; k++) factor[k] = 1 / factor[k];
    compose(width, v, factor, inverse);
    SG_FREE(a, v, factor);
    return SCADYG_OK;
}
