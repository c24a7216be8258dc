/* The evaluation: what the protocols for links have in common. */
#ifndef SG_EVALUATE_EVALUATION_H
#define SG_EVALUATE_EVALUATION_H

#include "base/rng.h"
#include "evaluate/evaluate.h"

enum { SG_BATCH = 200 }; /* events of a batch; the first batch begins where the part does */

/* Sums of one scorer under one seed. */
typedef struct sg_score_sums {
    double queries, mrr, hits1, hits3, hits10; /* sums over queries */
    double sets, ap, auc;                      /* sums over sets of pairs: steps or batches */
} sg_score_sums;

typedef struct sg_evaluation {
    const sg_evaluated_data *trial;
    const scadyg_eval_options *options;
    const sg_scorer *scorers;
    size_t count, seeds;
    const scadyg_progress *progress;
    sg_evaluation_scores *scores_out;
    sg_split split;
    uint64_t begin, end; /* the events of the part */
    int question;        /* that the protocol has: SG_ASK_ORDER unless it says otherwise */
    uint32_t *src, *dst; /* the pairs being put together */
    double *score;       /* of the scorer asked last */
    size_t pairs, room;
    sg_question
        *blocks; /* of these pairs, where there are several; src, dst and score are set when they are asked about */
    size_t block_count, block_room;
    sg_rng *rng;          /* [seeds] */
    sg_score_sums *tally; /* [scorers][seeds] */
} sg_evaluation;

/* Checks what is asked, finds the part, rewinds the scorers. */
int sg_evaluation_open(sg_evaluation *evaluation, scadyg_error *error);
void sg_evaluation_close(sg_evaluation *evaluation);

/* One query in how many is judged, if there are so many; the scores_out says it. */
uint64_t sg_evaluation_one_in(const sg_evaluation *evaluation, uint64_t queries);

/* Room for `count` more pairs. */
int sg_evaluation_room(sg_evaluation *evaluation, size_t count, scadyg_error *error);

static inline void sg_evaluation_add(sg_evaluation *evaluation, uint32_t src, uint32_t dst)
{
    evaluation->src[evaluation->pairs] = src;
    evaluation->dst[evaluation->pairs++] = dst;
}

/* Scores the pairs with one scorer. */
int sg_evaluation_ask(sg_evaluation *evaluation, size_t scorer, double at, uint64_t seen, int64_t step,
                      scadyg_error *error);

/* How many events one may see, of which `before` lie strictly before its time: with --reveal batch none of its batch. */
static inline uint64_t sg_evaluation_seen(const sg_evaluation *evaluation, uint64_t event, uint64_t before)
{
    if (evaluation->options->reveal != SCADYG_REVEAL_BATCH) return before;
    const uint64_t batch = event - (event - evaluation->begin) % SG_BATCH;
    return before < batch ? before : batch;
}

/* Pairs from `first` on are of one time: a block up to the next one, or the last pair. */
int sg_evaluation_block(sg_evaluation *evaluation, double at, uint64_t seen, size_t first, scadyg_error *error);

/* Scores all blocks with one scorer. */
int sg_evaluation_ask_blocks(sg_evaluation *evaluation, size_t scorer, scadyg_error *error);

/* A new stream of random numbers for each seed: number n of a protocol. */
void sg_evaluation_streams(sg_evaluation *evaluation, uint64_t n);

int sg_evaluation_progress(const sg_evaluation *evaluation, uint64_t event, scadyg_error *error);

/* Tells the caller of a query, if there is one who listens. */
static inline void sg_evaluation_tell(const scadyg_eval_options *options, const scadyg_query *query)
{
    if (options->query) options->query(options->query_context, query);
}

void sg_score_sums_rank(sg_score_sums *tally, double rank);

/* Means over everything tallied. A scadyg_scores of NaN to begin with. */
scadyg_scores sg_no_scores(void);
void sg_score_sums_means(const sg_score_sums *tally, scadyg_scores *scores);

int sg_evaluate_paper(sg_evaluation *evaluation, scadyg_error *error);
int sg_evaluate_tgb(sg_evaluation *evaluation, scadyg_error *error);
int sg_evaluate_dyglib(sg_evaluation *evaluation, scadyg_error *error);

#endif
