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

/* Columns that are there without a protocol: validation, cost, whatever a kind of study adds. */
static void put_other_columns(FILE *page, const json_t *results)
{
    json_t *seen = json_object(), *row, *cell, *column;
    const char *name;
    size_t i;
    json_array_foreach(json_object_get(results, "columns"), i, column)
        json_object_set_new(seen, study_text(column, "id"), json_true());
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

/* ---- Charts ---- */

typedef struct figures {
    FILE *page;
    size_t number; /* tells several studies on a page apart */
} figures;

static FILE *begin_chart(void *context, const char *name, const char *title)
{
    const figures *f = context;
    char id[3 * CLI_TEXT];
    snprintf(id, sizeof id, "study-%zu-%s", f->number, name);
    page_figure(f->page, id, title);
    return f->page;
}

static void end_chart(void *context, const char *words)
{
    page_figure_end(((const figures *)context)->page, NULL, 0, "%s", words);
}

/* One study: its charts, and a table for each protocol. */
static int put_study(FILE *page, const json_t *results, const char *title, size_t number)
{
    char id[CLI_TEXT], count[CLI_TEXT];
    figures f = {.page = page, .number = number};
    const study_easel easel = {.begin = begin_chart, .end = end_chart, .context = &f};
    json_t *column;
    size_t i;
    const json_t *data = json_object_get(results, "data");
    snprintf(id, sizeof id, "study-%zu", number);
    page_section(page, id, title, NULL);
    cli_count((uint64_t)json_integer_value(json_object_get(data, "events")), count);
    page_words(page, "%s: %s events. Every model was trained with %zu seeds and judged on the test part.",
               study_text(data, "file"), count, json_array_size(json_object_get(results, "seeds")));
    fputs("<div class=\"figures\">\n", page);
    const int failed = study_charts(results, &easel);
    fputs("</div>\n", page);
    json_array_foreach(json_object_get(results, "columns"), i, column)
        report_study_table(page, results, study_text(column, "id"));
    put_other_columns(page, results);
    report_study_repeat(page, results);
    page_section_end(page);
    return failed;
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
    } else if (!*study_text(results, "study")) {
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
    snprintf(title, sizeof title, "Study: %.100s", study_text(results, "study"));
    page_begin(page, title);
    page_cell(page, "h1", NULL, title);
    int failed = several ? 0 : put_study(page, results, "Results", 0);
    json_array_foreach(several, i, set) failed |=
        put_study(page, json_object_get(set, "results"), study_text(set, "title"), i);
    page_end(page);
    json_decref(results);
    return failed ? cli_fail(call->command, "not enough memory for a chart") : CLI_OK;
}
