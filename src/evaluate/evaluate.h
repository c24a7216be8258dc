/* Protocols: from scorers and a file to scores. */
#ifndef SG_EVALUATE_EVALUATE_H
#define SG_EVALUATE_EVALUATE_H

#include "evaluate/scorer.h"
#include "events/labels.h"
#include "events/split.h"

struct sg_contacts;

/* What a protocol judges on. */
typedef struct sg_evaluated_data {
    scadyg_events *events;
    sg_columns columns;
    uint64_t nodes;
    const sg_steps *steps;   /* paper: the model's steps over this file */
    sg_split split;          /* paper: the model's; the others make their own (sg_split_time .70 .15) */
    const sg_labels *labels; /* tgb-node */
    int threads;
} sg_evaluated_data;

/* Filled by a protocol: means[scorer * seeds + seed]. */
typedef struct sg_evaluation_scores {
    scadyg_scores *scores; /* [scorers][seeds], the caller's */
    double *seconds;       /* [scorers] of scoring alone, may be NULL */
    uint64_t queries;      /* of one seed */
    uint64_t one_in;       /* of so many there are */
    int64_t negatives;     /* the number used; 0: all there are */
    const char *pool;      /* the pool in words */
} sg_evaluation_scores;

/* Options as in scadyg_eval_options; seeds options->seed .. +seeds-1. All scorers see the same negatives. */
int sg_protocol_links(const sg_evaluated_data *trial, const scadyg_eval_options *options, const sg_scorer *scorers,
                      size_t count, const scadyg_progress *progress, sg_evaluation_scores *scores_out,
                      scadyg_error *error);
int sg_protocol_labels(const sg_evaluated_data *trial, const scadyg_eval_options *options,
                       const sg_label_scorer *scorers, size_t count, const scadyg_progress *progress,
                       sg_evaluation_scores *scores_out, scadyg_error *error);

/* The heuristics for links (a scadyg_model_kind each), in the order of result tables. */
enum { SG_LINK_HEURISTICS = 6 };
extern const int sg_link_heuristics[SG_LINK_HEURISTICS];

/* A heuristic as a scorer. range: how long the training part lasts, for what is a share of it; the part need not be in
 * this file. */
int sg_heuristic_open(int kind, const sg_columns *columns, uint64_t nodes, double range, sg_scorer *scorer,
                      scadyg_error *error);
/* The same with contacts that several share, which are asked about the same blocks; they stay the caller's. */
int sg_heuristic_open_shared(int kind, const sg_columns *columns, uint64_t nodes, double range,
                             struct sg_contacts *contacts, sg_scorer *scorer, scadyg_error *error);
int sg_label_heuristic_open(int kind, const sg_labels *labels, uint64_t nodes, sg_label_scorer *scorer,
                            scadyg_error *error);

#endif
