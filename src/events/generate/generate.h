/*
 * Generate, inside: its options, and drafts, which are pieces of a generated graph on their way from the process to the
 * file. Three are in flight: one is simulated, one gets its features, one is written. Their size changes nothing in the
 * result.
 */
#ifndef SG_EVENTS_GENERATE_GENERATE_H
#define SG_EVENTS_GENERATE_GENERATE_H

#include "base/options.h"
#include "events/generate/process.h"

enum { SG_GENERATE_MESSAGES = 0, SG_GENERATE_ITEMS = 1 };

typedef struct sg_generate_options {
    int kind; /* SG_GENERATE_...: messages (one kind of node), or users and items */
    int64_t events;
    int64_t nodes; /* messages: nodes; items: users */
    int64_t items; /* items only: number of items */
    int64_t communities;
    int64_t edge_features; /* 0: none */
    double again;          /* 0 to 1: how strong answers, sequences and meetings of the same pair are */
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
    double *rank;                            /* with an oracle */
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
