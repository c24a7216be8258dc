/* scadyg import, append, export and generate: where events files come from, and back into text. */
#include <stdlib.h>
#include <string.h>

#include "cli/config.h"
#include "cli/describe.h"
#include "cli/open_events.h"

/* ---- import ---- */

typedef struct file_arguments {
    cli_common common;
    const char *output;
    int dry_run;        /* import, append */
    const char *oracle; /* generate */
} file_arguments;

static const sg_option import_options[] = {
    CLI_ROW_OUTPUT(file_arguments, output, "FILE", "the events file to write"),
    CLI_ROW_FLAG(file_arguments, dry_run, "dry-run", 'n',
                 "read everything and write nothing: show how each column is understood and what looks odd", 0),
    CLI_ROW_JSON("print the summary as JSON"),
    CLI_ROW_MEMORY(8388608, "hold at most this much, sort on disk beyond it [half of the machine's]"),
    CLI_ROW_THREADS,
};

static const cli_default needs_output[] = {{"output", "required"}, {NULL, NULL}};

static const cli_example import_examples[] = {
    {"scadyg import CollegeMsg.txt.gz -o uci.events", "a log with lines 'src dst time', compressed"},
    {"scadyg import --dry-run log.csv", "how would the columns be understood?"},
    {"scadyg import log.csv --columns time,src,dst,weight -o log.events", "say what the columns are"},
    {"zcat part*.gz | scadyg import - -o log.events", "read standard input"},
    {"scadyg import 2023.events 2024.csv -o both.events", "join logs"},
    {NULL, NULL}};

static int adds(const cli_call *call)
{
    return call->command == &cli_append;
}

static json_t *report_json(const cli_call *call, const scadyg_import_report *report, double seconds)
{
    const file_arguments *arguments = call->arguments;
    json_t *files = json_array();
    int failed = 0;
    for (size_t i = 0; i < call->operand_count; i++)
        failed |= json_array_append_new(files, cli_json_text(call->operands[i]));
    json_t *object =
        json_pack("{s:o, s:o, s:o, s:o}", "files", files, "layout", cli_json_lines(report->layout), "please_check",
                  cli_json_lines(report->checks), "roles", cli_json_text(report->roles));
    if (arguments->dry_run)
        failed |= json_object_set_new(object, "first_events", cli_json_lines(report->first_events));
    {
        failed |= cli_json_add(
            object, json_pack("{s:I, s:I, s:I, s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:o, s:f}", "incomplete",
                              (json_int_t)report->incomplete, "filtered", (json_int_t)report->filtered, "filled",
                              (json_int_t)report->filled, "rows", (json_int_t)report->rows, "bad",
                              (json_int_t)report->bad, "bad_rows", cli_json_lines(report->bad_rows), "out_of_order",
                              (json_int_t)report->out_of_order, "self_loops", (json_int_t)report->self_loops,
                              "ties", (json_int_t)report->ties, "spilled_runs", (json_int_t)report->spilled_runs,
                              "unused_node_features", (json_int_t)report->unused_node_features, "output",
                              cli_json_text(arguments->dry_run ? NULL : arguments->output), "seconds", seconds));
        failed |= cli_json_add(object, cli_shape_json(report->shape));
    }
    if (adds(call))
        failed |= cli_json_add(object, json_pack("{s:I, s:I, s:o}", "before", (json_int_t)report->before, "late",
                                                 (json_int_t)report->late, "first_late",
                                                 cli_json_lines(report->first_late)));
    return cli_json_whole(object, failed);
}

void cli_checks_print(const scadyg_import_report *report)
{
    const char *line = report->checks;
    for (int first = 1; *line; first = 0) {
        const size_t length = strcspn(line, "\n");
        printf("%s%s\n", first ? "please check\n  - " : "  - ", cli_safe(cli_text("%.*s", (int)length, line)));
        line += length + (line[length] == '\n');
    }
}

void cli_left_out_print(const scadyg_import_report *report, int indent)
{
    if (report->incomplete)
        printf("%*s%s row%s left out for missing numbers\n", indent, "", cli_count(report->incomplete),
               sg_plural(report->incomplete));
    if (report->filled)
        printf("%*s%s missing number%s filled in, as --missing says\n", indent, "", cli_count(report->filled),
               sg_plural(report->filled));
    if (report->filtered)
        printf("%*s%s row%s left out by --where\n", indent, "", cli_count(report->filtered),
               sg_plural(report->filtered));
}

