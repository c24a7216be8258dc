/* The kinds of studies: which variants each has of a model, and what it shows beyond the common tables. */
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

/* ---- compare, convergence: each model as it is ---- */

static int expand_alone(study *s, const study_variant *base)
{
    return study_add(s, base, NULL, NULL, NULL);
}

/* ---- ablation ---- */

static int is_wanted(const study *s, const char *part)
{
    for (size_t i = 0; i < s->value_count; i++)
        if (strcmp(s->values[i], part) == 0) return 1;
    return s->value_count == 0;
}

static int is_part_of_any(const cli_tables *tables, const char *word, const char **names, size_t most,
                          size_t *count)
{
    const char *part;
    *count = 0;
    for (size_t k = 0; k < tables->kind_count; k++)
        for (size_t i = 0; (part = scadyg_part_at(tables->kinds[k], i)) && *count < most; i++) {
            if (strcmp(part, word) == 0) return 1;
            names[(*count)++] = part;
        }
    return 0;
}

/* A part that no kind of model has was misspelt. */
static int check_parts(const study *s)
{
    const char *names[256];
    size_t count;
    for (size_t i = 0; i < s->value_count; i++) {
        if (is_part_of_any(&s->call->tables, s->values[i], names, CLI_COUNT(names), &count)) continue;
        const char *nearest = sg_nearest(s->values[i], names, sizeof *names, count);
        return cli_usage(s->call->command, "--values: no model has the part '%s'%s%s%s", s->values[i],
                         nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    }
    return CLI_OK;
}

static int expand_ablation(study *s, const study_variant *base)
{
    const char *part;
    study_variant whole = *base;
    snprintf(whole.label, sizeof whole.label, "whole");
    int code = check_parts(s), some = 0;
    for (size_t i = 0; (part = scadyg_part_at(base->train, i)); i++) some |= is_wanted(s, part);
    if (!code && some) code = study_add(s, &whole, NULL, NULL, NULL);
    for (size_t i = 0; !code && (part = scadyg_part_at(base->train, i)); i++)
        if (is_wanted(s, part)) code = study_add(s, base, "without", part, NULL);
    return code;
}

/* ---- steps, hops, interval: one option over its values ---- */

static int expand_values(study *s, const study_variant *base, const char *const *usual, size_t count)
{
    const char *const *values = s->value_count ? s->values : usual;
    int code = CLI_OK;
    if (s->value_count) count = s->value_count;
    for (size_t i = 0; i < count && !code; i++) code = study_add(s, base, s->kind->varied, values[i], NULL);
    return code;
}

/* The paper's "historical steps": how many of the latest steps a message holds. */
static int expand_steps(study *s, const study_variant *base)
{
    static const char *const usual[] = {"1", "2", "5", "10", "20", "50", "100"};
    const size_t before = s->variant_count;
    const double steps = cli_option_number(base->train, "steps");
    size_t count = 0;
    while (count < CLI_COUNT(usual) && strtod(usual[count], NULL) < steps) count++;
    int code = expand_values(s, base, usual, count);
    if (!code && !s->value_count) code = study_add(s, base, "window", "all", NULL);
    for (size_t i = before; i < s->variant_count; i++)
        if (cli_option_is(s->variants[i].train, "window", "all")) s->variants[i].x = steps;
    return code;
}

static int expand_hops(study *s, const study_variant *base)
{
    static const char *const usual[] = {"1", "2", "3"};
    return expand_values(s, base, usual, CLI_COUNT(usual));
}

enum { FEWEST_STEPS = 10 }; /* with which every part has some */

/* Around the number of steps that the model or the user has: a quarter, a half, as many, two and four times. */
static int expand_interval(study *s, const study_variant *base)
{
    const size_t before = s->variant_count;
    const int64_t steps = (int64_t)cli_option_number(base->train, "steps");
    int64_t last = 0;
    int code = s->value_count ? expand_values(s, base, NULL, 0) : CLI_OK;
    for (int64_t quarter = 1; quarter <= 16 && !s->value_count && !code; quarter *= 2) {
        const int64_t some = steps * quarter / 4 < FEWEST_STEPS ? FEWEST_STEPS : steps * quarter / 4;
        if (some == last) continue;
        last = some;
        code = study_add(s, base, "steps", cli_text("%lld", (long long)some), NULL);
    }
    for (size_t i = before; i < s->variant_count; i++)
        s->variants[i].x = 100 / cli_option_number(s->variants[i].train, "steps");
    return code;
}

/* ---- efficiency: the same on 1/8, 1/4, 1/2 and all of the events ---- */

/* A few epochs tell how long one takes, and none of them is to be the last for want of a better score. */
static int limit_epochs(const study *s, scadyg_options *train)
{
    char epochs[CLI_TEXT] = "3";
    if (!cli_option_find(train, "epochs")) return CLI_OK;
    if (cli_given_text(s->call, "epochs")) scadyg_options_get(train, "epochs", epochs, sizeof epochs);
    if (scadyg_options_set(train, "epochs", epochs, s->call->error) ||
        scadyg_options_set(train, "patience", epochs, s->call->error))
        return cli_failed(s->call, NULL);
    return CLI_OK;
}

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
        study_variant part = *base, *added = NULL;
        part.share = parts[i].share;
        snprintf(part.label, sizeof part.label, "%s", parts[i].label);
        const size_t used = strlen(part.name);
        snprintf(part.name + used, sizeof part.name - used, "-%s", parts[i].name);
        code = study_add(s, &part, NULL, NULL, &added);
        if (!code) code = limit_epochs(s, added->train);
    }
    return code;
}

