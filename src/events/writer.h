/*
 * The .events file, written: event columns streamed in order, then the nodes, then committed whole.
 *
 * The number of events must be known at the start; the number of nodes only at the end.
 */
#ifndef SG_EVENTS_WRITER_H
#define SG_EVENTS_WRITER_H

#include "base/file.h"
#include "events/format.h"

/* An events file in memory, as it would be on disk. */
typedef struct sg_image {
    unsigned char *data; /* aligned like a section */
    size_t size, capacity;
} sg_image;

void sg_image_free(sg_image *image);

typedef struct sg_writer {
    sg_output output;
    sg_image *image; /* instead of the output; NULL: none */
    scadyg_shape shape;
    int nowhere;                      /* nothing is written */
    uint64_t origin[SG_ORIGIN_WORDS]; /* set before the commit; zero: it is no cache */
    uint64_t bad_rows;                /* likewise: of a cache, rows that were left out */
    int by_ids;          /* likewise: sources and destinations are separate since no id occurs on both sides */
    const char *reading; /* likewise: how the text was read, see reading.h; NULL: as always */
    uint32_t section_count;
    sg_section sections[SG_SECTION_LIMIT]; /* of the columns begun so far; size grows as bytes arrive */
    uint64_t end;                          /* first byte not given to a section */
} sg_writer;

/*
 * Begins a file for shape.events events. Of the shape, events, edge_features, has_weight, has_label, two_id_spaces
 * and time_kind are used now; nodes, node_features, integer_ids, first_time and last_time are set later.
 */
int sg_writer_open(sg_writer *writer, const char *path, const scadyg_shape *shape, scadyg_error *error);

/* The same without writing anything, to see whether all of it can be: there is no commit. */
int sg_writer_open_nowhere(sg_writer *writer, const scadyg_shape *shape, scadyg_error *error);

/* The same into memory. The image is emptied first and, where writing fails, left empty. */
int sg_writer_open_image(sg_writer *writer, sg_image *image, const scadyg_shape *shape, scadyg_error *error);

/* Appends the next bytes of a column. Event columns may be appended in any interleaving, and
 * different columns on different threads. */
int sg_writer_append(sg_writer *writer, scadyg_column column, const void *data, uint64_t size, scadyg_error *error);

/*
 * Begins a node section (SCADYG_COLUMN_NODE_FEATURES and later) of a known size, after the event columns.
 * Then append to it.
 */
int sg_writer_begin(sg_writer *writer, scadyg_column column, uint64_t size, scadyg_error *error);

/* Writes the header with the final shape, checks that every section got all its bytes, and commits. */
int sg_writer_commit(sg_writer *writer, const scadyg_shape *shape, scadyg_error *error);

void sg_writer_abandon(sg_writer *writer);

/* What kind of numbers these times are, told by their values; dates are known from their writing instead. */
int sg_time_kind_of(double first, double last, int all_whole);

#endif
