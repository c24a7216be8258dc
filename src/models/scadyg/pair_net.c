/* The pair net: where its groups of learned numbers lie, and their first values. */
#include "models/scadyg/pair_net.h"

#include "base/rng.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sg_pair_net_make(sg_pair_net *net, int hypernetwork, size_t node, size_t rates, size_t rest, size_t hidden,
                      size_t hidden2)
{
    const size_t with = hypernetwork != 0, mixes = with ? SG_MIXES : rates;
    memset(net, 0, sizeof *net);
    net->hypernetwork = hypernetwork != 0;
    net->node = node;
    net->rates = rates;
    net->rest = rest;
    net->hidden = hidden;
    net->hidden2 = hidden2;
    net->inputs = 2 * node + mixes + rest;
    net->w = 0;
    net->wr = net->w + with * node * node;
    net->wp = net->wr + with * node * node;
    net->v = net->wp + with * node;
    net->vr = net->v + with * SG_MIXES * rates;
    net->vp = net->vr + with * SG_MIXES * node;
    net->fc1 = net->vp + with * rates;
    net->fc1_bias = net->fc1 + net->inputs * hidden;
    net->fc2 = net->fc1_bias + hidden;
    net->fc2_bias = net->fc2 + hidden * hidden2;
    net->fc3 = net->fc2_bias + hidden2;
    net->fc3_bias = net->fc3 + hidden2 * SG_OUTPUTS;
    net->count = net->fc3_bias + SG_OUTPUTS;
}

typedef struct group {
    const char *name;
    size_t begin, rows, columns;
    size_t inputs; /* of its layer */
} group;

enum { GROUPS = 12, OF_HYPERNETWORK = 6 };

static size_t list_groups(const sg_pair_net *net, group groups[GROUPS])
{
    const size_t node = net->node, rates = net->rates;
    const group all[GROUPS] = {
        {"W", net->w, node, node, node},
        {"Wr", net->wr, node, node, node},
        {"Wp", net->wp, 1, node, node},
        {"V", net->v, SG_MIXES, rates, rates},
        {"Vr", net->vr, SG_MIXES, node, node},
        {"Vp", net->vp, 1, rates, rates},
        {"fc1.weight", net->fc1, net->inputs, net->hidden, net->inputs},
        {"fc1.bias", net->fc1_bias, 1, net->hidden, net->inputs},
        {"fc2.weight", net->fc2, net->hidden, net->hidden2, net->hidden},
        {"fc2.bias", net->fc2_bias, 1, net->hidden2, net->hidden},
        {"fc3.weight", net->fc3, net->hidden2, SG_OUTPUTS, net->hidden2},
        {"fc3.bias", net->fc3_bias, 1, SG_OUTPUTS, net->hidden2},
    };
    const size_t absent = net->hypernetwork ? 0 : OF_HYPERNETWORK;
    memcpy(groups, all + absent, (GROUPS - absent) * sizeof *groups);
    return GROUPS - absent;
}

const char *sg_pair_net_group(const sg_pair_net *net, size_t i, size_t *begin, size_t *rows, size_t *columns)
{
    group groups[GROUPS];
    if (i >= list_groups(net, groups)) return NULL;
    *begin = groups[i].begin;
    *rows = groups[i].rows;
    *columns = groups[i].columns;
    return groups[i].name;
}

void sg_pair_net_init(const sg_pair_net *net, uint64_t seed, float *values)
{
    group groups[GROUPS];
    const size_t count = list_groups(net, groups);
    for (size_t g = 0; g < count; g++)
        for (size_t i = groups[g].begin; i < groups[g].begin + groups[g].rows * groups[g].columns; i++) {
            const double u = sg_unit(sg_hash3(seed, 0, i));
            values[i] = (float)((2 * u - 1) / sqrt((double)groups[g].inputs));
        }
}

/* ---- The weights of the pair net as the inner loops read them ---- */

/* Rows that lie a multiple of 256 bytes apart fall on the same few lines of the first-level cache. */
static size_t pitch_of(size_t width)
{
    const size_t pitch = (width + 15) / 16 * 16;
    return pitch % 64 ? pitch : pitch + 16;
}

/* Sets *at to the next `count` floats of the block, or only counts them while there is no block. */
static void take_floats(const float *block, size_t *used, float **at, size_t count)
{
    *at = block ? (float *)(uintptr_t)(block + *used) : NULL;
    *used += (count + 15) / 16 * 16;
}

