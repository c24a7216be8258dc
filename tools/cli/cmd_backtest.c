/* scadyg backtest: the same training and evaluation at several cuts of a log, so that a score is more than one number. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/config.h"
#include "cli/open_events.h"
#include "cli/output.h"
#include "cli/result.h"
#include "cli/train.h"
#include "scadyg_lab.h"

#define CUTS_MOST 100
#define LEAST 10 /* events to test on: train, too, has no smaller test part */

typedef struct backtest_arguments {
    train_arguments train; /* first: options are settled as for train */
    int64_t cuts;
    double begin;
} backtest_arguments;

static const sg_option options[] = {
    SG_OPTION(backtest_arguments, cuts, "cuts", 0, SCADYG_OPTION_INT, "N", "5", NULL, 2, CUTS_MOST,
              "how many trainings, each tested on what came until the next cut", 0),
    SG_OPTION(backtest_arguments, begin, "begin", 0, SCADYG_OPTION_REAL, "SHARE", "0.5", NULL, 0.01, 0.99,
              "share of the events before the first cut", 0),
    CLI_ROW_TEXT(backtest_arguments, train.preset, "preset", 0, "NAME",
                 "option values of the model's kind, for a dataset", 0),
    CLI_ROW_FILE(backtest_arguments, train.config, "config", 0, "F.json",
                 "option values from a file as train --print-config writes it", 1, SCADYG_FILE_READ),
    TRAIN_ROW_QUERIES(backtest_arguments, train.queries),
    CLI_ROW_FILE(backtest_arguments, train.json, "json", 0, "F.json",
                 "also write everything there; - prints it instead of the table", 0, SCADYG_FILE_WRITTEN),
    CLI_ROW_THREADS,
    CLI_ROW_MEMORY(1, "stay within this [a quarter of the machine's]"),
};

static const cli_example examples[] = {
    {"scadyg backtest log.csv", "five trainings, on the first 50, 60, ... 90 % of the events"},
    {"scadyg backtest log.csv --cuts 10 --begin 0.8 --model scadyg --epochs 10", "ten within the last fifth"},
    {NULL, NULL}};

enum { MODEL, BASELINE, DIFFERENCE, FIGURES };

typedef struct backtest {
    const cli_call *call;
    const backtest_arguments *arguments;
    const char *path;
    scadyg_events *events;
    const scadyg_shape *shape;
    const double *time;
    uint64_t border[CUTS_MOST + 1]; /* cut i is before event border[i]; the last is the end of the log */
    size_t cuts;
    char *folder;                                   /* of the events up to a cut */
    json_t *rows;                                   /* what came of each cut */
    char reason[sizeof((scadyg_error){0}.message)]; /* why the latest cut that could not be evaluated could not */
    double figures[FIGURES][CUTS_MOST];
    const char *score; /* its title */
} backtest;

/* ---- The cuts ---- */

/* Equal numbers of events between them; events of one time are never parted, and fewer than LEAST are no test, so there may
 * be fewer cuts than asked for. */
static int find_cuts(backtest *b)
{
    const uint64_t events = b->shape->events;
    const size_t wanted = (size_t)b->arguments->cuts;
    const double begin = b->arguments->begin;
    uint64_t least = 1; /* of what the next cut has before it */
    for (size_t i = 0; i < wanted; i++) {
        const double share = begin + (1 - begin) * (double)i / (double)wanted;
        uint64_t at = (uint64_t)(share * (double)events + 0.5);
        while (at > 0 && at < events && b->time[at] == b->time[at - 1]) at++;
        if (at < least || at + LEAST > events) continue;
        b->border[b->cuts++] = at;
        least = at + LEAST;
    }
    b->border[b->cuts] = events;
    if (b->cuts > 1) return CLI_OK;
    return cli_fail(
        b->call->command,
        "%s of the %zu cuts has at least %d events of other times behind it: the log is too small, or has "
        "too few different times; scadyg train tests on its last part alone",
        b->cuts ? "only one" : "none", wanted, LEAST);
}

/* The first events in a file of their own, which is open and has no name any more. */
static int open_first(backtest *b, uint64_t count, scadyg_events **first, scadyg_error *error)
{
    char *path = NULL;
    if (asprintf(&path, "%s/events", b->folder) < 0) return sg_fail_memory(error, "a file name");
    int status = scadyg_events_first(b->call->context, b->events, count, path, error);
    if (!status) status = scadyg_events_open(path, first, error);
    unlink(path);
    free(path);
    return status;
}

