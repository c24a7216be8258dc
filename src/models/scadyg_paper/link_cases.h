/*
 * The cases of a step: its events of the training part, each with a negative of the same source, in random order.
 * Drawn anew each epoch from (seed, epoch, step), so that any epoch can be made again by itself.
 */
#ifndef SG_MODELS_SCADYG_PAPER_LINK_CASES_H
#define SG_MODELS_SCADYG_PAPER_LINK_CASES_H

#include "models/scadyg_paper/paper.h"

/* Where training negatives come from. */
typedef struct sg_train_pool {
    uint32_t *nodes; /* in the order of appearance; NULL: that of their numbers */
    size_t *known;   /* [steps]: how many of them have appeared by the end of each step */
} sg_train_pool;

/* kind: SG_PAPER_POOL_... */
int sg_train_pool_make(sg_train_pool *pool, const sg_columns *columns, size_t nodes, const sg_steps *steps,
                       int kind, scadyg_error *error);
void sg_train_pool_free(sg_train_pool *pool);

typedef struct sg_link_cases {
    const float *rows;      /* [.][width] */
    uint32_t *left, *right; /* [count]: rows of the ends */
    float *label;           /* [count] */
    size_t count;

    size_t known; /* negatives come from the first of the pool */
    size_t capacity;
    uint64_t *pairs; /* the step's pairs, hashed: [slots], 0: free */
    size_t slots, slot_capacity;
    float *own_rows; /* event freshness: the messages of each end at its time */
    uint32_t *nodes; /* event freshness: source, destination, negative of each event */
    size_t own_capacity;
} sg_link_cases;

void sg_link_cases_free(sg_link_cases *cases);

/*
 * Makes the cases of events first .. end-1 of a step. With event freshness the reader follows the log, so steps must
 * be made in order.
 */
int sg_link_cases_make(sg_link_cases *cases, sg_past_reader *past, const sg_train_pool *pool, int64_t step,
                       uint64_t first, uint64_t end, uint64_t seed, int64_t epoch, scadyg_error *error);

#endif
