/* A live state is told of events: held back until they are in order, taken in, in turns with those who ask. */
#include "predict/live_parts.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* ---- Events that are held back: a heap, the earliest of time and arrival on top ---- */

static int comes_before(const sg_held_event *a, const sg_held_event *b)
{
    return a->time < b->time || (a->time == b->time && a->number < b->number);
}

static void swap_held(sg_held_event *a, sg_held_event *b)
{
    const sg_held_event c = *a;
    *a = *b;
    *b = c;
}

/* -1 without memory. */
static int hold(scadyg_live *live, const scadyg_live_events *events, size_t i)
{
    const size_t from = strlen(events->src[i]) + 1, to = strlen(events->dst[i]) + 1;
    if (sg_grow(&live->held, &live->held_room, live->held_count + 1, sizeof *live->held)) return -1;
    sg_held_event event = {.time = events->time[i],
                           .number = live->arrived,
                           .ids = sg_alloc(from + to, 1),
                           .weight = live->weights ? events->weight[i] : 0,
                           .features = live->features ? sg_alloc(live->features, sizeof(float)) : NULL};
    if (!event.ids || (live->features && !event.features)) {
        sg_held_free(&event);
        return -1;
    }
    memcpy(event.ids, events->src[i], from);
    memcpy(event.ids + from, events->dst[i], to);
    if (live->features)
        memcpy(event.features, events->features + i * live->features, live->features * sizeof *event.features);
    size_t at = live->held_count++;
    live->held[at] = event;
    for (; at && comes_before(&live->held[at], &live->held[(at - 1) / 2]); at = (at - 1) / 2)
        swap_held(&live->held[at], &live->held[(at - 1) / 2]);
    return 0;
}

static sg_held_event take_first(scadyg_live *live)
{
    sg_held_event *held = live->held;
    const sg_held_event first = held[0];
    const size_t count = --live->held_count;
    held[0] = held[count];
    for (size_t at = 0, child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && comes_before(&held[child + 1], &held[child])) child++;
        if (comes_before(&held[at], &held[child])) break;
        swap_held(&held[at], &held[child]);
    }
    return first;
}

/* ---- Taking in ---- */

/* The group of events, which is with the state when this returns. The lock is held. */
static int take_group(scadyg_live *live, scadyg_error *error)
{
    int status = SCADYG_OK;
    if (live->grouped == 0) return SCADYG_OK;
    if (!live->state) status = sg_live_open_state(live, error);
    live->columns.count = 1 + live->grouped; /* so that it fetches ahead */
    if (!status)
        status = live->kind->observe(live->state, 1, 1 + live->grouped, live->events - live->grouped, error);
    live->columns.count = 1;
    live->grouped = 0;
    return status;
}

/* An event with the time it is taken in at. Its nodes get their numbers now, in the order of time. */
static int take_event(scadyg_live *live, const char *src, const char *dst, double time, const float *weight,
                      const float *features, scadyg_error *error)
{
    const uint32_t from = sg_live_ids_put(&live->ids, src, strlen(src), 0),
                   to = from == NONE ? NONE : sg_live_ids_put(&live->ids, dst, strlen(dst), 1);
    if (to == NONE) return sg_fail_memory(error, "the ids of the nodes");
    int status = sg_live_grow(live, live->ids.count, error);
    if (status) return status;
    if (live->events == 0) live->first_time = time;
    sg_live_set_destination(live, to);
    live->newest = time;
    if (!live->kind) {
        status = sg_live_log_add(live, from, to, time, weight, features, error);
        if (!status) live->events++;
        return status;
    }
    const size_t at = 1 + live->grouped;
    for (size_t place = live->events ? at : 0; place <= at; place += at) {
        live->group.src[place] = from;
        live->group.dst[place] = to;
        live->group.time[place] = time;
        if (weight) live->group.weight[place] = *weight;
        if (features)
            memcpy(live->group.features + place * live->features, features,
                   live->features * sizeof *live->group.features);
    }
    live->grouped++;
    live->events++;
    return SCADYG_OK;
}

/* Work in turns: readers come in after every group. */
typedef struct turns {
    scadyg_live *live;
    size_t taken; /* in this turn */
    int locked, status;
} turns;