/* ---- The table ---- */

const study_kind study_kinds[] = {
    {.name = "compare",
     .summary = "models beside all baselines: MRR, AP and AUC under each protocol and pool",
     .models = "scadyg,scadyg-paper",
     .rules = 1,
     .expand = expand_alone},
    {.name = "ablation",
     .summary = "each model whole and without each of its parts; --values says which",
     .models = "scadyg,scadyg-paper",
     .varied = "without",
     .parts = 1,
     .expand = expand_ablation},
    {.name = "steps",
     .summary = "the paper's historical steps: messages of the latest 1, 2, 5, ... steps (--window)",
     .paper = 1,
     .models = "scadyg-paper",
     .varied = "window",
     .expand = expand_steps},
    {.name = "hops",
     .summary = "messages over 1, 2 and 3 hops (--hops)",
     .paper = 1,
     .models = "scadyg-paper",
     .varied = "hops",
     .expand = expand_hops},
    {.name = "interval",
     .summary = "the length of a step: from a quarter of --steps to four times as many",
     .paper = 1,
     .models = "scadyg,scadyg-paper",
     .varied = "steps",
     .expand = expand_interval},
    {.name = "efficiency",
     .summary = "seconds, memory and parameters, and how they grow from 1/8 of the events to all",
     .models = "scadyg,scadyg-paper",
     .apart = 1,
     .costs = study_efficiency_costs,
     .expand = expand_efficiency},
    {.name = "convergence",
     .summary = "the validation score against seconds of training",
     .models = "scadyg,scadyg-paper",
     .costs = study_convergence_costs,
     .expand = expand_alone},
    {.name = "weights",
     .summary = "the matrices of single nodes as heat maps, their drift, and how long each node remembers",
     .paper = 1,
     .models = "scadyg-paper", /* the default one has no matrices */
     .expand = expand_alone,
     .look = study_look_at_weights},
};
const size_t study_kind_count = CLI_COUNT(study_kinds);

/* For the help: all of the table, and the one that is a list of the others. */
const char *study_kind_name(const cli_tables *tables, size_t i, const char **summary)
{
    (void)tables;
    if (i > study_kind_count) return NULL;
    if (summary)
        *summary = i < study_kind_count
                       ? study_kinds[i].summary
                       : "the studies of a list such as bench/published.tsv, on the files in --data DIR";
    return i < study_kind_count ? study_kinds[i].name : "run";
}
