/* A piece of pairs, forward: distinct rows, their hypernetwork and sides, then the head. */
#include "model/pair_workspace.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of S that are kept for the way back, which is faster than computing them again while they are in cache. */
#define KEPT ((size_t)1 << 16)

static void take(const sg_pair_piece *piece, size_t *used, float **at, size_t count)
{
    *at = piece->block ? piece->block + *used : NULL;
    *used += (count + 15) / 16 * 16;
}

static void take_nodes(sg_pair_piece *piece, size_t *used)
{
    const sg_pair_weights *w = piece->weights;
    const sg_pair_net *net = &w->net;
    const size_t most = SG_LANES(2 * piece->pairs), d = net->node, mixer = piece->pairs * net->rates * SG_MIXES;
    take(piece, used, &piece->h_rows, most * w->node);
    take(piece, used, &piece->sides.left, most * w->width);
    if (piece->learning) take(piece, used, &piece->dside, most * w->width);
    if (!net->hypernetwork) return;
    take(piece, used, &piece->m, d * most);
    take(piece, used, &piece->r, d * most);
    take(piece, used, &piece->h, d * most);
    take(piece, used, &piece->m_rows, piece->pairs * w->node);
    take(piece, used, &piece->mixer_r, piece->pairs * SG_MIXES);
    take(piece, used, &piece->g, piece->pairs * SG_MIXES);
    take(piece, used, &piece->sides.s, mixer);
    take(piece, used, &piece->sides.t, mixer);
    if (!piece->learning) return;
    take(piece, used, &piece->dh, w->node * most);
    take(piece, used, &piece->dr, d * most);
    take(piece, used, &piece->kept, d * d * 8 <= KEPT ? KEPT : 0);
    take(piece, used, &piece->dh_rows, most * w->node);
    take(piece, used, &piece->dt, mixer);
    take(piece, used, &piece->mixer_dr, piece->pairs * SG_MIXES);
    take(piece, used, &piece->grid_part, 2 * d * d + d);
}

static size_t lay_out(sg_pair_piece *piece)
{
    const sg_pair_weights *w = piece->weights;
    size_t used = 0;
    take_nodes(piece, &used);
    take(piece, &used, &piece->base, piece->pairs * w->pitch);
    take(piece, &used, &piece->x1, piece->pairs * w->pitch);
    take(piece, &used, &piece->x2, piece->pairs * w->pitch2);
    if (!piece->learning) return used;
    take(piece, &used, &piece->dx2, piece->pairs * w->pitch2);
    take(piece, &used, &piece->dg, piece->pairs * SG_MIXES);
    for (size_t o = 0; o < SG_OUTPUTS; o++) take(piece, &used, &piece->slope[o], SG_LANES(piece->pairs));
    return used;
}

int sg_pair_piece_open(const sg_pair_weights *weights, size_t pairs, int learning, sg_pair_piece *piece)
{
    memset(piece, 0, sizeof *piece);
    piece->weights = weights;
    piece->pairs = pairs;
    piece->learning = learning;
    size_t table = 16;
    for (piece->table_shift = 28; table < 2 * pairs; piece->table_shift--) table *= 2;
    piece->table_mask = table - 1;
    piece->table = sg_alloc(table, sizeof *piece->table);
    piece->row_at = sg_alloc(4 * pairs, sizeof *piece->row_at);
    piece->block = sg_alloc_huge(lay_out(piece), sizeof *piece->block);
    if (!piece->table || !piece->row_at || !piece->block) {
        sg_pair_piece_close(piece);
        return -1;
    }
    piece->left_at = piece->row_at + 2 * pairs;
    piece->right_at = piece->row_at + 3 * pairs;
    lay_out(piece);
    return 0;
}

void sg_pair_piece_close(sg_pair_piece *piece)
{
    free(piece->table);
    free(piece->row_at);
    free(piece->block);
    memset(piece, 0, sizeof *piece);
}

/* The distinct rows of one side, appended to the list in the order of their first appearance; returns how many. */
static size_t place_side(sg_pair_piece *piece, const uint32_t *index, size_t count, uint32_t *row_at,
                         uint32_t *place)
{
    size_t distinct = 0;
    memset(piece->table, 0, (piece->table_mask + 1) * sizeof *piece->table);
    for (size_t k = 0; k < count; k++) {
        const uint32_t row = index[k];
        size_t at = (row * 2654435769u) >> piece->table_shift;
        while (piece->table[at] && row_at[piece->table[at] - 1] != row) at = (at + 1) & piece->table_mask;
        if (!piece->table[at]) {
            row_at[distinct] = row;
            piece->table[at] = (uint32_t)++distinct;
        }
        place[k] = piece->table[at] - 1;
    }
    return distinct;
}

void sg_pair_place(sg_pair_piece *piece, const sg_pair_rows *rows, size_t first, size_t count)
{
    piece->sources = place_side(piece, rows->left + first, count, piece->row_at, piece->left_at);
    piece->nodes = piece->sources;
    piece->nodes += place_side(piece, rows->right + first, count, piece->row_at + piece->sources, piece->right_at);
    piece->sides.right = piece->sides.left + piece->sources * piece->weights->width;
}

float *sg_pair_kept(const sg_pair_piece *piece)
{
    const size_t d = piece->weights->net.node;
    return piece->learning && d * d * piece->lanes <= KEPT ? piece->kept : NULL;
}