static void print_added(const scadyg_import_report *report)
{
    const uint64_t added = report->shape->events - report->before;
    printf("added   %s event%s to %s", cli_count(added), sg_plural(added), cli_count(report->before));
    if (report->late) printf(", %s of them before the newest of these", cli_count(report->late));
    printf("\n");
}

static void print_counts(const cli_call *call, const scadyg_import_report *report, double seconds)
{
    const file_arguments *arguments = call->arguments;
    printf("rows    %s read, %s bad, %s out of order\n", cli_count(report->rows), cli_count(report->bad),
           cli_count(report->out_of_order));
    if (adds(call)) print_added(report);
    printf("found   %s\n", cli_shape_text(report->shape));
    printf("        %s self-loop%s, %s at the same time as the one before\n", cli_count(report->self_loops),
           sg_plural(report->self_loops), cli_count(report->ties));
    printf("times   %s (%s)\n", cli_times_text(report->shape), scadyg_time_kind_name(report->shape->time_kind));
    if (report->unused_node_features)
        printf("unused  %s row%s of node features belong%s to no node with events\n",
               cli_count(report->unused_node_features), sg_plural(report->unused_node_features),
               report->unused_node_features == 1 ? "s" : "");
    cli_left_out_print(report, 8);
    cli_checks_print(report);
    if (arguments->dry_run) return;
    printf("wrote   %s, %s in %.2f s\n", cli_safe(arguments->output), cli_bytes(cli_file_size(arguments->output)),
           seconds);
    if (arguments->common.verbose)
        printf("        %s rows/s; %s on disk\n", cli_rate(seconds > 0 ? (double)report->rows / seconds : 0),
               cli_counted(report->spilled_runs, "sorted run", "sorted runs"));
}

void cli_bad_rows_tell(const cli_call *call, const scadyg_import_report *report, const char *label)
{
    const char *name = call->command->name;
    for (const char *row = report->bad_rows; *row;) {
        size_t length = strcspn(row, "\n");
        fprintf(stderr, "scadyg %s: %s: %.*s\n", name, label, (int)length, row);
        row += length + (row[length] == '\n');
    }
    fprintf(stderr, "scadyg %s: %s bad row%s %s\n", name, cli_count(report->bad), sg_plural(report->bad),
            strcmp(label, "skipped") == 0 ? label : "seen; --skip-bad N tolerates N of them");
}

static int print_report(const cli_call *call, const scadyg_import_report *report, double seconds)
{
    const file_arguments *arguments = call->arguments;
    cli_progress_erase();
    /* A dry run looks further after a bad row, so that all that it sees can be put right at once. */
    if (report->bad && !arguments->common.quiet)
        cli_bad_rows_tell(call, report, arguments->dry_run ? "bad row" : "skipped");
    if (report->late && arguments->dry_run && !arguments->common.quiet)
        fprintf(stderr, "scadyg append: %s late event%s seen, the first %.*s\n", cli_count(report->late),
                sg_plural(report->late), (int)strcspn(report->first_late, "\n"), report->first_late);
    if (arguments->common.json) return cli_json_print(call->command, report_json(call, report, seconds));
    if (arguments->common.quiet) return CLI_OK;
    fputs(report->layout, stdout);
    cli_roles_print(report->roles, 0, 7);
    if (arguments->dry_run || arguments->common.verbose) printf("first events:\n%s", report->first_events);
    print_counts(call, report, seconds);
    return CLI_OK;
}

/* A dry run that sees bad or late rows has failed, as the import would. */
static int check_report(const cli_call *call, const scadyg_import_report *report)
{
    const file_arguments *arguments = call->arguments;
    char tolerated[CLI_TEXT];
    scadyg_options_get(call->tables.set, "skip-bad", tolerated, sizeof tolerated);
    if (!arguments->dry_run) return CLI_OK;
    if (report->late && cli_option_is(call->tables.set, "late", "refuse")) return CLI_FAILURE;
    if (strcmp(tolerated, "all") == 0) return CLI_OK;
    return report->bad > strtoull(tolerated, NULL, 10) ? CLI_FAILURE : CLI_OK;
}

