/* Charts of a study. */
#include "report_study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BARS = 60, MOST_POINTS = 64, MOST_SERIES = 5, RULES = 4 /* their colour */ };

static double x_of(const json_t *row)
{
    const json_t *x = json_object_get(row, "x");
    return json_is_number(x) ? json_number_value(x) : NAN;
}

static int is_rule(const json_t *row)
{
    return json_is_true(json_object_get(row, "rule"));
}

/* The number of a series in the list, which it joins if it is new; MOST_SERIES if there is no room. */
static size_t series_of(const char **names, size_t *count, const char *name)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(names[i], name) == 0) return i;
    if (*count == MOST_SERIES) return MOST_SERIES;
    names[*count] = name;
    return (*count)++;
}

static void say_column(FILE *page, const json_t *column, const page_key *keys, size_t count, const char *how)
{
    const char *pool = report_study_text(column, "pool");
    page_figure_end(page, keys, count, "%s on the test part by the protocol %s%s%s. %s",
                    report_study_score(report_study_text(column, "main")), report_study_text(column, "protocol"),
                    *pool ? ", negatives from the pool " : "", pool, how);
}

/* ---- Values along an axis ---- */

typedef struct point {
    double x, y;
} point;

static int by_x(const void *left, const void *right)
{
    const point *a = left, *b = right;
    return (a->x > b->x) - (a->x < b->x);
}

static size_t points_of(const json_t *rows, const json_t *column, const char *series, point *points)
{
    size_t i, count = 0;
    json_t *row;
    json_array_foreach((json_t *)(uintptr_t)rows, i, row)
    {
        const double y =
            report_study_cell(row, report_study_text(column, "id"), report_study_text(column, "main"), "mean");
        if (strcmp(report_study_text(row, "series"), series) != 0 || isnan(x_of(row)) || isnan(y)) continue;
        if (count < MOST_POINTS) points[count++] = (point){x_of(row), y};
    }
    qsort(points, count, sizeof *points, by_x);
    return count;
}

static void draw_lines(FILE *page, const json_t *rows, const json_t *column, const char *id)
{
    const char *names[MOST_SERIES];
    page_key keys[MOST_SERIES];
    size_t count = 0, i;
    double low = INFINITY, high = -INFINITY, least = INFINITY, most = -INFINITY;
    json_t *row;
    point points[MOST_POINTS];
    json_array_foreach((json_t *)(uintptr_t)rows, i, row) if (!isnan(x_of(row)))
        series_of(names, &count, report_study_text(row, "series"));
    for (size_t s = 0; s < count; s++)
        for (size_t k = points_of(rows, column, names[s], points); k-- > 0;) {
            low = fmin(low, points[k].x), high = fmax(high, points[k].x);
            least = fmin(least, points[k].y), most = fmax(most, points[k].y);
        }
    svg_chart chart = {.out = page,
                       .name = report_study_text(column, "id"),
                       .x = svg_axis_of("value", low, high),
                       .y = svg_axis_of(report_study_score(report_study_text(column, "main")), least, most)};
    page_figure(page, id, report_study_text(column, "id"));
    svg_begin(&chart);
    for (size_t s = 0; s < count; s++) {
        double x[MOST_POINTS], y[MOST_POINTS];
        const size_t found = points_of(rows, column, names[s], points);
        for (size_t k = 0; k < found; k++) x[k] = points[k].x, y[k] = points[k].y;
        svg_line(&chart, x, y, found, (int)s, 1);
        keys[s] = (page_key){names[s], (int)s};
    }
    svg_end(&chart);
    say_column(page, column, keys, count, "Each dot is the mean over the seeds at one value of what is varied.");
}

/* ---- Models side by side ---- */

/* A label says what sets a row apart within its series; without one the series is all there is to say. */
static svg_bar bar_of(const json_t *row, double mean, size_t series)
{
    static const int colours[] = {0, 3, 1, 2};
    const char *label = report_study_text(row, "label"), *text = *label ? label : report_study_text(row, "series");
    svg_bar bar = {.value = mean, .colour = is_rule(row) || series >= CLI_COUNT(colours) ? RULES : colours[series]};
    snprintf(bar.text, sizeof bar.text, strlen(text) > 22 ? "%.21s…" : "%s", text);
    return bar;
}

