/*
 * The inner loops of the net, for vectors of eight floats, written once and compiled for AVX-512, AVX2 and any processor.
 * All do the same operations in the same order, so they give the same bytes.
 *
 * Lanes are nodes or pairs, never hidden units or columns: a matrix X[rows][lanes] has one row per column of a message,
 * hidden unit or class, and the numbers of eight nodes side by side. So any width works without padding, and sums over
 * a message need no sums across a vector. `lanes` is a multiple of 8; lanes beyond the batch hold zeros.
 */
#ifndef SG_NN_KERNELS_H
#define SG_NN_KERNELS_H

#include "base/simd.h"

#include <stddef.h>
#include <stdint.h>

enum { SG_OUTPUTS = 4 }; /* of a net that scores pairs; the first is for their order */

#define SG_LANES(count) (((count) + 7) / 8 * 8)

/* What the hypernetwork sees of `lanes` nodes. Those of the second line are only needed for its gradient. */
typedef struct sg_grid {
    size_t width, lanes;
    const float *w, *p; /* W [d][d], Wp [d] */
    const float *m, *r; /* [d][lanes] messages and r = Wr m */
    float *h;           /* [d][lanes] out: h */
    float *s;           /* [d][d][lanes] S, kept for the gradient; NULL: computed again */
    const float *dh;    /* [d][lanes] */
    float *dr;          /* [d][lanes] out */
    float *dw, *dp;     /* [d][d], [d] out: sums over the lanes */
} sg_grid;

/* Weights as a matrix of two strides: weight (k, o) is at[k * inner + o * outer]. */
typedef struct sg_weights {
    const float *at;
    size_t inner, outer;
} sg_weights;

/* What sums of eight hidden units need to score pairs; see sg_link_scores. */
typedef struct sg_pairs {
    size_t hidden;
    const float *fc2;
    double bias;
    const float *left, *right;
    const uint32_t *src, *dst;
} sg_pairs;

/* What a layer does to its sums: nothing, relu, or 0 where `gate` is not above 0 (the way back through a relu); or relu after
 * adding a row of `plus`. */
enum { SG_PLAIN, SG_RELU, SG_GATE, SG_PLUS_RELU };

/*
 * A layer over rows: out[n][o] = from[n][o] + sum over k of x[n][k] weight(k, o). Pitches are from row to row; that of
 * from may be 0, for a bias, and from.at NULL. Weights are panels of 16 outputs, [inputs][16] each, and one of 8 if there
 * is a rest, see pack_panels in models/scadyg/pair_net.c; gate has the pitch of out.
 */
typedef struct sg_rows_read {
    const float *at;
    size_t pitch;
} sg_rows_read;

typedef struct sg_layer {
    size_t inputs, outputs; /* outputs: a multiple of 8 */
    const float *panels;
    sg_rows_read from, x;
    float *out;
    size_t out_pitch;
    int form;
    const float *gate;
    /* SG_PLUS_RELU: row n begins with from[from_at[n]] (from_at NULL: as else), and ends with plus[plus_at[n]], whose pitch is
     * `outputs` as that of from then is. What comes between does not depend on plus. */
    const uint32_t *from_at, *plus_at;
    const float *plus;
} sg_layer;

