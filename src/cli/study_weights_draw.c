/* What was found of single nodes, as rows of the results and as charts. */
#include "study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Rows ---- */

/* A span of the data's times in a unit of a handy size. */
static const char *unit_of(const scadyg_shape *shape, double *size)
{
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{86400, "days"}, {3600, "hours"}, {60, "minutes"}, {1, "seconds"}};
    const double second = shape->time_kind == SCADYG_TIME_UNIX_MILLI ? 1000 : 1;
    *size = 1;
    if (shape->time_kind == SCADYG_TIME_YEAR) return "years";
    if (shape->time_kind == SCADYG_TIME_NUMBER) return "units";
    size_t i = 0;
    while (i < 3 && shape->last_time - shape->first_time < 5 * units[i].seconds * second) i++;
    *size = units[i].seconds * second;
    return units[i].name;
}

static const json_t *node_of(const json_t *record, size_t i)
{
    return json_array_get(json_object_get(json_object_get(record, "weights"), "nodes"), i);
}

/* Adds a number over all seeds, if every seed has it: a half-life that one seed does not reach has no mean. */
static void add_summary(json_t *cell, const char *name, const json_t *runs, size_t node, const char *key,
                        double unit)
{
    json_t *values = json_array();
    for (size_t i = 0; i < json_array_size(runs); i++) {
        const json_t *value = json_object_get(node_of(json_array_get(runs, i), node), key);
        if (json_is_number(value)) json_array_append_new(values, json_real(json_number_value(value) / unit));
    }
    if (json_array_size(values) == json_array_size(runs))
        json_object_set_new(cell, name, study_summary(values));
    else
        json_decref(values);
}

static void add_rows(const study *s, size_t v, double unit, json_t *rows)
{
    const json_t *runs = json_array_get(s->runs, v);
    for (size_t i = 0; node_of(json_array_get(runs, 0), i); i++) {
        const char *id = json_string_value(json_object_get(node_of(json_array_get(runs, 0), i), "id"));
        json_t *row = json_object(), *cells = json_object(), *memory = json_object();
        char label[2 * CLI_TEXT];
        snprintf(label, sizeof label, "node %.100s", id ? id : "");
        char *safe = cli_safe_text(label);
        json_object_set_new(row, "series", json_string(s->variants[v].series));
        json_object_set_new(row, "label", json_string(safe ? safe : ""));
        json_object_set_new(row, "rule", json_false());
        json_object_set_new(row, "x", json_null());
        add_summary(memory, "half_life", runs, i, "half_life", unit);
        add_summary(memory, "most", runs, i, "most", 1);
        add_summary(memory, "drift", runs, i, "drift_at_most", 1);
        json_object_set_new(cells, "memory", memory);
        json_object_set_new(row, "cells", cells);
        json_array_append_new(rows, row);
        free(safe);
    }
}

/* Rows of all seeds; matrices and curves of the first, which is what the charts show. */
void study_add_weights(const study *s, json_t *results)
{
    json_t *weights = json_object();
    double unit;
    const char *name = unit_of(scadyg_events_shape(s->events), &unit);
    for (size_t v = 0; v < s->variant_count; v++) {
        add_rows(s, v, unit, json_object_get(results, "rows"));
        json_object_set(weights, s->variants[v].series,
                        json_object_get(json_array_get(json_array_get(s->runs, v), 0), "weights"));
    }
    json_object_set_new(results, "weights", weights);
    json_object_set_new(results, "time_unit", json_string(name));
    json_object_set_new(results, "time_unit_size", json_real(unit));
}

/* ---- Heat maps ---- */

static double largest(const json_t *weights, size_t size)
{
    double most = 0;
    for (size_t i = 0; i < json_array_size(json_object_get(weights, "nodes")); i++) {
        const json_t *matrices = json_object_get(json_array_get(json_object_get(weights, "nodes"), i), "matrices");
        for (size_t t = 0; t < json_array_size(matrices); t++)
            for (size_t k = 0; k < size * size; k++) {
                const json_t *row = json_array_get(json_array_get(matrices, t), k / size);
                most = fmax(most, fabs(json_number_value(json_array_get(row, k % size))));
            }
    }
    return most > 0 ? most : 1;
}

