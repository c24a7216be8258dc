/* Sums that few nodes take part in: those of one step, and the map from nodes to their rows. */
#ifndef SG_MESSAGES_NODES_STEP_SUMS_H
#define SG_MESSAGES_NODES_STEP_SUMS_H

#include "base/hash.h"
#include "messages/nodes/sums.h"

/* ---- A map from node numbers to rows, which count up from 0 ---- */

typedef struct sg_node_map {
    uint32_t *slots; /* [size]: row + 1 of the node that lies here, 0 if none; size is a power of two */
    size_t size;
    uint32_t *nodes; /* [count]: the node of each row */
    size_t count, capacity;
    sg_hash_key key;
} sg_node_map;

void sg_node_map_free(sg_node_map *map);

/* Forgets all nodes, keeps the memory. */
void sg_node_map_clear(sg_node_map *map);

/* The row of a node, a new one if it has none yet. */
int sg_node_map_add(sg_node_map *map, uint32_t node, uint32_t *row, scadyg_error *error);

/* The row of a node, or UINT32_MAX. */
uint32_t sg_node_map_find(const sg_node_map *map, uint32_t node);

/* ---- The sums of one step, for the nodes that took part in it ---- */

typedef struct sg_step_sums {
    int64_t step;
    sg_node_map map; /* node to row of sums */
    sg_sums sums;
} sg_step_sums;

void sg_step_sums_init(sg_step_sums *step_sums, const scadyg_messages *plan, int64_t step);
void sg_step_sums_free(sg_step_sums *step_sums);

/* Adds events of the step to its sums. With one hop only: more of them need all events of the step together. */
int sg_step_sums_add(sg_step_sums *step_sums, const sg_source *source, uint64_t first, uint64_t count,
                     scadyg_error *error);

/*
 * Makes the sums anew from all events of a step, for any number of hops, as of the time `frame`, not before any
 * of them. Takes 8 bytes per event meanwhile.
 */
int sg_step_sums_make(scadyg_context *context, sg_step_sums *step_sums, const sg_source *source, uint64_t first,
                      uint64_t count, double frame, scadyg_error *error);

/* Adds them to sums whose rows are node numbers, all of them reserved. */
void sg_step_sums_fold(scadyg_context *context, const sg_step_sums *step_sums, sg_sums *sums);

/* Adds the message of a node, carried to time `at`, to out[width]; nothing if it has none. */
void sg_step_sums_read(const sg_step_sums *step_sums, uint32_t node, double at, double *out);

#endif
