/* One run after another: trained, judged, kept; or found from before. */
#include "study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "result.h"
#include "shape.h"

typedef struct run {
    const study_variant *variant;
    scadyg_train_options train; /* the variant's, with the seed */
    int rules;                  /* heuristics are judged too */
    char *name, *record_path, *checkpoint;
} run;

static int run_open(const study *s, const study_variant *variant, int64_t seed, run *r)
{
    *r = (run){.variant = variant, .train = variant->train, .rules = variant->rules};
    r->train.seed = seed;
    r->rules = variant->rules && seed == s->arguments->train.seed;
    if (asprintf(&r->name, "%s-seed-%lld", variant->name, (long long)seed) < 0) r->name = NULL;
    if (!r->name) return cli_fail(s->call->command, "not enough memory for a file name");
    r->record_path = study_path(s, "runs/%s.json", r->name);
    r->checkpoint = study_path(s, "runs/%s.checkpoint", r->name);
    return r->record_path && r->checkpoint ? CLI_OK : CLI_FAILURE;
}

static void run_close(run *r)
{
    free(r->name);
    free(r->record_path);
    free(r->checkpoint);
}

/* ---- Judging ---- */

static int judge(const study *s, const run *r, const scadyg_model *model, scadyg_events *events, json_t *results,
                 scadyg_error *error)
{
    size_t count;
    const scadyg_option *table = scadyg_eval_option_table(&count);
    for (size_t i = 0; i < s->judge_count; i++) {
        if (!study_judges(&s->judges[i], r->variant)) continue;
        scadyg_eval_options eval = {0};
        scadyg_result result = {0};
        scadyg_options_default(table, count, &eval); /* the same draw of negatives for every run, as eval has */
        eval.protocol = s->judges[i].protocol;
        eval.pool = s->judges[i].pool;
        eval.heuristics = r->rules;
        eval.threads = r->train.threads;
        if (scadyg_evaluate(model, events, &eval, cli_progress(&s->arguments->common), &result, error))
            return error->status;
        json_t *object = cli_result_json(&result);
        json_object_set_new(object, "judge", json_string(s->judges[i].id));
        json_object_set_new(object, "seconds", cli_json_number(result.count ? result.judged[0].seconds : NAN));
        if (json_array_append_new(results, object)) {
            *error = (scadyg_error){.status = SCADYG_E_MEMORY, .message = "not enough memory for the result"};
            return error->status;
        }
    }
    return SCADYG_OK;
}

/* ---- The record of a run ---- */

static json_t *record_json(const study *s, const run *r)
{
    char checksum[CLI_TEXT];
    json_t *record = json_object();
    snprintf(checksum, sizeof checksum, "%08x", (unsigned)scadyg_events_checksum(s->events));
    int failed = json_object_set_new(record, "run", json_string(r->name));
    failed |= json_object_set_new(record, "seed", json_integer(r->train.seed));
    failed |= json_object_set_new(record, "checksum", json_string(checksum));
    failed |= json_object_set_new(record, "config", cli_config_json(train_table(), &r->train));
    if (!failed) return record;
    json_decref(record);
    return NULL;
}

static int fill(json_t *record, const scadyg_model *model, const train_watch *watch, json_t *results)
{
    const scadyg_model_info *info = scadyg_model_look(model);
    int failed = json_object_set_new(record, "events", json_integer((json_int_t)info->shape.events));
    failed |= json_object_set_new(record, "parameters", json_integer((json_int_t)info->parameters));
    failed |= json_object_set_new(record, "best_epoch", json_integer(info->best_epoch));
    failed |= json_object_set_new(record, "validation", cli_json_number(info->validation));
    failed |= json_object_set_new(record, "score", info->score ? json_string(info->score) : json_null());
    failed |= json_object_set_new(record, "prepare_seconds", cli_json_number(watch->prepare));
    failed |= json_object_set_new(record, "peak_memory_bytes", cli_json_number(study_peak_memory()));
    failed |= json_object_set(record, "epochs", watch->epochs);
    failed |= json_object_set(record, "results", results);
    return failed;
}

/* A run of an earlier process, if it is one of the same options and data. */
static int find(const study *s, const run *r, json_t **record)
{
    json_error_t where;
    *record = NULL;
    if (!train_exists(r->record_path)) return CLI_OK;
    json_t *found = json_load_file(r->record_path, JSON_REJECT_DUPLICATES, &where), *wanted = record_json(s, r);
    if (!found || !wanted) {
        json_decref(found);
        json_decref(wanted);
        return found ? cli_fail(s->call->command, "not enough memory for a run")
                     : cli_fail(s->call->command, "%s:%d:%d: %s; remove it to make that run again", r->record_path,
                                where.line, where.column, where.text);
    }
    const char *key;
    json_t *value;
    int code = CLI_OK;
    json_object_foreach(wanted, key, value) if (!code && !json_equal(json_object_get(found, key), value)) code =
        cli_fail(s->call->command, "%s has another %s; remove it to make that run again", r->record_path, key);
    json_decref(wanted);
    if (code)
        json_decref(found);
    else
        *record = found;
    return code;
}

