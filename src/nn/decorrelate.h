/*
 * Inputs that rise and fall together (counts at several rates, ages by clock and by events) make a valley of the loss that is
 * long and narrow, in which Adam creeps. Weights W of such inputs x are therefore learned as weights V of inputs M x that hardly
 * go together, W = M V: Adam moves V, and W is what the net is made of, so that nothing is different once it is learned.
 * M = ((C + r) / (1 + r))^(-1/2), C the correlations of the inputs: of all such M the one that changes them least.
 */
#ifndef SG_NN_DECORRELATE_H
#define SG_NN_DECORRELATE_H

#include "base/status.h"

/* Sums over rows of how columns go together. */
typedef struct sg_covariance {
    size_t width;
    uint64_t count;
    double *first, *sum; /* [width]; sums are of what a row has more than the first one */
    double *product;     /* [width][width], up to the diagonal */
} sg_covariance;

int sg_covariance_open(sg_covariance *covariance, size_t width, scadyg_error *error);
void sg_covariance_close(sg_covariance *covariance);
void sg_covariance_add(sg_covariance *covariance, const float *row);

/* M and its inverse, [width][width] each, of columns that are multiplied by scale[width]. */
int sg_decorrelate(const sg_covariance *covariance, const float *scale, float *matrix, float *inverse,
                   scadyg_error *error);

#endif