typedef struct sg_kernels {
    /* x[j][i] = rows[index[i]][j] for i < count, 0 for the lanes beyond. index NULL: i itself. */
    void (*gather)(size_t width, const float *rows, const uint32_t *index, size_t count, size_t lanes, float *x);

    /* out[o][i] = bias[o] + sum over k of weight(k, o) x[k][i], for o < outputs, k < inputs. bias NULL: 0. */
    void (*mix)(size_t outputs, size_t inputs, size_t lanes, sg_weights weights, const float *bias, const float *x,
                float *out);

    /* out[k][h] = sum over i of x[k][i] y[h][i], for k < rows, h < columns. */
    void (*outer)(size_t rows, size_t columns, size_t lanes, const float *x, const float *y, float *out);

    /* out[k] = sum over i of x[k][i]. */
    void (*sums)(size_t rows, size_t lanes, const float *x, float *out);

    /* h_i = sum over j of S_ij W_ij m_j, S_ij = sigmoid(r_i p_j); and the way back from dh. */
    void (*grid_forward)(const sg_grid *grid);
    void (*grid_backward)(const sg_grid *grid);

    /* logit[i] = bias + sum over h of relu(x[h][i]) fc2[h] */
    void (*relu_dot)(size_t hidden, size_t lanes, const float *x, const float *fc2, float bias, float *logit);

    /* Sum of the cross entropies of count logits; slope[i] = (sigmoid(logit[i]) - label[i]) / count, 0 beyond. */
    double (*cross_entropy)(size_t count, const float *logit, const float *label, float *slope);

    /* x[h][i] = x[h][i] > 0 ? slope[i] : 0; out[h] = the sum over i. */
    void (*gate)(size_t hidden, size_t lanes, const float *slope, float *x, float *out);

    /* x = relu(x) in place; and d = x > 0 ? d : 0. */
    void (*relu)(size_t count, float *x);
    void (*relu_back)(size_t count, const float *x, float *d);

    /* x[c][i] logits to probabilities over c in place; log_sum[i] = log of the sum of exp(x[.][i]). */
    void (*softmax)(size_t classes, size_t lanes, float *x, float *log_sum);

    /* out[n][o] = bias[o] + sum over k of x[n][k] a[k][o]: nodes as rows, for tables of them. bias NULL: 0. */
    void (*rows)(size_t outputs, size_t inputs, size_t count, const float *a, const float *bias, const float *x,
                 float *out);

    void (*scores)(const sg_pairs *pairs, size_t first, size_t count, double *score);

    void (*adam)(size_t count, float *values, const float *gradient, float *average, float *square,
                 const float constant[8]);

    /* ---- Pairs as rows ---- */

    void (*layer)(const sg_layer *layer, size_t count);

    /* out[k][o] += sum over i of x[i][k] y[i][o], for k < inputs, o < outputs (a multiple of 8). */
    void (*layer_back)(size_t inputs, size_t outputs, size_t count, const float *x, size_t x_pitch, const float *y,
                       size_t y_pitch, float *out);

    /* out[n] = the sum of x[i], rows of `width`, over at[i] = n. Rows must be numbered in the order of their first appearance in
     * `at`. */
    void (*add_rows)(size_t width, size_t count, const float *x, size_t pitch, const uint32_t *at, float *out);

    /* x[i] = the sum of x[k * count + i] over k < parts; count is a multiple of 16. */
    void (*sum_parts)(size_t count, size_t parts, float *x);

    /* score[i] = bias + x[i] . weight, for one output; and back from all, k, through the relu that made x:
     * dx[i] = the sum of slope[k][i] weight[k] where x[i] > 0, dweight[k] += slope[k][i] x[i], dbias (that of x) +=
     * dx[i]. */
    void (*dots)(size_t width, size_t count, const float *x, size_t pitch, const float *weight, float bias,
                 double *score);
    void (*dots_back)(size_t width, size_t count, float *const slope[SG_OUTPUTS], const float *weight,
                      const float *x, float *dx, size_t pitch, float *dweight, float *dbias);

    /*
     * Cases of `group` pairs, the first the positive: the ranking loss of the output for order, the binary loss of
     * that for chances, see sg_pair_gradient. scale: how much the loss of a case counts.
     * slope[SG_LANES(cases * group)]: of the loss at the scores, 0 beyond.
     */
    double (*rank_loss)(size_t cases, size_t group, const double *score, const unsigned char *in, float scale,
                        float *slope);
    double (*chance_loss)(size_t cases, size_t group, const double *score, const unsigned char *in, unsigned bit,
                          float scale, float *slope);

    /* For tests: y = sigmoid(x), for count a multiple of 8. */
    void (*sigmoid)(size_t count, const float *x, float *y);
} sg_kernels;

/*
 * The matrix S * W of one message row[d], to look at, from W [d][d], Wr [d][d] and Wp [d]: h_i = sum over j of
 * S_ij W_ij m_j with S_ij = sigmoid(r_i p_j), r = Wr m, is what grid_forward computes.
 */
void sg_hyper_matrix(size_t d, const float *w, const float *wr, const float *wp, const float *row, float *matrix);

extern const sg_kernels sg_kernels_any;
#if defined(__x86_64__)
extern const sg_kernels sg_kernels_avx2, sg_kernels_avx512;
#endif

/* Those for this processor. */
static inline const sg_kernels *sg_kernels_best(void)
{
#if defined(__x86_64__)
    if (SG_HAS_AVX512()) return &sg_kernels_avx512;
    if (SG_HAS_AVX2()) return &sg_kernels_avx2;
#endif
    return &sg_kernels_any;
}

#endif
