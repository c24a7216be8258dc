/* scadyg messages: what nodes' past adds up to at a time. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/describe.h"
#include "cli/open_events.h"
#include "cli/output.h"

enum { MOST_SHOWN = 20, WIDEST_NAME = 24 };

typedef struct messages_arguments {
    cli_common common;
    const char *at;
    cli_list nodes;
    int role; /* a scadyg_role */
    const char *output;
} messages_arguments;

static const sg_option options[] = {
    CLI_ROW_AT(messages_arguments),
    CLI_ROW_LIST(messages_arguments, nodes, "node", CLI_OPTION_LIST, "ID",
                 "whose messages; takes every word up to the next option", 0),
    CLI_ROW_ROLE(messages_arguments),
    CLI_ROW_JSON("print JSON with all digits"),
    CLI_ROW_OUTPUT(messages_arguments, output, "F.npy", "write float32 numbers [nodes][columns] for numpy instead"),
    CLI_ROW_THREADS,
};

static const cli_example examples[] = {
    {"scadyg messages log.events --node alice bob", "two nodes, after the last event"},
    {"scadyg messages log.events --at '2014-01-01 09:30:00' --node alice --json",
     "one node at an earlier time, for a program"},
    {"scadyg messages log.events -o all.npy", "every node, in the order of first appearance"},
    {NULL, NULL}};

/* The messages of some nodes at one time. */
typedef struct message_set {
    scadyg_events *events;
    scadyg_messages *messages;
    size_t width;
    double at;
    int at_end;      /* `at` was not given: it is just after the last event */
    uint32_t *nodes; /* NULL: all nodes, in their order */
    size_t count;
    uint64_t wanted; /* how many were asked for; text shows only the first of many */
    double *values;  /* [count][width] */
} message_set;

static uint32_t node_at(const message_set *set, size_t index)
{
    return set->nodes ? set->nodes[index] : (uint32_t)index;
}

/* ---- As JSON, written as it goes: a large graph never becomes a tree in memory ---- */

/* The shorter of two writings that read back to the same double; JSON has no infinity. */
static void print_json_number(double value)
{
    char text[CLI_TEXT];
    snprintf(text, sizeof text, "%.15g", value);
    if (strtod(text, NULL) != value) snprintf(text, sizeof text, "%.17g", value);
    fputs(isfinite(value) ? text : "null", stdout);
}

static void print_json_numbers(const double *values, size_t count)
{
    putchar('[');
    for (size_t i = 0; i < count; i++) {
        if (i) putchar(',');
        print_json_number(values[i]);
    }
    putchar(']');
}

static int print_string(const char *text, scadyg_error *error)
{
    json_t *string = json_string(text);
    int failed = !string || (json_dumpf(string, stdout, JSON_ENCODE_ANY) && !ferror(stdout));
    json_decref(string);
    return failed ? sg_fail_memory(error, "the JSON output") : SCADYG_OK;
}

/* {"id":"7","role":"source","values":[...]}; without a role where nodes have none. */
static int print_node(const message_set *set, size_t index, scadyg_error *error)
{
    const char *role = cli_node_role(set->events, node_at(set, index), error);
    char *id = role ? cli_node_id(set->events, node_at(set, index), error) : NULL;
    if (!id) return error->status;
    fputs(index ? ",\n{\"id\":" : "\n{\"id\":", stdout);
    int status = print_string(id, error);
    free(id);
    if (*role) printf(",\"role\":\"%s\"", role);
    fputs(",\"values\":", stdout);
    print_json_numbers(set->values + index * set->width, set->width);
    putchar('}');
    return status;
}

