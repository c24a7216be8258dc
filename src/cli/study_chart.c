/*
 * Charts as gnuplot scripts that carry their data: FOLDER/charts/NAME.gp makes NAME.svg and NAME.png in the folder where
 * it is run. study_draw.c runs them.
 */
#include "study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out_file.h"

enum { WIDTH = 760 };

/* Blue, orange, green, violet, ochre and so on: the first are apart from each other also for those who see red and green alike. */
static const char *const colours[] = {"#2a6fbb", "#d1653b", "#3a8f5c", "#8a5fb0",
                                      "#b0891e", "#4fa3a5", "#c0508d", "#6b7785"};
static const char rule_colour[] = "0x9aa3ad";

void study_chart_text(FILE *script, const char *text)
{
    fputc('"', script);
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        fputc(c < ' ' || c == '"' || c == '\\' || c == 127 ? '?' : c, script);
    }
    fputc('"', script);
}

int study_chart_begin(const study *s, study_chart *chart, const char *name, const char *title, int height)
{
    *chart = (study_chart){.height = height};
    for (size_t i = 0; *name && i + 1 < sizeof chart->name; name++, i++)
        chart->name[i] = strchr(":/@ ", *name) ? '-' : *name; /* "paper:any" in a file's name */
    chart->script = open_memstream(&chart->text, &chart->size);
    if (!chart->script) return cli_fail(s->call->command, "not enough memory for a chart");
    fprintf(chart->script,
            "# A chart of 'scadyg study %s'; 'gnuplot %s.gp' in this folder makes it again.\n"
            "set encoding utf8\n"
            "set border 3 lc rgb \"#5b6570\"\nset tics nomirror out textcolor rgb \"#333b44\"\n"
            "set grid lc rgb \"#dde2e7\" lt 1 lw 0.6\nset key above horizontal textcolor rgb \"#333b44\"\n"
            "set style fill solid 0.9 noborder\nset title ",
            s->kind->name, chart->name);
    study_chart_text(chart->script, title);
    fputs(" textcolor rgb \"#1c2126\"\n", chart->script);
    return CLI_OK;
}

int study_chart_end(const study *s, study_chart *chart, const char *plot)
{
    fprintf(chart->script,
            "set terminal svg noenhanced size %d,%d dynamic font \"sans-serif,13\" background \"#ffffff\"\n"
            "set output \"%s.svg\"\n%s\n"
            "set terminal pngcairo noenhanced size %d,%d font \"sans,11\" fontscale 2 linewidth 2 pointscale 2\n"
            "set output \"%s.png\"\n%s\nset output\n",
            WIDTH, chart->height, chart->name, plot, 2 * WIDTH, 2 * chart->height, chart->name, plot);
    const int failed = ferror(chart->script) | fclose(chart->script);
    scadyg_error error = {0};
    char *path = study_path(s, "charts/%s.gp", chart->name);
    int code = path ? CLI_OK : CLI_FAILURE;
    if (!code && failed) code = cli_fail(s->call->command, "not enough memory for a chart");
    if (!code && cli_file_write(path, chart->text, chart->size, &error))
        code = cli_fail_error(s->call->command, &error, NULL);
    if (!code && json_array_append_new(s->charts, json_string(chart->name)))
        code = cli_fail(s->call->command, "not enough memory for a chart");
    free(path);
    free(chart->text);
    return code;
}

/* ---- Bars ---- */

/* The place of a row's series among the presets, for its colour. */
static size_t place_of(const study *s, const json_t *row)
{
    const char *series = json_string_value(json_object_get(row, "series"));
    size_t i = 0;
    while (i < s->preset_count && series && strcmp(s->presets[i], series) != 0) i++;
    return i % CLI_COUNT(colours);
}

int study_chart_bars(const study *s, const json_t *results, const char *name, const char *column, const char *score,
                     const char *title)
{
    study_chart chart;
    size_t i, count = 0;
    json_t *row;
    double most = 0;
    json_array_foreach(json_object_get(results, "rows"), i, row)
    {
        const double mean = study_cell(row, column, score, "mean");
        if (isfinite(mean)) count++;
        if (mean > most) most = mean;
    }
    if (!count) return CLI_OK;
    int code = study_chart_begin(s, &chart, name, title, 110 + 34 * (int)count);
    if (code) return code;
    fputs("# place, name, mean, deviation, colour\n$data << END\n", chart.script);
    count = 0;
    json_array_foreach(json_object_get(results, "rows"), i, row)
    {
        const double mean = study_cell(row, column, score, "mean"), std = study_cell(row, column, score, "std");
        char text[192];
        if (!isfinite(mean)) continue;
        study_row_name(row, text, sizeof text);
        fprintf(chart.script, "%zu ", count++);
        study_chart_text(chart.script, text);
        fprintf(chart.script, " %.17g %.17g ", mean, isfinite(std) ? std : 0.0);
        if (json_is_true(json_object_get(row, "rule")))
            fprintf(chart.script, "%s\n", rule_colour);
        else
            fprintf(chart.script, "0x%s\n", colours[place_of(s, row)] + 1);
    }
    fprintf(chart.script,
            "END\nunset key\nset yrange [%zu.5:-0.5]\nset xrange [0:%.17g]\nset grid noytics\nset ytics scale 0\n",
            count - 1, most > 0 ? 1.18 * most : 1.0);
    return study_chart_end(
        s, &chart,
        "plot $data using 3:1:(0):3:($1-0.36):($1+0.36):5:ytic(2) with boxxyerror lc rgb variable, \\\n"
        "     $data using 3:1:($4 > 0 ? $4 : NaN) with xerrorbars pt 0 lw 1.2 lc rgb \"#1c2126\", \\\n"
        "     $data using ($3+$4):1:(sprintf(\"%.3f\", $3)) with labels left offset 0.7,0 textcolor rgb "
        "\"#333b44\"");
}

