/* Metrics, the table of scores they make, and their means. */
#include "evaluate/evaluation.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

double sg_rank_paper(double positive, const double *negative, size_t count)
{
    if (isnan(positive)) return 1 + (double)count;
    size_t ahead = 0;
    for (size_t i = 0; i < count; i++) ahead += negative[i] >= positive;
    return 1 + (double)ahead;
}

double sg_rank_tgb(double positive, const double *negative, size_t count)
{
    if (isnan(positive)) return 1 + (double)count;
    size_t ahead = 0, level = 0;
    for (size_t i = 0; i < count; i++) {
        ahead += negative[i] > positive;
        level += negative[i] >= positive;
    }
    return 1 + 0.5 * (double)(ahead + level);
}

/* Descending, and what is not a number last. */
static int descending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    if (isnan(a) || isnan(b)) return isnan(a) - isnan(b);
    return (a < b) - (a > b);
}

/* A whole number that ascends as a double descends; what is not a number last. Both zeros are the same. */
static uint64_t key_of(double value)
{
    uint64_t bits;
    if (isnan(value)) return UINT64_MAX;
    value += 0.0;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? bits : ~bits & INT64_MAX;
}

static double value_of(uint64_t key)
{
    double value;
    if (key == UINT64_MAX) return NAN;
    uint64_t bits = key >> 63 ? key : ~key & INT64_MAX;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Sorts descending: by digits where that pays, since steps of thousands of events are sorted in every epoch. */
static void sort_descending(double *value, size_t count)
{
    enum { BITS = 11, SIZE = 1 << BITS, PASSES = 6, FEW = 512 };
    uint64_t *both = count > FEW ? malloc(2 * count * sizeof *both) : NULL;
    if (!both) {
        qsort(value, count, sizeof *value, descending);
        return;
    }
    uint64_t *from = both, *to = both + count;
    for (size_t i = 0; i < count; i++) from[i] = key_of(value[i]);
    for (int pass = 0; pass < PASSES; pass++) {
        size_t place[SIZE] = {0}, at = 0;
        const int shift = pass * BITS;
        for (size_t i = 0; i < count; i++) place[from[i] >> shift & (SIZE - 1)]++;
        if (place[from[0] >> shift & (SIZE - 1)] == count) continue;
        for (size_t digit = 0; digit < SIZE; digit++) {
            size_t here = place[digit];
            place[digit] = at;
            at += here;
        }
        for (size_t i = 0; i < count; i++) to[place[from[i] >> shift & (SIZE - 1)]++] = from[i];
        uint64_t *swap = from;
        from = to, to = swap;
    }
    for (size_t i = 0; i < count; i++) value[i] = value_of(from[i]);
    free(both);
}

void sg_ap_auc(double *positive, size_t positives, double *negative, size_t negatives, double *ap, double *auc)
{
    *ap = *auc = NAN;
    if (positives == 0) return;
    sort_descending(positive, positives);
    sort_descending(negative, negatives);
    double precision = 0, above = 0; /* above: pairs in which the positive is ahead */
    size_t p = 0, n = 0;
    while (p < positives) {
        size_t p0 = p;
        double at = positive[p];
        if (isnan(at)) { /* behind all negatives, all together */
            p = positives, n = negatives;
        } else {
            while (n < negatives && negative[n] > at) n++;
            size_t n0 = n;
            while (p < positives && positive[p] == at) p++;
            while (n < negatives && negative[n] == at) n++;
            above += (double)(p - p0) * ((double)(negatives - n) + 0.5 * (double)(n - n0));
        }
        precision += (double)(p - p0) * ((double)p / (double)(p + n));
    }
    *ap = precision / (double)positives;
    if (negatives) *auc = above / ((double)positives * (double)negatives);
}

/* As sg_ap_auc has it: how a positive stands to a positive or a negative. */
static int is_not_behind(double positive, double other)
{
    return positive >= other || isnan(other);
}

static double count_ahead(double positive, double negative)
{
    if (isnan(positive)) return 0;
    if (isnan(negative)) return 1;
    return (positive > negative) + 0.5 * (positive == negative);
}

/*
 * With a weight for each event, of AP = sum of w_i a_i / (a_i + b_i) over the sum of w, where a_i and b_i are the weights of
 * positives and negatives that are not behind positive i; and of AUC = sum of w_i w_j ahead(i, j) over that sum squared.
 */
void sg_ap_auc_influence(const double *positive, const double *negative, size_t count, double *ap, double *auc)
{
    double mean_ap = 0, mean_auc = 0;
    for (size_t k = 0; k < count; k++) ap[k] = auc[k] = 0;
    for (size_t i = 0; i < count; i++) {
        double a = 0, b = 0;
        for (size_t k = 0; k < count; k++) {
            const double ahead = count_ahead(positive[i], negative[k]);
            a += is_not_behind(positive[k], positive[i]);
            b += isnan(positive[i]) || negative[k] >= positive[i];
            auc[i] += ahead / (double)count;
            auc[k] += ahead / (double)count;
            mean_auc += ahead / ((double)count * (double)count);
        }
        ap[i] += a / (a + b);
        mean_ap += a / (a + b) / (double)count;
        const double both = (a + b) * (a + b);
        for (size_t k = 0; k < count; k++) {
            if (is_not_behind(positive[k], positive[i])) ap[k] += b / both;
            if (isnan(positive[i]) || negative[k] >= positive[i]) ap[k] -= a / both;
        }
    }
    for (size_t k = 0; k < count; k++) {
        ap[k] -= mean_ap;
        auc[k] -= 2 * mean_auc;
    }
}

/* 1 / log2(rank + 1), rank from 1. */
static double discount(size_t rank)
{
    return 1 / log2((double)rank + 1);
}

/* Puts a value among the `most` largest, descending. */
static void keep_largest(double *top, size_t *count, size_t most, double value)
{
    if (*count == most && !(value > top[most - 1])) return;
    size_t i = *count < most ? (*count)++ : most - 1;
    for (; i > 0 && top[i - 1] < value; i--) top[i] = top[i - 1];
    top[i] = value;
}

/* A score to sort by: what is not a number comes after everything else. */
static double place_of(float score)
{
    return isnan(score) ? -INFINITY : (double)score;
}

static double ideal_gain(const double *truth, size_t classes, size_t k)
{
    double top[SG_NDCG_MOST], sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < classes; i++) keep_largest(top, &count, k, truth[i]);
    for (size_t i = 0; i < count; i++) sum += discount(i + 1) * top[i];
    return sum;
}