/* What came of it, with the exit code; the report goes. */
static int tell_report(const cli_call *call, int status, const char *output, scadyg_import_report *report,
                       double seconds)
{
    int code = status ? cli_failed(call, output) : print_report(call, report, seconds);
    if (!code) code = check_report(call, report);
    scadyg_import_report_free(report);
    return code;
}

/* The name of an events file that is to be written. */
static int check_events_output(const cli_call *call, const char *advice)
{
    const file_arguments *arguments = call->arguments;
    if (!arguments->output) return cli_usage(call->command, "no output file given; add -o X.events%s", advice);
    if (strcmp(arguments->output, "-") == 0)
        return cli_usage(call->command, "an events file cannot go to standard output; give -o X.events");
    return CLI_OK;
}

static int check_import(const cli_call *call)
{
    const file_arguments *arguments = call->arguments;
    if (call->operand_count == 0)
        return cli_usage(call->command, "no input file given; give one or more, or - for standard input");
    if (arguments->dry_run) return CLI_OK;
    return check_events_output(call, ", or --dry-run to look only");
}

static int run_import(cli_call *call)
{
    const file_arguments *arguments = call->arguments;
    int code = check_import(call);
    if (code) return code;
    code = cli_reads_import(call, call->operands, call->operand_count, call->tables.set);
    if (code) return code;
    const char *output = arguments->dry_run ? NULL : arguments->output;
    scadyg_import_report *report = NULL;
    const double began = sg_seconds();
    const int status = scadyg_import(call->context, call->operands, call->operand_count, output, call->tables.set,
                                     &report, call->error);
    return tell_report(call, status, output, report, sg_seconds() - began);
}

const cli_command cli_import = {
    .name = "import",
    .summary = "turn timestamped event logs into one events file",
    .operands = "FILE... -o X.events",
    .description = "Reads text files, plain or compressed with gzip or zstd, several as one log; - is\n"
                   "standard input. The layout is found out from the header and the first rows: tables\n"
                   "with sensible column names, SNAP, JODIE, DGB and TGB files need no option. Rows may\n"
                   "come in any order; the events file has them sorted by time. Events files among the\n"
                   "inputs are joined with the rest: ids are matched by their text, and the result is that\n"
                   "of an import of all the text.\n"
                   "\n"
                   "Where the guess is wrong, --columns names the roles of the columns in order: src,\n"
                   "dst, time, weight, label, feature, - for a column to leave out, and feature... for\n"
                   "all the rest. Times are numbers or dates (YYYY-MM-DD, also with HH:MM:SS).\n"
                   "\n"
                   "Sources and destinations are separate (user 7 is not item 7) where the names of the columns\n"
                   "say so (user_id and item_id, customer and product), else where no id occurs on both sides;\n"
                   "--bipartite and --one-kind say it. The decision and its reason are printed.\n"
                   "\n"
                   "A bad row stops the import with its file, line and column, and nothing is written,\n"
                   "unless --skip-bad tolerates it.",
    .examples = import_examples,
    CLI_OPTIONS(import_options),
    .set = "import",
    .defaults = needs_output,
    .size = sizeof(file_arguments),
    .run = run_import,
};

/* ---- append ---- */

static const sg_option append_options[] = {
    CLI_ROW_FLAG(file_arguments, dry_run, "dry-run", 'n',
                 "read everything and write nothing: show how each column is understood and what looks odd", 0),
    CLI_ROW_JSON("print the summary as JSON"),
    CLI_ROW_MEMORY(8388608, "hold at most this much, sort on disk beyond it [half of the machine's]"),
    CLI_ROW_THREADS,
};

static const cli_example append_examples[] = {
    {"scadyg append log.events today.csv", "the events of a day"},
    {"scadyg append log.events late.csv --late sort", "events that are older than the newest in the file"},
    {"tail -n +2 new.csv | scadyg append log.events - --columns src,dst,time", "read standard input"},
    {NULL, NULL}};

