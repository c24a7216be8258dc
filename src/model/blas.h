/*
 * Products of matrices, by OpenBLAS where they are large enough to profit. Small ones, and all of a net without node
 * features, go to the inner loops, which give the same bytes on every processor.
 */
#ifndef SG_MODEL_BLAS_H
#define SG_MODEL_BLAS_H

#include "model/kernels.h"

/* Multiplications from which OpenBLAS is faster. Measured: see bench_model. */
#define SG_BLAS_FROM ((size_t)1 << 20)

/* As sg_kernels.mix and .outer. */
void sg_gemm_lanes(const sg_kernels *kernels, size_t outputs, size_t inputs, size_t lanes, sg_weights weights,
                   const float *bias, const float *x, float *out);
void sg_gemm_outer(const sg_kernels *kernels, size_t rows, size_t columns, size_t lanes, const float *x,
                   const float *y, float *out);

/* As sg_kernels.rows, for a slice of nodes; OpenBLAS rounds by the size of the slice, so it must be a fixed one. */
void sg_gemm_rows(const sg_kernels *kernels, size_t outputs, size_t inputs, size_t count, const float *a,
                  const float *bias, const float *x, float *out);

#endif