double sg_ndcg(const double *truth, const float *score, size_t classes, size_t k)
{
    double top[SG_NDCG_MOST], gain[SG_NDCG_MOST] = {0}, sum = 0;
    size_t tied[SG_NDCG_MOST] = {0}, count = 0;
    if (k > SG_NDCG_MOST) k = SG_NDCG_MOST;
    double ideal = ideal_gain(truth, classes, k);
    if (!(ideal > 0)) return 0;
    for (size_t i = 0; i < classes; i++) keep_largest(top, &count, k, place_of(score[i]));
    /* The groups of equal scores that reach into the first k ranks, each kept at its first rank. */
    for (size_t i = 0; i < classes; i++) {
        double value = place_of(score[i]);
        if (!(value >= top[count - 1])) continue;
        size_t group = 0;
        while (top[group] > value) group++;
        gain[group] += truth[i];
        tied[group]++;
    }
    for (size_t first = 0; first < count; first += tied[first]) {
        double share = 0;
        for (size_t rank = first; rank < first + tied[first] && rank < count; rank++) share += discount(rank + 1);
        sum += gain[first] / (double)tied[first] * share;
    }
    return sum / ideal;
}

/* ---- The table of scores ---- */

static const struct {
    scadyg_score shown;
    int average; /* SG_OVER_... */
} scores[] = {
    [SCADYG_MRR] = {{"mrr", "MRR", 1}, SG_OVER_QUERIES},
    [SCADYG_HITS1] = {{"hits@1", "hits@1", 1}, SG_OVER_QUERIES},
    [SCADYG_HITS3] = {{"hits@3", "hits@3", 1}, SG_OVER_QUERIES},
    [SCADYG_HITS10] = {{"hits@10", "hits@10", 1}, SG_OVER_QUERIES},
    [SCADYG_AP] = {{"ap", "AP", 1}, SG_OVER_SETS},
    [SCADYG_AUC] = {{"auc", "AUC", 1}, SG_OVER_SETS},
    [SCADYG_AP_PARTNERS] = {{"ap_partners", "AP (met)", 1}, SG_OVER_PARTNER_SETS},
    [SCADYG_AUC_PARTNERS] = {{"auc_partners", "AUC (met)", 1}, SG_OVER_PARTNER_SETS},
    [SCADYG_NDCG10] = {{"ndcg@10", "NDCG@10", 1}, SG_OVER_OWN},
};
_Static_assert(sizeof scores / sizeof *scores == SG_SCORES, "every score has a row");

const scadyg_score *scadyg_score_at(size_t i)
{
    return i < SG_SCORES ? &scores[i].shown : NULL;
}

void sg_score_sums_rank(sg_score_sums *sums, double rank)
{
    sums->weight[SG_OVER_QUERIES]++;
    sums->of[SCADYG_MRR] += 1 / rank;
    sums->of[SCADYG_HITS1] += rank <= 1;
    sums->of[SCADYG_HITS3] += rank <= 3;
    sums->of[SCADYG_HITS10] += rank <= 10;
}

double sg_score_sums_set(sg_score_sums *sums, int against, double *positive, size_t positives, double *negative,
                         size_t negatives)
{
    const int partners = against == SG_AGAINST_PARTNERS;
    double ap, auc;
    sg_ap_auc(positive, positives, negative, negatives, &ap, &auc);
    sums->weight[partners ? SG_OVER_PARTNER_SETS : SG_OVER_SETS]++;
    sums->of[partners ? SCADYG_AP_PARTNERS : SCADYG_AP] += ap;
    sums->of[partners ? SCADYG_AUC_PARTNERS : SCADYG_AUC] += auc;
    return ap;
}

void sg_score_sums_copy_ranks(sg_score_sums *sums, const sg_score_sums *from)
{
    for (size_t i = 0; i < SG_SCORES; i++)
        if (scores[i].average == SG_OVER_QUERIES) sums->of[i] = from->of[i];
    sums->weight[SG_OVER_QUERIES] = from->weight[SG_OVER_QUERIES];
}

sg_scores sg_score_sums_means(const sg_score_sums *sums)
{
    sg_scores means;
    for (size_t i = 0; i < SG_SCORES; i++) {
        const double weight = sums->weight[scores[i].average];
        means.of[i] = weight > 0 ? sums->of[i] / weight : NAN;
    }
    return means;
}

void sg_score_sums_add(sg_score_sums *sums, const sg_score_sums *part, double weight)
{
    const sg_scores means = sg_score_sums_means(part);
    for (size_t i = 0; i < SG_SCORES; i++)
        if (part->weight[scores[i].average] > 0) sums->of[i] += weight * means.of[i];
    for (size_t i = 0; i < SG_AVERAGES; i++)
        if (part->weight[i] > 0) sums->weight[i] += weight;
}
