/* The mix net: where its groups lie, their first values, and what the nodes of a label time share. */
#include "model/mix_net.h"

#include "base/memory.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t inputs_of(const sg_mix_net *net)
{
    return net->pair + (net->hypernetwork ? SG_MIX_MIXES : 0);
}

void sg_mix_net_make(sg_mix_net *net)
{
    const size_t mixes = net->hypernetwork ? SG_MIX_MIXES : 0;
    net->mix = 0;
    net->popular = net->mix + net->rates + 1;
    net->tune = net->popular + net->rates;
    net->v = net->tune + 2;
    net->vr = net->v + mixes * net->pair;
    net->vp = net->vr + mixes * net->summary;
    net->fc1 = net->vp + (mixes ? net->pair : 0);
    net->fc1_bias = net->fc1 + inputs_of(net) * net->hidden;
    net->fc2 = net->fc1_bias + net->hidden;
    net->count = net->fc2 + net->hidden;
}

const char *sg_mix_net_group(const sg_mix_net *net, size_t i, size_t *begin, size_t *rows, size_t *columns)
{
    const struct {
        const char *name;
        size_t begin, rows, columns;
    } groups[] = {
        {"mix", net->mix, 1, net->rates + 1},
        {"popular", net->popular, 1, net->rates},
        {"tune", net->tune, 1, 2},
        {"V", net->v, SG_MIX_MIXES, net->pair},
        {"Vr", net->vr, SG_MIX_MIXES, net->summary},
        {"Vp", net->vp, 1, net->pair},
        {"fc1.weight", net->fc1, inputs_of(net), net->hidden},
        {"fc1.bias", net->fc1_bias, 1, net->hidden},
        {"fc2.weight", net->fc2, 1, net->hidden},
    };
    if (!net->hypernetwork && i >= 3) i += 3;
    if (i >= sizeof groups / sizeof *groups) return NULL;
    *begin = groups[i].begin;
    *rows = groups[i].rows;
    *columns = groups[i].columns;
    return groups[i].name;
}

/* What popularity has of the weight, beside 1 for the chosen rate. */
#define POPULAR 1e-3

void sg_mix_net_init(const sg_mix_net *net, uint64_t seed, const sg_mix_start *start, float *values)
{
    for (size_t i = 0; i < net->count; i++) {
        const size_t in = i >= net->fc1 ? inputs_of(net) : i >= net->vr && i < net->vp ? net->summary : net->pair;
        values[i] = (float)((2 * sg_unit(sg_hash3(seed, 1, i)) - 1) / sqrt((double)in));
    }
    memset(values, 0, net->v * sizeof *values);
    memset(values + net->fc2, 0, net->hidden * sizeof *values);
    for (size_t k = 0; k < net->rates; k++)
        values[net->mix + k] = k == start->first || k == start->second ? 0 : (float)log(start->others);
    values[net->mix + net->rates] = (float)log(POPULAR);
}

/* ---- Shared by the nodes of a label time ---- */

static void softmax(const float *x, size_t count, float *out)
{
    float most = x[0], sum = 0;
    for (size_t i = 1; i < count; i++) most = x[i] > most ? x[i] : most;
    for (size_t i = 0; i < count; i++) sum += out[i] = expf(x[i] - most);
    for (size_t i = 0; i < count; i++) out[i] /= sum;
}

int sg_mix_share(sg_mix_shared *shared, const sg_mix_net *net, const float *values, const float *popularity,
                 size_t classes, scadyg_error *error)
{
    const size_t rates = net->rates;
    if (sg_grow(&shared->pop, &shared->room, classes, sizeof *shared->pop) ||
        sg_grow(&shared->rest, &shared->rest_room, classes, sizeof *shared->rest))
        return sg_fail_memory(error, "the scores of the classes");
    shared->net = net;
    shared->values = values;
    shared->popularity = popularity;
    shared->classes = classes;
    softmax(values + net->mix, rates + (size_t)net->popularity, shared->weight);
    if (!net->popularity) shared->weight[rates] = 0;
    softmax(values + net->popular, rates, shared->popular);
    shared->sharpness = expf(values[net->tune]);
    for (size_t c = 0; c < classes; c++) {
        float pop = 0;
        for (size_t k = 0; k < rates; k++) pop += shared->popular[k] * popularity[c * rates + k];
        shared->pop[c] = pop;
        shared->rest[c] =
            shared->sharpness * logf(shared->weight[rates] * pop + SG_MIX_LEAST) + values[net->tune + 1];
    }
    return SCADYG_OK;
}

void sg_mix_shared_free(sg_mix_shared *shared)
{
    free(shared->pop);
    free(shared->rest);
    *shared = (sg_mix_shared){0};
}
