/* What training says: its plan, a line per epoch, the test result, and the record of a whole run. */
#include "cli/train.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/config.h"
#include "cli/open_events.h"
#include "cli/output.h"
#include "cli/result.h"

int train_is_silent(const train_arguments *arguments)
{
    return arguments->common.quiet || (arguments->json && strcmp(arguments->json, "-") == 0);
}

void train_tell(const train_arguments *arguments, const char *label, const char *format, ...)
{
    va_list words;
    char text[CLI_LONG_TEXT];
    if (train_is_silent(arguments)) return;
    va_start(words, format);
    vsnprintf(text, sizeof text, format, words);
    va_end(words);
    printf("%-11s %s\n", label, cli_safe(text));
}

/* ---- Before ---- */

/* The kind of model that options are of. */
static const scadyg_kind *kind_of(const scadyg_options *options)
{
    const scadyg_kind *kind;
    for (size_t i = 0; (kind = scadyg_kind_at(i)); i++)
        if (cli_option_is(options, "model", kind->name) && cli_option_is(options, "task", kind->task)) return kind;
    return scadyg_kind_at(0);
}

void train_tell_plan(const train_arguments *arguments, const scadyg_events *events)
{
    const scadyg_options *options = arguments->options;
    const scadyg_shape *shape = scadyg_events_shape(events);
    const scadyg_kind *kind = kind_of(options);
    char steps[CLI_TEXT], seed[CLI_TEXT];
    scadyg_options_get(options, "steps", steps, sizeof steps);
    scadyg_options_get(options, "seed", seed, sizeof seed);
    train_tell(arguments, "data", "%s", cli_shape_text(shape));
    train_tell(arguments, "", "%s", cli_times_text(shape));
    if (kind->learns && (cli_option_is(options, "stepwise", "1") || strcmp(kind->task, "link") != 0))
        train_tell(arguments, "model", "%s for the task %s, %s step%s, seed %s", kind->name, kind->task, steps,
                   strcmp(steps, "1") == 0 ? "" : "s", seed);
    else if (kind->learns)
        train_tell(arguments, "model", "%s for the task %s, seed %s", kind->name, kind->task, seed);
    else
        train_tell(arguments, "model", "%s, a rule without training, for the task %s", kind->name, kind->task);
}

/* ---- As it goes ---- */

/* A rate as the time it takes to forget, in the words of the data's times. */
static void memory_text(double rate, int time_kind, char *text, size_t size)
{
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{365.25 * 86400, "years"}, {86400, "days"}, {3600, "hours"}, {60, "minutes"}, {1, "seconds"}};
    const double span = 1 / rate;
    if (time_kind == SCADYG_TIME_NUMBER) {
        snprintf(text, size, "%.3g", span);
        return;
    }
    size_t i = 0;
    while (i < 4 && span < units[i].seconds) i++;
    char number[32];
    snprintf(number, sizeof number, "%.3g", span / units[i].seconds);
    const int plural = strcmp(number, "1") != 0;
    snprintf(text, size, "%s %.*s", number, (int)strlen(units[i].name) - !plural, units[i].name);
}

static void tell_memory(void *data, const scadyg_plan *plan)
{
    train_watch *watch = data;
    char fast[CLI_TEXT], slow[CLI_TEXT];
    watch->plan = *plan;
    if (watch->quiet) return;
    cli_progress_erase();
    memory_text(plan->fastest, watch->time_kind, fast, sizeof fast);
    memory_text(plan->slowest, watch->time_kind, slow, sizeof slow);
    printf("plan        %s for nodes, at most %s for pairs (%s of them), of %s\n", cli_bytes(plan->node_bytes),
           cli_bytes(plan->pair_bytes), cli_count(plan->pairs), cli_bytes(plan->memory));
    printf("            at most %s for pages of the events file, %s for evaluations, %s for batches\n",
           cli_bytes(plan->page_bytes), cli_bytes(plan->evaluation_bytes), cli_bytes(plan->batch_bytes));
    if (plan->vectors)
        printf("            at most %s for vectors (%s destinations)\n", cli_bytes(plan->vector_bytes),
               cli_count(plan->vectors));
    printf("            %zu features per pair, time scales from %s to %s\n", plan->inputs, fast, slow);
    const double seconds = (double)plan->events / plan->events_per_second;
    const int64_t epochs = watch->exactly ? watch->exactly : plan->epochs;
    printf("            %s event%s%s with %lld negative%s each in about %.*f s, %s%lld time%s\n",
           cli_count(plan->events), sg_plural(plan->events),
           plan->one_in > 1 ? cli_text(" (one in %s)", cli_count(plan->one_in)) : "", (long long)plan->negatives,
           sg_plural(plan->negatives), seconds < 10, seconds, watch->exactly ? "" : "at most ", (long long)epochs,
           sg_plural(epochs));
    fflush(stdout);
}