/* Training and validation part up to the cut, by the shares that were asked for; the rest is the test part. */
static int options_at(const backtest *b, size_t i, scadyg_options **made, scadyg_error *error)
{
    const scadyg_options *asked = b->arguments->train.options;
    const double before = (double)b->border[i] / (double)b->border[i + 1];
    const double train = cli_option_number(asked, "train-share"),
                 validation = cli_option_number(asked, "validation-share");
    const double share = before * train / (train + validation);
    int status = scadyg_options_copy(asked, made, error);
    if (!status) status = scadyg_options_set(*made, "train-share", cli_text("%.17g", share), error);
    if (!status) status = scadyg_options_set(*made, "validation-share", cli_text("%.17g", before - share), error);
    return status;
}

/* ---- One cut ---- */

static json_t *cut_json(const backtest *b, size_t i, const scadyg_model_info *info, double seconds, json_t *result)
{
    return json_pack("{s:o, s:I, s:I, s:I, s:f, s:O}", "cut", cli_json_number(b->time[b->border[i]]),
                     "events_before", (json_int_t)b->border[i], "events_tested",
                     (json_int_t)(b->border[i + 1] - b->border[i]), "epochs", (json_int_t)info->epochs, "seconds",
                     seconds, "result", result);
}

static int keep_row(backtest *b, size_t i, json_t *result, const scadyg_model_info *info, double seconds)
{
    const char *main = cli_json_text_of(result, "main_score"), *best = cli_json_text_of(result, "best_baseline");
    const json_t *baselines = json_object_get(result, "baselines");
    b->figures[MODEL][i] = cli_result_score(result, main, "mean");
    b->figures[BASELINE][i] = *best ? cli_result_score(json_object_get(baselines, best), main, "mean") : NAN;
    b->figures[DIFFERENCE][i] = cli_json_number_of(result, "difference");
    for (size_t c = 0; scadyg_score_at(c); c++)
        if (strcmp(scadyg_score_at(c)->key, main) == 0) b->score = scadyg_score_at(c)->title;
    return json_array_append_new(b->rows, cut_json(b, i, info, seconds, result));
}

/* A stretch of the log in which nothing can be ranked is no reason to give up the others. */
static int keep_nothing(backtest *b, size_t i, const scadyg_model_info *info, double seconds, scadyg_error *error)
{
    snprintf(b->reason, sizeof b->reason, "%s", error->message);
    *error = (scadyg_error){0};
    for (int figure = 0; figure < FIGURES; figure++) b->figures[figure][i] = NAN;
    json_t *row = cut_json(b, i, info, seconds, json_null());
    return json_object_set_new(row, "reason", json_string(b->reason)) || json_array_append_new(b->rows, row);
}

static int test_cut(backtest *b, size_t i, const scadyg_model *model, scadyg_events *first, double began,
                    scadyg_error *error)
{
    const scadyg_model_info *info = scadyg_model_look(model);
    char queries[TRAIN_QUERIES];
    scadyg_options *testing = NULL;
    json_t *results = json_array();
    int failed = 0, status = cli_options_with(&testing, error, "evaluate", "protocol", "live", "queries",
                                              train_queries(&b->arguments->train, "auto", queries), NULL);
    if (!status) status = cli_result_add(b->call->context, model, first, testing, results, error);
    if (!status) {
        failed = keep_row(b, i, json_array_get(results, 0), info, sg_seconds() - began);
    } else if (status == SCADYG_E_USAGE || status == SCADYG_E_INPUT) {
        failed = keep_nothing(b, i, info, sg_seconds() - began, error);
        status = SCADYG_OK;
    }
    json_decref(results);
    scadyg_options_close(testing);
    return failed ? sg_fail_memory(error, "the result") : status;
}

