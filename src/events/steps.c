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

/* floor(before * L / total), without a product that does not fit. */
static int64_t step_of_count(const sg_steps *steps, uint64_t before)
{
    const uint64_t parts = (uint64_t)steps->parts, total = steps->total;
    return (int64_t)(before / total * parts + before % total * parts / total);
}

/* The first count of events before with which a step begins: ceil(step * total / L). */
static uint64_t count_of_step(const sg_steps *steps, int64_t step)
{
    const uint64_t parts = (uint64_t)steps->parts, total = steps->total, i = (uint64_t)step;
    return i / parts * total + (i % parts * total + parts - 1) / parts;
}

int64_t sg_steps_find_open(const sg_steps *steps, double time)
{
    if (steps->rule == SG_STEPS_EQUAL_TIME) {
        int64_t part = find_part(steps, time);
        /* The last event closes the last step; the grid goes on only behind it. */
        return part == steps->parts && time - steps->origin <= steps->range ? part - 1 : part;
    }
    if (steps->anchored) return step_of_count(steps, sg_events_before(steps->time, steps->events, time));
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
        uint64_t border = count_of_step(steps, i + 1);
        if (border > events) border = events;
        if (border > at) at = border;
        while (at > 0 && at < events && time[at] == time[at - 1]) at++;
    }
}

typedef struct border {
    const sg_steps *steps;
    int64_t step;
    uint64_t from;
} border;

static int is_before_border(const void *data, size_t event)
{
    const border *b = data;
    return sg_steps_find_open(b->steps, b->steps->time[b->from + event]) < b->step;
}

/* The first event of each part. Times ascend, so a part that has events ends at what a search finds among those behind its
 * first one; empty parts, of which there may be many more than events, cost a look at one of them. */
static void cut_by_time(sg_steps *steps)
{
    uint64_t at = 0;
    for (int64_t i = 0; i < steps->count; i++) {
        const border b = {steps, i, at};
        if (at < steps->events && is_before_border(&b, 0))
            at += sg_first((size_t)(steps->events - at), is_before_border, &b);
        steps->first[i] = at;
    }
}

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
    if (count > SG_STEPS_REACH && count > steps->parts)
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
    steps->total = events ? events : 1;
    return cut_steps(steps, error);
}

