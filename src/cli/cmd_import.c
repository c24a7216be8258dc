/* scadyg import: logs of who met whom, when, into one events file. */
#include "shape.h"

#include <stdio.h>
#include <string.h>

typedef struct import_arguments {
    cli_common common;
    const char *output;
    int dry_run;
    scadyg_import_options import;
} import_arguments;

#define FIELD(field) .offset = offsetof(import_arguments, field), .least = 1, .most = 0

static const scadyg_option options[] = {
    CLI_OPTION_OUTPUT(import_arguments, output, "FILE", "the events file to write"),
    {.name = "dry-run",
     .letter = 'n',
     .kind = SCADYG_OPTION_FLAG,
     FIELD(dry_run),
     .help = "show how each column is understood and the first events, then stop"},
    {.name = "json", .kind = SCADYG_OPTION_FLAG, FIELD(common.json), .help = "print the summary as JSON"},
};

static const cli_default defaults[] = {{"output", "required"}, {NULL, NULL}};

static const char *const examples[] = {"scadyg import CollegeMsg.txt.gz -o uci.events",
                                       "a log with lines 'src dst time', compressed",
                                       "scadyg import --dry-run log.csv",
                                       "how would the columns be understood?",
                                       "scadyg import log.csv --columns time,src,dst,weight -o log.events",
                                       "say what the columns are",
                                       "zcat part*.gz | scadyg import - -o log.events",
                                       "read standard input",
                                       NULL};

static json_t *report_json(const cli_call *call, const scadyg_import_report *report, double seconds)
{
    const import_arguments *arguments = call->arguments;
    json_t *object = json_object(), *files = json_array();
    int failed = !object || !files;
    for (size_t i = 0; files && i < call->operand_count; i++) {
        /* A file name need not be UTF-8; JSON text must be. */
        json_t *name = json_string(call->operands[i]);
        failed |= json_array_append_new(files, name ? name : json_null());
    }
    failed |= json_object_set_new(object, "files", files);
    failed |= json_object_set_new(object, "layout", cli_json_lines(report->layout));
    if (arguments->dry_run) {
        failed |= json_object_set_new(object, "first_events", cli_json_lines(report->first_events));
    } else {
        failed |= json_object_set_new(object, "rows", json_integer((json_int_t)report->rows));
        failed |= json_object_set_new(object, "bad", json_integer((json_int_t)report->bad));
        failed |= json_object_set_new(object, "bad_rows", cli_json_lines(report->bad_rows));
        failed |= json_object_set_new(object, "out_of_order", json_integer((json_int_t)report->out_of_order));
        failed |= json_object_set_new(object, "self_loops", json_integer((json_int_t)report->self_loops));
        failed |= json_object_set_new(object, "ties", json_integer((json_int_t)report->ties));
        failed |= json_object_set_new(object, "spilled_runs", json_integer((json_int_t)report->spilled_runs));
        failed |= json_object_set_new(object, "unused_node_features",
                                      json_integer((json_int_t)report->unused_node_features));
        failed |= cli_shape_json(object, &report->shape);
        json_t *name = json_string(arguments->output);
        failed |= json_object_set_new(object, "output", name ? name : json_null());
        failed |= json_object_set_new(object, "seconds", json_real(seconds));
    }
    if (!failed) return object;
    json_decref(object);
    return NULL;
}

static void print_counts(const import_arguments *arguments, const scadyg_import_report *report, double seconds)
{
    char a[CLI_TEXT], b[CLI_TEXT], c[CLI_TEXT], text[256];
    printf("rows    %s read, %s bad, %s out of order\n", cli_count(report->rows, a), cli_count(report->bad, b),
           cli_count(report->out_of_order, c));
    cli_shape_text(&report->shape, text, sizeof text);
    printf("found   %s\n", text);
    printf("        %s self-loop%s, %s at the same time as the one before\n", cli_count(report->self_loops, a),
           report->self_loops == 1 ? "" : "s", cli_count(report->ties, b));
    cli_times_text(&report->shape, text, sizeof text);
    printf("times   %s (%s)\n", text, scadyg_time_kind_name(report->shape.time_kind));
    if (report->unused_node_features)
        printf("unused  %s rows of node features belong to no node with events\n",
               cli_count(report->unused_node_features, a));
    printf("wrote   %s, %s in %.2f s\n", arguments->output, cli_bytes(cli_file_size(arguments->output), a),
           seconds);
    if (arguments->common.verbose)
        printf("        %s rows/s; %s sorted runs on disk\n",
               cli_rate(seconds > 0 ? (double)report->rows / seconds : 0, a), cli_count(report->spilled_runs, b));
}

