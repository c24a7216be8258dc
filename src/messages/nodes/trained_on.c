/* The trained_on: what a plan takes from the file it is made for. */
#include "messages/nodes/trained_on.h"

#include "base/memory.h"
#include "base/rng.h"
#include "events/node_id.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int sg_node_keys(scadyg_events *events, uint64_t *keys, scadyg_error *error)
{
    sg_id_columns ids;
    int status = sg_id_columns_open(events, &ids, error);
    if (status) return status;
    for (uint32_t node = 0; node < ids.count; node++) {
        if (ids.integers) {
            keys[node] = (uint64_t)ids.integers[node];
        } else {
            const char *text;
            const size_t length = sg_id_text(&ids, node, NULL, &text);
            keys[node] = sg_id_hash(text, length);
        }
        if (ids.sides && ids.sides[node]) keys[node] ^= (uint64_t)1 << 63;
    }
    return SCADYG_OK;
}

/* Most files are told apart from an empty one by their first row. */
static int find_zero_features(scadyg_events *events, int *zero, scadyg_error *error)
{
    const scadyg_shape *shape = scadyg_events_shape(events);
    const void *data = NULL;
    *zero = 0;
    int status = scadyg_events_column(events, SCADYG_COLUMN_EDGE_FEATURES, &data, error);
    if (status || !data) return status;
    const float *features = data;
    const uint64_t count = shape->events * shape->edge_features;
    for (uint64_t i = 0; i < count; i++)
        if (features[i] != 0) return SCADYG_OK;
    *zero = 1;
    return SCADYG_OK;
}

int sg_trained_on_make(sg_trained_on *trained_on, scadyg_events *events, const scadyg_messages_options *options,
                       scadyg_error *error)
{
    const scadyg_shape *shape = scadyg_events_shape(events);
    *trained_on = (sg_trained_on){.origin = shape->first_time,
                                  .range = shape->last_time - shape->first_time,
                                  .edge_features = shape->edge_features,
                                  .has_weight = shape->has_weight};
    if (!isfinite(trained_on->range))
        return sg_fail(error, SCADYG_E_USAGE, "the time range is too large for a number");
    int status = find_zero_features(events, &trained_on->features_zero, error);
    if (status) return status;
    const uint64_t steps = (uint64_t)options->steps;
    trained_on->step_events = options->steps > 0 ? (shape->events + steps - 1) / steps : 1;
    const char *kind = options->node_features ? options->node_features : "none";
    if (strcmp(kind, "stored") == 0) trained_on->node_features = shape->node_features;
    if (strcmp(kind, "onehot") != 0) return SCADYG_OK;
    trained_on->column_count = (size_t)shape->nodes;
    trained_on->columns = sg_alloc(trained_on->column_count, sizeof *trained_on->columns);
    if (!trained_on->columns) return sg_fail_memory(error, "the one-hot columns");
    status = sg_node_keys(events, trained_on->columns, error);
    if (status) sg_trained_on_free(trained_on);
    return status;
}

void sg_trained_on_free(sg_trained_on *trained_on)
{
    free(trained_on->columns);
    *trained_on = (sg_trained_on){0};
}

int sg_trained_on_check(const sg_trained_on *trained_on, scadyg_events *events, scadyg_error *error)
{
    const scadyg_shape *shape = scadyg_events_shape(events);
    if (shape->edge_features != trained_on->edge_features)
        return sg_fail(error, SCADYG_E_INPUT, "the model knows events with %u features; these have %u",
                       trained_on->edge_features, shape->edge_features);
    if (shape->has_weight != trained_on->has_weight)
        return sg_fail(error, SCADYG_E_INPUT, "the model knows events with%s weights; these have %s",
                       trained_on->has_weight ? "" : "out", trained_on->has_weight ? "none" : "weights");
    if (trained_on->node_features && shape->node_features != trained_on->node_features)
        return sg_fail(error, SCADYG_E_INPUT, "the model knows nodes with %u features; these have %u",
                       trained_on->node_features, shape->node_features);
    return SCADYG_OK;
}

/* ---- One-hot: nodes of this file to columns of the other, by a sorted list of keys ---- */

typedef struct keyed {
    uint64_t key;
    uint32_t column;
} keyed;

static int by_key(const void *a, const void *b)
{
    const keyed *one = a, *other = b;
    if (one->key != other->key) return one->key < other->key ? -1 : 1;
    return one->column < other->column ? -1 : one->column > other->column;
}

static uint32_t find_column(const keyed *list, size_t count, uint64_t key)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && list[low].key == key ? list[low].column : UINT32_MAX;
}

int sg_trained_on_columns(const sg_trained_on *trained_on, scadyg_messages *plan, scadyg_error *error)
{
    const size_t count = trained_on->column_count;
    keyed *list = sg_alloc(count, sizeof *list);
    plan->column_of = sg_alloc((size_t)plan->nodes, sizeof *plan->column_of);
    if (!list || !plan->column_of) {
        free(list);
        return sg_fail_memory(error, "the one-hot columns");
    }
    for (size_t i = 0; i < count; i++) list[i] = (keyed){trained_on->columns[i], (uint32_t)i};
    qsort(list, count, sizeof *list, by_key);
    for (uint64_t node = 0; node < plan->nodes; node++)
        plan->column_of[node] = find_column(list, count, plan->keys[node]);
    free(list);
    return SCADYG_OK;
}

int64_t sg_messages_step_of(const scadyg_messages *plan, double time)
{
    return sg_steps_find_open(&plan->steps, time);
}