static void begin_event(turns *t)
{
    if (t->locked) return;
    sg_fair_lock_write(&t->live->lock);
    t->locked = 1;
    t->taken = 0;
}

static void end_turn(turns *t, scadyg_error *error)
{
    if (!t->locked) return;
    if (!t->status && t->live->kind) t->status = take_group(t->live, error);
    if (t->status)
        t->live->lost = 1;
    else if (!t->live->kind)
        sg_live_log_go_on(t->live);
    sg_fair_lock_write_end(&t->live->lock);
    t->locked = 0;
}

static void end_event(turns *t, scadyg_error *error)
{
    if (++t->taken == SG_LIVE_GROUP || t->status) end_turn(t, error);
}

/* Takes in what is held up to a time. */
static void release(turns *t, double until, scadyg_error *error)
{
    scadyg_live *live = t->live;
    while (!t->status && live->held_count && live->held[0].time <= until) {
        begin_event(t);
        sg_held_event event = take_first(live);
        const char *dst = event.ids + strlen(event.ids) + 1;
        t->status = take_event(live, event.ids, dst, event.time, live->weights ? &event.weight : NULL,
                               event.features, error);
        sg_held_free(&event);
        end_event(t, error);
    }
}

/* Late is what comes before something that has been taken in. */
static double find_time(const scadyg_live *live, double time)
{
    return time < live->newest ? live->newest : time;
}

static void arrive(turns *t, const scadyg_live_events *events, size_t i, double *taken, scadyg_error *error)
{
    scadyg_live *live = t->live;
    const double own = events->time[i], time = find_time(live, own);
    const int is_late = own < live->newest;
    if (taken) taken[i] = time;
    if (own > live->latest) live->latest = own;
    if (live->window > 0 && !is_late) {
        begin_event(t); /* how many are held is looked at, too */
        if (hold(live, events, i)) t->status = sg_fail_memory(error, "the events that are held");
        end_event(t, error);
        if (!t->status) release(t, live->latest - live->window, error);
    } else {
        /* What is held of the newest time came before it: by the times of `taken`, too, it is the first. */
        release(t, live->newest, error);
        if (t->status) return;
        begin_event(t);
        live->late += (uint64_t)is_late;
        t->status =
            take_event(live, events->src[i], events->dst[i], time, live->weights ? events->weight + i : NULL,
                       live->features ? events->features + i * live->features : NULL, error);
        end_event(t, error);
    }
    live->arrived++;
}

/* ---- Observing ---- */

/* The times that must lie so near each other that the time between them is a number: with the first event, or before there is
 * one, all that are held or come. */
typedef struct span {
    double first, last;
} span;

static span find_span(const scadyg_live *live)
{
    if (live->events) return (span){live->first_time, live->first_time};
    if (live->held_count) return (span){live->held[0].time, live->latest};
    return (span){INFINITY, -INFINITY};
}

static int is_too_far(const scadyg_live *live, span *s, double time)
{
    if (live->events) return isinf(time - s->first);
    s->first = fmin(s->first, time);
    s->last = fmax(s->last, time);
    return isinf(s->last - s->first);
}

static int check_event(const scadyg_live *live, const scadyg_live_events *events, size_t i, span *times,
                       scadyg_error *error)
{
    scadyg_error reason = {0};
    const char *fault = NULL;
    if (sg_live_ids_check(&live->ids, events->src[i], &reason) ||
        sg_live_ids_check(&live->ids, events->dst[i], &reason))
        fault = reason.message;
    else if (!isfinite(events->time[i]))
        fault = "the time is not a finite number";
    else if (is_too_far(live, times, events->time[i]))
        fault = "the time is too far from that of the first event";
    if (!fault && live->weights && !isfinite(events->weight[i])) fault = "the weight is not a finite number";
    for (size_t j = 0; !fault && j < live->features; j++)
        if (!isfinite(events->features[i * live->features + j])) fault = "a feature is not a finite number";
    return fault ? sg_fail(error, SCADYG_E_INPUT, "event %zu of %zu: %s", i + 1, events->count, fault) : SCADYG_OK;
}

