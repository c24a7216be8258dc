/*
 * Steps and splits.
 *
 * Steps: the time range cut into L parts.
 *
 * equal-time   parts of equal length; an event on a border belongs to the later part, the last event to the last.
 * equal-count  an event belongs to part floor(events strictly before it * L / events): parts differ by one event at
 *              most, but for events with equal times, which are never parted. Fewer events than L, or many of one
 *              time, leave parts empty.
 *
 * Empty steps keep their place.
 *
 * Anchored steps keep the grid of another file, so that they do not depend on what the log will hold later:
 *
 * equal-time   the other file's origin and step length; the grid goes on behind its last step
 * equal-count  the step of a time is floor(events strictly before it * L / events of the other file)
 */
#ifndef SG_EVENTS_STEPS_H
#define SG_EVENTS_STEPS_H

#include "base/status.h"

enum { SG_STEPS_EQUAL_TIME = 0, SG_STEPS_EQUAL_COUNT = 1 };

#define SG_STEPS_MOST 10000000 /* that one may ask for */

typedef struct sg_steps {
    int64_t count;  /* steps of this file; L if not anchored */
    int64_t parts;  /* L, over the range */
    int rule;       /* SG_STEPS_... */
    double origin;  /* first time */
    double range;   /* last time - first time */
    uint64_t total; /* equal-count: events over which the L parts go, of this file or of the other */
    int anchored;
    const double *time; /* [events], borrowed */
    uint64_t events;
    uint64_t *first; /* [L + 1]: the first event of each step; first[L] = events */
    double *begin;   /* [L]: equal-count: the time of the first event of each step, +inf for trailing empties */
    double *end;     /* [L]: t_i, the largest event time up to and including step i; an empty step has its
                        predecessor's */
} sg_steps;

#define SG_STEPS_REACH                                                                                             \
    16777216             /* behind the last one of a grid: more are a mistake in the times, not a longer log */
#define SG_STEP_BYTES 24 /* that a step takes */

int sg_steps_make(sg_steps *steps, const double *time, uint64_t events, int64_t count, int rule,
                  scadyg_error *error);
void sg_steps_free(sg_steps *steps);

/* The same grid over other events: `parts` steps over origin .. origin + range, or over `total` events. */
int sg_steps_make_anchored(sg_steps *steps, const double *time, uint64_t events, int64_t parts, int rule,
                           double origin, double range, uint64_t total, scadyg_error *error);

/* The step a time falls in, from 0. Times after the last event fall in the last step, before the first in 0. */
int64_t sg_steps_find(const sg_steps *steps, double time);

/*
 * The same for a growing log: with equal-time the grid goes on behind the last step at the same width, so the
 * result may be L or more. With equal-count everything later belongs to the last step, unless they are anchored.
 */
int64_t sg_steps_find_open(const sg_steps *steps, double time);

/*
 * Splits: training, validation and test part, as ranges of events in time order. Events with equal times are never
 * parted.
 *
 *   steps  the first ceil(train * L) steps, the next ceil(validation * L), the rest (the paper)
 *   time   by numpy's linear quantiles of all event times: train t <= q(train), validation t <= q(train + validation)
 *   events by shares of the events, each cut at the nearest place between two times. No shape of a log makes a part empty
 *          that could have events: the test part has at least the last time, the training part at least two times, from
 *          which alone something can be learned, and the validation part what is left between. So a log of three times
 *          has no validation part, one of two times or one nothing but a training part.
 */
typedef struct sg_split {
    uint64_t train_end;      /* events 0 .. train_end-1 are for training */
    uint64_t validation_end; /* then up to here for validation; the rest is test */
} sg_split;

sg_split sg_split_steps(const sg_steps *steps, double train, double validation);

/*
 * Where a quantile would leave a part without events, as with few distinct times, the cut is at the nearest border
 * between two times that leaves two times for training (nothing is known before the first) and one for each other part.
 * Of three times each part has one, of two there is no validation part, and one time is all training.
 */
sg_split sg_split_time(const double *time, uint64_t events, double train, double validation);
sg_split sg_split_events(const double *time, uint64_t events, double train, double validation);

/*
 * Splits by steps that can be learned from: training has events behind the first step, before which nothing is known,
 * and validation and test have events, too. Long silences, bursts and single times far off can leave a part without.
 * The first of these that leaves each part at least one event in a thousand, else one event:
 *
 *   the shares of all steps, which is sg_split_steps
 *   the same shares of those steps that have events, at least two of them for training and one for each other part
 *
 * SG_SPLIT_NONE: neither does; *split is then sg_split_steps.
 */
enum { SG_SPLIT_NONE, SG_SPLIT_ALL_STEPS, SG_SPLIT_STEPS_WITH_EVENTS };

int sg_split_serving(const sg_steps *steps, double train, double validation, sg_split *split);

/*
 * Chooses steps that can be learned from: those asked for if they meet the needs, else steps of equal counts, twice as
 * many until they do. *count and *rule are what was asked for and become what was chosen; they stay if nothing helps.
 */
enum {
    SG_NEEDS_STEP_PARTS, /* a split that serves, each part with one event in a thousand if they are those asked for */
    SG_NEEDS_LABELS      /* each part by time has a step with events that begins there: labels are derived of it */
};

typedef struct sg_step_needs {
    int by; /* SG_NEEDS_... */
    double train, validation;
} sg_step_needs;

int sg_steps_choose(const double *time, uint64_t events, const sg_step_needs *needs, int64_t *count, int *rule,
                    scadyg_error *error);

/* Says that nothing can be learned from events with such times. */
int sg_fail_times(const double *time, uint64_t events, scadyg_error *error);

/* numpy.quantile(time, q) of ascending times. */
double sg_quantile(const double *time, uint64_t events, double q);

#endif
