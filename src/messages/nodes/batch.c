/*
 * The batch engine: messages at one time, from the events of the window before it.
 *
 * The sums refer to that very time, so an event adds x * T(at - t) and nothing is carried. Memory: the sums
 * of the nodes, and a bounded scratch; with more than one hop also the sums of the nodes of one step, and 8
 * bytes per event of it.
 */
#include "messages/nodes/batch.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "messages/nodes/step_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

sg_span sg_batch_span(const scadyg_messages *plan, double at)
{
    const sg_steps *steps = &plan->steps;
    sg_span span = {.end = sg_events_before(plan->columns.time, plan->columns.count, at)};
    span.last_step = plan->trained_on ? sg_steps_find_open(steps, at) : sg_steps_find(steps, at);
    if (plan->window && span.last_step - plan->window >= 0) span.first_step = span.last_step - plan->window + 1;
    if (span.last_step >= steps->count) span.last_step = steps->count - 1;
    span.first = steps->first[span.first_step < steps->count ? span.first_step : steps->count];
    if (span.first > span.end) span.first = span.end;
    return span;
}

static int add_one_hop(sg_sums *sums, const sg_span *span, const scadyg_progress *progress, scadyg_error *error)
{
    const sg_source source = sg_plan_source(sums->plan);
    const uint64_t total = span->end - span->first;
    for (uint64_t done = 0; done < total; done += SG_REPORT_EVENTS) {
        const uint64_t size = total - done < SG_REPORT_EVENTS ? total - done : SG_REPORT_EVENTS;
        int status = sg_report(progress, "propagating", done, total, error);
        if (!status)
            status = sg_sums_add(sums, &source, span->first + done, size, NULL, NULL, sums->plan->threads, error);
        if (status) return status;
    }
    return sg_report(progress, "propagating", total, total, error);
}

static int add_steps(sg_sums *sums, const sg_span *span, const scadyg_progress *progress, scadyg_error *error)
{
    const scadyg_messages *plan = sums->plan;
    const sg_source source = sg_plan_source(plan);
    sg_step_sums step_sums;
    sg_step_sums_init(&step_sums, plan, 0);
    int status = SCADYG_OK;
    for (int64_t step = span->first_step; step <= span->last_step && !status; step++) {
        const uint64_t first = plan->steps.first[step];
        uint64_t end = plan->steps.first[step + 1];
        if (end > span->end) end = span->end;
        if (first >= end) continue;
        status = sg_report(progress, "propagating", first - span->first, span->end - span->first, error);
        if (!status)
            status = sg_step_sums_make(&step_sums, &source, first, end - first, sums->frame, plan->threads, error);
        if (!status) sg_step_sums_fold(&step_sums, sums, plan->threads);
    }
    sg_step_sums_free(&step_sums);
    return status;
}

int sg_batch_all(sg_sums *sums, const sg_span *span, const scadyg_progress *progress, scadyg_error *error)
{
    int status = sg_sums_reserve(sums, (size_t)sums->plan->nodes, error);
    if (status) return status;
    return sums->plan->hops > 1 ? add_steps(sums, span, progress, error) : add_one_hop(sums, span, progress, error);
}

/* The way out: from sums to the caller's doubles. */

#define SLICE ((size_t)1024)

typedef struct output {
    const sg_sums *sums;
    const sg_node_map *rows; /* NULL: the row of a node is its number */
    const uint32_t *nodes;
    size_t count;
    double *out;
} output;

static void write_slice(void *context, size_t index)
{
    const output *o = context;
    const size_t width = o->sums->plan->width, begin = index * SLICE;
    const size_t end = o->count - begin < SLICE ? o->count : begin + SLICE;
    memset(o->out + begin * width, 0, (end - begin) * width * sizeof *o->out);
    for (size_t i = begin; i < end; i++) {
        const uint32_t node = o->nodes ? o->nodes[i] : (uint32_t)i;
        const size_t row = o->rows ? sg_node_map_find(o->rows, node) : node;
        sg_sums_read(o->sums, row, o->sums->frame, o->out + i * width);
    }
}

/* A pass over all events for a few nodes is cheaper than all sums; the results are the same. */
static int worth_filtering(const scadyg_messages *plan, const uint32_t *nodes, size_t count)
{
    return nodes && plan->hops == 1 && count <= plan->nodes / 8;
}

static int map_nodes(sg_node_map *map, const uint32_t *nodes, size_t count, scadyg_error *error)
{
    int status = SCADYG_OK;
    uint32_t row;
    for (size_t i = 0; i < count && !status; i++) status = sg_node_map_add(map, nodes[i], &row, error);
    return status;
}

int scadyg_messages_at(scadyg_messages *plan, double at, const uint32_t *nodes, size_t count, double *out,
                       const scadyg_progress *progress, scadyg_error *error)
{
    if (!isfinite(at)) return sg_fail(error, SCADYG_E_USAGE, "the time of messages must be a finite number");
    if (!nodes && count != plan->nodes)
        return sg_fail(error, SCADYG_E_USAGE, "the messages of all nodes are %llu, not %zu",
                       (unsigned long long)plan->nodes, count);
    for (size_t i = 0; nodes && i < count; i++)
        if (nodes[i] >= plan->nodes) return sg_fail(error, SCADYG_E_NOT_FOUND, "there is no node %u", nodes[i]);
    const sg_span span = sg_batch_span(plan, at);
    const int some = worth_filtering(plan, nodes, count);
    sg_node_map rows = {0};
    sg_sums sums;
    sg_sums_init(&sums, plan);
    sg_sums_fix(&sums, at);
    int status = some ? map_nodes(&rows, nodes, count, error) : SCADYG_OK;
    if (!status)
        status = some ? sg_batch_some(&sums, &rows, &span, progress, error)
                      : sg_batch_all(&sums, &span, progress, error);
    if (!status) {
        output o = {&sums, some ? &rows : NULL, nodes, count, out};
        sg_parallel_for(plan->threads, (count + SLICE - 1) / SLICE, write_slice, &o);
    }
    sg_node_map_free(&rows);
    sg_sums_free(&sums);
    return status;
}
