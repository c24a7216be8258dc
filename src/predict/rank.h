/* Rankings: the best of the candidates of a source, for predictors and for live states. */
#ifndef SG_PREDICT_RANK_H
#define SG_PREDICT_RANK_H

#include "predict/predictor.h"

typedef struct sg_ranking {
    unsigned char *met; /* [.]: of the candidates, by the source */
    uint32_t *src, *dst;
    double *score;
    void *best;
    size_t count;     /* candidates, dst[count] */
    size_t others;    /* behind them: some of those that are not looked at, for the probabilities */
    size_t all_count; /* candidates there are in all */
    int is_chosen;    /* none but candidates are listed: whom the source has met need not be asked */
} sg_ranking;

typedef struct sg_ranking_asked {
    uint32_t source;
    double at;
    uint64_t seen;
    size_t top;
    int how; /* SCADYG_RANK_... */
} sg_ranking_asked;

/* Of more destinations than this only those that a model retrieves are looked at. So few take a millisecond. */
#define SG_RANK_ALL 4096

/* Longer rankings look at all: what is retrieved is meant for the first places. */
#define SG_RANK_TOP 100

/* Whether a ranking looks at what is retrieved. rank_all: SG_RANK_ALL, unless a test says otherwise. */
int sg_rank_retrieves(const scadyg_model *model, const sg_ranking_asked *asked, size_t destinations,
                      size_t rank_all);

/* Lists it, with others behind; nodes: that there are. Then those remain that are candidates, by met[count]. With
 * SCADYG_RANK_EXCLUDE_SEEN none but these are listed, and all of them where the source has met too many. */
int sg_ranking_retrieve(sg_ranking *ranking, const scadyg_model *model, const sg_scorer *scorer,
                        const sg_ranking_asked *asked, size_t nodes, size_t destinations, scadyg_error *error);
void sg_ranking_ask_met(sg_ranking *ranking, const sg_ranking_asked *asked, size_t *first,
                        size_t *count); /* of whom `met` must be found: a part of dst, often nobody */
void sg_ranking_choose(sg_ranking *ranking, const sg_ranking_asked *asked);

/* With room for so many candidates, and the best `top`. To be closed also if this fails. */
int sg_ranking_open(sg_ranking *ranking, size_t most, size_t top, scadyg_error *error);
void sg_ranking_close(sg_ranking *ranking);

/* Scores the candidates, and finds the best `top`; then hands them out. */
int sg_ranking_run(sg_ranking *ranking, const sg_scorer *scorer, const sg_ranking_asked *asked,
                   scadyg_error *error);
void sg_ranking_take(const sg_ranking *ranking, const scadyg_model *model, size_t top, uint32_t *nodes,
                     double *scores, double *probabilities, size_t *count);

#endif
