/* scadyg study: an experiment of the paper, or one like it, on any events. */
#include "study/study.h"

#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/open_events.h"
#include "study/study_charts.h"

static const sg_option options[] = {
    CLI_ROW_TEXT(study_arguments, output, "output", 'o', "FOLDER",
                 "where the results go; one with a study that was stopped goes on", 0),
    CLI_ROW_TEXT(study_arguments, models, "models", 0, "LIST", "KIND or KIND:PRESET, as a list with commas", 0),
    CLI_ROW_TEXT(study_arguments, protocols, "protocols", 0, "LIST",
                 "how they are evaluated: PROTOCOL, PROTOCOL:POOL or with options of eval behind it, such as "
                 "dyglib:historical:answer=pool, as a list with commas",
                 0),
    CLI_ROW_TEXT(study_arguments, values, "values", 0, "LIST",
                 "the values that are compared, or the parts that are left out, as a list with commas", 0),
    SG_OPTION(study_arguments, seeds, "seeds", 0, SCADYG_OPTION_INT, "N", "3", NULL, 1, STUDY_MOST_SEEDS,
              "train each with N seeds, from --seed on; may be raised later", 0),
    SG_OPTION(study_arguments, until, "until", 0, SCADYG_OPTION_REAL, "SHARE", "1", NULL, 0.01, 1,
              "know only this share of the events, from the first on: what is later is not looked at", 0),
    CLI_ROW_TEXT(study_arguments, data, "data", 0, "DIR",
                 "run: the folder of the files; those that are not there are skipped", 1),
    CLI_ROW_FILE(study_arguments, oracle, "oracle", 0, "F.csv",
                 "for generated events: what generate --oracle wrote, to stand beside the models where they rank "
                 "100 random destinations (--protocols tgb-link:destination:negatives=100)",
                 1, SCADYG_FILE_READ),
    CLI_ROW_LIST(study_arguments, node, "node", CLI_OPTION_EACH, "ID",
                 "weights: a node to look at; again for each, at most 8", 1),
    SG_OPTION(study_arguments, role, "role", 0, SCADYG_OPTION_CHOICE, "ROLE", "any", "any|source|destination", 1, 0,
              "weights: where sources and destinations are separate, which of them the nodes are", 1),
    CLI_ROW_LIST(study_arguments, at, "at", CLI_OPTION_EACH, "TIME",
                 "weights: a time to look at them, a number or a date; again for each, at most 8", 1),
    CLI_ROW_TEXT(study_arguments, only, "only", 0, "RUN", NULL, 1),
    CLI_ROW_THREADS,
    CLI_ROW_MEMORY(1, "stay within this [a quarter of the machine's]"),
};

/* It follows from --models. */
static const char *const fixed[] = {"model", NULL};

static const cli_entries kinds = {"kinds", study_kind_name};

static const cli_example examples[] = {
    {"scadyg study compare log.csv -o compare",
     "the default model and the paper's beside all baselines, three seeds each"},
    {"scadyg study compare uci.csv -o uci --models scadyg-paper:uci --seeds 5",
     "with the settings published for this dataset"},
    {"scadyg study compare log.csv -o more --protocols live,dyglib,tgb-link", "by other protocols too"},
    {"scadyg study compare log.csv -o both --protocols dyglib,dyglib:answer=pool",
     "with one score for all questions, and with the one for this question"},
    {"scadyg study ablation log.csv -o parts --models scadyg --values pairs,together",
     "what two parts of the default model add"},
    {"scadyg study compare log.csv -o early --until 0.8", "without a look at the last fifth of the events"},
    {"scadyg study steps log.csv -o steps --values 1,5,20,all", "how much of the past the paper's model needs"},
    {"scadyg study weights log.csv -o weights --node alice --node bob",
     "what the models have learned of two nodes"},
    {"scadyg study run bench/published.tsv --data DIR -o published --seeds 5",
     "the results that the README publishes, from the public files in DIR"},
    {NULL, NULL}};

/* ---- Charts ---- */

/* A chart that is being drawn, and how many were written. */
typedef struct drawing {
    const study *s;
    FILE *out;
    char *text, *path;
    size_t size, count;
    int code;
} drawing;

static FILE *begin_chart(void *data, const char *name, const char *title)
{
    drawing *d = data;
    (void)title;
    if (d->code) return NULL;
    d->path = study_file(d->s->call, &d->s->chart_files, "%s.svg", name);
    if (!d->path) d->code = CLI_FAILURE;
    d->out = d->path ? open_memstream(&d->text, &d->size) : NULL;
    if (!d->out) free(d->path);
    return d->out;
}