static size_t lay_out_weights(sg_pair_weights *w, int learning)
{
    const sg_pair_net *net = &w->net;
    size_t used = 0;
    take_floats(w->block, &used, &w->left, net->node * w->width);
    take_floats(w->block, &used, &w->right, net->node * w->width);
    take_floats(w->block, &used, &w->rest, w->plain * w->width);
    take_floats(w->block, &used, &w->second, net->hidden * w->width2);
    take_floats(w->block, &used, &w->bias, w->width);
    take_floats(w->block, &used, &w->bias2, w->width2);
    take_floats(w->block, &used, &w->third, SG_OUTPUTS * w->width2);
    if (net->hypernetwork) {
        take_floats(w->block, &used, &w->mix, SG_MIXES * w->width);
        take_floats(w->block, &used, &w->vr, net->node * SG_MIXES);
        take_floats(w->block, &used, &w->v, net->rates * SG_MIXES);
    }
    if (!learning) return used;
    take_floats(w->block, &used, &w->second_back, net->hidden2 * w->width);
    if (!net->hypernetwork) return used;
    take_floats(w->block, &used, &w->left_back, net->hidden * w->node);
    take_floats(w->block, &used, &w->right_back, net->hidden * w->node);
    take_floats(w->block, &used, &w->mix_back, net->hidden * SG_MIXES);
    return used;
}

int sg_pair_weights_open(const sg_pair_net *net, int learning, sg_pair_weights *w)
{
    memset(w, 0, sizeof *w);
    w->net = *net;
    w->kernels = sg_kernels_best();
    w->node = SG_LANES(net->node);
    w->width = SG_LANES(net->hidden);
    w->width2 = SG_LANES(net->hidden2);
    w->plain = net->rest + (net->hypernetwork ? 0 : net->rates);
    w->pitch = pitch_of(w->width);
    w->pitch2 = pitch_of(w->width2);
    w->block = sg_alloc_aligned(lay_out_weights(w, learning), sizeof *w->block);
    if (!w->block) return -1;
    lay_out_weights(w, learning);
    return 0;
}

void sg_pair_weights_close(sg_pair_weights *w)
{
    free(w->block);
    w->block = NULL;
}

/* Panels of 16 outputs, [inputs][16] each, the last of 8 if that is enough; outputs are filled up with zeros. */
static void pack_panels(size_t outputs, size_t inputs, sg_weights from, float *panels)
{
    const size_t padded = SG_LANES(outputs);
    for (size_t o = 0; o < padded;) {
        const size_t size = padded - o < 16 ? 8 : 16, whole = outputs - o < size ? outputs - o : size;
        for (size_t k = 0; k < inputs && from.outer == 1; k++)
            memcpy(panels + k * size, from.at + k * from.inner + o, whole * sizeof *panels);
        for (size_t c = 0; c < whole && from.outer != 1; c++)
            for (size_t k = 0; k < inputs; k++)
                panels[k * size + c] = from.at[k * from.inner + (o + c) * from.outer];
        for (size_t k = 0; k < inputs && whole < size; k++)
            memset(panels + k * size + whole, 0, (size - whole) * sizeof *panels);
        o += size;
        panels += size * inputs;
    }
}

void sg_pair_weights_set(sg_pair_weights *w, const float *values)
{
    const sg_pair_net *net = &w->net;
    const size_t hidden = net->hidden, hidden2 = net->hidden2, node = net->node;
    const float *left = values + net->fc1, *right = left + node * hidden, *mix = right + node * hidden;
    const float *rest = net->hypernetwork ? mix + SG_MIXES * hidden : mix;
    w->values = values;
    pack_panels(hidden, node, (sg_weights){left, hidden, 1}, w->left);
    pack_panels(hidden, node, (sg_weights){right, hidden, 1}, w->right);
    pack_panels(hidden, w->plain, (sg_weights){rest, hidden, 1}, w->rest);
    pack_panels(hidden2, hidden, (sg_weights){values + net->fc2, hidden2, 1}, w->second);
    memcpy(w->bias, values + net->fc1_bias, hidden * sizeof *values);
    memcpy(w->bias2, values + net->fc2_bias, hidden2 * sizeof *values);
    for (size_t o = 0; o < SG_OUTPUTS; o++)
        for (size_t k = 0; k < hidden2; k++) w->third[o * w->width2 + k] = values[net->fc3 + k * SG_OUTPUTS + o];
    if (w->second_back) pack_panels(hidden, hidden2, (sg_weights){values + net->fc2, 1, hidden2}, w->second_back);
    if (!net->hypernetwork) return;
    pack_panels(hidden, SG_MIXES, (sg_weights){mix, hidden, 1}, w->mix);
    pack_panels(SG_MIXES, node, (sg_weights){values + net->vr, 1, node}, w->vr);
    pack_panels(SG_MIXES, net->rates, (sg_weights){values + net->v, 1, net->rates}, w->v);
    if (!w->left_back) return;
    pack_panels(node, hidden, (sg_weights){left, 1, hidden}, w->left_back);
    pack_panels(node, hidden, (sg_weights){right, 1, hidden}, w->right_back);
    pack_panels(SG_MIXES, hidden, (sg_weights){mix, 1, hidden}, w->mix_back);
}

