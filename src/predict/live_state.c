/* Snapshots of a live state: written at once or by a child, and restored. */
#include "predict/live_parts.h"

#include "base/finite.h"
#include "base/memory.h"
#include "events/node_id.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Sections beside those of the state (below 40) and of the log (61 to 66). */
enum { FIGURES = 40, ID_INTEGERS, ID_OFFSETS, ID_TEXT, ID_SIDES, DESTINATIONS, NODE_FEATURES, HELD, HELD_IDS };

typedef struct figures {
    uint64_t events, nodes, late, arrived, held, features;
    double first_time, newest, latest, window;
    uint32_t native, integers, two_sides, weights;
} figures;

typedef struct held_figures {
    double time;
    uint64_t number, ids; /* bytes of the ids */
    float weight;
    uint32_t unused;
} held_figures;

static size_t ids_length(const sg_held_event *held)
{
    const size_t from = strlen(held->ids) + 1;
    return from + strlen(held->ids + from) + 1;
}

/* ---- Listing ---- */

static void list_held(const scadyg_live *live, sg_state_writer *w)
{
    sg_state_begin(w, HELD);
    for (size_t i = 0; i < live->held_count; i++) {
        const sg_held_event *held = &live->held[i];
        const held_figures f = {held->time, held->number, ids_length(held), held->weight, 0};
        sg_state_copy(w, &f, sizeof f);
        sg_state_copy(w, held->features, live->features * sizeof *held->features);
    }
    sg_state_begin(w, HELD_IDS);
    for (size_t i = 0; i < live->held_count; i++) sg_state_copy(w, live->held[i].ids, ids_length(&live->held[i]));
}

static void list_state(const scadyg_live *live, sg_state_writer *w)
{
    const sg_live_ids *ids = &live->ids;
    const figures f = {.events = live->events,
                       .nodes = ids->count,
                       .late = live->late,
                       .arrived = live->arrived,
                       .held = live->held_count,
                       .features = live->features,
                       .first_time = live->first_time,
                       .newest = live->newest,
                       .latest = live->latest,
                       .window = live->window,
                       .native = live->kind != NULL,
                       .integers = (uint32_t)ids->integers,
                       .two_sides = (uint32_t)ids->two_sides,
                       .weights = (uint32_t)live->weights};
    sg_state_begin(w, FIGURES);
    sg_state_copy(w, &f, sizeof f);
    if (ids->integers) {
        sg_state_begin(w, ID_INTEGERS);
        sg_state_put(w, ids->integer, ids->count * sizeof *ids->integer);
    } else {
        sg_state_begin(w, ID_OFFSETS);
        sg_state_put(w, ids->offset, (ids->count + 1) * sizeof *ids->offset);
        sg_state_begin(w, ID_TEXT);
        sg_state_put(w, ids->text, ids->offset[ids->count]);
    }
    if (ids->two_sides) {
        sg_state_begin(w, ID_SIDES);
        sg_state_put(w, ids->side, ids->count);
    }
    sg_state_begin(w, DESTINATIONS);
    sg_state_put(w, live->is_destination, ids->count);
    if (live->node_width) {
        sg_state_begin(w, NODE_FEATURES);
        sg_state_put(w, live->node_features, ids->count * live->node_width * sizeof *live->node_features);
    }
    list_held(live, w);
    if (live->state) live->kind->save(live->state, ids->count, w);
    if (live->log) sg_live_log_save(live->log, w);
}

/* ---- Writing ---- */

int scadyg_live_snapshot(scadyg_live *live, const char *path, scadyg_error *error)
{
    sg_state_writer writer = {0};
    uint32_t model;
    int status = sg_model_checksum(live->model, &model, error);
    if (status) return status;
    (void)pthread_mutex_lock(&live->writer);
    sg_fair_lock_read(&live->lock);
    status = sg_live_check(live, error);
    if (!status) {
        list_state(live, &writer);
        status = sg_state_save(&writer, model, path, -1, error);
    }
    sg_fair_lock_read_end(&live->lock);
    (void)pthread_mutex_unlock(&live->writer);
    sg_state_writer_close(&writer);
    return status;
}

/* Nothing but writing: what other threads were doing when the child was made, it cannot know. */
static void write_in_child(sg_state_writer *writer, uint32_t model, int fd)
{
    int reason = sg_state_write(writer, model, fd);
    if (!reason && fsync(fd)) reason = errno;
    _exit(reason < 255 ? reason : 255);
}