static void tell_prepared(void *data, double seconds, size_t width, uint64_t bytes, int kept)
{
    train_watch *watch = data;
    watch->prepare = seconds;
    if (watch->quiet) return;
    cli_progress_erase();
    if (watch->plan.epochs)
        printf("prepared    in %.2f s, %s so far\n", seconds, cli_bytes(bytes));
    else
        printf("messages    of %zu number%s, prepared in %.2f s, %s%s\n", width, sg_plural(width), seconds,
               cli_bytes(bytes), kept ? "" : "; too many to keep in --memory, made again in every epoch");
    fflush(stdout);
}

static json_t *epoch_json(const scadyg_epoch *epoch, int resumed)
{
    return json_pack("{s:I, s:o, s:o, s:s, s:o, s:s, s:b, s:o, s:o, s:o, s:b}", "epoch", (json_int_t)epoch->epoch,
                     "loss", cli_json_number(epoch->loss), "validation", cli_json_number(epoch->validation),
                     "score", epoch->score ? epoch->score : "", "choice", cli_json_number(epoch->choice),
                     "chosen_by", epoch->chosen_by ? epoch->chosen_by : "", "best", epoch->best,
                     "events_per_second", cli_json_number(epoch->events_per_second), "seconds",
                     cli_json_number(epoch->seconds), "evaluation_seconds",
                     cli_json_number(epoch->evaluation_seconds), "resumed", resumed);
}

static void tell_resumed(train_watch *watch)
{
    if (!watch->resumed || watch->told_resumed || watch->quiet) return;
    watch->told_resumed = 1;
    printf("resumed     after epoch %lld", (long long)watch->resumed);
    if (watch->best_epoch)
        printf("; so far the best is number %lld with %s %.4f", (long long)watch->best_epoch, watch->score,
               watch->best);
    putchar('\n');
}

static void tell_epoch(void *data, const scadyg_epoch *epoch, int resumed)
{
    train_watch *watch = data;
    if (!resumed) {
        cli_progress_erase();
        tell_resumed(watch); /* before this epoch counts among those that were there already */
    }
    watch->score = epoch->score ? epoch->score : "score";
    if (epoch->best) {
        watch->best = epoch->validation;
        watch->best_epoch = epoch->epoch;
    }
    json_array_append_new(watch->epochs, epoch_json(epoch, resumed));
    if (resumed) watch->resumed = epoch->epoch;
    if (resumed || watch->quiet) return;
    char validation[32] = "-", choice[48] = ""; /* there may be nothing to validate on */
    const int by_mean = epoch->chosen_by && strcmp(epoch->chosen_by, watch->score) != 0;
    if (isfinite(epoch->validation)) snprintf(validation, sizeof validation, "%.5f", epoch->validation);
    if (by_mean) snprintf(choice, sizeof choice, "  %8s", "-");
    if (by_mean && isfinite(epoch->choice)) snprintf(choice, sizeof choice, "  %8.5f", epoch->choice);
    if (!watch->told_heading)
        printf("\nepoch      loss  %8s%s  events/s  seconds  evaluating\n", watch->score,
               by_mean ? "      mean" : "");
    watch->told_heading = 1;
    printf("%5lld  %8.5f  %8s%s  %8s  %7.2f  %10.2f%s\n", (long long)epoch->epoch, epoch->loss, validation, choice,
           cli_rate(epoch->events_per_second), epoch->seconds, epoch->evaluation_seconds, epoch->best ? "  *" : "");
    fflush(stdout);
}

static void tell_ended(void *data, const char *sentence)
{
    train_watch *watch = data;
    snprintf(watch->ended, sizeof watch->ended, "%s", sentence);
    if (watch->quiet) return;
    cli_progress_erase();
    tell_resumed(watch); /* if the checkpoint was of the last epoch */
    printf("training    %s\n", sentence);
    fflush(stdout);
}

static void tell_note(void *data, const char *sentence)
{
    train_watch *watch = data;
    if (watch->note_count < TRAIN_NOTES)
        snprintf(watch->notes[watch->note_count++], sizeof *watch->notes, "%s", sentence);
    if (watch->quiet) return;
    cli_progress_erase();
    printf("note        %s\n", sentence);
    fflush(stdout);
}

