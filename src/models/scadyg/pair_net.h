/*
 * The pair net: what the default model for links learns. It reads the messages of both nodes and what lies between
 * them, all of it normalised already:
 *
 *   m_u, m_v [node]   node messages
 *   s [between]       the pair's
 *
 *   z = [m_u || m_v || s]
 *   outputs = direct s + fc3 relu(fc2 relu(fc1 z + b1) + b2) + b3
 *
 * What baselines go by (counts, ages, places of a pair) reaches the outputs directly: a rule is one such number, and the rest
 * of the net learns what to correct. One output for each question that is asked (enum below): what one learns from spoils the others, so each has its own
 * negatives and its own loss; all but the last layer is common.
 *
 * Groups, in the order of the flat array of values: fc1.weight [in][hidden], fc1.bias, fc2.weight [hidden][hidden2], fc2.bias,
 * fc3.weight [hidden2][SG_OUTPUTS], fc3.bias, direct.weight [between][SG_OUTPUTS]. Weights are input-major as in scadyg_paper/net.h.
 */
#ifndef SG_MODELS_SCADYG_PAIR_NET_H
#define SG_MODELS_SCADYG_PAIR_NET_H

#include "base/context.h"
#include "nn/kernels.h"

/* The outputs: who of a source's candidates is next; and how likely a pair is by itself, whatever it is compared with, rather
 * than a random one, than one that has met, than one that first met lately. */
enum { SG_ORDER, SG_CHANCE_RANDOM, SG_CHANCE_MET, SG_CHANCE_LATE, SG_CHANCE };
_Static_assert((int)SG_CHANCE == (int)SG_OUTPUTS, "all outputs have a name");

typedef struct sg_pair_net {
    size_t node, between;
    size_t hidden, hidden2;

    /* Set by sg_pair_net_make: the inputs, where each group begins, and the number of all. */
    size_t inputs;
    size_t fc1, fc1_bias, fc2, fc2_bias, fc3, fc3_bias, direct, count;
} sg_pair_net;

void sg_pair_net_make(sg_pair_net *net, size_t node, size_t between, size_t hidden, size_t hidden2);

/* Group i, from 0: its name, its place and shape; NULL after the last. Vectors have one row. */
const char *sg_pair_net_group(const sg_pair_net *net, size_t i, size_t *begin, size_t *rows, size_t *columns);

/* First values: uniform in +-1/sqrt(in) for each layer, 0 for what goes to the outputs directly. */
void sg_pair_net_init(const sg_pair_net *net, uint64_t seed, float *values);

/*
 * Pairs: pair k has node messages nodes[left[k]] and nodes[right[k]] (rows of `node` numbers) and between[k] (a row
 * of `between` numbers). A row of nodes is often shared by pairs of the same source: its part is computed once.
 */
typedef struct sg_pair_rows {
    const float *nodes;
    size_t node_count;
    const uint32_t *left, *right;
    const float *between;
    size_t count;
    const float *
        offset; /* [count] added in the loss to the outputs that random negatives teach, no part of what is learned; NULL */
    const double
        *compared; /* [SG_OUTPUTS - 1] of SG_CHANCE: how much of what a pair is compared with is of each kind */
    double *parts; /* out [count][SG_OUTPUTS - 1], see sg_pair_parts; NULL: nobody asks */
    const unsigned char *output; /* [count] which output is the score of each pair; NULL: the one asked for */
} sg_pair_rows;

/* Where the outputs that SG_CHANCE is made of are put too, pair after pair as they are scored. */
typedef struct sg_pair_parts {
    double *at; /* [pairs][SG_OUTPUTS - 1]; NULL: nowhere */
    size_t used;
} sg_pair_parts;

/* From these outputs and the shares to the chance whatever a pair is compared with. */
double sg_pair_combine(const double *parts, const double *shares);

typedef struct sg_pair_workspace sg_pair_workspace;

/* Scratch memory for batches of at most `pairs` pairs. The context must stay. Bytes of it: with one thread. */
uint64_t sg_pair_workspace_bytes(const sg_pair_net *net, size_t pairs);
int sg_pair_workspace_open(scadyg_context *context, const sg_pair_net *net, size_t pairs,
                           sg_pair_workspace **workspace, scadyg_error *error);
void sg_pair_workspace_close(sg_pair_workspace *workspace); /* NULL is fine */

/*
 * The gradient of the loss over count / group cases of `group` pairs each, the first of which is the positive and the
 * others its negatives. in[k]: bits 1 << output: the losses that negative k is part of.
 *
 *   ranking   of the first output: -log softmax of the positive among itself and these negatives of its case
 *   binary    of each other: cross entropy of the positive, plus the mean cross entropy of these negatives; 0 without any
 *   loss      (1 - binary) * ranking + binary * half the sum of the binary ones, mean over the cases
 *
 * Threads take fixed pieces of the batch and the pieces are added in order: same bytes for any number of them.
 */
double sg_pair_gradient(sg_pair_workspace *workspace, const float *values, const sg_pair_rows *rows, size_t group,
                        const unsigned char *in, double binary, float *gradient);

/* One output of any number of pairs, on the workers; same bytes for any number of them. */
int sg_pair_scores(scadyg_context *context, const sg_pair_net *net, const float *values, const sg_pair_rows *rows,
                   int output, double *score, scadyg_error *error);

