/*
 * Baselines for links: rules without training, streaming over the events. Each is exact about what it may see: the
 * first `seen` events of a question and nothing else. Ties are left as ties.
 */
#include "models/baselines/rules.h"

#include "base/memory.h"
#include "models/kind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Share of the training time that edgebank-window looks back, and of the events that edgebank-recent does. */
#define WINDOW 0.15

/* markov, item-knn: what is known of the way to a destination counts at least this, and popularity alone less. */
#define LEAST_SHARE 1e-100

typedef struct link_state {
    const sg_rule *rule;
    const sg_columns *columns; /* which may grow */
    double window;             /* of edgebank-window */
    uint64_t seen;             /* events taken in */
    sg_past *past;             /* shared, or &own */
    sg_past own;
} link_state;

/* ---- The rules ---- */

static void score_popularity(const void *context, const sg_question *question)
{
    const link_state *state = context;
    double factor = sg_past_decay(state->past, question->at);
    for (size_t i = 0; i < question->count; i++)
        question->score[i] = state->past->popularity.of[question->dst[i]] * factor;
}

/* Squeezed into [0, 1), in the same order. */
static double squeeze_popularity(double popularity)
{
    return popularity / (1 + popularity);
}

/* The number of contacts, plus popularity below 1. */
static void score_pair_then_popularity(const void *context, const sg_question *question)
{
    const link_state *state = context;
    double factor = sg_past_decay(state->past, question->at);
    for (size_t i = 0; i < question->count; i++) {
        const uint64_t contacts = sg_contacts_count(&state->past->contacts, question->src[i], question->dst[i]);
        question->score[i] =
            (double)contacts + squeeze_popularity(state->past->popularity.of[question->dst[i]] * factor);
    }
}

/* The share of the transition, or popularity below the share of any. */
static void score_markov(const void *context, const sg_question *question)
{
    const link_state *state = context;
    double factor = sg_past_decay(state->past, question->at);
    for (size_t i = 0; i < question->count; i++) {
        const double share = sg_transitions_share(&state->past->transitions, question->src[i], question->dst[i]);
        if (share >= 0)
            question->score[i] = share > LEAST_SHARE ? share : LEAST_SHARE;
        else
            question->score[i] =
                squeeze_popularity(state->past->popularity.of[question->dst[i]] * factor) * LEAST_SHARE;
    }
}

/* The shrunk cosine with where the source has been, or popularity below that of any; a run of pairs of one source at once. */
static void score_item_knn(const void *context, const sg_question *question)
{
    const link_state *state = context;
    const sg_popularities popularities = {state->past->popularity.of, sg_past_decay(state->past, question->at)};
    for (size_t begin = 0, end; begin < question->count; begin = end) {
        const uint32_t source = question->src[begin];
        for (end = begin + 1; end < question->count && question->src[end] == source;) end++;
        sg_neighbours_score(&state->past->neighbours, question->at, popularities, source, question->dst + begin,
                            end - begin, question->score + begin);
    }
    for (size_t i = 0; i < question->count; i++) {
        double *score = &question->score[i];
        if (*score <= 0)
            *score = squeeze_popularity(state->past->popularity.of[question->dst[i]] * popularities.factor) *
                     LEAST_SHARE;
        else if (*score < LEAST_SHARE)
            *score = LEAST_SHARE;
    }
}

/* Whom the source has met, by when it last did; then the others, below 1. */
static void score_repeat_then_neighbours(const void *context, const sg_question *question)
{
    const link_state *state = context;
    score_item_knn(context, question);
    for (size_t i = 0; i < question->count; i++) {
        const uint64_t contact = sg_contacts_last(&state->past->contacts, question->src[i], question->dst[i]);
        double *score = &question->score[i];
        *score = contact ? (double)contact : *score / (1 + *score);
    }
}

/*
 * Recency goes by the pair in either direction: whoever was written to writes back. Contacts have positive scores,
 * ascending in time; all others negative ones. Whole numbers, so ties are exact.
 */