/* What was said of the old text holds for the new, unless something else is said. */
static int read_as_before(const cli_call *call)
{
    const file_arguments *arguments = call->arguments;
    scadyg_events *events = NULL;
    if (scadyg_events_open(call->operands[0], &events, NULL)) return CLI_OK; /* append says what is wrong with it */
    const char *what = call->operand_count > 2 ? "the new files are" : cli_text("%s is", call->operands[1]);
    int code = cli_read_as(call, call->tables.set, scadyg_events_reading(events),
                           arguments->common.quiet ? NULL : cli_text("%s read as the events before were", what));
    scadyg_events_close(events);
    return code;
}

static int run_append(cli_call *call)
{
    file_arguments *arguments = call->arguments;
    if (call->operand_count == 0) return cli_usage(call->command, "no events file given");
    if (call->operand_count == 1)
        return cli_usage(call->command, "nothing to append given; name one or more files, or - for standard input");
    arguments->output = call->operands[0];
    scadyg_import_report *report = NULL;
    const double began = sg_seconds();
    int code = read_as_before(call);
    if (code) return code;
    const int status = scadyg_append(call->context, call->operands[0], call->operands + 1, call->operand_count - 1,
                                     arguments->dry_run, call->tables.set, &report, call->error);
    return tell_report(call, status, arguments->dry_run ? NULL : arguments->output, report, sg_seconds() - began);
}

const cli_command cli_append = {
    .name = "append",
    .summary = "add later events to an events file",
    .operands = "X.events FILE...",
    .description = "Reads text files or events files as import does, with the same options, and adds their\n"
                   "events to X.events, which then has the same bytes as an import of the old and the new\n"
                   "text together. Ids that the file knows keep their nodes, new ones are added. The new\n"
                   "file takes the place of the old one in one stroke: whatever happens meanwhile, one of\n"
                   "the two is there, and a program that has the old one open goes on with it.\n"
                   "\n"
                   "Events before the newest of the file are late: if there are any, nothing is added and\n"
                   "the first is shown, unless --late sort puts each in its place. Equal times are not late.\n"
                   "\n"
                   "Options that said how the old text is read, such as --src, --where or --timezone, hold for\n"
                   "the new text too: they are in the file, and those that are given here take their place.\n"
                   "\n"
                   "The new events must have what the old ones have: weights, labels, as many features,\n"
                   "times of the same kind.",
    .examples = append_examples,
    CLI_OPTIONS(append_options),
    .set = "append",
    .size = sizeof(file_arguments),
    .run = run_append,
};

/* ---- export ---- */

static const sg_option export_options[] = {
    CLI_ROW_OUTPUT(file_arguments, output, "FILE",
                   "the CSV to write, compressed if it ends in .gz or .zst; - is standard output"),
    CLI_ROW_JSON("print the summary as JSON"),
    CLI_ROW_THREADS,
};

static const cli_example export_examples[] = {{"scadyg export log.events -o log.csv.gz", "a compressed table"},
                                              {"scadyg export log.events -o - | head", "the first events"},
                                              {NULL, NULL}};

/* How import will know it again. */
static void print_exported_roles(const scadyg_shape *shape)
{
    if (shape->two_id_spaces)
        printf("        sources and destinations are separate, and import will find them so\n");
}

/* The summary of a file that was written: as JSON with more members, or for people. An exit code. */
static int print_written(const cli_call *call, const scadyg_shape *shape, double seconds, json_t *more)
{
    const file_arguments *arguments = call->arguments;
    const char *output = arguments->output;
    cli_progress_erase();
    if (arguments->common.json) {
        const int failed = !more || json_object_set_new(more, "seconds", json_real(seconds)) ||
                           cli_json_add(more, cli_shape_json(shape));
        return cli_json_print(call->command, cli_json_whole(more, failed));
    }
    json_decref(more);
    if (arguments->common.quiet || strcmp(output, "-") == 0) return CLI_OK;
    printf("wrote   %s, %s in %.2f s\n        %s\n", cli_safe(output), cli_bytes(cli_file_size(output)), seconds,
           cli_shape_text(shape));
    if (arguments->common.verbose)
        printf("        %s events/s\n", cli_rate(seconds > 0 ? (double)shape->events / seconds : 0));
    if (call->command == &cli_export) print_exported_roles(shape);
    if (shape->node_features && call->command == &cli_export)
        printf("        node features in the .nodes.csv file beside it\n");
    if (arguments->oracle)
        printf("        %s, %s\n", cli_safe(arguments->oracle), cli_bytes(cli_file_size(arguments->oracle)));
    return CLI_OK;
}

