/*
 * From runs to results: for every variant and every rule a row, for every evaluation a column, and in each cell the scores
 * with mean and standard deviation over the seeds. Seconds are left out unless they are what the study is about, so
 * that the same seeds give the same bytes.
 */
#include "study/study.h"

#include <math.h>
#include <string.h>

#include "cli/config.h"
#include "cli/result.h"

/* ---- Reading them ---- */

double study_cell(const json_t *row, const char *column, const char *score, const char *part)
{
    const json_t *cell = json_object_get(json_object_get(row, "cells"), column);
    return cli_json_number_of(json_object_get(cell, score), part);
}

const char *study_column_title(const json_t *column)
{
    const char *title = cli_json_text_of(column, "title");
    return *title ? title : cli_json_text_of(column, "id");
}

const char *study_score_title(const char *key)
{
    static const char *const titles[][2] = {{"prepare_seconds", "preparation, s"},
                                            {"train_seconds", "training epoch, s"},
                                            {"evaluation_seconds", "evaluation, s"},
                                            {"peak_memory_mib", "peak memory, MiB"},
                                            {"seconds_to_95", "s to 95 % of best"},
                                            {"seconds_to_best", "s to best"},
                                            {"seconds", "s until it stopped"},
                                            {"half_life", "half-life"},
                                            {"most", "ahead, logits"},
                                            {"drift", "drift of W_x"}};
    const scadyg_score *score;
    for (size_t i = 0; (score = scadyg_score_at(i)); i++)
        if (strcmp(score->key, key) == 0) return score->title;
    for (size_t i = 0; i < CLI_COUNT(titles); i++)
        if (strcmp(titles[i][0], key) == 0) return titles[i][1];
    return key;
}

json_t *study_row(const json_t *rows, const char *series, const char *label)
{
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        if (strcmp(cli_json_text_of(row, "series"), series) == 0 &&
            strcmp(cli_json_text_of(row, "label"), label) == 0)
            return row;
    }
    return NULL;
}

void study_csv_cells(cli_csv *csv, const json_t *rows, void (*put_row)(cli_csv *csv, const json_t *row, void *data),
                     void *data)
{
    const char *column, *score;
    json_t *row, *scores, *cell;
    for (size_t i = 0; (row = json_array_get(rows, i)); i++)
        json_object_foreach (json_object_get(row, "cells"), column, scores)
            json_object_foreach (scores, score, cell) {
                if (!json_is_object(cell)) continue;
                put_row(csv, row, data);
                cli_csv_field(csv, column);
                cli_csv_field(csv, score);
                cli_csv_number(csv, cli_json_number_of(cell, "mean"), 17);
                cli_csv_number(csv, cli_json_number_of(cell, "std"), 17);
                cli_csv_number(csv, (double)json_array_size(json_object_get(cell, "values")), 17);
                cli_csv_line(csv);
            }
}

/* ---- Means and deviations ---- */

json_t *study_summary(json_t *values)
{
    double sum = 0, squares = 0;
    size_t count = 0;
    json_t *kept = json_array(), *value;
    for (size_t i = 0; (value = json_array_get(values, i)); i++) {
        if (!json_is_number(value)) continue;
        sum += json_number_value(value);
        count++;
        json_array_append(kept, value);
    }
    const double mean = sum / (double)count;
    for (size_t i = 0; (value = json_array_get(kept, i)); i++) {
        squares += (json_number_value(value) - mean) * (json_number_value(value) - mean);
    }
    json_decref(values);
    const double std = count > 1 ? sqrt(squares / (double)(count - 1)) : NAN;
    return json_pack("{s:o, s:o, s:o}", "mean", isfinite(mean) ? json_real(mean) : json_null(), "std",
                     isfinite(std) ? json_real(std) : json_null(), "values", kept);
}

/* Adds a summary if there are values, which are taken over. */
static void add_summary(json_t *cell, const char *key, json_t *values)
{
    if (json_array_size(values))
        json_object_set_new(cell, key, study_summary(values));
    else
        json_decref(values);
}

/* The scores of an evaluation in a run. */
static const json_t *find_result(const json_t *record, const char *evaluation)
{
    const json_t *results = json_object_get(record, "results"), *result;
    for (size_t i = 0; (result = json_array_get(results, i)); i++)
        if (strcmp(cli_json_text_of(result, "evaluation"), evaluation) == 0) break;
    return result;
}

const json_t *study_find_scores(const study *s, const char *evaluation)
{
    const json_t *result = NULL;
    for (size_t v = 0; v < s->variant_count && !result; v++)
        result = find_result(json_array_get(json_array_get(s->runs, v), 0), evaluation);
    return result;
}

