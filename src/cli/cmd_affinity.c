/* scadyg affinity: what a node will turn to. */
#include <stdio.h>
#include <stdlib.h>

#include "session.h"
#include "shape.h"

typedef struct affinity_arguments {
    cli_common common;
    const char *node;
    const char *at;
    int64_t top;
} affinity_arguments;

#define FIELD(field) .offset = offsetof(affinity_arguments, field), .least = 1, .most = 0

static const scadyg_option options[] = {
    {.name = "node", .kind = SCADYG_OPTION_TEXT, FIELD(node), .argument = "ID", .help = "whose affinities"},
    CLI_OPTION_AT(affinity_arguments),
    CLI_OPTION_TOP(affinity_arguments),
    CLI_OPTION_JSON("print JSON with all digits"),
    CLI_OPTION_THREADS,
};

static const cli_default defaults[] = {{"node", "required"}, {"at", "after the last event"}, {NULL, NULL}};

static const char *const examples[] = {"scadyg affinity trade.scadyg trade.events --node France",
                                       "with whom most of its trade will be, and what share", NULL};

typedef struct share {
    size_t class;
    double value;
} share;

/* The largest first; equal ones in the order of the classes. */
static int by_value(const void *a, const void *b)
{
    const share *x = a, *y = b;
    if (x->value != y->value) return x->value > y->value ? -1 : 1;
    return x->class < y->class ? -1 : x->class > y->class;
}

typedef struct affinities {
    const cli_session *session;
    uint32_t node;
    share *shares;
    size_t count; /* to show */
} affinities;

static int compute(const cli_call *call, affinities *a)
{
    const affinity_arguments *arguments = call->arguments;
    size_t classes = a->session->info->classes;
    scadyg_error error = {0};
    double *values = malloc((classes + 1) * sizeof *values);
    a->shares = malloc((classes + 1) * sizeof *a->shares);
    int code = CLI_OK;
    if (!values || !a->shares)
        code = cli_fail(call->command, "not enough memory for %zu classes", classes);
    else if (scadyg_affinity(a->session->predictor, a->node, a->session->at, values, &error))
        code = cli_fail_error(call->command, &error, NULL);
    for (size_t i = 0; !code && i < classes; i++) a->shares[i] = (share){i, values[i]};
    if (!code) qsort(a->shares, classes, sizeof *a->shares, by_value);
    a->count = (uint64_t)arguments->top < classes ? (size_t)arguments->top : classes;
    free(values);
    return code;
}

static const char *class_name(const affinities *a, size_t i)
{
    const char *name = scadyg_model_class(a->session->model, a->shares[i].class);
    return name ? name : "?";
}

static json_t *affinities_json(const affinities *a, scadyg_error *error)
{
    char *id = cli_node_id(a->session->events, a->node, error);
    json_t *object = json_object(), *list = json_array();
    int failed = !id || json_object_set_new(object, "node", json_string(id));
    failed |= json_object_set_new(object, "at", cli_json_number(a->session->at));
    failed |= json_object_set_new(object, "classes", json_integer((json_int_t)a->session->info->classes));
    for (size_t i = 0; i < a->count && !failed; i++) {
        json_t *entry = json_object(), *name = json_string(class_name(a, i));
        failed |= json_object_set_new(entry, "rank", json_integer((json_int_t)i + 1));
        failed |= json_object_set_new(entry, "class", name ? name : json_null());
        failed |= json_object_set_new(entry, "share", cli_json_number(a->shares[i].value));
        failed |= json_array_append_new(list, entry);
    }
    failed |= json_object_set_new(object, "affinities", list);
    free(id);
    if (!failed) return object;
    json_decref(object);
    return NULL;
}

static int print(const cli_call *call, const affinities *a)
{
    const affinity_arguments *arguments = call->arguments;
    scadyg_error error = {0};
    cli_progress_erase();
    if (arguments->common.json) {
        json_t *object = affinities_json(a, &error);
        return error.status ? cli_fail_error(call->command, &error, NULL) : cli_json_print(call->command, object);
    }
    char *node = cli_node_text(a->session->events, a->node, &error);
    if (!node) return cli_fail_error(call->command, &error, NULL);
    if (!arguments->common.quiet) {
        printf("affinities of ");
        cli_session_heading(a->session, node);
    }
    free(node);
    printf("rank  %-24s %10s\n", "class", "share");
    for (size_t i = 0; i < a->count; i++) {
        char *name = cli_safe_text(class_name(a, i));
        printf("%4zu  ", i + 1);
        cli_print_padded(name ? name : "?", 24, 0);
        printf(" %10.4f\n", a->shares[i].value);
        free(name);
    }
    return CLI_OK;
}

static int run(cli_call *call)
{
    const affinity_arguments *arguments = call->arguments;
    if (!arguments->node) return cli_usage(call->command, "no node given; add --node ID");
    cli_session session;
    affinities a = {.session = &session};
    int code = cli_session_open(call, SCADYG_TASK_AFFINITY, arguments->at, &session);
    if (!code) code = cli_session_node(call, &session, arguments->node, &a.node);
    if (!code) code = compute(call, &a);
    if (!code) code = print(call, &a);
    free(a.shares);
    cli_session_close(&session);
    return code;
}

const cli_command cli_affinity = {
    .name = "affinity",
    .summary = "what a node will turn to, and with what share",
    .operands = "M.scadyg X.events --node ID",
    .description = "Shows how a node's weight will be shared out over the classes in the next step, as a model\n"
                   "trained with --task affinity predicts it: the largest shares first. All shares of a node\n"
                   "add up to 1.",
    .examples = examples,
    .options = options,
    .option_count = CLI_COUNT(options),
    .defaults = defaults,
    .size = sizeof(affinity_arguments),
    .run = run,
};
