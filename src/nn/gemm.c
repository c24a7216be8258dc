/* Products of matrices. */
#include "nn/gemm.h"

#ifdef SCADYG_HAVE_BLAS
#include <cblas.h>
#endif
#include <string.h>

#ifdef SCADYG_HAVE_BLAS

/* Whether a product is worth a call, and of a size it can take. */
static int is_large(size_t a, size_t b, size_t c)
{
    const size_t most = (size_t)1 << 30;
    return a >= 8 && b >= 8 && c >= 8 && a < most && b < most && c < most && a * b >= SG_BLAS_FROM / c;
}

void sg_gemm_lanes(const sg_kernels *kernels, size_t outputs, size_t inputs, size_t lanes, sg_weights weights,
                   const float *bias, const float *x, float *out)
{
    if (!is_large(outputs, inputs, lanes)) {
        kernels->mix(outputs, inputs, lanes, weights, bias, x, out);
        return;
    }
    for (size_t o = 0; bias && o < outputs; o++)
        for (size_t i = 0; i < lanes; i++) out[o * lanes + i] = bias[o];
    const int by_inputs = weights.outer == 1;
    cblas_sgemm(CblasRowMajor, by_inputs ? CblasTrans : CblasNoTrans, CblasNoTrans, (blasint)outputs,
                (blasint)lanes, (blasint)inputs, 1, weights.at,
                (blasint)(by_inputs ? weights.inner : weights.outer), x, (blasint)lanes, bias ? 1 : 0, out,
                (blasint)lanes);
}

void sg_gemm_outer(const sg_kernels *kernels, size_t rows, size_t columns, size_t lanes, const float *x,
                   const float *y, float *out)
{
    if (!is_large(rows, columns, lanes)) {
        kernels->outer(rows, columns, lanes, x, y, out);
        return;
    }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (blasint)rows, (blasint)columns, (blasint)lanes, 1, x,
                (blasint)lanes, y, (blasint)lanes, 0, out, (blasint)columns);
}

void sg_gemm_rows(const sg_kernels *kernels, size_t outputs, size_t inputs, size_t count, const float *a,
                  const float *bias, const float *x, float *out)
{
    if (!is_large(outputs, inputs, count)) {
        kernels->rows(outputs, inputs, count, a, bias, x, out);
        return;
    }
    for (size_t n = 0; bias && n < count; n++) memcpy(out + n * outputs, bias, outputs * sizeof *out);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)count, (blasint)outputs, (blasint)inputs, 1, x,
                (blasint)inputs, a, (blasint)outputs, bias ? 1 : 0, out, (blasint)outputs);
}

#else

void sg_gemm_lanes(const sg_kernels *kernels, size_t outputs, size_t inputs, size_t lanes, sg_weights weights,
                   const float *bias, const float *x, float *out)
{
    kernels->mix(outputs, inputs, lanes, weights, bias, x, out);
}

void sg_gemm_outer(const sg_kernels *kernels, size_t rows, size_t columns, size_t lanes, const float *x,
                   const float *y, float *out)
{
    kernels->outer(rows, columns, lanes, x, y, out);
}

void sg_gemm_rows(const sg_kernels *kernels, size_t outputs, size_t inputs, size_t count, const float *a,
                  const float *bias, const float *x, float *out)
{
    kernels->rows(outputs, inputs, count, a, bias, x, out);
}

#endif