/* The state as it is now, in a child or, where there can be none, at once. */
static int write_apart(scadyg_live *live, uint32_t model, scadyg_error *error)
{
    sg_state_writer writer = {0};
    (void)pthread_mutex_lock(&live->writer);
    sg_fair_lock_read(&live->lock);
    int status = sg_live_check(live, error);
    if (!status) list_state(live, &writer);
    if (!status) status = sg_state_listed(&writer, error);
    if (!status) live->child = fork();
    if (!status && live->child == 0) write_in_child(&writer, model, live->output.fd);
    if (!status && live->child < 0) {
        const int reason = sg_state_write(&writer, model, live->output.fd);
        live->snapshot_status =
            reason ? sg_fail_system(&live->snapshot_error, reason, "cannot write %s", live->output.path)
                   : SCADYG_OK;
        live->snapshot_done = 1;
    }
    sg_fair_lock_read_end(&live->lock);
    (void)pthread_mutex_unlock(&live->writer);
    sg_state_writer_close(&writer);
    return status;
}

int scadyg_live_snapshot_start(scadyg_live *live, const char *path, scadyg_error *error)
{
    uint32_t model;
    int status = sg_model_checksum(live->model, &model, error);
    if (status) return status;
    (void)pthread_mutex_lock(&live->snapshots);
    if (live->child > 0 || live->snapshot_done)
        status = sg_fail(error, SCADYG_E_USAGE, "a snapshot is being written already");
    else
        status = sg_output_open(&live->output, path, error);
    if (!status) {
        status = write_apart(live, model, error);
        if (status) sg_output_abandon(&live->output);
    }
    (void)pthread_mutex_unlock(&live->snapshots);
    return status;
}

/* What came of a child that has ended; *done 0: it has not. */
static int look_at_child(scadyg_live *live, int *done, scadyg_error *error)
{
    int code = 0;
    pid_t child;
    do child = waitpid(live->child, &code, WNOHANG);
    while (child < 0 && errno == EINTR);
    *done = child != 0;
    if (child == 0) return SCADYG_OK;
    live->child = 0;
    /* A program that ignores SIGCHLD has no children to wait for: what it wrote tells. */
    int reason = child < 0 && !sg_state_is_written(live->output.fd) ? ECHILD : 0;
    if (child > 0 && WIFSIGNALED(code))
        return sg_fail(error, SCADYG_E_IO, "cannot write %s: the process that wrote it was ended by signal %d",
                       live->output.path, WTERMSIG(code));
    if (child > 0 && WIFEXITED(code)) reason = WEXITSTATUS(code);
    return reason ? sg_fail_system(error, reason, "cannot write %s", live->output.path) : SCADYG_OK;
}

/* It stays to be looked at. */
static void wait_for_child(pid_t child)
{
    siginfo_t info;
    while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
    }
}

/* Of the snapshot that is being written; *child: it is not done. */
static int finish_snapshot(scadyg_live *live, int *done, pid_t *child, scadyg_error *error)
{
    int status = SCADYG_OK;
    *done = *child = 0;
    if (live->child > 0) {
        status = look_at_child(live, done, error);
        *child = live->child;
    } else if (!live->snapshot_done) {
        return sg_fail(error, SCADYG_E_USAGE, "no snapshot is being written");
    } else {
        *done = 1;
        if (live->snapshot_status)
            status = sg_fail(error, live->snapshot_status, "%s", live->snapshot_error.message);
    }
    if (!*done) return SCADYG_OK;
    if (!status) status = sg_output_commit(&live->output, error);
    sg_output_abandon(&live->output);
    live->snapshot_done = 0;
    return status;
}

int scadyg_live_snapshot_finish(scadyg_live *live, int wait, int *done, scadyg_error *error)
{
    int status, is_done;
    pid_t child;
    do {
        (void)pthread_mutex_lock(&live->snapshots);
        status = finish_snapshot(live, &is_done, &child, error);
        (void)pthread_mutex_unlock(&live->snapshots);
        if (child > 0 && wait) wait_for_child(child);
    } while (child > 0 && wait);
    if (done) *done = is_done;
    return status;
}

/* ---- Restoring ---- */

