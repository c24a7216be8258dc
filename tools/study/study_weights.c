/*
 * What a model has learned of single nodes: the matrix W_x with which the hypernetwork mixes the messages of node x, how
 * it drifts in time, and how long the node remembers a contact: by the weights of the model's first layers (decay, the
 * curve that report shows too), and by asking the whole model (study_memory.c).
 */
#include "base/memory.h"
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

enum { USUAL = 4, DRIFT_POINTS = 20, AGES = 40 };

typedef struct looking {
    const study *s;
    const scadyg_model *model;
    scadyg_events *events;
    const scadyg_shape *shape;
    const uint32_t *src, *dst;
    const double *time;
    scadyg_predictor *predictor;
    size_t width;
    uint32_t nodes[STUDY_MOST_NODES];
    size_t node_count;
    double times[STUDY_MOST_TIMES];
    size_t time_count;
    float *matrix, *first; /* [width][width]; [nodes][width][width] */
} looking;

static double range_of(const looking *l)
{
    return l->shape->last_time - l->shape->first_time;
}

/* ---- Which nodes, and when ---- */

/* The most active node, and those that a twentieth, a fifth and half of all are busier than; of users and items the users. */
static int choose_typical(looking *l, scadyg_error *error)
{
    static const double places[USUAL] = {0, 0.05, 0.2, 0.5};
    const int role = l->s->arguments->role, separate = l->shape->two_id_spaces;
    report_activity *all = !separate                    ? report_busiest(l->src, l->dst, l->shape)
                           : role == SCADYG_DESTINATION ? report_busiest(l->dst, NULL, l->shape)
                                                        : report_busiest(l->src, NULL, l->shape);
    if (!all) return sg_fail_memory(error, "the weights");
    size_t count = l->shape->nodes;
    while (separate && count && !all[count - 1].events) count--; /* those of the other role */
    for (size_t i = 0; i < USUAL && i < count; i++) {
        const size_t place = (size_t)(places[i] * (double)count);
        l->nodes[l->node_count++] = all[place > i ? place : i].node;
    }
    free(all);
    return SCADYG_OK;
}

/* Those that were asked for, or the ends of the quarters of the time range. */
static int choose_times(looking *l, scadyg_error *error)
{
    const cli_list *asked = &l->s->arguments->at;
    scadyg_time_reader *reader = NULL;
    int status = scadyg_time_reader_open(l->events, &reader, error);
    for (size_t i = 0; i < asked->count && !status; i++)
        status = scadyg_time_reader_read(reader, asked->words[i], &l->times[l->time_count++], error);
    scadyg_time_reader_close(reader);
    if (status) return status;
    for (size_t i = 1; i <= USUAL && !asked->count; i++)
        l->times[l->time_count++] = l->shape->first_time + range_of(l) * (double)i / USUAL;
    return SCADYG_OK;
}

/* ---- Matrices and their drift ---- */

/* In the order of time, so that the log is gone through once. */
static int add_matrices(const looking *l, json_t *nodes, scadyg_error *error)
{
    for (size_t t = 0; t < l->time_count; t++)
        for (size_t i = 0; i < l->node_count; i++) {
            int status = scadyg_node_weights(l->predictor, l->nodes[i], l->times[t], l->matrix, error);
            if (status) return status;
            json_array_append_new(json_object_get(json_array_get(nodes, i), "matrices"),
                                  cli_json_matrix(l->matrix, l->width, l->width));
        }
    return SCADYG_OK;
}

/* |one - other| / |other|, both as long lists of numbers. */
static double distance(const float *one, const float *other, size_t count)
{
    double difference = 0, size = 0;
    for (size_t k = 0; k < count; k++) {
        difference += ((double)one[k] - (double)other[k]) * ((double)one[k] - (double)other[k]);
        size += (double)other[k] * (double)other[k];
    }
    return size > 0 ? sqrt(difference / size) : NAN;
}

/* How far W_x is from what it was after the first twentieth of the time. */
static int add_drift(const looking *l, json_t *nodes, scadyg_error *error)
{
    const size_t size = l->width * l->width;
    for (size_t t = 1; t <= DRIFT_POINTS; t++)
        for (size_t i = 0; i < l->node_count; i++) {
            const double share = (double)t / DRIFT_POINTS, at = l->shape->first_time + share * range_of(l);
            float *first = l->first + i * size;
            json_t *drift = json_object_get(json_array_get(nodes, i), "drift");
            int status = scadyg_node_weights(l->predictor, l->nodes[i], at, t == 1 ? first : l->matrix, error);
            if (status) return status;
            const double far = t == 1 ? 0 : distance(l->matrix, first, size);
            json_array_append_new(drift, json_pack("[f, f]", 100 * share, isfinite(far) ? far : 0.0));
        }
    return SCADYG_OK;
}

