/*
 * Metrics: from the scores of pairs and classes, of which higher ones are likelier, to the scores of an evaluation.
 *
 * A score that is not a number never wins: a positive without one ranks behind every negative, a negative without
 * one behind every number.
 */
#ifndef SG_EVALUATE_METRICS_H
#define SG_EVALUATE_METRICS_H

#include "evaluate/evaluate.h"

/* 1 + #(negative >= positive): ties count against the positive (ROLAND, the paper). */
double sg_rank_paper(double positive, const double *negative, size_t count);

/* 1 + (#(negative > positive) + #(negative >= positive)) / 2: the mean over the orders of ties (TGB). */
double sg_rank_tgb(double positive, const double *negative, size_t count);

/*
 * Average precision, tied scores entering together, and the area under the ROC curve, ties counting half. Both
 * arrays are sorted in place. NaN where there is no positive or (AUC) no negative.
 */
void sg_ap_auc(double *positive, size_t positives, double *negative, size_t negatives, double *ap, double *auc);

enum { SG_NDCG_MOST = 64 };

/*
 * NDCG@k as scikit-learn's ndcg_score(k=k) has it, k <= SG_NDCG_MOST: gains are linear, tied scores share their mean
 * gain, 0 if the ideal is 0. truth >= 0.
 */
double sg_ndcg(const double *truth, const float *score, size_t classes, size_t k);

/* ---- Sums and means, as the table of scores says ---- */

/* What a score is a mean over: queries that are ranked, sets of pairs (steps, batches), or what its protocol says. */
enum { SG_OVER_QUERIES, SG_OVER_SETS, SG_OVER_OWN, SG_AVERAGES };

/* Weighted sums of one scorer under one seed. */
typedef struct sg_score_sums {
    double of[SG_SCORES];
    double weight[SG_AVERAGES];
} sg_score_sums;

/* A query with its rank, and a set of pairs, whose scores are sorted in place. */
void sg_score_sums_rank(sg_score_sums *sums, double rank);
void sg_score_sums_set(sg_score_sums *sums, double *positive, size_t positives, double *negative, size_t negatives);

/* The means of `part`, with a weight. */
void sg_score_sums_add(sg_score_sums *sums, const sg_score_sums *part, double weight);

/* Means over everything; NaN where nothing was added. */
sg_scores sg_score_sums_means(const sg_score_sums *sums);

#endif