static void print_part(uint64_t events, uint64_t all, const char *what, const char *behind)
{
    if (events)
        printf("%s%s (%.3g %%)%s", cli_count(events), what, 100 * (double)events / (double)all, behind);
    else
        printf("none%s%s", what, behind);
}

static void tell_parts(void *data, uint64_t training, uint64_t validation, uint64_t test)
{
    train_watch *watch = data;
    const uint64_t all = training + validation + test;
    if (watch->quiet) return;
    cli_progress_erase();
    printf("parts       ");
    print_part(training, all, training == 1 ? " event for training" : " events for training", ", ");
    print_part(validation, all, " for validation", ", ");
    print_part(test, all, " for the test", "\n");
    fflush(stdout);
}

scadyg_watch train_watch_begin(train_watch *watch, int quiet, const scadyg_events *events)
{
    *watch = (train_watch){.quiet = quiet,
                           .time_kind = scadyg_events_shape(events)->time_kind,
                           .epochs = json_array(),
                           .prepare = NAN,
                           .score = "score",
                           .best = NAN};
    return (scadyg_watch){.size = sizeof(scadyg_watch),
                          .data = watch,
                          .plan = tell_memory,
                          .prepared = tell_prepared,
                          .epoch = tell_epoch,
                          .note = tell_note,
                          .parts = tell_parts,
                          .ended = tell_ended};
}

/* ---- A run ---- */

int train_open_events(train_run *run)
{
    const train_arguments *arguments = run->arguments;
    const int silent = train_is_silent(arguments);
    const scadyg_model_info *from = arguments->from_model ? scadyg_model_look(arguments->from_model) : NULL;
    int code = from ? cli_roles_check(run->call, from, arguments->from) : CLI_OK;
    if (!code)
        code = cli_events_open_as(run->call, run->path, arguments->output, silent ? NULL : stdout,
                                  from ? from->reading : "", &run->events);
    if (!code && !silent) code = cli_roles_tell(run->call, run->path, run->events);
    if (code || !from) return code;
    return cli_events_fit(run->call, run->events, run->path, from, arguments->from, silent);
}

/* A model has no names of files; of labels it knows what they were. */
static int has_same_labels(scadyg_model *model, const scadyg_options *options)
{
    char *path = cli_option_text(options, "labels");
    int match = scadyg_model_look(model)->label_lines ? SCADYG_LABELS_OTHER : SCADYG_LABELS_SAME;
    const int failed = !path || (*path && scadyg_model_set_labels(model, path, &match, NULL));
    free(path);
    return !failed && match == SCADYG_LABELS_SAME;
}

int train_is_saved(train_run *run, const scadyg_options *options)
{
    scadyg_model *model = NULL;
    if (!run->arguments->resume || sg_exists(run->checkpoint) ||
        scadyg_model_open(run->arguments->output, &model, NULL))
        return 0;
    const scadyg_model_info *info = scadyg_model_look(model);
    /* The process that saved it may have been killed before the disk had its name. */
    const uint32_t from = run->arguments->from_model ? scadyg_model_mark(run->arguments->from_model) : 0;
    if (info->checksum != scadyg_events_checksum(run->events) || !cli_config_equal(info->options, options) ||
        info->from != from || (info->refit && !run->arguments->refit) || info->unfinished ||
        !has_same_labels(model, options) || sg_sync_name(run->arguments->output, NULL)) {
        scadyg_model_close(model);
        return 0;
    }
    run->model = model;
    run->results = cli_results_of(model);
    (void)train_watch_begin(&run->watch, 1, run->events); /* nothing will be told */
    return 1;
}

int train_learn(train_run *run, const scadyg_options *options, int resume, int quiet, scadyg_error *error)
{
    const scadyg_watch watch = train_watch_begin(&run->watch, quiet, run->events);
    if (!quiet) fflush(stdout);
    const scadyg_model *from = run->arguments->from_model;
    scadyg_context *context = run->call->context;
    int status =
        from ? scadyg_train_from(context, run->events, from, options, run->checkpoint, resume, &watch, &run->model,
                                 error)
             : scadyg_train(context, run->events, options, run->checkpoint, resume, &watch, &run->model, error);
    cli_progress_erase();
    return status;
}

void train_close(train_run *run)
{
    free(run->checkpoint);
    free(run->refit_checkpoint);
    json_decref(run->results);
    json_decref(run->watch.epochs);
    scadyg_model_close(run->model);
    scadyg_events_close(run->events);
}

