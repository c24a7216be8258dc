/* Learning the pair net: the gradient of a batch, in pieces. */
#include "models/scadyg/pair_net.h"

#include "base/memory.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/*
 * The pieces of a batch go to at most this many shares, each a run of two or more pieces with a gradient of its own;
 * these are added in order. The number depends on the batch alone, so the bytes are the same for any number of threads.
 */
enum { SHARES = 32 };

/* Multiplications worth another thread: half a millisecond. */
#define WORTH_A_THREAD ((size_t)1 << 24)

static int is_long(const sg_pair_net *net, size_t pairs)
{
    return 3 * pairs * (net->inputs + net->hidden2) * net->hidden >= WORTH_A_THREAD;
}

uint64_t sg_pair_workspace_bytes(const sg_pair_net *net, size_t pairs)
{
    return sg_pair_learning_bytes(net, pairs, SHARES);
}

int sg_pair_workspace_open(scadyg_context *context, const sg_pair_net *net, size_t pairs,
                           sg_pair_workspace **result, scadyg_error *error)
{
    *result = NULL;
    sg_pair_workspace *workspace = sg_alloc_zero(1, sizeof *workspace);
    if (!workspace) return sg_fail_memory(error, "a batch of pairs");
    workspace->pairs = pairs ? pairs : 1;
    workspace->shares = SHARES;
    workspace->context = context;
    workspace->threads = is_long(net, workspace->pairs) ? sg_context_threads(context) : 1;
    int failed = sg_pair_weights_open(net, 1, &workspace->weights);
    workspace->layout = sg_pair_part_of(&workspace->weights);
    for (size_t o = 0; o < SG_OUTPUTS; o++)
        if (!(workspace->score[o] = sg_alloc(workspace->pairs, sizeof *workspace->score[o]))) failed = 1;
    workspace->loss = sg_alloc(workspace->shares, sizeof *workspace->loss);
    workspace->parts = sg_alloc_huge(workspace->shares * workspace->layout.count, sizeof *workspace->parts);
    workspace->pieces = sg_alloc_zero(workspace->threads, sizeof *workspace->pieces);
    if (!workspace->loss || !workspace->parts || !workspace->pieces) failed = 1;
    for (size_t i = 0; !failed && i < workspace->threads; i++)
        failed = sg_pair_piece_open(&workspace->weights, workspace->pairs, 1, &workspace->pieces[i]);
    if (failed) {
        sg_pair_workspace_close(workspace);
        return sg_fail_memory(error, "a batch of pairs");
    }
    *result = workspace;
    return SCADYG_OK;
}

void sg_pair_workspace_close(sg_pair_workspace *workspace)
{
    if (!workspace) return;
    for (size_t i = 0; workspace->pieces && i < workspace->threads; i++) sg_pair_piece_close(&workspace->pieces[i]);
    sg_pair_weights_close(&workspace->weights);
    free(workspace->pieces);
    for (size_t o = 0; o < SG_OUTPUTS; o++) free(workspace->score[o]);
    SG_FREE(workspace->loss, workspace->parts, workspace);
}

typedef struct batch {
    sg_pair_workspace *workspace;
    const sg_pair_rows *rows;
    const unsigned char *in;
    size_t cases, group;
    size_t at_once; /* cases of a piece */
    size_t pieces, shares;
    float ranking, binary; /* what the losses of one case count */
} batch;

static double piece_gradient(const batch *work, sg_pair_piece *piece, size_t index, float *part)
{
    const sg_pair_workspace *workspace = work->workspace;
    const sg_kernels *kernels = workspace->weights.kernels;
    const size_t first_case = index * work->at_once, left = work->cases - first_case;
    const size_t cases = left < work->at_once ? left : work->at_once;
    const size_t first = first_case * work->group, count = cases * work->group;
    sg_pair_place(piece, work->rows, first, count);
    sg_pair_side_listed(piece, work->rows->nodes, &piece->sides);
    sg_pair_forward(piece, work->rows, first, count, &piece->sides);
    for (int o = 0; o < SG_OUTPUTS; o++) {
        sg_pair_output(piece, 0, count, o, workspace->score[o] + first);
        for (size_t k = first; work->rows->offset && o <= SG_CHANCE_RANDOM && k < first + count; k++)
            workspace->score[o][k] += (double)work->rows->offset[k];
    }
    double loss = kernels->rank_loss(cases, work->group, workspace->score[SG_ORDER] + first, work->in + first,
                                     work->ranking, piece->slope[SG_ORDER]);
    for (unsigned o = SG_CHANCE_RANDOM; o < SG_OUTPUTS; o++)
        loss += kernels->chance_loss(cases, work->group, workspace->score[o] + first, work->in + first, o,
                                     work->binary, piece->slope[o]);
    sg_pair_backward(piece, work->rows, first, count, &workspace->layout, part);
    return loss;
}

