/* The pair net: where its groups of learned numbers lie, and their first values. */
#include "models/scadyg/pair_net.h"

#include "base/rng.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sg_pair_net_make(sg_pair_net *net, size_t node, size_t between, size_t hidden, size_t hidden2)
{
    *net = (sg_pair_net){.node = node, .between = between, .hidden = hidden, .hidden2 = hidden2};
    net->inputs = 2 * node + between;
    net->fc1 = 0;
    net->fc1_bias = net->fc1 + net->inputs * hidden;
    net->fc2 = net->fc1_bias + hidden;
    net->fc2_bias = net->fc2 + hidden * hidden2;
    net->fc3 = net->fc2_bias + hidden2;
    net->fc3_bias = net->fc3 + hidden2 * SG_OUTPUTS;
    net->direct = net->fc3_bias + SG_OUTPUTS;
    net->count = net->direct + between * SG_OUTPUTS;
}

typedef struct group {
    const char *name;
    size_t begin, rows, columns;
    size_t inputs; /* of its layer; 0: begins at 0 */
} group;

enum { GROUPS = 7, DIRECT = SG_PAIR_DIRECT };

static void list_groups(const sg_pair_net *net, group groups[GROUPS])
{
    const group all[GROUPS] = {
        {"fc1.weight", net->fc1, net->inputs, net->hidden, net->inputs},
        {"fc1.bias", net->fc1_bias, 1, net->hidden, net->inputs},
        {"fc2.weight", net->fc2, net->hidden, net->hidden2, net->hidden},
        {"fc2.bias", net->fc2_bias, 1, net->hidden2, net->hidden},
        {"fc3.weight", net->fc3, net->hidden2, SG_OUTPUTS, net->hidden2},
        {"fc3.bias", net->fc3_bias, 1, SG_OUTPUTS, net->hidden2},
        {"direct.weight", net->direct, net->between, SG_OUTPUTS, 0},
    };
    memcpy(groups, all, sizeof all);
}

const char *sg_pair_net_group(const sg_pair_net *net, size_t i, size_t *begin, size_t *rows, size_t *columns)
{
    group groups[GROUPS];
    if (i >= GROUPS) return NULL;
    list_groups(net, groups);
    *begin = groups[i].begin;
    *rows = groups[i].rows;
    *columns = groups[i].columns;
    return groups[i].name;
}