/* ---- Memory ---- */

/* When a node was last there; later, a window may hold nothing of it. */
static double last_time_of(const looking *l, uint32_t node)
{
    for (uint64_t i = l->shape->events; i-- > 0;)
        if (l->src[i] == node || l->dst[i] == node) return l->time[i];
    return l->shape->last_time;
}

/* The mix of exponentials of each node, as of its last event. */
static int add_decay(const looking *l, json_t *nodes, scadyg_error *error)
{
    double ages[AGES], left[AGES];
    int status = report_memory_ages(l->predictor, ages, AGES, error);
    if (status == SCADYG_E_USAGE) return SCADYG_OK; /* this model weighs no contacts */
    for (size_t i = 0; i < l->node_count && !status; i++) {
        status =
            scadyg_memory_curve(l->predictor, l->nodes[i], last_time_of(l, l->nodes[i]), ages, AGES, left, error);
        for (size_t k = 0; k < AGES && !status; k++)
            json_array_append_new(json_object_get(json_array_get(nodes, i), "decay"),
                                  json_pack("[f, f]", ages[k], left[k]));
    }
    return status;
}

static double largest(const json_t *curve)
{
    double most = NAN;
    for (size_t i = 0; i < json_array_size(curve); i++)
        most = fmax(most, json_number_value(json_array_get(json_array_get(curve, i), 1)));
    return most;
}

/* The age at which half of the most is left, between two points on a logarithmic scale; NAN if it is not reached. */
static double half_life(const json_t *memory)
{
    const double most = largest(memory);
    double before_age = NAN, before = NAN;
    size_t peak = 0;
    if (!(most > 0)) return NAN;
    while (json_number_value(json_array_get(json_array_get(memory, peak), 1)) < most) peak++;
    for (size_t i = peak; i < json_array_size(memory); i++) {
        const double age = json_number_value(json_array_get(json_array_get(memory, i), 0));
        const double left = json_number_value(json_array_get(json_array_get(memory, i), 1));
        if (i > peak && left <= most / 2)
            return before_age * pow(age / before_age, (before - most / 2) / (before - left));
        before_age = age;
        before = left;
    }
    return NAN;
}

/* ---- The whole ---- */

static json_t *node_json(const looking *l, uint32_t node, scadyg_error *error)
{
    char *id = cli_node_id(l->events, node, error);
    json_t *object =
        id ? json_pack("{s:s, s:[], s:[], s:[], s:[]}", "id", id, "matrices", "drift", "decay", "memory") : NULL;
    free(id);
    return object;
}

static int fill_nodes(looking *l, json_t *nodes, scadyg_error *error)
{
    for (size_t i = 0; i < l->node_count; i++)
        if (json_array_append_new(nodes, node_json(l, l->nodes[i], error)))
            return error->status ? error->status : sg_fail_memory(error, "the weights");
    l->matrix = sg_alloc(l->width * l->width, sizeof *l->matrix);
    l->first = sg_alloc(l->node_count * l->width * l->width, sizeof *l->first);
    if (!l->matrix || !l->first) return sg_fail_memory(error, "the weights");
    int status = add_matrices(l, nodes, error);
    if (!status) status = add_drift(l, nodes, error);
    if (!status) status = add_decay(l, nodes, error);
    if (strcmp(scadyg_model_look(l->model)->task, "link") == 0)
        for (size_t i = 0; i < l->node_count && !status; i++)
            status = study_ask_memory(l->predictor, l->events, l->nodes[i],
                                      json_object_get(json_array_get(nodes, i), "memory"), error);
    for (size_t i = 0; i < l->node_count && !status; i++) {
        json_t *node = json_array_get(nodes, i);
        const json_t *memory = json_object_get(node, "memory");
        json_object_set_new(node, "half_life", cli_json_number(half_life(memory)));
        json_object_set_new(node, "most", cli_json_number(largest(memory)));
        json_object_set_new(node, "drift_at_most", cli_json_number(largest(json_object_get(node, "drift"))));
    }
    return status;
}

