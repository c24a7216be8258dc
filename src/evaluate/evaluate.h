/*
 * Evaluation: from scorers and a file to scores. What later rooms see of it: options, protocols, scores, results.
 *
 * A score and a protocol is a row of a table each (evaluation.c). A protocol asks scorers (scorer.h) about pairs or nodes,
 * says what they may see, and turns their answers into scores; it knows nothing else of models.
 */
#ifndef SG_EVALUATE_EVALUATE_H
#define SG_EVALUATE_EVALUATE_H

#include "base/context.h"
#include "base/options.h"
#include "evaluate/scorer.h"
#include "events/labels.h"
#include "events/steps.h"
#include "scadyg_lab.h"

/* ---- Options ---- */

/* In the order of the words of their options. */
enum {
    SG_PROTOCOL_AUTO, /* the one that fits the model: whoever evaluates settles it before */
    SG_PROTOCOL_LIVE,
    SG_PROTOCOL_PAPER,
    SG_PROTOCOL_TGB_LINK,
    SG_PROTOCOL_DYGLIB,
    SG_PROTOCOL_TGB_NODE,
    SG_PROTOCOLS
};
enum {
    SG_POOL_DEFAULT, /* as the protocol says */
    SG_POOL_ANY,
    SG_POOL_DESTINATION,
    SG_POOL_HISTORICAL,
    SG_POOL_INDUCTIVE,
    SG_POOL_RANDOM, /* as an option only: DyGLib's word for destination */
    /* What only a protocol says: */
    SG_POOL_MIX,  /* tgb-link */
    SG_POOL_SEEN, /* live */
    SG_POOL_NONE  /* there are no negatives */
};
enum { SG_PART_TEST, SG_PART_VALIDATION };
enum { SG_ALL_QUERIES = -1 };
enum {
    SG_REVEAL_EVENT, /* a prediction sees all events strictly before its time */
    SG_REVEAL_BATCH  /* ... that also lie before its batch of 200: what a model with a memory sees */
};
enum {
    SG_ANSWER_ONE, /* a pair has one score, whatever it is compared with */
    SG_ANSWER_POOL /* the one that is for what the negatives are, of a model that has several */
};
enum { SG_TASK_LINK, SG_TASK_AFFINITY };

typedef struct sg_eval_options {
    int protocol;      /* SG_PROTOCOL_... */
    int pool;          /* SG_POOL_... */
    int64_t negatives; /* per query; 0: as the protocol says */
    int64_t queries;   /* about so many, spread over the part; 0: as the protocol says; SG_ALL_QUERIES */
    int part;          /* SG_PART_... */
    int reveal;        /* SG_REVEAL_... */
    int answer;        /* SG_ANSWER_... */
    int64_t seeds;     /* so many draws of the negatives: seed .. seed + seeds - 1 */
    int64_t seed;
    int baselines; /* they are evaluated too */
    int exactly; /* live: `queries` is no matter of "about". No option: what is asked of a training after each epoch is not */
} sg_eval_options;

extern const sg_option_set sg_eval_set; /* "evaluate" */

/* Whether options fit each other and a model for this task. The protocol must be settled. */
int sg_eval_check(const sg_eval_options *options, int task, scadyg_error *error);

/* ---- Protocols ---- */

struct sg_evaluation;

enum {
    SG_CUT_TRAINED, /* as the model was trained: the test part is what is later */
    SG_CUT_STEPS,   /* by the model's shares of the steps */
    SG_CUT_TIME     /* 70 % and 15 % by quantiles of the times */
};