static void share_gradient(void *data, size_t worker, size_t share)
{
    const batch *work = data;
    sg_pair_workspace *workspace = work->workspace;
    float *part = workspace->parts + share * workspace->layout.count;
    const size_t end = (share + 1) * work->pieces / work->shares;
    memset(part, 0, workspace->layout.count * sizeof *part);
    workspace->loss[share] = 0;
    for (size_t i = share * work->pieces / work->shares; i < end; i++)
        workspace->loss[share] += piece_gradient(work, &workspace->pieces[worker], i, part);
}

static void unpad(size_t rows, size_t columns, size_t pitch, const float *from, float *to)
{
    for (size_t k = 0; k < rows; k++) memcpy(to + k * columns, from + k * pitch, columns * sizeof *to);
}

/* From the padded gradient to the flat one. */
static void unpad_gradient(const sg_pair_workspace *workspace, float *gradient)
{
    const sg_pair_weights *w = &workspace->weights;
    const sg_pair_net *net = &w->net;
    const sg_pair_part *at = &workspace->layout;
    const float *sum = workspace->parts;
    unpad(net->inputs, net->hidden, w->width, sum + at->fc1, gradient + net->fc1);
    unpad(1, net->hidden, w->width, sum + at->fc1_bias, gradient + net->fc1_bias);
    unpad(net->hidden, net->hidden2, w->width2, sum + at->fc2, gradient + net->fc2);
    unpad(1, net->hidden2, w->width2, sum + at->fc2_bias, gradient + net->fc2_bias);
    for (size_t o = 0; o < SG_OUTPUTS; o++) {
        for (size_t k = 0; k < net->hidden2; k++)
            gradient[net->fc3 + k * SG_OUTPUTS + o] = sum[at->fc3 + o * w->width2 + k];
        gradient[net->fc3_bias + o] = sum[at->fc3_bias + o];
    }
    unpad(net->between, SG_OUTPUTS, SG_LANES(SG_OUTPUTS), sum + at->direct, gradient + net->direct);
}

double sg_pair_gradient(sg_pair_workspace *workspace, const float *values, const sg_pair_rows *rows, size_t group,
                        const unsigned char *in, double binary, float *gradient)
{
    const size_t cases = group ? rows->count / group : 0;
    const size_t at_once = cases && group < SG_PAIR_PIECE ? SG_PAIR_PIECE / group : 1;
    if (!cases) {
        memset(gradient, 0, workspace->weights.net.count * sizeof *gradient);
        return 0;
    }
    batch work = {.workspace = workspace,
                  .rows = rows,
                  .in = in,
                  .cases = cases,
                  .group = group,
                  .at_once = at_once,
                  .pieces = (cases + at_once - 1) / at_once,
                  .ranking = (float)((1 - binary) / (double)cases),
                  .binary = (float)(binary / (double)cases / 2)};
    work.shares = work.pieces < 2 * workspace->shares ? (work.pieces + 1) / 2 : workspace->shares;
    sg_pair_weights_set(&workspace->weights, values);
    if (is_long(&workspace->weights.net, cases * group))
        sg_parallel_for(workspace->context, work.shares, share_gradient, &work);
    else
        for (size_t i = 0; i < work.shares; i++) share_gradient(&work, 0, i);
    double loss = 0;
    for (size_t i = 0; i < work.shares; i++) loss += workspace->loss[i];
    workspace->weights.kernels->sum_parts(workspace->layout.count, work.shares, workspace->parts);
    unpad_gradient(workspace, gradient);
    return loss;
}

/* ---- The pair net without learning: scores and embeddings, in pieces over threads ---- */

#define NOWHERE UINT32_MAX

/*
 * The rows of one side of all pairs: computed once for all pieces if rows are used again and again, else each piece
 * computes those it needs.
 */
typedef struct side {
    uint32_t *place;  /* row of nodes -> place in the list, or NOWHERE */
    uint32_t *row_at; /* place -> row */
    size_t count;
} side;

typedef struct job {
    sg_pair_weights weights;
    const sg_pair_rows *rows;
    side left, right;
    sg_pair_sides sides; /* of those */
    int output;
    double *score;
    float *h;
    void (*piece)(struct job *work, sg_pair_piece *piece, size_t index);
    size_t pieces;
    atomic_size_t next;
    atomic_int failed;
} job;

