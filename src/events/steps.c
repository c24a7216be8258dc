/* Steps and splits: the time range cut into parts. */
#include "events/steps.h"

#include "base/memory.h"
#include "base/search.h"
#include "events/file.h"

#include <math.h>

void sg_steps_free(sg_steps *steps)
{
    SG_FREE(steps->first, steps->begin, steps->end);
    *steps = (sg_steps){0};
}

/* The one place that decides on which side of a border a time falls. */
static int64_t find_part(const sg_steps *steps, double time)
{
    if (!(steps->range > 0) || time <= steps->origin) return 0;
    /* Multiplied first: whole numbers then fall on the right side of a border exactly. */
    double part = (time - steps->origin) * (double)steps->parts / steps->range;
    if (!isfinite(part)) part = (time - steps->origin) / steps->range * (double)steps->parts;
    part = floor(part);
    return part >= 0x1p62 ? (int64_t)1 << 62 : (int64_t)part;
}

int64_t sg_steps_find_open(const sg_steps *steps, double time)
{
    if (steps->rule == SG_STEPS_EQUAL_TIME) {
        int64_t part = find_part(steps, time);
        /* The last event closes the last step; the grid goes on only behind it. */
        return part == steps->parts && time - steps->origin <= steps->range ? part - 1 : part;
    }
    if (steps->anchored) return (int64_t)(sg_events_before(steps->time, steps->events, time) / steps->size);
    /* The last step that begins at or before `time`. */
    const int64_t after = (int64_t)sg_after_double(steps->begin, (size_t)steps->count, time);
    return after ? after - 1 : 0;
}

int64_t sg_steps_find(const sg_steps *steps, double time)
{
    int64_t step = sg_steps_find_open(steps, time);
    return step < steps->count ? step : steps->count - 1;
}

static void cut_by_count(sg_steps *steps, const double *time, uint64_t events)
{
    uint64_t at = 0;
    for (int64_t i = 0; i < steps->count; i++) {
        steps->first[i] = at;
        steps->begin[i] = at < events ? time[at] : INFINITY;
        uint64_t border = (uint64_t)(i + 1) * steps->size;
        if (border > events) border = events;
        if (border > at) at = border;
        while (at > 0 && at < events && time[at] == time[at - 1]) at++;
    }
}

struct border {
    const sg_steps *steps;
    int64_t step;
};

static int is_before_border(const void *data, size_t event)
{
    const struct border *border = data;
    return sg_steps_find_open(border->steps, border->steps->time[event]) < border->step;
}

/* The first event of each part: times ascend, so a binary search per border is enough. */
static void cut_by_time(sg_steps *steps)
{
    for (int64_t i = 0; i < steps->count; i++) {
        const struct border border = {steps, i};
        steps->first[i] = sg_first((size_t)steps->events, is_before_border, &border);
    }
}

/* More steps than this behind the last one of the grid are a mistake in the times, not a longer log. */
#define MOST_STEPS ((int64_t)1 << 26)

static int64_t count_steps(const sg_steps *steps)
{
    if (!steps->anchored || steps->events == 0) return steps->parts;
    const int64_t last = sg_steps_find_open(steps, steps->time[steps->events - 1]);
    return last < steps->parts ? steps->parts : last + 1;
}

static int cut_steps(sg_steps *steps, scadyg_error *error)
{
    const double *time = steps->time;
    const uint64_t events = steps->events;
    const int64_t count = steps->count = count_steps(steps);
    if (count > MOST_STEPS && count > steps->parts)
        return sg_fail(error, SCADYG_E_USAGE, "the times reach %lld steps; the model was trained on %lld",
                       (long long)count, (long long)steps->parts);
    if (SG_ALLOC(SG_ARRAY(steps->first, (size_t)count + 1), SG_ARRAY(steps->begin, (size_t)count),
                 SG_ARRAY(steps->end, (size_t)count))) {
        sg_steps_free(steps);
        return sg_fail_memory(error, "the steps");
    }
    if (steps->rule == SG_STEPS_EQUAL_COUNT)
        cut_by_count(steps, time, events);
    else
        cut_by_time(steps);
    steps->first[count] = events;
    for (int64_t i = 0; i < count; i++) {
        uint64_t next = steps->first[i + 1];
        if (steps->rule == SG_STEPS_EQUAL_TIME)
            steps->begin[i] = steps->origin + steps->range * ((double)i / (double)steps->parts);
        steps->end[i] = next > 0 ? time[next - 1] : steps->origin;
    }
    return SCADYG_OK;
}

int sg_steps_make(sg_steps *steps, const double *time, uint64_t events, int64_t count, int rule,
                  scadyg_error *error)
{
    *steps = (sg_steps){.count = count, .parts = count, .rule = rule, .time = time, .events = events};
    if (count < 1) return sg_fail(error, SCADYG_E_USAGE, "--steps must be at least 1");
    steps->origin = events ? time[0] : 0;
    steps->range = events ? time[events - 1] - time[0] : 0;
    steps->size = (events + (uint64_t)count - 1) / (uint64_t)count;
    return cut_steps(steps, error);
}

int sg_steps_make_anchored(sg_steps *steps, const double *time, uint64_t events, int64_t parts, int rule,
                           double origin, double range, uint64_t size, scadyg_error *error)
{
    *steps = (sg_steps){.parts = parts,
                        .rule = rule,
                        .origin = origin,
                        .range = range,
                        .size = size ? size : 1,
                        .anchored = 1,
                        .time = time,
                        .events = events};
    if (parts < 1) return sg_fail(error, SCADYG_E_USAGE, "--steps must be at least 1");
    return cut_steps(steps, error);
}

/* ---- Splits ---- */

double sg_quantile(const double *time, uint64_t events, double q)
{
    if (events == 0) return 0;
    double place = q * (double)(events - 1);
    if (!(place > 0)) return time[0];
    uint64_t below = (uint64_t)place;
    if (below >= events - 1) return time[events - 1];
    double share = place - (double)below, step = time[below + 1] - time[below];
    /* As numpy does it, from the nearer end, so that the last bit is the same. */
    return share >= 0.5 ? time[below + 1] - step * (1 - share) : time[below] + step * share;
}

sg_split sg_split_time(const double *time, uint64_t events, double train, double validation)
{
    sg_split split;
    split.train_end = sg_after_double(time, (size_t)events, sg_quantile(time, events, train));
    split.validation_end = sg_after_double(time, (size_t)events, sg_quantile(time, events, train + validation));
    if (split.validation_end < split.train_end) split.validation_end = split.train_end;
    return split;
}

/* ceil(share * L) where 0.15 * 100 counts as 15, although its double is a little more. */
static int64_t round_up_share(double share, int64_t count)
{
    double exact = share * (double)count, whole = nearbyint(exact);
    double parts = fabs(exact - whole) <= 1e-9 * (double)count ? whole : ceil(exact);
    return parts >= (double)count ? count : parts > 0 ? (int64_t)parts : 0;
}

sg_split sg_split_steps(const sg_steps *steps, double train, double validation)
{
    int64_t first = round_up_share(train, steps->count), second = first + round_up_share(validation, steps->count);
    if (second > steps->count) second = steps->count;
    return (sg_split){.train_end = steps->first[first], .validation_end = steps->first[second]};
}
