/*
 * A moment: the messages of chosen nodes at a point of the log, by the model's freshness.
 *
 *   step    what is known before the step that a time falls in, or that the first event out of sight falls in if that
 *           is earlier: a step counts once all of it is visible
 *   event   what lies strictly before a time, from a stream that follows the log
 */
#ifndef SG_TASKS_MOMENT_H
#define SG_TASKS_MOMENT_H

#include "tasks/inputs.h"

typedef struct sg_moment {
    sg_inputs *inputs;
    scadyg_stream *stream; /* event freshness; NULL before the first use */
    uint64_t added;        /* events in the stream */
    double at;             /* latest read */
    double *message;       /* [width] */
} sg_moment;

int sg_moment_open(sg_moment *moment, sg_inputs *inputs, scadyg_error *error);
void sg_moment_close(sg_moment *moment);

/* Forgets the stream, so that earlier times can be asked for. */
void sg_moment_rewind(sg_moment *moment);

/* Step freshness: the step whose past is read. step: as below. */
int64_t sg_moment_step(const sg_inputs *inputs, int64_t step, double at, uint64_t seen);

/*
 * Normalised messages of nodes, out[count][width], given that the first `seen` events are visible. step: the step
 * whose past it is, or -1: the one that `at` falls in. Going back in time rewinds.
 */
int sg_moment_read(sg_moment *moment, int64_t step, double at, uint64_t seen, const uint32_t *nodes, size_t count,
                   float *out, scadyg_error *error);

#endif
