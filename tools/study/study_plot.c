/* Lines of a study's results over an axis, and what all charts of a study share. */
#include "base/memory.h"
#include "study/study_plot.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

FILE *plot_begin(const study_easel *easel, caption *c)
{
    for (char *letter = c->name; *letter; letter++)
        if (!isalnum((unsigned char)*letter) && *letter != '_') *letter = '-'; /* "ndcg@10-paper:any" */
    return easel->begin(easel->data, c->name, c->title);
}

svg_chart plot_chart(const study_easel *easel, FILE *out, const caption *c, const svg_key *keys, size_t count)
{
    return (svg_chart){
        .out = out, .name = c->title, .title = easel->alone ? c->title : NULL, .keys = keys, .key_count = count};
}

int plot_is_rule(const json_t *row)
{
    return json_is_true(json_object_get(row, "rule"));
}

const char **plot_models(const json_t *rows, size_t *count)
{
    const char **models = calloc(json_array_size(rows) + 1, sizeof *models);
    *count = 0;
    for (size_t i = 0; models && i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        size_t k = 0;
        while (k < *count && strcmp(models[k], cli_json_text_of(row, "series")) != 0) k++;
        if (k == *count && !plot_is_rule(row)) models[(*count)++] = cli_json_text_of(row, "series");
    }
    return models;
}

size_t plot_place(const char *const *models, size_t count, const char *model)
{
    size_t i = 0;
    while (i < count && strcmp(models[i], model) != 0) i++;
    return i;
}

/* ---- Lines ---- */

int plot_open(plot *p, size_t curves)
{
    p->curves = calloc(curves + 1, sizeof *p->curves);
    p->room = curves;
    return p->curves ? 0 : -1;
}

void plot_close(plot *p)
{
    for (size_t i = 0; p->curves && i < p->count; i++) free(p->curves[i].points);
    free(p->curves);
}

curve *plot_curve(plot *p, const char *key, int look, size_t points)
{
    curve_point *room = p->count < p->room ? calloc(points + 1, sizeof *room) : NULL;
    if (!room && p->count < p->room) cli_out_of_memory();
    if (!room) return NULL;
    curve *c = &p->curves[p->count++];
    *c = (curve){.look = look, .points = room, .room = points};
    snprintf(c->key, sizeof c->key, "%s", key);
    return c;
}

void plot_point(curve *c, double x, double y, double spread)
{
    if (!isfinite(x) || !isfinite(y) || c->count == c->room) return;
    c->points[c->count] = (curve_point){x, y, isfinite(spread) ? spread : 0, c->count};
    c->count++;
}

static int smaller_x_first(const void *left, const void *right)
{
    const curve_point *a = left, *b = right;
    if (a->x != b->x) return a->x < b->x ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Ticks at the values themselves, where round numbers would say little. */
static int ticks_at_values(const plot *p, svg_axis *axis)
{
    double after = -INFINITY;
    for (axis->count = 0;;) {
        double next = INFINITY;
        for (size_t i = 0; i < p->count; i++)
            for (size_t k = 0; k < p->curves[i].count; k++)
                if (p->curves[i].points[k].x > after) next = fmin(next, p->curves[i].points[k].x);
        if (!isfinite(next)) return 1;
        if (axis->count == SVG_TICKS) return 0;
        svg_tick_add(axis, next, svg_number(next));
        after = next;
    }
}

static svg_axis x_axis(const plot *p, double low, double high)
{
    const int log_x = p->log_x && low > 0;
    if (p->at_values) {
        const double room = high > low ? 0.05 * (high - low) : 0.5;
        svg_axis axis = log_x ? svg_axis_log(p->x_title, low / 1.1, high * 1.1)
                              : svg_axis_bare(p->x_title, low - room, high + room);
        if (ticks_at_values(p, &axis)) return axis;
    }
    return log_x ? svg_axis_log(p->x_title, low, high) : svg_axis_of(p->x_title, low, high);
}

/* What all points are between, with their spreads. */
typedef struct bounds {
    double x_low, x_high, y_low, y_high;
} bounds;

static bounds bounds_of(const plot *p)
{
    bounds b = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < p->curves[i].count; k++) {
            const curve_point *at = &p->curves[i].points[k];
            const double low = at->y - at->spread;
            b.x_low = fmin(b.x_low, at->x), b.x_high = fmax(b.x_high, at->x);
            b.y_low = fmin(b.y_low, p->log_y && low <= 0 ? at->y : low),
            b.y_high = fmax(b.y_high, at->y + at->spread);
        }
    return b;
}