int sg_steps_make_anchored(sg_steps *steps, const double *time, uint64_t events, int64_t parts, int rule,
                           double origin, double range, uint64_t total, scadyg_error *error)
{
    *steps = (sg_steps){.parts = parts,
                        .rule = rule,
                        .origin = origin,
                        .range = range,
                        .total = total ? total : 1,
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

/* Where the events at time[event] end, or begin. */
static uint64_t end_of_time(const double *time, uint64_t events, uint64_t event)
{
    return sg_after_double(time, (size_t)events, time[event]);
}

static uint64_t begin_of_time(const double *time, uint64_t event)
{
    return sg_events_before(time, event + 1, time[event]);
}

static uint64_t clamp(uint64_t value, uint64_t least, uint64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* Moves cuts between two times to the nearest ones that leave something in each part. */
static sg_split fill_parts(const double *time, uint64_t events, sg_split split)
{
    const uint64_t first = end_of_time(time, events, 0), last = begin_of_time(time, events - 1);
    if (first > last) return (sg_split){events, events}; /* all of one time */
    if (first == last) return (sg_split){first, first};
    const uint64_t second = end_of_time(time, events, first), before_last = begin_of_time(time, last - 1);
    split.train_end = clamp(split.train_end, second < before_last ? second : before_last, before_last);
    split.validation_end = clamp(split.validation_end, end_of_time(time, events, split.train_end), last);
    return split;
}

static sg_split split_quantiles(const double *time, uint64_t events, double train, double validation)
{
    const double first = sg_quantile(time, events, train), second = sg_quantile(time, events, train + validation);
    return (sg_split){sg_after_double(time, (size_t)events, first), sg_after_double(time, (size_t)events, second)};
}

sg_split sg_split_time(const double *time, uint64_t events, double train, double validation)
{
    if (events == 0) return (sg_split){0, 0};
    return fill_parts(time, events, split_quantiles(time, events, train, validation));
}

/* The place between two different times nearest to `wanted`, above `low` and below `high`; 0 if there is none. */
static uint64_t find_nearest_cut(const double *time, uint64_t wanted, uint64_t low, uint64_t high)
{
    if (high < low + 2) return 0;
    if (wanted <= low) wanted = low + 1;
    if (wanted >= high) wanted = high - 1;
    /* The run of equal times that `wanted` would part begins at `before` and ends at `after`. */
    uint64_t before = sg_events_before(time, wanted + 1, time[wanted]);
    uint64_t after = sg_after_double(time, (size_t)high, time[wanted]);
    const int fits_before = before > low, fits_after = after < high;
    if (fits_before && (!fits_after || wanted - before <= after - wanted)) return before;
    return fits_after ? after : 0;
}

static uint64_t round_share(double share, uint64_t events)
{
    const double exact = share * (double)events;
    return exact >= (double)events ? events : (uint64_t)(exact + 0.5);
}

sg_split sg_split_events(const double *time, uint64_t events, double train, double validation)
{
    sg_split split = {events, events};
    if (events == 0 || train >= 1) return split;
    /* A training part of one time has nothing that lies before anything. */
    const uint64_t second = sg_after_double(time, (size_t)events, time[0]);
    const uint64_t least = second < events ? sg_after_double(time, (size_t)events, time[second]) : events;
    if (least >= events) return split;
    if (train + validation < 1) {
        split.validation_end = find_nearest_cut(time, round_share(train + validation, events), least - 1, events);
        if (!split.validation_end) split.validation_end = events;
    }
    split.train_end = split.validation_end;
    if (!(validation > 0)) return split;
    /* Where the test part begins earlier than asked, the rest is shared out all the same. */
    uint64_t wanted = round_share(train, events);
    if (split.validation_end < round_share(train + validation, events))
        wanted = round_share(train / (train + validation), split.validation_end);
    const uint64_t cut = find_nearest_cut(time, wanted, least - 1, split.validation_end);
    if (cut) split.train_end = cut;
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

enum { LEAST_STEPS = 4 }; /* one to look back on, one to learn from, one to choose by, one to test on */

static int64_t count_filled(const sg_steps *steps)
{
    int64_t filled = 0;
    for (int64_t i = 0; i < steps->count; i++) filled += steps->first[i] < steps->first[i + 1];
    return filled;
}

/* The first event behind the first `count` of the steps that have events. */
static uint64_t skip_filled(const sg_steps *steps, int64_t count)
{
    int64_t i = 0;
    for (; count > 0; i++) count -= steps->first[i] < steps->first[i + 1];
    return steps->first[i];
}

static sg_split split_filled(const sg_steps *steps, double train, double validation)
{
    const int64_t count = count_filled(steps);
    if (count < LEAST_STEPS) return sg_split_steps(steps, train, validation);
    const int64_t first = (int64_t)clamp((uint64_t)round_up_share(train, count), 2, (uint64_t)count - 2);
    const int64_t second = (int64_t)clamp((uint64_t)(first + round_up_share(validation, count)),
                                          (uint64_t)first + 1, (uint64_t)count - 1);
    return (sg_split){.train_end = skip_filled(steps, first), .validation_end = skip_filled(steps, second)};
}

static int serves(const sg_steps *steps, const sg_split *split, uint64_t least)
{
    const uint64_t past = steps->first[1];
    return split->train_end >= past + least && split->validation_end >= split->train_end + least &&
           steps->events >= split->validation_end + least;
}

/* A part should not be a single event that a wrong clock has put far from the others. */
static uint64_t least_events(uint64_t events)
{
    return events < 1000 ? 1 : events / 1000;
}

int sg_split_serving(const sg_steps *steps, double train, double validation, sg_split *split)
{
    const sg_split all = sg_split_steps(steps, train, validation), filled = split_filled(steps, train, validation);
    const uint64_t least = least_events(steps->events);
    int which = serves(steps, &all, least)      ? SG_SPLIT_ALL_STEPS
                : serves(steps, &filled, least) ? SG_SPLIT_STEPS_WITH_EVENTS
                : serves(steps, &all, 1)        ? SG_SPLIT_ALL_STEPS
                : serves(steps, &filled, 1)     ? SG_SPLIT_STEPS_WITH_EVENTS
                                                : SG_SPLIT_NONE;
    *split = which == SG_SPLIT_STEPS_WITH_EVENTS ? filled : all;
    return which;
}

/* ---- Steps that can be learned from ---- */

/* Whether a step with events begins after `from`, not after `until`. */
static int begins_within(const sg_steps *steps, double from, double until)
{
    for (int64_t i = 0; i < steps->count; i++)
        if (steps->first[i] < steps->first[i + 1]) {
            const double begin = steps->time[steps->first[i]];
            if (begin > from && begin <= until) return 1;
        }
    return 0;
}

static int meets(const sg_steps *steps, const sg_step_needs *needs, uint64_t least)
{
    const double *time = steps->time;
    sg_split split;
    if (needs->by == SG_NEEDS_STEP_PARTS)
        return sg_split_serving(steps, needs->train, needs->validation, &split) && serves(steps, &split, least);
    const double middle = sg_quantile(time, steps->events, needs->train + needs->validation);
    return begins_within(steps, sg_quantile(time, steps->events, needs->train), middle) &&
           begins_within(steps, middle, INFINITY);
}

/* Whether such steps meet the needs; not without memory, which *status says. */
static int try_steps(const double *time, uint64_t events, const sg_step_needs *needs, int64_t count, int rule,
                     uint64_t least, int *status, scadyg_error *error)
{
    sg_steps steps;
    *status = sg_steps_make(&steps, time, events, count, rule, error);
    if (*status) return 0;
    const int found = meets(&steps, needs, least);
    sg_steps_free(&steps);
    return found;
}

int sg_steps_choose(const double *time, uint64_t events, const sg_step_needs *needs, int64_t *count, int *rule,
                    scadyg_error *error)
{
    int status;
    if (!events || try_steps(time, events, needs, *count, *rule, least_events(events), &status, error))
        return SCADYG_OK;
    for (int64_t more = *count; !status; more *= 2) {
        if (try_steps(time, events, needs, more, SG_STEPS_EQUAL_COUNT, 1, &status, error)) {
            *count = more;
            *rule = SG_STEPS_EQUAL_COUNT;
            break;
        }
        if ((uint64_t)more >= events || more > SG_STEPS_MOST / 2) break;
    }
    return status;
}

int sg_fail_times(const double *time, uint64_t events, scadyg_error *error)
{
    uint64_t distinct = events > 0;
    for (uint64_t e = 1; e < events; e++) distinct += time[e] != time[e - 1];
    if (distinct < LEAST_STEPS)
        return sg_fail(
            error, SCADYG_E_INPUT,
            "the %llu event%s %llu distinct time%s; training takes at least %d: one to look back on, one "
            "to learn from, one to choose the best epoch by and one to test on",
            (unsigned long long)events, events == 1 ? " has" : "s have", (unsigned long long)distinct,
            sg_plural(distinct), LEAST_STEPS);
    return sg_fail(
        error, SCADYG_E_INPUT,
        "nearly all of the %llu events have the same time: no steps leave events for training, validation "
        "and test",
        (unsigned long long)events);
}
