/* One run after another: trained, evaluated, kept; or found from before. */
#include "study/study.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/config.h"
#include "cli/result.h"

typedef struct run {
    const study_variant *variant;
    int64_t seed;
    scadyg_options *train; /* the variant's, with the seed */
    int rules;             /* baselines are evaluated too */
    char *name, *record_path, *checkpoint;
} run;

static int open_run(const study *s, const study_variant *variant, int64_t seed, run *r)
{
    const char *text = cli_text("%lld", (long long)seed);
    *r = (run){.variant = variant, .seed = seed, .rules = variant->rules && seed == s->first_seed};
    int status = scadyg_options_copy(variant->train, &r->train, s->call->error);
    if (!status && cli_option_find(r->train, "seed"))
        status = scadyg_options_set(r->train, "seed", text, s->call->error);
    if (status) return cli_failed(s->call, NULL);
    if (asprintf(&r->name, "%s-seed-%s", variant->name, text) < 0) r->name = NULL;
    if (!r->name) return cli_fail(s->call->command, "not enough memory for a file name");
    r->record_path = study_file(s->call, &s->run_files, "%s.json", r->name);
    r->checkpoint = r->record_path ? study_file(s->call, &s->run_files, "%s.checkpoint", r->name) : NULL;
    return r->checkpoint ? CLI_OK : CLI_FAILURE;
}

static void close_run(run *r)
{
    scadyg_options_close(r->train);
    free(r->name);
    free(r->record_path);
    free(r->checkpoint);
}

/* ---- Evaluating ---- */

/* By one protocol; all draw the same negatives for every run, as eval has them. */
static int evaluate_once(const study *s, const run *r, const study_evaluation *evaluation,
                         const scadyg_model *model, scadyg_events *events, json_t *results, scadyg_error *error)
{
    scadyg_result *result = NULL;
    int status = scadyg_options_set(evaluation->options, "baselines", r->rules ? "1" : "0", error);
    if (!status) status = scadyg_evaluate(s->call->context, model, events, evaluation->options, &result, error);
    if (status) return status;
    json_t *object = cli_result_json(result);
    int failed =
        cli_json_add(object, json_pack("{s:s, s:s, s:o}", "evaluation", evaluation->id, "main",
                                       scadyg_score_at((size_t)result->main_score)->key, "seconds",
                                       cli_json_number(result->count ? result->evaluated[0]->seconds : NAN)));
    failed |= json_array_append_new(results, object);
    scadyg_result_free(result);
    return failed ? sg_fail_memory(error, "the result") : SCADYG_OK;
}

/* ---- The record of a run ---- */

static json_t *record_json(const study *s, const run *r)
{
    return json_pack("{s:s, s:I, s:s, s:o}", "run", r->name, "seed", (json_int_t)r->seed, "checksum",
                     cli_text("%08x", (unsigned)scadyg_events_checksum(s->events)), "config",
                     cli_config_json(r->train));
}

static int fill_record(json_t *record, const scadyg_model *model, const train_watch *watch, json_t *results)
{
    const scadyg_model_info *info = scadyg_model_look(model);
    return cli_json_add(
        record,
        json_pack("{s:I, s:I, s:I, s:o, s:s?, s:s*, s:o, s:o, s:O, s:O}", "events", (json_int_t)info->shape->events,
                  "parameters", (json_int_t)info->parameters, "best_epoch", (json_int_t)info->best_epoch,
                  "validation", cli_json_number(info->validation), "score", info->score, "answers_as",
                  info->answers_as, "prepare_seconds", cli_json_number(watch->prepare), "peak_memory_bytes",
                  cli_json_number(train_peak_memory()), "epochs", watch->epochs, "results", results));
}

static int is_evaluation(const study *s, const char *id)
{
    for (size_t i = 0; i < s->evaluation_count; i++)
        if (strcmp(s->evaluations[i].id, id) == 0) return 1;
    return 0;
}

/* Whether a record is one of this run: of the same options and data, evaluated as this study does. */
static int compare_record(const study *s, const run *r, const json_t *found, const json_t *wanted)
{
    const char *key;
    json_t *value, *result;
    json_object_foreach ((json_t *)(uintptr_t)wanted, key, value) {
        if (!json_equal(json_object_get(found, key), value))
            return cli_fail(s->call->command, "%s has another %s; remove it to make that run again", r->record_path,
                            key);
    }
    for (size_t i = 0; (result = json_array_get(json_object_get(found, "results"), i)); i++) {
        if (!is_evaluation(s, cli_json_text_of(result, "evaluation")))
            return cli_fail(s->call->command,
                            "%s has a protocol that is not of this study; remove it to make that run again",
                            r->record_path);
    }
    return CLI_OK;
}

/* A run of an earlier process, if there is one. */
static int find_record(const study *s, const run *r, json_t **record)
{
    json_t *wanted = record_json(s, r);
    int code = wanted ? CLI_OK : cli_fail(s->call->command, "not enough memory for a run");
    *record = NULL;
    if (!code &&
        study_read(&s->run_files, cli_file_name(r->record_path), study_record_parse, record, s->call->error))
        code = cli_fail(s->call->command, "%s; remove it to make that run again", s->call->error->message);
    if (!code && *record) code = compare_record(s, r, *record, wanted);
    if (!code && *record) code = study_found(s->call, r->record_path);
    if (code) {
        json_decref(*record);
        *record = NULL;
    }
    json_decref(wanted);
    return code;
}

/* ---- Training ---- */

