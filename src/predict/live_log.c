/*
 * Models without a state that goes on: the log is kept, as an events file in memory, with a predictor over it.
 *
 * Baselines and the paper's model (live, without node features) follow the log event by event: the predictor goes on from where
 * it stands, as columns grow under it. It has room for more nodes than there are, and is opened anew when they are used up. All
 * others (stepwise ones, whose steps are cut over all events, and affinities, whose labels are) are opened anew for the first
 * question after an event.
 */
#include "predict/live_parts.h"

#include "base/memory.h"
#include "events/node_id.h"
#include "messages/nodes/plan.h"
#include "models/baselines/rules.h"

#include <stdlib.h>
#include <string.h>

typedef struct sg_live_log {
    scadyg_events events; /* its columns are those of `held` */
    size_t room;          /* events */
    int goes_on;
    scadyg_predictor *predictor; /* of scores */
    size_t capacity;             /* nodes that it has room for */
    scadyg_predictor *whole;     /* opened over so many events */
    uint64_t whole_events;
} sg_live_log;

/* The baseline that a model is or answers as; NULL: none. */
static const sg_rule *rule_of(const scadyg_model *model)
{
    if (model->kind->task != SG_TASK_LINK) return NULL;
    if (!model->kind->shown.learns) return sg_link_rule_find(model->kind->shown.name);
    if (!model->info.answers_as || sg_train_of(model)->stepwise) return NULL;
    return sg_link_rule_find(model->info.answers_as);
}

/* Whether a predictor that stands at some event can go on with the next. */
static int can_go_on(const scadyg_model *model)
{
    if (rule_of(model)) return 1;
    if (model->kind->task != SG_TASK_LINK || model->kind->reads != SG_READS_MESSAGES ||
        sg_train_of(model)->stepwise)
        return 0;
    const sg_messages_options options = sg_model_messages_options(model);
    const char *nodes = options.node_features ? options.node_features : "none";
    return strcmp(nodes, "none") == 0 &&
           (model->trained_on.step_rule == SG_STEPS_EQUAL_TIME || (options.hops == 1 && !options.window));
}

int sg_live_log_open(scadyg_live *live, scadyg_error *error)
{
    sg_live_log *log = sg_alloc_zero(1, sizeof *log);
    if (!log) return sg_fail_memory(error, "the log");
    live->log = log;
    log->goes_on = can_go_on(live->model);
    log->events.borrowed = 1;
    log->events.mapping.fd = -1;
    log->events.shape = (scadyg_shape){.edge_features = (uint32_t)live->features,
                                       .has_weight = (int)live->weights,
                                       .two_id_spaces = live->ids.two_sides,
                                       .integer_ids = live->ids.integers,
                                       .time_kind = live->model->shape.time_kind};
    log->events.path = strdup("the live log");
    return log->events.path ? SCADYG_OK : sg_fail_memory(error, "the log");
}

static void close_predictors(sg_live_log *log)
{
    scadyg_predictor_close(log->predictor);
    scadyg_predictor_close(log->whole);
    log->predictor = log->whole = NULL;
}

/* Ids are those of the live state. */
static void drop_ids(sg_live_log *log)
{
    static const int columns[] = {SCADYG_COLUMN_ID_INTEGERS, SCADYG_COLUMN_ID_OFFSETS, SCADYG_COLUMN_ID_TEXT,
                                  SCADYG_COLUMN_ID_SIDES, SCADYG_COLUMN_NODE_FEATURES};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) log->events.held[columns[i]] = NULL;
    sg_id_index_free(atomic_load(&log->events.id_index));
    free(atomic_load(&log->events.node_keys));
    atomic_store(&log->events.id_index, NULL);
    atomic_store(&log->events.node_keys, NULL);
}

void sg_live_log_close(sg_live_log *log)
{
    if (!log) return;
    close_predictors(log);
    drop_ids(log);
    for (int column = 0; column <= SG_SECTION_LIMIT; column++) free(log->events.held[column]);
    SG_FREE(log->events.path, log);
}

uint64_t sg_live_log_bytes(const sg_live_log *log)
{
    return log->room *
           (16 + 4 * (uint64_t)(log->events.shape.has_weight != 0) + 4 * log->events.shape.edge_features);
}

/* What the ids of the nodes leave of the memory is for the log. */
int sg_live_log_check(const scadyg_live *live, uint64_t nodes, uint64_t events, scadyg_error *error)
{
    const uint64_t memory = sg_context_memory(live->context, 2);
    const uint64_t each = 16 + 4 * (uint64_t)(live->weights + live->features);
    if (nodes <= memory / sg_live_node_bytes(live) && events <= (memory - nodes * sg_live_node_bytes(live)) / each)
        return SCADYG_OK;
    return sg_fail(error, SCADYG_E_MEMORY,
                   "the model keeps its log, and with these events it would take more than the %llu bytes it may; "
                   "more memory of the context allows more",
                   (unsigned long long)memory);
}

