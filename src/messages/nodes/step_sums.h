/* A step_sums: the sums of one step, for the nodes that took part in it. */
#ifndef SG_MESSAGES_NODES_STEP_SUMS_H
#define SG_MESSAGES_NODES_STEP_SUMS_H

#include "messages/nodes/node_map.h"
#include "messages/nodes/sums.h"

typedef struct sg_step_sums {
    int64_t step;
    sg_node_map map; /* node to row of sums */
    sg_sums sums;
} sg_step_sums;

void sg_step_sums_init(sg_step_sums *step_sums, const scadyg_messages *plan, int64_t step);
void sg_step_sums_free(sg_step_sums *step_sums);

/* Adds events of the step to its sums. With one hop only: more of them need all events of the step together.
 */
int sg_step_sums_add(sg_step_sums *step_sums, const sg_source *source, uint64_t first, uint64_t count,
                     scadyg_error *error);

/*
 * Makes the step_sums anew from all events of a step, for any number of hops, as of the time `frame`, not before
 * any of them. Takes 8 bytes per event meanwhile.
 */
int sg_step_sums_make(sg_step_sums *step_sums, const sg_source *source, uint64_t first, uint64_t count,
                      double frame, int threads, scadyg_error *error);

/* Adds the step_sums to sums whose rows are node numbers, all of them reserved. */
void sg_step_sums_fold(const sg_step_sums *step_sums, sg_sums *sums, int threads);

/* Adds the message of a node, carried to time `at`, to out[width]; nothing if it has none. */
void sg_step_sums_read(const sg_step_sums *step_sums, uint32_t node, double at, double *out);

#endif
