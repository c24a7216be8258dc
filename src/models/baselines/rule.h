/* A baseline: a rule that needs no training. Each is a row of a table, from which model kinds are made. */
#ifndef SG_MODELS_BASELINES_RULE_H
#define SG_MODELS_BASELINES_RULE_H

#include "evaluate/scorer.h"

typedef struct sg_rule {
    const char *name; /* "pair-recency" */
    unsigned keeps;   /* what of the past it needs: bits of the file that has the table */
    /* Links: scores the pairs from what is kept. NULL for affinity. */
    void (*score)(const void *state, const sg_question *question);
} sg_rule;

#endif
