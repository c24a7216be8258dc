/* The streaming form: one pass, an event at a time. */
#include "messages/nodes/stream.h"

#include "base/memory.h"
#include "base/search.h"
#include "messages/nodes/decay.h"
#include "messages/nodes/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int scadyg_stream_open(const scadyg_messages *plan, scadyg_stream **out, scadyg_error *error)
{
    scadyg_stream *stream = sg_alloc_zero(1, sizeof *stream);
    if (!stream) return sg_fail_memory(error, "a stream");
    stream->plan = plan;
    stream->step = -1;
    stream->last_time = stream->newest_time = -INFINITY;
    sg_sums_init(&stream->all, plan);
    sg_step_sums_init(&stream->current, plan, -1);
    int status = plan->window ? SCADYG_OK : sg_sums_reserve(&stream->all, (size_t)plan->nodes, error);
    if (status) {
        scadyg_stream_close(stream);
        return status;
    }
    *out = stream;
    return SCADYG_OK;
}

void scadyg_stream_close(scadyg_stream *stream)
{
    if (!stream) return;
    sg_sums_free(&stream->all);
    for (size_t i = stream->step_gone; i < stream->step_count; i++) sg_step_sums_free(&stream->of_steps[i]);
    free(stream->of_steps);
    sg_buffer_free(&stream->buffer);
    sg_buffer_free(&stream->pending);
    sg_step_sums_free(&stream->current);
    free(stream);
}

int sg_stream_prepare(scadyg_context *context, scadyg_stream *stream, scadyg_error *error)
{
    if (stream->buffer.count == 0 || stream->current_valid) return SCADYG_OK;
    sg_source source = sg_buffer_source(&stream->buffer);
    stream->current.step = stream->step;
    int status =
        sg_step_sums_make(context, &stream->current, &source, 0, stream->buffer.count, stream->last_time, error);
    if (!status) stream->current_valid = 1;
    return status;
}

/* Appends the sums of a step, and drops those of steps that no window will see again. */
static int push_step(scadyg_stream *stream, const sg_step_sums *step_sums, scadyg_error *error)
{
    if (sg_grow(&stream->of_steps, &stream->step_capacity, stream->step_count + 1, sizeof *stream->of_steps))
        return sg_fail_memory(error, "the steps of the window");
    while (stream->step_gone < stream->step_count &&
           step_sums->step - stream->of_steps[stream->step_gone].step >= stream->plan->window)
        sg_step_sums_free(&stream->of_steps[stream->step_gone++]);
    /* The others move up when they are the fewer, so that a long window does not move at each step. */
    if (2 * stream->step_gone > stream->step_count) {
        stream->step_count -= stream->step_gone;
        memmove(stream->of_steps, stream->of_steps + stream->step_gone,
                stream->step_count * sizeof *stream->of_steps);
        stream->step_gone = 0;
    }
    stream->of_steps[stream->step_count++] = *step_sums;
    return SCADYG_OK;
}

/* More hops: the current step is over, so its sums join those of the past. */
static int close_step(scadyg_context *context, scadyg_stream *stream, scadyg_error *error)
{
    if (stream->buffer.count == 0) return SCADYG_OK;
    int status = sg_stream_prepare(context, stream, error);
    if (status) return status;
    if (stream->plan->window) {
        status = push_step(stream, &stream->current, error);
        if (status) return status;
        sg_step_sums_init(&stream->current, stream->plan, -1);
    } else {
        status = sg_sums_advance(&stream->all, stream->last_time, error);
        if (status) return status;
        sg_step_sums_fold(context, &stream->current, &stream->all);
    }
    stream->buffer.count = 0;
    stream->current_valid = 0;
    return SCADYG_OK;
}