static int print_json(const message_set *set, scadyg_error *error)
{
    fputs("{\"at\":", stdout);
    print_json_number(set->at);
    fputs(",\n\"rates\":", stdout);
    print_json_numbers(scadyg_messages_rates(set->messages), set->width);
    fputs(",\n\"columns\":[", stdout);
    for (size_t i = 0; i < set->width; i++) {
        if (i) putchar(',');
        if (print_string(scadyg_messages_column_name(set->messages, i), error)) return error->status;
    }
    fputs("],\n\"messages\":[", stdout);
    for (size_t i = 0; i < set->count; i++) {
        if (ferror(stdout)) break; /* told by cli_finish */
        if (cli_signal_seen()) return error->status = SCADYG_E_CANCELLED;
        if (print_node(set, i, error)) return error->status;
    }
    fputs("]}\n", stdout);
    return SCADYG_OK;
}

/* ---- For people: a row per node, the columns in blocks that fit the terminal ---- */

typedef struct table {
    const message_set *set;
    char **names;
    size_t name_width;
    size_t role_width;   /* 0: nodes have no roles */
    int digits;          /* of a number */
    size_t column_width; /* on the screen, with the space before it */
} table;

static void free_names(char **names, size_t count)
{
    for (size_t i = 0; names && i < count; i++) free(names[i]);
    free(names);
}

static char **node_names(const message_set *set, scadyg_error *error)
{
    char **names = calloc(set->count + 1, sizeof *names);
    if (!names) sg_fail_memory(error, "the table");
    for (size_t i = 0; names && i < set->count; i++) {
        names[i] = cli_node_text(set->events, node_at(set, i), error);
        if (names[i]) continue;
        free_names(names, set->count);
        return NULL;
    }
    return names;
}

/* So many digits, but 1277 rather than 1.28e+03. */
static size_t number_text(const table *t, double value, char text[CLI_TEXT])
{
    if (fabs(value) >= 999.5 && fabs(value) < 1e7) return (size_t)snprintf(text, CLI_TEXT, "%.0f", value);
    return (size_t)snprintf(text, CLI_TEXT, "%.*g", t->digits, value);
}

static void print_numbers(const table *t, const double *values, size_t count)
{
    char text[CLI_TEXT];
    for (size_t i = 0; i < count; i++) {
        number_text(t, values[i], text);
        printf("%*s", (int)t->column_width, text);
    }
    putchar('\n');
}

static void print_role(const table *t, size_t index)
{
    scadyg_error ignored = {0};
    const char *role = t->role_width ? cli_node_role(t->set->events, node_at(t->set, index), &ignored) : NULL;
    if (t->role_width) cli_print_padded(role ? role : "", t->role_width, 0);
}

static void print_block(const table *t, size_t first, size_t count)
{
    cli_print_padded("node", t->name_width, 0);
    if (t->role_width) cli_print_padded("role", t->role_width, 0);
    for (size_t c = first; c < first + count; c++)
        printf("%*s", (int)t->column_width, scadyg_messages_column_name(t->set->messages, c));
    putchar('\n');
    cli_print_padded("rate", t->name_width + t->role_width, 0);
    print_numbers(t, scadyg_messages_rates(t->set->messages) + first, count);
    for (size_t i = 0; i < t->set->count; i++) {
        cli_print_padded(t->names[i], t->name_width, 0);
        print_role(t, i);
        print_numbers(t, t->set->values + i * t->set->width + first, count);
    }
}

static void widen_column(table *t, size_t length)
{
    if (length + 1 > t->column_width) t->column_width = length + 1;
}

/* How wide a column must be for numbers of so many digits. Returns how many columns fit on the screen. */
static size_t measure_columns(table *t, int digits)
{
    char text[CLI_TEXT];
    t->digits = digits;
    t->column_width = 0;
    for (size_t c = 0; c < t->set->width; c++) {
        widen_column(t, strlen(scadyg_messages_column_name(t->set->messages, c)));
        widen_column(t, number_text(t, scadyg_messages_rates(t->set->messages)[c], text));
    }
    for (size_t i = 0; i < t->set->count * t->set->width; i++)
        widen_column(t, number_text(t, t->set->values[i], text));
    const size_t screen = cli_terminal_width(STDOUT_FILENO), names = t->name_width + t->role_width;
    size_t fit = screen > names ? (screen - names) / t->column_width : 0;
    return fit < 1 ? 1 : fit;
}

