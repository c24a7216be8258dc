/*
 * Metrics: from scores to numbers. Higher scores are better.
 *
 * A score that is not a number never wins: a positive without one ranks behind every negative, a negative without
 * one behind every number.
 */
#ifndef SG_EVALUATE_METRICS_H
#define SG_EVALUATE_METRICS_H

#include <stddef.h>

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

#endif