static void end_chart(void *data, const char *words)
{
    drawing *d = data;
    (void)words;
    if (ferror(d->out) | fclose(d->out))
        d->code = cli_fail(d->s->call->command, "not enough memory for a chart");
    else if (cli_write_file(d->path, d->text, d->size, d->s->call->error))
        d->code = cli_failed(d->s->call, NULL);
    else
        d->count++;
    free(d->text);
    free(d->path);
}

static int write_charts(const study *s, const json_t *results, size_t *count)
{
    drawing d = {.s = s};
    const study_easel easel = {.begin = begin_chart, .end = end_chart, .data = &d, .alone = 1};
    const int failed = study_charts(results, &easel);
    *count = d.count;
    if (d.code || !failed) return d.code;
    return cli_fail(s->call->command, "not enough memory for a chart");
}

/* ---- The whole ---- */

/* A study in which nothing could be trained has failed. */
static int check_runs(const study *s)
{
    const char *reason = NULL;
    for (size_t v = 0; v < json_array_size(s->runs); v++) {
        const json_t *runs = json_array_get(s->runs, v);
        for (size_t i = 0; i < json_array_size(runs); i++) {
            reason = json_string_value(json_object_get(json_array_get(runs, i), "failure"));
            if (!reason) return CLI_OK;
        }
    }
    return cli_fail(s->call->command, "none of the runs has a result: %s", reason ? reason : "");
}

static int finish_study(study *s)
{
    json_t *results = study_results(s);
    char *path = study_file(s->call, &s->home, "results.json");
    size_t charts = 0;
    int code = path ? CLI_OK : CLI_FAILURE;
    if (!code && !results) code = cli_fail(s->call->command, "not enough memory for the results");
    if (!code && s->kind->costs) study_add_costs(s, results);
    if (!code && s->kind->look) study_add_weights(s, results);
    if (!code && cli_json_write(path, results, s->call->error)) code = cli_failed(s->call, NULL);
    if (!code) code = study_csv(s, results);
    if (!code) study_print(s, results);
    if (!code) code = write_charts(s, results, &charts);
    if (!code && !s->arguments->common.quiet)
        printf("\nsaved       %s: results.json, results.csv, charts/ (%zu)\n", cli_safe(s->folder), charts);
    free(path);
    json_decref(results);
    return code;
}

/* What it reads must not lie where its results go. */
static int check_files(const study *s)
{
    static const char *const names[] = {"study.json", "results.json", "results.csv", "until.events"};
    int code = CLI_OK;
    for (size_t i = 0; i < CLI_COUNT(names) && !code; i++) {
        char *path = NULL;
        if (asprintf(&path, "%s/%s", s->arguments->output, names[i]) < 0)
            return cli_fail(s->call->command, "not enough memory for a file name");
        code = cli_writes(s->call, "output", path);
        free(path);
    }
    return code;
}

static int work_through(study *s)
{
    const cli_common *common = &s->arguments->common;
    int code = check_files(s);
    if (!code) code = cli_events_open(s->call, s->path, s->folder, common->quiet ? NULL : stdout, &s->events);
    if (!code) code = study_folder(s);
    if (!code) code = study_read_oracle(s);
    if (!code) study_set_sizes(s);
    if (!code && s->arguments->only) return study_run_only(s);
    if (!code && !common->quiet) {
        const scadyg_shape *shape = scadyg_events_shape(s->events);
        const size_t runs = s->variant_count * (size_t)s->arguments->seeds;
        if (shape->events < s->log_events)
            printf("until       %s: the first %s of %s events\n", cli_time(shape, shape->last_time),
                   cli_count(shape->events), cli_count(s->log_events));
        printf("study       %s, %zu model%s, %lld seed%s each: %zu run%s\n", s->kind->name, s->variant_count,
               sg_plural(s->variant_count), (long long)s->arguments->seeds, sg_plural(s->arguments->seeds), runs,
               sg_plural(runs));
        fflush(stdout);
    }
    if (!code) code = study_run_all(s);
    if (!code) code = check_runs(s);
    if (!code && scadyg_events_check(s->events, s->call->error)) code = cli_failed(s->call, NULL);
    if (!code) code = finish_study(s);
    if (!code) study_remove_parts(s);
    return code;
}

