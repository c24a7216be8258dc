/*
 * The plan of the messages of a file: from options and the file's shape, or that of the file a model was trained on, to
 * columns, rates and steps.
 */
#include "messages/nodes/plan.h"

#include "base/memory.h"
#include "base/rng.h"
#include "base/search.h"
#include "events/node_id.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The features of nodes: stored in the file, random numbers that need no storage, or one-hot columns. */

void sg_node_feature(const scadyg_messages *plan, uint32_t node, size_t begin, size_t count, float *z)
{
    if (plan->node_kind == SG_NODE_RANDOM) {
        /* Any node has them, also one that the file does not know: its number then stands for its id. */
        const uint64_t key = node < plan->nodes ? plan->keys[node] : node;
        for (size_t j = 0; j < count; j++) z[j] = (float)(sg_hash3(plan->seed, key, begin + j) >> 40) * 0x1.0p-24f;
    } else if (plan->node_kind == SG_NODE_STORED && node < plan->nodes) {
        memcpy(z, plan->columns.node_features + node * plan->node_width + begin, count * sizeof *z);
    } else {
        memset(z, 0, count * sizeof *z);
    }
}

/* ---- One-hot: nodes of this file to columns of the other, by a sorted list of keys ---- */

typedef struct keyed {
    uint64_t key;
    uint32_t column;
} keyed;

static int compare_keys(const void *a, const void *b)
{
    const keyed *one = a, *other = b;
    if (one->key != other->key) return one->key < other->key ? -1 : 1;
    return one->column < other->column ? -1 : one->column > other->column;
}

typedef struct wanted {
    const keyed *list;
    uint64_t key;
} wanted;

static int is_before(const void *data, size_t index)
{
    const wanted *w = data;
    return w->list[index].key < w->key;
}

static uint32_t find_column(const keyed *list, size_t count, uint64_t key)
{
    const size_t at = sg_first(count, is_before, &(wanted){list, key});
    return at < count && list[at].key == key ? list[at].column : UINT32_MAX;
}

int sg_onehot_columns(scadyg_messages *plan, scadyg_error *error)
{
    const size_t count = plan->trained_on->column_count;
    keyed *list = sg_alloc(count, sizeof *list);
    plan->column_of = sg_alloc((size_t)plan->nodes, sizeof *plan->column_of);
    if (!list || !plan->column_of) {
        free(list);
        return sg_fail_memory(error, "the one-hot columns");
    }
    for (size_t i = 0; i < count; i++) list[i] = (keyed){plan->trained_on->columns[i], (uint32_t)i};
    qsort(list, count, sizeof *list, compare_keys);
    for (uint64_t node = 0; node < plan->nodes; node++)
        plan->column_of[node] = find_column(list, count, plan->keys[node]);
    free(list);
    return SCADYG_OK;
}

/* One-hot messages have nodes * nodes numbers; beyond this they are a mistake, not a wish. */
#define ONEHOT_LIMIT ((uint64_t)1 << 28)
#define WIDTH_LIMIT ((size_t)1 << 24)
#define NAME_SIZE 48

/* The largest rate there is, also where the time range is so short that its inverse is no number. */
#define MOST_RATE 1e300

/* exp(-16): how much smaller than at its end a contribution at the beginning of a frame may be. */
#define FRAME_DEPTH 16.0

/* ---- Options ---- */

static int check_together(const void *values, scadyg_error *error)
{
    const sg_messages_options *options = values;
    if (options->gamma0 > 0 && options->rates)
        return sg_fail(error, SCADYG_E_USAGE, "--gamma0 and --rates exclude each other");
    return SCADYG_OK;
}

/* Stands for the struct that holds the options, so that the common rows fit here too. */
typedef struct holder {
    sg_messages_options messages;
} holder;

static const sg_option table[] = {
    SG_MESSAGES_OPTIONS(holder, messages),
    SG_OPTION(holder, messages.seed, "seed", 0, SCADYG_OPTION_INT, "N", "1", NULL, 1, 0,
              "seed of random node features", 1),
    SG_OPTION(holder, messages.double_precision, "double", 0, SCADYG_OPTION_FLAG, NULL, "0", NULL, 1, 0,
              "sum in double precision (twice the memory, slower)", 1),
};

const sg_option_set sg_messages_set = SG_OPTION_SET("messages", table, sg_messages_options, check_together);

/* ---- Rates ---- */

void sg_rates_even(double gamma0, size_t count, double *rates)
{
    const double last = 0.1 * gamma0;
    for (size_t j = 0; j < count; j++)
        rates[j] = count == 1 ? gamma0 : gamma0 + (double)j * ((last - gamma0) / (double)(count - 1));
}

size_t sg_rates_count(const char *text)
{
    size_t count = 1;
    for (; *text; text++) count += *text == ',';
    return count;
}

