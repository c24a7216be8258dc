/* The court: what the protocols for links have in common. */
#ifndef SG_EVALUATE_COURT_H
#define SG_EVALUATE_COURT_H

#include "base/rng.h"
#include "evaluate/evaluate.h"

enum { SG_BATCH = 200 }; /* events of a batch; the first batch begins where the part does */

/* Sums of one scorer under one seed. */
typedef struct sg_tally {
    double queries, mrr, hits1, hits3, hits10; /* sums over queries */
    double sets, ap, auc;                      /* sums over sets of pairs: steps or batches */
} sg_tally;

typedef struct sg_court {
    const sg_trial *trial;
    const scadyg_eval_options *options;
    const sg_scorer *scorers;
    size_t count, seeds;
    const scadyg_progress *progress;
    sg_verdict *verdict;
    sg_split split;
    uint64_t begin, end; /* the events of the part */
    int question;        /* that the protocol has: SG_ASK_ORDER unless it says otherwise */
    uint32_t *src, *dst; /* the pairs being put together */
    double *score;       /* of the scorer asked last */
    size_t pairs, room;
    sg_block
        *blocks; /* of these pairs, where there are several; src, dst and score are set when they are asked about */
    size_t block_count, block_room;
    sg_rng *rng;     /* [seeds] */
    sg_tally *tally; /* [scorers][seeds] */
} sg_court;

/* Checks what is asked, finds the part, rewinds the scorers. */
int sg_court_open(sg_court *court, scadyg_error *error);
void sg_court_close(sg_court *court);

/* One query in how many is judged, if there are so many; the verdict says it. */
uint64_t sg_court_one_in(const sg_court *court, uint64_t queries);

/* Room for `count` more pairs. */
int sg_court_room(sg_court *court, size_t count, scadyg_error *error);

static inline void sg_court_add(sg_court *court, uint32_t src, uint32_t dst)
{
    court->src[court->pairs] = src;
    court->dst[court->pairs++] = dst;
}

/* Scores the pairs with one scorer. */
int sg_court_ask(sg_court *court, size_t scorer, double at, uint64_t seen, int64_t step, scadyg_error *error);

/* How many events one may see, of which `before` lie strictly before its time: with --reveal batch none of its batch. */
static inline uint64_t sg_court_seen(const sg_court *court, uint64_t event, uint64_t before)
{
    if (court->options->reveal != SCADYG_REVEAL_BATCH) return before;
    const uint64_t batch = event - (event - court->begin) % SG_BATCH;
    return before < batch ? before : batch;
}

/* Pairs from `first` on are of one time: a block up to the next one, or the last pair. */
int sg_court_block(sg_court *court, double at, uint64_t seen, size_t first, scadyg_error *error);

/* Scores all blocks with one scorer. */
int sg_court_ask_blocks(sg_court *court, size_t scorer, scadyg_error *error);

/* A new stream of random numbers for each seed: number n of a protocol. */
void sg_court_streams(sg_court *court, uint64_t n);

int sg_court_progress(const sg_court *court, uint64_t event, scadyg_error *error);

/* Tells the caller of a query, if there is one who listens. */
static inline void sg_court_tell(const scadyg_eval_options *options, const scadyg_query *query)
{
    if (options->query) options->query(options->query_context, query);
}

void sg_tally_rank(sg_tally *tally, double rank);

/* Means over everything tallied. A scadyg_scores of NaN to begin with. */
scadyg_scores sg_no_scores(void);
void sg_tally_means(const sg_tally *tally, scadyg_scores *scores);

int sg_judge_paper(sg_court *court, scadyg_error *error);
int sg_judge_tgb(sg_court *court, scadyg_error *error);
int sg_judge_dyglib(sg_court *court, scadyg_error *error);

#endif