static int run_cut(backtest *b, size_t i, scadyg_error *error)
{
    const scadyg_watch silent = {.size = sizeof silent};
    const double began = sg_seconds();
    scadyg_events *first = NULL;
    scadyg_options *training = NULL;
    scadyg_model *model = NULL;
    int status = open_first(b, b->border[i + 1], &first, error);
    if (!status) status = options_at(b, i, &training, error);
    if (!status) status = scadyg_train(b->call->context, first, training, NULL, 0, &silent, &model, error);
    if (!status) status = test_cut(b, i, model, first, began, error);
    scadyg_options_close(training);
    scadyg_model_close(model);
    scadyg_events_close(first);
    return status;
}

/* ---- The table ---- */

static const char *plus_minus(void)
{
    return cli_utf8() ? "±" : "+-";
}

static void print_head(const backtest *b)
{
    printf(
        "backtest    %s\n            %s\n            %zu cuts; each model learns what lies before its cut and is\n"
        "            tested on what came until the next\n",
        cli_shape_text(b->shape), cli_times_text(b->shape), b->cuts);
    if (b->cuts < (size_t)b->arguments->cuts)
        printf("note        %lld cuts were asked for; the others have too few events of other\n"
               "            times before the next\n",
               (long long)b->arguments->cuts);
    putchar('\n');
    printf("%-19s %10s %8s %8s %9s   %s\n", "cut", "events", "queries", "model", "baseline", "difference");
}

static void print_row(const backtest *b, size_t i)
{
    const json_t *result = json_object_get(json_array_get(b->rows, i), "result");
    const double error = cli_json_number_of(result, "difference_error");
    cli_progress_erase();
    cli_print_padded(cli_time(b->shape, b->time[b->border[i]]), 19, 0);
    if (!isfinite(b->figures[MODEL][i])) {
        printf(" %10s %8s %8s %9s   -\n", cli_count(b->border[i]), "0", "-", "-");
        return;
    }
    printf(" %10s %8s %8.4f %9.4f   %+.4f", cli_count(b->border[i]),
           cli_count((uint64_t)json_integer_value(json_object_get(result, "queries"))), b->figures[MODEL][i],
           b->figures[BASELINE][i], b->figures[DIFFERENCE][i]);
    if (isfinite(error)) printf(" %s %.4f", plus_minus(), error);
    putchar('\n');
    fflush(stdout);
}

static size_t count_evaluated(const backtest *b)
{
    size_t count = 0;
    for (size_t i = 0; i < b->cuts; i++) count += isfinite(b->figures[MODEL][i]) ? 1 : 0;
    return count;
}

/* Mean and standard deviation (n - 1) over the cuts that could be evaluated; NaN where there are too few for one. */
static double mean_of(const backtest *b, int figure, double *spread)
{
    const double count = (double)count_evaluated(b);
    double sum = 0, square = 0;
    for (size_t i = 0; i < b->cuts; i++)
        if (isfinite(b->figures[MODEL][i])) sum += b->figures[figure][i];
    const double mean = sum / count;
    for (size_t i = 0; i < b->cuts; i++)
        if (isfinite(b->figures[MODEL][i]))
            square += (b->figures[figure][i] - mean) * (b->figures[figure][i] - mean);
    *spread = count > 1 ? sqrt(square / (count - 1)) : NAN;
    return mean;
}

static void print_means(const backtest *b)
{
    double mean[FIGURES], spread[FIGURES];
    for (int i = 0; i < FIGURES; i++) mean[i] = mean_of(b, i, &spread[i]);
    printf("\n%-19s %10s %8s %8.4f %9.4f   %+.4f\n", "mean", "", "", mean[MODEL], mean[BASELINE], mean[DIFFERENCE]);
    if (count_evaluated(b) > 1)
        printf("%-19s %10s %8s %8.4f %9.4f    %.4f\n", "spread", "", "", spread[MODEL], spread[BASELINE],
               spread[DIFFERENCE]);
    printf("\n%s; baseline: the best of the simple baselines at each cut;\n"
           "difference %s its standard error; spread: standard deviation from cut to cut\n",
           b->score, plus_minus());
    if (count_evaluated(b) < b->cuts) printf("-: %s\n", b->reason);
}

static json_t *mean_json(const backtest *b, int figure)
{
    double spread;
    const double mean = mean_of(b, figure, &spread);
    return json_pack("{s:o, s:o}", "mean", cli_json_number(mean), "std", cli_json_number(spread));
}