/* ---- A piece of pairs, forward: distinct rows, their hypernetwork and sides, then the head ---- */

/* Numbers of S that are kept for the way back, which is faster than computing them again while they are in cache. */
#define KEPT ((size_t)1 << 16)

static void take_nodes(sg_pair_piece *piece, size_t *used)
{
    const sg_pair_weights *w = piece->weights;
    const sg_pair_net *net = &w->net;
    const size_t most = SG_LANES(2 * piece->pairs), d = net->node, mixer = piece->pairs * net->rates * SG_MIXES;
    take_floats(piece->block, used, &piece->h_rows, most * w->node);
    take_floats(piece->block, used, &piece->sides.left, most * w->width);
    if (piece->learning) take_floats(piece->block, used, &piece->dside, most * w->width);
    if (!net->hypernetwork) return;
    take_floats(piece->block, used, &piece->m, d * most);
    take_floats(piece->block, used, &piece->r, d * most);
    take_floats(piece->block, used, &piece->h, d * most);
    take_floats(piece->block, used, &piece->m_rows, piece->pairs * w->node);
    take_floats(piece->block, used, &piece->mixer_r, piece->pairs * SG_MIXES);
    take_floats(piece->block, used, &piece->g, piece->pairs * SG_MIXES);
    take_floats(piece->block, used, &piece->sides.s, mixer);
    take_floats(piece->block, used, &piece->sides.t, mixer);
    if (!piece->learning) return;
    take_floats(piece->block, used, &piece->dh, w->node * most);
    take_floats(piece->block, used, &piece->dr, d * most);
    take_floats(piece->block, used, &piece->kept, d * d * 8 <= KEPT ? KEPT : 0);
    take_floats(piece->block, used, &piece->dh_rows, most * w->node);
    take_floats(piece->block, used, &piece->dt, mixer);
    take_floats(piece->block, used, &piece->mixer_dr, piece->pairs * SG_MIXES);
    take_floats(piece->block, used, &piece->grid_part, 2 * d * d + d);
}

static size_t lay_out_piece(sg_pair_piece *piece)
{
    const sg_pair_weights *w = piece->weights;
    size_t used = 0;
    take_nodes(piece, &used);
    take_floats(piece->block, &used, &piece->base, piece->pairs * w->pitch);
    take_floats(piece->block, &used, &piece->x1, piece->pairs * w->pitch);
    take_floats(piece->block, &used, &piece->x2, piece->pairs * w->pitch2);
    if (!piece->learning) return used;
    take_floats(piece->block, &used, &piece->dx2, piece->pairs * w->pitch2);
    take_floats(piece->block, &used, &piece->dg, piece->pairs * SG_MIXES);
    for (size_t o = 0; o < SG_OUTPUTS; o++)
        take_floats(piece->block, &used, &piece->slope[o], SG_LANES(piece->pairs));
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
    piece->block = sg_alloc_huge(lay_out_piece(piece), sizeof *piece->block);
    if (!piece->table || !piece->row_at || !piece->block) {
        sg_pair_piece_close(piece);
        return -1;
    }
    piece->left_at = piece->row_at + 2 * pairs;
    piece->right_at = piece->row_at + 3 * pairs;
    lay_out_piece(piece);
    return 0;
}

void sg_pair_piece_close(sg_pair_piece *piece)
{
    SG_FREE(piece->table, piece->row_at, piece->block);
    memset(piece, 0, sizeof *piece);
}