static int check_export(const cli_call *call, const char **input)
{
    const file_arguments *arguments = call->arguments;
    int code = cli_one_operand(call, "events file", input);
    if (code) return code;
    if (!arguments->output)
        return cli_usage(call->command, "no output file given; add -o F.csv, or -o - for standard output");
    if (arguments->common.json && strcmp(arguments->output, "-") == 0)
        return cli_usage(call->command, "the CSV and --json cannot both go to standard output; give -o F.csv");
    return CLI_OK;
}

static int run_export(cli_call *call)
{
    const file_arguments *arguments = call->arguments;
    const char *input;
    int code = check_export(call, &input);
    if (code) return code;
    const char *file = strcmp(arguments->output, "-") == 0 ? NULL : arguments->output;
    scadyg_events *events = NULL;
    const double began = sg_seconds();
    if (scadyg_events_open(input, &events, call->error) ||
        scadyg_export(call->context, events, arguments->output, call->error))
        code = cli_failed(call, file);
    else
        code = print_written(
            call, scadyg_events_shape(events), sg_seconds() - began,
            json_pack("{s:o, s:o}", "input", cli_json_text(input), "output", cli_json_text(arguments->output)));
    scadyg_events_close(events);
    return code;
}

const cli_command cli_export = {
    .name = "export",
    .summary = "write an events file as CSV",
    .operands = "X.events -o F.csv",
    .description =
        "Writes a table with one event per row that imports back to the same events file, byte\n"
        "for byte. Node features go to a second file, F.nodes.csv, which import finds by itself.\n"
        "\n"
        "Import knows by the names of the columns whether sources and destinations are separate (user 7\n"
        "is not item 7): user_id and item_id, or src_node and dst_node where they are of one kind though\n"
        "no id occurs on both sides. Where the ids alone say it the columns are src and dst.",
    .examples = export_examples,
    CLI_OPTIONS(export_options),
    .defaults = needs_output,
    .size = sizeof(file_arguments),
    .run = run_export,
};

/* ---- generate ---- */

static const sg_option generate_options[] = {
    CLI_ROW_OUTPUT(file_arguments, output, "FILE", "the events file to write"),
    CLI_ROW_FILE(file_arguments, oracle, "oracle", 0, "FILE",
                 "also write, per event, the rank the true process gives its destination", 0, SCADYG_FILE_WRITTEN),
    CLI_ROW_JSON("print the summary as JSON"),
    CLI_ROW_THREADS,
};

static const cli_example generate_examples[] = {
    {"scadyg generate -o graph.events", "the built-in graph"},
    {"scadyg generate --kind items --seed 7 -o shop.events", "users and items instead of one kind of node"},
    {"scadyg generate --oracle best.csv -o graph.events", "with the best ranking any model could reach"},
    {NULL, NULL}};

static int run_generate(cli_call *call)
{
    const file_arguments *arguments = call->arguments;
    if (call->operand_count > 0)
        return cli_usage(call->command, "unexpected argument '%s'; generate reads no file", call->operands[0]);
    int code = check_events_output(call, "");
    if (code) return code;
    scadyg_events *events = NULL;
    const double began = sg_seconds();
    if (scadyg_generate(call->context, arguments->output, arguments->oracle, call->tables.set, call->error) ||
        scadyg_events_open(arguments->output, &events, call->error))
        code = cli_failed(call, arguments->output);
    else
        code = print_written(call, scadyg_events_shape(events), sg_seconds() - began,
                             json_pack("{s:o, s:o, s:o}", "output", cli_json_text(arguments->output), "oracle",
                                       cli_json_text(arguments->oracle), "seed",
                                       cli_option_json(call->tables.set, "seed")));
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
    .examples = generate_examples,
    CLI_OPTIONS(generate_options),
    .set = "generate",
    .defaults = needs_output,
    .size = sizeof(file_arguments),
    .run = run_generate,
};
