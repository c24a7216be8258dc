/*
 * Presets: sets of option values. docs/presets.md says where each figure is from.
 *
 * The settings of a preset are pairs of an option's name and its text, as on the command line; those of `paper` come
 * first in every one but `default`.
 */
#include "model/options.h"

#include <string.h>

#define SETTINGS_MOST 10

typedef struct setting {
    const char *name, *value;
} setting;

typedef struct preset {
    const char *name, *summary;
    setting settings[SETTINGS_MOST + 1]; /* ends with a NULL name */
} preset;

/* What is recommended for any data: the defaults of the table, so that no preset is needed for it. */
static const setting recommended[] = {
    {"model", "scadyg"},      {"head", "pair"},        {"freshness", "step"}, {"without", "none"},
    {"hidden", "auto"},       {"walk-width", "auto"},  {"lr", "0.002"},       {"lr-decay", "0.8"},
    {"weight-decay", "1e-5"}, {"averaging", "0.99"},   {"batch", "200"},      {"epochs", "20"},
    {"patience", "4"},        {"train-pool", "mixed"}, {"negatives", "5"},    {"historical", "0.1"},
    {"binary", "0.5"},
};

/* The paper's general rules, as far as they are the same for every dataset. */
static const setting general[] = {
    {"model", "scadyg"},
    {"step-rule", "equal-time"},
    {"hops", "1"},
    {"gamma0", "auto"}, /* 1 / time range */
    {"window", "all"},
    {"node-features", "none"},
    {"repeat", "8"},
    {"freshness", "step"},
    {"normalise", "none"},
    {"head", "paper"},
    {"without", "none"},
    {"hidden", "auto"},
    {"lr", "0.003"},
    {"weight-decay", "1e-4"},
    {"batch", "128"},
    {"epochs", "100"},
    {"patience", "10"},
    {"train-pool", "any"},
    {"split", "steps"},
    {"train-share", "0.7"},
    {"validation-share", "0.15"},
};

static const preset presets[] = {
    {"default", "pair and walk messages; the same as no preset", {{NULL, NULL}}},
    {"paper",
     "the paper's general rules; no learning rate or window is published for all data: lr 0.003, window all",
     {{NULL, NULL}}},
    {"paper:mooc",
     "all settings as published; steps of equal counts, as the released data has them",
     {{"task", "link"},
      {"steps", "100"},
      {"step-rule", "equal-count"},
      {"window", "9"},
      {"gamma0", "5.6790098270506866e-08"},
      {"lr", "0.0034562317384750716"}}},
    {"paper:uci",
     "all settings as published",
     {{"task", "link"},
      {"steps", "273"},
      {"window", "10"},
      {"gamma0", "9.796232886499929e-07"},
      {"lr", "0.004633535643731563"}}},
    {"paper:bitcoinalpha",
     "all settings as published",
     {{"task", "link"},
      {"steps", "226"},
      {"window", "39"},
      {"gamma0", "9.772233221749005e-07"},
      {"lr", "0.03371303354056322"}}},
    {"paper:enron",
     "all settings as published, with normalise log, without which it does not learn; --lr 0.001 is better",
     {{"task", "link"},
      {"steps", "100"},
      {"window", "24"},
      {"gamma0", "8.801956776817994e-07"},
      {"lr", "0.024951393100015522"},
      {"node-features", "onehot"},
      {"normalise", "log"}}},
    {"paper:lastfm",
     "all settings as published",
     {{"task", "link"},
      {"steps", "500"},
      {"window", "32"},
      {"gamma0", "2.2661581547411702e-07"},
      {"lr", "0.002758079478978358"}}},
    {"paper:unvote",
     "all settings as published; the rate is for times in years",
     {{"task", "link"},
      {"steps", "72"},
      {"window", "10"},
      {"gamma0", "0.22661581547411702"},
      {"lr", "0.002758079478978358"}}},
    {"paper:reddit-title",
     "all settings as published, with normalise log for the large sums of 128 node features",
     {{"task", "link"},
      {"steps", "178"},
      {"window", "36"},
      {"gamma0", "9.063130587806096e-06"},
      {"lr", "0.0005502332748490608"},
      {"node-features", "random:128"},
      {"normalise", "log"}}},
    {"paper:stackoverflow",
     "steps as published; rate, learning rate and window are not: the general rules",
     {{"task", "link"}, {"steps", "91"}}},
    {"paper:trade",
     "as published, with normalise log-standard, without which it does not learn; the rate is for times in years",
     {{"task", "affinity"},
      {"steps", "30"},
      {"window", "26"},
      {"gamma0", "0.034143450512559376"},
      {"lr", "0.00886572355558703"},
      {"node-features", "onehot"},
      {"normalise", "log-standard"}}},
    {"paper:genre",
     "steps and node features as published, the rest by the general rules; normalise log-standard for the large "
     "sums",
     {{"task", "affinity"}, {"steps", "1580"}, {"node-features", "random:128"}, {"normalise", "log-standard"}}},
    {"paper:reddit",
     "steps and node features as published, the rest by the general rules; normalise log-standard for the large "
     "sums",
     {{"task", "affinity"}, {"steps", "1090"}, {"node-features", "random:128"}, {"normalise", "log-standard"}}},
    {"paper:token",
     "steps and node features as published, the rest by the general rules; normalise log-standard for the large "
     "sums",
     {{"task", "affinity"}, {"steps", "785"}, {"node-features", "random:128"}, {"normalise", "log-standard"}}},
};