static int find_kind(const cli_call *call, const char *word, const study_kind **kind)
{
    const char *names[32];
    size_t count = 0;
    for (size_t i = 0; i < study_kind_count; i++) {
        if (strcmp(study_kinds[i].name, word) != 0) continue;
        *kind = &study_kinds[i];
        return CLI_OK;
    }
    while (count < CLI_COUNT(names) && (names[count] = study_kind_name(NULL, count, NULL))) count++;
    const char *nearest = sg_nearest(word, names, sizeof *names, count);
    if (nearest) return cli_usage(call->command, "unknown kind '%s'; did you mean '%s'?", word, nearest);
    return cli_usage(call->command, "unknown kind '%s'; 'scadyg study --help' lists them all", word);
}

static int check_lists(const study *s)
{
    if (s->arguments->data) return cli_usage(s->call->command, "--data is for study run");
    if (s->arguments->role && !s->kind->look) return cli_usage(s->call->command, "--role is for study weights");
    const cli_list *lists[] = {&s->arguments->node, &s->arguments->at};
    static const char *const names[] = {"node", "at"};
    static const size_t most[] = {STUDY_MOST_NODES, STUDY_MOST_TIMES};
    for (size_t i = 0; i < CLI_COUNT(lists); i++) {
        if (lists[i]->count && !s->kind->look)
            return cli_usage(s->call->command, "--%s is for study weights", names[i]);
        if (lists[i]->count > most[i])
            return cli_usage(s->call->command, "--%s is given %zu times; at most %zu can be shown", names[i],
                             lists[i]->count, most[i]);
    }
    return CLI_OK;
}

static int run(cli_call *call)
{
    static const char *const what[] = {"kind of study", "events file"};
    const study_arguments *arguments = call->arguments;
    const char *operands[2];
    study s = {.call = call,
               .arguments = arguments,
               .folder = arguments->output,
               .home = SG_FOLDER_NONE,
               .run_files = SG_FOLDER_NONE,
               .chart_files = SG_FOLDER_NONE,
               .lock = -1};
    if (call->operand_count && strcmp(call->operands[0], "run") == 0) return study_run_list(call);
    int code = cli_operands(call, what, 2, operands);
    if (!code) code = find_kind(call, operands[0], &s.kind);
    if (!code) s.path = operands[1];
    if (!code && !arguments->output) code = cli_usage(call->command, "no output folder given; add -o FOLDER");
    if (!code) code = check_lists(&s);
    if (!code) code = study_plan(&s);
    if (!code) code = work_through(&s);
    study_folder_close(&s);
    json_decref(s.runs);
    scadyg_events_close(s.events);
    free(s.oracle);
    study_plan_free(&s);
    return code;
}

const cli_command cli_study = {
    .name = "study",
    .summary = "run an experiment of the paper on any events: tables and charts in a folder",
    .operands = "KIND X.events -o FOLDER",
    .description =
        "Trains models with several seeds, evaluates them on the test part, and writes results.json,\n"
        "results.csv and charts (SVG, also in the page of report) into a folder. The table has mean and\n"
        "standard deviation over the seeds. Options of train that are typed hold for all models.",
    .details =
        "Every run is kept as soon as it is there. A study that was stopped or killed goes on with the same\n"
        "command, within the training that was going on, and gives the same results; more --seeds may be\n"
        "added to one that is finished. A folder of a study with other settings is refused.\n"
        "\n"
        "Epochs, and the best of several values, are chosen on the validation part; the test part only shows\n"
        "what came of it. Models are live and evaluated by the protocol live. With --stepwise, for models of the\n"
        "paper alone, and in its own experiments (steps, hops, interval, weights) they are trained step by step\n"
        "and evaluated by the protocol paper. --protocols says others, and how models are trained follows from "
        "it.\n"
        "The baselines have no seeds and so no deviation.",
    .examples = examples,
    CLI_OPTIONS(options),
    .reads_log = 1,
    .trains = 1,
    .fixed = fixed,
    CLI_DEFAULTS({"output", "required"}, {"models", "as the kind says"},
                 {"protocols", "live; with --stepwise paper:any,paper:destination; affinity: tgb-node"},
                 {"values", "as the kind says"}, {"node", "four, from the most active to the median"},
                 {"at", "the ends of the quarters"}),
    .entries = &kinds,
    .size = sizeof(study_arguments),
    .run = run,
};
