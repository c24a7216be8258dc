/*
 * A small chart writer: inline SVG for an HTML page. Charts are drawn for a width of 360 units, about a phone's, and
 * scale with the page. Colours are classes (c0, c1, ...) that the page's style sheet defines, for light and dark.
 */
#ifndef CLI_SVG_H
#define CLI_SVG_H

#include <stdio.h>

#include "cli.h"

#define SVG_TICKS 8 /* at most */

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

typedef struct svg_chart {
    FILE *out;
    const char *name; /* what it shows in a few words: its label for those who cannot see it */
    svg_axis x, y;
    double left, right, top, bottom; /* of the frame; set by svg_begin */
} svg_chart;

/* ---- Axes ---- */

/* From the least to the most of some numbers, ends rounded, with ticks at round numbers. NaN are passed over. */
svg_axis svg_axis_of(const char *title, double low, double high);
svg_axis svg_axis_log(const char *title, double low, double high);  /* ticks at powers of ten; ends as they are */
svg_axis svg_axis_bare(const char *title, double low, double high); /* no ticks: svg_tick_add makes them */
void svg_tick_add(svg_axis *axis, double at, const char *text);

/* ---- Charts with two axes ---- */

void svg_begin(svg_chart *chart); /* out, name, x and y are set */
void svg_end(svg_chart *chart);

/* A line through the points whose y is finite; with dots on them. */
void svg_line(const svg_chart *chart, const double *x, const double *y, size_t count, int colour, int dots);
void svg_dot(const svg_chart *chart, double x, double y, double radius, int colour, const char *tip);
void svg_column(const svg_chart *chart, double from, double to, double height, int colour, const char *tip);
void svg_band(const svg_chart *chart, double from, double to, const char *text);   /* shades a part of the x axis */
void svg_rule(const svg_chart *chart, double x0, double y0, double x1, double y1); /* a dashed line */

/* ---- Bars lying one below the other, each with its words and its number ---- */

typedef struct svg_bar {
    char text[CLI_TEXT];  /* before the bars of a group; "" for the further bars of it */
    char below[CLI_TEXT]; /* smaller words in the same place, for the second bar of a group */
    double value;         /* NaN: no bar */
    int colour;
} svg_bar;

/* The scale ends at `most`. */
void svg_bars(FILE *out, const char *name, const svg_bar *bars, size_t count, double most);

/* 12, 0.25, 3k, 1.5M */
void svg_number(double value, char text[CLI_TEXT]);

/* Text with what is special in HTML written out. */
void svg_text(FILE *out, const char *text);

#endif
