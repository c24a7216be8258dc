/* The inner loops, for any processor. */
#define KERNEL_TARGET
#define KERNEL_TABLE sg_kernels_any
#include "nn/kernels.inc"

void sg_hyper_matrix(size_t d, const float *w, const float *wr, const float *wp, const float *row, float *matrix)
{
    for (size_t i = 0; i < d; i++) {
        double r = 0;
        for (size_t j = 0; j < d; j++) r += (double)wr[i * d + j] * (double)row[j];
        for (size_t j = 0; j < d; j++)
            matrix[i * d + j] = (float)((double)w[i * d + j] / (1 + exp(-r * (double)wp[j])));
    }
}