/*
 * ---- Pairs with nothing between them (pair_blank.c) ----
 *
 * Their row s is the same for all destinations of a source, so all that is left of a pair is what the first layer makes of the
 * destination, and the second layer. The bytes are those of sg_pair_scores.
 */

/* m_v A_v of rows[count][node] to right[at[i]], rows of SG_LANES(hidden). */
int sg_pair_right_sides(scadyg_context *context, const sg_pair_net *net, const float *values, const float *rows,
                        size_t count, const uint32_t *at, float *right, scadyg_error *error);

typedef struct sg_blank_pairs {
    const float *source, *between; /* the rows m_u and s of all of them */
    const float *right;            /* of destinations */
    const uint32_t *at;            /* [count]: the row of each */
    const uint32_t *to;            /* [count]: where its score goes */
    size_t count;
    const double *compared; /* as in sg_pair_rows */
    int output;
} sg_blank_pairs;

int sg_pair_blank_scores(scadyg_context *context, const sg_pair_net *net, const float *values,
                         const sg_blank_pairs *pairs, double *score, scadyg_error *error);

/* What the first layer makes of rows[count][node], as a source and as a destination, h[count][2 * hidden]: the embedding. */
int sg_pair_embed(scadyg_context *context, const sg_pair_net *net, const float *values, const float *rows,
                  size_t count, float *h, scadyg_error *error);

/*
 * Inside the pair net: its weights as the inner loops read them, and the piece, some pairs that are computed together.
 *
 * fc1 z is a sum of the parts of m_u, m_v and s, in the order m_u, s, m_v: what a source and its s make is the same number
 * whoever the other is, so that it can be kept where s is the same too. The parts of nodes are computed once per distinct row and end:
 * a piece lists the distinct rows of its pairs, the sources first, and has a table of their parts ("sides"). Rows of
 * tables are padded with zeros to a multiple of 8.
 *
 * A piece is small enough for forward and backward to find everything in the second-level cache, and no number of one
 * depends on another piece, so threads take pieces in any order.
 */

/* Pairs of a piece; a piece of learning has whole cases and is as near as that allows. */
#define SG_PAIR_PIECE 96

#define SG_PAIR_DIRECT SG_LANES(SG_OUTPUTS)

/* The learned numbers as the inner loops read them. */
typedef struct sg_pair_weights {
    sg_pair_net net;
    const sg_kernels *kernels;
    const float *values;
    size_t width, width2; /* hidden units, padded */
    size_t pitch, pitch2; /* of hidden units */

    float *left, *right, *between; /* panels of fc1: of m_u, m_v and s */
    float *second;                 /* panels of fc2 */
    float *bias, *bias2, *third;   /* [width], [width2], [SG_OUTPUTS][width2] fc3 */
    float *direct;                 /* panel of 8 */
    float *second_back;            /* panels of the transposed, for learning */
    float *block;
} sg_pair_weights;

int sg_pair_weights_open(const sg_pair_net *net, int learning, sg_pair_weights *weights);
void sg_pair_weights_set(sg_pair_weights *weights, const float *values);
void sg_pair_weights_close(sg_pair_weights *weights);

/* What pairs take from their nodes: rows of `width`. */
typedef struct sg_pair_sides {
    float *left, *right; /* m_u A_u + b1, m_v A_v */
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

    float *m; /* [nodes][node] */
    sg_pair_sides sides;
    float *dside;

    float *base;    /* [pairs][pitch] going back: the slope of the hidden units */
    float *x1, *x2; /* [pairs][pitch], [pairs][pitch2] after the relus */
    float *direct;  /* [pairs][SG_PAIR_DIRECT] the direct part of the outputs; going back, the slopes at them */
    float *dx2;     /* [pairs][pitch2] */
    float *slope[SG_OUTPUTS]; /* [pairs], of the loss at each output */
    float *block;
} sg_pair_piece;

int sg_pair_piece_open(const sg_pair_weights *weights, size_t pairs, int learning, sg_pair_piece *piece);
void sg_pair_piece_close(sg_pair_piece *piece);

/* Bytes to learn from so many pairs at a time in so many shares, on one thread; another one has a piece of its own. */
uint64_t sg_pair_learning_bytes(const sg_pair_net *net, size_t pairs, size_t shares);

/* Lists the distinct rows of pairs first .. first + count - 1 and where each pair finds its two. */
void sg_pair_place(sg_pair_piece *piece, const sg_pair_rows *rows, size_t first, size_t count);

/* From the rows listed to sides: `sources` rows from place 0, the others after them. */
void sg_pair_side_listed(sg_pair_piece *piece, const float *nodes, const sg_pair_sides *sides);

/* Pairs whose sides are there, up to the last hidden units; the second layer of it, from the first hidden units; then one output
 * of `count` of them from `first` on. */
void sg_pair_forward(sg_pair_piece *piece, const sg_pair_rows *rows, size_t first, size_t count,
                     const sg_pair_sides *sides);
void sg_pair_second(sg_pair_piece *piece, size_t count);
void sg_pair_output(const sg_pair_piece *piece, size_t first, size_t count, int output, double *score);

/* The score of an output, or of SG_CHANCE; parts[count][SG_OUTPUTS - 1] may be NULL. */
void sg_pair_score(const sg_pair_piece *piece, size_t first, size_t count, int output, const double *compared,
                   double *parts, double *score);

/* The gradient of a piece, padded like the weights: where each group begins. */
typedef struct sg_pair_part {
    size_t fc1, fc1_bias, fc2, fc2_bias, fc3, fc3_bias, direct, count;
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