static void draw_bars(FILE *page, const json_t *rows, const json_t *column, const char *id)
{
    svg_bar *bars = calloc(MOST_BARS, sizeof *bars);
    const char *names[MOST_SERIES];
    page_key keys[MOST_SERIES + 1];
    size_t count = 0, series = 0, known = 0, i;
    int rules = 0;
    json_t *row;
    if (!bars) return;
    json_array_foreach((json_t *)(uintptr_t)rows, i, row)
    {
        const double mean =
            report_study_cell(row, report_study_text(column, "id"), report_study_text(column, "main"), "mean");
        if (isnan(mean) || count == MOST_BARS) continue;
        const size_t own = is_rule(row) ? 0 : series_of(names, &series, report_study_text(row, "series"));
        bars[count] = bar_of(row, mean, own);
        if (own == known && !is_rule(row)) keys[known++] = (page_key){names[own], bars[count].colour};
        rules |= is_rule(row);
        count++;
    }
    if (rules) keys[known++] = (page_key){"rules that need no training", RULES};
    page_figure(page, id, report_study_text(column, "id"));
    svg_bars(page, report_study_text(column, "id"), bars, count, 1);
    say_column(page, column, keys, known, "Means over the seeds; the table has the deviations.");
    free(bars);
}

void report_study_column(FILE *page, const json_t *results, const json_t *column, const char *id)
{
    const json_t *rows = json_object_get(results, "rows");
    size_t i, numbers = 0, cells = 0;
    json_t *row;
    json_array_foreach((json_t *)(uintptr_t)rows, i, row)
    {
        const double mean =
            report_study_cell(row, report_study_text(column, "id"), report_study_text(column, "main"), "mean");
        if (isnan(mean)) continue;
        cells++;
        if (!isnan(x_of(row))) numbers++;
    }
    if (numbers > 1)
        draw_lines(page, rows, column, id);
    else if (cells)
        draw_bars(page, rows, column, id);
}

/* ---- Learning against the clock ---- */

void report_study_curves(FILE *page, const json_t *results, const char *id)
{
    const char *names[MOST_SERIES];
    page_key keys[MOST_SERIES];
    size_t count = 0, i, k;
    double most_x = 0, least = INFINITY, most = -INFINITY;
    json_t *curves = json_object_get(results, "curves"), *curve, *pair;
    json_array_foreach(curves, i, curve) json_array_foreach(json_object_get(curve, "points"), k, pair)
    {
        const double y = json_number_value(json_array_get(pair, 1));
        most_x = fmax(most_x, json_number_value(json_array_get(pair, 0)));
        least = fmin(least, y), most = fmax(most, y);
    }
    if (!(most_x > 0)) return;
    svg_chart chart = {.out = page,
                       .name = "Validation score against seconds",
                       .x = svg_axis_of("seconds", 0, most_x),
                       .y = svg_axis_of("validation score", least, most)};
    page_figure(page, id, "Validation score against seconds");
    svg_begin(&chart);
    json_array_foreach(curves, i, curve)
    {
        double x[MOST_POINTS], y[MOST_POINTS];
        size_t found = 0;
        const size_t colour = series_of(names, &count, report_study_text(curve, "series"));
        json_array_foreach(json_object_get(curve, "points"), k, pair)
        {
            if (found == MOST_POINTS) break;
            x[found] = json_number_value(json_array_get(pair, 0));
            y[found++] = json_number_value(json_array_get(pair, 1));
        }
        svg_line(&chart, x, y, found, (int)(colour < MOST_SERIES ? colour : MOST_SERIES - 1), 1);
    }
    svg_end(&chart);
    for (i = 0; i < count; i++) keys[i] = (page_key){names[i], (int)i};
    page_figure_end(
        page, keys, count,
        "How fast each model learns on the machine of this study: a line for each seed, a dot after each epoch.");
}