/* ---- Lines ---- */

static size_t points_of(const study *s, FILE *script, const json_t *results, size_t preset, const char *column,
                        const char *score)
{
    size_t i, count = 0;
    json_t *row;
    json_array_foreach(json_object_get(results, "rows"), i, row)
    {
        const char *series = json_string_value(json_object_get(row, "series"));
        const json_t *x = json_object_get(row, "x");
        const double mean = study_cell(row, column, score, "mean"), std = study_cell(row, column, score, "std");
        if (!series || strcmp(series, s->presets[preset]) != 0 || !json_is_number(x) || !isfinite(mean)) continue;
        if (!count++) fprintf(script, "# x, mean, deviation\n$series%zu << END\n", preset);
        fprintf(script, "%.17g %.17g %.17g\n", json_number_value(x), mean, isfinite(std) ? std : 0.0);
    }
    if (count) fputs("END\n", script);
    return count;
}

const char *study_colour(size_t i)
{
    return colours[i % CLI_COUNT(colours)];
}

void study_chart_labels(FILE *script, const char *x_title, const char *y_title)
{
    fputs("set offsets 0, 0, graph 0.05, graph 0.05\nset xlabel ", script);
    study_chart_text(script, x_title);
    fputs("\nset ylabel ", script);
    study_chart_text(script, y_title);
    fputc('\n', script);
}

/* 1, 2, 5, 10, 20 and so on; powers of ten alone over more than four of them. */
void study_chart_log_x(FILE *script, double least, double most)
{
    static const double steps[] = {1, 2, 5};
    const int wide = most > 1e4 * least;
    const char *before = "set logscale x\nset xtics (";
    if (!(least > 0) || !(most >= least)) return;
    for (double power = pow(10, floor(log10(least))); power <= most; power *= 10)
        for (size_t i = 0; i < (wide ? 1 : CLI_COUNT(steps)); i++) {
            if (power * steps[i] < 0.999 * least || power * steps[i] > 1.001 * most) continue;
            fprintf(script, "%s\"%g\" %.6g", before, power * steps[i], power * steps[i]);
            before = ", ";
        }
    if (*before == 's') fprintf(script, "%s%.3g", before, least); /* no round number between the two */
    fprintf(script, ")\nset xrange [%.17g:%.17g]\n", 0.97 * least, 1.03 * most);
}

/* A tick at each value there is, and a little room on both sides: powers of ten alone would say little of the values. */
static void set_axes(FILE *script, const json_t *results, const char *column, const char *score, int log_x,
                     int log_y)
{
    double x_least = INFINITY, x_most = -INFINITY, y_least = INFINITY, y_most = -INFINITY;
    size_t i;
    json_t *row;
    const char *before = "set xtics (";
    json_array_foreach(json_object_get(results, "rows"), i, row)
    {
        const double mean = study_cell(row, column, score, "mean");
        if (!isfinite(mean) || !json_is_number(json_object_get(row, "x"))) continue;
        const double x = json_number_value(json_object_get(row, "x"));
        fprintf(script, "%s%.6g", before, x);
        before = ", ";
        x_least = fmin(x_least, x);
        x_most = fmax(x_most, x);
        y_least = fmin(y_least, mean);
        y_most = fmax(y_most, mean);
    }
    fputs(")\n", script);
    if (log_x)
        fprintf(script, "set logscale x\nset xrange [%.17g:%.17g]\n", 0.8 * x_least, 1.25 * x_most);
    else
        fprintf(script, "set xrange [%.17g:%.17g]\n", x_least - 0.3, x_most + 0.3);
    if (log_y && y_least > 0)
        fprintf(script, "set logscale y\nset yrange [%.17g:%.17g]\nset format y \"%%g\"\n", 0.6 * y_least,
                1.8 * y_most);
    else
        fputs("set offsets 0, 0, graph 0.08, graph 0.08\n", script);
}

int study_chart_lines(const study *s, const json_t *results, const char *name, const char *column,
                      const char *score, const char *title, const char *x_title, const char *y_title, int log_x,
                      int log_y)
{
    study_chart chart;
    char plot[4096] = "plot ";
    int code = study_chart_begin(s, &chart, name, title, 420), some = 0;
    if (code) return code;
    for (size_t p = 0; p < s->preset_count; p++) {
        if (!points_of(s, chart.script, results, p, column, score)) continue;
        const size_t used = strlen(plot);
        snprintf(plot + used, sizeof plot - used,
                 "%s$series%zu using 1:2 with lines lw 2 lc rgb \"%s\" notitle, \\\n"
                 "     $series%zu using 1:2:3 with yerrorbars pt 7 ps 0.7 lw 1.2 lc rgb \"%s\" title \"%s\"",
                 some ? ", \\\n     " : "", p, colours[p % CLI_COUNT(colours)], p, colours[p % CLI_COUNT(colours)],
                 s->presets[p]);
        some = 1;
    }
    if (!some) {
        fclose(chart.script);
        free(chart.text);
        return CLI_OK;
    }
    fputs("set xlabel ", chart.script);
    study_chart_text(chart.script, x_title);
    fputs("\nset ylabel ", chart.script);
    study_chart_text(chart.script, y_title);
    fputc('\n', chart.script);
    set_axes(chart.script, results, column, score, log_x, log_y);
    return study_chart_end(s, &chart, plot);
}
