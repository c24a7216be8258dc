/* The .events file, read: opened in constant time, mapped, each section verified on its first use. */
#ifndef SG_EVENTS_FILE_H
#define SG_EVENTS_FILE_H

#include "base/context.h"
#include "base/file.h"
#include "base/search.h"
#include "events/format.h"

#include <stdatomic.h>

struct sg_id_index;

struct scadyg_events {
    char *path;
    sg_mapping mapping;
    int borrowed;              /* the bytes are somebody else's, in memory */
    _Atomic uint64_t resident; /* bytes of it that may be held in memory, see sg_events_hold; 0: no bound */
    struct sg_pages *pages;    /* what is held; NULL: it is not known */
    scadyg_shape shape;
    int by_ids;        /* its sources and destinations are separate since no id occurs on both sides */
    uint32_t checksum; /* of the header and the table of sections, without the origin */
    uint64_t origin[SG_ORIGIN_WORDS];          /* of a cache; else zero */
    uint64_t bad_rows;                         /* of a cache: rows of the log that were left out as bad */
    char *reading;                             /* how its text was read, see reading.h; NULL: as always */
    sg_section sections[SG_SECTION_LIMIT + 1]; /* by column; offset 0: absent */
    atomic_uint verified;                      /* bit per column */
    _Atomic(struct sg_id_index *) id_index;    /* see node_id.h; NULL until it is needed */
    _Atomic(uint64_t *) node_keys;             /* likewise */
    void *held[SG_SECTION_LIMIT + 1]; /* columns that take the place of the file's, see roles.c; NULL: none */
};

/* An events file that lies in memory, aligned to 8 bytes or more, and stays there until it is closed. `name` is for messages. */
int sg_events_open_memory(const char *name, const void *data, size_t size, scadyg_events **events,
                          scadyg_error *error);

/* scadyg_events_column, verifying on the workers of a context. From any number of threads at once. */
int sg_events_column(scadyg_context *context, scadyg_events *events, scadyg_column column, const void **data,
                     scadyg_error *error);

/* The same for who checks by itself what a column promises together with others: only the column's own bytes are verified, each
 * time. */
int sg_events_column_alone(scadyg_context *context, scadyg_events *events, scadyg_column column, const void **data,
                           scadyg_error *error);

/* sg_report, and then whether the file is still as it was: for every piece of long work on it. NULL events: sg_report. */
int sg_events_report(scadyg_context *context, const scadyg_events *events, const char *what, uint64_t done,
                     uint64_t total, scadyg_error *error);

/*
 * The pages of a mapped file that were read count as memory of the process, until they are given back; then they are in the
 * system's cache, if it has room. From now on a quarter of the context's memory is held of them at most, where the file is
 * larger: verifying a column, sg_events_report and sg_columns_pass give them back in time. Whoever asks for all columns is bound
 * so.
 */
void sg_events_hold(const scadyg_context *context, scadyg_events *events);

/* So many bytes more are read. */
void sg_events_pass(const scadyg_events *events, uint64_t bytes);

/* The checksum of so many bytes of a column; their pages are given back. */
uint32_t sg_events_sum(scadyg_context *context, const scadyg_events *events, const void *data, uint64_t size);

/* What a call ends with: SCADYG_E_CHANGED if the file is no longer as it was, whatever came of it, else its status. */
int sg_events_finish(int status, const scadyg_events *events, scadyg_error *error);

/* Every column an engine reads, verified. Absent ones are NULL. */
typedef struct sg_columns {
    uint64_t count; /* events */
    const uint32_t *src, *dst;
    const double *time;
    const float *weight;         /* [count] */
    const float *label;          /* [count] */
    const float *edge_features;  /* [count][edge_features] */
    const float *node_features;  /* [nodes][node_features] */
    const scadyg_events *events; /* whose they are; NULL: of no file */
} sg_columns;

/* src, dst, time, weight and edge features; label and node features only if asked for. */
int sg_events_columns(scadyg_context *context, scadyg_events *events, int with_label, int with_node_features,
                      sg_columns *columns, scadyg_error *error);

/* Of a pass over the events that does not report: it has come to event e, and reads so many bytes of each. */
static inline void sg_columns_pass(const sg_columns *columns, uint64_t e, uint64_t each)
{
    enum { STRETCH = 1 << 16 };
    if (e % STRETCH == 0 && columns->events) sg_events_pass(columns->events, STRETCH * each);
}

/* What is read of an event where all of it is. */
uint64_t sg_columns_event_bytes(const sg_columns *columns);

/* The first event at or after a time: events before it are the ones a prediction at that time may see. */
static inline uint64_t sg_events_before(const double *time, uint64_t count, double at)
{
    return sg_first_double(time, (size_t)count, at);
}

#endif
