/*
 * What is known before a step begins, for training and scoring.
 *
 * For all nodes at once, the sums are walked row by row instead of being looked up node by node: every row of a
 * step_sums has the same age, so its decay is computed once. The sums are added in double in the same order as one node
 * alone would read them, which gives the same bytes.
 */
#include "messages/nodes/trained_on.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "messages/nodes/stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The decay of each column for an age; made anew only when the age changes. */
typedef struct fading {
    const scadyg_messages *plan;
    double age;
    double *factors; /* [hop_width] */
} fading;

static void fade(fading *f, double age)
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
    fade(f, age);
    for (size_t k = 0; k < plan->width; k += plan->hop_width)
        for (size_t j = 0; j < plan->hop_width; j++) out[k + j] += (double)values[k + j] * f->factors[j];
}

static void add_sheet(fading *f, const sg_step_sums *step_sums, double at, size_t count, double *out)
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
    for (size_t i = 0; i < stream->step_sums_count; i++)
        if (last - stream->step_sums_list[i].step < plan->window)
            add_sheet(f, &stream->step_sums_list[i], at, count, out);
    if (stream->buffer.count && (!plan->window || last - stream->step < plan->window))
        add_sheet(f, &stream->current, at, count, out);
}

static int read_all(const scadyg_messages *plan, int64_t last, double at, size_t count, float *out,
                    scadyg_error *error)
{
    double *sums = sg_alloc_aligned(count * plan->width + 1, sizeof *sums);
    fading f = {plan, NAN, sg_alloc(plan->hop_width, sizeof *f.factors)};
    if (!sums || !f.factors) {
        free(sums);
        free(f.factors);
        return sg_fail_memory(error, "the messages of a step");
    }
    add_all(&f, plan->walk, last, at, count, sums);
    for (size_t i = 0; i < count * plan->width; i++) out[i] = (float)sums[i];
    free(sums);
    free(f.factors);
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
