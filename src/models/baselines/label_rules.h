/* Baselines for affinity. */
#ifndef SG_MODELS_BASELINES_LABEL_RULES_H
#define SG_MODELS_BASELINES_LABEL_RULES_H

#include "events/labels.h"
#include "models/baselines/rule.h"

enum { SG_LABEL_RULES = 2 };
extern const sg_rule sg_label_rules[SG_LABEL_RULES]; /* in the order of result tables */

/* The rule of this name, or NULL. */
const sg_rule *sg_label_rule_find(const char *name);

int sg_label_rule_open(const sg_rule *rule, const sg_labels *labels, uint64_t nodes, sg_label_scorer *scorer,
                       scadyg_error *error);

#endif
