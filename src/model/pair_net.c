/* The pair net: where its groups of learned numbers lie, and their first values. */
#include "model/pair_net.h"

#include "base/rng.h"

#include <math.h>
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
