/* Events files for tests, from arrays in memory. */
#ifndef MAKE_EVENTS_H
#define MAKE_EVENTS_H

#include "cmocka_all.h"

#include "events/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct made_events {
    uint64_t count, nodes;
    const uint32_t *src, *dst;
    const double *time;       /* in order */
    const float *weight;      /* NULL: none */
    uint32_t edge_features;   /* numbers per event */
    const float *features;    /* [count][edge_features] */
    uint32_t node_features;   /* numbers per node */
    const float *node_values; /* [nodes][node_features] */
} made_events;

/* A path for a temporary file, in memory where the system has such a place. */
static inline void make_path(char path[64])
{
    snprintf(path, 64, "%s/scadyg-test-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
}

static inline void write_events(const char *path, const made_events *made)
{
    scadyg_error error;
    scadyg_shape shape = {.events = made->count,
                          .nodes = made->nodes,
                          .edge_features = made->edge_features,
                          .node_features = made->node_features,
                          .has_weight = made->weight != NULL,
                          .integer_ids = 1,
                          .first_time = made->time[0],
                          .last_time = made->time[made->count - 1]};
    sg_writer writer;
    int bad = sg_writer_open(&writer, path, &shape, &error);
    bad |= sg_writer_append(&writer, SCADYG_COLUMN_SRC, made->src, made->count * 4, &error);
    bad |= sg_writer_append(&writer, SCADYG_COLUMN_DST, made->dst, made->count * 4, &error);
    bad |= sg_writer_append(&writer, SCADYG_COLUMN_TIME, made->time, made->count * 8, &error);
    if (made->weight) bad |= sg_writer_append(&writer, SCADYG_COLUMN_WEIGHT, made->weight, made->count * 4, &error);
    if (made->edge_features)
        bad |= sg_writer_append(&writer, SCADYG_COLUMN_EDGE_FEATURES, made->features,
                                made->count * made->edge_features * 4, &error);
    if (made->node_features) {
        uint64_t size = made->nodes * made->node_features * 4;
        bad |= sg_writer_begin(&writer, SCADYG_COLUMN_NODE_FEATURES, size, &error);
        bad |= sg_writer_append(&writer, SCADYG_COLUMN_NODE_FEATURES, made->node_values, size, &error);
    }
    int64_t *ids = malloc(made->nodes * sizeof *ids);
    assert_non_null(ids);
    for (uint64_t i = 0; i < made->nodes; i++) ids[i] = (int64_t)i;
    bad |= sg_writer_begin(&writer, SCADYG_COLUMN_ID_INTEGERS, made->nodes * 8, &error);
    bad |= sg_writer_append(&writer, SCADYG_COLUMN_ID_INTEGERS, ids, made->nodes * 8, &error);
    bad |= sg_writer_commit(&writer, &shape, &error);
    free(ids);
    if (bad) fail_msg("%s", error.message);
}

/* Writes and opens them; the file vanishes when closed. */
static inline scadyg_events *make_events(const made_events *made)
{
    char path[64];
    scadyg_events *events;
    scadyg_error error;
    make_path(path);
    write_events(path, made);
    if (scadyg_events_open(path, &events, &error)) fail_msg("%s", error.message);
    unlink(path);
    return events;
}

#endif
