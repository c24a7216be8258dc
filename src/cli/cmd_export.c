/* scadyg export: an events file back into text. */
#include "shape.h"

#include <stdio.h>
#include <string.h>

typedef struct export_arguments {
    cli_common common;
    const char *output;
} export_arguments;

#define FIELD(field) .offset = offsetof(export_arguments, field), .least = 1, .most = 0

static const scadyg_option options[] = {
    CLI_OPTION_OUTPUT(export_arguments, output, "FILE",
                      "the CSV to write, compressed if it ends in .gz or .zst; - is standard output"),
    {.name = "json", .kind = SCADYG_OPTION_FLAG, FIELD(common.json), .help = "print the summary as JSON"},
    {.name = "threads",
     .kind = SCADYG_OPTION_INT,
     .offset = offsetof(export_arguments, common.threads),
     .argument = "N",
     .fallback = "all",
     .choices = "all",
     .least = 0,
     .most = 1024,
     .help = "threads to use"},
};

static const cli_default defaults[] = {{"output", "required"}, {NULL, NULL}};

static const char *const examples[] = {"scadyg export log.events -o log.csv.gz", "a compressed table",
                                       "scadyg export log.events -o - | head", "the first events", NULL};

static json_t *summary_json(const char *input, const char *output, const scadyg_shape *shape, double seconds)
{
    json_t *object = json_object();
    int failed = !object;
    json_t *from = json_string(input), *to = json_string(output);
    failed |= json_object_set_new(object, "input", from ? from : json_null());
    failed |= json_object_set_new(object, "output", to ? to : json_null());
    failed |= !object || cli_shape_json(object, shape);
    failed |= json_object_set_new(object, "seconds", json_real(seconds));
    if (!failed) return object;
    json_decref(object);
    return NULL;
}

static int print_summary(const cli_call *call, const char *input, const scadyg_shape *shape, double seconds)
{
    const export_arguments *arguments = call->arguments;
    cli_progress_erase();
    if (arguments->common.json)
        return cli_json_print(call->command, summary_json(input, arguments->output, shape, seconds));
    if (arguments->common.quiet || strcmp(arguments->output, "-") == 0) return CLI_OK;
    char text[256], size[CLI_TEXT];
    cli_shape_text(shape, text, sizeof text);
    printf("wrote   %s, %s in %.2f s\n        %s\n", arguments->output,
           cli_bytes(cli_file_size(arguments->output), size), seconds, text);
    if (shape->node_features) printf("        node features in the .nodes.csv file beside it\n");
    if (arguments->common.verbose)
        printf("        %s events/s\n", cli_rate(seconds > 0 ? (double)shape->events / seconds : 0, size));
    return CLI_OK;
}

static int check(const cli_call *call, const char **input)
{
    const export_arguments *arguments = call->arguments;
    int code = cli_one_operand(call, "events file", input);
    if (code) return code;
    if (!arguments->output)
        return cli_usage(call->command, "no output file given; add -o F.csv, or -o - for standard output");
    if (arguments->common.json && strcmp(arguments->output, "-") == 0)
        return cli_usage(call->command, "the CSV and --json cannot both go to standard output; give -o F.csv");
    return cli_check_output(call, arguments->output, input, 1);
}

static int run(cli_call *call)
{
    const export_arguments *arguments = call->arguments;
    const char *input;
    int code = check(call, &input);
    if (code) return code;
    const char *file = strcmp(arguments->output, "-") == 0 ? NULL : arguments->output;
    scadyg_error error = {0};
    scadyg_events *events = NULL;
    double began = cli_seconds();
    if (scadyg_events_open(input, &events, &error) ||
        scadyg_export(events, arguments->output, (int)arguments->common.threads, cli_progress(&arguments->common),
                      &error))
        code = cli_fail_error(call->command, &error, file);
    else
        code = print_summary(call, input, scadyg_events_shape(events), cli_seconds() - began);
    scadyg_events_close(events);
    return code;
}

const cli_command cli_export = {
    .name = "export",
    .summary = "write an events file as CSV",
    .operands = "X.events -o F.csv",
    .description = "Writes a table with one event per row that imports back to the same events file, byte\n"
                   "for byte. Node features go to a second file, F.nodes.csv, which import finds by itself.",
    .examples = examples,
    .options = options,
    .option_count = CLI_COUNT(options),
    .defaults = defaults,
    .size = sizeof(export_arguments),
    .run = run,
};
