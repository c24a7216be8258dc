/* The weights of the pair net as the inner loops read them. */
#include "model/pair_workspace.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Rows that lie a multiple of 256 bytes apart fall on the same few lines of the first-level cache. */
static size_t pitch_of(size_t width)
{
    const size_t pitch = (width + 15) / 16 * 16;
    return pitch % 64 ? pitch : pitch + 16;
}

/* Sets *at to the next `count` floats of the block, or only counts them while there is no block. */
static void take(const float *block, size_t *used, float **at, size_t count)
{
    *at = block ? (float *)(uintptr_t)(block + *used) : NULL;
    *used += (count + 15) / 16 * 16;
}

static size_t lay_out(sg_pair_weights *w, int learning)
{
    const sg_pair_net *net = &w->net;
    size_t used = 0;
    take(w->block, &used, &w->left, net->node * w->width);
    take(w->block, &used, &w->right, net->node * w->width);
    take(w->block, &used, &w->rest, w->plain * w->width);
    take(w->block, &used, &w->second, net->hidden * w->width2);
    take(w->block, &used, &w->bias, w->width);
    take(w->block, &used, &w->bias2, w->width2);
    take(w->block, &used, &w->third, SG_OUTPUTS * w->width2);
    if (net->hypernetwork) {
        take(w->block, &used, &w->mix, SG_MIXES * w->width);
        take(w->block, &used, &w->vr, net->node * SG_MIXES);
        take(w->block, &used, &w->v, net->rates * SG_MIXES);
    }
    if (!learning) return used;
    take(w->block, &used, &w->second_back, net->hidden2 * w->width);
    if (!net->hypernetwork) return used;
    take(w->block, &used, &w->left_back, net->hidden * w->node);
    take(w->block, &used, &w->right_back, net->hidden * w->node);
    take(w->block, &used, &w->mix_back, net->hidden * SG_MIXES);
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
    w->block = sg_alloc_aligned(lay_out(w, learning), sizeof *w->block);
    if (!w->block) return -1;
    lay_out(w, learning);
    return 0;
}

void sg_pair_weights_close(sg_pair_weights *w)
{
    free(w->block);
    w->block = NULL;
}

/* Panels of 16 outputs, [inputs][16] each, the last of 8 if that is enough; outputs are filled up with zeros. */
static void pack(size_t outputs, size_t inputs, sg_weights from, float *panels)
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
    pack(hidden, node, (sg_weights){left, hidden, 1}, w->left);
    pack(hidden, node, (sg_weights){right, hidden, 1}, w->right);
    pack(hidden, w->plain, (sg_weights){rest, hidden, 1}, w->rest);
    pack(hidden2, hidden, (sg_weights){values + net->fc2, hidden2, 1}, w->second);
    memcpy(w->bias, values + net->fc1_bias, hidden * sizeof *values);
    memcpy(w->bias2, values + net->fc2_bias, hidden2 * sizeof *values);
    for (size_t o = 0; o < SG_OUTPUTS; o++)
        for (size_t k = 0; k < hidden2; k++) w->third[o * w->width2 + k] = values[net->fc3 + k * SG_OUTPUTS + o];
    if (w->second_back) pack(hidden, hidden2, (sg_weights){values + net->fc2, 1, hidden2}, w->second_back);
    if (!net->hypernetwork) return;
    pack(hidden, SG_MIXES, (sg_weights){mix, hidden, 1}, w->mix);
    pack(SG_MIXES, node, (sg_weights){values + net->vr, 1, node}, w->vr);
    pack(SG_MIXES, net->rates, (sg_weights){values + net->v, 1, net->rates}, w->v);
    if (!w->left_back) return;
    pack(node, hidden, (sg_weights){left, 1, hidden}, w->left_back);
    pack(node, hidden, (sg_weights){right, 1, hidden}, w->right_back);
    pack(SG_MIXES, hidden, (sg_weights){mix, 1, hidden}, w->mix_back);
}
