/*
 * Where training negatives come from: any node of the file (the paper), or those that have appeared by the end of the
 * step, or the destinations that have.
 */
#ifndef SG_TASKS_POOL_H
#define SG_TASKS_POOL_H

#include "events/file.h"
#include "events/steps.h"

typedef struct sg_train_pool {
    uint32_t *nodes; /* in the order of appearance; NULL: that of their numbers */
    size_t *known;   /* [steps]: how many of them have appeared by the end of each step */
} sg_train_pool;

/* Kind 0: any node. Kind 1: destinations that have appeared. Kind 2: nodes that have appeared. */
int sg_train_pool_make(sg_train_pool *pool, const sg_columns *columns, size_t nodes, const sg_steps *steps,
                       int kind, scadyg_error *error);
void sg_train_pool_free(sg_train_pool *pool);

#endif
