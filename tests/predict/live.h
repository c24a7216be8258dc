/* A reader of one's own over a file, for tests that compare what the default model for links reads. */
#ifndef TESTS_PREDICT_LIVE_H
#define TESTS_PREDICT_LIVE_H

#include "learn/sample.h"

#include "models/scadyg/reader.h"

typedef struct live {
    sg_view view;
    sg_pair_reader reader;
} live;

static inline void live_open(live *l, const scadyg_model *model, scadyg_events *events, scadyg_context *context)
{
    scadyg_error error = {0};
    if (sg_view_open(context, model, events, &l->view, &error) || sg_pair_reader_open(&l->reader, &l->view, &error))
        fail_msg("%s", error.message);
}

static inline void live_close(live *l)
{
    sg_pair_reader_close(&l->reader);
    sg_view_close(&l->view);
}

/* The row of one node at a time, normalised; it stays until the next one. */
static inline const float *live_node(live *l, uint32_t node, double at)
{
    scadyg_error error = {0};
    const uint64_t seen = sg_events_before(l->view.columns->time, l->view.columns->count, at);
    const sg_place place = sg_reader_place(&l->view, -1, at, seen);
    const sg_ledger_group group = {place.seen, place.at, 0, 0};
    const size_t node_first[2] = {0, 1};
    const sg_read_plan plan = {.groups = &group, .count = 1, .nodes = &node, .node_first = node_first};
    if (sg_pair_reader_run(&l->reader, &plan, &error)) fail_msg("%s", error.message);
    return l->reader.nodes;
}

#endif
