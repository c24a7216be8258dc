/* A live state: opened, closed, with room for more nodes. */
#include "predict/live_parts.h"
#include "predict/rank.h"

#include "base/memory.h"
#include "events/node_id.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define PATIENCE 0.02 /* seconds that an observer lets new questions pass */

int sg_live_check(const scadyg_live *live, scadyg_error *error)
{
    if (!live->lost) return SCADYG_OK;
    return sg_fail(error, SCADYG_E_MEMORY,
                   "the live state was lost, for memory ran out in the middle of an event; restore a snapshot");
}

/* ---- Opening ---- */

/* Beside the bounds of the pairs and the vectors, what memory is granted is for nodes. A quarter of that is for arrays with room
 * for more than there are. */
static int find_node_limit(scadyg_live *live, scadyg_error *error)
{
    const uint64_t memory = sg_context_memory(live->context, 2), each = sg_live_node_bytes(live);
    const uint64_t bound = live->kind ? live->kind->bound(live->model) : 0;
    if (bound >= memory)
        return sg_fail(
            error, SCADYG_E_MEMORY,
            "the pairs and vectors of this model have a bound of %llu bytes, and the live state may take "
            "%llu in all: more memory of the context allows more",
            (unsigned long long)bound, (unsigned long long)memory);
    const uint64_t rest = memory - bound, nodes = (rest - rest / 4) / each;
    live->node_limit = nodes < UINT32_MAX - 1 ? (size_t)nodes : UINT32_MAX - 1;
    return SCADYG_OK;
}

uint64_t sg_live_node_bytes(const scadyg_live *live)
{
    return 48 + (live->kind ? live->kind->node_bytes(live->model) : 16);
}

int sg_live_check_size(const scadyg_live *live, const char *path, uint64_t nodes, uint64_t events, double newest,
                       scadyg_error *error)
{
    const scadyg_shape shape = {
        .nodes = nodes, .events = events, .last_time = events ? newest : live->model->trained_on.origin};
    if (nodes > live->node_limit)
        return sg_fail(error, SCADYG_E_MEMORY, "%s has %llu nodes; within its memory there is room for %zu", path,
                       (unsigned long long)nodes, live->node_limit);
    scadyg_error reason = {0};
    int status = sg_view_check_shape(live->context, live->model, &shape, &reason);
    if (!status && !live->kind) status = sg_live_log_check(live, nodes, events, &reason);
    return status ? sg_fail(error, status, "%s%s%s", path, *path ? ": " : "", reason.message) : SCADYG_OK;
}

int sg_live_new(scadyg_context *context, const scadyg_model *model, const scadyg_shape *shape, scadyg_live **out,
                scadyg_error *error)
{
    scadyg_live *live = *out = sg_alloc_zero(1, sizeof *live);
    if (!live) return sg_fail_memory(error, "a live state");
    live->context = context;
    live->model = model;
    live->kind = model->kind->live && model->kind->live->can(model) ? model->kind->live : NULL;
    live->weights = model->trained_on.has_weight != 0;
    live->features = model->trained_on.edge_features;
    live->first_time = NAN;
    live->newest = live->latest = -INFINITY;
    live->output.fd = -1;
    live->rank_all = SG_RANK_ALL;
    live->node_width = model->kind->reads == SG_READS_LEDGER ? model->trained_on.node_features : 0;
    if (sg_fair_lock_open(&live->lock, PATIENCE) || pthread_mutex_init(&live->writer, NULL) ||
        pthread_mutex_init(&live->readers, NULL) || pthread_mutex_init(&live->snapshots, NULL))
        return sg_fail_memory(error, "a live state");
    if (live->kind && live->features) {
        live->group.features = sg_alloc_zero((SG_LIVE_GROUP + 1) * live->features, sizeof *live->group.features);
        if (!live->group.features) return sg_fail_memory(error, "a live state");
    }
    live->columns = (sg_columns){.count = 1,
                                 .src = live->group.src,
                                 .dst = live->group.dst,
                                 .time = live->group.time,
                                 .weight = live->weights ? live->group.weight : NULL,
                                 .edge_features = live->group.features};
    int status = find_node_limit(live, error);
    return status ? status : sg_live_ids_open(&live->ids, shape->integer_ids, shape->two_id_spaces, error);
}

/* Ids, node features and who has been a destination, of a file. */
static int take_nodes(scadyg_live *live, scadyg_events *events, const sg_columns *columns, scadyg_error *error)
{
    sg_id_columns ids;
    int status = sg_id_columns_open(events, &ids, error);
    if (!status) status = sg_live_ids_reserve(&live->ids, (size_t)ids.count, error);
    for (uint32_t node = 0; !status && node < ids.count; node++) {
        const int side = ids.sides && ids.sides[node];
        const char *text;
        const size_t length = ids.integers ? 0 : sg_id_text(&ids, node, NULL, &text);
        if ((ids.integers ? sg_live_ids_put_integer(&live->ids, ids.integers[node], side)
                          : sg_live_ids_put(&live->ids, text, length, side)) != node)
            status = sg_fail_memory(error, "the ids of the nodes");
    }
    if (!status) status = sg_live_grow(live, (size_t)ids.count, error);
    if (status) return status;
    if (live->node_width)
        memcpy(live->node_features, columns->node_features,
               (size_t)ids.count * live->node_width * sizeof *live->node_features);
    for (uint64_t e = 0; e < columns->count; e++) sg_live_set_destination(live, columns->dst[e]);
    return SCADYG_OK;
}

#define STRETCH ((uint64_t)1 << 18) /* events between two reports */