static int add_in_step(scadyg_context *context, scadyg_stream *stream, int64_t step, const sg_source *source,
                       uint64_t first, uint64_t count, scadyg_error *error)
{
    int status = SCADYG_OK;
    if (stream->plan->hops > 1) {
        if (step != stream->step) status = close_step(context, stream, error);
        if (!status) status = sg_buffer_append(&stream->buffer, stream->plan, source, first, count, error);
        if (!status) stream->current_valid = 0;
        return status;
    }
    if (stream->step_count == 0 || stream->of_steps[stream->step_count - 1].step != step) {
        sg_step_sums step_sums;
        sg_step_sums_init(&step_sums, stream->plan, step);
        status = push_step(stream, &step_sums, error);
        if (status) return status;
    }
    return sg_step_sums_add(&stream->of_steps[stream->step_count - 1], source, first, count, error);
}

typedef struct step_times {
    const sg_steps *steps;
    int64_t step;
    const double *time;
} step_times;

static int is_in_step(const void *data, size_t index)
{
    const step_times *t = data;
    return sg_steps_find_open(t->steps, t->time[index]) == t->step;
}

/* How many of the events, from the first on, belong to its step. */
static uint64_t count_in_step(const sg_steps *steps, int64_t step, const double *time, uint64_t count)
{
    const step_times times = {steps, step, time};
    return is_in_step(&times, (size_t)count - 1) ? count : sg_first((size_t)count, is_in_step, &times);
}

int sg_stream_add(scadyg_context *context, scadyg_stream *stream, const sg_source *source, uint64_t first,
                  uint64_t count, uint64_t nodes, scadyg_error *error)
{
    const scadyg_messages *plan = stream->plan;
    int status = plan->window ? SCADYG_OK : sg_sums_reserve(&stream->all, (size_t)nodes, error);
    if (status || count == 0) return status;
    if (plan->window == 0 && plan->hops == 1) {
        status = sg_sums_add(context, &stream->all, source, first, count, NULL, NULL, error);
        if (!status) stream->last_time = source->time[first + count - 1];
        return status;
    }
    while (count) {
        const double *time = source->time + first;
        const int64_t step = sg_steps_find_open(&plan->steps, time[0]);
        const uint64_t run = count_in_step(&plan->steps, step, time, count);
        status = add_in_step(context, stream, step, source, first, run, error);
        if (status) return status;
        stream->step = step;
        stream->last_time = time[run - 1];
        first += run;
        count -= run;
    }
    return SCADYG_OK;
}

/* Adds the waiting events before a time; those at that time or later go on waiting. */
static int add_pending(scadyg_stream *stream, double before, scadyg_error *error)
{
    sg_buffer *pending = &stream->pending;
    const uint64_t count = sg_events_before(pending->time, pending->count, before);
    if (count == 0) return SCADYG_OK;
    const sg_source source = sg_buffer_source(pending);
    int status = sg_stream_add(NULL, stream, &source, 0, count, stream->pending_nodes, error);
    sg_buffer_drop(pending, stream->plan, (size_t)count);
    return status;
}

/* Lets events wait, so that a read at their very time does not see them. */
static int let_wait(scadyg_stream *stream, const sg_source *source, uint64_t first, uint64_t count, uint64_t nodes,
                    scadyg_error *error)
{
    int status = sg_buffer_append(&stream->pending, stream->plan, source, first, count, error);
    if (status) return status;
    stream->newest_time = source->time[first + count - 1];
    if (nodes > stream->pending_nodes) stream->pending_nodes = nodes;
    return SCADYG_OK;
}

int scadyg_stream_add(scadyg_stream *stream, uint32_t src, uint32_t dst, double time, const float *features,
                      float weight, scadyg_error *error)
{
    const scadyg_messages *plan = stream->plan;
    if (!(time >= stream->newest_time) || !isfinite(time))
        return sg_fail(error, SCADYG_E_USAGE, "an event at time %.17g cannot follow one at %.17g", time,
                       stream->newest_time);
    if (src == UINT32_MAX || dst == UINT32_MAX)
        return sg_fail(error, SCADYG_E_USAGE, "node numbers must be below %u", UINT32_MAX);
    if (plan->stored && !features)
        return sg_fail(error, SCADYG_E_USAGE, "an event of this stream has %zu feature%s; none were given",
                       plan->stored, sg_plural(plan->stored));
    const sg_source source = {&src, &dst, &time, plan->columns.weight ? &weight : NULL, features};
    const uint64_t nodes = (uint64_t)(src > dst ? src : dst) + 1;
    int status = SCADYG_OK;
    if (sg_buffer_push(&stream->pending, src, dst, time, weight)) {
        stream->newest_time = time;
        if (nodes > stream->pending_nodes) stream->pending_nodes = nodes;
    } else
        status = let_wait(stream, &source, 0, 1, nodes, error);
    if (status || stream->pending.count < SG_TILE || stream->pending.time[0] == time) return status;
    return add_pending(stream, time, error);
}

