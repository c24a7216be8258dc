/*
 * What baselines keep of the past: each part follows the first events of a file by itself, so that several rules share it and
 * two parts can follow at once.
 */
#ifndef SG_MODELS_BASELINES_PAST_H
#define SG_MODELS_BASELINES_PAST_H

#include "base/context.h"
#include "models/baselines/edgebank.h"
#include "models/baselines/neighbours.h"
#include "models/baselines/transitions.h"

/* What a rule needs of it. Intervals are DyGLib's, and few rules': they are kept where they are asked for. */
enum {
    SG_KEEPS_POPULARITY = 1,
    SG_KEEPS_ACTIVITY = 2,
    SG_KEEPS_CONTACTS = 4,
    SG_KEEPS_TRANSITIONS = 8,
    SG_KEEPS_NEIGHBOURS = 16,
    SG_KEEPS_INTERVALS = 32,
    SG_KEEPS_GENERAL = 31
};

/* How popular destinations are, and who was active last. */
typedef struct sg_popularity {
    uint64_t seen; /* events taken in */
    uint64_t
        now; /* the first event at the time of the last one taken in: a whole number that stands for its time */
    double reference; /* the time that popularities are of */
    double *of;       /* [nodes]; NULL: not kept */
    uint64_t *active; /* [nodes]: 1 + the `now` of the last event of a node, 0: none; NULL: not kept */
} sg_popularity;

typedef struct sg_past {
    scadyg_context *context; /* that may follow several parts at once; NULL: one after the other */
    const sg_columns *columns;
    uint64_t nodes;
    double rate; /* of decay */
    unsigned keeps;
    sg_popularity popularity;
    sg_contacts contacts;
    sg_neighbours neighbours;
    sg_transitions transitions;
    sg_intervals intervals;
} sg_past;

/*
 * columns must stay, and may get more events at their end. range: how long the training part lasts, half of a popularity is
 * forgotten in a share of it. To be closed also if this fails; a zeroed one may be closed, too.
 */
int sg_past_open(sg_past *past, scadyg_context *context, const sg_columns *columns, uint64_t nodes, double range,
                 unsigned keeps, scadyg_error *error);
void sg_past_close(sg_past *past);

/* Parts of it back to before the first event; and on to the first `seen` events, never fewer than before. */
void sg_past_rewind(sg_past *past, unsigned parts);
int sg_past_follow(sg_past *past, unsigned parts, uint64_t seen, scadyg_error *error);

/* Popularity of a node at a time is past->popularity.of[node] times this. */
double sg_past_decay(const sg_past *past, double at);

#endif
