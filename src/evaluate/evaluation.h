/* An evaluation in progress: what the protocols have in common. */
#ifndef SG_EVALUATE_EVALUATION_H
#define SG_EVALUATE_EVALUATION_H

#include "base/pair_map.h"
#include "base/rng.h"
#include "evaluate/evaluate.h"

/*
 * Metrics: from the scores of pairs and classes, of which higher ones are likelier, to the scores of an evaluation.
 *
 * A score that is not a number never wins: a positive without one ranks behind every negative, a negative without
 * one behind every number.
 */

/* 1 + #(negative >= positive): ties count against the positive (ROLAND, the paper). */
double sg_rank_paper(double positive, const double *negative, size_t count);

/* 1 + (#(negative > positive) + #(negative >= positive)) / 2: the mean over the orders of ties (TGB). */
double sg_rank_tgb(double positive, const double *negative, size_t count);

/*
 * Average precision, tied scores entering together, and the area under the ROC curve, ties counting half. Both
 * arrays are sorted in place. NaN where there is no positive or (AUC) no negative.
 */
void sg_ap_auc(double *positive, size_t positives, double *negative, size_t negatives, double *ap, double *auc);

/*
 * How much AP and AUC of a set owe to each of its events, which have a positive and a negative each: `count` times the
 * derivative by the weight of the event (the infinitesimal jackknife). They sum up to 0; summed over clusters of events and
 * squared they say how sure the score is.
 */
void sg_ap_auc_influence(const double *positive, const double *negative, size_t count, double *ap, double *auc);

enum { SG_NDCG_MOST = 64 };

/*
 * NDCG@k as scikit-learn's ndcg_score(k=k) has it, k <= SG_NDCG_MOST: gains are linear, tied scores share their mean
 * gain, 0 if the ideal is 0. truth >= 0.
 */
double sg_ndcg(const double *truth, const float *score, size_t classes, size_t k);

/* ---- Sums and means, as the table of scores says ---- */

/* What a score is a mean over: queries that are ranked, sets of pairs (steps, batches), or what its protocol says. */
enum { SG_OVER_QUERIES, SG_OVER_SETS, SG_OVER_PARTNER_SETS, SG_OVER_OWN, SG_AVERAGES };

/* What the negatives of a set of pairs are: whatever the protocol draws, or earlier partners of the sources. */
enum { SG_AGAINST_RANDOM, SG_AGAINST_PARTNERS };

/* Weighted sums of one scorer under one seed. */
typedef struct sg_score_sums {
    double of[SG_SCORES];
    double weight[SG_AVERAGES];
} sg_score_sums;

/* A query with its rank, and a set of pairs, whose scores are sorted in place; returns the AP of the set. */
void sg_score_sums_rank(sg_score_sums *sums, double rank);
double sg_score_sums_set(sg_score_sums *sums, int against, double *positive, size_t positives, double *negative,
                         size_t negatives);

/* What is a mean over queries, from other sums. */
void sg_score_sums_copy_ranks(sg_score_sums *sums, const sg_score_sums *from);

/* The means of `part`, with a weight. */
void sg_score_sums_add(sg_score_sums *sums, const sg_score_sums *part, double weight);

/* Means over everything; NaN where nothing was added. */
sg_scores sg_score_sums_means(const sg_score_sums *sums);

/*
 * Paired differences: values of the same queries by several scorers, in clusters. What a source does next is much like what
 * it did before, so its queries are no independent evidence; the sources are. Kept are sums per cluster.
 */
typedef struct sg_paired {
    size_t scorers;
    sg_pair_map index; /* from a cluster to its number */
    double *sums;      /* [count][scorers + 1]: of each scorer the weighted sum of its values, then the weight */
    size_t count, room;
    int failed; /* there was no memory for a cluster */
} sg_paired;

int sg_paired_open(sg_paired *paired, size_t scorers, scadyg_error *error);
void sg_paired_close(sg_paired *paired); /* also of a zeroed one */
void sg_paired_add(sg_paired *paired, uint64_t cluster, size_t scorer, double value, double weight);

/* The standard error of the weighted mean of one less that of another; NaN for fewer than two clusters. */
double sg_paired_error(const sg_paired *paired, size_t one, size_t other);

/* That of the mean of one alone. */
double sg_paired_own_error(const sg_paired *paired, size_t one);

enum { SG_BATCH = 200 }; /* events of a batch; the first batch begins where the part does */

