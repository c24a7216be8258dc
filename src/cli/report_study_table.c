/* Tables of a study. */
#include "report_study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The scores that any row has in a column, as the keys of an object, in order of appearance. */
static json_t *scores_of(const json_t *rows, const char *column)
{
    json_t *scores = json_object(), *row, *value;
    const char *name;
    size_t i;
    json_array_foreach((json_t *)(uintptr_t)rows, i, row)
        json_object_foreach(json_object_get(json_object_get(row, "cells"), column), name,
                            value) if (json_is_object(value)) json_object_set_new(scores, name, json_true());
    return scores;
}

static void put_number(FILE *page, const json_t *row, const char *column, const char *score)
{
    const double mean = study_cell(row, column, score, "mean"), spread = study_cell(row, column, score, "std");
    char text[CLI_TEXT] = "-";
    const char *one = fabs(mean) <= 1 ? "%.4f" : "%.4g", *both = fabs(mean) <= 1 ? "%.4f ± %.4f" : "%.4g ± %.2g";
    if (isfinite(mean) && isfinite(spread))
        snprintf(text, sizeof text, both, mean, spread);
    else if (isfinite(mean))
        snprintf(text, sizeof text, one, mean);
    page_cell(page, "td", "number", text);
}

void report_study_table(FILE *page, const json_t *results, const char *column)
{
    const json_t *rows = json_object_get(results, "rows");
    json_t *scores = scores_of(rows, column), *row, *some;
    const char *score;
    size_t i;
    if (json_object_size(scores)) {
        page_words(page, "%s, mean ± standard deviation over the seeds:", column);
        fputs("<div class=\"wide\"><table>\n<tr><th></th>", page);
        json_object_foreach(scores, score, some) page_cell(page, "th", "number", study_score_title(score));
        fputs("</tr>\n", page);
        json_array_foreach((json_t *)(uintptr_t)rows, i, row)
        {
            char name[192];
            if (!json_object_get(json_object_get(row, "cells"), column)) continue;
            study_row_name(row, name, sizeof name);
            fprintf(page, "<tr%s>", json_is_true(json_object_get(row, "rule")) ? "" : " class=\"own\"");
            page_cell(page, "td", NULL, name);
            json_object_foreach(scores, score, some) put_number(page, row, column, score);
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
    page_cell(page, "span", NULL, json_is_null(value) ? "(none)" : text ? text : json_string_value(value));
    fputs("</div>\n", page);
    free(text);
}

static int differs(const json_t *first, const json_t *config)
{
    const char *option;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)config, option, value)
    {
        if (!json_equal(json_object_get(first, option), value)) return 1;
    }
    return 0;
}

/* The first model's options, then of the others what is different. */
static void put_configs(FILE *page, const json_t *configs)
{
    const char *name, *option;
    json_t *config, *value, *first = NULL;
    json_object_foreach((json_t *)(uintptr_t)configs, name, config)
    {
        if (first && !differs(first, config)) continue;
        page_words(page, first ? "Options of %s that differ:" : "Options of %s:", name);
        fputs("<div class=\"columns\">\n", page);
        json_object_foreach(config, option, value)
        {
            if (!first || !json_equal(json_object_get(first, option), value)) put_option(page, option, value);
        }
        fputs("</div>\n", page);
        if (!first) first = config;
    }
}

void report_study_repeat(FILE *page, const json_t *results)
{
    const json_t *data = json_object_get(results, "data");
    char *seeds = json_dumps(json_object_get(results, "seeds"), JSON_COMPACT);
    page_words(page, "Checksum of the events: %s. Seeds: %s. Made with scadyg %s.", study_text(data, "checksum"),
               seeds ? seeds : "?", study_text(results, "version"));
    free(seeds);
    put_configs(page, json_object_get(results, "configs"));
}