/* The distinct rows of one side, appended to the list in the order of their first appearance; returns how many. A piece has
 * some hundred pairs at most, so a hash without a key does: the worst data costs less here than its scores. */
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
    const sg_layer layer = {d,        SG_MIXES, w->vr, {NULL, 0}, {piece->m_rows, w->node}, piece->mixer_r,
                            SG_MIXES, SG_PLAIN, NULL};
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
    sg_layer layer = {w->net.node, w->width, w->left,  {w->bias, 0}, {piece->h_rows, w->node},
                      sides->left, w->width, SG_PLAIN, NULL};
    w->kernels->layer(&layer, piece->sources);
    layer.panels = w->right;
    layer.from.at = NULL;
    layer.x.at = piece->h_rows + piece->sources * w->node;
    layer.out = sides->right;
    w->kernels->layer(&layer, piece->nodes - piece->sources);
    if (w->net.hypernetwork) mix_sources(piece, nodes, sides);
}

/* From the nodes' part of fc1 z, in x1, to base: that of g added. */
static void add_mixes(sg_pair_piece *piece, const float *between, size_t count, const sg_pair_sides *sides)
{
    const sg_pair_weights *w = piece->weights;
    const sg_mixer mixer = {.rates = w->net.rates, .t = sides->t};
    const sg_layer layer = {SG_MIXES, w->width, w->mix, {piece->x1, w->pitch}, {piece->g, SG_MIXES}, piece->base,
                            w->pitch, SG_PLAIN, NULL};
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
    const sg_layer one = {
        w->plain, w->width, w->rest, {piece->base, w->pitch}, {between + row - w->plain, row}, piece->x1,
        w->pitch, SG_RELU,  NULL};
    const sg_layer two = {w->net.hidden, w->width2, w->second, {w->bias2, 0}, {piece->x1, w->pitch},
                          piece->x2,     w->pitch2, SG_RELU,   NULL};
    kernels->layer(&one, count);
    kernels->layer(&two, count);
}

void sg_pair_output(const sg_pair_piece *piece, size_t first, size_t count, int output, double *score)
{
    const sg_pair_weights *w = piece->weights;
    w->kernels->dots(w->width2, count, piece->x2 + first * w->pitch2, w->pitch2,
                     w->third + (size_t)output * w->width2, w->values[w->net.fc3_bias + (size_t)output], score);
}

/* ---- A piece of pairs, backward: from the slopes at the scores to the gradient ---- */

sg_pair_part sg_pair_part_of(const sg_pair_weights *w)
{
    const sg_pair_net *net = &w->net;
    const size_t with = (size_t)net->hypernetwork;
    sg_pair_part at = {0};
    at.wr = at.w + with * net->node * net->node;
    at.wp = at.wr + with * net->node * net->node;
    at.v = at.wp + with * net->node;
    at.vr = at.v + with * net->rates * SG_MIXES;
    at.vp = at.vr + with * SG_MIXES * w->node;
    at.fc1 = at.vp + with * net->rates * SG_MIXES;
    at.fc1_bias = at.fc1 + net->inputs * w->width;
    at.fc2 = at.fc1_bias + w->width;
    at.fc2_bias = at.fc2 + net->hidden * w->width2;
    at.fc3 = at.fc2_bias + w->width2;
    at.fc3_bias = at.fc3 + SG_OUTPUTS * w->width2;
    at.count = (at.fc3_bias + SG_OUTPUTS + 15) / 16 * 16;
    return at;
}

/* From the slopes at the scores to those at the hidden units, which go to piece->base. */
static void head_back(sg_pair_piece *piece, const float *between, size_t count, const sg_pair_part *at, float *part)
{
    const sg_pair_weights *w = piece->weights;
    const sg_kernels *kernels = w->kernels;
    for (size_t o = 0; o < SG_OUTPUTS; o++) {
        double sum = 0; /* of slopes that cancel */
        for (size_t i = 0; i < count; i++) sum += (double)piece->slope[o][i];
        part[at->fc3_bias + o] += (float)sum;
    }
    kernels->dots_back(w->width2, count, piece->slope, w->third, piece->x2, piece->dx2, w->pitch2, part + at->fc3,
                       part + at->fc2_bias);
    kernels->layer_back(w->net.hidden, w->width2, count, piece->x1, w->pitch, piece->dx2, w->pitch2,
                        part + at->fc2);
    const sg_layer second = {w->net.hidden2, w->width, w->second_back, {NULL, 0}, {piece->dx2, w->pitch2},
                             piece->base,    w->pitch, SG_GATE,        piece->x1};
    kernels->layer(&second, count);
    const size_t row = w->net.rates + w->net.rest;
    float *mix = part + at->fc1 + 2 * w->net.node * w->width, *rest = w->mix ? mix + SG_MIXES * w->width : mix;
    if (w->mix) kernels->layer_back(SG_MIXES, w->width, count, piece->g, SG_MIXES, piece->base, w->pitch, mix);
    kernels->layer_back(w->plain, w->width, count, between + row - w->plain, row, piece->base, w->pitch, rest);
}