/* Ids are put one by one, which finds those that are none and those that come twice. */
static int take_ids(scadyg_live *live, const figures *f, scadyg_error *error)
{
    const sg_state_reader *r = &live->from;
    const int64_t *integers = NULL;
    const uint64_t *offsets = NULL;
    const char *text = NULL;
    const uint8_t *sides = NULL;
    uint64_t size = 0;
    int status = SCADYG_OK;
    if (f->integers) {
        status = sg_state_take(r, ID_INTEGERS, f->nodes * sizeof *integers, &integers, error);
    } else {
        status = sg_state_take(r, ID_OFFSETS, (f->nodes + 1) * sizeof *offsets, &offsets, error);
        text = sg_state_find(r, ID_TEXT, &size);
    }
    if (!status && f->two_sides) status = sg_state_take(r, ID_SIDES, f->nodes, &sides, error);
    if (!status) status = sg_live_ids_reserve(&live->ids, (size_t)f->nodes, error);
    for (uint32_t node = 0; node < f->nodes && !status; node++) {
        const int side = sides && sides[node];
        uint32_t put;
        if (sides && sides[node] > 1) return sg_state_bad(r, "its ids make no sense", error);
        if (integers) {
            put = sg_live_ids_put_integer(&live->ids, integers[node], side);
        } else {
            if (offsets[node] >= offsets[node + 1] || offsets[node + 1] > size ||
                sg_id_fault(text + offsets[node], (size_t)(offsets[node + 1] - offsets[node])))
                return sg_state_bad(r, "its ids make no sense", error);
            put = sg_live_ids_put(&live->ids, text + offsets[node], (size_t)(offsets[node + 1] - offsets[node]),
                                  side);
        }
        if (put == UINT32_MAX) return sg_fail_memory(error, "the ids of the nodes");
        if (put != node) return sg_state_bad(r, "two nodes have the same id", error);
    }
    return status;
}

/* Not before what was taken in, nor after the latest that came, which is not too far from the first event. */
static int is_held_time(const figures *f, double time)
{
    return isfinite(time) && time <= f->latest && (!f->events || time >= f->newest);
}

/* The earliest is on top of the heap: any order will do, as it is made anew. */
static int take_held(scadyg_live *live, const figures *f, scadyg_error *error)
{
    const sg_state_reader *r = &live->from;
    uint64_t size, text_size;
    const unsigned char *held = sg_state_find(r, HELD, &size);
    const char *text = sg_state_find(r, HELD_IDS, &text_size);
    const size_t each = sizeof(held_figures) + live->features * sizeof(float);
    if (size / each != f->held || size % each) return sg_state_bad(r, "a section has the wrong size", error);
    if (sg_grow(&live->held, &live->held_room, (size_t)f->held, sizeof *live->held))
        return sg_fail_memory(error, "the events that are held");
    for (uint64_t i = 0; i < f->held; i++) {
        held_figures h;
        memcpy(&h, held + i * each, sizeof h);
        if (h.ids > text_size || h.ids < 4 || text[h.ids - 1] || !is_held_time(f, h.time) || !isfinite(h.weight) ||
            !memchr(text, 0, (size_t)h.ids - 1))
            return sg_state_bad(r, "the events that are held make no sense", error);
        const char *dst = text + strlen(text) + 1;
        if ((size_t)(dst - text) + strlen(dst) + 1 != h.ids || sg_live_ids_check(&live->ids, text, NULL) ||
            sg_live_ids_check(&live->ids, dst, NULL))
            return sg_state_bad(r, "the events that are held make no sense", error);
        sg_held_event event = {.time = h.time, .number = h.number, .weight = h.weight, .ids = sg_alloc(h.ids, 1)};
        if (live->features) event.features = sg_alloc(live->features, sizeof(float));
        if (event.ids) memcpy(event.ids, text, (size_t)h.ids);
        if (event.features)
            memcpy(event.features, held + i * each + sizeof h, live->features * sizeof *event.features);
        live->held[live->held_count++] = event;
        if (!event.ids || (live->features && !event.features))
            return sg_fail_memory(error, "the events that are held");
        if (!sg_all_finite(event.features, live->features))
            return sg_state_bad(r, "the events that are held make no sense", error);
        text += h.ids;
        text_size -= h.ids;
    }
    return SCADYG_OK;
}

