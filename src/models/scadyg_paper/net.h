/*
 * The net: what is learned, and nothing else.
 *
 * All learned numbers are one array of floats, so that Adam, files and checks see one thing. Its groups, in order:
 *
 *   W [d][d], Wr [d][d], Wp [d]                     the hypernetwork (absent with --without hypernetwork)
 *   fc1.weight [in][hidden], fc1.bias [hidden]      the predictor; in = 2d for links ([h_u || h_v]), d for affinity
 *   fc2.weight [hidden][out], fc2.bias [out]        out = 1 for links, classes for affinity
 *
 * Weights of the head are input-major (the transpose of PyTorch's), so that a row is contiguous over hidden units.
 */
#ifndef SG_MODELS_SCADYG_PAPER_NET_H
#define SG_MODELS_SCADYG_PAPER_NET_H

#include "base/context.h"
#include "base/hash.h"
#include "nn/kernels.h"

typedef struct sg_net {
    int task;         /* SG_TASK_... */
    int hypernetwork; /* 0: h = m */
    size_t width;     /* d */
    size_t hidden;
    size_t outputs; /* 1, or classes */

    /* Where each group begins, and the number of all. Set by sg_net_make. */
    size_t w, wr, wp, fc1, fc1_bias, fc2, fc2_bias, count;
} sg_net;

void sg_net_make(sg_net *net, int task, int hypernetwork, size_t width, size_t hidden, size_t outputs);

/* Group i, from 0: its name, its place and shape; NULL after the last. Vectors have one row. */
const char *sg_net_group(const sg_net *net, size_t i, size_t *begin, size_t *rows, size_t *columns);

/* First values: uniform in +-1/sqrt(in) for each layer, in = d for the hypernetwork, as PyTorch does. */
void sg_net_init(const sg_net *net, uint64_t seed, float *values);

/*
 * Learning works on a workspace: scratch memory for batches of at most `batch` pairs or nodes. Wide nets spread a batch
 * over threads in fixed pieces; narrow ones do not, since a batch takes microseconds. Same bytes for any number.
 */
typedef struct sg_workspace sg_workspace;

int sg_workspace_open(scadyg_context *context, const sg_net *net, size_t batch, sg_workspace **workspace,
                      scadyg_error *error);
void sg_workspace_close(sg_workspace *workspace); /* NULL is fine */

/*
 * Links: pair k is (rows[left[k]], rows[right[k]]) with label[k] 0 or 1, where rows[.][width] are messages. Writes
 * the gradient of the mean loss (binary cross entropy from the logit) to gradient[net->count], returns that loss.
 */
double sg_link_gradient(sg_workspace *workspace, const float *values, const float *rows, const uint32_t *left,
                        const uint32_t *right, const float *label, size_t count, float *gradient);

/*
 * Affinity: case k is node message rows[row[k]] with the label distribution of entries first[k] .. first[k+1]-1:
 * weight[e] on class class_of[e]; a case's weights sum to 1. Mean cross entropy over the cases.
 */
double sg_affinity_gradient(sg_workspace *workspace, const float *values, const float *rows, const uint32_t *row,
                            const size_t *first, const uint32_t *class_of, const float *weight, size_t count,
                            float *gradient);

/* ---- Inference, on any number of threads, same bytes ---- */

/* h[count][width] of messages rows[count][width]. The embedding. */
int sg_embed(scadyg_context *context, const sg_net *net, const float *values, const float *rows, size_t count,
             float *h, scadyg_error *error);

/*
 * Links: fc1 splits into a part of the source and one of the destination, computed once per node:
 * left[count][hidden] = h A_u + bias, right[count][hidden] = h A_v. Either may be NULL.
 */
int sg_link_sides(scadyg_context *context, const sg_net *net, const float *values, const float *h, size_t count,
                  float *left, float *right, scadyg_error *error);

/* Logits of pairs (left[src[k]], right[dst[k]]). src NULL: row 0 for all; dst NULL: row k for pair k. */
void sg_link_scores(scadyg_context *context, const sg_net *net, const float *values, const float *left,
                    const uint32_t *src, const float *right, const uint32_t *dst, size_t count, double *score);

/* Affinity: logits[count][outputs] of h[count][width]. */
int sg_affinity_logits(scadyg_context *context, const sg_net *net, const float *values, const float *h,
                       size_t count, float *logits, scadyg_error *error);

/*
 * The workspace: scratch memory for a batch, and the hypernetwork over its nodes.
 *
 * Nodes stand in pieces of `piece` lanes, each with matrices [d][piece]. A narrow net (below SG_DISTINCT_FROM) takes
 * the rows of a batch as they come, one piece for each side of the pairs, so that the pieces are the input of the head.
 * Else each distinct row is computed once: a row number often occurs several times in a batch. Up to SG_NARROW the
 * sigmoids are kept for the gradient, which is faster than computing them again, and there is one piece; wider nets
 * have pieces of SG_PIECE nodes for the threads.
 */

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
    sg_hash_key key;
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
