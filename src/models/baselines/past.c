/* What baselines keep of the past, part by part. */
#include "models/baselines/past.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Half of a popularity, and of a transition, is forgotten in this share of the training time. */
#define HALF_LIFE 0.02

/* Popularities are kept relative to a reference time, so that decay costs nothing; it moves on after this decay. */
#define MOST_DECAY 200.0

/* Events from which on parts follow side by side. */
enum { MANY = 1 << 15 };

/* ---- Popularity and activity ---- */

static int open_popularity(sg_past *past, scadyg_error *error)
{
    const size_t nodes = (size_t)past->nodes;
    sg_popularity *p = &past->popularity;
    if (past->keeps & SG_KEEPS_POPULARITY) p->of = sg_alloc_zero(nodes, sizeof *p->of);
    if (past->keeps & SG_KEEPS_ACTIVITY) p->active = sg_alloc_zero(nodes, sizeof *p->active);
    if ((past->keeps & SG_KEEPS_POPULARITY && !p->of) || (past->keeps & SG_KEEPS_ACTIVITY && !p->active))
        return sg_fail_memory(error, "a baseline");
    return SCADYG_OK;
}

static void rewind_popularity(sg_past *past)
{
    sg_popularity *p = &past->popularity;
    p->seen = p->now = 0;
    p->reference = past->columns->count ? past->columns->time[0] : 0;
    if (p->of) memset(p->of, 0, (size_t)past->nodes * sizeof *p->of);
    if (p->active) memset(p->active, 0, (size_t)past->nodes * sizeof *p->active);
}

static void move_reference(sg_past *past, double time)
{
    sg_popularity *p = &past->popularity;
    const double factor = exp(-past->rate * (time - p->reference));
    for (uint64_t i = 0; i < past->nodes; i++) p->of[i] *= factor;
    p->reference = time;
}

static int follow_popularity(sg_past *past, uint64_t seen, scadyg_error *error)
{
    const sg_columns *columns = past->columns;
    sg_popularity *p = &past->popularity;
    (void)error;
    for (; p->seen < seen; p->seen++) {
        const uint64_t e = p->seen;
        const double time = columns->time[e];
        sg_columns_pass(columns, e, 2 * sizeof *columns->src + sizeof time);
        if (e == 0 || time != columns->time[e - 1]) p->now = e;
        if (p->of && past->rate * (time - p->reference) > MOST_DECAY) move_reference(past, time);
        if (p->of) p->of[columns->dst[e]] += exp(past->rate * (time - p->reference));
        if (p->active) p->active[columns->src[e]] = p->active[columns->dst[e]] = p->now + 1;
    }
    return SCADYG_OK;
}

double sg_past_decay(const sg_past *past, double at)
{
    const double decay = past->rate * (at - past->popularity.reference);
    return exp(-(decay < 2 * MOST_DECAY ? decay : 2 * MOST_DECAY)); /* in the far future order still counts */
}

/* ---- All parts ---- */

int sg_past_open(sg_past *past, scadyg_context *context, const sg_columns *columns, uint64_t nodes, double range,
                 unsigned keeps, scadyg_error *error)
{
    *past = (sg_past){.context = context,
                      .columns = columns,
                      .nodes = nodes,
                      .rate = range > 0 ? log(2) / (HALF_LIFE * range) : 0,
                      .keeps = keeps};
    int status = open_popularity(past, error);
    if (!status && keeps & SG_KEEPS_CONTACTS) status = sg_contacts_open(&past->contacts, columns, error);
    if (!status && keeps & SG_KEEPS_NEIGHBOURS)
        status = sg_neighbours_open(&past->neighbours, columns, nodes, past->rate, error);
    if (!status && keeps & SG_KEEPS_TRANSITIONS)
        status = sg_transitions_open(&past->transitions, columns, nodes, past->rate, error);
    if (!status && keeps & SG_KEEPS_INTERVALS) status = sg_intervals_open(&past->intervals, columns, error);
    if (!status) rewind_popularity(past);
    return status;
}