/* fc1 of the nodes: its gradient, and the slope of h. */
static void sides_back(sg_pair_piece *piece, size_t count, const sg_pair_part *at, float *part)
{
    const sg_pair_weights *w = piece->weights;
    const sg_kernels *kernels = w->kernels;
    const size_t sources = piece->sources, others = piece->nodes - sources, d = w->net.node;
    float *left = piece->dside, *right = left + sources * w->width, *bias = part + at->fc1_bias;
    kernels->add_rows(w->width, count, piece->base, w->pitch, piece->left_at, left);
    kernels->add_rows(w->width, count, piece->base, w->pitch, piece->right_at, right);
    for (size_t n = 0; n < sources; n++)
        for (size_t o = 0; o < w->width; o++) bias[o] += left[n * w->width + o];
    kernels->layer_back(d, w->width, sources, piece->h_rows, w->node, left, w->width, part + at->fc1);
    kernels->layer_back(d, w->width, others, piece->h_rows + sources * w->node, w->node, right, w->width,
                        part + at->fc1 + d * w->width);
    if (!w->net.hypernetwork) return;
    sg_layer layer = {w->net.hidden,  w->node, w->left_back, {NULL, 0}, {left, w->width},
                      piece->dh_rows, w->node, SG_PLAIN,     NULL};
    kernels->layer(&layer, sources);
    layer.panels = w->right_back;
    layer.x.at = right;
    layer.out = piece->dh_rows + sources * w->node;
    kernels->layer(&layer, others);
}

/* How sources weight the rates. */
static void mixer_back(sg_pair_piece *piece, const float *between, size_t count, const sg_pair_part *at,
                       float *part)
{
    const sg_pair_weights *w = piece->weights;
    const sg_kernels *kernels = w->kernels;
    const size_t rates = w->net.rates;
    const sg_layer layer = {w->net.hidden, SG_MIXES, w->mix_back, {NULL, 0}, {piece->base, w->pitch},
                            piece->dg,     SG_MIXES, SG_PLAIN,    NULL};
    kernels->layer(&layer, count);
    const sg_mixer mixer = {.rates = rates,
                            .v = w->v,
                            .p = w->values + w->net.vp,
                            .r = piece->mixer_r,
                            .s = piece->sides.s,
                            .t = piece->sides.t,
                            .dt = piece->dt,
                            .dr = piece->mixer_dr,
                            .dv = part + at->v,
                            .dp = part + at->vp};
    kernels->mix_pairs_back(&mixer, count, between, rates + w->net.rest, piece->left_at, piece->dg);
    kernels->mixer_backward(&mixer, piece->sources);
    kernels->layer_back(SG_MIXES, w->node, piece->sources, piece->mixer_dr, SG_MIXES, piece->m_rows, w->node,
                        part + at->vr);
}

static void hypernetwork_back(sg_pair_piece *piece, const sg_pair_part *at, float *part)
{
    const sg_pair_weights *w = piece->weights;
    const size_t d = w->net.node, size = 2 * d * d + d;
    float *own = piece->grid_part;
    const sg_grid grid = {.width = d,
                          .lanes = piece->lanes,
                          .w = w->values + w->net.w,
                          .p = w->values + w->net.wp,
                          .m = piece->m,
                          .r = piece->r,
                          .h = piece->h,
                          .s = sg_pair_kept(piece),
                          .dh = piece->dh,
                          .dr = piece->dr,
                          .dw = own,
                          .dp = own + 2 * d * d};
    w->kernels->gather(w->node, piece->dh_rows, NULL, piece->nodes, piece->lanes, piece->dh);
    w->kernels->grid_backward(&grid);
    w->kernels->outer(d, d, piece->lanes, piece->dr, piece->m, own + d * d);
    for (size_t i = 0; i < size; i++) part[at->w + i] += own[i];
}

void sg_pair_backward(sg_pair_piece *piece, const sg_pair_rows *rows, size_t first, size_t count,
                      const sg_pair_part *layout, float *part)
{
    const sg_pair_net *net = &piece->weights->net;
    const float *between = rows->between + first * (net->rates + net->rest);
    head_back(piece, between, count, layout, part);
    sides_back(piece, count, layout, part);
    if (!net->hypernetwork) return;
    mixer_back(piece, between, count, layout, part);
    hypernetwork_back(piece, layout, part);
}
