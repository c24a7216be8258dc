/* A moment: the messages of chosen nodes at a point of the log. */
#include "tasks/moment.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

int sg_moment_open(sg_moment *moment, sg_inputs *inputs, scadyg_error *error)
{
    *moment = (sg_moment){.inputs = inputs, .at = -INFINITY};
    moment->message = sg_alloc(inputs->width, sizeof *moment->message);
    return moment->message ? SCADYG_OK : sg_fail_memory(error, "a message");
}

void sg_moment_close(sg_moment *moment)
{
    scadyg_stream_close(moment->stream);
    free(moment->message);
    *moment = (sg_moment){0};
}

void sg_moment_rewind(sg_moment *moment)
{
    scadyg_stream_close(moment->stream);
    moment->stream = NULL;
    moment->added = 0;
    moment->at = -INFINITY;
}

static int follow(sg_moment *moment, double at, uint64_t seen, scadyg_error *error)
{
    if (seen < moment->added || at < moment->at) sg_moment_rewind(moment);
    int status = SCADYG_OK;
    if (!moment->stream) status = scadyg_stream_open(moment->inputs->messages, &moment->stream, error);
    if (!status && seen > moment->added)
        status = scadyg_stream_add_events(moment->stream, moment->inputs->events, moment->added,
                                          seen - moment->added, error);
    if (status) {
        sg_moment_rewind(moment);
        return status;
    }
    moment->added = seen;
    moment->at = at;
    return SCADYG_OK;
}

int64_t sg_moment_step(const sg_inputs *inputs, int64_t step, double at, uint64_t seen)
{
    const sg_columns *columns = &inputs->messages->columns;
    if (step < 0) step = sg_messages_step_of(inputs->messages, at);
    if (seen >= columns->count) return step;
    const int64_t hidden = sg_messages_step_of(inputs->messages, columns->time[seen]);
    return hidden < step ? hidden : step;
}

int sg_moment_read(sg_moment *moment, int64_t step, double at, uint64_t seen, const uint32_t *nodes, size_t count,
                   float *out, scadyg_error *error)
{
    sg_inputs *inputs = moment->inputs;
    const size_t width = inputs->width;
    if (inputs->model->options.freshness == SCADYG_FRESHNESS_STEP) {
        return sg_inputs_some(inputs, sg_moment_step(inputs, step, at, seen), nodes, count, out, error);
    }
    int status = follow(moment, at, seen, error);
    for (size_t i = 0; i < count && !status; i++) {
        status = scadyg_stream_read(moment->stream, nodes[i], at, moment->message, error);
        for (size_t j = 0; j < width && !status; j++) out[i * width + j] = (float)moment->message[j];
    }
    if (!status) sg_model_normalise(inputs->model, out, count, 1);
    return status;
}