/* The state follows the columns of the file, and is then told of events by those of the group. */
static int follow_file(scadyg_live *live, scadyg_events *events, const sg_columns *columns, scadyg_error *error)
{
    const sg_columns own = live->columns;
    live->columns = *columns;
    live->columns.node_features = live->node_features;
    int status = sg_live_open_state(live, error);
    for (uint64_t at = 0, next; at < columns->count && !status; at = next) {
        next = columns->count - at > STRETCH ? at + STRETCH : columns->count;
        status = sg_events_report(live->context, events, "following the log", at, columns->count, error);
        if (!status) status = live->kind->observe(live->state, at, next, at, error);
    }
    live->columns = own;
    live->columns.node_features = live->node_features;
    live->group.src[0] = columns->src[0];
    live->group.dst[0] = columns->dst[0];
    live->group.time[0] = columns->time[0];
    return status;
}

static int keep_file(scadyg_live *live, const sg_columns *columns, scadyg_error *error)
{
    int status = sg_live_log_open(live, error);
    for (uint64_t e = 0; e < columns->count && !status; e++)
        status = sg_live_log_add(
            live, columns->src[e], columns->dst[e], columns->time[e], columns->weight ? columns->weight + e : NULL,
            columns->edge_features ? columns->edge_features + e * live->features : NULL, error);
    return status ? status : sg_live_log_follow(live, error);
}

static int take_file(scadyg_live *live, scadyg_events *events, scadyg_error *error)
{
    sg_columns columns;
    int status = sg_view_check_roles(live->model, events, error);
    if (!status) status = sg_trained_on_check(&live->model->trained_on, events, error);
    if (!status) {
        const scadyg_shape *shape = scadyg_events_shape(events);
        status = sg_live_check_size(live, events->path, shape->nodes, shape->events, shape->last_time, error);
    }
    if (!status) status = sg_events_columns(live->context, events, 0, live->node_width > 0, &columns, error);
    if (!status) status = take_nodes(live, events, &columns, error);
    if (status) return status;
    live->first_time = columns.time[0];
    live->newest = live->latest = columns.time[columns.count - 1];
    if (live->kind) {
        live->events = columns.count;
        status = follow_file(live, events, &columns, error);
    } else {
        status = keep_file(live, &columns, error);
        live->events = columns.count;
    }
    return sg_events_finish(status, events, error);
}

int scadyg_live_open(scadyg_context *context, const scadyg_model *model, scadyg_events *events, scadyg_live **out,
                     scadyg_error *error)
{
    scadyg_live *live = NULL;
    int status = sg_report(context, "opening", 0, 1, error);
    if (!status)
        status = sg_live_new(context, model, events ? scadyg_events_shape(events) : &model->shape, &live, error);
    if (!status) status = events ? take_file(live, events, error) : sg_live_check_size(live, "", 0, 0, 0, error);
    if (!status && !events && !live->kind) status = sg_live_log_open(live, error);
    if (status) {
        scadyg_live_close(live);
        return status;
    }
    *out = live;
    return SCADYG_OK;
}

static void close_readers(scadyg_live *live)
{
    for (sg_live_reader *r = live->free_readers, *next; r; r = next) {
        next = r->next;
        r->scorer.close(r->scorer.context);
        live->kind->reader_close(r->reader);
        free(r);
    }
}

void sg_held_free(sg_held_event *held)
{
    SG_FREE(held->ids, held->features);
}

void scadyg_live_close(scadyg_live *live)
{
    if (!live) return;
    if (live->child > 0) {
        (void)kill(live->child, SIGKILL); /* ours, and nobody will ask for what it writes */
        (void)waitpid(live->child, NULL, 0);
    }
    sg_output_abandon(&live->output);
    close_readers(live);
    if (live->state) live->kind->close(live->state);
    sg_live_log_close(live->log);
    sg_state_close(&live->from);
    sg_live_ids_close(&live->ids);
    for (size_t i = 0; i < live->held_count; i++) sg_held_free(&live->held[i]);
    sg_fair_lock_close(&live->lock);
    (void)pthread_mutex_destroy(&live->writer);
    (void)pthread_mutex_destroy(&live->readers);
    (void)pthread_mutex_destroy(&live->snapshots);
    SG_FREE(live->is_destination, live->held, live->group.features, live->node_features, live);
}

int sg_live_open_state(scadyg_live *live, scadyg_error *error)
{
    live->view.context = live->context;
    live->view.model = live->model;
    live->view.columns = &live->columns;
    live->view.nodes = live->capacity;
    return live->kind->open(&live->view, live->ids.key, &live->state, error);
}

/* ---- Nodes ---- */

int sg_live_grow(scadyg_live *live, size_t nodes, scadyg_error *error)
{
    const size_t before = live->capacity;
    if (nodes > before) {
        size_t capacity = before + before / 4 > nodes ? before + before / 4 : nodes;
        if (capacity < 64) capacity = 64;
        const size_t bytes = live->node_width * sizeof *live->node_features;
        unsigned char *is = realloc(live->is_destination, capacity);
        if (!is) return sg_fail_memory(error, "the nodes");
        live->is_destination = is;
        memset(is + before, 0, capacity - before);
        if (bytes) {
            float *features = realloc(live->node_features, capacity * bytes);
            if (!features) return sg_fail_memory(error, "the nodes");
            memset(features + before * live->node_width, 0, (capacity - before) * bytes);
            live->node_features = features;
            live->columns.node_features = features;
        }
        live->capacity = capacity;
    }
    if (!live->state) return SCADYG_OK;
    live->view.nodes = live->capacity;
    return live->kind->grow(live->state, live->ids.key, live->capacity, error);
}