/* ---- Training ---- */

/* What is wrong with one set of options is a result; what is wrong with the machine ends the study. */
static int is_a_result(int status)
{
    return status == SCADYG_E_USAGE || status == SCADYG_E_INPUT || status == SCADYG_E_NOT_FOUND;
}

static int learn(const study *s, const run *r, scadyg_events *events, json_t *record, scadyg_error *error)
{
    cli_common silent = s->arguments->common;
    silent.quiet = 1;
    train_watch told;
    scadyg_model *model = NULL;
    json_t *results = json_array();
    const scadyg_watch watch = train_watch_begin(&told, &silent, events);
    /* Where seconds are the result, a training is made in one piece. */
    int status = scadyg_train(events, &r->train, s->kind->apart ? NULL : r->checkpoint, 1, &watch,
                              cli_progress(&s->arguments->common), &model, error);
    if (!status) status = judge(s, r, model, events, results, error);
    if (!status && s->kind->look) status = s->kind->look(s, model, events, record, error);
    if (!status && fill(record, model, &told, results)) {
        *error = (scadyg_error){.status = SCADYG_E_MEMORY, .message = "not enough memory for the result"};
        status = error->status;
    }
    if (is_a_result(status)) {
        json_object_set_new(record, "failure", json_string(error->message));
        status = SCADYG_OK;
    }
    json_decref(results);
    json_decref(told.epochs);
    scadyg_model_close(model);
    return status;
}

static int stopped(const study *s, const scadyg_error *error)
{
    if (error->status != SCADYG_E_CANCELLED || !cli_signal_seen())
        return cli_fail_error(s->call->command, error, NULL);
    cli_note(s->call->command, "stopped; what is there is in %s, and the same command goes on", s->folder);
    return 128 + cli_signal_seen();
}

static int make(const study *s, const run *r, json_t **record)
{
    scadyg_error error = {0};
    scadyg_events *events = NULL;
    int code = study_events_open(s, r->variant, &events);
    if (code) return code;
    *record = record_json(s, r);
    int status = *record ? learn(s, r, events, *record, &error) : SCADYG_OK;
    cli_progress_erase();
    study_events_close(s, events);
    if (!*record) return cli_fail(s->call->command, "not enough memory for a run");
    if (!status) status = cli_json_write(r->record_path, *record, &error);
    return status ? stopped(s, &error) : CLI_OK;
}

/* ---- All of them ---- */

static void tell(const study *s, const run *r, const json_t *record, size_t number, size_t count, double seconds)
{
    if (s->arguments->common.quiet) return;
    const char *failure = json_string_value(json_object_get(record, "failure"));
    const char *score = json_string_value(json_object_get(record, "score"));
    printf("run %3zu/%-3zu  %s%s%s%s, seed %lld: ", number, count, r->variant->series,
           *r->variant->label ? ", " : "", r->variant->label, r->train.split == 1 ? ", by time" : "",
           (long long)r->train.seed);
    if (failure)
        printf("failed: %s\n", failure);
    else
        printf("%s %.4f on validation%s", score ? score : "score",
               json_number_value(json_object_get(record, "validation")),
               seconds < 0 ? "; was there already\n" : "");
    if (!failure && seconds >= 0) printf(", %.1f s\n", seconds);
    fflush(stdout);
}

static int run_or_find(study *s, const study_variant *variant, int64_t seed, size_t number, size_t count,
                       json_t **record)
{
    run r;
    int code = run_open(s, variant, seed, &r);
    double began = cli_seconds(), seconds = -1;
    if (!code) code = find(s, &r, record);
    if (!code && !*record) {
        if (s->kind->apart && !s->arguments->only) {
            code = study_apart(s, r.name);
            if (!code) code = find(s, &r, record);
            if (!code && !*record) code = cli_fail(s->call->command, "the run %s left no record", r.name);
        } else {
            code = make(s, &r, record);
        }
        seconds = cli_seconds() - began;
    }
    if (!code) {
        unlink(r.checkpoint);
        tell(s, &r, *record, number, count, seconds);
    }
    run_close(&r);
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
            int code = run_or_find(s, &s->variants[v], s->arguments->train.seed + i, ++number, count, &record);
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
    study_follow_parent();
    for (int64_t i = 0; i < s->arguments->seeds; i++)
        for (size_t v = 0; v < s->variant_count; v++) {
            run r;
            json_t *record = NULL;
            int code = run_open(s, &s->variants[v], s->arguments->train.seed + i, &r);
            const int wanted = !code && strcmp(r.name, s->arguments->only) == 0;
            if (wanted) code = make(s, &r, &record);
            json_decref(record);
            run_close(&r);
            if (wanted || code) return code;
        }
    return cli_usage(s->call->command, "there is no run '%s'", s->arguments->only);
}
