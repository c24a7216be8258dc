/*
 * The loss of the mix net: 1 - NDCG@10, made smooth, and a little of the cross entropy of softmax(score), which keeps
 * the scores near to logarithms of shares. What a class's place in the order is, 1 + the number of classes ahead of it,
 * becomes
 *
 *   rank_i = 1/2 + sum over j of sigmoid((s_j - s_i) / SOFTNESS)
 *
 * (its own 1/2 included), the discount 1 / log2(1 + rank_i), and the cut behind the tenth place
 * sigmoid(10 1/2 - rank_i). Only classes that are near the top of the scores or of the label can change the order
 * there.
 */
#include "model/mix_net.h"

#include <math.h>
#include <string.h>

enum { PLACES = 10, TOP = 20, MOST = 64 };

#define SOFTNESS 0.2f
#define CROSS_ENTROPY 0.03f /* its weight */

/* The largest numbers in descending order, -INFINITY where there are fewer. */
typedef struct top {
    float at[TOP];
} top;

static void take(top *largest, float x)
{
    size_t at = TOP;
    if (!(x > largest->at[TOP - 1])) return;
    for (; at > 0 && x > largest->at[at - 1]; at--)
        if (at < TOP) largest->at[at] = largest->at[at - 1];
    largest->at[at] = x;
}

static void clear(top *largest)
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

static void enter(race *r, uint32_t class_of, float score, float share)
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
    clear(&scores);
    for (size_t c = 0; c < classes; c++) take(&scores, score[c]);
    r->count = 0;
    for (size_t i = 0; i < label->count; i++) {
        const float s = score[label->class_of[i]];
        if (label->weight[i] >= shares->at[TOP - 1] || s >= scores.at[TOP - 1])
            enter(r, label->class_of[i], s, label->weight[i]);
    }
    for (size_t c = 0, i = 0; c < classes; c++) {
        while (i < label->count && label->class_of[i] < c) i++;
        const int labelled = i < label->count && label->class_of[i] == c;
        if (!labelled && score[c] >= scores.at[TOP - 1]) enter(r, (uint32_t)c, score[c], 0);
    }
}

/* The gain of the race, and its slope against the scores. */
static double run(race *r)
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
    clear(&shares);
    for (size_t i = 0; i < label->count; i++) take(&shares, label->weight[i]);
    for (size_t i = 0; i < PLACES && shares.at[i] > 0; i++) ideal += (double)shares.at[i] / log2((double)i + 2);
    if (!(ideal > 0)) {
        memset(score, 0, classes * sizeof *score);
        return 0;
    }
    line_up(&r, label, &shares, score, classes);
    const double gain = run(&r), cross = cross_entropy(label, score, classes, CROSS_ENTROPY * share);
    for (size_t i = 0; i < r.count; i++) score[r.class_of[i]] -= share * r.slope[i] / (float)ideal;
    return 1 - gain / ideal + (double)CROSS_ENTROPY * cross;
}
