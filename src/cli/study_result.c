/*
 * From runs to results: for every variant and every rule a row, for every judge a column, and in each cell the scores
 * with mean and standard deviation over the seeds. Seconds are left out unless they are what the study is about, so
 * that the same seeds give the same bytes.
 */
#include "study.h"

#include <math.h>
#include <string.h>

#include "shape.h"

static const char *const score_keys[] = {"mrr", "hits@1", "hits@3", "hits@10", "ap", "auc", "ndcg@10"};

const char *study_main_score(const char *column)
{
    if (strncmp(column, "dyglib", 6) == 0) return "ap";
    return strncmp(column, "tgb-node", 8) == 0 ? "ndcg@10" : "mrr";
}

json_t *study_summary(json_t *values)
{
    double sum = 0, squares = 0;
    size_t count = 0;
    json_t *kept = json_array(), *object = json_object(), *value;
    size_t i;
    json_array_foreach(values, i, value)
    {
        if (!json_is_number(value)) continue;
        sum += json_number_value(value);
        count++;
        json_array_append(kept, value);
    }
    const double mean = sum / (double)count;
    json_array_foreach(kept, i, value)
    {
        squares += (json_number_value(value) - mean) * (json_number_value(value) - mean);
    }
    json_decref(values);
    json_object_set_new(object, "mean", count ? json_real(mean) : json_null());
    json_object_set_new(object, "std", count > 1 ? json_real(sqrt(squares / (double)(count - 1))) : json_null());
    json_object_set_new(object, "values", kept);
    return object;
}

/* What a judge said of a run, or of a rule beside it. */
static const json_t *judged(const json_t *record, const char *judge)
{
    size_t i;
    json_t *result;
    json_array_foreach(json_object_get(record, "results"), i, result)
    {
        const char *id = json_string_value(json_object_get(result, "judge"));
        if (id && strcmp(id, judge) == 0) return result;
    }
    return NULL;
}

/* All scores of a column over the runs; NULL if no run has any. */
static json_t *cell_json(const json_t *runs, const char *judge)
{
    json_t *cell = json_object();
    for (size_t k = 0; k < CLI_COUNT(score_keys); k++) {
        json_t *values = json_array(), *record;
        size_t i;
        int some = 0;
        json_array_foreach((json_t *)(uintptr_t)runs, i, record)
        {
            json_t *value = json_object_get(judged(record, judge), score_keys[k]);
            some |= json_is_number(value);
            if (json_is_number(value)) json_array_append(values, value);
        }
        if (some)
            json_object_set_new(cell, score_keys[k], study_summary(values));
        else
            json_decref(values);
    }
    if (json_object_size(cell)) return cell;
    json_decref(cell);
    return NULL;
}

static json_t *collect(const json_t *runs, const char *key)
{
    json_t *values = json_array(), *record;
    size_t i;
    json_array_foreach((json_t *)(uintptr_t)runs, i, record)
    {
        json_t *value = json_object_get(record, key);
        if (json_is_number(value)) json_array_append(values, value);
    }
    return values;
}

static void add_failures(json_t *row, const json_t *runs)
{
    json_t *record;
    size_t i;
    json_array_foreach((json_t *)(uintptr_t)runs, i, record)
    {
        json_t *failure = json_object_get(record, "failure"), *failures = json_object_get(row, "failures");
        if (failure && !failures) {
            json_object_set_new(row, "failures", json_array());
            failures = json_object_get(row, "failures");
        }
        if (failure) json_array_append(failures, failure);
    }
}

/* A row of the given name; where there is none yet, a new one at the end. */
static json_t *row_of(json_t *rows, const char *series, const char *label, int rule)
{
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        const char *its_series = json_string_value(json_object_get(row, "series"));
        const char *its_label = json_string_value(json_object_get(row, "label"));
        if (its_series && its_label && strcmp(its_series, series) == 0 && strcmp(its_label, label) == 0) return row;
    }
    row = json_object();
    json_object_set_new(row, "series", json_string(series));
    json_object_set_new(row, "label", json_string(label));
    json_object_set_new(row, "rule", json_boolean(rule));
    json_object_set_new(row, "cells", json_object());
    json_array_append_new(rows, row);
    return row;
}

/* One model may be trained twice, for protocols that cut the parts by steps and by time: that is one row. */
static void add_variant(const study *s, size_t v, json_t *rows)
{
    const study_variant *variant = &s->variants[v];
    const json_t *runs = json_array_get(s->runs, v);
    json_t *row = row_of(rows, variant->series, variant->label, 0), *cells = json_object_get(row, "cells");
    json_t *validation = json_object(), *values = collect(runs, "validation");
    json_object_set_new(row, "x", cli_json_number(variant->x));
    add_failures(row, runs);
    json_object_set(row, "parameters", json_object_get(json_array_get(runs, 0), "parameters"));
    if (json_array_size(values)) {
        json_object_set(validation, "measures", json_object_get(json_array_get(runs, 0), "score"));
        json_object_set_new(validation, "score", study_summary(values));
        json_object_set(cells, variant->train.split == 1 ? "validation by time" : "validation", validation);
    } else {
        json_decref(values);
    }
    json_decref(validation);
    for (size_t i = 0; i < s->judge_count; i++) {
        json_t *cell = cell_json(runs, s->judges[i].id);
        if (cell) json_object_set_new(cells, s->judges[i].id, cell);
    }
}

