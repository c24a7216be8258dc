/*
 * Baselines for links: rules without training, streaming over the events. Each is exact about what it may see: the
 * first `seen` events of a question and nothing else. Ties are left as ties.
 */
#include "models/baselines/rules.h"

#include "base/memory.h"
#include "models/baselines/transitions.h"
#include "models/kind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Half of a popularity, and of a transition, is forgotten in this share of the training time. */
#define HALF_LIFE 0.02

/* Share of the training time that edgebank-window looks back, and of the events that edgebank-recent does. */
#define WINDOW 0.15

/* Popularities are kept relative to a reference time, so that decay costs nothing; it moves on after this decay. */
#define MOST_DECAY 200.0

/* markov, item-knn: what is known of the way to a destination counts at least this, and popularity alone less. */
#define LEAST_SHARE 1e-100

/* What a rule needs of the past. */
enum {
    KEEPS_POPULARITY = 1,
    KEEPS_ACTIVITY = 2,
    KEEPS_CONTACTS = 4,
    KEEPS_TRANSITIONS = 8,
    KEEPS_NEIGHBOURS = 16,
    KEEPS_INTERVALS = 32,
    KEEPS_SHARED = KEEPS_CONTACTS | KEEPS_NEIGHBOURS
};

/* ---- What is kept of the past ---- */

typedef struct link_state {
    const sg_rule *rule;
    const sg_columns *columns; /* which may grow */
    uint64_t nodes;
    double rate;   /* of decay */
    double window; /* of edgebank-window */
    uint64_t seen; /* events taken in */
    uint64_t
        now; /* the first event at the time of the last one taken in: a whole number that stands for its time */
    double reference;
    double *popularity; /* [nodes], at the reference time */
    uint64_t *active;   /* [nodes]: 1 + the `now` of the last event of a node, 0: none */
    sg_past *past;      /* shared, or &own */
    sg_past own;
    sg_transitions transitions;
    sg_intervals intervals;
} link_state;

static double rate_of_decay(double range)
{
    return range > 0 ? log(2) / (HALF_LIFE * range) : 0;
}

/* What of it rules keep. */
static int open_past(sg_past *past, const sg_columns *columns, uint64_t nodes, double rate, unsigned keeps,
                     scadyg_error *error)
{
    int status = SCADYG_OK;
    *past = (sg_past){0};
    if (keeps & KEEPS_CONTACTS) status = sg_contacts_open(&past->contacts, columns, error);
    if (!status && keeps & KEEPS_NEIGHBOURS)
        status = sg_neighbours_open(&past->neighbours, columns, nodes, rate, error);
    return status;
}

int sg_past_open(sg_past *past, const sg_columns *columns, uint64_t nodes, double range, scadyg_error *error)
{
    return open_past(past, columns, nodes, rate_of_decay(range), KEEPS_SHARED, error);
}

void sg_past_close(sg_past *past)
{
    sg_contacts_close(&past->contacts);
    sg_neighbours_close(&past->neighbours);
}

static void move_reference(link_state *state, double time)
{
    double factor = exp(-state->rate * (time - state->reference));
    for (uint64_t i = 0; i < state->nodes; i++) state->popularity[i] *= factor;
    state->reference = time;
}

static void add_popularity(link_state *state, uint64_t e)
{
    double time = state->columns->time[e];
    if (state->rate * (time - state->reference) > MOST_DECAY) move_reference(state, time);
    state->popularity[state->columns->dst[e]] += exp(state->rate * (time - state->reference));
}

static void add_event(link_state *state, uint64_t e)
{
    const double *time = state->columns->time;
    sg_columns_pass(state->columns, e, 2 * sizeof *state->columns->src + sizeof *time);
    if (e == 0 || time[e] != time[e - 1]) state->now = e;
    if (state->popularity) add_popularity(state, e);
    if (state->active)
        state->active[state->columns->src[e]] = state->active[state->columns->dst[e]] = state->now + 1;
}

/* ---- The rules ---- */

/* Popularity of a node at a time is popularity[node] times this. */
static double decay_until(const link_state *state, double at)
{
    double decay = state->rate * (at - state->reference);
    return exp(-(decay < 2 * MOST_DECAY ? decay : 2 * MOST_DECAY)); /* in the far future order still counts */
}

static void score_popularity(const void *context, const sg_question *question)
{
    const link_state *state = context;
    double factor = decay_until(state, question->at);
    for (size_t i = 0; i < question->count; i++) question->score[i] = state->popularity[question->dst[i]] * factor;
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
    double factor = decay_until(state, question->at);
    for (size_t i = 0; i < question->count; i++) {
        const uint64_t contacts = sg_contacts_count(&state->past->contacts, question->src[i], question->dst[i]);
        question->score[i] = (double)contacts + squeeze_popularity(state->popularity[question->dst[i]] * factor);
    }
}

/* The share of the transition, or popularity below the share of any. */
static void score_markov(const void *context, const sg_question *question)
{
    const link_state *state = context;
    double factor = decay_until(state, question->at);
    for (size_t i = 0; i < question->count; i++) {
        const double share = sg_transitions_share(&state->transitions, question->src[i], question->dst[i]);
        if (share >= 0)
            question->score[i] = share > LEAST_SHARE ? share : LEAST_SHARE;
        else
            question->score[i] = squeeze_popularity(state->popularity[question->dst[i]] * factor) * LEAST_SHARE;
    }
}

