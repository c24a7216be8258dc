/* scadyg report: a run as one page to look at. */
#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "oracle.h"
#include "out_file.h"
#include "report_study.h"
#include "session.h"

#define FIELD(field) .offset = offsetof(report_arguments, field), .least = 1, .most = 0

static const scadyg_option options[] = {
    CLI_OPTION_OUTPUT(report_arguments, output, "FILE", "the page to write"),
    {.name = "oracle",
     .kind = SCADYG_OPTION_TEXT,
     FIELD(oracle),
     .argument = "F.csv",
     .help = "for generated events: what generate --oracle wrote, to stand beside the model"},
    CLI_OPTION_THREADS,
};

static const cli_default defaults[] = {{"output", "required"}, {NULL, NULL}};

static const char *const examples[] = {"scadyg report log.scadyg log.csv -o report.html",
                                       "the model trained on that log, as a page",
                                       "scadyg report g.scadyg g.events --oracle oracle.csv -o report.html",
                                       "a generated graph, beside the best that is possible", NULL};

static int open_columns(report *r)
{
    scadyg_error error = {0};
    const void *src, *dst, *time;
    if (scadyg_events_column(r->events, SCADYG_COLUMN_SRC, &src, &error) ||
        scadyg_events_column(r->events, SCADYG_COLUMN_DST, &dst, &error) ||
        scadyg_events_column(r->events, SCADYG_COLUMN_TIME, &time, &error))
        return cli_fail_error(r->call->command, &error, NULL);
    r->src = src, r->dst = dst, r->time = time;
    return CLI_OK;
}

static int read_oracle(report *r, const char *path)
{
    scadyg_error error = {0};
    FILE *file = fopen(path, "r");
    if (!file) return cli_fail(r->call->command, "cannot read %s: %s", path, strerror(errno));
    r->oracle = malloc((r->shape->events ? r->shape->events : 1) * sizeof *r->oracle);
    int code = r->oracle ? CLI_OK : cli_fail(r->call->command, "not enough memory for %s", path);
    if (!code && cli_oracle_read(file, path, r->shape->events, r->oracle, &error))
        code = cli_fail_error(r->call->command, &error, NULL);
    fclose(file);
    return code;
}

static int open_run(report *r)
{
    const report_arguments *arguments = r->call->arguments;
    scadyg_error error = {0};
    if (scadyg_model_open(r->model_path, &r->model, &error)) return cli_fail_error(r->call->command, &error, NULL);
    r->info = scadyg_model_look(r->model);
    int code =
        cli_log_open(r->call, r->events_path, r->model_path, arguments->common.quiet ? NULL : stderr, &r->events);
    if (code) return code;
    r->shape = scadyg_events_shape(r->events);
    code = open_columns(r);
    if (!code && arguments->oracle) code = read_oracle(r, arguments->oracle);
    return code;
}

static void put_heading(report *r)
{
    char kind[CLI_TEXT], title[512];
    const char *slash = strrchr(r->events_path, '/'), *data = slash ? slash + 1 : r->events_path;
    cli_kind_name(r->info, kind);
    snprintf(title, sizeof title, "%.300s: a scadyg report", data);
    page_begin(r->page, title);
    fputs("<header>\n", r->page);
    page_cell(r->page, "h1", NULL, data);
    const char *slash_of_model = strrchr(r->model_path, '/');
    const char *what = r->info->options->task == SCADYG_TASK_AFFINITY
                           ? "what each node will turn to, as shares over classes"
                           : "who will meet whom next";
    page_words(r->page, "What the model %s (%s) learned from this log, and how good it is at saying %s.",
               slash_of_model ? slash_of_model + 1 : r->model_path, kind, what);
    fputs("</header>\n", r->page);
}

static int write_sections(report *r)
{
    static int (*const sections[])(report *) = {report_data, report_result, report_learning, report_test_part,
                                                report_wins, report_memory, report_repeat};
    put_heading(r);
    int code = CLI_OK;
    for (size_t i = 0; i < CLI_COUNT(sections) && !code; i++) code = sections[i](r);
    page_end(r->page);
    return code;
}

/* What there is to report on: a run, or a study. */
static int write_page(const cli_call *call, report *r, const char *study)
{
    const report_arguments *arguments = call->arguments;
    char *text = NULL;
    size_t size = 0;
    scadyg_error error = {0};
    FILE *page = open_memstream(&text, &size);
    if (!page) return cli_fail(call->command, "not enough memory for the page");
    r->page = page;
    int code = study ? report_study(call, study, page) : write_sections(r);
    const int failed = ferror(page);
    if ((fclose(page) || failed) && !code) code = cli_fail(call->command, "not enough memory for the page");
    if (!code && cli_file_write(arguments->output, text, size, &error))
        code = cli_fail_error(call->command, &error, arguments->output);
    free(text);
    if (!code && !arguments->common.quiet) printf("report      %s; open it in a browser\n", arguments->output);
    return code;
}

static int report_on_run(cli_call *call)
{
    static const char *const what[] = {"model file", "events file"};
    const report_arguments *arguments = call->arguments;
    const char *operands[2];
    int code = cli_operands(call, what, 2, operands);
    if (code) return code;
    if (!arguments->output) return cli_usage(call->command, "no output given; say -o report.html");
    const char *inputs[] = {operands[0], operands[1], arguments->oracle};
    code = cli_check_output(call, arguments->output, inputs, arguments->oracle ? 3 : 2);
    if (code) return code;
    report r = {.call = call, .model_path = operands[0], .events_path = operands[1]};
    code = open_run(&r);
    if (!code) code = report_collect(&r);
    if (!code) code = write_page(call, &r, NULL);
    free(r.queries);
    free(r.oracle);
    scadyg_events_close(r.events);
    scadyg_model_close(r.model);
    return code;
}

static int report_on_study(cli_call *call)
{
    const report_arguments *arguments = call->arguments;
    const char *path;
    int code = cli_one_operand(call, "study", &path);
    if (code) return code;
    if (!arguments->output) return cli_usage(call->command, "no output given; say -o report.html");
    if (arguments->oracle) return cli_usage(call->command, "--oracle goes with a model and its events");
    code = cli_check_output(call, arguments->output, &path, 1);
    report r = {.call = call};
    return code ? code : write_page(call, &r, path);
}

static int run(cli_call *call)
{
    return call->operand_count == 1 && report_is_study(call->operands[0]) ? report_on_study(call)
                                                                          : report_on_run(call);
}

const cli_command cli_report = {
    .name = "report",
    .summary = "write a page with charts that shows a run and how good it is",
    .operands = "M.scadyg X.events -o report.html",
    .description = "Makes one HTML file of a trained model and its events: the data at a glance, the result\n"
                   "beside simple rules, learning curves, the score through the test part, calibration,\n"
                   "where the model wins and loses, what nodes remember, and all options to repeat it.\n"
                   "The file needs nothing else: no network, no other files. It opens in any browser, on a\n"
                   "phone as well, follows its light or dark scheme, and prints.\n"
                   "\n"
                   "The test part is judged once more for it, query by query. docs/report.md says how.\n"
                   "\n"
                   "With one operand, the folder of a study or its results.json: the charts and tables of that\n"
                   "study.",
    .examples = examples,
    .options = options,
    .option_count = CLI_COUNT(options),
    .defaults = defaults,
    .size = sizeof(report_arguments),
    .run = run,
};