static int learn_run(const study *s, const run *r, scadyg_events *events, json_t *record, scadyg_error *error)
{
    train_watch told;
    scadyg_model *model = NULL;
    json_t *results = json_array();
    const scadyg_watch watch = train_watch_begin(&told, 1, events);
    /* Where seconds are the result, a training is made in one piece. */
    int status = scadyg_train(s->call->context, events, r->train, s->kind->apart ? NULL : r->checkpoint, 1, &watch,
                              &model, error);
    for (size_t i = 0; i < s->evaluation_count && !status; i++)
        if (s->evaluations[i].live == r->variant->live)
            status = evaluate_once(s, r, &s->evaluations[i], model, events, results, error);
    if (!status && s->kind->look) status = s->kind->look(s, model, events, record, error);
    if (!status && fill_record(record, model, &told, results)) status = sg_fail_memory(error, "the result");
    /* What is wrong with one set of options is a result; what is wrong with the machine ends the study. */
    if (status == SCADYG_E_USAGE || status == SCADYG_E_INPUT || status == SCADYG_E_NOT_FOUND) {
        json_object_set_new(record, "failure", json_string(error->message));
        status = SCADYG_OK;
    }
    json_decref(results);
    json_decref(told.epochs);
    scadyg_model_close(model);
    return status;
}

/* Where a run has a process of its own, the one that started it says so. */
int study_stopped(const study *s)
{
    if (!s->arguments->only)
        cli_note(s->call->command, "stopped; what is there is in %s, and the same command goes on", s->folder);
    return 128 + cli_signal_seen();
}

static int fail_run(const study *s)
{
    if (s->call->error->status != SCADYG_E_CANCELLED || !cli_signal_seen()) return cli_failed(s->call, NULL);
    return study_stopped(s);
}

static int make_run(const study *s, const run *r, json_t **record)
{
    scadyg_events *events = NULL;
    int code = study_events_open(s, r->variant, &events);
    if (code) return code;
    *record = record_json(s, r);
    int status = *record ? learn_run(s, r, events, *record, s->call->error) : SCADYG_OK;
    cli_progress_erase();
    study_events_close(s, events);
    if (!*record) return cli_fail(s->call->command, "not enough memory for a run");
    if (!status) status = cli_json_write(r->record_path, *record, s->call->error);
    return status ? fail_run(s) : CLI_OK;
}

/* ---- All of them ---- */

static void tell_run(const study *s, const run *r, const json_t *record, size_t number, size_t count,
                     double seconds)
{
    if (s->arguments->common.quiet) return;
    const char *failure = json_string_value(json_object_get(record, "failure"));
    const char *score = json_string_value(json_object_get(record, "score"));
    printf("run %3zu/%-3zu  %s%s%s%s, seed %lld: ", number, count, r->variant->series,
           *r->variant->label ? ", " : "", r->variant->label, r->variant->live ? ", live" : "", (long long)r->seed);
    if (failure)
        printf("failed: %s\n", cli_safe(failure));
    else if (json_is_number(json_object_get(record, "validation")))
        printf("%s %.4f on validation", cli_safe(score ? score : "score"),
               json_number_value(json_object_get(record, "validation")));
    else
        printf("nothing to train");
    if (!failure && seconds < 0) printf("; was there already\n");
    if (!failure && seconds >= 0) printf(", %.1f s\n", seconds);
    fflush(stdout);
}

static int run_or_find(study *s, const study_variant *variant, int64_t seed, size_t number, size_t count,
                       json_t **record)
{
    run r;
    int code = open_run(s, variant, seed, &r);
    double began = sg_seconds(), seconds = -1;
    if (!code) code = find_record(s, &r, record);
    if (!code && !*record) {
        if (s->kind->apart && !s->arguments->only) {
            code = study_run_apart(s, r.name);
            if (!code) code = find_record(s, &r, record);
            if (!code && !*record) code = cli_fail(s->call->command, "the run %s left no record", r.name);
        } else {
            code = make_run(s, &r, record);
        }
        seconds = sg_seconds() - began;
    }
    if (!code) {
        sg_folder_remove(&s->run_files, cli_file_name(r.checkpoint));
        tell_run(s, &r, *record, number, count, seconds);
    }
    close_run(&r);
    return code;
}

/* Seed by seed, so that what there is when it is stopped is a whole study of fewer seeds. */
int study_run_all(study *s)
{
    const size_t count = s->variant_count * (size_t)s->arguments->seeds;
    size_t number = 0;
    s->runs = json_array();
    for (size_t i = 0; i < s->variant_count; i++) json_array_append_new(s->runs, json_array());
    for (int64_t i = 0; i < s->arguments->seeds; i++)
        for (size_t v = 0; v < s->variant_count; v++) {
            json_t *record = NULL;
            int code = run_or_find(s, &s->variants[v], s->first_seed + i, ++number, count, &record);
            if (!code && json_array_append_new(json_array_get(s->runs, v), record))
                code = cli_fail(s->call->command, "not enough memory for the runs");
            else if (code)
                json_decref(record);
            if (code) return code;
        }
    return CLI_OK;
}

int study_run_only(study *s)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* it ends when the process that started it does */
    for (int64_t i = 0; i < s->arguments->seeds; i++)
        for (size_t v = 0; v < s->variant_count; v++) {
            run r;
            json_t *record = NULL;
            int code = open_run(s, &s->variants[v], s->first_seed + i, &r);
            const int wanted = !code && strcmp(r.name, s->arguments->only) == 0;
            if (wanted) code = make_run(s, &r, &record);
            json_decref(record);
            close_run(&r);
            if (wanted || code) return code;
        }
    return cli_usage(s->call->command, "there is no run '%s'", s->arguments->only);
}