static json_t *whole_json(const backtest *b)
{
    return json_pack("{s:o, s:o, s:o, s:O, s:o, s:o, s:o}", "events_file", cli_json_text(b->path), "config",
                     cli_config_json(b->arguments->train.options), "data", cli_shape_json(b->shape), "cuts",
                     b->rows, "model", mean_json(b, MODEL), "baseline", mean_json(b, BASELINE), "difference",
                     mean_json(b, DIFFERENCE));
}

/* ---- The command ---- */

static int run_cuts(backtest *b)
{
    const train_arguments *train = &b->arguments->train;
    const int silent = train_is_silent(train);
    if (!silent) print_head(b);
    for (size_t i = 0; i < b->cuts; i++) {
        if (run_cut(b, i, b->call->error)) return cli_failed(b->call, NULL);
        if (!silent) print_row(b, i);
    }
    if (!count_evaluated(b)) return cli_fail(b->call->command, "%s", b->reason);
    if (!silent) print_means(b);
    json_t *object = train->json ? whole_json(b) : NULL;
    const int status = train->json ? cli_json_write(train->json, object, b->call->error) : SCADYG_OK;
    json_decref(object);
    return status ? cli_failed(b->call, train->json) : CLI_OK;
}

static int run_folder(backtest *b)
{
    const char *place = getenv("TMPDIR");
    if (asprintf(&b->folder, "%s/scadyg-backtest-XXXXXX", place && *place ? place : "/tmp") < 0) b->folder = NULL;
    if (!b->folder || !mkdtemp(b->folder))
        return cli_fail(b->call->command, "cannot make a folder for temporary files in %s",
                        place && *place ? place : "/tmp");
    const int code = run_cuts(b);
    rmdir(b->folder);
    return code;
}

/* Cuts are places in the log, and so is where a part of the events ends; steps and labels are cut otherwise. */
static int check_model(const cli_call *call)
{
    const backtest_arguments *arguments = call->arguments;
    const scadyg_options *of_kind = arguments->train.options;
    if (scadyg_options_check(of_kind, call->error)) return cli_failed(call, NULL);
    if (!cli_option_find(of_kind, "train-share"))
        return cli_usage(call->command,
                         "it cuts the events, and --task affinity has its labels cut; it is for --task link");
    if (cli_option_is(of_kind, "stepwise", "1"))
        return cli_usage(call->command, "it cuts the events, and --stepwise cuts whole steps; add --no-stepwise");
    return CLI_OK;
}

static int run_events(cli_call *call)
{
    backtest b = {.call = call, .arguments = call->arguments, .rows = json_array(), .score = "score"};
    const train_arguments *train = &b.arguments->train;
    const uint32_t *src, *dst;
    int code = cli_one_operand(call, "events file", &b.path);
    if (!code)
        code =
            cli_events_open(call, b.path, cli_file_name(b.path), train_is_silent(train) ? NULL : stdout, &b.events);
    if (!code && !train_is_silent(train)) code = cli_roles_tell(call, b.path, b.events);
    if (!code && cli_events_columns(b.events, &src, &dst, &b.time, call->error)) code = cli_failed(call, NULL);
    if (!code) {
        b.shape = scadyg_events_shape(b.events);
        code = find_cuts(&b);
    }
    if (!code) code = run_folder(&b);
    free(b.folder);
    json_decref(b.rows);
    scadyg_events_close(b.events);
    return code;
}

static int run(cli_call *call)
{
    backtest_arguments *arguments = call->arguments;
    int code = train_settle(call);
    if (!code) code = check_model(call);
    if (!code) code = run_events(call);
    scadyg_options_close(arguments->train.options);
    return code;
}

const cli_command cli_backtest = {
    .name = "backtest",
    .summary = "train and test at several cuts of a log: mean and spread",
    .operands = "X.events",
    .description = "Cuts the log at several dates, trains at each cut on what lies before it and tests on what\n"
                   "came until the next cut, by the protocol live, beside the simple baselines. One row for each\n"
                   "cut, then mean and spread: how far a score can be trusted. No model is saved.",
    .details = "The cuts have equal numbers of events between them, the first after --begin of the log. Up to a\n"
               "cut the events are shared out between training and validation part as --train-share and\n"
               "--validation-share say.",
    .examples = examples,
    CLI_OPTIONS(options),
    .trains = 1,
    .size = sizeof(backtest_arguments),
    .run = run,
};