/* All scores of a column over the runs; NULL if no run has any. */
static json_t *cell_json(const json_t *runs, const char *evaluation)
{
    json_t *cell = json_object(), *record;
    const scadyg_score *score;
    for (size_t k = 0; (score = scadyg_score_at(k)); k++) {
        json_t *values = json_array();
        for (size_t i = 0; (record = json_array_get(runs, i)); i++) {
            json_t *value = json_object_get(find_result(record, evaluation), score->key);
            if (json_is_number(value)) json_array_append(values, value);
        }
        add_summary(cell, score->key, values);
    }
    if (json_object_size(cell)) return cell;
    json_decref(cell);
    return NULL;
}

/* How far the mean is ahead of the best baseline, and the paired standard error of that, which is of the first run: the
 * baselines are evaluated beside it. */
static void add_difference(json_t *cell, const json_t *result)
{
    const char *main = cli_json_text_of(result, "main"), *best = cli_json_text_of(result, "best_baseline");
    const json_t *baseline = json_object_get(json_object_get(result, "baselines"), best);
    json_t *score = json_object_get(cell, main);
    const double difference = cli_json_number_of(score, "mean") - cli_json_number_of(baseline, main);
    if (!isfinite(difference)) return;
    cli_json_add(score,
                 json_pack("{s:s, s:o, s:o}", "best_baseline", best, "difference", json_real(difference),
                           "difference_error", cli_json_number(cli_json_number_of(result, "difference_error"))));
}

static json_t *collect_numbers(const json_t *runs, const char *key)
{
    json_t *values = json_array(), *record;
    for (size_t i = 0; (record = json_array_get(runs, i)); i++) {
        json_t *value = json_object_get(record, key);
        if (json_is_number(value)) json_array_append(values, value);
    }
    return values;
}

/* A row of the given name; where there is none yet, a new one at the end. */
static json_t *row_of(json_t *rows, const char *series, const char *label, int rule)
{
    json_t *row = study_row(rows, series, label);
    if (row) return row;
    row = json_pack("{s:s, s:s, s:b, s:{}}", "series", series, "label", label, "rule", rule, "cells");
    json_array_append_new(rows, row);
    return row;
}

/* Which runs answer as a baseline, since they were not clearly better on validation: "pair-recency in 2 of 5 runs". */
static void add_answers_as(json_t *cell, const json_t *runs)
{
    const char *first = "";
    size_t count = 0;
    json_t *record;
    for (size_t i = 0; (record = json_array_get(runs, i)); i++) {
        const char *name = cli_json_text_of(record, "answers_as");
        if (!*name) continue;
        if (!count++) first = name;
    }
    if (count)
        json_object_set_new(cell, "answers_as",
                            json_string(cli_text("%.60s in %zu of %zu runs", first, count, json_array_size(runs))));
}

/* One model may be trained twice, for the protocol paper and for live ones: that is one row. */
static void add_variant(const study *s, size_t v, json_t *rows)
{
    const study_variant *variant = &s->variants[v];
    const json_t *runs = json_array_get(s->runs, v);
    json_t *row = row_of(rows, variant->series, variant->label, 0), *cells = json_object_get(row, "cells");
    json_t *values = collect_numbers(runs, "validation"), *record;
    json_object_set_new(row, "x", cli_json_number(variant->x));
    for (size_t i = 0; (record = json_array_get(runs, i)); i++) {
        json_t *failure = json_object_get(record, "failure");
        if (failure && !json_object_get(row, "failures")) json_object_set_new(row, "failures", json_array());
        if (failure) json_array_append(json_object_get(row, "failures"), failure);
    }
    json_object_set(row, "parameters", json_object_get(json_array_get(runs, 0), "parameters"));
    if (json_array_size(values))
        json_object_set_new(cells, variant->live ? "validation, live" : "validation",
                            json_pack("{s:O*, s:o}", "measures", json_object_get(json_array_get(runs, 0), "score"),
                                      "score", study_summary(values)));
    else
        json_decref(values);
    for (size_t i = 0; i < s->evaluation_count; i++) {
        json_t *cell = cell_json(runs, s->evaluations[i].id);
        if (!cell) continue;
        add_answers_as(cell, runs);
        add_difference(cell, find_result(json_array_get(runs, 0), s->evaluations[i].id));
        json_object_set_new(cells, s->evaluations[i].id, cell);
    }
}