/* A dry run looks further after a bad row, so that all that it sees can be put right at once. */
static void print_bad_rows(const cli_call *call, const scadyg_import_report *report)
{
    const import_arguments *arguments = call->arguments;
    const char *name = call->command->name;
    char count[CLI_TEXT];
    for (const char *row = report->bad_rows; row && *row;) {
        size_t length = strcspn(row, "\n");
        fprintf(stderr, "scadyg %s: %s: %.*s\n", name, arguments->dry_run ? "bad row" : "skipped", (int)length,
                row);
        row += length + (row[length] == '\n');
    }
    fprintf(stderr, "scadyg %s: %s bad row%s %s\n", name, cli_count(report->bad, count),
            report->bad == 1 ? "" : "s", arguments->dry_run ? "seen; --skip-bad N tolerates N of them" : "skipped");
}

static int print_report(const cli_call *call, const scadyg_import_report *report, double seconds)
{
    const import_arguments *arguments = call->arguments;
    cli_progress_erase();
    if (report->bad && !arguments->common.quiet) print_bad_rows(call, report);
    if (arguments->common.json) return cli_json_print(call->command, report_json(call, report, seconds));
    if (arguments->common.quiet) return CLI_OK;
    fputs(report->layout ? report->layout : "", stdout);
    if (arguments->dry_run || arguments->common.verbose)
        printf("first events:\n%s", report->first_events ? report->first_events : "");
    if (!arguments->dry_run) print_counts(arguments, report, seconds);
    return CLI_OK;
}

static int check(const cli_call *call)
{
    const import_arguments *arguments = call->arguments;
    if (call->operand_count == 0)
        return cli_usage(call->command, "no input file given; give one or more, or - for standard input");
    if (arguments->dry_run) return CLI_OK;
    if (!arguments->output)
        return cli_usage(call->command, "no output file given; add -o X.events, or --dry-run to look only");
    if (strcmp(arguments->output, "-") == 0)
        return cli_usage(call->command, "an events file cannot go to standard output; give -o X.events");
    return cli_check_output(call, arguments->output, call->operands, call->operand_count);
}

static int run(cli_call *call)
{
    const import_arguments *arguments = call->arguments;
    int code = check(call);
    if (code) return code;
    const char *output = arguments->dry_run ? NULL : arguments->output;
    scadyg_import_report report = {0};
    scadyg_error error = {0};
    double began = cli_seconds();
    if (scadyg_import(call->operands, call->operand_count, output, &arguments->import,
                      cli_progress(&arguments->common), &report, &error))
        code = cli_fail_error(call->command, &error, output);
    else
        code = print_report(call, &report, cli_seconds() - began);
    scadyg_import_report_free(&report);
    return code;
}

const cli_command cli_import = {
    .name = "import",
    .summary = "turn logs of who met whom, when, into one events file",
    .operands = "FILE... -o X.events",
    .description = "Reads text files, plain or compressed with gzip or zstd, several as one log; - is\n"
                   "standard input. The layout is found out from the header and the first rows: tables\n"
                   "with sensible column names, SNAP, JODIE, DGB and TGB files need no option. Rows may\n"
                   "come in any order; the events file has them sorted by time.\n"
                   "\n"
                   "Where the guess is wrong, --columns names the roles of the columns in order: src,\n"
                   "dst, time, weight, label, feature, - for a column to leave out, and feature... for\n"
                   "all the rest. Times are numbers or dates (YYYY-MM-DD, also with HH:MM:SS).\n"
                   "\n"
                   "A bad row stops the import with its file, line and column, and nothing is written,\n"
                   "unless --skip-bad tolerates it.",
    .examples = examples,
    .options = options,
    .option_count = CLI_COUNT(options),
    .library_options = scadyg_import_option_table,
    .library_offset = offsetof(import_arguments, import),
    .defaults = defaults,
    .size = sizeof(import_arguments),
    .run = run,
};