typedef struct sg_protocol {
    const char *name;       /* "tgb-link" */
    int task;               /* SG_TASK_... of the models it evaluates */
    int main_score;         /* that it is known by: a scadyg_score_number */
    int cut;                /* SG_CUT_...: its parts */
    int pool;               /* where negatives come from by themselves */
    unsigned pools;         /* bits 1 << SG_POOL_...: those one may ask for */
    int64_t most_negatives; /* that one may ask for; 0: any number */
    const char *no_batches; /* why it does not reveal events in batches; NULL: it does, if asked to */
    const char *cluster;    /* what differences are clustered by: "source" */
    uint64_t stream;        /* its random numbers are made from this, which therefore never changes */
    int (*run)(struct sg_evaluation *evaluation, scadyg_error *error);
} sg_protocol;

extern const sg_protocol sg_protocols[SG_PROTOCOLS];

/* The number of the protocol with this name ("auto" is one); -1: there is none. */
int sg_protocol_find(const char *name);

/* ---- Scores ---- */

enum { SG_SCORES = SCADYG_AUC_PARTNERS + 1 };

/* By their numbers (scadyg_score_number); NaN where a protocol does not have one. */
typedef struct sg_scores {
    double of[SG_SCORES];
} sg_scores;

/* ---- Evaluating ---- */

/* What a protocol evaluates on. */
typedef struct sg_evaluated_data {
    sg_columns columns;
    uint64_t nodes;
    const sg_steps *steps; /* paper: the model's steps over this file */
    sg_split split;        /* of protocols that do not cut by time, or of all, */
    int is_cut;            /* ... if the events are cut already, whatever a protocol says */
    uint64_t trained;      /* a model was trained on the first so many events, which are never evaluated */
    struct sg_first_contacts
        *contacts;           /* of pairs, kept for more evaluations of these events; NULL: each makes its own */
    const sg_labels *labels; /* tgb-node */
    /* tgb-node: labels up to then were learned from, or chosen by, where some events were. */
    double trained_until, chosen_until;
} sg_evaluated_data;

/* Who is told of every query. */
typedef struct sg_listener {
    void (*query)(void *data, const scadyg_query *query);
    void *data;
} sg_listener;

/* Filled by a protocol. */
typedef struct sg_evaluation_scores {
    sg_scores *scores;    /* [scorers][seeds], the caller's */
    double *seconds;      /* [scorers] of scoring alone, may be NULL */
    double *errors;       /* [scorers]: the standard error of the first one's main score less theirs, may be NULL */
    double *score_errors; /* [scorers][SG_SCORES]: likewise of every score; NaN: not known. May be NULL */
    double *own_errors;   /* [scorers][SG_SCORES]: the standard errors of the scores themselves. May be NULL */
    uint64_t clusters;    /* sources (dyglib: batches) that these errors are over */
    uint64_t queries;     /* of one seed */
    uint64_t unranked;    /* live: events of the sample to destinations that were never seen before */
    uint64_t left_out;    /* events of the part that the model was trained on */
    scadyg_part parts[3]; /* training, validation, test */
    uint64_t one_in;      /* of so many there are */
    uint64_t sources_one_in; /* live: sources that are asked about */
    uint64_t of; /* the number of queries was given, and there were so many; 0: all are asked, or one in so many */
    int64_t negatives; /* the number used; 0: all there are */
    const char *pool;  /* the pool in words */
} sg_evaluation_scores;

/* All scorers see the same negatives. listener may be NULL. */
int sg_evaluate_links(scadyg_context *context, const sg_evaluated_data *data, const sg_eval_options *options,
                      const sg_scorer *scorers, size_t count, const sg_listener *listener,
                      sg_evaluation_scores *out, scadyg_error *error);
int sg_evaluate_labels(scadyg_context *context, const sg_evaluated_data *data, const sg_eval_options *options,
                       const sg_label_scorer *scorers, size_t count, const sg_listener *listener,
                       sg_evaluation_scores *out, scadyg_error *error);

/* A result from what a protocol filled, with means and deviations over the seeds. The names are copied. */
int sg_result_make(const sg_eval_options *options, const sg_evaluation_scores *scores, const char *const *names,
                   size_t count, scadyg_result **result, scadyg_error *error);

#endif
