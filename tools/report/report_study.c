/* The page of a study. */
#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "study/study_charts.h"
#include "study/study_check.h"

int report_is_study(const char *path)
{
    struct stat found;
    if (stat(path, &found)) return errno != ENOENT && errno != ENOTDIR; /* opening it says why */
    if (S_ISDIR(found.st_mode)) return 1;
    char first = 0;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe is for nobody to wait for */
    if (fd < 0) return 1;
    ssize_t got;
    while ((got = read(fd, &first, 1)) < 0 && errno == EINTR) continue;
    close(fd);
    return got < 0 || (got == 1 && first == '{');
}

/* ---- Tables ---- */

/* The scores that any row has in a column, as the keys of an object, in order of appearance. */
static json_t *scores_of(const json_t *rows, const char *column)
{
    json_t *scores = json_object(), *row, *value;
    const char *name;
    for (size_t i = 0; (row = json_array_get(rows, i)); i++)
        json_object_foreach (json_object_get(json_object_get(row, "cells"), column), name, value)
            if (json_is_object(value)) json_object_set_new(scores, name, json_true());
    return scores;
}

static void put_number(FILE *page, const json_t *row, const char *column, const char *score)
{
    const double mean = study_cell(row, column, score, "mean"), spread = study_cell(row, column, score, "std");
    const int small = fabs(mean) <= 1;
    page_cell(page, "td", "number",
              !isfinite(mean)    ? "-"
              : isfinite(spread) ? cli_text(small ? "%.4f ± %.4f" : "%.4g ± %.2g", mean, spread)
                                 : cli_text(small ? "%.4f" : "%.4g", mean));
}

static void put_table(FILE *page, const json_t *results, const char *column, const char *title)
{
    const json_t *rows = json_object_get(results, "rows");
    json_t *scores = scores_of(rows, column), *row, *some;
    const char *score;
    if (json_object_size(scores)) {
        page_words(page, "%s, mean ± standard deviation over the seeds:", title);
        fputs("<div class=\"wide\"><table>\n<tr><th></th>", page);
        json_object_foreach (scores, score, some) page_cell(page, "th", "number", study_score_title(score));
        fputs("</tr>\n", page);
        for (size_t i = 0; (row = json_array_get(rows, i)); i++) {
            if (!json_object_get(json_object_get(row, "cells"), column)) continue;
            fprintf(page, "<tr%s>", json_is_true(json_object_get(row, "rule")) ? "" : " class=\"own\"");
            page_cell(page, "td", NULL, study_row_name(row));
            json_object_foreach (scores, score, some) put_number(page, row, column, score);
            fputs("</tr>\n", page);
        }
        fputs("</table></div>\n", page);
    }
    json_decref(scores);
}

/* ---- How to repeat it ---- */

static void put_option(FILE *page, const char *name, const json_t *value)
{
    char *text = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(10));
    fprintf(page, "<div><span>--");
    svg_text(page, name);
    fputs("</span>", page);
    page_cell(page, "span", NULL,
              json_is_null(value)     ? "(none)"
              : json_is_string(value) ? json_string_value(value)
              : text                  ? text
                                      : "?");
    fputs("</div>\n", page);
    free(text);
}

static int differs(const json_t *first, const json_t *config)
{
    const char *option;
    json_t *value;
    json_object_foreach ((json_t *)(uintptr_t)config, option, value) {
        if (!json_equal(json_object_get(first, option), value)) return 1;
    }
    return 0;
}

/* The first model's options, then of the others what is different. */
static void put_configs(FILE *page, const json_t *configs)
{
    const char *name, *option;
    json_t *config, *value, *first = NULL;
    json_object_foreach ((json_t *)(uintptr_t)configs, name, config) {
        if (first && !differs(first, config)) continue;
        page_words(page, first ? "Options of %s that differ:" : "Options of %s:", name);
        fputs("<div class=\"columns\">\n", page);
        json_object_foreach (config, option, value) {
            if (!first || !json_equal(json_object_get(first, option), value)) put_option(page, option, value);
        }
        fputs("</div>\n", page);
        if (!first) first = config;
    }
}

static void put_repeat(FILE *page, const json_t *results)
{
    const json_t *data = json_object_get(results, "data");
    char *seeds = json_dumps(json_object_get(results, "seeds"), JSON_COMPACT);
    page_words(page, "Checksum of the events: %s. Seeds: %s. Made with scadyg %s.",
               cli_json_text_of(data, "checksum"), seeds ? seeds : "?", cli_json_text_of(results, "version"));
    free(seeds);
    put_configs(page, json_object_get(results, "configs"));
}

