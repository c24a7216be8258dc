/* The mix net over one node: scores of all classes, the loss of a label, and the gradient. */
#include "model/mix_net.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The places of scratch memory for a node. */
typedef struct table {
    float *s;       /* [SG_MIX_MIXES][pair]: sigmoids */
    float *a, *da;  /* [pair][hidden]: fc1 as this node has it */
    float *mixed;   /* [most]: what base is the logarithm of */
    float *z;       /* [most][hidden]: hidden units */
    float *score;   /* [classes]: then slopes */
    float *own;     /* [rates + 1]: gradient of w */
    float *popular; /* [rates]: gradient of v */
    float r[SG_MIX_MIXES];
} table;

static size_t lay_out(const sg_mix_net *net, size_t classes, size_t most, float *block, table *t)
{
    float **const places[] = {&t->s, &t->a, &t->da, &t->mixed, &t->z, &t->score, &t->own, &t->popular};
    const size_t grid = SG_MIX_MIXES * net->pair, wide = net->pair * net->hidden;
    const size_t sizes[] = {grid, wide, wide, most, most * net->hidden, classes, net->rates + 1, net->rates};
    size_t used = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (block) *places[i] = block + used;
        used += (sizes[i] + 15) / 16 * 16;
    }
    return used;
}

int sg_mix_scratch_room(sg_mix_scratch *scratch, const sg_mix_net *net, size_t classes, size_t most,
                        scadyg_error *error)
{
    table t;
    if (sg_grow(&scratch->block, &scratch->room, lay_out(net, classes, most, NULL, &t), sizeof *scratch->block))
        return sg_fail_memory(error, "the classes of a node");
    return SCADYG_OK;
}

void sg_mix_scratch_free(sg_mix_scratch *scratch)
{
    free(scratch->block);
    *scratch = (sg_mix_scratch){0};
}

/* ---- Forward ---- */

/* fc1 over x and g at once: g is linear in x with the node's weights, so both are one matrix [pair][hidden]. */
static void node_layer(const sg_mix_net *net, const float *values, const float *summary, table *t)
{
    const size_t pair = net->pair, hidden = net->hidden;
    const float *fc1 = values + net->fc1, *vr = values + net->vr, *vp = values + net->vp, *v = values + net->v;
    memcpy(t->a, fc1, pair * hidden * sizeof *t->a);
    for (size_t i = 0; net->hypernetwork && i < SG_MIX_MIXES; i++) {
        const float *row = fc1 + (pair + i) * hidden;
        float r = 0;
        for (size_t j = 0; j < net->summary; j++) r += vr[i * net->summary + j] * summary[j];
        t->r[i] = r;
        for (size_t j = 0; j < pair; j++) {
            const float s = 1 / (1 + expf(-r * vp[j])), weight = s * v[i * pair + j];
            float *a = t->a + j * hidden;
            t->s[i * pair + j] = s;
            for (size_t h = 0; h < hidden; h++) a[h] += weight * row[h];
        }
    }
}

/* Hidden units of a class, after the relu. */
static void hidden_units(const sg_mix_net *net, const float *values, const float *a, const float *x, float *z)
{
    const size_t hidden = net->hidden;
    memcpy(z, values + net->fc1_bias, hidden * sizeof *z);
    for (size_t j = 0; j < net->pair; j++)
        for (size_t h = 0; h < hidden; h++) z[h] += x[j] * a[j * hidden + h];
    for (size_t h = 0; h < hidden; h++) z[h] = z[h] > 0 ? z[h] : 0;
}

static void forward(const sg_mix_shared *shared, const sg_mix_node *node, table *t, float *score)
{
    const sg_mix_net *net = shared->net;
    const size_t rates = net->rates, hidden = net->hidden;
    const float *fc2 = shared->values + net->fc2;
    node_layer(net, shared->values, node->summary, t);
    memcpy(score, shared->rest, shared->classes * sizeof *score);
    for (size_t n = 0; n < node->count; n++) {
        const uint32_t c = node->class_of[n];
        float mixed = shared->weight[rates] * shared->pop[c] + SG_MIX_LEAST, delta = 0;
        for (size_t k = 0; k < rates; k++) mixed += shared->weight[k] * node->average[n * rates + k];
        hidden_units(net, shared->values, t->a, node->x + n * net->pair, t->z + n * hidden);
        for (size_t h = 0; h < hidden; h++) delta += t->z[n * hidden + h] * fc2[h];
        t->mixed[n] = mixed;
        score[c] = shared->sharpness * logf(mixed) + shared->noise * delta;
    }
}

void sg_mix_scores(const sg_mix_shared *shared, const sg_mix_node *node, sg_mix_scratch *scratch, float *score)
{
    table t;
    lay_out(shared->net, shared->classes, node->count, scratch->block, &t);
    forward(shared, node, &t, score);
}

/* ---- Backward ---- */

