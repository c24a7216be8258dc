/* The page of a study. */
#include "report_study.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int report_is_study(const char *path)
{
    struct stat found;
    if (stat(path, &found)) return 0;
    if (S_ISDIR(found.st_mode)) return 1;
    FILE *file = fopen(path, "r");
    const int first = file ? getc(file) : EOF;
    if (file) fclose(file);
    return first == '{';
}

const char *report_study_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

const char *report_study_score(const char *key)
{
    static const char *const names[][2] = {{"mrr", "MRR"},
                                           {"ap", "AP"},
                                           {"auc", "AUC"},
                                           {"ndcg@10", "NDCG@10"},
                                           {"prepare_seconds", "preparation, s"},
                                           {"train_seconds", "training epoch, s"},
                                           {"evaluation_seconds", "evaluation, s"},
                                           {"peak_memory_mib", "peak memory, MiB"},
                                           {"seconds_to_95", "s to 95 % of best"},
                                           {"seconds_to_best", "s to best"},
                                           {"seconds", "s until it stopped"},
                                           {"half_life", "half-life"},
                                           {"most", "ahead, logits"},
                                           {"drift", "drift of W_x"}};
    for (size_t i = 0; i < CLI_COUNT(names); i++)
        if (strcmp(names[i][0], key) == 0) return names[i][1];
    return key;
}

void report_study_row(const json_t *row, char text[CLI_TEXT])
{
    const char *label = report_study_text(row, "label");
    snprintf(text, CLI_TEXT, "%.30s%s%.30s", report_study_text(row, "series"), *label ? ", " : "", label);
}

double report_study_cell(const json_t *row, const char *column, const char *score, const char *part)
{
    const json_t *cell = json_object_get(json_object_get(row, "cells"), column);
    const json_t *value = json_object_get(json_object_get(cell, score), part);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Columns that are there without a protocol: validation, cost, whatever a kind of study adds. */
static void put_other_columns(FILE *page, const json_t *results)
{
    json_t *seen = json_object(), *row, *cell, *column;
    const char *name;
    size_t i;
    json_array_foreach(json_object_get(results, "columns"), i, column)
        json_object_set_new(seen, report_study_text(column, "id"), json_true());
    json_array_foreach(json_object_get(results, "rows"), i, row)
    {
        json_object_foreach(json_object_get(row, "cells"), name, cell)
        {
            if (json_object_get(seen, name)) continue;
            json_object_set_new(seen, name, json_true());
            report_study_table(page, results, name);
        }
    }
    json_decref(seen);
}

/* One study: a chart and a table for each protocol. `number` tells several on a page apart. */
static void put_study(FILE *page, const json_t *results, const char *title, size_t number)
{
    char id[CLI_TEXT], count[CLI_TEXT];
    json_t *column;
    size_t i;
    const json_t *data = json_object_get(results, "data");
    snprintf(id, sizeof id, "study-%zu", number);
    page_section(page, id, title, NULL);
    cli_count((uint64_t)json_integer_value(json_object_get(data, "events")), count);
    page_words(page, "%s: %s events. Every model was trained with %zu seeds and judged on the test part.",
               report_study_text(data, "file"), count, json_array_size(json_object_get(results, "seeds")));
    fputs("<div class=\"figures\">\n", page);
    json_array_foreach(json_object_get(results, "columns"), i, column)
    {
        snprintf(id, sizeof id, "study-%zu-%zu", number, i);
        report_study_column(page, results, column, id);
    }
    snprintf(id, sizeof id, "study-%zu-curves", number);
    report_study_curves(page, results, id);
    fputs("</div>\n", page);
    json_array_foreach(json_object_get(results, "columns"), i, column)
        report_study_table(page, results, report_study_text(column, "id"));
    put_other_columns(page, results);
    report_study_repeat(page, results);
    page_section_end(page);
}

/* A folder stands for the results in it. */
static json_t *read_results(const cli_call *call, const char *path)
{
    struct stat found;
    json_error_t where;
    char *file = NULL;
    const int folder = stat(path, &found) == 0 && S_ISDIR(found.st_mode);
    if (asprintf(&file, "%s%s", path, folder ? "/results.json" : "") < 0) {
        cli_fail(call->command, "not enough memory for a file name");
        return NULL;
    }
    json_t *results = json_load_file(file, 0, &where);
    if (!results) {
        cli_fail(call->command, "%s: %s", file, where.text);
    } else if (!*report_study_text(results, "study")) {
        cli_fail(call->command, "%s is not the results.json of a study", file);
        json_decref(results);
        results = NULL;
    }
    free(file);
    return results;
}

int report_study(const cli_call *call, const char *path, FILE *page)
{
    json_t *results = read_results(call, path), *set, *several;
    size_t i;
    if (!results) return CLI_FAILURE;
    char title[256];
    several = json_object_get(results, "datasets"); /* of `study reproduce` */
    snprintf(title, sizeof title, "Study: %.100s", report_study_text(results, "study"));
    page_begin(page, title);
    page_cell(page, "h1", NULL, title);
    if (!several) put_study(page, results, "Results", 0);
    json_array_foreach(several, i, set)
        put_study(page, json_object_get(set, "results"), report_study_text(set, "title"), i);
    report_study_charts(page, results, path);
    page_end(page);
    json_decref(results);
    return CLI_OK;
}