static int take_nodes(scadyg_live *live, const figures *f, scadyg_error *error)
{
    const sg_state_reader *r = &live->from;
    const unsigned char *destinations = NULL;
    const float *features = NULL;
    int status = sg_live_grow(live, (size_t)f->nodes, error);
    if (!status) status = sg_state_take(r, DESTINATIONS, f->nodes, &destinations, error);
    if (!status)
        status = sg_state_take(r, NODE_FEATURES, f->nodes * live->node_width * sizeof *features, &features, error);
    if (status) return status;
    for (uint32_t i = 0; i < f->nodes; i++)
        if (destinations[i]) sg_live_set_destination(live, i);
    if (features)
        memcpy(live->node_features, features, (size_t)f->nodes * live->node_width * sizeof *live->node_features);
    return SCADYG_OK;
}

static int check_figures(const scadyg_live *live, const figures *f, scadyg_error *error)
{
    const sg_state_reader *r = &live->from;
    uint32_t model;
    int status = sg_model_checksum(live->model, &model, error);
    if (status) return status;
    if (r->model != model || f->native != (live->kind != NULL) || f->features != live->features ||
        f->weights != live->weights || f->two_sides != (uint32_t)(live->model->shape.two_id_spaces != 0))
        return sg_fail(error, SCADYG_E_USAGE, "%s is the state of another model", r->path);
    const int some = f->events > 0;
    if (f->nodes > UINT32_MAX - 2 || (f->nodes > 0) != some || f->integers > 1 || !(f->window >= 0) ||
        !isfinite(f->window) ||
        (some && (!isfinite(f->first_time) || !isfinite(f->newest) || f->newest < f->first_time)) ||
        (some && (!(f->latest >= f->newest) || !isfinite(f->latest - f->first_time))) ||
        (f->held && !isfinite(f->latest)))
        return sg_state_bad(r, "its figures make no sense", error);
    return sg_live_check_size(live, r->path, f->nodes, f->events + f->held, f->latest, error);
}

static int take_state(scadyg_live *live, const figures *f, scadyg_error *error)
{
    int status = take_ids(live, f, error);
    if (!status) status = take_nodes(live, f, error);
    live->events = f->events;
    live->late = f->late;
    live->arrived = f->arrived;
    live->first_time = f->events ? f->first_time : NAN;
    live->newest = f->events ? f->newest : -INFINITY;
    live->latest = f->events || f->held ? f->latest : -INFINITY;
    live->window = f->window;
    live->group.time[0] = live->first_time;
    if (!status) status = take_held(live, f, error);
    for (size_t i = 0; i < live->held_count && !status; i++)
        if (!isfinite(live->latest - live->held[i].time))
            status = sg_state_bad(&live->from, "the events that are held make no sense", error);
    for (size_t i = 1; i < live->held_count; i++) /* a heap again */
        for (size_t at = i; at && (live->held[at].time < live->held[(at - 1) / 2].time ||
                                   (live->held[at].time == live->held[(at - 1) / 2].time &&
                                    live->held[at].number < live->held[(at - 1) / 2].number));
             at = (at - 1) / 2) {
            const sg_held_event other = live->held[at];
            live->held[at] = live->held[(at - 1) / 2];
            live->held[(at - 1) / 2] = other;
        }
    if (status || !f->events) return status;
    if (!live->kind) return sg_live_log_load(live, &live->from, error);
    live->view.state = (sg_view_state){&live->from, 0, f->nodes, live->newest};
    return sg_live_open_state(live, error);
}

int scadyg_live_restore(scadyg_context *context, const scadyg_model *model, const char *path, scadyg_live **out,
                        scadyg_error *error)
{
    scadyg_live *live = NULL;
    const figures *f = NULL;
    sg_state_reader from;
    scadyg_shape shape = model->shape;
    int status = sg_state_open(&from, context, path, error);
    if (!status) status = sg_state_take(&from, FIGURES, sizeof *f, &f, error);
    if (!status) shape.integer_ids = f->integers == 1;
    if (!status) status = sg_live_new(context, model, &shape, &live, error);
    if (status) {
        scadyg_live_close(live);
        sg_state_close(&from);
        return status;
    }
    live->from = from;
    status = check_figures(live, f, error);
    if (!status) status = take_state(live, f, error);
    if (!status && !live->kind && !live->log) status = sg_live_log_open(live, error);
    if (status) {
        scadyg_live_close(live);
        return status;
    }
    *out = live;
    return SCADYG_OK;
}
