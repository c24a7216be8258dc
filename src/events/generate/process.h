/*
 * The process behind a generated graph; docs/generator.md has it in formulas.
 *
 * Each event: the clock gives the time, somebody becomes active (the source), and the destination is drawn
 * from a mixture whose probabilities can be computed for any node. Drawing and computing use the same
 * numbers.
 *
 *     sg_process_begin(p)            the time and the source of the next event; p->choice is its mixture
 *     sg_process_probability(p, v)   of each destination, as often as wanted
 *     v = sg_process_draw(p)         as often as wanted
 *     sg_process_accept(p, v)        v becomes the destination and the state moves on
 */
#ifndef SG_EVENTS_GENERATE_PROCESS_H
#define SG_EVENTS_GENERATE_PROCESS_H

#include "base/status.h"
#include "events/generate/rhythm.h"

#define SG_PARTNERS 3   /* recent partners a node remembers */
#define SG_SUCCESSORS 3 /* items that tend to follow an item */
#define SG_AHEAD 8      /* sources are known this many events ahead, so that memory can be asked in time */
#define SG_PROCESS_NOBODY UINT32_MAX

/* What the process knows of a node: one cache line. */
typedef struct sg_actor {
    double partner_time[SG_PARTNERS];
    double recent_time;
    uint32_t partner[SG_PARTNERS]; /* SG_PROCESS_NOBODY: none */
    uint32_t recent;               /* messages: who last wrote to it; items: the last item of a user */
    uint32_t community;
    uint32_t position; /* destinations: the place in the community's list */
    double heat;       /* the strength of the waves that carry it now */
} sg_actor;

_Static_assert(sizeof(sg_actor) == 64, "an actor should fill one cache line");

/* The members of a community that can be destinations; those in front are the more popular. */
typedef struct sg_community {
    uint32_t *member;
    size_t count, capacity;
} sg_community;

/* The mixture of one event. The probabilities and the three weights sum to 1. */
typedef struct sg_choice {
    int count;                                  /* of the nodes that are named below */
    uint32_t node[SG_SUCCESSORS + SG_PARTNERS]; /* may name a node twice */
    double probability[SG_SUCCESSORS + SG_PARTNERS];
    double waves, community, uniform; /* weights of the components that are distributions over many */
    double waves_total;               /* strength of all waves that do not carry the source */
    double community_share;           /* of the community's distribution that is not the source's own */
} sg_choice;

typedef struct sg_process {
    int items;            /* the kind: users and items */
    uint32_t sources;     /* nodes 0 .. sources - 1 can be sources */
    uint32_t first, pool; /* nodes first .. first + pool - 1 can be destinations */
    uint32_t community_count;
    double again;            /* scales what the past of a pair counts */
    sg_actor *actor;         /* [nodes] */
    sg_community *community; /* [community_count] */
    uint32_t *ring;          /* who was addressed (messages) or active (items) in the last events */
    uint32_t ring_size;
    uint64_t event; /* number of the event begun or to begin */
    sg_rng rng;
    sg_clock clock;
    sg_waves waves;
    uint32_t ahead[SG_AHEAD];
    double activity_limit; /* (sources + 1)^(1/4) */
    /* of the event begun: */
    double time;
    uint32_t source;
    sg_choice choice;
} sg_process;

struct sg_generate_options;
int sg_process_open(sg_process *process, const struct sg_generate_options *options, scadyg_error *error);
void sg_process_close(sg_process *process);

/* Fails only if there is no memory for a growing community. */
int sg_process_begin(sg_process *process, scadyg_error *error);
double sg_process_probability(const sg_process *process, uint32_t node);
uint32_t sg_process_draw(sg_process *process);
void sg_process_accept(sg_process *process, uint32_t destination);

/* The number of destinations an event of the present source may have: all but itself. */
uint32_t sg_process_candidates(const sg_process *process);

#endif