/* ---- A study ---- */

/* Columns that are there without a protocol: validation, cost, whatever a kind of study adds. */
static void put_other_columns(FILE *page, const json_t *results)
{
    json_t *seen = json_object(), *row, *cell, *column;
    const char *name;
    for (size_t i = 0; (column = json_array_get(json_object_get(results, "columns"), i)); i++)
        json_object_set_new(seen, cli_json_text_of(column, "id"), json_true());
    for (size_t i = 0; (row = json_array_get(json_object_get(results, "rows"), i)); i++) {
        json_object_foreach (json_object_get(row, "cells"), name, cell) {
            if (json_object_get(seen, name)) continue;
            json_object_set_new(seen, name, json_true());
            put_table(page, results, name, name);
        }
    }
    json_decref(seen);
}

/* ---- Charts ---- */

typedef struct figures {
    FILE *page;
    size_t number; /* tells several studies on a page apart */
} figures;

static FILE *begin_chart(void *data, const char *name, const char *title)
{
    const figures *f = data;
    page_figure(f->page, cli_text("study-%zu-%s", f->number, name), title);
    return f->page;
}

static void end_chart(void *data, const char *words)
{
    page_figure_end(((const figures *)data)->page, NULL, 0, "%s", words);
}

#define count_of(number) cli_count((uint64_t)fmax(0, fmin(1e18, number)))

/* One study: its charts, and a table for each protocol. */
static int put_study(FILE *page, const json_t *results, const char *title, size_t number)
{
    figures f = {.page = page, .number = number};
    const study_easel easel = {.begin = begin_chart, .end = end_chart, .data = &f};
    json_t *column;
    const json_t *data = json_object_get(results, "data");
    page_section(page, cli_text("study-%zu", number), title, NULL);
    const double log_events = cli_json_number_of(data, "log_events");
    page_words(page, "%s: %s events%s. Every model was trained with %zu seed%s and evaluated on the test part.",
               cli_json_text_of(data, "file"), count_of(cli_json_number_of(data, "events")),
               isfinite(log_events) ? cli_text(", the first of the %s that the log has", count_of(log_events)) : "",
               json_array_size(json_object_get(results, "seeds")),
               sg_plural(json_array_size(json_object_get(results, "seeds"))));
    fputs("<div class=\"figures\">\n", page);
    const int failed = study_charts(results, &easel);
    fputs("</div>\n", page);
    for (size_t i = 0; (column = json_array_get(json_object_get(results, "columns"), i)); i++)
        put_table(page, results, cli_json_text_of(column, "id"), study_column_title(column));
    put_other_columns(page, results);
    put_repeat(page, results);
    page_section_end(page);
    return failed;
}

int report_study_page(FILE *page, const json_t *results)
{
    const json_t *several = json_object_get(results, "datasets"), *set; /* of `study run` */
    const char *title = cli_text("Study: %.100s", cli_json_text_of(results, "study"));
    page_begin(page, title);
    page_cell(page, "h1", NULL, title);
    int failed = several ? 0 : put_study(page, results, "Results", 0);
    for (size_t i = 0; (set = json_array_get(several, i)); i++)
        failed |= put_study(page, json_object_get(set, "results"), cli_json_text_of(set, "title"), i);
    page_end(page);
    return failed;
}

static int read_file(const char *path, json_t **results, scadyg_error *error)
{
    char *data = NULL;
    size_t size = 0;
    int status = sg_file_read(path, STUDY_MOST_BYTES, &data, &size, error);
    if (!status) status = study_results_parse(path, data, size, results, error);
    free(data);
    return status;
}

/* A folder stands for the results in it. */
static int read_results(const char *path, json_t **results, scadyg_error *error)
{
    struct stat found;
    sg_folder folder;
    if (stat(path, &found) || !S_ISDIR(found.st_mode)) return read_file(path, results, error);
    int status = sg_folder_open(&folder, path, error);
    if (!status) status = study_read(&folder, "results.json", study_results_parse, results, error);
    if (!status && !*results)
        status =
            sg_fail(error, SCADYG_E_NOT_FOUND, "%.400s has no results.json: it is no study, or not finished", path);
    sg_folder_close(&folder);
    return status;
}

int report_study(const cli_call *call, const char *path, FILE *page)
{
    json_t *results = NULL;
    if (read_results(path, &results, call->error)) return cli_failed(call, NULL);
    const int failed = report_study_page(page, results);
    json_decref(results);
    return failed ? cli_fail(call->command, "not enough memory for a chart") : CLI_OK;
}
