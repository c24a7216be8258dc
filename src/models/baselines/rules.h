/* Baselines: rules that need no training. Each is a row of a table, from which model kinds are made. */
#ifndef SG_MODELS_BASELINES_RULES_H
#define SG_MODELS_BASELINES_RULES_H

#include "evaluate/scorer.h"
#include "events/labels.h"
#include "models/baselines/past.h"

typedef struct sg_rule {
    const char *name; /* "pair-recency" */
    unsigned
        keeps; /* what of the past it needs: SG_KEEPS_... of links, see past.h; bits of the file that has the table */
    /* Links: scores the pairs from what is kept. NULL for affinity. */
    void (*score)(const void *state, const sg_question *question);
} sg_rule;

enum {
    SG_LINK_RULES = 11,
    SG_GENERAL_RULES = 8 /* the first ones, which stand in results of every protocol */
};
extern const sg_rule sg_link_rules[SG_LINK_RULES]; /* in the order of result tables */

/* The rule of this name, or NULL. */
const sg_rule *sg_link_rule_find(const char *name);

/*
 * A rule as a scorer. columns must stay, and may get more events at their end. range: how long the training part lasts, for
 * what is a share of it; the part need not be in this file. past: what several rules share, which are asked the same questions
 * side by side; it keeps what the rule needs, and stays the caller's. NULL: the rule has its own.
 */
int sg_link_rule_open(const sg_rule *rule, const sg_columns *columns, uint64_t nodes, double range, sg_past *past,
                      sg_scorer *scorer, scadyg_error *error);

/* ---- How much they take ---- */

/* How much there is of what rules keep, of which they forget nothing. */
typedef struct sg_log_size {
    uint64_t events, nodes, pairs, transitions, destinations;
} sg_log_size;

/* Counted within 3 %, and rather too much, in one pass over the log; or at most, without one. */
int sg_log_size_count(const sg_columns *columns, uint64_t nodes, sg_log_size *size, scadyg_error *error);
sg_log_size sg_log_size_most(uint64_t events, uint64_t nodes);

/* Of what rules keep: parts of the past, SG_KEEPS_... */
uint64_t sg_past_bytes(const sg_log_size *size, unsigned keeps);

/* Of the parts that are wanted those that fit into so many bytes; what takes most goes first, and rules with it. */
unsigned sg_past_within(const sg_log_size *size, unsigned wanted, double bytes);

/* ---- Baselines for affinity ---- */

enum { SG_LABEL_RULES = 2 };
extern const sg_rule sg_label_rules[SG_LABEL_RULES]; /* in the order of result tables */

/* The rule of this name, or NULL. */
const sg_rule *sg_label_rule_find(const char *name);

int sg_label_rule_open(const sg_rule *rule, const sg_labels *labels, uint64_t nodes, sg_label_scorer *scorer,
                       scadyg_error *error);

#endif
