/*
 * A small chart writer: SVG as part of an HTML page, or as a file of its own. Charts are drawn for a width of 360 units,
 * about a phone's, and scale with the page. Colours are classes (c0, c1, ...) of svg_style, for light and dark.
 */
#ifndef CLI_SVG_H
#define CLI_SVG_H

#include <stdio.h>

#include "cli/describe.h"

/* The style sheet of charts, with the colours of a page too; a file of its own carries it. */
extern const char svg_style[];

/*
 * How something looks: a colour, from SVG_COLOURS on dashed or hollow, and one for what is only there to be compared with.
 * svg_look gives the i-th of any number of series its own; after some dozens they come again.
 */
enum { SVG_COLOURS = 8, SVG_OTHER = 4 };
int svg_look(size_t i);

#define SVG_TICKS 12 /* at most */

typedef struct svg_tick {
    double at;
    char text[CLI_TEXT];
} svg_tick;

typedef struct svg_axis {
    double low, high;
    int logarithm;
    const char *title;
    svg_tick ticks[SVG_TICKS];
    size_t count;
} svg_axis;

/* What a look stands for. */
typedef struct svg_key {
    const char *text;
    int look;
} svg_key;

typedef struct svg_chart {
    FILE *out;
    const char *name;  /* what it shows in a few words: its label for those who cannot see it */
    const char *title; /* written above a chart that is a file of its own; NULL: it is part of a page */
    const svg_key *keys;
    size_t key_count;
    svg_axis x, y;                   /* only of charts with axes */
    double left, right, top, bottom; /* of the frame; set by svg_begin */
} svg_chart;

/* ---- Axes. Any numbers will do; what is not finite is not shown. ---- */

/* From the least to the most of some numbers, ends rounded, with ticks at round numbers. */
svg_axis svg_axis_of(const char *title, double low, double high);
svg_axis svg_axis_log(const char *title, double low, double high);  /* ends as they are; linear if not above 0 */
svg_axis svg_axis_bare(const char *title, double low, double high); /* no ticks: svg_tick_add makes them */
void svg_tick_add(svg_axis *axis, double at, const char *text);

/* A number between two others, which may be so far apart that their difference is none. */
double svg_between(double low, double high, double part);

/* ---- Charts with two axes ---- */

void svg_begin(svg_chart *chart); /* all but the frame is set */
void svg_end(svg_chart *chart);

/* A line through the points that are finite; with dots on them, or none (0). */
enum { SVG_DOTS = 1, SVG_SMALL_DOTS };
void svg_line(const svg_chart *chart, const double *x, const double *y, size_t count, int look, int dots);
void svg_dot(const svg_chart *chart, double x, double y, double radius, int look, const char *tip);
void svg_spread(const svg_chart *chart, double x, double y, double spread, int look); /* y +- spread */
void svg_column(const svg_chart *chart, double from, double to, double height, int look, const char *tip);
void svg_band(const svg_chart *chart, double from, double to, const char *text);   /* shades a part of the x axis */
void svg_rule(const svg_chart *chart, double x0, double y0, double x1, double y1); /* a dashed line */

/* ---- Bars lying one below the other, each with its words and its number ---- */

typedef struct svg_bar {
    char text[CLI_TEXT];  /* before the bars of a group; "" for the further bars of it */
    char below[CLI_TEXT]; /* smaller words in the same place, for the second bar of a group */
    double value;         /* NaN: no bar */
    double spread;        /* value +- spread; 0: none is shown */
    int look;
} svg_bar;

/* The scale ends at `most`. */
void svg_bars(const svg_chart *chart, const svg_bar *bars, size_t count, double most);

/* ---- Square matrices as maps of colours, in rows and columns ---- */

typedef struct svg_maps {
    size_t rows, columns, size; /* of maps; cells on a side of each */
    double most;                /* what has the full colour, below zero another one than above */
    const char *(*row_name)(const void *context, size_t row);
    const char *(*column_name)(const void *context, size_t column);
    /* NaN: none; a map without its first cell is left empty. */
    double (*cell)(const void *context, size_t row, size_t column, size_t y, size_t x);
    const void *context;
    signed char *levels; /* [size][size] to work in */
} svg_maps;

void svg_maps_draw(const svg_chart *chart, const svg_maps *maps);

/* ---- svg_text.c ---- */

/* 12, 0.25, 3k, 1.5M */
#define svg_number(value) svg_number_in(value, (char[CLI_TEXT]){0})
const char *svg_number_in(double value, char text[CLI_TEXT]);

/* Text with what is special in XML written out; bytes that are no text become U+FFFD. */
void svg_text(FILE *out, const char *text);
void svg_text_cut(FILE *out, const char *text, double room); /* as much as there is room for, in units of a chart */
double svg_text_width(const char *text);                     /* about, in these units */

#endif
