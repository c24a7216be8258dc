/* scadyg report: a run as one page to look at. */
#include "report/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"

static const sg_option options[] = {
    CLI_ROW_OUTPUT(report_arguments, output, "FILE", "the page to write"),
    CLI_ROW_FILE(report_arguments, oracle, "oracle", 0, "F.csv",
                 "for generated events: what generate --oracle wrote, to stand beside the model", 0,
                 SCADYG_FILE_READ),
    CLI_ROW_LABELS,
    CLI_ROW_THREADS,
    CLI_ROW_ANSWER_MEMORY,
};

static const cli_example examples[] = {
    {"scadyg report log.scadyg log.csv -o report.html", "the model trained on that log, as a page"},
    {"scadyg report g.scadyg g.events --oracle oracle.csv -o report.html",
     "a generated graph, beside the best that is possible"},
    {NULL, NULL}};

static int read_oracle(report *r, const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file) return cli_fail(r->call->command, "cannot read %s: %s", path, strerror(errno));
    r->oracle = malloc((r->shape->events ? r->shape->events : 1) * sizeof *r->oracle);
    int code = r->oracle ? CLI_OK : cli_fail(r->call->command, "not enough memory for %s", path);
    if (!code && report_oracle_read(file, path, r->shape->events, r->oracle, r->call->error))
        code = cli_failed(r->call, NULL);
    fclose(file);
    return code;
}

static int open_run(report *r)
{
    const report_arguments *arguments = r->call->arguments;
    int code = cli_session_open(r->call, &r->session);
    if (code) return code;
    r->model = r->session.model;
    r->info = r->session.info;
    r->events = r->session.events;
    r->shape = r->session.shape;
    if (cli_events_columns(r->events, &r->src, &r->dst, &r->time, r->call->error)) return cli_failed(r->call, NULL);
    if (!code && arguments->oracle) code = read_oracle(r, arguments->oracle);
    return code;
}

static void put_heading(report *r)
{
    const char *data = cli_file_name(r->session.events_path);
    page_begin(r->page, cli_text("%.300s: a scadyg report", data));
    fputs("<header>\n", r->page);
    page_cell(r->page, "h1", NULL, data);
    const char *what = strcmp(r->info->task, "link") == 0
                           ? "who will interact with whom next"
                           : "what each node will choose next, as shares over classes";
    page_words(r->page, "What the model %s (%s) learned from this log, and how good it is at saying %s.",
               cli_file_name(r->session.model_path), r->info->kind, what);
    fputs("</header>\n", r->page);
}

/* ---- How to repeat it ---- */

static void put_row(FILE *page, const char *name, const char *value)
{
    fputs("<tr>", page);
    page_cell(page, "th", NULL, name);
    page_cell(page, "td", NULL, value);
    fputs("</tr>\n", page);
}

static void put_files(const report *r)
{
    const scadyg_model_info *info = r->info;
    const unsigned checksum = (unsigned)scadyg_events_checksum(r->events);
    FILE *page = r->page;
    fputs("<div class=\"wide\"><table>\n", page);
    put_row(page, "trained on", cli_text("%.200s: %s", info->data ? info->data : "?", cli_shape_text(info->shape)));
    put_row(page, "its checksum", cli_text("%08x", (unsigned)info->checksum));
    put_row(page, "this report's events",
            cli_text("%08x%s", checksum,
                     checksum == info->checksum ? ", the same events" : ", other events than it was trained on"));
    put_row(page, "the model file's checksum", cli_text("%08x", (unsigned)info->file_checksum));
    put_row(page, "parameters", cli_count(info->parameters));
    if (info->answers_as)
        put_row(page, "answers as",
                cli_text("the baseline %s: no epoch was clearly better than it", info->answers_as));
    const double pair_bytes = scadyg_model_figure(r->model, "pair_bytes");
    const double vectors = scadyg_model_figure(r->model, "vectors");
    if (pair_bytes > 0)
        put_row(page, "by --memory",
                cli_text("at most %s for pairs%s", cli_bytes((uint64_t)fmin(pair_bytes, 1e18)),
                         vectors > 0 ? cli_text(", vectors of at most %s destinations",
                                                cli_count((uint64_t)fmin(vectors, 1e18)))
                                     : ""));
    put_row(page, "made with", cli_text("scadyg %s", scadyg_version()));
    fputs("</table></div>\n", page);
}

/* A word for a shell, on a page. */
static void put_word(FILE *page, const char *word)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to) cli_out_of_memory();
    cli_put_word(to, word);
    if (fclose(to)) cli_out_of_memory();
    svg_text(page, text);
    free(text);
}

static void put_option(FILE *page, const char *name, const char *value)
{
    fprintf(page, " <span class=\"whole\">--%s</span> ", name);
    put_word(page, value);
}