static void matrix_data(FILE *script, const json_t *matrix, size_t size, size_t node, size_t time)
{
    fprintf(script, "$w%zu_%zu << END\n", node, time);
    for (size_t r = 0; r < size; r++) {
        for (size_t c = 0; c < size; c++)
            fprintf(script, "%.6g ", json_number_value(json_array_get(json_array_get(matrix, r), c)));
        fputc('\n', script);
    }
    fputs("END\n", script);
}

/* A panel for each node and time: nodes below each other, time from left to right. */
static int draw_maps(const study *s, const char *series, const json_t *weights, size_t size, const char *what)
{
    const json_t *nodes = json_object_get(weights, "nodes"), *times = json_object_get(weights, "times");
    const size_t rows = json_array_size(nodes), columns = json_array_size(times);
    char name[2 * CLI_TEXT], title[256], *plot = NULL;
    size_t length = 0;
    study_chart chart;
    if (!rows || !columns || !size) return CLI_OK;
    if (!json_array_size(json_object_get(json_array_get(nodes, 0), "matrices"))) return CLI_OK; /* it has none */
    snprintf(name, sizeof name, "weights%s-%.80s", size == 4 ? "-4x4" : "", series);
    const double most = largest(weights, size);
    snprintf(title, sizeof title, "%.60s: %s of W_x for each node and time; blue -%.2g, white 0, orange %.2g",
             series, what, most, most);
    int code = study_chart_begin(s, &chart, name, title, 60 + (int)rows * (30 + 700 / (int)columns));
    FILE *command = code ? NULL : open_memstream(&plot, &length);
    if (!command) return code ? code : cli_fail(s->call->command, "not enough memory for a chart");
    fprintf(command, "set multiplot layout %zu,%zu title ", rows, columns);
    study_chart_text(command, title);
    fputc('\n', command);
    for (size_t i = 0; i < rows; i++)
        for (size_t t = 0; t < columns; t++) {
            const json_t *node = json_array_get(nodes, i);
            char text[192];
            matrix_data(chart.script, json_array_get(json_object_get(node, "matrices"), t), size, i, t);
            snprintf(text, sizeof text, "%.40s at %.40s", json_string_value(json_object_get(node, "id")),
                     json_string_value(json_array_get(times, t)));
            fputs("set title ", command);
            study_chart_text(command, text);
            fprintf(command, " font \",9\" offset 0,-0.6\nplot $w%zu_%zu matrix with image pixels\n", i, t);
        }
    fputs("unset multiplot", command);
    fclose(command);
    fprintf(chart.script,
            "set palette defined (-1 \"#2a6fbb\", 0 \"#f7f7f7\", 1 \"#d1653b\")\nset cbrange [%.6g:%.6g]\n"
            "set yrange [%zu.5:-0.5]\nset xrange [-0.5:%zu.5]\nunset xtics\nunset ytics\nunset grid\nunset key\n"
            "set border 0\nset size ratio 1\nunset colorbox\n"
            "set tmargin 1.8\nset bmargin 0.3\nset lmargin 0.6\nset rmargin 0.6\n",
            -most, most, size - 1, size - 1);
    code = study_chart_end(s, &chart, plot);
    free(plot);
    return code;
}

/* ---- Curves ---- */

typedef struct curves {
    const char *key; /* "memory", "decay" or "drift" */
    const char *title, *x_title, *y_title;
    int log_x;
    double unit;         /* x is divided by it */
    const char *y_range; /* of the chart; NULL: as the data has it */
} curves;

