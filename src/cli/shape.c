/* The size and kind of an events file, for people and as JSON. */
#include "shape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

uint32_t cli_edge_features(const scadyg_shape *shape)
{
    return shape->edge_features + (shape->has_weight ? 1 : 0);
}

void cli_edge_features_text(const scadyg_shape *shape, char buffer[CLI_TEXT])
{
    if (shape->has_weight && shape->edge_features)
        snprintf(buffer, CLI_TEXT, "%u (%u and weight)", cli_edge_features(shape), shape->edge_features);
    else
        snprintf(buffer, CLI_TEXT, "%u%s", cli_edge_features(shape), shape->has_weight ? " (weight)" : "");
}

void cli_shape_text(const scadyg_shape *shape, char *buffer, size_t size)
{
    char events[CLI_TEXT], nodes[CLI_TEXT], edge[CLI_TEXT] = "", node[CLI_TEXT] = "";
    uint32_t features = cli_edge_features(shape);
    if (features) snprintf(edge, sizeof edge, ", %u edge feature%s", features, features == 1 ? "" : "s");
    if (shape->node_features)
        snprintf(node, sizeof node, ", %u node feature%s", shape->node_features,
                 shape->node_features == 1 ? "" : "s");
    snprintf(buffer, size, "%s event%s, %s node%s%s%s%s", cli_count(shape->events, events),
             shape->events == 1 ? "" : "s", cli_count(shape->nodes, nodes), shape->nodes == 1 ? "" : "s",
             shape->two_id_spaces ? " in two id spaces" : "", edge, node);
}

void cli_times_text(const scadyg_shape *shape, char *buffer, size_t size)
{
    char first[64], last[64];
    scadyg_time_human(shape->time_kind, shape->first_time, first);
    scadyg_time_human(shape->time_kind, shape->last_time, last);
    snprintf(buffer, size, "%s to %s", first, last);
}

json_t *cli_json_number(double value)
{
    if (!isfinite(value)) return json_null();
    if (value == floor(value) && fabs(value) < 9e15) return json_integer((json_int_t)value);
    return json_real(value);
}

int cli_shape_json(json_t *object, const scadyg_shape *shape)
{
    char first[64], last[64];
    scadyg_time_human(shape->time_kind, shape->first_time, first);
    scadyg_time_human(shape->time_kind, shape->last_time, last);
    int failed = 0;
    failed |= json_object_set_new(object, "nodes", json_integer((json_int_t)shape->nodes));
    failed |= json_object_set_new(object, "events", json_integer((json_int_t)shape->events));
    failed |= json_object_set_new(object, "edge_features", json_integer(cli_edge_features(shape)));
    failed |= json_object_set_new(object, "node_features", json_integer(shape->node_features));
    failed |= json_object_set_new(object, "weight", json_boolean(shape->has_weight));
    failed |= json_object_set_new(object, "label", json_boolean(shape->has_label));
    failed |= json_object_set_new(object, "two_id_spaces", json_boolean(shape->two_id_spaces));
    failed |= json_object_set_new(object, "integer_ids", json_boolean(shape->integer_ids));
    failed |= json_object_set_new(object, "time_kind", json_string(scadyg_time_kind_name(shape->time_kind)));
    failed |= json_object_set_new(object, "first_time", cli_json_number(shape->first_time));
    failed |= json_object_set_new(object, "last_time", cli_json_number(shape->last_time));
    failed |= json_object_set_new(object, "first_time_text", json_string(first));
    failed |= json_object_set_new(object, "last_time_text", json_string(last));
    return failed ? -1 : 0;
}

json_t *cli_json_lines(const char *text)
{
    json_t *lines = json_array();
    while (lines && text && *text) {
        size_t length = strcspn(text, "\n");
        if (json_array_append_new(lines, json_stringn(text, length))) {
            json_decref(lines);
            return NULL;
        }
        text += length + (text[length] == '\n');
    }
    return lines;
}

int cli_json_print(const cli_command *command, json_t *object)
{
    if (!object) return cli_fail(command, "not enough memory for the JSON output");
    int failed = json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    json_decref(object);
    putchar('\n');
    /* A failed write is told by cli_finish, which knows the reason. */
    return failed && !ferror(stdout) ? cli_fail(command, "not enough memory for the JSON output") : CLI_OK;
}

uint64_t cli_file_size(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}
