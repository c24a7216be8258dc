/* Baselines: rules that need no training. Each is a row of a table, from which model kinds are made. */
#ifndef SG_MODELS_BASELINES_RULES_H
#define SG_MODELS_BASELINES_RULES_H

#include "base/pair_map.h"
#include "evaluate/scorer.h"
#include "events/labels.h"
#include "models/baselines/neighbours.h"

typedef struct sg_rule {
    const char *name; /* "pair-recency" */
    unsigned keeps;   /* what of the past it needs: bits of the file that has the table */
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

struct sg_past;

/*
 * A rule as a scorer. range: how long the training part lasts, for what is a share of it; the part need not be in this
 * file. past: what several rules share, which are asked the same questions side by side; it stays the caller's. NULL: the
 * rule has its own.
 */
int sg_link_rule_open(const sg_rule *rule, const sg_columns *columns, uint64_t nodes, double range,
                      struct sg_past *past, sg_scorer *scorer, scadyg_error *error);

/* Contacts: for every ordered pair that has met among the first events of a file, how often and when last. */
typedef struct sg_contacts {
    const sg_columns *columns;
    uint64_t seen; /* events taken in */
    uint64_t
        now; /* the first event at the time of the last one taken in: a whole number that stands for its time */
    sg_pair_map pairs;
} sg_contacts;

int sg_contacts_open(sg_contacts *contacts, const sg_columns *columns, scadyg_error *error);
void sg_contacts_close(sg_contacts *contacts);
void sg_contacts_rewind(sg_contacts *contacts);

/* Takes in the first `seen` events, never fewer than before: going back would make a pass over the log of each question. */
int sg_contacts_follow(sg_contacts *contacts, uint64_t seen, scadyg_error *error);

/* In one number: `last` in the lower 40 bits, the count above them, which stops at 2^24 - 1. */
#define SG_CONTACT_BITS 40

static inline uint64_t sg_contacts_of(const sg_contacts *contacts, uint32_t src, uint32_t dst)
{
    const uint64_t *value = sg_pair_map_find(&contacts->pairs, sg_pair_key(src, dst));
    return value ? *value : 0;
}

/* When a pair last met: 1 + the number of the first event at that time; 0: never. */
static inline uint64_t sg_contacts_last(const sg_contacts *contacts, uint32_t src, uint32_t dst)
{
    return sg_contacts_of(contacts, src, dst) & (((uint64_t)1 << SG_CONTACT_BITS) - 1);
}

static inline uint64_t sg_contacts_count(const sg_contacts *contacts, uint32_t src, uint32_t dst)
{
    return sg_contacts_of(contacts, src, dst) >> SG_CONTACT_BITS;
}

/* What rules may share of the past. */
typedef struct sg_past {
    sg_contacts contacts;
    sg_neighbours neighbours;
} sg_past;

/* For all rules. To be closed also if this fails; a zeroed one may be closed, too. */
int sg_past_open(sg_past *past, const sg_columns *columns, uint64_t nodes, double range, scadyg_error *error);
void sg_past_close(sg_past *past);

/* ---- Baselines for affinity ---- */

enum { SG_LABEL_RULES = 2 };
extern const sg_rule sg_label_rules[SG_LABEL_RULES]; /* in the order of result tables */

/* The rule of this name, or NULL. */
const sg_rule *sg_label_rule_find(const char *name);

int sg_label_rule_open(const sg_rule *rule, const sg_labels *labels, uint64_t nodes, sg_label_scorer *scorer,
                       scadyg_error *error);

#endif