/* The shrunk cosine with where the source has been, or popularity below that of any; a run of pairs of one source at once. */
static void score_item_knn(const void *context, const sg_question *question)
{
    const link_state *state = context;
    const sg_popularities popularities = {state->popularity, decay_until(state, question->at)};
    for (size_t begin = 0, end; begin < question->count; begin = end) {
        const uint32_t source = question->src[begin];
        for (end = begin + 1; end < question->count && question->src[end] == source;) end++;
        sg_neighbours_score(&state->past->neighbours, question->at, popularities, source, question->dst + begin,
                            end - begin, question->score + begin);
    }
    for (size_t i = 0; i < question->count; i++) {
        double *score = &question->score[i];
        if (*score <= 0)
            *score = squeeze_popularity(state->popularity[question->dst[i]] * popularities.factor) * LEAST_SHARE;
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
        question->score[i] = contact ? (double)contact : (double)state->active[question->dst[i]] - 0x1p52;
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
    sg_edgebank_score(&state->past->contacts, sg_intervals_since(&state->intervals), question);
}

static void score_edgebank_repeated(const void *context, const sg_question *question)
{
    const link_state *state = context;
    sg_edgebank_score_repeated(&state->past->contacts, question);
}

const sg_rule sg_link_rules[SG_LINK_RULES] = {
    {"popularity", KEEPS_POPULARITY, score_popularity},
    {"edgebank", KEEPS_CONTACTS, score_edgebank},
    {"edgebank-window", KEEPS_CONTACTS, score_edgebank_window},
    {"pair-recency", KEEPS_CONTACTS | KEEPS_ACTIVITY, score_recency},
    {"pair-then-popularity", KEEPS_CONTACTS | KEEPS_POPULARITY, score_pair_then_popularity},
    {"markov", KEEPS_TRANSITIONS | KEEPS_POPULARITY, score_markov},
    {"item-knn", KEEPS_NEIGHBOURS | KEEPS_POPULARITY, score_item_knn},
    {"repeat-then-neighbours", KEEPS_CONTACTS | KEEPS_NEIGHBOURS | KEEPS_POPULARITY, score_repeat_then_neighbours},
    {"edgebank-recent", KEEPS_CONTACTS, score_edgebank_recent},
    {"edgebank-interval", KEEPS_CONTACTS | KEEPS_INTERVALS, score_edgebank_interval},
    {"edgebank-repeated", KEEPS_CONTACTS, score_edgebank_repeated},
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
    if (state->popularity || state->active)
        for (uint64_t e = state->seen; e < question->seen; e++) add_event(state, e);
    state->seen = question->seen;
    if (state->rule->keeps & KEEPS_CONTACTS)
        status = sg_contacts_follow(&state->past->contacts, state->seen, error);
    if (!status && state->rule->keeps & KEEPS_NEIGHBOURS)
        status = sg_neighbours_follow(&state->past->neighbours, state->seen, error);
    if (!status && state->rule->keeps & KEEPS_TRANSITIONS)
        status = sg_transitions_follow(&state->transitions, state->seen, error);
    if (!status && state->rule->keeps & KEEPS_INTERVALS)
        status = sg_intervals_follow(&state->intervals, state->seen, error);
    if (!status) state->rule->score(state, question);
    return status;
}

static int rewind_rule(void *context, scadyg_error *error)
{
    (void)error;
    link_state *state = context;
    state->seen = state->now = 0;
    state->reference = state->columns->count ? state->columns->time[0] : 0;
    if (state->popularity) memset(state->popularity, 0, (size_t)state->nodes * sizeof *state->popularity);
    if (state->active) memset(state->active, 0, (size_t)state->nodes * sizeof *state->active);
    if (state->rule->keeps & KEEPS_TRANSITIONS) sg_transitions_rewind(&state->transitions);
    if (state->rule->keeps & KEEPS_INTERVALS) sg_intervals_rewind(&state->intervals);
    if (state->rule->keeps & KEEPS_CONTACTS) sg_contacts_rewind(&state->past->contacts);
    if (state->rule->keeps & KEEPS_NEIGHBOURS) sg_neighbours_rewind(&state->past->neighbours);
    return SCADYG_OK;
}

static void close_rule(void *context)
{
    link_state *state = context;
    SG_FREE(state->popularity, state->active);
    sg_past_close(&state->own);
    sg_transitions_close(&state->transitions);
    sg_intervals_close(&state->intervals);
    free(state);
}

static int open_state(link_state *state, scadyg_error *error)
{
    const unsigned keeps = state->rule->keeps;
    if (keeps & KEEPS_POPULARITY) {
        state->popularity = sg_alloc_zero((size_t)state->nodes, sizeof *state->popularity);
        if (!state->popularity) return sg_fail_memory(error, "a baseline");
    }
    if (keeps & KEEPS_ACTIVITY) {
        state->active = sg_alloc_zero((size_t)state->nodes, sizeof *state->active);
        if (!state->active) return sg_fail_memory(error, "a baseline");
    }
    if (keeps & KEEPS_TRANSITIONS) {
        int status = sg_transitions_open(&state->transitions, state->columns, state->nodes, state->rate, error);
        if (status) return status;
    }
    if (keeps & KEEPS_INTERVALS) {
        int status = sg_intervals_open(&state->intervals, state->columns, error);
        if (status) return status;
    }
    if (state->past) return SCADYG_OK;
    state->past = &state->own;
    return open_past(&state->own, state->columns, state->nodes, state->rate, keeps, error);
}

int sg_link_rule_open(const sg_rule *rule, const sg_columns *columns, uint64_t nodes, double range, sg_past *past,
                      sg_scorer *scorer, scadyg_error *error)
{
    link_state *state = sg_alloc_zero(1, sizeof *state);
    if (!state) return sg_fail_memory(error, "a baseline");
    *state = (link_state){.rule = rule, .columns = columns, .nodes = nodes, .past = past};
    state->window = range > 0 ? WINDOW * range : 0;
    state->rate = rate_of_decay(range);
    int status = open_state(state, error);
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
