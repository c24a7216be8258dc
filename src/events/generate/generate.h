/*
 * Generate, inside: its options, and drafts, which are pieces of a generated graph on their way from the process to the
 * file. Three are in flight: one is simulated, one gets its features, one is written. Their size changes nothing in the
 * result.
 */
#ifndef SG_EVENTS_GENERATE_GENERATE_H
#define SG_EVENTS_GENERATE_GENERATE_H

#include "base/options.h"
#include "base/rng.h"
#include "base/status.h"

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

/*
 * The rhythm of the generated graph: when events come, and who is popular meanwhile.
 *
 * The clock is a Poisson process with a daily rhythm. In hour h of each day events come at `rate` * r(h) per second,
 * r(h) = 1 + 0.8 sin(2 pi (h - 9) / 24): quiet at three in the morning, busy at three in the afternoon. Times are cut to
 * milliseconds.
 *
 * Popularity waves: a few possible destinations are hot for some days each. There are W waves. Each carries one
 * destination, drawn uniformly, for SG_WAVE_LIFE seconds, then the next; their lives are staggered evenly. The strength of
 * a wave at the fraction f of its life is sin^2(pi f), taken at the beginning of each quarter of an hour.
 */

#define SG_DAY 86400.0

typedef struct sg_clock {
    double rate[24]; /* events per second in each hour of the day */
    int64_t hour;    /* since the beginning */
    double second;   /* within the hour */
} sg_clock;

#define SG_WAVE_LIMIT 64
#define SG_WAVE_LIFE (4 * SG_DAY)

typedef struct sg_waves {
    uint64_t seed;
    uint32_t first, size; /* the possible destinations: first .. first + size - 1 */
    int count;            /* W */
    double next_change;   /* when the strengths change again */
    double total;         /* of the strengths */
    uint32_t node[SG_WAVE_LIMIT];
    double strength[SG_WAVE_LIMIT];
} sg_waves;

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

enum { SG_GENERATE_MESSAGES = 0, SG_GENERATE_ITEMS = 1 };

typedef struct sg_generate_options {
    int kind; /* SG_GENERATE_...: messages (one kind of node), or users and items */
    int64_t events;
    int64_t nodes; /* messages: nodes; items: users */
    int64_t items; /* items only: number of items */
    int64_t communities;
    int64_t edge_features; /* 0: none */
    double again;          /* 0 to 1: how strong answers, sequences and meetings of the same pair are */
    int64_t oracle_one_in; /* events it ranks */
    int64_t seed;
} sg_generate_options;

extern const sg_option_set sg_generate_set;

/* scadyg_generate with options as a struct. */
int sg_generate(scadyg_context *context, const char *output, const char *oracle, const sg_generate_options *options,
                scadyg_error *error);

/* ---- Drafts ---- */

#define SG_ORACLE_OTHERS 100

typedef struct sg_draft {
    uint64_t first;      /* number of its first event */
    size_t count;        /* events; 0: nothing to do */
    uint32_t *src, *dst; /* nodes of the process; file numbers once written */
    double *time;
    uint32_t *src_community, *dst_community; /* with features */
    float *features;                         /* [count][dimension] */
    double *rank;                            /* with an oracle; 0: not asked */
    uint64_t one_in;                         /* events that the oracle is asked about, by their numbers */
} sg_draft;

int sg_draft_open(sg_draft *draft, size_t capacity, size_t dimension, int oracle, scadyg_error *error);
void sg_draft_close(sg_draft *draft);

/* Lets the process make events first .. first + count - 1. */
int sg_draft_simulate(sg_draft *draft, sg_process *process, uint64_t seed, uint64_t first, size_t count,
                      scadyg_error *error);

/*
 * Fills the features of events begin .. end - 1 of the draft: dimension k of an event from community a to b
 * is (A_k(a) + B_k(b)) / 2 + noise / 2, where A and B are +1 or -1 and the noise is standard normal.
 */
void sg_draft_features(sg_draft *draft, uint64_t seed, size_t dimension, size_t begin, size_t end);

/* The mean rank of the destination among 100 random others by true probability; between begin and accept. */
double sg_oracle_rank(const sg_process *process, uint64_t seed, uint32_t destination);

#endif