/* One thread, with memory of its own. */
static void take_pieces(void *data, size_t worker, size_t index)
{
    job *work = data;
    sg_pair_piece piece;
    (void)worker, (void)index;
    size_t i = atomic_fetch_add(&work->next, 1);
    if (i >= work->pieces) return;
    if (sg_pair_piece_open(&work->weights, SG_PAIR_PIECE, 0, &piece)) {
        atomic_store(&work->failed, 1);
        return;
    }
    for (; i < work->pieces; i = atomic_fetch_add(&work->next, 1)) work->piece(work, &piece, i);
    sg_pair_piece_close(&piece);
}

/* each: multiplications of a piece. Returns 0, or -1 without memory. */
static int run_pieces(job *work, void (*body)(job *work, sg_pair_piece *piece, size_t index), size_t pieces,
                      size_t each, scadyg_context *context)
{
    work->piece = body;
    work->pieces = pieces;
    atomic_store(&work->next, 0);
    sg_parallel_for(context, pieces * each < WORTH_A_THREAD ? 1 : sg_context_threads(context), take_pieces, work);
    return atomic_load(&work->failed) ? -1 : 0;
}

static size_t pieces_of(size_t count)
{
    return (count + SG_PAIR_PIECE - 1) / SG_PAIR_PIECE;
}

/* How much of `count` piece `index` has. */
static size_t size_of(size_t count, size_t index)
{
    const size_t left = count - index * SG_PAIR_PIECE;
    return left < SG_PAIR_PIECE ? left : SG_PAIR_PIECE;
}

/* ---- Sides for all pieces ---- */

static int list_side(side *to, size_t node_count, const uint32_t *index, size_t count)
{
    to->place = sg_alloc(node_count, sizeof *to->place);
    to->row_at = sg_alloc(node_count, sizeof *to->row_at);
    if (!to->place || !to->row_at) return -1;
    memset(to->place, 0xFF, node_count * sizeof *to->place);
    for (size_t k = 0; k < count; k++)
        if (to->place[index[k]] == NOWHERE) {
            to->row_at[to->count] = index[k];
            to->place[index[k]] = (uint32_t)to->count++;
        }
    return 0;
}

/* First the pieces of the left side, then those of the right. */
static void sides_piece(job *work, sg_pair_piece *piece, size_t index)
{
    const size_t width = work->weights.width;
    const int left = index < pieces_of(work->left.count);
    const side *own = left ? &work->left : &work->right;
    if (!left) index -= pieces_of(work->left.count);
    const size_t first = index * SG_PAIR_PIECE;
    piece->nodes = size_of(own->count, index);
    piece->sources = left ? piece->nodes : 0;
    memcpy(piece->row_at, own->row_at + first, piece->nodes * sizeof *piece->row_at);
    sg_pair_sides to = work->sides;
    if (left)
        to.left += first * width;
    else
        to.right += first * width;
    sg_pair_side_listed(piece, work->rows->nodes, &to);
}

static int share_sides(job *work, scadyg_context *context)
{
    const sg_pair_rows *rows = work->rows;
    const sg_pair_net *net = &work->weights.net;
    const size_t width = work->weights.width, each = SG_PAIR_PIECE * width * net->node;
    if (list_side(&work->left, rows->node_count, rows->left, rows->count) ||
        list_side(&work->right, rows->node_count, rows->right, rows->count))
        return -1;
    work->sides.left = sg_alloc_huge(work->left.count, width * sizeof(float));
    work->sides.right = sg_alloc_huge(work->right.count, width * sizeof(float));
    if (!work->sides.left || !work->sides.right) return -1;
    return run_pieces(work, sides_piece, pieces_of(work->left.count) + pieces_of(work->right.count), each, context);
}

static void free_sides(job *work)
{
    SG_FREE(work->left.place, work->left.row_at, work->right.place, work->right.row_at, work->sides.left,
            work->sides.right);
}

/* ---- Scores ---- */

/*
 * With p the chance of an event and q_k that of each kind of pair it is compared with, the outputs are log(p / q_k), and this
 * is log(p / sum of shares_k q_k). The least output is taken out first, so that the largest q is 1.
 */
double sg_pair_combine(const double *parts, const double *shares)
{
    double sum = 0, least = INFINITY;
    for (int k = 0; k < SG_OUTPUTS - 1; k++)
        if (shares[k] > 0 && !(parts[k] >= least)) least = parts[k];
    for (int k = 0; k < SG_OUTPUTS - 1; k++)
        if (shares[k] > 0) sum += shares[k] * exp(least - parts[k]);
    return least - log(sum);
}