int study_look_at_weights(const study *s, const scadyg_model *model, scadyg_events *events, json_t *record,
                          scadyg_error *error)
{
    looking l = {.s = s,
                 .model = model,
                 .events = events,
                 .shape = scadyg_events_shape(events),
                 .width = scadyg_model_look(model)->width};
    const cli_list *asked = &s->arguments->node;
    json_t *nodes = json_array(), *times = json_array();
    int status = cli_events_columns(events, &l.src, &l.dst, &l.time, error);
    l.node_count = asked->count;
    for (size_t i = 0; i < asked->count && !status; i++)
        status = scadyg_node_find(events, s->arguments->role, asked->words[i], &l.nodes[i], error);
    if (!status && !asked->count) status = choose_typical(&l, error);
    if (!status) status = choose_times(&l, error);
    if (!status) status = scadyg_predictor_open(s->call->context, model, events, &l.predictor, error);
    if (!status) status = fill_nodes(&l, nodes, error);
    for (size_t t = 0; t < l.time_count; t++) {
        const int number = l.shape->time_kind == SCADYG_TIME_NUMBER;
        json_array_append_new(times,
                              json_string(number ? cli_text("%.6g", l.times[t]) : cli_time(l.shape, l.times[t])));
    }
    json_object_set_new(record, "weights",
                        json_pack("{s:I, s:o, s:o}", "width", (json_int_t)l.width, "times", times, "nodes", nodes));
    scadyg_predictor_close(l.predictor);
    free(l.matrix);
    free(l.first);
    return status;
}

/* ---- Rows of the results ---- */

/* A span of the data's times in a unit of a handy size. */
static const char *unit_of(const scadyg_shape *shape, double *size)
{
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{86400, "days"}, {3600, "hours"}, {60, "minutes"}, {1, "seconds"}};
    const double second = shape->time_kind == SCADYG_TIME_UNIX_MILLI   ? 1000
                          : shape->time_kind == SCADYG_TIME_UNIX_MICRO ? 1e6
                                                                       : 1;
    *size = 1;
    if (shape->time_kind == SCADYG_TIME_YEAR) return "years";
    if (shape->time_kind == SCADYG_TIME_NUMBER) return "units";
    size_t i = 0;
    while (i < 3 && shape->last_time - shape->first_time < 5 * units[i].seconds * second) i++;
    *size = units[i].seconds * second;
    return units[i].name;
}

static const json_t *node_of(const json_t *record, size_t i)
{
    return json_array_get(json_object_get(json_object_get(record, "weights"), "nodes"), i);
}

/* Adds a number over all seeds, if every seed has it: a half-life that one seed does not reach has no mean. */
static void add_summary(json_t *cell, const char *name, const json_t *runs, size_t node, const char *key,
                        double unit)
{
    json_t *values = json_array();
    for (size_t i = 0; i < json_array_size(runs); i++) {
        const json_t *value = json_object_get(node_of(json_array_get(runs, i), node), key);
        if (json_is_number(value)) json_array_append_new(values, json_real(json_number_value(value) / unit));
    }
    if (json_array_size(values) == json_array_size(runs))
        json_object_set_new(cell, name, study_summary(values));
    else
        json_decref(values);
}

static void add_rows(const study *s, size_t v, double unit, json_t *rows)
{
    const json_t *runs = json_array_get(s->runs, v);
    for (size_t i = 0; node_of(json_array_get(runs, 0), i); i++) {
        json_t *memory = json_object();
        char *label =
            cli_safe_text(cli_text("node %.100s", cli_json_text_of(node_of(json_array_get(runs, 0), i), "id")));
        add_summary(memory, "half_life", runs, i, "half_life", unit);
        add_summary(memory, "most", runs, i, "most", 1);
        add_summary(memory, "drift", runs, i, "drift_at_most", 1);
        json_array_append_new(rows,
                              json_pack("{s:s, s:s, s:b, s:n, s:{s:o}}", "series", s->variants[v].series, "label",
                                        label ? label : "", "rule", 0, "x", "cells", "memory", memory));
        free(label);
    }
}

/* Rows of all seeds; matrices and curves of the first, which is what the charts show. */
void study_add_weights(const study *s, json_t *results)
{
    json_t *weights = json_object();
    double unit;
    const char *name = unit_of(scadyg_events_shape(s->events), &unit);
    for (size_t v = 0; v < s->variant_count; v++) {
        add_rows(s, v, unit, json_object_get(results, "rows"));
        json_object_set(weights, s->variants[v].series,
                        json_object_get(json_array_get(json_array_get(s->runs, v), 0), "weights"));
    }
    (void)cli_json_add(results,
                       json_pack("{s:o, s:s, s:f}", "weights", weights, "time_unit", name, "time_unit_size", unit));
}
