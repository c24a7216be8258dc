/* Node features on their way in: a matrix by id (.npy) or a table with an id column (.csv). */
#ifndef SG_EVENTS_IMPORT_NODE_FEATURES_H
#define SG_EVENTS_IMPORT_NODE_FEATURES_H

#include "events/import/ids.h"
#include "events/import/npy.h"

typedef struct sg_node_features {
    uint32_t columns;
    const sg_ids *ids;
    sg_npy npy;       /* row = id */
    sg_mapping table; /* float[nodes][columns] from a .csv, in a scratch file: it may be larger than memory */
    uint64_t unused;  /* rows that belong to no node */
    uint64_t missing; /* nodes without a row; they get zeros (.csv only) */
} sg_node_features;

/* Opens the file for nodes already numbered. Scratch files go beside `beside`. */
int sg_node_features_open(sg_node_features *features, const char *path, const sg_ids *ids, const char *beside,
                          scadyg_error *error);
void sg_node_features_close(sg_node_features *features);

/* The features of a node, as numbered in ids, into out[columns]. */
void sg_node_features_row(const sg_node_features *features, uint32_t node, float *out);

#endif