void sg_pair_score(const sg_pair_piece *piece, size_t first, size_t count, int output, const double *compared,
                   double *parts, double *score)
{
    enum { KINDS = SG_OUTPUTS - SG_CHANCE_RANDOM };
    double part[KINDS][SG_PAIR_PIECE];
    if (output < SG_OUTPUTS) {
        sg_pair_output(piece, first, count, output, score);
        return;
    }
    for (int k = 0; k < KINDS; k++) sg_pair_output(piece, first, count, SG_CHANCE_RANDOM + k, part[k]);
    for (size_t i = 0; i < count; i++) {
        const double own[KINDS] = {part[0][i], part[1][i], part[2][i]};
        score[i] = sg_pair_combine(own, compared);
        if (parts) memcpy(parts + i * KINDS, own, sizeof own);
    }
}

static void score_piece(job *work, sg_pair_piece *piece, size_t index)
{
    const sg_pair_rows *rows = work->rows;
    const size_t first = index * SG_PAIR_PIECE, count = size_of(rows->count, index);
    if (!work->sides.left) {
        sg_pair_place(piece, rows, first, count);
        sg_pair_side_listed(piece, rows->nodes, &piece->sides);
    }
    for (size_t i = 0; work->sides.left && i < count; i++) {
        piece->left_at[i] = work->left.place[rows->left[first + i]];
        piece->right_at[i] = work->right.place[rows->right[first + i]];
    }
    sg_pair_forward(piece, rows, first, count, work->sides.left ? &work->sides : &piece->sides);
    /* Pairs of one output mostly stand together. */
    for (size_t i = 0, next; i < count; i = next) {
        const int output = rows->output ? rows->output[first + i] : work->output;
        for (next = rows->output ? i + 1 : count; next < count && rows->output[first + next] == output;) next++;
        sg_pair_score(piece, i, next - i, output, rows->compared,
                      rows->parts ? rows->parts + (first + i) * (SG_OUTPUTS - 1) : NULL, work->score + first + i);
    }
}

int sg_pair_scores(scadyg_context *context, const sg_pair_net *net, const float *values, const sg_pair_rows *rows,
                   int output, double *score, scadyg_error *error)
{
    job work = {.rows = rows, .output = output, .score = score};
    const size_t each = SG_PAIR_PIECE * (net->inputs + net->hidden2) * net->hidden;
    if (!rows->count) return SCADYG_OK;
    int failed = sg_pair_weights_open(net, 0, &work.weights);
    if (!failed) sg_pair_weights_set(&work.weights, values);
    /* Rows that are used at least four times on average, counting both ends. */
    if (!failed && 2 * rows->node_count <= rows->count) failed = share_sides(&work, context);
    if (!failed) failed = run_pieces(&work, score_piece, pieces_of(rows->count), each, context);
    free_sides(&work);
    sg_pair_weights_close(&work.weights);
    return failed ? sg_fail_memory(error, "the scores of pairs") : SCADYG_OK;
}

/* ---- Embeddings ---- */

/* What the first layer makes of nodes: first as sources, then as destinations. */
static void embed_piece(job *work, sg_pair_piece *piece, size_t index)
{
    const sg_pair_net *net = &work->weights.net;
    const size_t first = index * SG_PAIR_PIECE, count = size_of(work->rows->node_count, index);
    const sg_pair_sides sides = {piece->sides.left, piece->sides.left};
    piece->nodes = count;
    for (size_t i = 0; i < count; i++) piece->row_at[i] = (uint32_t)i;
    for (size_t end = 0; end < 2; end++) {
        piece->sources = end ? 0 : count;
        sg_pair_side_listed(piece, work->rows->nodes + first * net->node, &sides);
        for (size_t i = 0; i < count; i++)
            memcpy(work->h + (2 * (first + i) + end) * net->hidden, sides.left + i * work->weights.width,
                   net->hidden * sizeof *work->h);
    }
}

int sg_pair_embed(scadyg_context *context, const sg_pair_net *net, const float *values, const float *rows,
                  size_t count, float *h, scadyg_error *error)
{
    const sg_pair_rows nodes = {.nodes = rows, .node_count = count};
    job work = {.rows = &nodes, .h = h};
    int failed = sg_pair_weights_open(net, 0, &work.weights);
    if (!failed) sg_pair_weights_set(&work.weights, values);
    if (!failed)
        failed =
            run_pieces(&work, embed_piece, pieces_of(count), 2 * SG_PAIR_PIECE * net->node * net->hidden, context);
    sg_pair_weights_close(&work.weights);
    return failed ? sg_fail_memory(error, "embeddings") : SCADYG_OK;
}
