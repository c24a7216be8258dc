/*
 * Walking through the steps, for training.
 *
 * The walk is a stream fed a step at a time, on all threads. With a window it keeps a step_sums per step of the
 * window: (nodes active in the step) * width numbers each.
 */
#include "base/memory.h"
#include "base/parallel.h"
#include "messages/nodes/stream.h"

#include <math.h>
#include <stdlib.h>

int64_t scadyg_messages_step_count(const scadyg_messages *plan)
{
    return plan->steps.count;
}

int scadyg_messages_step_range(const scadyg_messages *plan, int64_t step, uint64_t *first_event,
                               uint64_t *event_count, double *end_time)
{
    const sg_steps *steps = &plan->steps;
    if (step < 0 || step >= steps->count) return SCADYG_E_USAGE;
    if (first_event) *first_event = steps->first[step];
    if (event_count) *event_count = steps->first[step + 1] - steps->first[step];
    if (end_time) *end_time = steps->end[step];
    return SCADYG_OK;
}

int scadyg_messages_step(scadyg_messages *plan, int64_t step, scadyg_error *error)
{
    const sg_steps *steps = &plan->steps;
    if (step < 0 || step >= steps->count)
        return sg_fail(error, SCADYG_E_USAGE, "there is no step %lld; steps go from 0 to %lld", (long long)step,
                       (long long)steps->count - 1);
    if (plan->walk && step < plan->walked) {
        scadyg_stream_close(plan->walk);
        plan->walk = NULL;
    }
    if (!plan->walk) {
        int status = scadyg_stream_open(plan, &plan->walk, error);
        if (status) return status;
        plan->walked = -1;
    }
    int64_t from = plan->walked + 1;
    if (plan->window && step - plan->window + 1 > from) from = step - plan->window + 1;
    if (from > step) return SCADYG_OK;
    const sg_source source = sg_plan_source(plan);
    const uint64_t first = steps->first[from], count = steps->first[step + 1] - first;
    int status = sg_stream_add(plan->walk, &source, first, count, plan->nodes, plan->threads, error);
    if (!status) status = sg_stream_prepare(plan->walk, plan->threads, error);
    if (status) { /* some events may be in: begin again next time */
        scadyg_stream_close(plan->walk);
        plan->walk = NULL;
        return status;
    }
    plan->walked = step;
    return SCADYG_OK;
}

#define SLICE ((size_t)256)

typedef struct reading {
    const scadyg_messages *plan;
    double at;
    const uint32_t *nodes;
    size_t count;
    double *messages; /* [slices][width] */
    float *out;
} reading;

static void read_slice(void *context, size_t index)
{
    const reading *r = context;
    const scadyg_messages *plan = r->plan;
    double *message = r->messages + index * plan->width;
    const size_t begin = index * SLICE, end = r->count - begin < SLICE ? r->count : begin + SLICE;
    for (size_t i = begin; i < end; i++) {
        sg_stream_message(plan->walk, r->nodes ? r->nodes[i] : (uint32_t)i, r->at, plan->walked, message);
        for (size_t j = 0; j < plan->width; j++) r->out[i * plan->width + j] = (float)message[j];
    }
}

int scadyg_messages_read(scadyg_messages *plan, double at, const uint32_t *nodes, size_t count, float *out,
                         scadyg_error *error)
{
    if (!plan->walk) return sg_fail(error, SCADYG_E_USAGE, "no step has been visited yet");
    if (!isfinite(at) || at < plan->steps.end[plan->walked])
        return sg_fail(error, SCADYG_E_USAGE, "time %.17g is before the end of step %lld at %.17g", at,
                       (long long)plan->walked, plan->steps.end[plan->walked]);
    if (!nodes && count > plan->nodes)
        return sg_fail(error, SCADYG_E_USAGE, "there are only %llu nodes", (unsigned long long)plan->nodes);
    for (size_t i = 0; nodes && i < count; i++)
        if (nodes[i] >= plan->nodes) return sg_fail(error, SCADYG_E_NOT_FOUND, "there is no node %u", nodes[i]);
    const size_t slices = (count + SLICE - 1) / SLICE;
    double *messages = sg_alloc(slices * plan->width, sizeof *messages);
    if (!messages) return sg_fail_memory(error, "some messages");
    reading r = {plan, at, nodes, count, messages, out};
    sg_parallel_for(plan->threads, slices, read_slice, &r);
    free(messages);
    return SCADYG_OK;
}