void sg_pair_embed_listed(sg_pair_piece *piece, const float *nodes)
{
    const sg_pair_weights *w = piece->weights;
    const size_t d = w->net.node;
    piece->lanes = SG_LANES(piece->nodes);
    if (!w->net.hypernetwork) {
        for (size_t n = 0; n < piece->nodes; n++)
            memcpy(piece->h_rows + n * w->node, nodes + piece->row_at[n] * d, d * sizeof *nodes);
        return;
    }
    const sg_grid grid = {.width = d,
                          .lanes = piece->lanes,
                          .w = w->values + w->net.w,
                          .p = w->values + w->net.wp,
                          .m = piece->m,
                          .r = piece->r,
                          .h = piece->h,
                          .s = sg_pair_kept(piece)};
    w->kernels->gather(d, nodes, piece->row_at, piece->nodes, piece->lanes, piece->m);
    w->kernels->mix(d, d, piece->lanes, (sg_weights){w->values + w->net.wr, 1, d}, NULL, piece->m, piece->r);
    w->kernels->grid_forward(&grid);
    /* Turned, so that nodes are rows. */
    w->kernels->gather(piece->lanes, piece->h, NULL, d, w->node, piece->h_rows);
}

static void mix_sources(sg_pair_piece *piece, const float *nodes, const sg_pair_sides *sides)
{
    const sg_pair_weights *w = piece->weights;
    const size_t d = w->net.node;
    for (size_t n = 0; n < piece->sources; n++) {
        memcpy(piece->m_rows + n * w->node, nodes + piece->row_at[n] * d, d * sizeof *nodes);
        memset(piece->m_rows + n * w->node + d, 0, (w->node - d) * sizeof *nodes);
    }
    const sg_layer layer = {.inputs = d,
                            .outputs = SG_MIXES,
                            .panels = w->vr,
                            .x = piece->m_rows,
                            .x_pitch = w->node,
                            .out = piece->mixer_r,
                            .out_pitch = SG_MIXES};
    w->kernels->layer(&layer, piece->sources);
    const sg_mixer mixer = {.rates = w->net.rates,
                            .v = w->v,
                            .p = w->values + w->net.vp,
                            .r = piece->mixer_r,
                            .s = sides->s,
                            .t = sides->t};
    w->kernels->mixer_forward(&mixer, piece->sources);
}

void sg_pair_side_listed(sg_pair_piece *piece, const float *nodes, const sg_pair_sides *sides)
{
    const sg_pair_weights *w = piece->weights;
    sg_layer layer = {.inputs = w->net.node,
                      .outputs = w->width,
                      .panels = w->left,
                      .from = w->bias,
                      .x = piece->h_rows,
                      .x_pitch = w->node,
                      .out = sides->left,
                      .out_pitch = w->width};
    w->kernels->layer(&layer, piece->sources);
    layer.panels = w->right;
    layer.from = NULL;
    layer.x = piece->h_rows + piece->sources * w->node;
    layer.out = sides->right;
    w->kernels->layer(&layer, piece->nodes - piece->sources);
    if (w->net.hypernetwork) mix_sources(piece, nodes, sides);
}

/* From the nodes' part of fc1 z, in x1, to base: that of g added. */
static void add_mixes(sg_pair_piece *piece, const float *between, size_t count, const sg_pair_sides *sides)
{
    const sg_pair_weights *w = piece->weights;
    const sg_mixer mixer = {.rates = w->net.rates, .t = sides->t};
    const sg_layer layer = {.inputs = SG_MIXES,
                            .outputs = w->width,
                            .panels = w->mix,
                            .from = piece->x1,
                            .from_pitch = w->pitch,
                            .x = piece->g,
                            .x_pitch = SG_MIXES,
                            .out = piece->base,
                            .out_pitch = w->pitch};
    w->kernels->mix_pairs(&mixer, count, between, w->net.rates + w->net.rest, piece->left_at, piece->g);
    w->kernels->layer(&layer, count);
}

void sg_pair_forward(sg_pair_piece *piece, const sg_pair_rows *rows, size_t first, size_t count,
                     const sg_pair_sides *sides)
{
    const sg_pair_weights *w = piece->weights;
    const sg_kernels *kernels = w->kernels;
    const size_t row = w->net.rates + w->net.rest;
    const float *between = rows->between + first * row;
    kernels->pair_sums(w->width, count, sides->left, piece->left_at, sides->right, piece->right_at,
                       w->mix ? piece->x1 : piece->base, w->pitch);
    if (w->mix) add_mixes(piece, between, count, sides);
    const sg_layer one = {.inputs = w->plain,
                          .outputs = w->width,
                          .panels = w->rest,
                          .from = piece->base,
                          .from_pitch = w->pitch,
                          .x = between + row - w->plain,
                          .x_pitch = row,
                          .out = piece->x1,
                          .out_pitch = w->pitch,
                          .form = SG_RELU};
    const sg_layer two = {.inputs = w->net.hidden,
                          .outputs = w->width2,
                          .panels = w->second,
                          .from = w->bias2,
                          .x = piece->x1,
                          .x_pitch = w->pitch,
                          .out = piece->x2,
                          .out_pitch = w->pitch2,
                          .form = SG_RELU};
    kernels->layer(&one, count);
    kernels->layer(&two, count);
}

void sg_pair_output(const sg_pair_piece *piece, size_t count, int output, double *score)
{
    const sg_pair_weights *w = piece->weights;
    w->kernels->dots(w->width2, count, piece->x2, w->pitch2, w->third + (size_t)output * w->width2,
                     w->values[w->net.fc3_bias + (size_t)output], score);
}
