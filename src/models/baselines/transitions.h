/*
 * How often sources went from one destination straight to another, among the first events of a file, each
 * time counted less the longer ago it was.
 *
 * An event (s, d, t) is a transition from the destination s met last strictly before t, the last in the file's order
 * if there are several at that time, to d. So events of one source at one time are all transitions from the same
 * destination and none from each other: what is counted is what a question at t asks.
 *
 * Memory: a slot per distinct transition, three numbers per node.
 *
 * Decayed counts are kept as logarithms at a fixed time: they neither overflow nor have to be scaled as time goes on, and
 * a share is the difference of two.
 */
#ifndef SG_MODELS_BASELINES_TRANSITIONS_H
#define SG_MODELS_BASELINES_TRANSITIONS_H

#include "base/pair_map.h"
#include "events/file.h"

typedef struct sg_transitions {
    const sg_columns *columns;
    uint64_t nodes;
    double rate;       /* of decay */
    uint64_t seen;     /* events taken in */
    sg_pair_map pairs; /* the bits of a double: the logarithm of a decayed count, at the time of the first event */
    double *out;       /* [nodes]: the same of all transitions out of a node */
    uint64_t *last;    /* [nodes]: 1 + the last event of a source, 0: none */
    uint64_t *before;  /* [nodes]: 1 + its last event at an earlier time than that one */
} sg_transitions;

/* To be closed also if this fails; a zeroed one may be closed, too. */
int sg_transitions_open(sg_transitions *transitions, const sg_columns *columns, uint64_t nodes, double rate,
                        scadyg_error *error);
void sg_transitions_close(sg_transitions *transitions);
void sg_transitions_rewind(sg_transitions *transitions);

/* Takes in the first `seen` events, never fewer than before. */
int sg_transitions_follow(sg_transitions *transitions, uint64_t seen, scadyg_error *error);

/* The share of dst in the transitions out of the destination src met last; -1: there is no such transition. */
double sg_transitions_share(const sg_transitions *transitions, uint32_t src, uint32_t dst);

#endif