/* From the slope of base * sharpness at a class to w, v and tune. */
static void base_back(const sg_mix_shared *shared, uint32_t c, float slope, float mixed, table *t, float *tune)
{
    const size_t rates = shared->net->rates;
    const float inner = slope * shared->sharpness / mixed;
    *tune += slope * shared->sharpness * logf(mixed);
    t->own[rates] += inner * shared->pop[c];
    for (size_t k = 0; k < rates; k++)
        t->popular[k] += inner * shared->weight[rates] * shared->popularity[c * rates + k];
}

static void rest_back(const sg_mix_shared *shared, uint32_t c, float slope, table *t, float *tune)
{
    const float mixed = shared->weight[shared->net->rates] * shared->pop[c] + SG_MIX_LEAST;
    base_back(shared, c, slope, mixed, t, tune);
    tune[1] += slope;
}

static void class_back(const sg_mix_shared *shared, const sg_mix_node *node, size_t n, float slope, table *t,
                       float *gradient)
{
    const sg_mix_net *net = shared->net;
    const size_t rates = net->rates, hidden = net->hidden;
    const float *x = node->x + n * net->pair, *fc2 = shared->values + net->fc2;
    const float inner = slope * shared->sharpness / t->mixed[n], outer = slope * shared->noise;
    float *z = t->z + n * hidden, *bias = gradient + net->fc1_bias, *dfc2 = gradient + net->fc2;
    base_back(shared, node->class_of[n], slope, t->mixed[n], t, gradient + net->tune);
    for (size_t k = 0; k < rates; k++) t->own[k] += inner * node->average[n * rates + k];
    for (size_t h = 0; h < hidden; h++) {
        dfc2[h] += outer * z[h];
        z[h] = z[h] > 0 ? outer * fc2[h] : 0;
        bias[h] += z[h];
    }
    for (size_t j = 0; j < net->pair; j++)
        for (size_t h = 0; h < hidden; h++) t->da[j * hidden + h] += x[j] * z[h];
}

/* From the gradient of the node's layer to fc1 and the hypernetwork. */
static void layer_back(const sg_mix_net *net, const float *values, const float *summary, table *t, float *gradient)
{
    const size_t pair = net->pair, hidden = net->hidden;
    const float *fc1 = values + net->fc1, *vp = values + net->vp, *v = values + net->v;
    float *dfc1 = gradient + net->fc1, *dv = gradient + net->v, *dvp = gradient + net->vp;
    for (size_t i = 0; i < pair * hidden; i++) dfc1[i] += t->da[i];
    for (size_t i = 0; net->hypernetwork && i < SG_MIX_MIXES; i++) {
        const float *row = fc1 + (pair + i) * hidden;
        float *drow = dfc1 + (pair + i) * hidden, dr = 0;
        for (size_t j = 0; j < pair; j++) {
            const float s = t->s[i * pair + j], *da = t->da + j * hidden, weight = s * v[i * pair + j];
            float d = 0;
            for (size_t h = 0; h < hidden; h++) {
                d += da[h] * row[h];
                drow[h] += weight * da[h];
            }
            const float inner = d * v[i * pair + j] * s * (1 - s);
            dv[i * pair + j] += d * s;
            dvp[j] += inner * t->r[i];
            dr += inner * vp[j];
        }
        for (size_t j = 0; j < net->summary; j++) gradient[net->vr + i * net->summary + j] += dr * summary[j];
    }
}

/* Through a softmax: d x_i = p_i (d p_i - sum p d p). */
static void softmax_back(const float *p, const float *dp, size_t count, float *dx)
{
    float sum = 0;
    for (size_t i = 0; i < count; i++) sum += p[i] * dp[i];
    for (size_t i = 0; i < count; i++) dx[i] += p[i] * (dp[i] - sum);
}

double sg_mix_gradient(const sg_mix_shared *shared, const sg_mix_node *node, const sg_mix_label *label, float share,
                       sg_mix_scratch *scratch, float *gradient)
{
    const sg_mix_net *net = shared->net;
    table t;
    lay_out(net, shared->classes, node->count, scratch->block, &t);
    forward(shared, node, &t, t.score);
    const double loss = sg_mix_loss(label, t.score, shared->classes, share);
    memset(t.da, 0, net->pair * net->hidden * sizeof *t.da);
    memset(t.own, 0, (net->rates + 1) * sizeof *t.own);
    memset(t.popular, 0, net->rates * sizeof *t.popular);
    size_t n = 0;
    for (uint32_t c = 0; c < shared->classes; c++) {
        const int own = n < node->count && node->class_of[n] == c;
        if (t.score[c] != 0 && own)
            class_back(shared, node, n, t.score[c], &t, gradient);
        else if (t.score[c] != 0)
            rest_back(shared, c, t.score[c], &t, gradient + net->tune);
        n += (size_t)own;
    }
    layer_back(net, shared->values, node->summary, &t, gradient);
    softmax_back(shared->weight, t.own, net->rates + (size_t)net->popularity, gradient + net->mix);
    softmax_back(shared->popular, t.popular, net->rates, gradient + net->popular);
    return loss;
}