/* Whether all losses are the same to the last digit: then an option that was to change something did nothing. */
static int same_losses(const json_t *runs, const json_t *others)
{
    size_t i, k;
    json_t *record, *epoch;
    json_array_foreach((json_t *)(uintptr_t)runs, i, record)
    {
        const json_t *epochs = json_object_get(record, "epochs");
        const json_t *its = json_object_get(json_array_get(others, i), "epochs");
        if (!json_array_size(epochs) || json_array_size(epochs) != json_array_size(its)) return 0;
        json_array_foreach((json_t *)(uintptr_t)epochs, k,
                           epoch) if (!json_equal(json_object_get(epoch, "loss"),
                                                  json_object_get(json_array_get(its, k), "loss"))) return 0;
    }
    return 1;
}

/* In an ablation the first variant of a series is the whole model. */
static void mark_idle(const study *s, json_t *rows)
{
    size_t whole = 0;
    for (size_t v = 1; v < s->variant_count; v++) {
        const study_variant *variant = &s->variants[v];
        if (strcmp(variant->label, s->variants[0].label) == 0)
            whole = v;
        else if (same_losses(json_array_get(s->runs, v), json_array_get(s->runs, whole)))
            json_object_set_new(row_of(rows, variant->series, variant->label, 0), "idle", json_true());
    }
}

/* ---- The rules: nothing in them is random, so one run has them all ---- */

static void add_rules(json_t *rows, const json_t *record)
{
    size_t i;
    json_t *result, *scores;
    const char *name;
    json_array_foreach(json_object_get(record, "results"), i, result)
    {
        const char *judge = json_string_value(json_object_get(result, "judge"));
        json_object_foreach(json_object_get(result, "heuristics"), name, scores)
        {
            json_t *cell = json_object();
            for (size_t k = 0; k < CLI_COUNT(score_keys); k++) {
                json_t *value = json_object_get(scores, score_keys[k]);
                if (!json_is_number(value)) continue;
                json_t *one = json_array();
                json_array_append(one, value);
                json_object_set_new(cell, score_keys[k], study_summary(one));
            }
            json_object_set_new(json_object_get(row_of(rows, name, "", 1), "cells"), judge ? judge : "", cell);
        }
    }
}

/* ---- The whole ---- */

static json_t *columns_json(const study *s)
{
    json_t *columns = json_array();
    for (size_t i = 0; i < s->judge_count; i++) {
        json_t *column = json_object();
        json_object_set_new(column, "id", json_string(s->judges[i].id));
        json_object_set_new(column, "main", json_string(study_main_score(s->judges[i].id)));
        const json_t *result = NULL;
        for (size_t v = 0; v < s->variant_count && !result; v++)
            result = judged(json_array_get(json_array_get(s->runs, v), 0), s->judges[i].id);
        static const char *const facts[] = {"protocol", "pool", "part", "queries", "negatives"};
        for (size_t k = 0; k < CLI_COUNT(facts) && result; k++)
            json_object_set(column, facts[k], json_object_get(result, facts[k]));
        json_array_append_new(columns, column);
    }
    return columns;
}

/* By steps, or where nothing is trained for that, by time. */
static double validation_of(const json_t *row)
{
    const double by_steps = study_cell(row, "validation", "score", "mean");
    return isfinite(by_steps) ? by_steps : study_cell(row, "validation by time", "score", "mean");
}

/* The best of each series by the validation part, where a value is to be chosen. */
static void mark_chosen(const study *s, json_t *rows)
{
    for (size_t p = 0; p < s->preset_count; p++) {
        json_t *best = NULL, *row;
        size_t i;
        json_array_foreach(rows, i, row)
        {
            const char *series = json_string_value(json_object_get(row, "series"));
            if (!series || strcmp(series, s->presets[p]) != 0) continue;
            const double score = validation_of(row);
            if (isfinite(score) && (!best || score > validation_of(best))) best = row;
        }
        if (best) json_object_set_new(best, "chosen", json_true());
    }
}

static json_t *data_json(const study *s)
{
    char checksum[CLI_TEXT];
    const char *slash = strrchr(s->path, '/');
    json_t *data = json_object(), *file = json_string(slash ? slash + 1 : s->path);
    snprintf(checksum, sizeof checksum, "%08x", (unsigned)scadyg_events_checksum(s->events));
    json_object_set_new(data, "file", file ? file : json_null());
    json_object_set_new(data, "checksum", json_string(checksum));
    cli_shape_json(data, scadyg_events_shape(s->events));
    return data;
}

json_t *study_results(const study *s)
{
    json_t *results = json_object(), *rows = json_array(), *seeds = json_array(), *configs = json_object();
    for (int64_t i = 0; i < s->arguments->seeds; i++)
        json_array_append_new(seeds, json_integer(s->arguments->train.seed + i));
    for (size_t v = 0; v < s->variant_count; v++) {
        add_variant(s, v, rows);
        json_t *config = cli_config_json(train_table(), &s->variants[v].train);
        json_object_del(config, "seed");
        json_object_set_new(configs, s->variants[v].name, config);
    }
    for (size_t v = 0; v < s->variant_count; v++)
        if (s->variants[v].rules) add_rules(rows, json_array_get(json_array_get(s->runs, v), 0));
    if (s->kind->parts) mark_idle(s, rows);
    if (s->kind->varied && !s->kind->parts) mark_chosen(s, rows);
    int failed = json_object_set_new(results, "study", json_string(s->kind->name));
    failed |= json_object_set_new(results, "version", json_string(scadyg_version()));
    failed |= json_object_set_new(results, "data", data_json(s));
    failed |= json_object_set_new(results, "seeds", seeds);
    failed |= json_object_set_new(results, "columns", columns_json(s));
    failed |= json_object_set_new(results, "rows", rows);
    failed |= json_object_set_new(results, "configs", configs);
    if (!failed) return results;
    json_decref(results);
    return NULL;
}