#define PRESETS (sizeof presets / sizeof *presets)

const char *scadyg_preset_name(size_t i, const char **summary)
{
    if (i >= PRESETS) return NULL;
    if (summary) *summary = presets[i].summary;
    return presets[i].name;
}

/* How many letters two words do not share at their ends: enough to find the preset somebody meant. */
static size_t unlike(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), begin = 0, end = 0;
    while (begin < n && begin < m && a[begin] == b[begin]) begin++;
    while (end < n - begin && end < m - begin && a[n - 1 - end] == b[m - 1 - end]) end++;
    const size_t left = n - begin - end, right = m - begin - end;
    if (n >= 2 && begin == n && m > n) return 1; /* cut short */
    return left > right ? left : right;
}

/* The name somebody most likely meant: also one given without "paper:". */
static const char *nearest(const char *name)
{
    const char *best = NULL;
    size_t least = (size_t)-1;
    for (size_t i = 0; i < PRESETS; i++) {
        const char *colon = strchr(presets[i].name, ':');
        size_t distance = unlike(name, presets[i].name);
        if (colon && unlike(name, colon + 1) < distance) distance = unlike(name, colon + 1);
        if (distance >= least) continue;
        least = distance;
        best = presets[i].name;
    }
    return best;
}

/* The settings of presets are right: a test applies them all. */
static int apply(const setting *s, scadyg_train_options *options, scadyg_error *error)
{
    return scadyg_option_set(sg_train_option(s->name, strlen(s->name)), options, s->value, error);
}

int scadyg_preset_apply(const char *name, scadyg_train_options *options, scadyg_error *error)
{
    const preset *found = NULL;
    for (size_t i = 0; i < PRESETS && !found; i++)
        if (strcmp(presets[i].name, name) == 0) found = &presets[i];
    if (!found)
        return sg_fail(error, SCADYG_E_USAGE, "there is no preset '%s'; did you mean %s?", name, nearest(name));
    int status = SCADYG_OK;
    const int paper = found != &presets[0];
    const setting *base = paper ? general : recommended;
    const size_t settings = paper ? sizeof general / sizeof *general : sizeof recommended / sizeof *recommended;
    for (size_t i = 0; i < settings && !status; i++) status = apply(&base[i], options, error);
    for (const setting *s = found->settings; s->name && !status; s++) status = apply(s, options, error);
    return status;
}
