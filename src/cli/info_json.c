/* info as JSON. */
#include "info.h"

#include <stdlib.h>

/* The array, or NULL if something did not fit in it. */
static json_t *whole(json_t *array, int failed)
{
    if (!failed) return array;
    json_decref(array);
    return NULL;
}

static json_t *counts(const uint64_t *values, size_t count)
{
    json_t *array = json_array();
    int failed = 0;
    for (size_t i = 0; i < count; i++) failed |= json_array_append_new(array, json_integer((json_int_t)values[i]));
    return whole(array, failed);
}

static json_t *top_nodes(const info_facts *facts, scadyg_error *error)
{
    json_t *array = json_array();
    int failed = 0;
    for (size_t i = 0; i < facts->info.top_count && !failed; i++) {
        char *id = cli_node_id(facts->events, facts->info.top_nodes[i], error);
        json_t *entry = json_object();
        failed |= !id || json_object_set_new(entry, "id", json_string(id));
        failed |= json_object_set_new(entry, "events", json_integer((json_int_t)facts->info.top_degrees[i]));
        failed |= json_array_append_new(array, entry);
        free(id);
    }
    return whole(array, failed);
}

static json_t *new_nodes(const scadyg_info *info)
{
    json_t *array = json_array();
    int failed = 0;
    for (size_t i = 0; i < CLI_COUNT(info->new_nodes); i++)
        failed |= json_array_append_new(array, cli_json_number(info->new_nodes[i]));
    return whole(array, failed);
}

static int set_counts(json_t *object, const scadyg_info *info)
{
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {{"sources", info->sources},
                   {"destinations", info->destinations},
                   {"distinct_times", info->distinct_times},
                   {"self_loops", info->self_loops},
                   {"repeated_events", info->repeated_events},
                   {"repeated_pairs", info->repeated_pairs},
                   {"distinct_pairs", info->distinct_pairs}};
    int failed = 0;
    for (size_t i = 0; i < CLI_COUNT(numbers); i++)
        failed |= json_object_set_new(object, numbers[i].name, json_integer((json_int_t)numbers[i].value));
    return failed;
}

json_t *info_json(const info_facts *facts, scadyg_error *error)
{
    const scadyg_info *info = &facts->info;
    const scadyg_shape *shape = &info->shape;
    json_t *object = json_object(), *file = json_string(facts->path);
    int failed = !object || json_object_set_new(object, "file", file ? file : json_null());
    failed |= cli_shape_json(object, shape);
    failed |= set_counts(object, info);
    failed |= json_object_set_new(object, "bipartite", json_boolean(info->bipartite));
    failed |= json_object_set_new(object, "edge_features_zero", json_boolean(info->edge_features_zero));
    failed |= json_object_set_new(object, "node_features_zero", json_boolean(info->node_features_zero));
    failed |= json_object_set_new(object, "time_range", cli_json_number(shape->last_time - shape->first_time));
    failed |= json_object_set_new(object, "average_degree", cli_json_number(info->average_degree));
    double share = shape->events ? (double)info->repeated_pairs / (double)shape->events : 0;
    failed |= json_object_set_new(object, "repeated_pair_share", cli_json_number(share));
    failed |= json_object_set_new(object, "new_nodes", new_nodes(info));
    failed |= json_object_set_new(object, "events_in_tenth",
                                  counts(info->events_in_tenth, CLI_COUNT(info->events_in_tenth)));
    failed |= json_object_set_new(object, "top_nodes", top_nodes(facts, error));
    failed |= json_object_set_new(object, "histogram", counts(info->histogram, CLI_COUNT(info->histogram)));
    if (facts->verified) failed |= json_object_set_new(object, "verified", json_true());
    if (!failed && !error->status) return object;
    json_decref(object);
    return NULL;
}