/* Whether all losses are the same to the last digit: then an option that was to change something did nothing. */
static int same_losses(const json_t *runs, const json_t *others)
{
    json_t *record, *epoch;
    for (size_t i = 0; (record = json_array_get(runs, i)); i++) {
        const json_t *epochs = json_object_get(record, "epochs");
        const json_t *its = json_object_get(json_array_get(others, i), "epochs");
        if (!json_array_size(epochs) || json_array_size(epochs) != json_array_size(its)) return 0;
        for (size_t k = 0; (epoch = json_array_get(epochs, k)); k++) {
            if (!json_equal(json_object_get(epoch, "loss"), json_object_get(json_array_get(its, k), "loss")))
                return 0;
        }
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
    json_t *result, *scores;
    const char *name;
    const scadyg_score *score;
    for (size_t i = 0; (result = json_array_get(json_object_get(record, "results"), i)); i++)
        json_object_foreach (json_object_get(result, "baselines"), name, scores) {
            json_t *cell = json_object();
            for (size_t k = 0; (score = scadyg_score_at(k)); k++) {
                json_t *value = json_object_get(scores, score->key), *one = json_array();
                if (json_is_number(value)) json_array_append(one, value);
                add_summary(cell, score->key, one);
            }
            json_object_set_new(json_object_get(row_of(rows, name, "", 1), "cells"),
                                cli_json_text_of(result, "evaluation"), cell);
        }
}

/* ---- The whole ---- */

static json_t *columns_json(const study *s)
{
    json_t *columns = json_array();
    for (size_t i = 0; i < s->evaluation_count; i++) {
        json_t *column = json_object();
        const study_evaluation *evaluation = &s->evaluations[i];
        json_object_set_new(column, "id", json_string(evaluation->id));
        json_object_set_new(column, "title",
                            json_string(*evaluation->words
                                            ? cli_text("%s, %s", evaluation->place, evaluation->words)
                                            : evaluation->place));
        json_object_set_new(column, "answer", cli_option_json(evaluation->options, "answer"));
        json_object_set_new(column, "reveal", cli_option_json(evaluation->options, "reveal"));
        const json_t *result = study_find_scores(s, evaluation->id);
        static const char *const facts[] = {"main", "protocol", "pool", "part", "queries", "negatives"};
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
    return isfinite(by_steps) ? by_steps : study_cell(row, "validation, live", "score", "mean");
}

/* The best of each series by the validation part, where a value is to be chosen. */
static void mark_chosen(const study *s, json_t *rows)
{
    for (size_t p = 0; p < s->model_count; p++) {
        json_t *best = NULL, *row;
        for (size_t i = 0; (row = json_array_get(rows, i)); i++) {
            if (strcmp(cli_json_text_of(row, "series"), s->models[p]) != 0) continue;
            const double score = validation_of(row);
            if (isfinite(score) && (!best || score > validation_of(best))) best = row;
        }
        if (best) json_object_set_new(best, "chosen", json_true());
    }
}

static json_t *data_json(const study *s)
{
    json_t *data = json_pack("{s:o, s:s}", "file", cli_json_text(cli_file_name(s->path)), "checksum",
                             cli_text("%08x", (unsigned)scadyg_events_checksum(s->events)));
    int failed = cli_json_add(data, cli_shape_json(scadyg_events_shape(s->events)));
    if (s->arguments->until < 1)
        failed |= cli_json_add(
            data, json_pack("{s:f, s:I}", "until", s->arguments->until, "log_events", (json_int_t)s->log_events));
    return cli_json_whole(data, failed);
}

json_t *study_results(const study *s)
{
    json_t *rows = json_array(), *seeds = json_array(), *configs = json_object();
    for (int64_t i = 0; i < s->arguments->seeds; i++) json_array_append_new(seeds, json_integer(s->first_seed + i));
    for (size_t v = 0; v < s->variant_count; v++) {
        add_variant(s, v, rows);
        json_t *config = cli_config_json(s->variants[v].train);
        json_object_del(config, "seed");
        json_object_set_new(configs, s->variants[v].name, config);
    }
    for (size_t v = 0; v < s->variant_count; v++)
        if (s->variants[v].rules) add_rules(rows, json_array_get(json_array_get(s->runs, v), 0));
    if (s->oracle) study_add_oracle(s, rows);
    if (s->kind->parts) mark_idle(s, rows);
    if (s->kind->varied && !s->kind->parts) mark_chosen(s, rows);
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "study", s->kind->name, "version", scadyg_version(),
                     "data", data_json(s), "seeds", seeds, "columns", columns_json(s), "rows", rows, "configs",
                     configs);
}