/* ---- Events ---- */

/* Columns of the events, in the order of an sg_columns. */
static const int event_columns[] = {SCADYG_COLUMN_SRC, SCADYG_COLUMN_DST, SCADYG_COLUMN_TIME, SCADYG_COLUMN_WEIGHT,
                                    SCADYG_COLUMN_EDGE_FEATURES};
enum { COLUMNS = sizeof event_columns / sizeof *event_columns };

static uint64_t width_of(const sg_live_log *log, int column)
{
    const scadyg_shape *shape = &log->events.shape;
    if (column == SCADYG_COLUMN_WEIGHT && !shape->has_weight) return 0;
    return sg_column_size(shape, (scadyg_column)column);
}

/* Room for so many events; what stood in the way of predictors that point into the columns is told them afterwards. */
static int make_room(sg_live_log *log, size_t events)
{
    if (events <= log->room) return 0;
    const size_t room = log->room + log->room / 2 > events ? log->room + log->room / 2 : events + 64;
    for (size_t i = 0; i < COLUMNS; i++) {
        const uint64_t width = width_of(log, event_columns[i]);
        if (!width) continue;
        void *grown = realloc(log->events.held[event_columns[i]], room * width);
        if (!grown) return -1;
        log->events.held[event_columns[i]] = grown;
    }
    log->room = room;
    return 0;
}

static void put(sg_live_log *log, int column, uint64_t at, const void *value)
{
    const uint64_t width = width_of(log, column);
    if (width) memcpy((char *)log->events.held[column] + at * width, value, width);
}

/* The columns as they are now, for a predictor that goes on. */
static void renew_columns(const scadyg_live *live, scadyg_predictor *p)
{
    const sg_live_log *log = live->log;
    scadyg_messages *messages = p->view.messages;
    sg_columns *columns = &messages->columns;
    columns->count = log->events.shape.events;
    columns->src = log->events.held[SCADYG_COLUMN_SRC];
    columns->dst = log->events.held[SCADYG_COLUMN_DST];
    columns->time = log->events.held[SCADYG_COLUMN_TIME];
    columns->weight = log->events.held[SCADYG_COLUMN_WEIGHT];
    columns->edge_features = log->events.held[SCADYG_COLUMN_EDGE_FEATURES];
    messages->steps.time = columns->time;
}

int sg_live_log_add(scadyg_live *live, uint32_t src, uint32_t dst, double time, const float *weight,
                    const float *features, scadyg_error *error)
{
    sg_live_log *log = live->log;
    scadyg_shape *shape = &log->events.shape;
    const uint64_t at = shape->events;
    const int moves = at + 1 > log->room;
    if (make_room(log, (size_t)at + 1)) return sg_fail_memory(error, "the log");
    put(log, SCADYG_COLUMN_SRC, at, &src);
    put(log, SCADYG_COLUMN_DST, at, &dst);
    put(log, SCADYG_COLUMN_TIME, at, &time);
    put(log, SCADYG_COLUMN_WEIGHT, at, weight);
    put(log, SCADYG_COLUMN_EDGE_FEATURES, at, features);
    if (at == 0) shape->first_time = time;
    shape->last_time = time;
    shape->events++;
    if (log->predictor && moves) renew_columns(live, log->predictor);
    return SCADYG_OK;
}

/* ---- Predictors ---- */

static void take_ids(scadyg_live *live)
{
    sg_live_log *log = live->log;
    sg_live_ids *ids = &live->ids;
    drop_ids(log);
    log->events.held[SCADYG_COLUMN_ID_INTEGERS] = ids->integer;
    log->events.held[SCADYG_COLUMN_ID_OFFSETS] = ids->offset;
    log->events.held[SCADYG_COLUMN_ID_TEXT] = ids->text;
    log->events.held[SCADYG_COLUMN_ID_SIDES] = ids->side;
    log->events.held[SCADYG_COLUMN_NODE_FEATURES] = live->node_features;
    log->events.shape.node_features = (uint32_t)live->node_width;
    log->events.shape.nodes = ids->count;
}