int scadyg_stream_add_events(scadyg_stream *stream, scadyg_events *events, uint64_t first, uint64_t count,
                             scadyg_error *error)
{
    const scadyg_messages *plan = stream->plan;
    const scadyg_shape *shape = scadyg_events_shape(events);
    sg_columns columns;
    int status = sg_events_columns(plan->context, events, 0, 0, &columns, error);
    if (status) return status;
    if (first > columns.count || count > columns.count - first)
        return sg_fail(error, SCADYG_E_USAGE, "the file has no events %llu to %llu", (unsigned long long)first,
                       (unsigned long long)(first + count));
    const int passed_over = plan->trained_on && plan->trained_on->features_zero;
    if ((shape->edge_features != plan->stored && !passed_over) ||
        shape->has_weight != (plan->columns.weight != NULL))
        return sg_fail(error, SCADYG_E_USAGE, "the events have other features or weights than the stream's");
    if (count == 0) return SCADYG_OK;
    if (columns.time[first] < stream->newest_time)
        return sg_fail(error, SCADYG_E_USAGE, "an event at time %.17g cannot follow one at %.17g",
                       columns.time[first], stream->newest_time);
    const sg_source source = {columns.src, columns.dst, columns.time, columns.weight, columns.edge_features};
    /* The events at the last time wait with those given before them at that time; all others are added. */
    const double last = columns.time[first + count - 1];
    const uint64_t ready = sg_events_before(columns.time + first, count, last);
    status = add_pending(stream, last, error);
    if (!status && ready) status = sg_stream_add(NULL, stream, &source, first, ready, shape->nodes, error);
    if (!status) status = let_wait(stream, &source, first + ready, count - ready, shape->nodes, error);
    return sg_events_finish(status, events, error);
}

void sg_stream_message(const scadyg_stream *stream, uint32_t node, double at, int64_t last, double *out)
{
    const scadyg_messages *plan = stream->plan;
    memset(out, 0, plan->width * sizeof *out);
    if (!plan->window && node < stream->all.count) sg_sums_read(&stream->all, node, at, out);
    for (size_t i = stream->step_gone; i < stream->step_count; i++)
        if (last - stream->of_steps[i].step < plan->window) sg_step_sums_read(&stream->of_steps[i], node, at, out);
    if (stream->buffer.count && (!plan->window || last - stream->step < plan->window))
        sg_step_sums_read(&stream->current, node, at, out);
}

int scadyg_stream_read(scadyg_stream *stream, uint32_t node, double at, double *out, scadyg_error *error)
{
    if (!(at >= stream->newest_time) || !isfinite(at))
        return sg_fail(error, SCADYG_E_USAGE, "a message at time %.17g cannot be read after an event at %.17g", at,
                       stream->newest_time);
    int status = add_pending(stream, at, error);
    if (!status) status = sg_stream_prepare(NULL, stream, error);
    if (status) return status;
    /* The window moves with the time until the last step: of the file, or of the events if they are later. Plans made by
     * another file have no last step. */
    const sg_steps *steps = &stream->plan->steps;
    const int64_t newest = stream->step > steps->count - 1 ? stream->step : steps->count - 1;
    const int64_t last = sg_steps_find_open(steps, at);
    sg_stream_message(stream, node, at, last < newest || stream->plan->trained_on ? last : newest, out);
    return SCADYG_OK;
}