void sg_pair_net_init(const sg_pair_net *net, uint64_t seed, float *values)
{
    group groups[GROUPS];
    list_groups(net, groups);
    for (size_t g = 0; g < GROUPS; g++)
        for (size_t i = groups[g].begin; i < groups[g].begin + groups[g].rows * groups[g].columns; i++) {
            const double u = sg_unit(sg_hash3(seed, 0, i));
            values[i] = groups[g].inputs ? (float)((2 * u - 1) / sqrt((double)groups[g].inputs)) : 0;
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
    take_floats(w->block, &used, &w->between, net->between * w->width);
    take_floats(w->block, &used, &w->second, net->hidden * w->width2);
    take_floats(w->block, &used, &w->bias, w->width);
    take_floats(w->block, &used, &w->bias2, w->width2);
    take_floats(w->block, &used, &w->third, SG_OUTPUTS * w->width2);
    take_floats(w->block, &used, &w->direct, net->between * DIRECT);
    if (learning) take_floats(w->block, &used, &w->second_back, net->hidden2 * w->width);
    return used;
}

static void set_widths(sg_pair_weights *w, const sg_pair_net *net)
{
    memset(w, 0, sizeof *w);
    w->net = *net;
    w->width = SG_LANES(net->hidden);
    w->width2 = SG_LANES(net->hidden2);
    w->pitch = pitch_of(w->width);
    w->pitch2 = pitch_of(w->width2);
}

int sg_pair_weights_open(const sg_pair_net *net, int learning, sg_pair_weights *w)
{
    set_widths(w, net);
    w->kernels = sg_kernels_best();
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
    const float *left = values + net->fc1, *right = left + node * hidden, *between = right + node * hidden;
    w->values = values;
    pack_panels(hidden, node, (sg_weights){left, hidden, 1}, w->left);
    pack_panels(hidden, node, (sg_weights){right, hidden, 1}, w->right);
    pack_panels(hidden, net->between, (sg_weights){between, hidden, 1}, w->between);
    pack_panels(hidden2, hidden, (sg_weights){values + net->fc2, hidden2, 1}, w->second);
    pack_panels(SG_OUTPUTS, net->between, (sg_weights){values + net->direct, SG_OUTPUTS, 1}, w->direct);
    memcpy(w->bias, values + net->fc1_bias, hidden * sizeof *values);
    memcpy(w->bias2, values + net->fc2_bias, hidden2 * sizeof *values);
    for (size_t o = 0; o < SG_OUTPUTS; o++)
        for (size_t k = 0; k < hidden2; k++) w->third[o * w->width2 + k] = values[net->fc3 + k * SG_OUTPUTS + o];
    if (w->second_back) pack_panels(hidden, hidden2, (sg_weights){values + net->fc2, 1, hidden2}, w->second_back);
}

/* ---- A piece of pairs, forward: distinct rows and their sides, then the head ---- */

static size_t lay_out_piece(sg_pair_piece *piece)
{
    const sg_pair_weights *w = piece->weights;
    const size_t most = SG_LANES(2 * piece->pairs);
    size_t used = 0;
    take_floats(piece->block, &used, &piece->m, most * w->net.node);
    take_floats(piece->block, &used, &piece->sides.left, most * w->width);
    take_floats(piece->block, &used, &piece->x1, piece->pairs * w->pitch);
    take_floats(piece->block, &used, &piece->x2, piece->pairs * w->pitch2);
    take_floats(piece->block, &used, &piece->direct, piece->pairs * DIRECT);
    if (!piece->learning) return used;
    take_floats(piece->block, &used, &piece->base, piece->pairs * w->pitch);
    take_floats(piece->block, &used, &piece->dside, most * w->width);
    take_floats(piece->block, &used, &piece->dx2, piece->pairs * w->pitch2);
    for (size_t o = 0; o < SG_OUTPUTS; o++)
        take_floats(piece->block, &used, &piece->slope[o], SG_LANES(piece->pairs));
    return used;
}

uint64_t sg_pair_learning_bytes(const sg_pair_net *net, size_t pairs, size_t shares)
{
    sg_pair_weights weights;
    set_widths(&weights, net);
    sg_pair_piece piece = {.weights = &weights, .pairs = pairs, .learning = 1};
    const uint64_t places = 8 * pairs, scores = 2 * SG_OUTPUTS * pairs; /* in floats, as all the rest */
    return (lay_out_piece(&piece) + shares * sg_pair_part_of(&weights).count + places + scores) * sizeof(float);
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

void sg_pair_side_listed(sg_pair_piece *piece, const float *nodes, const sg_pair_sides *sides)
{
    const sg_pair_weights *w = piece->weights;
    const size_t node = w->net.node;
    for (size_t n = 0; n < piece->nodes; n++)
        memcpy(piece->m + n * node, nodes + piece->row_at[n] * node, node * sizeof *nodes);
    sg_layer layer = {.inputs = node,
                      .outputs = w->width,
                      .panels = w->left,
                      .from = {w->bias, 0},
                      .x = {piece->m, node},
                      .out = sides->left,
                      .out_pitch = w->width};
    w->kernels->layer(&layer, piece->sources);
    layer.panels = w->right;
    layer.from.at = NULL;
    layer.x.at = piece->m + piece->sources * node;
    layer.out = sides->right;
    w->kernels->layer(&layer, piece->nodes - piece->sources);
}

void sg_pair_forward(sg_pair_piece *piece, const sg_pair_rows *rows, size_t first, size_t count,
                     const sg_pair_sides *sides)
{
    const sg_pair_weights *w = piece->weights;
    const sg_kernels *kernels = w->kernels;
    const size_t row = w->net.between;
    const sg_layer one = {.inputs = row,
                          .outputs = w->width,
                          .panels = w->between,
                          .from = {sides->left, w->width},
                          .x = {rows->between + first * row, row},
                          .out = piece->x1,
                          .out_pitch = w->pitch,
                          .form = SG_PLUS_RELU,
                          .from_at = piece->left_at,
                          .plus_at = piece->right_at,
                          .plus = sides->right};
    const sg_layer direct = {.inputs = row,
                             .outputs = DIRECT,
                             .panels = w->direct,
                             .x = {rows->between + first * row, row},
                             .out = piece->direct,
                             .out_pitch = DIRECT};
    kernels->layer(&one, count);
    sg_pair_second(piece, count);
    kernels->layer(&direct, count);
}

void sg_pair_second(sg_pair_piece *piece, size_t count)
{
    const sg_pair_weights *w = piece->weights;
    const sg_layer two = {.inputs = w->net.hidden,
                          .outputs = w->width2,
                          .panels = w->second,
                          .from = {w->bias2, 0},
                          .x = {piece->x1, w->pitch},
                          .out = piece->x2,
                          .out_pitch = w->pitch2,
                          .form = SG_RELU};
    w->kernels->layer(&two, count);
}

void sg_pair_output(const sg_pair_piece *piece, size_t first, size_t count, int output, double *score)
{
    const sg_pair_weights *w = piece->weights;
    w->kernels->dots(w->width2, count, piece->x2 + first * w->pitch2, w->pitch2,
                     w->third + (size_t)output * w->width2, w->values[w->net.fc3_bias + (size_t)output], score);
    for (size_t i = 0; i < count; i++) score[i] += (double)piece->direct[(first + i) * DIRECT + (size_t)output];
}

/* ---- A piece of pairs, backward: from the slopes at the scores to the gradient ---- */

sg_pair_part sg_pair_part_of(const sg_pair_weights *w)
{
    const sg_pair_net *net = &w->net;
    sg_pair_part at = {0};
    at.fc1_bias = at.fc1 + net->inputs * w->width;
    at.fc2 = at.fc1_bias + w->width;
    at.fc2_bias = at.fc2 + net->hidden * w->width2;
    at.fc3 = at.fc2_bias + w->width2;
    at.fc3_bias = at.fc3 + SG_OUTPUTS * w->width2;
    at.direct = (at.fc3_bias + SG_OUTPUTS + 15) / 16 * 16;
    at.count = at.direct + (net->between * DIRECT + 15) / 16 * 16;
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
        for (size_t i = 0; i < count; i++) piece->direct[i * DIRECT + o] = piece->slope[o][i];
    }
    for (size_t i = 0; i < count; i++)
        for (size_t o = SG_OUTPUTS; o < DIRECT; o++) piece->direct[i * DIRECT + o] = 0;
    kernels->layer_back(w->net.between, DIRECT, count, between, w->net.between, piece->direct, DIRECT,
                        part + at->direct);
    kernels->dots_back(w->width2, count, piece->slope, w->third, piece->x2, piece->dx2, w->pitch2, part + at->fc3,
                       part + at->fc2_bias);
    kernels->layer_back(w->net.hidden, w->width2, count, piece->x1, w->pitch, piece->dx2, w->pitch2,
                        part + at->fc2);
    const sg_layer second = {.inputs = w->net.hidden2,
                             .outputs = w->width,
                             .panels = w->second_back,
                             .x = {piece->dx2, w->pitch2},
                             .out = piece->base,
                             .out_pitch = w->pitch,
                             .form = SG_GATE,
                             .gate = piece->x1};
    kernels->layer(&second, count);
    kernels->layer_back(w->net.between, w->width, count, between, w->net.between, piece->base, w->pitch,
                        part + at->fc1 + 2 * w->net.node * w->width);
}

/* fc1 of the nodes. */
static void sides_back(sg_pair_piece *piece, size_t count, const sg_pair_part *at, float *part)
{
    const sg_pair_weights *w = piece->weights;
    const sg_kernels *kernels = w->kernels;
    const size_t sources = piece->sources, others = piece->nodes - sources, node = w->net.node;
    float *left = piece->dside, *right = left + sources * w->width, *bias = part + at->fc1_bias;
    kernels->add_rows(w->width, count, piece->base, w->pitch, piece->left_at, left);
    kernels->add_rows(w->width, count, piece->base, w->pitch, piece->right_at, right);
    for (size_t n = 0; n < sources; n++)
        for (size_t o = 0; o < w->width; o++) bias[o] += left[n * w->width + o];
    kernels->layer_back(node, w->width, sources, piece->m, node, left, w->width, part + at->fc1);
    kernels->layer_back(node, w->width, others, piece->m + sources * node, node, right, w->width,
                        part + at->fc1 + node * w->width);
}

void sg_pair_backward(sg_pair_piece *piece, const sg_pair_rows *rows, size_t first, size_t count,
                      const sg_pair_part *layout, float *part)
{
    head_back(piece, rows->between + first * piece->weights->net.between, count, layout, part);
    sides_back(piece, count, layout, part);
}