int sg_rates_parse(const char *text, size_t count, double *rates, scadyg_error *error)
{
    const char *at = text;
    for (size_t j = 0; j < count; j++) {
        char *end;
        rates[j] = strtod(at, &end);
        if (end == at || *end != (j + 1 < count ? ',' : '\0'))
            return sg_fail(error, SCADYG_E_USAGE, "--rates takes numbers separated by commas, not '%s'", text);
        if (!isfinite(rates[j]) || rates[j] < 0)
            return sg_fail(error, SCADYG_E_USAGE, "--rates must be finite and not negative, not %.*s",
                           (int)(end - at), at);
        at = end + 1;
    }
    return SCADYG_OK;
}

double sg_rates_difference(const double *rates, size_t count)
{
    if (count < 2) return 0;
    const double difference = (rates[0] - rates[count - 1]) / (double)(count - 1);
    if (difference < 0) return -1;
    for (size_t j = 0; j < count; j++) {
        double even = rates[count - 1] + (double)(count - 1 - j) * difference;
        if (fabs(rates[j] - even) > 1e-14 * rates[0]) return -1;
    }
    return difference;
}

/* ---- Columns, rates and steps of a plan ---- */

static int set_node_part(scadyg_messages *plan, const char *text, scadyg_error *error)
{
    const scadyg_shape *shape = scadyg_events_shape(plan->events);
    if (!text || strcmp(text, "none") == 0) return SCADYG_OK;
    if (strcmp(text, "onehot") == 0) {
        if (!plan->trained_on && plan->nodes > ONEHOT_LIMIT / plan->nodes)
            return sg_fail(error, SCADYG_E_USAGE,
                           "one-hot features of %llu nodes are too many numbers; use --node-features random:D",
                           (unsigned long long)plan->nodes);
        plan->node_kind = SG_NODE_ONEHOT;
        plan->node_width = plan->trained_on ? plan->trained_on->column_count : (size_t)plan->nodes;
        return SCADYG_OK;
    }
    if (strcmp(text, "stored") == 0) {
        if (!shape->node_features)
            return sg_fail(error, SCADYG_E_USAGE,
                           "the events file has no node features; "
                           "use --node-features none, onehot or random:D");
        plan->node_kind = SG_NODE_STORED;
        plan->node_width = shape->node_features;
        return SCADYG_OK;
    }
    if (strncmp(text, "random:", 7) == 0) {
        char *end;
        unsigned long long count = strtoull(text + 7, &end, 10);
        if (text[7] >= '0' && text[7] <= '9' && !*end && count >= 1 && count <= 65536) {
            plan->node_kind = SG_NODE_RANDOM;
            plan->node_width = (size_t)count;
            return SCADYG_OK;
        }
        return sg_fail(error, SCADYG_E_USAGE, "--node-features random:D takes a D between 1 and 65536, not '%s'",
                       text + 7);
    }
    return sg_fail(error, SCADYG_E_USAGE, "--node-features takes none, onehot, random:D or stored, not '%s'", text);
}

/* A single edge feature is repeated; explicit rates then say how often, unless there is a node part too. */
static int set_columns(scadyg_messages *plan, const sg_messages_options *options, scadyg_error *error)
{
    const scadyg_shape *shape = scadyg_events_shape(plan->events);
    plan->stored = plan->trained_on ? sg_trained_on_features(plan->trained_on) : shape->edge_features;
    plan->edge_kind = plan->stored ? SG_EDGE_STORED : shape->has_weight ? SG_EDGE_WEIGHT : SG_EDGE_TIME;
    int status = set_node_part(plan, options->node_features, error);
    if (status) return status;
    size_t given = options->rates ? sg_rates_count(options->rates) : 0;
    plan->edge_width = plan->stored;
    if (plan->stored <= 1) plan->edge_width = given && !plan->node_width ? given : (size_t)options->repeat;
    plan->hop_width = plan->edge_width + plan->node_width;
    plan->hops = (size_t)options->hops;
    plan->width = plan->hops * plan->hop_width;
    if (given && given != plan->hop_width)
        return sg_fail(error, SCADYG_E_USAGE, "--rates has %zu number%s where the message has %zu column%s", given,
                       sg_plural(given), plan->hop_width, sg_plural(plan->hop_width));
    if (plan->width > WIDTH_LIMIT)
        return sg_fail(error, SCADYG_E_USAGE, "a message of %zu numbers is too long", plan->width);
    return SCADYG_OK;
}

