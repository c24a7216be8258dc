/*
 * The hypernetwork of the method: h_i = sum over j of S_ij W_ij m_j with S_ij = sigmoid(r_i p_j), r = Wr m. Its inner
 * loops are grid_forward and grid_backward of kernels.h; this is the matrix S * W of one message, to look at.
 */
#ifndef SG_NN_HYPERNETWORK_H
#define SG_NN_HYPERNETWORK_H

#include <stddef.h>

/* matrix[d][d] of a message row[d], from W [d][d], Wr [d][d] and Wp [d]. */
void sg_hyper_matrix(size_t d, const float *w, const float *wr, const float *wp, const float *row, float *matrix);

#endif
