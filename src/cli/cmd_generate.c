/* scadyg generate: a graph made by a known process. */
#include "shape.h"

#include <stdio.h>
#include <string.h>

typedef struct generate_arguments {
    cli_common common;
    const char *output;
    const char *oracle;
    scadyg_generate_options generate;
} generate_arguments;

#define FIELD(field) .offset = offsetof(generate_arguments, field), .least = 1, .most = 0

static const scadyg_option options[] = {
    CLI_OPTION_OUTPUT(generate_arguments, output, "FILE", "the events file to write"),
    {.name = "oracle",
     .kind = SCADYG_OPTION_TEXT,
     FIELD(oracle),
     .argument = "FILE",
     .help = "also write, per event, the rank the true process gives its destination"},
    {.name = "json", .kind = SCADYG_OPTION_FLAG, FIELD(common.json), .help = "print the summary as JSON"},
};

static const cli_default defaults[] = {{"output", "required"}, {NULL, NULL}};

static const char *const examples[] = {"scadyg generate -o graph.events",
                                       "the built-in graph",
                                       "scadyg generate --kind items --seed 7 -o shop.events",
                                       "users and items instead of one kind of node",
                                       "scadyg generate --oracle best.csv -o graph.events",
                                       "with the best ranking any model could reach",
                                       NULL};

static json_t *summary_json(const generate_arguments *arguments, const scadyg_shape *shape, double seconds)
{
    json_t *object = json_object();
    int failed = !object || cli_shape_json(object, shape);
    json_t *output = json_string(arguments->output);
    failed |= json_object_set_new(object, "output", output ? output : json_null());
    json_t *oracle = arguments->oracle ? json_string(arguments->oracle) : json_null();
    failed |= json_object_set_new(object, "oracle", oracle ? oracle : json_null());
    failed |= json_object_set_new(object, "seed", json_integer(arguments->generate.seed));
    failed |= json_object_set_new(object, "seconds", json_real(seconds));
    if (!failed) return object;
    json_decref(object);
    return NULL;
}

static int print_summary(const cli_call *call, const scadyg_shape *shape, double seconds)
{
    const generate_arguments *arguments = call->arguments;
    cli_progress_erase();
    if (arguments->common.json) return cli_json_print(call->command, summary_json(arguments, shape, seconds));
    if (arguments->common.quiet) return CLI_OK;
    char text[256], size[CLI_TEXT];
    cli_shape_text(shape, text, sizeof text);
    printf("wrote   %s, %s in %.2f s\n        %s\n", arguments->output,
           cli_bytes(cli_file_size(arguments->output), size), seconds, text);
    if (arguments->oracle)
        printf("        %s, %s\n", arguments->oracle, cli_bytes(cli_file_size(arguments->oracle), size));
    if (arguments->common.verbose)
        printf("        %s events/s\n", cli_rate(seconds > 0 ? (double)shape->events / seconds : 0, size));
    return CLI_OK;
}

static int check(const cli_call *call)
{
    const generate_arguments *arguments = call->arguments;
    if (call->operand_count > 0)
        return cli_usage(call->command, "'%s' is one too many; generate reads no file", call->operands[0]);
    if (!arguments->output) return cli_usage(call->command, "no output file given; add -o X.events");
    if (strcmp(arguments->output, "-") == 0)
        return cli_usage(call->command, "an events file cannot go to standard output; give -o X.events");
    if (arguments->oracle && strcmp(arguments->oracle, arguments->output) == 0)
        return cli_usage(call->command, "--oracle and --output are the same file; give two names");
    return CLI_OK;
}

static int run(cli_call *call)
{
    const generate_arguments *arguments = call->arguments;
    int code = check(call);
    if (code) return code;
    scadyg_error error = {0};
    scadyg_events *events = NULL;
    double began = cli_seconds();
    if (scadyg_generate(arguments->output, arguments->oracle, &arguments->generate,
                        cli_progress(&arguments->common), &error) ||
        scadyg_events_open(arguments->output, &events, &error))
        code = cli_fail_error(call->command, &error, arguments->output);
    else
        code = print_summary(call, scadyg_events_shape(events), cli_seconds() - began);
    scadyg_events_close(events);
    return code;
}

const cli_command cli_generate = {
    .name = "generate",
    .summary = "make a dynamic graph by a known process",
    .operands = "-o X.events",
    .description = "Makes a graph that has what real ones have: a few very active nodes, communities that\n"
                   "drift, pairs that meet again, replies, waves of popularity; with --kind items, users who\n"
                   "go through items in an order. The same seed gives the same bytes.\n"
                   "\n"
                   "Because the process is known, so is the best possible prediction: --oracle writes for\n"
                   "every event the rank its real destination has among 100 random ones when ranked by the\n"
                   "true intensities.",
    .examples = examples,
    .options = options,
    .option_count = CLI_COUNT(options),
    .library_options = scadyg_generate_option_table,
    .library_offset = offsetof(generate_arguments, generate),
    .defaults = defaults,
    .size = sizeof(generate_arguments),
    .run = run,
};