static void score_recency(const void *context, const sg_question *question)
{
    const link_state *state = context;
    for (size_t i = 0; i < question->count; i++) {
        const uint64_t there = sg_contacts_last(&state->past->contacts, question->src[i], question->dst[i]);
        const uint64_t back = sg_contacts_last(&state->past->contacts, question->dst[i], question->src[i]);
        const uint64_t contact = there > back ? there : back;
        question->score[i] =
            contact ? (double)contact : (double)state->past->popularity.active[question->dst[i]] - 0x1p52;
    }
}

/* ---- EdgeBank and DyGLib's other kinds of it ---- */

static void score_edgebank(const void *context, const sg_question *question)
{
    const link_state *state = context;
    sg_edgebank_score(&state->past->contacts, -INFINITY, question);
}

static void score_edgebank_window(const void *context, const sg_question *question)
{
    const link_state *state = context;
    sg_edgebank_score(&state->past->contacts, question->at - state->window, question);
}

static void score_edgebank_recent(const void *context, const sg_question *question)
{
    const link_state *state = context;
    const sg_contacts *contacts = &state->past->contacts;
    sg_edgebank_score(contacts, sg_edgebank_lately(contacts, WINDOW), question);
}

static void score_edgebank_interval(const void *context, const sg_question *question)
{
    const link_state *state = context;
    sg_edgebank_score(&state->past->contacts, sg_intervals_since(&state->past->intervals), question);
}

static void score_edgebank_repeated(const void *context, const sg_question *question)
{
    const link_state *state = context;
    sg_edgebank_score_repeated(&state->past->contacts, question);
}

const sg_rule sg_link_rules[SG_LINK_RULES] = {
    {"popularity", SG_KEEPS_POPULARITY, score_popularity},
    {"edgebank", SG_KEEPS_CONTACTS, score_edgebank},
    {"edgebank-window", SG_KEEPS_CONTACTS, score_edgebank_window},
    {"pair-recency", SG_KEEPS_CONTACTS | SG_KEEPS_ACTIVITY, score_recency},
    {"pair-then-popularity", SG_KEEPS_CONTACTS | SG_KEEPS_POPULARITY, score_pair_then_popularity},
    {"markov", SG_KEEPS_TRANSITIONS | SG_KEEPS_POPULARITY, score_markov},
    {"item-knn", SG_KEEPS_NEIGHBOURS | SG_KEEPS_POPULARITY, score_item_knn},
    {"repeat-then-neighbours", SG_KEEPS_CONTACTS | SG_KEEPS_NEIGHBOURS | SG_KEEPS_POPULARITY,
     score_repeat_then_neighbours},
    {"edgebank-recent", SG_KEEPS_CONTACTS, score_edgebank_recent},
    {"edgebank-interval", SG_KEEPS_CONTACTS | SG_KEEPS_INTERVALS, score_edgebank_interval},
    {"edgebank-repeated", SG_KEEPS_CONTACTS, score_edgebank_repeated},
};

const sg_rule *sg_link_rule_find(const char *name)
{
    for (size_t i = 0; i < SG_LINK_RULES; i++)
        if (strcmp(sg_link_rules[i].name, name) == 0) return &sg_link_rules[i];
    return NULL;
}

/* ---- As a scorer ---- */

static int score_rule(void *context, const sg_question *question, scadyg_error *error)
{
    link_state *state = context;
    int status = SCADYG_OK;
    if (question->seen < state->seen || question->seen > state->columns->count)
        return sg_fail(error, SCADYG_E_USAGE,
                       "a baseline was asked about the past or about events that are not there");
    state->seen = question->seen;
    status = sg_past_follow(state->past, state->rule->keeps, state->seen, error);
    if (!status) state->rule->score(state, question);
    return status;
}

static int rewind_rule(void *context, scadyg_error *error)
{
    (void)error;
    link_state *state = context;
    state->seen = 0;
    sg_past_rewind(state->past, state->rule->keeps);
    return SCADYG_OK;
}

static void close_rule(void *context)
{
    link_state *state = context;
    sg_past_close(&state->own);
    free(state);
}

