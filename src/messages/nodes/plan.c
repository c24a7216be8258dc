/* The plan of the messages of a file: from options and the file's shape to rates, columns and steps. */
#include "messages/nodes/plan.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "messages/nodes/trained_on.h"
#include "messages/nodes/rates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One-hot messages have nodes * nodes numbers; beyond this they are a mistake, not a wish. */
#define ONEHOT_LIMIT ((uint64_t)1 << 28)
#define WIDTH_LIMIT ((size_t)1 << 24)
#define NAME_SIZE 48

/* exp(-16): how much smaller than at its end a contribution at the beginning of a frame may be. */
#define FRAME_DEPTH 16.0

static int check_options(const scadyg_messages_options *options, scadyg_error *error)
{
    if (options->steps < 1) return sg_fail(error, SCADYG_E_USAGE, "--steps must be at least 1");
    if (options->step_rule != SCADYG_STEPS_EQUAL_TIME && options->step_rule != SCADYG_STEPS_EQUAL_COUNT)
        return sg_fail(error, SCADYG_E_USAGE, "--step-rule takes one of equal-time|equal-count");
    if (options->window < 0) return sg_fail(error, SCADYG_E_USAGE, "--window must be at least 1, or 'all'");
    if (options->hops < 1 || options->hops > 3) return sg_fail(error, SCADYG_E_USAGE, "--hops must be 1, 2 or 3");
    if (options->repeat < 1 || options->repeat > 4096)
        return sg_fail(error, SCADYG_E_USAGE, "--repeat must be between 1 and 4096");
    if (!isfinite(options->gamma0) || options->gamma0 < 0)
        return sg_fail(error, SCADYG_E_USAGE, "--gamma0 must be a finite number above 0");
    if (options->gamma0 > 0 && options->rates)
        return sg_fail(error, SCADYG_E_USAGE, "--gamma0 and --rates exclude each other");
    return SCADYG_OK;
}

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
static int set_columns(scadyg_messages *plan, const scadyg_messages_options *options, scadyg_error *error)
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
        return sg_fail(error, SCADYG_E_USAGE, "--rates has %zu numbers where the message has %zu columns", given,
                       plan->hop_width);
    if (plan->width > WIDTH_LIMIT)
        return sg_fail(error, SCADYG_E_USAGE, "a message of %zu numbers is too long", plan->width);
    return SCADYG_OK;
}

static int set_rates(scadyg_messages *plan, const scadyg_messages_options *options, scadyg_error *error)
{
    const scadyg_shape *shape = scadyg_events_shape(plan->events);
    const double range = plan->trained_on ? plan->trained_on->range : shape->last_time - shape->first_time;
    if (!isfinite(range)) return sg_fail(error, SCADYG_E_USAGE, "the time range is too large for a number");
    plan->scale = range > 0 ? 1 / range : 0;
    plan->rates = sg_alloc(plan->width, sizeof *plan->rates);
    if (!plan->rates) return sg_fail_memory(error, "the rates");
    if (options->rates) {
        int status = sg_rates_parse(options->rates, plan->hop_width, plan->rates, error);
        if (status) return status;
    } else {
        double gamma0 = options->gamma0 > 0 ? options->gamma0 : range > 0 ? 1 / range : 1;
        if (!isfinite(gamma0)) return sg_fail(error, SCADYG_E_USAGE, "the time range is too short; give --gamma0");
        sg_rates_even(gamma0, plan->hop_width, plan->rates);
    }
    plan->difference = sg_rates_difference(plan->rates, plan->hop_width);
    double fastest = 0;
    for (size_t j = 0; j < plan->hop_width; j++) fastest = fmax(fastest, plan->rates[j]);
    for (size_t j = plan->hop_width; j < plan->width; j++) plan->rates[j] = plan->rates[j - plan->hop_width];
    /* Slow rates: one frame, a little longer than the file, so that rounding cannot push the last event out.
     */
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
    plan->keys = sg_alloc((size_t)plan->nodes, sizeof *plan->keys);
    if (!plan->keys) return sg_fail_memory(error, "the keys of the nodes");
    int status = sg_node_keys(plan->events, plan->keys, error);
    if (!status && plan->node_kind == SG_NODE_ONEHOT) status = sg_trained_on_columns(plan->trained_on, plan, error);
    return status;
}

static int set_steps(scadyg_messages *plan, const scadyg_messages_options *options, scadyg_error *error)
{
    const sg_columns *columns = &plan->columns;
    const sg_trained_on *trained_on = plan->trained_on;
    if (!trained_on)
        return sg_steps_make(&plan->steps, columns->time, columns->count, options->steps, options->step_rule,
                             error);
    return sg_steps_make_anchored(&plan->steps, columns->time, columns->count, options->steps, options->step_rule,
                                  trained_on->origin, trained_on->range, trained_on->step_events, error);
}

int scadyg_messages_open(scadyg_events *events, const scadyg_messages_options *options, scadyg_messages **messages,
                         scadyg_error *error)
{
    return sg_messages_open_trained_on(events, options, NULL, messages, error);
}

int sg_messages_open_trained_on(scadyg_events *events, const scadyg_messages_options *options,
                                const sg_trained_on *trained_on, scadyg_messages **messages, scadyg_error *error)
{
    int status = check_options(options, error);
    if (!status && trained_on) status = sg_trained_on_check(trained_on, events, error);
    if (status) return status;
    scadyg_messages *plan = sg_alloc_zero(1, sizeof *plan);
    if (!plan) return sg_fail_memory(error, "a plan of messages");
    plan->events = events;
    plan->trained_on = trained_on;
    plan->nodes = scadyg_events_shape(events)->nodes;
    plan->seed = (uint64_t)options->seed;
    plan->window = options->window;
    plan->double_precision = options->double_precision;
    plan->threads = sg_threads(options->threads);
    status = set_columns(plan, options, error);
    if (!status) status = set_rates(plan, options, error);
    if (!status) status = set_names(plan, error);
    if (!status) status = sg_events_columns(events, 0, plan->node_kind == SG_NODE_STORED, &plan->columns, error);
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
    scadyg_stream_close(plan->walk);
    sg_steps_free(&plan->steps);
    free(plan->keys);
    free(plan->column_of);
    free(plan->rates);
    free(plan->names);
    free(plan->name_text);
    free(plan);
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

sg_source sg_plan_source(const scadyg_messages *plan)
{
    const sg_columns *columns = &plan->columns;
    return (sg_source){columns->src, columns->dst, columns->time, columns->weight, columns->edge_features};
}