void sg_past_close(sg_past *past)
{
    SG_FREE(past->popularity.of, past->popularity.active);
    sg_contacts_close(&past->contacts);
    sg_neighbours_close(&past->neighbours);
    sg_transitions_close(&past->transitions);
    sg_intervals_close(&past->intervals);
    *past = (sg_past){0};
}

void sg_past_rewind(sg_past *past, unsigned parts)
{
    if (parts & (SG_KEEPS_POPULARITY | SG_KEEPS_ACTIVITY)) rewind_popularity(past);
    if (parts & SG_KEEPS_CONTACTS) sg_contacts_rewind(&past->contacts);
    if (parts & SG_KEEPS_NEIGHBOURS) sg_neighbours_rewind(&past->neighbours);
    if (parts & SG_KEEPS_TRANSITIONS) sg_transitions_rewind(&past->transitions);
    if (parts & SG_KEEPS_INTERVALS) sg_intervals_rewind(&past->intervals);
}

/* What follows by itself, the longest first. */
enum { NEIGHBOURS, CONTACTS, TRANSITIONS, POPULARITY, INTERVALS, FOLLOWERS };

static const unsigned bits_of[FOLLOWERS] = {
    [NEIGHBOURS] = SG_KEEPS_NEIGHBOURS,   [CONTACTS] = SG_KEEPS_CONTACTS,
    [TRANSITIONS] = SG_KEEPS_TRANSITIONS, [POPULARITY] = SG_KEEPS_POPULARITY | SG_KEEPS_ACTIVITY,
    [INTERVALS] = SG_KEEPS_INTERVALS,
};

static int follow_one(sg_past *past, size_t which, uint64_t seen, scadyg_error *error)
{
    switch (which) {
    case NEIGHBOURS: return sg_neighbours_follow(&past->neighbours, seen, error);
    case CONTACTS: return sg_contacts_follow(&past->contacts, seen, error);
    case TRANSITIONS: return sg_transitions_follow(&past->transitions, seen, error);
    case POPULARITY: return follow_popularity(past, seen, error);
    default: return sg_intervals_follow(&past->intervals, seen, error);
    }
}

typedef struct following {
    sg_past *past;
    uint64_t seen;
    int status[FOLLOWERS];
    scadyg_error error[FOLLOWERS];
} following;

static void follow_piece(void *data, size_t worker, size_t piece)
{
    following *f = data;
    (void)worker;
    if (f->past->keeps & bits_of[piece]) f->status[piece] = follow_one(f->past, piece, f->seen, &f->error[piece]);
}

/* Far behind, everything that is kept follows at once: other rules will ask for the rest of it. */
static int follow_all(sg_past *past, uint64_t seen, scadyg_error *error)
{
    following f = {.past = past, .seen = seen};
    sg_parallel_for(past->context, FOLLOWERS, follow_piece, &f);
    for (size_t i = 0; i < FOLLOWERS; i++)
        if (f.status[i]) return sg_fail(error, f.status[i], "%s", f.error[i].message);
    return SCADYG_OK;
}

static uint64_t seen_by(const sg_past *past, size_t which)
{
    const uint64_t seen[FOLLOWERS] = {past->neighbours.seen, past->contacts.seen, past->transitions.seen,
                                      past->popularity.seen, past->intervals.seen};
    return seen[which];
}

int sg_past_follow(sg_past *past, unsigned parts, uint64_t seen, scadyg_error *error)
{
    int status = SCADYG_OK, is_far = 0;
    for (size_t i = 0; i < FOLLOWERS; i++) {
        if (!(parts & bits_of[i])) continue;
        if (seen < seen_by(past, i))
            return sg_fail(error, SCADYG_E_USAGE, "what baselines keep of the past was asked about an earlier one");
        is_far |= seen - seen_by(past, i) >= MANY;
    }
    if (past->context && is_far) return follow_all(past, seen, error);
    for (size_t i = 0; i < FOLLOWERS && !status; i++)
        if (parts & bits_of[i]) status = follow_one(past, i, seen, error);
    return status;
}
