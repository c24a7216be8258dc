/*
 * How long a model remembers the partners of a node, found by asking it. At several times of the log it scores everyone
 * whom the node has met, and some whom it has not; how far a partner is ahead of the strangers, in logits, is set against
 * the time since their last contact. What is averaged are real pairs: those that met lately have often met more than once.
 */
#include "study/study.h"

#include <math.h>
#include <stdlib.h>

enum { MOMENTS = 20, STRANGERS = 8, PARTNERS = 100, BINS = 14, FEWEST = 3 };

typedef struct asking {
    scadyg_events *events;
    const scadyg_shape *shape;
    const uint32_t *src, *dst;
    const double *time;
    uint32_t node;
    int as_source;   /* the node is the source of what is asked; else it is never one, and the destination */
    double *contact; /* [nodes] the last one with the node; NAN if none yet */
    char *possible;  /* [nodes] has been on the other side of some event */
    /* The questions. A moment's strangers stand before its partners. */
    uint32_t *from, *to;
    double *at, *age, *score; /* age NAN: a stranger */
    size_t count;
} asking;

static int open_asking(asking *a, scadyg_error *error)
{
    const size_t most = MOMENTS * (STRANGERS + PARTNERS), nodes = a->shape->nodes;
    int status = cli_events_columns(a->events, &a->src, &a->dst, &a->time, error);
    if (status) return status;
    a->contact = malloc(nodes * sizeof *a->contact);
    a->possible = calloc(nodes, 1);
    a->from = malloc(most * sizeof *a->from);
    a->to = malloc(most * sizeof *a->to);
    a->at = malloc(most * sizeof *a->at);
    a->age = malloc(most * sizeof *a->age);
    a->score = malloc(most * sizeof *a->score);
    if (!a->contact || !a->possible || !a->from || !a->to || !a->at || !a->age || !a->score)
        return sg_fail_memory(error, "the questions");
    for (size_t v = 0; v < nodes; v++) a->contact[v] = NAN;
    for (uint64_t i = 0; i < a->shape->events; i++) a->as_source |= a->src[i] == a->node;
    return SCADYG_OK;
}

static void close_asking(asking *a)
{
    free(a->contact);
    free(a->possible);
    free(a->from);
    free(a->to);
    free(a->at);
    free(a->age);
    free(a->score);
}

static void add_question(asking *a, uint32_t other, double at, double age)
{
    a->from[a->count] = a->as_source ? a->node : other;
    a->to[a->count] = a->as_source ? other : a->node;
    a->at[a->count] = at;
    a->age[a->count++] = age;
}

/* Some of those who have met the node, or have not: evenly spread over all of them. */
static void add_some(asking *a, double at, int met, size_t most)
{
    size_t all = 0, seen = 0, taken = 0;
    const size_t nodes = a->shape->nodes;
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t v = 0; v < nodes; v++) {
            const int has_met = !isnan(a->contact[v]);
            if (v == a->node || has_met != met || (!met && !a->possible[v])) continue;
            if (pass == 0) {
                all++;
                continue;
            }
            /* The seen-th of `all` is taken when a further one of `most` is due. */
            if (all <= most || seen * most / all >= taken) {
                if (taken < most) add_question(a, (uint32_t)v, at, met ? at - a->contact[v] : NAN);
                taken++;
            }
            seen++;
        }
}

static void make_questions(asking *a)
{
    uint64_t next = 0;
    for (size_t k = 1; k <= MOMENTS; k++) {
        const double share = 0.2 + 0.8 * (double)k / MOMENTS; /* later, when there is something to remember */
        const double at = a->shape->first_time + share * (a->shape->last_time - a->shape->first_time);
        for (; next < a->shape->events && a->time[next] < at; next++) {
            a->possible[a->as_source ? a->dst[next] : a->src[next]] = 1;
            if (a->src[next] == a->node) a->contact[a->dst[next]] = a->time[next];
            if (a->dst[next] == a->node) a->contact[a->src[next]] = a->time[next];
        }
        add_some(a, at, 0, STRANGERS);
        add_some(a, at, 1, PARTNERS);
    }
}

/* Means over ages of about the same size. Pairs of a moment without strangers have nothing to be compared with. */
static void add_points(const asking *a, json_t *memory)
{
    double ages[BINS] = {0}, ahead[BINS] = {0}, stranger = 0, strangers = 0, moment = NAN;
    size_t counts[BINS] = {0};
    const double range = a->shape->last_time - a->shape->first_time;
    for (size_t i = 0; i < a->count; i++) {
        if (a->at[i] != moment) stranger = strangers = 0;
        moment = a->at[i];
        if (isnan(a->age[i])) {
            stranger += a->score[i];
            strangers++;
        }
        if (isnan(a->age[i]) || strangers == 0 || !(a->age[i] > 0)) continue;
        const double place = BINS * (1 + log10(a->age[i] / range) / 3.5);
        const size_t bin = place < 0 ? 0 : place >= BINS ? BINS - 1 : (size_t)place;
        ages[bin] += log(a->age[i]);
        ahead[bin] += a->score[i] - stranger / strangers;
        counts[bin]++;
    }
    for (size_t b = 0; b < BINS; b++)
        if (counts[b] >= FEWEST)
            json_array_append_new(
                memory, json_pack("[f, f]", exp(ages[b] / (double)counts[b]), ahead[b] / (double)counts[b]));
}

int study_ask_memory(scadyg_predictor *predictor, scadyg_events *events, uint32_t node, json_t *memory,
                     scadyg_error *error)
{
    asking a = {.events = events, .shape = scadyg_events_shape(events), .node = node};
    int status = open_asking(&a, error);
    if (!status) make_questions(&a);
    if (!status && a.count) status = scadyg_predict(predictor, a.from, a.to, a.at, a.count, a.score, error);
    if (!status) add_points(&a, memory);
    close_asking(&a);
    return status;
}
