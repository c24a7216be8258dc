/* Rankings: the best of the candidates of a source, for predictors and for live states. */
#ifndef SG_PREDICT_RANK_H
#define SG_PREDICT_RANK_H

#include "predict/predictor.h"

typedef struct sg_ranking {
    unsigned char *met; /* [.]: of the candidates, by the source */
    uint32_t *src, *dst;
    double *score;
    void *best;
    size_t count; /* candidates, dst[count] */
} sg_ranking;

typedef struct sg_ranking_asked {
    uint32_t source;
    double at;
    uint64_t seen;
    size_t top;
} sg_ranking_asked;

/* With room for so many candidates. To be closed also if this fails. */
int sg_ranking_open(sg_ranking *ranking, size_t most, scadyg_error *error);
void sg_ranking_close(sg_ranking *ranking);

/* Of the destinations there are those that are candidates: with exclude_seen without those the source has met, and itself only
 * if it has met itself. Returns how many. */
size_t sg_rank_choose(uint32_t source, int exclude_seen, uint32_t *list, size_t count, const unsigned char *met);

/* Scores the candidates, and finds the best `top`; then hands them out. */
int sg_ranking_run(sg_ranking *ranking, const sg_scorer *scorer, const sg_ranking_asked *asked,
                   scadyg_error *error);
void sg_ranking_take(const sg_ranking *ranking, const scadyg_model *model, size_t top, uint32_t *nodes,
                     double *scores, double *probabilities, size_t *count);

#endif
