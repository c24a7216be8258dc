/*
 * The workspace: scratch memory for a batch, and the hypernetwork over its nodes.
 *
 * Nodes stand in pieces of `piece` lanes, each with matrices [d][piece]. A narrow net (below SG_DISTINCT_FROM) takes
 * the rows of a batch as they come, one piece for each side of the pairs, so that the pieces are the input of the head.
 * Else each distinct row is computed once: a row number often occurs several times in a batch. Up to SG_NARROW the
 * sigmoids are kept for the gradient, which is faster than computing them again, and there is one piece; wider nets
 * have pieces of SG_PIECE nodes for the threads.
 */
#ifndef SG_MODELS_SCADYG_PAPER_WORKSPACE_H
#define SG_MODELS_SCADYG_PAPER_WORKSPACE_H

#include "models/scadyg_paper/net.h"

#define SG_DISTINCT_FROM 12
#define SG_NARROW 16
#define SG_PIECE 32

struct sg_workspace {
    sg_net net;
    const sg_kernels *kernels;
    size_t batch;
    scadyg_context *context;
    size_t sides;  /* 2 for links: both ends */
    size_t inputs; /* of the head: sides * d */

    /* The batch at hand. */
    size_t count, lanes;  /* pairs or nodes, and that rounded up */
    size_t nodes;         /* rows in the pieces */
    size_t piece, pieces; /* lanes of a piece, number of pieces */
    const float *rows, *values;
    const uint32_t *index[2]; /* of the sides */
    size_t table_mask;
    int table_shift;
    uint32_t *table;  /* hashed row -> its place + 1, or 0 */
    uint32_t *row_at; /* place -> row */
    uint32_t *place;  /* [sides][count] */

    float *m, *r, *h, *dh, *dr; /* [pieces][d][piece] */
    float *s;                   /* [pieces][d][d][piece], or NULL */
    float *part;                /* [pieces][2 d^2 + d] gradients of the pieces */
    float *z, *dz;              /* [inputs][lanes] input of the head and its gradient */
    float *x;                   /* [hidden][lanes] hidden units before the relu, then gates */
    float *dx;                  /* affinity: [hidden][lanes] */
    float *logit, *slope;       /* [outputs][lanes]; slope for links only */
    float *log_sum;             /* affinity: [lanes] */
    float *scaled;              /* [inputs][hidden], links */
    float *sums;                /* [hidden] */
    float *block;               /* the memory of all matrices */
};

/* Input of the head, [inputs][lanes], of a batch of rows[index[side][k]]; NULL index[1] for one side. */
const float *sg_workspace_forward(sg_workspace *workspace, const float *values, const float *rows,
                                  const uint32_t *first, const uint32_t *second, size_t count);

/* The gradient of the hypernetwork from that of the head's input, to gradient[w .. wp+d). dz is used up. */
void sg_workspace_backward(sg_workspace *workspace, float *gradient);

#endif
