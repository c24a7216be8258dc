/*
 * Products of matrices: by BLAS where there is one and they are large enough to profit, else by the inner loops, which
 * give the same bytes on every processor. All of a net without node features is small. BLAS is called from our own
 * threads and should have none of its own.
 */
#ifndef SG_NN_GEMM_H
#define SG_NN_GEMM_H

#include "base/status.h"
#include "nn/kernels.h"

/* Multiplications from which BLAS is faster: measured, see bench/bench_model.c. */
#define SG_BLAS_FROM ((size_t)1 << 20)

/*
 * Before the first of products with up to a * b * c multiplications: SCADYG_E_MEMORY if there is none for them. After that
 * they cannot fail, from any number of threads.
 */
int sg_gemm_ready(size_t a, size_t b, size_t c, scadyg_error *error);

/* As sg_kernels.mix and .outer. */
void sg_gemm_lanes(const sg_kernels *kernels, size_t outputs, size_t inputs, size_t lanes, sg_weights weights,
                   const float *bias, const float *x, float *out);
void sg_gemm_outer(const sg_kernels *kernels, size_t rows, size_t columns, size_t lanes, const float *x,
                   const float *y, float *out);

/* As sg_kernels.rows, for a slice of nodes; BLAS rounds by the size of the slice, so it must be a fixed one. */
void sg_gemm_rows(const sg_kernels *kernels, size_t outputs, size_t inputs, size_t count, const float *a,
                  const float *bias, const float *x, float *out);

#endif