int sg_link_rule_open(const sg_rule *rule, const sg_columns *columns, uint64_t nodes, double range, sg_past *past,
                      sg_scorer *scorer, scadyg_error *error)
{
    link_state *state = sg_alloc_zero(1, sizeof *state);
    if (!state) return sg_fail_memory(error, "a baseline");
    *state = (link_state){.rule = rule, .columns = columns, .past = past};
    state->window = range > 0 ? WINDOW * range : 0;
    int status = SCADYG_OK;
    if (!past) {
        state->past = &state->own;
        status = sg_past_open(&state->own, NULL, columns, nodes, range, rule->keeps, error);
    }
    if (status) {
        close_rule(state);
        return status;
    }
    (void)rewind_rule(state, error);
    *scorer = (sg_scorer){
        .name = rule->name, .context = state, .rewind = rewind_rule, .score = score_rule, .close = close_rule};
    return SCADYG_OK;
}

/* ---- As model kinds ---- */

typedef struct rule_options {
    sg_train_options train;
} rule_options;

static int open_rule(const sg_kind *kind, sg_view *view, sg_scorer *scorer, scadyg_error *error)
{
    const scadyg_model *model = view->model;
    return sg_link_rule_open(sg_link_rule_find(kind->shown.name), view->columns, view->nodes,
                             model->train_end - model->trained_on.origin, view->past, scorer, error);
}

static int check_options(const void *values, scadyg_error *error)
{
    return sg_check_split(values, error);
}

/* Where the parts are cut matters: some rules go by a share of the training part. */
#define LINK_RULE_UNDER(only_, symbol, name_, summary_)                                                            \
    static const sg_option symbol##_table[] = {SG_ROWS_KIND(rule_options, name_, "link"),                          \
                                               SG_MESSAGES_STEP_OPTIONS(rule_options, train.messages),             \
                                               SG_ROWS_SPLIT(rule_options)};                                       \
    static const sg_option_set symbol##_set = SG_OPTION_SET(name_, symbol##_table, rule_options, check_options);   \
    const sg_kind sg_kind_##symbol = {.shown = {name_, "link", summary_, 0},                                       \
                                      .task = SG_TASK_LINK,                                                        \
                                      .options = &symbol##_set,                                                    \
                                      .reads = SG_READS_STEPS,                                                     \
                                      .scorer_open = open_rule,                                                    \
                                      .only = only_}
#define LINK_RULE(symbol, name_, summary_) LINK_RULE_UNDER(SG_PROTOCOL_AUTO, symbol, name_, summary_)

LINK_RULE(popularity, "popularity", "baseline: how often the destination was chosen, of late more than long ago");
LINK_RULE(edgebank, "edgebank", "baseline: whether the source has met the destination");
LINK_RULE(edgebank_window, "edgebank-window", "baseline: whether it has within the last 15 % of the training time");
LINK_RULE(pair_recency, "pair-recency",
          "baseline: when the two last met, in either direction; else who was active last");
LINK_RULE(pair_then_popularity, "pair-then-popularity",
          "baseline: how often the source met the destination; else popularity");
LINK_RULE(markov, "markov", "baseline: where sources went on to from where this source was last; else popularity");
LINK_RULE(item_knn, "item-knn",
          "baseline: where sources went on to from the last places of this source; else popularity");
LINK_RULE(repeat_then_neighbours, "repeat-then-neighbours",
          "baseline: whom the source has met, the latest first; then as item-knn");

/* DyGLib's other kinds of EdgeBank, which stand in its own tables. */
LINK_RULE_UNDER(SG_PROTOCOL_DYGLIB, edgebank_recent, "edgebank-recent",
                "baseline: whether it has within the last 15 % of the events");
LINK_RULE_UNDER(SG_PROTOCOL_DYGLIB, edgebank_interval, "edgebank-interval",
                "baseline: whether it has within the mean interval of pairs that met");
LINK_RULE_UNDER(SG_PROTOCOL_DYGLIB, edgebank_repeated, "edgebank-repeated",
                "baseline: whether it has at least as often as pairs do on average");
