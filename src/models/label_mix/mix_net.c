/* The mix net: where its groups lie, their first values, and what the nodes of a label time share. */
#include "models/label_mix/mix_net.h"
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

/* What popularity has of the weight, beside 1 for the chosen rate: see docs/accuracy.md, "Affinity". */
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
    if (SG_GROW(&shared->room, classes, SG_ARRAY(shared->pop, 1), SG_ARRAY(shared->rest, 1)))
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
    SG_FREE(shared->pop, shared->rest);
    *shared = (sg_mix_shared){0};
}

/* ---- The mix net over one node: scores of all classes, the loss of a label, and the gradient ---- */

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

/*
 * ---- The loss: 1 - NDCG@10, made smooth, and a little of the cross entropy of softmax(score) ----
 *
 * The latter keeps the scores near to logarithms of shares. What a class's place in the order is, 1 + the number of
 * classes ahead of it, becomes
 *
 *   rank_i = 1/2 + sum over j of sigmoid((s_j - s_i) / SOFTNESS)
 *
 * (its own 1/2 included), the discount 1 / log2(1 + rank_i), and the cut behind the tenth place
 * sigmoid(10 1/2 - rank_i). Only classes that are near the top of the scores or of the label can change the order there.
 */

enum { PLACES = 10, TOP = 20, MOST = 64 };

/* See docs/accuracy.md, "Affinity". */
#define SOFTNESS 0.2f
#define CROSS_ENTROPY 0.03f /* its weight */

/* The largest numbers in descending order, -INFINITY where there are fewer. */
typedef struct top {
    float at[TOP];
} top;

static void take_number(top *largest, float x)
{
    size_t at = TOP;
    if (!(x > largest->at[TOP - 1])) return;
    for (; at > 0 && x > largest->at[at - 1]; at--)
        if (at < TOP) largest->at[at] = largest->at[at - 1];
    largest->at[at] = x;
}

static void clear_top(top *largest)
{
    for (size_t i = 0; i < TOP; i++) largest->at[i] = -INFINITY;
}

/* The classes that count: their scores and shares. */
typedef struct race {
    size_t count;
    uint32_t class_of[MOST];
    float score[MOST], share[MOST], slope[MOST];
    float ahead[MOST][MOST];
} race;

static void enter_class(race *r, uint32_t class_of, float score, float share)
{
    if (r->count == MOST) return;
    r->class_of[r->count] = class_of;
    r->score[r->count] = score;
    r->share[r->count++] = share;
}

/* Shares come first: where scores are equal there may be more classes than places. */
static void line_up(race *r, const sg_mix_label *label, const top *shares, const float *score, size_t classes)
{
    top scores;
    clear_top(&scores);
    for (size_t c = 0; c < classes; c++) take_number(&scores, score[c]);
    r->count = 0;
    for (size_t i = 0; i < label->count; i++) {
        const float s = score[label->class_of[i]];
        if (label->weight[i] >= shares->at[TOP - 1] || s >= scores.at[TOP - 1])
            enter_class(r, label->class_of[i], s, label->weight[i]);
    }
    for (size_t c = 0, i = 0; c < classes; c++) {
        while (i < label->count && label->class_of[i] < c) i++;
        const int labelled = i < label->count && label->class_of[i] == c;
        if (!labelled && score[c] >= scores.at[TOP - 1]) enter_class(r, (uint32_t)c, score[c], 0);
    }
}

/* The gain of the race, and its slope against the scores. */
static double run_race(race *r)
{
    double gain = 0;
    memset(r->slope, 0, r->count * sizeof *r->slope);
    for (size_t i = 0; i < r->count; i++) {
        float rank = 0.5f;
        for (size_t j = 0; j < r->count; j++) {
            r->ahead[i][j] = 1 / (1 + expf((r->score[i] - r->score[j]) / SOFTNESS));
            rank += r->ahead[i][j];
        }
        const float log_rank = log2f(1 + rank), cut = 1 / (1 + expf(rank - (PLACES + 0.5f)));
        gain += (double)(r->share[i] * cut / log_rank);
        /* How the gain changes with the rank, and the rank with the scores. */
        const float fall = -cut / (log_rank * log_rank * (1 + rank) * 0.69314718f) - cut * (1 - cut) / log_rank;
        for (size_t j = 0; j < r->count; j++) {
            const float bend = r->ahead[i][j] * (1 - r->ahead[i][j]) / SOFTNESS * fall * r->share[i];
            r->slope[j] += bend;
            r->slope[i] -= bend;
        }
    }
    return gain;
}

/* Cross entropy, times `share`; score becomes its slope. */
static double cross_entropy(const sg_mix_label *label, float *score, size_t classes, float share)
{
    float most = score[0];
    double sum = 0, loss = 0;
    for (size_t c = 1; c < classes; c++) most = score[c] > most ? score[c] : most;
    for (size_t i = 0; i < label->count; i++)
        loss -= (double)label->weight[i] * (double)(score[label->class_of[i]] - most);
    for (size_t c = 0; c < classes; c++) sum += (double)(score[c] = expf(score[c] - most));
    const float scale = share / (float)sum;
    for (size_t c = 0; c < classes; c++) score[c] *= scale;
    for (size_t i = 0; i < label->count; i++) score[label->class_of[i]] -= share * label->weight[i];
    return loss + log(sum);
}

double sg_mix_loss(const sg_mix_label *label, float *score, size_t classes, float share)
{
    race r;
    top shares;
    double ideal = 0;
    clear_top(&shares);
    for (size_t i = 0; i < label->count; i++) take_number(&shares, label->weight[i]);
    for (size_t i = 0; i < PLACES && shares.at[i] > 0; i++) ideal += (double)shares.at[i] / log2((double)i + 2);
    if (!(ideal > 0)) {
        memset(score, 0, classes * sizeof *score);
        return 0;
    }
    line_up(&r, label, &shares, score, classes);
    const double gain = run_race(&r), cross = cross_entropy(label, score, classes, CROSS_ENTROPY * share);
    for (size_t i = 0; i < r.count; i++) score[r.class_of[i]] -= share * r.slope[i] / (float)ideal;
    return 1 - gain / ideal + (double)CROSS_ENTROPY * cross;
}