/* Four digits; three if that brings every column on one screen. */
static size_t measure_table(table *t)
{
    t->name_width = strlen("node");
    for (size_t i = 0; i < t->set->count; i++) {
        size_t width = cli_display_width(t->names[i]);
        if (width > WIDEST_NAME) width = WIDEST_NAME;
        if (width > t->name_width) t->name_width = width;
    }
    t->name_width++;
    t->role_width = scadyg_events_shape(t->set->events)->two_id_spaces ? sizeof "destination" : 0;
    if (measure_columns(t, 4) >= t->set->width || measure_columns(t, 3) < t->set->width)
        return measure_columns(t, 4);
    return measure_columns(t, 3);
}

static void print_heading(const message_set *set, int verbose)
{
    const scadyg_shape *shape = scadyg_events_shape(set->events);
    printf(set->at_end ? "messages just after the last event, at %s\n" : "messages at %s\n",
           cli_time(shape, set->at_end ? shape->last_time : set->at));
    if (verbose)
        printf("%zu column%s, %s\n", set->width, sg_plural(set->width),
               cli_counted((uint64_t)scadyg_messages_step_count(set->messages), "step", "steps"));
    putchar('\n');
}

static int print_table(const message_set *set, const cli_common *common, scadyg_error *error)
{
    table t = {.set = set, .names = node_names(set, error)};
    if (!t.names) return error->status;
    size_t fit = measure_table(&t);
    if (!common->quiet) print_heading(set, common->verbose);
    /* Blocks of about the same width look better than a full one and a rest. */
    size_t blocks = (set->width + fit - 1) / fit, per_block = blocks ? (set->width + blocks - 1) / blocks : 0;
    for (size_t first = 0; first < set->width; first += per_block) {
        if (first) putchar('\n');
        print_block(&t, first, set->width - first < per_block ? set->width - first : per_block);
    }
    if (!common->quiet && set->wanted > set->count)
        printf("\n%s more node%s not shown; --node chooses, --json and -o F.npy have them all\n",
               cli_count(set->wanted - set->count), sg_plural(set->wanted - set->count));
    free_names(t.names, set->count);
    return SCADYG_OK;
}

/* ---- Which nodes, and when ---- */

static int check_files(const cli_call *call, const char **path)
{
    const messages_arguments *arguments = call->arguments;
    int code = cli_one_operand(call, "events file", path);
    if (code) return code;
    if (!arguments->output) return CLI_OK;
    if (arguments->common.json)
        return cli_usage(call->command,
                         "--json and --output exclude each other; for a JSON file use --json > FILE");
    if (!cli_ends_with(arguments->output, ".npy"))
        return cli_usage(call->command, "--output writes a .npy file, not %s; for JSON use --json > FILE",
                         arguments->output);
    return CLI_OK;
}

/* Each once, in the order asked. */
static int keep_first(message_set *set, scadyg_error *error)
{
    unsigned char *seen = calloc(1, scadyg_events_shape(set->events)->nodes / 8 + 1);
    size_t kept = 0;
    if (!seen) return sg_fail_memory(error, "the list of nodes");
    for (size_t i = 0; i < set->count; i++) {
        const uint32_t node = set->nodes[i];
        if (seen[node / 8] & (1u << node % 8)) continue;
        seen[node / 8] |= (unsigned char)(1u << node % 8);
        set->nodes[kept++] = node;
    }
    free(seen);
    set->count = kept;
    return SCADYG_OK;
}