/* ---- The record ---- */

/* What the system counts per process may be of the program before it, so the program's own figure comes first. */
double train_peak_memory(void)
{
    char line[256];
    unsigned long long kilobytes = 0;
    struct rusage usage;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %llu kB", &kilobytes) == 1) break;
    if (status) fclose(status);
    if (kilobytes) return 1024.0 * (double)kilobytes;
    return getrusage(RUSAGE_SELF, &usage) ? NAN : 1024.0 * (double)usage.ru_maxrss;
}

static json_t *plan_json(const scadyg_plan *plan)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:I, s:o}", "memory_bytes",
                     (json_int_t)plan->memory, "node_bytes", (json_int_t)plan->node_bytes, "pair_bytes",
                     (json_int_t)plan->pair_bytes, "pairs", (json_int_t)plan->pairs, "vector_bytes",
                     (json_int_t)plan->vector_bytes, "vectors", (json_int_t)plan->vectors, "page_bytes",
                     (json_int_t)plan->page_bytes, "batch_bytes", (json_int_t)plan->batch_bytes, "evaluation_bytes",
                     (json_int_t)plan->evaluation_bytes, "inputs", (json_int_t)plan->inputs, "slowest",
                     cli_json_number(plan->slowest), "fastest", cli_json_number(plan->fastest), "events",
                     (json_int_t)plan->events, "events_per_second", cli_json_number(plan->events_per_second));
}

static json_t *notes_json(const train_watch *watch)
{
    json_t *list = json_array();
    for (size_t i = 0; i < watch->note_count; i++) json_array_append_new(list, json_string(watch->notes[i]));
    return list;
}

static json_t *run_json(const train_run *run)
{
    const scadyg_model_info *info = scadyg_model_look(run->model);
    const train_watch *watch = &run->watch;
    json_t *object = json_pack(
        "{s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:I, s:I, s:O, s:I, s:o, s:s?, s:s?, s:f, s:o, s:o, s:o}",
        "model_file", cli_json_text(run->arguments->output), "events_file", cli_json_text(run->path), "from",
        cli_json_text(run->arguments->from), "refit", info->refit, "learned_until",
        cli_json_number(info->train_end), "config", cli_config_json(info->options), "data",
        cli_shape_json(info->shape), "width", (json_int_t)info->width, "parameters", (json_int_t)info->parameters,
        "epochs", watch->epochs, "best_epoch", (json_int_t)info->best_epoch, "validation",
        cli_json_number(info->validation), "score", info->score, "answers_as", info->answers_as, "seconds",
        sg_seconds() - run->began, "prepare_seconds", cli_json_number(watch->prepare), "peak_memory_bytes",
        cli_json_number(train_peak_memory()), "results", run->results ? json_incref(run->results) : json_array());
    return cli_json_whole(object,
                          json_object_set_new(object, "notes", notes_json(watch)) ||
                              (*watch->ended && json_object_set_new(object, "ended", json_string(watch->ended))) ||
                              (watch->plan.epochs && json_object_set_new(object, "plan", plan_json(&watch->plan))));
}

int train_report(const train_run *run, const char *remark, json_t *more)
{
    const train_arguments *arguments = run->arguments;
    const scadyg_model_info *info = scadyg_model_look(run->model);
    int status = SCADYG_OK;
    if (!train_is_silent(arguments)) {
        cli_results_print(run->results, scadyg_events_shape(run->events));
        if (info->refit && json_array_size(run->results))
            printf("\nThese are the scores of the first training; the model has learned from all events since.\n");
        putchar('\n');
    }
    if (info->answers_as)
        train_tell(arguments, "answers", "as the baseline %s: no epoch was clearly better than it in validation",
                   info->answers_as);
    train_tell(arguments, "saved", "%.300s, %s, %s%s", arguments->output,
               cli_bytes(cli_file_size(arguments->output)),
               cli_counted(info->parameters, "parameter", "parameters"), remark);
    if (arguments->json) {
        json_t *object = run_json(run);
        const int failed = !object || (more && json_object_update(object, more));
        status = cli_json_write(arguments->json, failed ? NULL : object, run->call->error);
        json_decref(object);
    }
    json_decref(more);
    if (status) return cli_failed(run->call, NULL);
    unlink(run->checkpoint); /* not before: what is resumed has all epochs to tell of */
    if (run->refit_checkpoint) unlink(run->refit_checkpoint);
    return CLI_OK;
}