/* The points of a node, and the range of their x. */
static void write_points(FILE *script, size_t i, const json_t *points, double unit, double range[2])
{
    fprintf(script, "$node%zu << END\n", i);
    for (size_t k = 0; k < json_array_size(points); k++) {
        const double x = json_number_value(json_array_get(json_array_get(points, k), 0)) / unit;
        fprintf(script, "%.9g %.9g\n", x, json_number_value(json_array_get(json_array_get(points, k), 1)));
        range[0] = fmin(range[0], x);
        range[1] = fmax(range[1], x);
    }
    fputs("END\n", script);
}

static int draw_curves(const study *s, const char *series, const json_t *weights, const curves *c)
{
    const json_t *nodes = json_object_get(weights, "nodes");
    char name[2 * CLI_TEXT], title[256], *plot = NULL;
    size_t length = 0, count = 0;
    double range[2] = {INFINITY, -INFINITY};
    study_chart chart;
    snprintf(name, sizeof name, "%s-%.80s", c->key, series);
    snprintf(title, sizeof title, "%.60s: %s", series, c->title);
    for (size_t i = 0; i < json_array_size(nodes); i++)
        count += json_array_size(json_object_get(json_array_get(nodes, i), c->key)) > 0;
    if (!count) return CLI_OK; /* this model has none */
    int code = study_chart_begin(s, &chart, name, title, 420);
    FILE *command = code ? NULL : open_memstream(&plot, &length);
    if (!command) return code ? code : cli_fail(s->call->command, "not enough memory for a chart");
    const char *before = "plot ";
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        const json_t *node = json_array_get(nodes, i), *points = json_object_get(node, c->key);
        if (!json_array_size(points)) continue;
        write_points(chart.script, i, points, c->unit, range);
        fprintf(command, "%s$node%zu using 1:2 with lines lw 2 lc rgb \"%s\" title ", before, i, study_colour(i));
        study_chart_text(command, json_string_value(json_object_get(node, "id")));
        before = ", \\\n     ";
    }
    fclose(command);
    if (c->log_x)
        study_chart_log_x(chart.script, range[0], range[1]);
    else
        fputs("set xrange [0:100]\n", chart.script);
    if (c->y_range) fprintf(chart.script, "set yrange %s\n", c->y_range);
    study_chart_labels(chart.script, c->x_title, c->y_title);
    code = study_chart_end(s, &chart, plot);
    free(plot);
    return code;
}

static int draw_series(const study *s, const json_t *results, const char *series, const json_t *weights)
{
    const size_t width = (size_t)json_integer_value(json_object_get(weights, "width"));
    const double unit = json_number_value(json_object_get(results, "time_unit_size"));
    char x_title[2 * CLI_TEXT];
    snprintf(x_title, sizeof x_title, "time since the contact, in %.60s",
             json_string_value(json_object_get(results, "time_unit")));
    const curves memory = {"memory", "how far a partner is ahead of strangers", x_title, "logits", 1, unit, NULL};
    const curves decay = {"decay", "what is left of a contact in the node's weights", x_title, "share", 1, unit,
                          "[0:]"};
    const curves drift = {"drift",
                          "how far W_x is from what it was at first",
                          "share of the time range that has passed, %",
                          "distance, as a share of the first",
                          0,
                          1,
                          "[0:]"};
    int code = width > 4 ? draw_maps(s, series, weights, 4, "the top left 4 x 4") : CLI_OK;
    if (!code) code = draw_maps(s, series, weights, width, "all");
    if (!code) code = draw_curves(s, series, weights, &drift);
    if (!code) code = draw_curves(s, series, weights, &decay);
    return code ? code : draw_curves(s, series, weights, &memory);
}

int study_draw_weights(const study *s, const json_t *results)
{
    const char *series;
    json_t *weights;
    int code = CLI_OK;
    json_object_foreach(json_object_get(results, "weights"), series, weights)
    {
        if (!code) code = draw_series(s, results, series, weights);
    }
    return code;
}