typedef struct sg_evaluation {
    scadyg_context *context;
    const sg_evaluated_data *data;
    const sg_eval_options *options;
    const sg_protocol *protocol;
    const sg_scorer *scorers;             /* [count] for links, */
    const sg_label_scorer *label_scorers; /* ... or for affinity */
    size_t count, seeds;
    const sg_listener *listener; /* may be NULL */
    sg_evaluation_scores *out;
    int pool;                    /* asked for, or the protocol's */
    sg_rng *rng;                 /* [seeds] */
    sg_score_sums *sums;         /* [scorers][seeds] */
    sg_paired paired;            /* by the main score */
    sg_paired others[SG_SCORES]; /* by other scores, if the protocol opens them */
    /* Of links: */
    sg_split split;
    uint64_t begin, end; /* the events of the part */
    int ask;             /* SG_ASK_ORDER unless the protocol says otherwise */
    uint32_t *src, *dst; /* the pairs being put together */
    double *score;       /* [scorers][room]: see sg_evaluation_scores_of */
    size_t pairs, room;
    sg_question
        *questions; /* about these pairs, where there are several: until they are asked, count is the first pair */
    size_t question_count, question_room;
} sg_evaluation;

/* One query in how many is evaluated, if there are so many; `usual`: how many unless something else is asked for. The
 * scores say it too. */
uint64_t sg_evaluation_one_in(const sg_evaluation *evaluation, uint64_t queries, uint64_t usual);

/* A new stream of random numbers for each seed: number n of a protocol. */
void sg_evaluation_streams(sg_evaluation *evaluation, uint64_t n);

/* All seeds from `seeds` on have the sums of the first: nothing was drawn for them. */
void sg_evaluation_same_seeds(sg_evaluation *evaluation, size_t seeds);

/* The same for what is a mean over queries alone. */
void sg_evaluation_same_ranks(sg_evaluation *evaluation, size_t seeds);

/* A value of the main score, of a scorer for one query, whose source (or batch) is `cluster`. */
static inline void sg_evaluation_compare(sg_evaluation *evaluation, size_t scorer, uint64_t cluster, double value,
                                         double weight)
{
    const sg_evaluation_scores *out = evaluation->out;
    if (out->errors || out->score_errors || out->own_errors)
        sg_paired_add(&evaluation->paired, cluster, scorer, value, weight);
}

int sg_evaluation_progress(const sg_evaluation *evaluation, uint64_t done, uint64_t total, scadyg_error *error);

/*
 * Goes through the part time by time: `evaluate` is given all events begin .. end-1 of one time. Tells of the progress now
 * and then.
 */
typedef int sg_evaluate_time(void *protocol, uint64_t begin, uint64_t end, scadyg_error *error);
int sg_evaluation_times(const sg_evaluation *evaluation, sg_evaluate_time *evaluate, void *protocol,
                        scadyg_error *error);

/* Tells of a query, if somebody listens. */
static inline void sg_evaluation_tell(const sg_evaluation *evaluation, const scadyg_query *query)
{
    if (evaluation->listener) evaluation->listener->query(evaluation->listener->data, query);
}

/* ---- Pairs: put together, then scored ---- */

/* Room for `count` more pairs. */
int sg_evaluation_room(sg_evaluation *evaluation, size_t count, scadyg_error *error);

static inline void sg_evaluation_pair(sg_evaluation *evaluation, uint32_t src, uint32_t dst)
{
    evaluation->src[evaluation->pairs] = src;
    evaluation->dst[evaluation->pairs++] = dst;
}

/* The scores a scorer gave the pairs. */
static inline const double *sg_evaluation_scores_of(const sg_evaluation *evaluation, size_t scorer)
{
    return evaluation->score + scorer * evaluation->room;
}

/* Scores all pairs as one question. */
int sg_evaluation_ask(sg_evaluation *evaluation, size_t scorer, double at, uint64_t seen, int64_t step,
                      scadyg_error *error);

/* The pairs from here on are a question, up to where the next one begins. */
int sg_evaluation_question(sg_evaluation *evaluation, double at, uint64_t seen, scadyg_error *error);

/* Scores the pairs of all questions with all scorers, which go through the log side by side. */
int sg_evaluation_ask_all(sg_evaluation *evaluation, scadyg_error *error);

/* How many events a prediction of `event` may see, if `before` lie strictly before its time. */
static inline uint64_t sg_evaluation_seen(const sg_evaluation *evaluation, uint64_t event, uint64_t before)
{
    if (evaluation->options->reveal != SG_REVEAL_BATCH) return before;
    const uint64_t batch = event - (event - evaluation->begin) % SG_BATCH;
    return before < batch ? before : batch;
}

/* ---- The protocols ---- */

int sg_evaluate_live(sg_evaluation *evaluation, scadyg_error *error);
int sg_evaluate_paper(sg_evaluation *evaluation, scadyg_error *error);
int sg_evaluate_tgb_link(sg_evaluation *evaluation, scadyg_error *error);
int sg_evaluate_dyglib(sg_evaluation *evaluation, scadyg_error *error);
int sg_evaluate_tgb_node(sg_evaluation *evaluation, scadyg_error *error);

#endif
