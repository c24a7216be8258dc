/*
 * An events file among the inputs of an import: its columns, verified, of which only so much is in memory at a time.
 *
 * Pages of a file that have been read count as memory of the process, so whoever walks through one says where he is.
 */
#ifndef SG_EVENTS_IMPORT_STORED_H
#define SG_EVENTS_IMPORT_STORED_H

#include "events/file.h"
#include "events/import/features.h"
#include "events/import/ids.h"
#include "events/import/input.h"
#include "events/node_id.h"

typedef struct sg_stored {
    scadyg_events *events; /* NULL: not open */
    const scadyg_shape *shape;
    sg_resident resident; /* its mapping is the file's */
    uint64_t stretch;     /* events that may be read between two calls of sg_stored_at */
    const uint32_t *src, *dst;
    const double *time;
    const float *weight, *label, *features, *node_features;
    sg_id_columns ids;
    int in_order; /* nodes are numbered as they appear, and all do: set by who has seen all events */
} sg_stored;

/* Whether a source is an events file, told by its first bytes. Standard input and what else cannot be read twice is none. */
int sg_stored_is(const sg_input_source *source, int *stored, scadyg_error *error);

/* Opens it, and looks at nothing but its header. At most about `resident` bytes of it are in memory at a time. */
int sg_stored_open(sg_stored *stored, const sg_input_source *source, uint64_t resident, scadyg_error *error);
void sg_stored_close(sg_stored *stored); /* also of a zeroed one */

/* Verifies and fills in all columns. What remains to be checked by who takes them: that no two nodes have the same id, that
 * ids are what sg_id_fault wants, and that sources and destinations keep to their sides. */
int sg_stored_columns(scadyg_context *context, sg_stored *stored, scadyg_error *error);

/* From here on so many events, and nodes, will be read. */
void sg_stored_at(sg_stored *stored, uint64_t events, uint64_t nodes);

/* The id of a node, for the table with this key; SCADYG_E_FORMAT if it is none. A text is pointed at. */
int sg_stored_id(const sg_stored *stored, const sg_hash_key *key, uint32_t node, sg_id *id, scadyg_error *error);

static inline int sg_stored_side(const sg_stored *stored, uint32_t node)
{
    return stored->ids.sides && stored->ids.sides[node];
}

/* Nothing of it need be in memory for now. */
void sg_stored_rest(sg_stored *stored);

#endif