static void draw_curve(const svg_chart *chart, curve *c, int dots)
{
    double *x = sg_alloc(c->count, 2 * sizeof *x);
    if (!x) cli_out_of_memory(); /* the chart has begun */
    double *y = x + c->count;
    qsort(c->points, c->count, sizeof *c->points, smaller_x_first);
    for (size_t k = 0; k < c->count; k++) {
        const curve_point *at = &c->points[k];
        x[k] = at->x, y[k] = at->y;
        svg_spread(chart, at->x, at->y, at->spread, c->look);
    }
    svg_line(chart, x, y, c->count, c->look, dots);
    free(x);
}

static void draw_curves(const study_easel *easel, FILE *out, plot *p, const caption *words, const svg_key *keys,
                        size_t key_count)
{
    const bounds b = bounds_of(p);
    svg_chart chart = plot_chart(easel, out, words, keys, key_count);
    chart.x = x_axis(p, b.x_low, b.x_high);
    chart.y = p->log_y && b.y_low > 0
                  ? svg_axis_log(p->y_title, b.y_low / 1.25, b.y_high * 1.25)
                  : svg_axis_of(p->y_title, p->from_zero ? fmin(b.y_low, 0) : b.y_low, b.y_high);
    svg_begin(&chart);
    for (size_t i = p->count; i-- > 0;) /* the first on top */
        draw_curve(&chart, &p->curves[i], p->dots);
    svg_end(&chart);
}

int plot_draw(const study_easel *easel, plot *p, caption *words)
{
    size_t points = 0, key_count = 0;
    for (size_t i = 0; i < p->count; i++) points += p->curves[i].count;
    if (!points) return 0;
    svg_key *keys = sg_alloc_zero(p->count, sizeof *keys);
    FILE *out = keys ? plot_begin(easel, words) : NULL;
    for (size_t i = 0; keys && i < p->count; i++)
        if (p->curves[i].key[0]) keys[key_count++] = (svg_key){p->curves[i].key, p->curves[i].look};
    if (out) {
        draw_curves(easel, out, p, words, keys, key_count);
        easel->end(easel->data, words->words);
    }
    free(keys);
    return out ? 0 : -1;
}

int plot_rows(const study_easel *easel, const json_t *rows, const char *column, const char *score,
              const json_t *slopes, plot *p, caption *words)
{
    size_t count = 0;
    const char **models = plot_models(rows, &count);
    int failed = !models || plot_open(p, count);
    for (size_t m = 0; m < count && !failed; m++) {
        const double slope = cli_json_number_of(json_object_get(slopes, models[m]), score);
        curve *c = plot_curve(p, cli_text(isfinite(slope) ? "%.90s, slope %.2f" : "%.90s", models[m], slope),
                              svg_look(m), json_array_size(rows));
        failed = !c;
        for (size_t i = 0; c && i < json_array_size(rows); i++) {
            const json_t *row = json_array_get(rows, i);
            if (plot_is_rule(row) || strcmp(cli_json_text_of(row, "series"), models[m]) != 0) continue;
            plot_point(c, cli_json_number_of(row, "x"), study_cell(row, column, score, "mean"),
                       study_cell(row, column, score, "std"));
        }
        if (c && !c->count) c->key[0] = 0;
    }
    if (!failed) failed = plot_draw(easel, p, words);
    plot_close(p);
    free(models);
    return failed ? -1 : 0;
}