/* Text shows only the first of very many nodes, so only those are computed. */
static int choose_nodes(message_set *set, const messages_arguments *arguments, scadyg_error *error)
{
    int text = !arguments->common.json && !arguments->output;
    int status = cli_nodes_choose(set->events, arguments->role, &arguments->nodes, &set->nodes, &set->count, error);
    if (!status && set->nodes) status = keep_first(set, error);
    set->wanted = set->count;
    if (status || !text || set->count <= MOST_SHOWN || arguments->nodes.count) return status;
    set->count = MOST_SHOWN;
    if (set->nodes) return SCADYG_OK;
    set->nodes = malloc(MOST_SHOWN * sizeof *set->nodes);
    if (!set->nodes) return sg_fail_memory(error, "the list of nodes");
    for (uint32_t i = 0; i < MOST_SHOWN; i++) set->nodes[i] = i;
    return SCADYG_OK;
}

static int compute_messages(const cli_call *call, message_set *set, scadyg_error *error)
{
    int status = scadyg_messages_open(call->context, set->events, call->tables.set, &set->messages, error);
    if (status) return status;
    set->width = scadyg_messages_width(set->messages);
    size_t values, size;
    if (__builtin_mul_overflow(set->count, set->width, &values) ||
        __builtin_mul_overflow(values, sizeof *set->values, &size) || !(set->values = malloc(size + 1)))
        return sg_fail_memory(error, "the messages of so many nodes");
    return scadyg_messages_at(set->messages, set->at, set->nodes, set->count, set->values, error);
}

/* In the place of the doubles: there may be too many for a copy. */
static int write_floats(const message_set *set, const char *path, scadyg_error *error)
{
    void *floats = set->values;
    for (size_t i = 0; i < set->count * set->width; i++) {
        const float value = (float)set->values[i];
        memcpy((char *)floats + i * sizeof value, &value, sizeof value);
    }
    return cli_npy_write(path, floats, set->count, set->width, error);
}

static int print_messages(const cli_call *call, const message_set *set, scadyg_error *error)
{
    const messages_arguments *arguments = call->arguments;
    cli_progress_erase();
    if (arguments->common.json || !arguments->output) {
        int status = arguments->common.json ? print_json(set, error) : print_table(set, &arguments->common, error);
        return status ? status : scadyg_events_check(set->events, error);
    }
    int status = write_floats(set, arguments->output, error);
    if (!status && !arguments->common.quiet)
        printf("wrote   %s, float32 [%zu][%zu]\n", cli_safe(arguments->output), set->count, set->width);
    return status;
}

static int run(cli_call *call)
{
    const messages_arguments *arguments = call->arguments;
    const char *path;
    int code = check_files(call, &path);
    if (code) return code;
    message_set set = {.at_end = !arguments->at};
    if (scadyg_events_open(path, &set.events, call->error)) return cli_failed(call, NULL);
    code = cli_time_parse(call, set.events, arguments->at, &set.at);
    if (!code && (choose_nodes(&set, arguments, call->error) || compute_messages(call, &set, call->error) ||
                  print_messages(call, &set, call->error)))
        code = cli_failed(call, arguments->output);
    free(set.values);
    free(set.nodes);
    scadyg_messages_close(set.messages);
    scadyg_events_close(set.events);
    return code;
}

const cli_command cli_messages = {
    .name = "messages",
    .summary = "compute messages: decayed sums over the past of nodes",
    .operands = "X.events [--at TIME] [--node ID...]",
    .description = "Computes for each node the sum of the features of its events before a time, in which\n"
                   "older events count less: an event dt ago counts exp(-rate * dt), and every column has\n"
                   "its rate. Without --at the time is the smallest after the last event, so that all\n"
                   "events count. Without --node, all nodes; the table then shows the first 20.\n"
                   "\n"
                   "Where sources and destinations are separate, --role says which of them the ids are, and\n"
                   "without ids takes all of that role; table and JSON then have the role of each node.",
    .examples = examples,
    CLI_OPTIONS(options),
    .set = "messages",
    CLI_DEFAULTS({"at", "after the last event"}, {"node", "all"}, {"output", "print a table"},
                 {"rates", "from gamma0"}),
    .size = sizeof(messages_arguments),
    .run = run,
};
