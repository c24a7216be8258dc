/* A piece of pairs, backward: from the slopes at the scores to the gradient. */
#include "model/pair_workspace.h"

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
    const sg_layer second = {.inputs = w->net.hidden2,
                             .outputs = w->width,
                             .panels = w->second_back,
                             .x = piece->dx2,
                             .x_pitch = w->pitch2,
                             .gate = piece->x1,
                             .out = piece->base,
                             .out_pitch = w->pitch,
                             .form = SG_GATE};
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
    sg_layer layer = {.inputs = w->net.hidden,
                      .outputs = w->node,
                      .panels = w->left_back,
                      .x = left,
                      .x_pitch = w->width,
                      .out = piece->dh_rows,
                      .out_pitch = w->node};
    kernels->layer(&layer, sources);
    layer.panels = w->right_back;
    layer.x = right;
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
    const sg_layer layer = {.inputs = w->net.hidden,
                            .outputs = SG_MIXES,
                            .panels = w->mix_back,
                            .x = piece->base,
                            .x_pitch = w->pitch,
                            .out = piece->dg,
                            .out_pitch = SG_MIXES};
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
