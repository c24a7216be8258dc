/*
 * Walking through the steps, for training: what is known when a step has ended, and before one begins.
 *
 * The walk is a stream fed a step at a time, on all threads. With a window it keeps the sums of every step of
 * the window: (nodes active in the step) * width numbers each.
 */
#include "base/context.h"
#include "base/memory.h"
#include "messages/nodes/stream.h"
#include "messages/nodes/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- When a step has ended ---- */

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
    int status = sg_stream_add(plan->context, plan->walk, &source, first, count, plan->nodes, error);
    if (!status) status = sg_stream_prepare(plan->context, plan->walk, error);
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

static void read_slice(void *data, size_t worker, size_t index)
{
    (void)worker;
    const reading *r = data;
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
        return sg_fail(error, SCADYG_E_USAGE, "there %s only %llu node%s", plan->nodes == 1 ? "is" : "are",
                       (unsigned long long)plan->nodes, sg_plural(plan->nodes));
    for (size_t i = 0; nodes && i < count; i++)
        if (nodes[i] >= plan->nodes) return sg_fail(error, SCADYG_E_NOT_FOUND, "there is no node %u", nodes[i]);
    const size_t slices = (count + SLICE - 1) / SLICE;
    double *messages = sg_alloc(slices * plan->width, sizeof *messages);
    if (!messages) return sg_fail_memory(error, "some messages");
    reading r = {plan, at, nodes, count, messages, out};
    sg_parallel_for(plan->context, slices, read_slice, &r);
    free(messages);
    return SCADYG_OK;
}

/*
 * ---- Before a step begins ----
 *
 * For all nodes at once, the sums are gone through row by row instead of being looked up node by node: all rows of a step
 * have the same age, so their decay is computed once. The sums are added in double in the same order as one node alone
 * would read them, which gives the same bytes.
 */

/* The decay of each column for an age; made anew only when the age changes. */
typedef struct fading {
    const scadyg_messages *plan;
    double age;
    double *factors; /* [hop_width] */
} fading;

static void set_age(fading *f, double age)
{
    if (age == f->age) return;
    f->age = age;
    for (size_t j = 0; j < f->plan->hop_width; j++)
        f->factors[j] = f->plan->rates[j] > 0 ? exp(-f->plan->rates[j] * age) : 1;
}

/* The same as sg_sums_read in float. */
static void add_row(fading *f, const sg_sums *sums, size_t row, double at, double *out)
{
    const scadyg_messages *plan = f->plan;
    const float *values = (const float *)sums->rows + row * plan->width;
    const double age = at - (sums->frames ? sums->frames[row] : sums->frame);
    if (age == 0) {
        for (size_t j = 0; j < plan->width; j++) out[j] += (double)values[j];
        return;
    }
    set_age(f, age);
    for (size_t k = 0; k < plan->width; k += plan->hop_width)
        for (size_t j = 0; j < plan->hop_width; j++) out[k + j] += (double)values[k + j] * f->factors[j];
}

static void add_step_sums(fading *f, const sg_step_sums *step_sums, double at, size_t count, double *out)
{
    if (!step_sums->sums.has_frame) return;
    for (size_t row = 0; row < step_sums->map.count; row++)
        if (step_sums->map.nodes[row] < count)
            add_row(f, &step_sums->sums, row, at, out + step_sums->map.nodes[row] * f->plan->width);
}

static void add_all(fading *f, const scadyg_stream *stream, int64_t last, double at, size_t count, double *out)
{
    const scadyg_messages *plan = f->plan;
    const sg_sums *all = &stream->all;
    if (!plan->window && all->has_frame)
        for (size_t row = 0; row < count && row < all->count; row++)
            add_row(f, all, row, at, out + row * plan->width);
    for (size_t i = stream->step_gone; i < stream->step_count; i++)
        if (last - stream->of_steps[i].step < plan->window) add_step_sums(f, &stream->of_steps[i], at, count, out);
    if (stream->buffer.count && (!plan->window || last - stream->step < plan->window))
        add_step_sums(f, &stream->current, at, count, out);
}

static int read_all(const scadyg_messages *plan, int64_t last, double at, size_t count, float *out,
                    scadyg_error *error)
{
    double *sums = sg_alloc_aligned(count * plan->width + 1, sizeof *sums);
    fading f = {plan, NAN, sg_alloc(plan->hop_width, sizeof *f.factors)};
    if (!sums || !f.factors) {
        SG_FREE(sums, f.factors);
        return sg_fail_memory(error, "the messages of a step");
    }
    add_all(&f, plan->walk, last, at, count, sums);
    for (size_t i = 0; i < count * plan->width; i++) out[i] = (float)sums[i];
    SG_FREE(sums, f.factors);
    return SCADYG_OK;
}

static int read_some(const scadyg_messages *plan, int64_t last, double at, const uint32_t *nodes, size_t count,
                     float *out, scadyg_error *error)
{
    double *message = sg_alloc(plan->width, sizeof *message);
    if (!message) return sg_fail_memory(error, "a message");
    for (size_t i = 0; i < count; i++) {
        sg_stream_message(plan->walk, nodes ? nodes[i] : (uint32_t)i, at, last, message);
        for (size_t j = 0; j < plan->width; j++) out[i * plan->width + j] = (float)message[j];
    }
    free(message);
    return SCADYG_OK;
}

int sg_messages_before_step(scadyg_messages *plan, int64_t step, const uint32_t *nodes, size_t count, float *out,
                            scadyg_error *error)
{
    const sg_steps *steps = &plan->steps;
    const int64_t last = step - 1, reached = last < steps->count ? last : steps->count - 1;
    if (step <= 0 || steps->first[reached + 1] == 0) {
        memset(out, 0, count * plan->width * sizeof *out);
        return SCADYG_OK;
    }
    int status = scadyg_messages_step(plan, reached, error);
    if (status) return status;
    const double at = steps->end[reached];
    if (!nodes && !plan->double_precision) return read_all(plan, last, at, count, out, error);
    return read_some(plan, last, at, nodes, count, out, error);
}