/* An id that is not known, into the ids of new ones. -1 without memory. */
static int count_id(const sg_live_ids *known, sg_live_ids *new, const char *id, int side)
{
    const size_t length = strlen(id);
    if (sg_live_ids_find(known, id, length, side) != NONE) return 0;
    return sg_live_ids_put(new, id, length, side) == NONE ? -1 : 0;
}

/* How many nodes there would be with these events and those that are held. */
static int count_nodes(const scadyg_live *live, const scadyg_live_events *events, size_t *nodes,
                       scadyg_error *error)
{
    sg_live_ids new;
    int status = sg_live_ids_open(&new, live->ids.integers, live->ids.two_sides, error), failed = 0;
    for (size_t i = 0; i < events->count && !status && !failed; i++)
        failed = count_id(&live->ids, &new, events->src[i], 0) || count_id(&live->ids, &new, events->dst[i], 1);
    for (size_t i = 0; i < live->held_count && !status && !failed; i++) {
        const char *src = live->held[i].ids;
        failed = count_id(&live->ids, &new, src, 0) || count_id(&live->ids, &new, src + strlen(src) + 1, 1);
    }
    *nodes = live->ids.count + new.count;
    sg_live_ids_close(&new);
    return failed ? sg_fail_memory(error, "the ids of the nodes") : status;
}

/* Counted only where they may be too many. */
static int check_limit(const scadyg_live *live, const scadyg_live_events *events, scadyg_error *error)
{
    size_t nodes = live->ids.count + 2 * (live->held_count + events->count);
    if (nodes <= live->node_limit) return SCADYG_OK;
    int status = count_nodes(live, events, &nodes, error);
    if (status || nodes <= live->node_limit) return status;
    return sg_fail(error, SCADYG_E_MEMORY,
                   "with these events there would be %zu nodes; within its memory the live state has room for %zu: "
                   "more memory of the context allows more",
                   nodes, live->node_limit);
}

static int check_events(const scadyg_live *live, const scadyg_live_events *events, scadyg_error *error)
{
    span times = find_span(live);
    int status = sg_live_check(live, error);
    if (!status && live->weights && !events->weight)
        status = sg_fail(error, SCADYG_E_INPUT, "the model knows events with weights; these have none");
    if (!status && live->features && !events->features)
        status = sg_fail(error, SCADYG_E_INPUT, "the model knows events with %zu features; these have none",
                         live->features);
    for (size_t i = 0; i < events->count && !status; i++) status = check_event(live, events, i, &times, error);
    if (!status && !live->kind)
        status = sg_live_log_check(live, live->ids.count, live->events + events->count + live->held_count, error);
    return status ? status : check_limit(live, events, error);
}

int scadyg_live_observe(scadyg_live *live, const scadyg_live_events *events, double *taken, scadyg_error *error)
{
    turns t = {.live = live};
    (void)pthread_mutex_lock(&live->writer);
    t.status = check_events(live, events, error);
    for (size_t i = 0; i < events->count && !t.status; i++) arrive(&t, events, i, taken, error);
    end_turn(&t, error);
    (void)pthread_mutex_unlock(&live->writer);
    return t.status;
}

int scadyg_live_set_window(scadyg_live *live, double window, scadyg_error *error)
{
    if (!(window >= 0) || !isfinite(window))
        return sg_fail(error, SCADYG_E_USAGE, "a window is a length of time, or 0");
    turns t = {.live = live};
    (void)pthread_mutex_lock(&live->writer);
    t.status = sg_live_check(live, error);
    live->window = window;
    if (!t.status) release(&t, window > 0 ? live->latest - window : INFINITY, error);
    end_turn(&t, error);
    (void)pthread_mutex_unlock(&live->writer);
    return t.status;
}

int scadyg_live_flush(scadyg_live *live, scadyg_error *error)
{
    turns t = {.live = live};
    (void)pthread_mutex_lock(&live->writer);
    t.status = sg_live_check(live, error);
    if (!t.status) release(&t, INFINITY, error);
    end_turn(&t, error);
    (void)pthread_mutex_unlock(&live->writer);
    return t.status;
}
