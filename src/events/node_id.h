/*
 * Node ids: from node number to the id of the input and back.
 *
 * Where sources and destinations are separate, user 7 and item 7 are different nodes with the same id: which of them is meant
 * is told by the role, never by the id.
 */
#ifndef SG_EVENTS_NODE_ID_H
#define SG_EVENTS_NODE_ID_H

#include "events/file.h"

/* The id columns, verified. Either `integers`, or `offsets` and `text`. */
typedef struct sg_id_columns {
    uint64_t count; /* nodes */
    const int64_t *integers;
    const uint64_t *offsets;
    const char *text;
    const uint8_t *sides; /* [count]: 0 source, 1 destination; NULL: they are of one kind */
} sg_id_columns;

int sg_id_columns_open(scadyg_events *events, sg_id_columns *ids, scadyg_error *error);

/*
 * Whether every id is one (text: valid UTF-8 without NUL, not empty) and no two nodes of one side have the same: what the id
 * columns promise, called on their first use. Makes the index on the way.
 */
int sg_ids_check(scadyg_events *events, const sg_id_columns *ids, scadyg_error *error);

/* What is wrong with a text as an id ("is empty"), or NULL. */
const char *sg_id_fault(const char *text, size_t length);

/* A node's plain id: *text points to it (into `buffer` for an integer), the length is returned. No terminator. */
size_t sg_id_text(const sg_id_columns *ids, uint32_t node, char buffer[24], const char **text);

/* The node of the other side with the same id; the node itself if there is none. The index is there. */
uint32_t sg_id_other(const scadyg_events *events, const sg_id_columns *ids, uint32_t node);

/* "source", "destination" */
const char *sg_role_word(int role);

/* A hash of an id's text: the same on every machine, for ever. It names a node; no table is made by it. */
uint64_t sg_id_hash(const char *text, size_t length);

/*
 * A key for each node [nodes] by which it is known in other files: its integer, or the hash of its text; the highest bit
 * is turned over for destinations that are separate from the sources. Made on first need and shared by all threads until the
 * file is closed.
 */
int sg_events_keys(scadyg_events *events, const uint64_t **keys, scadyg_error *error);

/* Where each id is: kept in the events handle from the first use of the id columns on. */
typedef struct sg_id_index sg_id_index;

void sg_id_index_free(sg_id_index *index); /* NULL is fine */

#endif
