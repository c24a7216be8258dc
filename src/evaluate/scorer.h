/*
 * A scorer: whatever can say how likely pairs are, models that learn and baselines alike. Protocols see only this.
 */
#ifndef SG_EVALUATE_SCORER_H
#define SG_EVALUATE_SCORER_H

#include "events/file.h"

/*
 * What is asked: which pairs of one source and time are likelier (MRR; scores of different sources need not be
 * comparable), or how likely each pair is by itself (AP over pairs of all sources): whatever it is compared with, or
 * rather than a random pair, one that has met, one that first met lately. A scorer may have one answer to several.
 */
enum { SG_ASK_ORDER, SG_ASK_CHANCE, SG_ASK_RANDOM, SG_ASK_MET, SG_ASK_LATE, SG_ASKS };

/*
 * Pairs to score at one time. Visible are the first `seen` events of the file and nothing else; that is what lies
 * strictly before `at`, in the paper's protocol what lies in earlier steps, and with --reveal batch what also lies
 * before the batch. Questions come with `seen` and `at` never decreasing, until rewind.
 */
typedef struct sg_question {
    double at;
    uint64_t seen;
    int64_t step; /* protocols by steps: the step the pairs are of; else -1: the scorer goes by `at` */
    const uint32_t *src, *dst;
    size_t count;
    double *score; /* out; higher is likelier */
    int ask;       /* SG_ASK_... */
} sg_question;

typedef struct sg_scorer {
    const char *name;
    void *context;
    int (*rewind)(void *context, scadyg_error *error); /* back to before the first event */
    int (*score)(void *context, const sg_question *question, scadyg_error *error);
    void (*close)(void *context);
    /* Several questions in their order, whose pairs and scores stand one behind the other; NULL: one by one. */
    int (*score_many)(void *context, const sg_question *questions, size_t count, scadyg_error *error);
} sg_scorer;

/*
 * The same for affinity: predicts a node's distribution over classes at a label time, from the events before it and
 * the labels of earlier times. Order: for each label time, predict some nodes, then reveal that label time.
 */
typedef struct sg_label_question {
    size_t group; /* of the labels: which label time */
    double at;
    uint64_t seen; /* events strictly before `at` */
    const uint32_t *nodes;
    size_t count;
    float *score; /* out [count][classes] */
} sg_label_question;

typedef struct sg_label_scorer {
    const char *name;
    void *context;
    int (*rewind)(void *context, scadyg_error *error);
    int (*score)(void *context, const sg_label_question *question, scadyg_error *error);
    int (*reveal)(void *context, size_t group, scadyg_error *error); /* NULL: not interested */
    void (*close)(void *context);
} sg_label_scorer;

#endif