/* With room for nodes that will come. */
static int open_going_on(scadyg_live *live, scadyg_error *error)
{
    sg_live_log *log = live->log;
    const scadyg_model *model = live->model;
    const sg_rule *rule = rule_of(model);
    scadyg_predictor_close(log->predictor);
    log->predictor = NULL;
    log->capacity = live->ids.count + live->ids.count / 2 + 64;
    log->events.shape.nodes = log->capacity;
    int status = sg_predictor_new(live->context, model, &log->events, &log->predictor, error);
    scadyg_predictor *p = log->predictor;
    if (!status && rule)
        status = sg_link_rule_open(rule, p->view.columns, p->view.nodes,
                                   model->train_end - model->trained_on.origin, NULL, &p->scorer, error);
    else if (!status)
        status = model->kind->scorer_open(model->kind, &p->view, &p->scorer, error);
    log->events.shape.nodes = live->ids.count;
    if (!status) return SCADYG_OK;
    scadyg_predictor_close(p);
    log->predictor = NULL;
    return status;
}

static int renew_going_on(scadyg_live *live, scadyg_error *error)
{
    sg_live_log *log = live->log;
    int status = SCADYG_OK;
    if (!log->predictor || live->ids.count > log->capacity) status = open_going_on(live, error);
    if (!status) renew_columns(live, log->predictor);
    log->events.shape.nodes = live->ids.count;
    return status;
}

static int renew_whole(scadyg_live *live, scadyg_error *error)
{
    sg_live_log *log = live->log;
    if (log->whole && log->whole_events == log->events.shape.events) return SCADYG_OK;
    scadyg_predictor_close(log->whole);
    log->whole = NULL;
    take_ids(live);
    log->whole_events = log->events.shape.events;
    return scadyg_predictor_open(live->context, live->model, &log->events, &log->whole, error);
}

int sg_live_log_predictor(scadyg_live *live, int beyond_scores, scadyg_predictor **predictor, scadyg_error *error)
{
    sg_live_log *log = live->log;
    const int goes_on = log->goes_on && !(beyond_scores && rule_of(live->model));
    int status = goes_on ? renew_going_on(live, error) : renew_whole(live, error);
    if (!status) *predictor = goes_on ? log->predictor : log->whole;
    return status;
}

/* A question about no pairs: only the log is followed. */
int sg_live_log_follow(scadyg_live *live, scadyg_error *error)
{
    sg_live_log *log = live->log;
    if (!log->goes_on || !log->events.shape.events || !rule_of(live->model)) return SCADYG_OK;
    int status = renew_going_on(live, error);
    if (status) return status;
    const scadyg_predictor *p = log->predictor;
    const sg_question nothing = {
        .at = log->events.shape.last_time, .seen = p->view.columns->count, .step = -1, .ask = SG_ASK_ORDER};
    return p->scorer.score(p->scorer.context, &nothing, error);
}

void sg_live_log_go_on(scadyg_live *live)
{
    const sg_live_log *log = live->log;
    if (!log->predictor || live->ids.count > log->capacity) return;
    if (sg_live_log_follow(live, NULL)) sg_live_log_drop(live);
}

void sg_live_log_drop(scadyg_live *live)
{
    close_predictors(live->log);
}

/* ---- Snapshots ---- */

enum { SECTION = 60 }; /* and the column */

void sg_live_log_save(const sg_live_log *log, sg_state_writer *w)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        const uint64_t width = width_of(log, event_columns[i]);
        if (!width) continue;
        sg_state_begin(w, (uint32_t)(SECTION + event_columns[i]));
        sg_state_put(w, log->events.held[event_columns[i]], log->events.shape.events * width);
    }
}

/* Checked as the columns of a file are. */
int sg_live_log_load(scadyg_live *live, const sg_state_reader *r, scadyg_error *error)
{
    const void *data[COLUMNS] = {0};
    int status = sg_live_log_open(live, error);
    for (size_t i = 0; i < COLUMNS && !status; i++) {
        uint64_t size;
        if (__builtin_mul_overflow(live->events, width_of(live->log, event_columns[i]), &size))
            return sg_state_bad(r, "it has too many events", error);
        status = sg_state_take(r, (uint32_t)(SECTION + event_columns[i]), size, &data[i], error);
    }
    if (status) return status;
    const uint32_t *src = data[0], *dst = data[1];
    const double *time = data[2];
    const float *weight = data[3], *features = data[4];
    for (uint64_t e = 0; e < live->events && !status; e++) {
        int good = src[e] < live->ids.count && dst[e] < live->ids.count && time[e] >= time[e ? e - 1 : 0] &&
                   time[e] >= live->first_time && time[e] <= live->newest;
        if (live->weights) good = good && weight[e] - weight[e] == 0;
        for (size_t j = 0; j < live->features; j++)
            good = good && features[e * live->features + j] - features[e * live->features + j] == 0;
        if (!good) return sg_state_bad(r, "its log has values out of range", error);
        status = sg_live_log_add(live, src[e], dst[e], time[e], weight ? weight + e : NULL,
                                 features ? features + e * live->features : NULL, error);
    }
    return status ? status : sg_live_log_follow(live, error);
}