static int set_rates(scadyg_messages *plan, const sg_messages_options *options, scadyg_error *error)
{
    const scadyg_shape *shape = scadyg_events_shape(plan->events);
    const double range = plan->trained_on ? plan->trained_on->range : shape->last_time - shape->first_time;
    if (!isfinite(range)) return sg_fail(error, SCADYG_E_USAGE, "the time range is too large for a number");
    const double slowest = range > 1 / MOST_RATE ? 1 / range : MOST_RATE;
    plan->scale = range > 0 ? slowest : 0;
    plan->rates = sg_alloc(plan->width, sizeof *plan->rates);
    if (!plan->rates) return sg_fail_memory(error, "the rates");
    if (options->rates) {
        int status = sg_rates_parse(options->rates, plan->hop_width, plan->rates, error);
        if (status) return status;
    } else {
        double gamma0 = options->gamma0 > 0 ? options->gamma0 : range > 0 ? slowest : 1;
        sg_rates_even(gamma0, plan->hop_width, plan->rates);
    }
    plan->difference = sg_rates_difference(plan->rates, plan->hop_width);
    double fastest = 0;
    for (size_t j = 0; j < plan->hop_width; j++) fastest = fmax(fastest, plan->rates[j]);
    for (size_t j = plan->hop_width; j < plan->width; j++) plan->rates[j] = plan->rates[j - plan->hop_width];
    /* Slow rates: one frame, a little longer than the file, so that rounding cannot push the last event out. */
    plan->frame_length = fastest > 0 ? FRAME_DEPTH / fastest : 0;
    if (range > 0 && plan->frame_length > 1.0625 * range) plan->frame_length = 1.0625 * range;
    return SCADYG_OK;
}

static void name_column(const scadyg_messages *plan, size_t column, char name[NAME_SIZE])
{
    static const char *const edge_names[] = {"f0", "weight", "time"};
    size_t hop = column / plan->hop_width, j = column % plan->hop_width;
    int used = hop ? snprintf(name, NAME_SIZE, "hop%zu.", hop + 1) : 0;
    char *rest = name + used;
    size_t size = NAME_SIZE - (size_t)used;
    if (j >= plan->edge_width)
        snprintf(rest, size, "node:%zu", j - plan->edge_width);
    else if (plan->stored > 1)
        snprintf(rest, size, "f%zu", j);
    else if (plan->edge_width > 1)
        snprintf(rest, size, "%s#%zu", edge_names[plan->edge_kind], j + 1);
    else
        snprintf(rest, size, "%s", edge_names[plan->edge_kind]);
}

static int set_names(scadyg_messages *plan, scadyg_error *error)
{
    plan->names = sg_alloc(plan->width, sizeof *plan->names);
    plan->name_text = sg_alloc(plan->width, NAME_SIZE);
    if (!plan->names || !plan->name_text) return sg_fail_memory(error, "the column names");
    for (size_t j = 0; j < plan->width; j++) {
        plan->names[j] = plan->name_text + j * NAME_SIZE;
        name_column(plan, j, plan->names[j]);
    }
    return SCADYG_OK;
}

static int set_keys(scadyg_messages *plan, scadyg_error *error)
{
    if (plan->node_kind != SG_NODE_RANDOM && !(plan->node_kind == SG_NODE_ONEHOT && plan->trained_on))
        return SCADYG_OK;
    int status = sg_events_keys(plan->events, &plan->keys, error);
    if (!status && plan->node_kind == SG_NODE_ONEHOT) status = sg_onehot_columns(plan, error);
    return status;
}

static int set_steps(scadyg_messages *plan, const sg_messages_options *options, scadyg_error *error)
{
    const sg_columns *columns = &plan->columns;
    const sg_trained_on *trained_on = plan->trained_on;
    if (!trained_on)
        return sg_steps_make(&plan->steps, columns->time, columns->count, options->steps, options->step_rule,
                             error);
    return sg_steps_make_anchored(&plan->steps, columns->time, columns->count, trained_on->steps,
                                  trained_on->step_rule, trained_on->origin, trained_on->range, trained_on->events,
                                  error);
}

int scadyg_messages_open(scadyg_context *context, scadyg_events *events, const scadyg_options *options,
                         scadyg_messages **messages, scadyg_error *error)
{
    sg_messages_options values;
    int status = sg_events_report(context, events, "planning", 0, 1, error);
    if (!status) status = sg_options_values(options, &sg_messages_set, &values, error);
    return status ? status : sg_messages_open(context, events, &values, messages, error);
}

int sg_messages_open(scadyg_context *context, scadyg_events *events, const sg_messages_options *options,
                     scadyg_messages **messages, scadyg_error *error)
{
    return sg_messages_open_trained_on(context, events, options, NULL, messages, error);
}

