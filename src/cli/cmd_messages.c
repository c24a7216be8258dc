/* scadyg messages: what nodes' past adds up to at a time. */
#include "messages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "npy_out.h"

enum { MOST_SHOWN = 20 };

typedef struct messages_arguments {
    cli_common common;
    const char *at;
    cli_list nodes;
    const char *output;
    scadyg_messages_options messages;
} messages_arguments;

#define FIELD(field) .offset = offsetof(messages_arguments, field), .least = 1, .most = 0

static const scadyg_option options[] = {
    {.name = "at",
     .kind = SCADYG_OPTION_TEXT,
     FIELD(at),
     .argument = "TIME",
     .help = "a number or a date; only events strictly before it count"},
    {.name = "node",
     .kind = CLI_OPTION_LIST,
     FIELD(nodes),
     .argument = "ID",
     .help = "whose messages; takes every word up to the next option"},
    {.name = "json", .kind = SCADYG_OPTION_FLAG, FIELD(common.json), .help = "print JSON with all digits"},
    CLI_OPTION_OUTPUT(messages_arguments, output, "F.npy",
                      "write float32 numbers [nodes][columns] for numpy instead"),
};

static const cli_default defaults[] = {{"at", "after the last event"},
                                       {"node", "all"},
                                       {"output", "print a table"},
                                       {"rates", "from gamma0"},
                                       {NULL, NULL}};

static const char *const examples[] = {"scadyg messages log.events --node alice bob",
                                       "two nodes, after the last event",
                                       "scadyg messages log.events --at '2014-01-01 09:30:00' --node alice --json",
                                       "one node at an earlier time, for a program",
                                       "scadyg messages log.events -o all.npy",
                                       "every node, in the order of first appearance",
                                       NULL};

static int out_of_memory(scadyg_error *error, const char *what)
{
    error->status = SCADYG_E_MEMORY;
    snprintf(error->message, sizeof error->message, "not enough memory for %s", what);
    return error->status;
}

static int ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), size = strlen(end);
    return length >= size && strcmp(text + length - size, end) == 0;
}

static int check(const cli_call *call, const char **path)
{
    const messages_arguments *arguments = call->arguments;
    int code = cli_one_operand(call, "events file", path);
    if (code) return code;
    if (!arguments->output) return CLI_OK;
    if (arguments->common.json)
        return cli_usage(call->command,
                         "--json and --output exclude each other; for a JSON file use --json > FILE");
    if (!ends_with(arguments->output, ".npy"))
        return cli_usage(call->command, "--output writes a .npy file, not %s; for JSON use --json > FILE",
                         arguments->output);
    return cli_check_output(call, arguments->output, path, 1);
}

/* The nodes asked for, each once, in the order asked. */
static int find_nodes(message_set *set, const cli_list *asked, scadyg_error *error)
{
    uint64_t nodes = scadyg_events_shape(set->events)->nodes;
    unsigned char *seen = calloc(1, nodes / 8 + 1);
    set->nodes = malloc((asked->count + 1) * sizeof *set->nodes);
    if (!seen || !set->nodes) {
        free(seen);
        return out_of_memory(error, "the list of nodes");
    }
    int status = SCADYG_OK;
    for (size_t i = 0; i < asked->count && !status; i++) {
        uint32_t node;
        status = scadyg_node_find(set->events, asked->words[i], &node, error);
        if (status || seen[node / 8] & (1u << node % 8)) continue;
        seen[node / 8] |= (unsigned char)(1u << node % 8);
        set->nodes[set->count++] = node;
    }
    free(seen);
    set->wanted = set->count;
    return status;
}

/* Text shows only the first of very many nodes, so only those are computed. */
static int choose_nodes(message_set *set, const messages_arguments *arguments, scadyg_error *error)
{
    int text = !arguments->common.json && !arguments->output;
    if (arguments->nodes.count) {
        int status = find_nodes(set, &arguments->nodes, error);
        if (status) return status;
    } else {
        set->wanted = set->count = scadyg_events_shape(set->events)->nodes;
    }
    if (!text || set->count <= MOST_SHOWN || arguments->nodes.count) return SCADYG_OK;
    set->count = MOST_SHOWN;
    set->nodes = malloc(MOST_SHOWN * sizeof *set->nodes);
    if (!set->nodes) return out_of_memory(error, "the list of nodes");
    for (uint32_t i = 0; i < MOST_SHOWN; i++) set->nodes[i] = i;
    return SCADYG_OK;
}

static int compute(message_set *set, const messages_arguments *arguments, scadyg_error *error)
{
    int status = scadyg_messages_open(set->events, &arguments->messages, &set->messages, error);
    if (status) return status;
    size_t values, size;
    if (__builtin_mul_overflow(set->count, scadyg_messages_width(set->messages), &values) ||
        __builtin_mul_overflow(values, sizeof *set->values, &size) || !(set->values = malloc(size + 1)))
        return out_of_memory(error, "the messages of so many nodes");
    return scadyg_messages_at(set->messages, set->at, set->nodes, set->count, set->values,
                              cli_progress(&arguments->common), error);
}

static int print(const cli_call *call, const message_set *set, scadyg_error *error)
{
    const messages_arguments *arguments = call->arguments;
    cli_progress_erase();
    if (arguments->common.json) return messages_print_json(set, error);
    if (!arguments->output) return messages_print_table(set, &arguments->common, error);
    size_t width = scadyg_messages_width(set->messages);
    int status = cli_npy_write(arguments->output, set->values, set->count, width, error);
    if (!status && !arguments->common.quiet)
        printf("wrote   %s, float32 [%zu][%zu]\n", arguments->output, set->count, width);
    return status;
}

/* The time asked for; without one the smallest after the last event, so that every event counts. */
static int find_time(const cli_call *call, message_set *set)
{
    const messages_arguments *arguments = call->arguments;
    const scadyg_shape *shape = scadyg_events_shape(set->events);
    scadyg_error error = {0};
    set->at_end = !arguments->at;
    set->at = nextafter(shape->last_time, INFINITY);
    if (arguments->at && scadyg_time_parse(shape->time_kind, arguments->at, &set->at, &error))
        return cli_usage(call->command, "--at: %s", error.message);
    return CLI_OK;
}

static int run(cli_call *call)
{
    const messages_arguments *arguments = call->arguments;
    const char *path;
    int code = check(call, &path);
    if (code) return code;
    scadyg_error error = {0};
    message_set set = {0};
    if (scadyg_events_open(path, &set.events, &error)) return cli_fail_error(call->command, &error, NULL);
    code = find_time(call, &set);
    if (code == CLI_OK &&
        (choose_nodes(&set, arguments, &error) || compute(&set, arguments, &error) || print(call, &set, &error)))
        code = cli_fail_error(call->command, &error, arguments->output);
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
                   "In a file where sources and destinations are different nodes, src:ID and dst:ID tell\n"
                   "apart two with the same id.",
    .examples = examples,
    .options = options,
    .option_count = CLI_COUNT(options),
    .library_options = scadyg_messages_option_table,
    .library_offset = offsetof(messages_arguments, messages),
    .defaults = defaults,
    .size = sizeof(messages_arguments),
    .run = run,
};
