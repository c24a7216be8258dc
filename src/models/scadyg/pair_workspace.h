/*
 * Inside the pair net: its weights as the inner loops read them, and the piece, some pairs that are computed together.
 *
 * fc1 z is a sum of the parts of h_u, h_v, g and s. The parts of nodes are computed once per distinct row and end:
 * a piece lists the distinct rows of its pairs, the sources first, and has a table of their parts ("sides"). Rows of
 * tables are padded with zeros to a multiple of 8.
 *
 * A piece is small enough for forward and backward to find everything in the second-level cache, and no number of one
 * depends on another piece, so threads take pieces in any order.
 */
#ifndef SG_MODELS_SCADYG_PAIR_WORKSPACE_H
#define SG_MODELS_SCADYG_PAIR_WORKSPACE_H

#include "models/scadyg/pair_net.h"

/* Pairs of a piece; a piece of learning has whole cases and is as near as that allows. */
#define SG_PAIR_PIECE 96

/* The learned numbers as the inner loops read them. */
typedef struct sg_pair_weights {
    sg_pair_net net;
    const sg_kernels *kernels;
    const float *values;
    size_t node, width, width2; /* padded: messages, hidden units */
    size_t plain;               /* numbers between the nodes that go to fc1 as they are: s, or c and s */
    size_t pitch, pitch2;       /* of hidden units */

    float *left, *right, *mix, *rest;                       /* panels of fc1: of h_u, h_v, g and the plain ones */
    float *second;                                          /* panels of fc2 */
    float *bias, *bias2, *third;                            /* [width], [width2], [SG_OUTPUTS][width2] fc3 */
    float *vr, *v;                                          /* panels of Vr, V as [rates][SG_MIXES] */
    float *left_back, *right_back, *mix_back, *second_back; /* panels of the transposed, for learning */
    float *block;
} sg_pair_weights;

int sg_pair_weights_open(const sg_pair_net *net, int learning, sg_pair_weights *weights);
void sg_pair_weights_set(sg_pair_weights *weights, const float *values);
void sg_pair_weights_close(sg_pair_weights *weights);

/* What pairs take from their nodes: rows of `width`, and how a source weights the rates. */
typedef struct sg_pair_sides {
    float *left, *right; /* h A_u + b1, h A_v */
    float *s, *t;        /* [sources][rates][SG_MIXES], see sg_mixer */
} sg_pair_sides;

typedef struct sg_pair_piece {
    const sg_pair_weights *weights;
    size_t pairs; /* at most */
    int learning;

    /* Distinct rows: first those of sources, then the others. */
    size_t sources, nodes;
    uint32_t *row_at;
    uint32_t *left_at, *right_at; /* of pairs: the place among sources, among others */
    uint32_t *table;              /* hashed row -> place + 1, or 0 */
    size_t table_mask;
    int table_shift;

    size_t lanes;               /* nodes rounded up */
    float *m, *r, *h, *dh, *dr; /* [node][lanes] */
    float *kept;                /* [node][node][lanes] S, if it is small enough */
    float *h_rows, *dh_rows;    /* [nodes][padded node] */
    float *m_rows, *mixer_r;    /* of sources, [padded node] and [SG_MIXES] */
    sg_pair_sides sides;
    float *dside, *dt, *mixer_dr;
    float *grid_part; /* gradient of the hypernetwork */

    float *g;        /* [pairs][SG_MIXES] */
    float *base;     /* [pairs][pitch] fc1 z but for the plain ones; going back, the slope of the hidden units */
    float *x1, *x2;  /* [pairs][pitch], [pairs][pitch2] after the relus */
    float *dx2, *dg; /* [pairs][pitch2], [pairs][SG_MIXES] */
    float *slope[SG_OUTPUTS]; /* [pairs], of the loss at each output */
    float *block;
} sg_pair_piece;

int sg_pair_piece_open(const sg_pair_weights *weights, size_t pairs, int learning, sg_pair_piece *piece);
void sg_pair_piece_close(sg_pair_piece *piece);

/* Lists the distinct rows of pairs first .. first + count - 1 and where each pair finds its two. */
void sg_pair_place(sg_pair_piece *piece, const sg_pair_rows *rows, size_t first, size_t count);

/* Where S is kept for the way back; NULL: it is computed again. */
float *sg_pair_kept(const sg_pair_piece *piece);

/* h_rows of the rows listed. */
void sg_pair_embed_listed(sg_pair_piece *piece, const float *nodes);

/* From h_rows to sides: `sources` rows from place 0, the others after them. */
void sg_pair_side_listed(sg_pair_piece *piece, const float *nodes, const sg_pair_sides *sides);

/* Pairs whose sides are there, up to the last hidden units; then one output of them. */
void sg_pair_forward(sg_pair_piece *piece, const sg_pair_rows *rows, size_t first, size_t count,
                     const sg_pair_sides *sides);
void sg_pair_output(const sg_pair_piece *piece, size_t count, int output, double *score);

/* The gradient of a piece, padded like the weights: where each group begins. */
typedef struct sg_pair_part {
    size_t w, wr, wp, v, vr, vp, fc1, fc1_bias, fc2, fc2_bias, fc3, fc3_bias, count;
} sg_pair_part;

sg_pair_part sg_pair_part_of(const sg_pair_weights *weights);

/* Adds the gradient of the piece at hand, whose slopes are set, to part. */
void sg_pair_backward(sg_pair_piece *piece, const sg_pair_rows *rows, size_t first, size_t count,
                      const sg_pair_part *layout, float *part);

struct sg_pair_workspace {
    sg_pair_weights weights;
    sg_pair_part layout;
    size_t pairs, shares; /* at most */
    size_t threads;
    scadyg_context *context;
    sg_pair_piece *pieces;     /* one for each thread */
    double *score[SG_OUTPUTS]; /* of the last batch */
    double *loss;              /* [shares] */
    float *parts;              /* [shares][layout.count] */
};

#endif
