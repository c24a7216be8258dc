/*
 * Heuristics for links: rules without training, streaming over the events. Each is exact about what it may see: the
 * first `seen` events of a block and nothing else. Ties are left as ties.
 */
#include "base/memory.h"
#include "evaluate/evaluate.h"
#include "evaluate/contacts.h"
#include "evaluate/transitions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Half of a popularity, and of a transition, is forgotten in this share of the training time. */
#define HALF_LIFE 0.02

/* Share of the training time that edgebank-window looks back. */
#define WINDOW 0.15

/* Popularities are kept relative to a reference time, so that decay costs nothing; it moves on after this decay. */
#define MOST_DECAY 200.0

/* markov: the share of a transition is not counted as less, and a popularity is worth less than this. */
#define LEAST_SHARE 1e-100

const int sg_link_heuristics[SG_LINK_HEURISTICS] = {
    SCADYG_MODEL_POPULARITY,           SCADYG_MODEL_EDGEBANK,
    SCADYG_MODEL_EDGEBANK_WINDOW,      SCADYG_MODEL_PAIR_RECENCY,
    SCADYG_MODEL_PAIR_THEN_POPULARITY, SCADYG_MODEL_MARKOV,
};

typedef struct heuristic {
    int kind;
    sg_columns columns;
    uint64_t nodes;
    double rate;   /* of decay */
    double window; /* of edgebank-window */
    uint64_t seen; /* events taken in */
    uint64_t
        now; /* the first event at the time of the last one taken in: a whole number that stands for its time */
    double reference;
    double *popularity;    /* [nodes], at the reference time */
    uint64_t *active;      /* [nodes]: 1 + the `now` of the last event of a node, 0: none */
    sg_contacts *contacts; /* shared, or &own */
    sg_contacts own;
    sg_transitions transitions;
} heuristic;

static int needs_popularity(int kind)
{
    return kind == SCADYG_MODEL_POPULARITY || kind == SCADYG_MODEL_PAIR_THEN_POPULARITY ||
           kind == SCADYG_MODEL_MARKOV;
}

static int needs_contacts(int kind)
{
    return kind != SCADYG_MODEL_POPULARITY && kind != SCADYG_MODEL_MARKOV;
}

static void move_reference(heuristic *h, double time)
{
    double factor = exp(-h->rate * (time - h->reference));
    for (uint64_t i = 0; i < h->nodes; i++) h->popularity[i] *= factor;
    h->reference = time;
}

static void take_popularity(heuristic *h, uint64_t e)
{
    double time = h->columns.time[e];
    if (h->rate * (time - h->reference) > MOST_DECAY) move_reference(h, time);
    h->popularity[h->columns.dst[e]] += exp(h->rate * (time - h->reference));
}

static void take_event(heuristic *h, uint64_t e)
{
    const double *time = h->columns.time;
    if (e == 0 || time[e] != time[e - 1]) h->now = e;
    if (h->popularity) take_popularity(h, e);
    if (h->active) h->active[h->columns.src[e]] = h->active[h->columns.dst[e]] = h->now + 1;
}

/* Popularity of a node at the block's time is popularity[node] times this. */
static double decay_until(const heuristic *h, double at)
{
    double decay = h->rate * (at - h->reference);
    return exp(-(decay < 2 * MOST_DECAY ? decay : 2 * MOST_DECAY)); /* in the far future order still counts */
}

static void score_popularity(const heuristic *h, const sg_question *block)
{
    double factor = decay_until(h, block->at);
    for (size_t i = 0; i < block->count; i++) block->score[i] = h->popularity[block->dst[i]] * factor;
}

/* Squeezed into [0, 1), in the same order. */
static double squeeze(double popularity)
{
    return popularity / (1 + popularity);
}

/* The number of contacts, plus popularity below 1. */
static void score_pair_then_popularity(const heuristic *h, const sg_question *block)
{
    double factor = decay_until(h, block->at);
    for (size_t i = 0; i < block->count; i++) {
        const uint64_t contacts = sg_contacts_count(h->contacts, block->src[i], block->dst[i]);
        block->score[i] = (double)contacts + squeeze(h->popularity[block->dst[i]] * factor);
    }
}

/* The share of the transition, or popularity below the share of any. */
static void score_markov(const heuristic *h, const sg_question *block)
{
    double factor = decay_until(h, block->at);
    for (size_t i = 0; i < block->count; i++) {
        const double share = sg_transitions_share(&h->transitions, block->src[i], block->dst[i]);
        if (share >= 0)
            block->score[i] = share > LEAST_SHARE ? share : LEAST_SHARE;
        else
            block->score[i] = squeeze(h->popularity[block->dst[i]] * factor) * LEAST_SHARE;
    }
}

/*
 * Recency goes by the pair in either direction: whoever was written to writes back. Contacts have positive scores,
 * ascending in time; all others negative ones. Whole numbers, so ties are exact.
 */
static void score_recency(const heuristic *h, const sg_question *block)
{
    for (size_t i = 0; i < block->count; i++) {
        const uint64_t there = sg_contacts_last(h->contacts, block->src[i], block->dst[i]);
        const uint64_t back = sg_contacts_last(h->contacts, block->dst[i], block->src[i]);
        const uint64_t contact = there > back ? there : back;
        block->score[i] = contact ? (double)contact : (double)h->active[block->dst[i]] - 0x1p52;
    }
}

