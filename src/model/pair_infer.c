/* The pair net without learning: scores and embeddings, in pieces over threads. */
#include "model/pair_workspace.h"

#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Multiplications worth another thread, some milliseconds; and what a sigmoid costs in them. As in infer.c. */
#define WORTH_A_THREAD ((size_t)1 << 24)
#define SIGMOID 8

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
static void take_pieces(void *context, size_t worker, size_t index)
{
    job *work = context;
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
static int run(job *work, void (*body)(job *work, sg_pair_piece *piece, size_t index), size_t pieces, size_t each,
               sg_workers *workers)
{
    work->piece = body;
    work->pieces = pieces;
    atomic_store(&work->next, 0);
    sg_workers_run(workers, pieces * each < WORTH_A_THREAD ? 1 : sg_workers_threads(workers), take_pieces, work);
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
    const size_t width = work->weights.width, mixer = work->weights.net.rates * SG_MIXES;
    const int left = index < pieces_of(work->left.count);
    const side *own = left ? &work->left : &work->right;
    if (!left) index -= pieces_of(work->left.count);
    const size_t first = index * SG_PAIR_PIECE;
    piece->nodes = size_of(own->count, index);
    piece->sources = left ? piece->nodes : 0;
    memcpy(piece->row_at, own->row_at + first, piece->nodes * sizeof *piece->row_at);
    sg_pair_sides to = {.left = work->sides.left, .right = work->sides.right, .s = piece->sides.s};
    if (left) {
        to.left += first * width;
        if (work->sides.t) to.t = work->sides.t + first * mixer;
    } else {
        to.right += first * width;
    }
    sg_pair_embed_listed(piece, work->rows->nodes);
    sg_pair_side_listed(piece, work->rows->nodes, &to);
}

static int share_sides(job *work, sg_workers *workers)
{
    const sg_pair_rows *rows = work->rows;
    const sg_pair_net *net = &work->weights.net;
    const size_t width = work->weights.width, each = SG_PAIR_PIECE * (SIGMOID * net->node + width) * net->node;
    if (list_side(&work->left, rows->node_count, rows->left, rows->count) ||
        list_side(&work->right, rows->node_count, rows->right, rows->count))
        return -1;
    work->sides.left = sg_alloc_huge(work->left.count, width * sizeof(float));
    work->sides.right = sg_alloc_huge(work->right.count, width * sizeof(float));
    if (net->hypernetwork) work->sides.t = sg_alloc_huge(work->left.count, net->rates * SG_MIXES * sizeof(float));
    if (!work->sides.left || !work->sides.right || (net->hypernetwork && !work->sides.t)) return -1;
    return run(work, sides_piece, pieces_of(work->left.count) + pieces_of(work->right.count), each, workers);
}

static void free_sides(job *work)
{
    free(work->left.place), free(work->left.row_at);
    free(work->right.place), free(work->right.row_at);
    free(work->sides.left), free(work->sides.right), free(work->sides.t);
}

/* ---- Scores ---- */

static void score_piece(job *work, sg_pair_piece *piece, size_t index)
{
    const sg_pair_rows *rows = work->rows;
    const size_t first = index * SG_PAIR_PIECE, count = size_of(rows->count, index);
    if (!work->sides.left) {
        sg_pair_place(piece, rows, first, count);
        sg_pair_embed_listed(piece, rows->nodes);
        sg_pair_side_listed(piece, rows->nodes, &piece->sides);
    }
    for (size_t i = 0; work->sides.left && i < count; i++) {
        piece->left_at[i] = work->left.place[rows->left[first + i]];
        piece->right_at[i] = work->right.place[rows->right[first + i]];
    }
    sg_pair_forward(piece, rows, first, count, work->sides.left ? &work->sides : &piece->sides);
    sg_pair_output(piece, count, work->output, work->score + first);
}

int sg_pair_scores(const sg_pair_net *net, const float *values, const sg_pair_rows *rows, int output, double *score,
                   sg_workers *workers, scadyg_error *error)
{
    job work = {.rows = rows, .output = output, .score = score};
    const size_t each = SG_PAIR_PIECE * (net->inputs + net->hidden2) * net->hidden;
    if (!rows->count) return SCADYG_OK;
    int failed = sg_pair_weights_open(net, 0, &work.weights);
    if (!failed) sg_pair_weights_set(&work.weights, values);
    /* Rows that are used at least four times on average, counting both ends. */
    if (!failed && 2 * rows->node_count <= rows->count) failed = share_sides(&work, workers);
    if (!failed) failed = run(&work, score_piece, pieces_of(rows->count), each, workers);
    free_sides(&work);
    sg_pair_weights_close(&work.weights);
    return failed ? sg_fail_memory(error, "the scores of pairs") : SCADYG_OK;
}

/* ---- Embeddings ---- */

static void embed_piece(job *work, sg_pair_piece *piece, size_t index)
{
    const size_t first = index * SG_PAIR_PIECE, d = work->weights.net.node;
    piece->nodes = size_of(work->rows->node_count, index);
    piece->sources = 0;
    for (size_t i = 0; i < piece->nodes; i++) piece->row_at[i] = (uint32_t)i;
    sg_pair_embed_listed(piece, work->rows->nodes + first * d);
    for (size_t i = 0; i < piece->nodes; i++)
        memcpy(work->h + (first + i) * d, piece->h_rows + i * work->weights.node, d * sizeof *work->h);
}

int sg_pair_embed(const sg_pair_net *net, const float *values, const float *rows, size_t count, float *h,
                  sg_workers *workers, scadyg_error *error)
{
    if (!net->hypernetwork) {
        if (h != rows && count) memcpy(h, rows, count * net->node * sizeof *h);
        return SCADYG_OK;
    }
    const sg_pair_rows nodes = {.nodes = rows, .node_count = count};
    job work = {.rows = &nodes, .h = h};
    int failed = sg_pair_weights_open(net, 0, &work.weights);
    if (!failed) sg_pair_weights_set(&work.weights, values);
    if (!failed)
        failed =
            run(&work, embed_piece, pieces_of(count), SG_PAIR_PIECE * SIGMOID * net->node * net->node, workers);
    sg_pair_weights_close(&work.weights);
    return failed ? sg_fail_memory(error, "embeddings") : SCADYG_OK;
}
