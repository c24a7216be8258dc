/*
 * The pair net: what the default model for links learns. It reads the messages of both nodes and what lies between
 * them, all of it normalised already:
 *
 *   m_u, m_v [node]   node messages
 *   c [rates]         the pair's decayed counts at all rates, both directions
 *   s [rest]          the rest: ages, walks
 *
 *   h = HN(m)                 the hypernetwork of the method over node messages: S_ij = sigmoid((Wr m)_i Wp_j),
 *                             h_i = sum_j S_ij W_ij m_j; one for both ends
 *   g_i = sum_j sigmoid((Vr m_u)_i Vp_j) V_ij c_j, i < SG_MIXES     the source sets how the pair's rates are weighted
 *   z = [h_u || h_v || g || s]
 *   [order, chance] = fc3 relu(fc2 relu(fc1 z + b1) + b2) + b3
 *
 * Two questions, two outputs: `order` says who of a source's candidates comes first, `chance` how likely a pair is by
 * itself, against pairs of any source. What one learns from spoils the other, so each has its own loss; all but the
 * last layer is common.
 *
 * Without the hypernetwork h = m and g = c. Groups, in the order of the flat array of values: W [node][node],
 * Wr [node][node], Wp [node], V [SG_MIXES][rates], Vr [SG_MIXES][node], Vp [rates], fc1.weight [in][hidden], fc1.bias,
 * fc2.weight [hidden][hidden2], fc2.bias, fc3.weight [hidden2][SG_OUTPUTS], fc3.bias. Head weights are input-major as in
 * scadyg_paper/net.h.
 */
#ifndef SG_MODELS_SCADYG_PAIR_NET_H
#define SG_MODELS_SCADYG_PAIR_NET_H

#include "base/context.h"
#include "nn/kernels.h"

typedef struct sg_pair_net {
    int hypernetwork;
    size_t node, rates, rest;
    size_t hidden, hidden2;

    /* Set by sg_pair_net_make: the head's inputs, where each group begins, and the number of all. */
    size_t inputs;
    size_t w, wr, wp, v, vr, vp, fc1, fc1_bias, fc2, fc2_bias, fc3, fc3_bias, count;
} sg_pair_net;

void sg_pair_net_make(sg_pair_net *net, int hypernetwork, size_t node, size_t rates, size_t rest, size_t hidden,
                      size_t hidden2);

/* Group i, from 0: its name, its place and shape; NULL after the last. Vectors have one row. */
const char *sg_pair_net_group(const sg_pair_net *net, size_t i, size_t *begin, size_t *rows, size_t *columns);

/* First values: uniform in +-1/sqrt(in) for each layer. */
void sg_pair_net_init(const sg_pair_net *net, uint64_t seed, float *values);

/*
 * Pairs: pair k has node messages nodes[left[k]] and nodes[right[k]] (rows of `node` numbers) and between[k] (a row of
 * rates + rest numbers: c, then s). A row of nodes is often shared by pairs of the same source: its part is computed once.
 */
typedef struct sg_pair_rows {
    const float *nodes;
    size_t node_count;
    const uint32_t *left, *right;
    const float *between;
    size_t count;
    const float *offset; /* [count] added to the scores in the loss, no part of what is learned; NULL: none */
    const unsigned char *output; /* [count] which output is the score of each pair; NULL: the one asked for */
} sg_pair_rows;

typedef struct sg_pair_workspace sg_pair_workspace;

/* Scratch memory for batches of at most `pairs` pairs. The context must stay. */
int sg_pair_workspace_open(scadyg_context *context, const sg_pair_net *net, size_t pairs,
                           sg_pair_workspace **workspace, scadyg_error *error);
void sg_pair_workspace_close(sg_pair_workspace *workspace); /* NULL is fine */

/*
 * The gradient of the loss over count / group cases of `group` pairs each, the first of which is the positive and the
 * others its negatives. own[k]: pair k has the source of its case's positive (1 for the positive itself).
 *
 *   ranking   by order: -log softmax of the positive among the pairs of its case with own = 1
 *   binary    by chance: cross entropy of the positive, plus the mean cross entropy of all negatives of the case
 *   loss      (1 - binary) * ranking + binary * binary, mean over the cases
 *
 * Threads take fixed pieces of the batch and the pieces are added in order: same bytes for any number of them.
 */
double sg_pair_gradient(sg_pair_workspace *workspace, const float *values, const sg_pair_rows *rows, size_t group,
                        const unsigned char *own, double binary, float *gradient);

/* One output of any number of pairs, on the workers; same bytes for any number of them. */
int sg_pair_scores(scadyg_context *context, const sg_pair_net *net, const float *values, const sg_pair_rows *rows,
                   int output, double *score, scadyg_error *error);

/* h of rows[count][node]: the embedding. */
int sg_pair_embed(scadyg_context *context, const sg_pair_net *net, const float *values, const float *rows,
                  size_t count, float *h, scadyg_error *error);

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

/* Pairs whose sides are there, up to the last hidden units; then one output of `count` of them from `first` on. */
void sg_pair_forward(sg_pair_piece *piece, const sg_pair_rows *rows, size_t first, size_t count,
                     const sg_pair_sides *sides);
void sg_pair_output(const sg_pair_piece *piece, size_t first, size_t count, int output, double *score);

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
