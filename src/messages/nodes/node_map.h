/* A map from node numbers to rows, for sums that few nodes take part in. Rows count up from 0. */
#ifndef SG_MESSAGES_NODES_NODE_MAP_H
#define SG_MESSAGES_NODES_NODE_MAP_H

#include "base/status.h"

typedef struct sg_node_map {
    uint32_t *slots; /* [size]: row + 1 of the node that lies here, 0 if none; size is a power of two */
    size_t size;
    uint32_t *nodes; /* [count]: the node of each row */
    size_t count, capacity;
} sg_node_map;

void sg_node_map_free(sg_node_map *map);

/* Forgets all nodes, keeps the memory. */
void sg_node_map_clear(sg_node_map *map);

/* The row of a node, a new one if it has none yet. */
int sg_node_map_add(sg_node_map *map, uint32_t node, uint32_t *row, scadyg_error *error);

/* The row of a node, or UINT32_MAX. */
uint32_t sg_node_map_find(const sg_node_map *map, uint32_t node);

#endif