int sg_messages_open_trained_on(scadyg_context *context, scadyg_events *events, const sg_messages_options *options,
                                const sg_trained_on *trained_on, scadyg_messages **messages, scadyg_error *error)
{
    int status = sg_options_check_values(&sg_messages_set, options, error);
    if (!status && trained_on) status = sg_trained_on_check(trained_on, events, error);
    if (status) return status;
    scadyg_messages *plan = sg_alloc_zero(1, sizeof *plan);
    if (!plan) return sg_fail_memory(error, "a plan of messages");
    plan->context = context;
    plan->events = events;
    plan->trained_on = trained_on;
    plan->nodes = scadyg_events_shape(events)->nodes;
    plan->seed = (uint64_t)options->seed;
    plan->window = options->window;
    plan->double_precision = options->double_precision;
    status = set_columns(plan, options, error);
    if (!status) status = set_rates(plan, options, error);
    if (!status) status = set_names(plan, error);
    if (!status)
        status = sg_events_columns(context, events, 0, plan->node_kind == SG_NODE_STORED, &plan->columns, error);
    if (!status) status = set_keys(plan, error);
    if (!status) status = set_steps(plan, options, error);
    if (status) {
        scadyg_messages_close(plan);
        return status;
    }
    *messages = plan;
    return SCADYG_OK;
}

void scadyg_messages_close(scadyg_messages *plan)
{
    if (!plan) return;
    if (plan->walk) scadyg_stream_close(plan->walk);
    sg_steps_free(&plan->steps);
    SG_FREE(plan->column_of, plan->rates, plan->names, plan->name_text, plan);
}

size_t scadyg_messages_width(const scadyg_messages *plan)
{
    return plan->width;
}

const double *scadyg_messages_rates(const scadyg_messages *plan)
{
    return plan->rates;
}

const char *scadyg_messages_column_name(const scadyg_messages *plan, size_t column)
{
    return column < plan->width ? plan->names[column] : NULL;
}

int64_t scadyg_messages_step_count(const scadyg_messages *plan)
{
    return plan->steps.count;
}

int scadyg_messages_step_range(const scadyg_messages *plan, int64_t step, uint64_t *first_event,
                               uint64_t *event_count, double *end_time)
{
    const sg_steps *steps = &plan->steps;
    if (step < 0 || step >= steps->count) return SCADYG_E_USAGE;
    if (first_event) *first_event = steps->first[step];
    if (event_count) *event_count = steps->first[step + 1] - steps->first[step];
    if (end_time) *end_time = steps->end[step];
    return SCADYG_OK;
}

sg_source sg_plan_source(const scadyg_messages *plan)
{
    const sg_columns *columns = &plan->columns;
    return (sg_source){columns->src, columns->dst, columns->time, columns->weight, columns->edge_features};
}

/* ---- What is remembered of the file trained on ---- */

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

int sg_trained_on_make(sg_trained_on *trained_on, scadyg_events *events, const sg_messages_options *options,
                       scadyg_error *error)
{
    const scadyg_shape *shape = scadyg_events_shape(events);
    *trained_on = (sg_trained_on){.origin = shape->first_time,
                                  .range = shape->last_time - shape->first_time,
                                  .events = shape->events,
                                  .steps = options->steps,
                                  .step_rule = options->step_rule,
                                  .edge_features = shape->edge_features,
                                  .has_weight = shape->has_weight};
    if (!isfinite(trained_on->range))
        return sg_fail(error, SCADYG_E_USAGE, "the time range is too large for a number");
    int status = find_zero_features(events, &trained_on->features_zero, error);
    if (status) return status;
    const char *kind = options->node_features ? options->node_features : "none";
    if (strcmp(kind, "stored") == 0) trained_on->node_features = shape->node_features;
    if (strcmp(kind, "onehot") != 0) return SCADYG_OK;
    const uint64_t *keys;
    status = sg_events_keys(events, &keys, error);
    if (status) return status;
    trained_on->column_count = (size_t)shape->nodes;
    trained_on->columns = sg_alloc(trained_on->column_count, sizeof *trained_on->columns);
    if (!trained_on->columns) return sg_fail_memory(error, "the one-hot columns");
    memcpy(trained_on->columns, keys, trained_on->column_count * sizeof *keys);
    return SCADYG_OK;
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
        return sg_fail(error, SCADYG_E_INPUT, "the model knows events with %u feature%s; these have %u",
                       trained_on->edge_features, sg_plural(trained_on->edge_features), shape->edge_features);
    if (shape->has_weight != trained_on->has_weight)
        return sg_fail(error, SCADYG_E_INPUT, "the model knows events with%s weights; these have %s",
                       trained_on->has_weight ? "" : "out", trained_on->has_weight ? "none" : "weights");
    if (trained_on->node_features && shape->node_features != trained_on->node_features)
        return sg_fail(error, SCADYG_E_INPUT, "the model knows nodes with %u feature%s; these have %u",
                       trained_on->node_features, sg_plural(trained_on->node_features), shape->node_features);
    return SCADYG_OK;
}

int64_t sg_messages_step_of(const scadyg_messages *plan, double time)
{
    return sg_steps_find_open(&plan->steps, time);
}
