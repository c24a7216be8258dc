/* The kinds of studies: which variants each has of a preset, and what it shows beyond the common tables. */
#include "study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- compare, convergence: each preset as it is ---- */

static int expand_alone(study *s, const study_variant *base)
{
    return study_add(s, base, NULL, NULL);
}

/* ---- ablation ---- */

/* The parts that can be left out of a model. The first three of the head paper are the paper's. */
static const char *const *parts_of(const scadyg_train_options *train)
{
    static const char *const paper[] = {"time", "hypernetwork", "multirate", NULL};
    static const char *const link[] = {"pairs", "walks1",       "walks2",    "ranking", "transitions",
                                       "nodes", "hypernetwork", "multirate", NULL};
    static const char *const affinity[] = {"nodes", "popularity", "reverse", "hypernetwork", "multirate", NULL};
    if (train->head == SCADYG_HEAD_PAPER) return paper;
    return train->task == SCADYG_TASK_AFFINITY ? affinity : link;
}

static int is_wanted(const study *s, const char *part)
{
    for (size_t i = 0; i < s->value_count; i++)
        if (strcmp(s->values[i], part) == 0) return 1;
    return s->value_count == 0;
}

/* A part that no preset has was misspelt. */
static int check_parts(const study *s)
{
    static const char *const known[] = {"time",    "hypernetwork", "multirate", "nodes",
                                        "pairs",   "transitions",  "walks1",    "walks2",
                                        "ranking", "popularity",   "reverse"};
    for (size_t i = 0; i < s->value_count; i++) {
        size_t k = 0;
        while (k < CLI_COUNT(known) && strcmp(known[k], s->values[i]) != 0) k++;
        if (k < CLI_COUNT(known)) continue;
        const char *nearest = cli_nearest(s->values[i], known, CLI_COUNT(known));
        return cli_usage(s->call->command, "--values: no model has the part '%s'%s%s%s", s->values[i],
                         nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    }
    return CLI_OK;
}

static int expand_ablation(study *s, const study_variant *base)
{
    study_variant whole = *base;
    snprintf(whole.label, sizeof whole.label, "whole");
    int code = check_parts(s), some = 0;
    for (const char *const *part = parts_of(&base->train); *part; part++) some |= is_wanted(s, *part);
    if (!code && some) code = study_add(s, &whole, NULL, NULL);
    for (const char *const *part = parts_of(&base->train); *part && !code; part++)
        if (is_wanted(s, *part)) code = study_add(s, base, "without", *part);
    return code;
}

/* ---- steps, hops, interval: one option over its values ---- */

static int expand_values(study *s, const study_variant *base, const char *const *values, size_t count)
{
    int code = CLI_OK;
    for (size_t i = 0; i < count && !code; i++) code = study_add(s, base, s->kind->varied, values[i]);
    return code;
}

static int needs_paper_head(const study *s, const study_variant *base)
{
    if (base->train.head == SCADYG_HEAD_PAPER) return CLI_OK;
    return cli_usage(s->call->command,
                     "the model of the preset %s does not depend on --%s; take --presets paper or one of its kind",
                     base->series, s->kind->varied);
}

/* The paper's "historical steps": how many of the latest steps a message holds. */
static int expand_steps(study *s, const study_variant *base)
{
    static const char *const usual[] = {"1", "2", "5", "10", "20", "50", "100"};
    const size_t before = s->variant_count;
    int code = needs_paper_head(s, base);
    if (!code && s->value_count) {
        code = expand_values(s, base, s->values, s->value_count);
    } else if (!code) {
        size_t count = 0;
        while (count < CLI_COUNT(usual) && strtol(usual[count], NULL, 10) < base->train.messages.steps) count++;
        code = expand_values(s, base, usual, count);
        if (!code) code = study_add(s, base, "window", "all");
    }
    for (size_t i = before; i < s->variant_count; i++)
        if (!s->variants[i].train.messages.window) s->variants[i].x = (double)base->train.messages.steps;
    return code;
}

static int expand_hops(study *s, const study_variant *base)
{
    static const char *const usual[] = {"1", "2", "3"};
    int code = needs_paper_head(s, base);
    if (code) return code;
    return s->value_count ? expand_values(s, base, s->values, s->value_count)
                          : expand_values(s, base, usual, CLI_COUNT(usual));
}

enum { FEWEST_STEPS = 10 }; /* with which every part has some */

/* Around the number of steps that the preset or the user has: a quarter, a half, as many, two and four times. */
static int expand_interval(study *s, const study_variant *base)
{
    const size_t before = s->variant_count;
    int code = CLI_OK;
    if (s->value_count) code = expand_values(s, base, s->values, s->value_count);
    int64_t last = 0;
    for (int64_t quarter = 1; quarter <= 16 && !s->value_count && !code; quarter *= 2) {
        char text[CLI_TEXT];
        int64_t steps = base->train.messages.steps * quarter / 4;
        if (steps < FEWEST_STEPS) steps = FEWEST_STEPS;
        if (steps == last) continue;
        last = steps;
        snprintf(text, sizeof text, "%lld", (long long)steps);
        code = study_add(s, base, "steps", text);
    }
    for (size_t i = before; i < s->variant_count; i++)
        s->variants[i].x = 100 / (double)s->variants[i].train.messages.steps;
    return code;
}

/* ---- efficiency: the same on 1/8, 1/4, 1/2 and all of the events ---- */

static int expand_efficiency(study *s, const study_variant *base)
{
    static const struct {
        double share;
        const char *label, *name;
    } parts[] = {{0.125, "1/8 of the events", "eighth"},
                 {0.25, "1/4 of the events", "quarter"},
                 {0.5, "1/2 of the events", "half"},
                 {1, "all events", "all"}};
    int code = CLI_OK;
    for (size_t i = 0; i < CLI_COUNT(parts) && !code; i++) {
        study_variant part = *base;
        part.share = parts[i].share;
        /* A few epochs tell how long one takes. */
        if (!cli_was_given(s->call, "epochs")) part.train.epochs = 3;
        part.train.patience = part.train.epochs;
        snprintf(part.label, sizeof part.label, "%s", parts[i].label);
        const size_t used = strlen(part.name);
        snprintf(part.name + used, sizeof part.name - used, "-%s", parts[i].name);
        code = study_add(s, &part, NULL, NULL);
    }
    return code;
}

/* ---- The table ---- */

const study_kind study_kinds[] = {
    {.name = "compare",
     .summary = "models beside all heuristics: MRR, AP and AUC under each protocol and pool",
     .presets = "default,paper",
     .rules = 1,
     .expand = expand_alone},
    {.name = "ablation",
     .summary = "each model whole and without each of its parts; --values says which",
     .presets = "default,paper",
     .varied = "without",
     .parts = 1,
     .expand = expand_ablation},
    {.name = "steps",
     .summary = "the paper's historical steps: messages of the latest 1, 2, 5, ... steps (--window)",
     .presets = "paper",
     .varied = "window",
     .expand = expand_steps},
    {.name = "hops",
     .summary = "messages over 1, 2 and 3 hops (--hops)",
     .presets = "paper",
     .varied = "hops",
     .expand = expand_hops},
    {.name = "interval",
     .summary = "the length of a step: from a quarter of --steps to four times as many",
     .presets = "default,paper",
     .varied = "steps",
     .expand = expand_interval},
    {.name = "efficiency",
     .summary = "seconds, memory and parameters, and how they grow from 1/8 of the events to all",
     .presets = "default,paper",
     .apart = 1,
     .costs = study_efficiency_costs,
     .expand = expand_efficiency},
    {.name = "convergence",
     .summary = "the validation score against seconds of training",
     .presets = "default,paper",
     .costs = study_convergence_costs,
     .expand = expand_alone},
    {.name = "weights",
     .summary = "the matrices of single nodes as heat maps, their drift, and how long each node remembers",
     .presets = "paper,default",
     .affinity_presets = "paper", /* the default one weighs labels and has no matrices */
     .expand = expand_alone,
     .look = study_look_at_weights},
};
const size_t study_kind_count = CLI_COUNT(study_kinds);

/* For the help: all of the table, and the one that is a list of the others. */
const char *study_kind_name(size_t i, const char **summary)
{
    if (i == study_kind_count) {
        if (summary) *summary = "what the README publishes, from the files in --data DIR; no events are given";
        return "reproduce";
    }
    if (i > study_kind_count) return NULL;
    if (summary) *summary = study_kinds[i].summary;
    return study_kinds[i].name;
}