/* What differs from what train does by itself: the kind and the task, then options of that kind. */
static void put_command(const report *r)
{
    const scadyg_model_info *info = r->info;
    const scadyg_option *option;
    scadyg_options *usual = NULL;
    fputs("<pre>scadyg train ", r->page);
    put_word(r->page, info->data ? info->data : "X.events");
    if (strcmp(info->kind, scadyg_kind_at(0)->name) != 0) put_option(r->page, "model", info->kind);
    if (strcmp(info->task, scadyg_kind_at(0)->task) != 0) put_option(r->page, "task", info->task);
    if (scadyg_options_open_train(info->kind, info->task, &usual, NULL)) cli_out_of_memory();
    for (size_t i = 0; (option = scadyg_options_at(info->options, i)); i++) {
        char *value = cli_option_text(info->options, option->name);
        if (value && !cli_option_is(usual, option->name, value)) put_option(r->page, option->name, value);
        free(value);
    }
    scadyg_options_close(usual);
    fputs(" <span class=\"whole\">-o ", r->page);
    put_word(r->page, cli_file_name(r->session.model_path));
    fputs("</span></pre>\n", r->page);
}

static void put_options(const report *r)
{
    const scadyg_option *option;
    fputs("<div class=\"columns\">\n", r->page);
    for (size_t i = 0; (option = scadyg_options_at(r->info->options, i)); i++) {
        char *value = cli_option_text(r->info->options, option->name);
        fprintf(r->page, "<div><span>--%s</span>", option->name);
        page_cell(r->page, "span", NULL, value && *value ? value : "(none)");
        fputs("</div>\n", r->page);
        free(value);
    }
    fputs("</div>\n", r->page);
}

static int put_repeat(report *r)
{
    page_section(
        r->page, "repeat", "How to repeat it",
        "The same events, options and version give the same bytes of the model file, on any number of threads. "
        "This makes it again; what is not said has its default.");
    put_command(r);
    put_files(r);
    page_words(r->page, "All options:");
    put_options(r);
    page_section_end(r->page);
    return CLI_OK;
}

/* ---- The page ---- */

static int write_sections(report *r)
{
    static int (*const sections[])(report *) = {report_data, report_result, report_learning, report_test_part,
                                                report_wins, report_memory, put_repeat};
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
    FILE *page = open_memstream(&text, &size);
    if (!page) return cli_fail(call->command, "not enough memory for the page");
    r->page = page;
    int code = study ? report_study(call, study, page) : write_sections(r);
    const int failed = ferror(page);
    if ((fclose(page) || failed) && !code) code = cli_fail(call->command, "not enough memory for the page");
    if (!code && r->session.events && scadyg_events_check(r->session.events, call->error))
        code = cli_failed(call, arguments->output);
    if (!code && cli_write_file(arguments->output, text, size, call->error))
        code = cli_failed(call, arguments->output);
    free(text);
    if (!code && !arguments->common.quiet)
        printf("report      %s; open it in a browser\n", cli_safe(arguments->output));
    return code;
}

static int check_output(const cli_call *call)
{
    const report_arguments *arguments = call->arguments;
    if (!arguments->output) return cli_usage(call->command, "no output given; say -o report.html");
    return CLI_OK;
}

static int report_on_run(cli_call *call)
{
    static const char *const what[] = {"model file", "events file"};
    const char *operands[2];
    report r = {.call = call};
    int code = cli_operands(call, what, 2, operands);
    if (!code) code = check_output(call);
    if (!code) code = open_run(&r);
    if (!code) code = report_collect(&r);
    if (!code) code = write_page(call, &r, NULL);
    scadyg_result_free(r.result);
    free(r.queries);
    free(r.oracle);
    cli_session_close(&r.session);
    return code;
}

/* All that a study keeps has other names than a page: in its folder, a page must have the name of one. */
static int check_beside(const cli_call *call, const char *output)
{
    char *folder = realpath(call->operands[0], NULL);
    char *name = strndup(output, (size_t)(cli_file_name(output) - output));
    char *place = name ? realpath(*name ? name : ".", NULL) : NULL;
    const size_t length = folder ? strlen(folder) : 0;
    const int inside =
        folder && place && strncmp(folder, place, length) == 0 && (!place[length] || place[length] == '/');
    free(folder);
    free(name);
    free(place);
    if (!inside || cli_ends_with(output, ".html")) return CLI_OK;
    return cli_usage(
        call->command,
        "%s is in the folder of the study, whose files it could replace: give -o a name that ends in .html",
        output);
}

static int report_on_study(cli_call *call)
{
    const report_arguments *arguments = call->arguments;
    report r = {.call = call};
    if (arguments->oracle) return cli_usage(call->command, "--oracle goes with a model and its events");
    int code = check_output(call);
    char *results = NULL;
    if (!code && asprintf(&results, "%s/results.json", call->operands[0]) < 0)
        code = cli_fail(call->command, "not enough memory for a file name");
    if (!code) code = cli_reads(call, results);
    if (!code) code = check_beside(call, arguments->output);
    if (!code) code = write_page(call, &r, call->operands[0]);
    free(results);
    return code;
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
                   "beside simple baselines, learning curves, the score through the test part, calibration,\n"
                   "where the model wins and loses, what nodes remember, and all options to repeat it.\n"
                   "The file needs nothing else: no network, no other files. It opens in any browser, on a\n"
                   "phone as well, follows its light or dark scheme, and prints.\n"
                   "\n"
                   "The test part is evaluated once more for it, query by query. docs/report.md says how.\n"
                   "\n"
                   "With one operand, the folder of a study or its results.json: the charts and tables of that\n"
                   "study.",
    .examples = examples,
    CLI_OPTIONS(options),
    .reads_log = 1,
    CLI_DEFAULTS({"output", "required"}),
    .size = sizeof(report_arguments),
    .run = run,
};