static void score_edgebank(const heuristic *h, const sg_question *block)
{
    double from = h->kind == SCADYG_MODEL_EDGEBANK_WINDOW ? block->at - h->window : -INFINITY;
    for (size_t i = 0; i < block->count; i++) {
        const uint64_t contact = sg_contacts_last(h->contacts, block->src[i], block->dst[i]);
        block->score[i] = contact && h->columns.time[contact - 1] >= from;
    }
}

static int heuristic_score(void *context, const sg_question *block, scadyg_error *error)
{
    heuristic *h = context;
    if (block->seen < h->seen || block->seen > h->columns.count)
        return sg_fail(error, SCADYG_E_USAGE,
                       "a heuristic was asked about the past or about events that are not there");
    if (h->popularity || h->active)
        for (uint64_t e = h->seen; e < block->seen; e++) take_event(h, e);
    h->seen = block->seen;
    if (needs_contacts(h->kind) && sg_contacts_follow(h->contacts, h->seen))
        return sg_fail_memory(error, "the pairs that have met");
    if (h->kind == SCADYG_MODEL_MARKOV && sg_transitions_follow(&h->transitions, h->seen))
        return sg_fail_memory(error, "the transitions");
    switch (h->kind) {
    case SCADYG_MODEL_POPULARITY: score_popularity(h, block); break;
    case SCADYG_MODEL_PAIR_THEN_POPULARITY: score_pair_then_popularity(h, block); break;
    case SCADYG_MODEL_PAIR_RECENCY: score_recency(h, block); break;
    case SCADYG_MODEL_MARKOV: score_markov(h, block); break;
    default: score_edgebank(h, block);
    }
    return SCADYG_OK;
}

static int heuristic_rewind(void *context, scadyg_error *error)
{
    (void)error;
    heuristic *h = context;
    h->seen = h->now = 0;
    h->reference = h->columns.count ? h->columns.time[0] : 0;
    if (h->popularity) memset(h->popularity, 0, (size_t)h->nodes * sizeof *h->popularity);
    if (h->active) memset(h->active, 0, (size_t)h->nodes * sizeof *h->active);
    if (h->kind == SCADYG_MODEL_MARKOV) sg_transitions_rewind(&h->transitions);
    sg_contacts_rewind(h->contacts);
    return SCADYG_OK;
}

static void heuristic_close(void *context)
{
    heuristic *h = context;
    free(h->popularity);
    free(h->active);
    sg_contacts_close(&h->own);
    sg_transitions_close(&h->transitions);
    free(h);
}

static int make_state(heuristic *h)
{
    if (needs_popularity(h->kind)) {
        h->popularity = sg_alloc_zero((size_t)h->nodes, sizeof *h->popularity);
        if (!h->popularity) return -1;
    }
    if (h->kind == SCADYG_MODEL_PAIR_RECENCY) {
        h->active = sg_alloc_zero((size_t)h->nodes, sizeof *h->active);
        if (!h->active) return -1;
    }
    if (h->kind == SCADYG_MODEL_MARKOV && sg_transitions_open(&h->transitions, &h->columns, h->nodes, h->rate))
        return -1;
    if (h->contacts) return 0;
    h->contacts = &h->own;
    return sg_contacts_open(&h->own, &h->columns);
}

int sg_heuristic_open(int kind, const sg_columns *columns, uint64_t nodes, double range, sg_scorer *scorer,
                      scadyg_error *error)
{
    return sg_heuristic_open_shared(kind, columns, nodes, range, NULL, scorer, error);
}

int sg_heuristic_open_shared(int kind, const sg_columns *columns, uint64_t nodes, double range,
                             sg_contacts *contacts, sg_scorer *scorer, scadyg_error *error)
{
    static const char *const names[] = {
        [SCADYG_MODEL_POPULARITY] = "popularity",
        [SCADYG_MODEL_EDGEBANK] = "edgebank",
        [SCADYG_MODEL_EDGEBANK_WINDOW] = "edgebank-window",
        [SCADYG_MODEL_PAIR_RECENCY] = "pair-recency",
        [SCADYG_MODEL_PAIR_THEN_POPULARITY] = "pair-then-popularity",
        [SCADYG_MODEL_MARKOV] = "markov",
    };
    if (kind < 0 || (size_t)kind >= sizeof names / sizeof *names || !names[kind])
        return sg_fail(error, SCADYG_E_USAGE, "this model is not a heuristic for links");
    heuristic *h = sg_alloc_zero(1, sizeof *h);
    if (!h) return sg_fail_memory(error, "a heuristic");
    *h = (heuristic){.kind = kind, .columns = *columns, .nodes = nodes, .contacts = contacts};
    h->window = range > 0 ? WINDOW * range : 0;
    h->rate = range > 0 ? log(2) / (HALF_LIFE * range) : 0;
    if (make_state(h)) {
        heuristic_close(h);
        return sg_fail_memory(error, "a heuristic");
    }
    (void)heuristic_rewind(h, error);
    *scorer = (sg_scorer){names[kind], h, heuristic_rewind, heuristic_score, heuristic_close, NULL};
    return SCADYG_OK;
}
