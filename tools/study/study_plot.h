/* What the files that draw the charts of a study share. */
#ifndef CLI_STUDY_PLOT_H
#define CLI_STUDY_PLOT_H

#include "study/study_charts.h"
#include "report/svg.h"

/* What a chart is called: its file, the words over it, and those below. */
typedef struct caption {
    char name[128], title[128], words[512];
} caption;

/* Begins a chart on the easel, which says where to draw it; NULL: it cannot be drawn. */
FILE *plot_begin(const study_easel *easel, caption *c);
svg_chart plot_chart(const study_easel *easel, FILE *out, const caption *c, const svg_key *keys, size_t count);

int plot_is_rule(const json_t *row);

/* The models, each once, in order of appearance; an array of the texts in the rows. NULL without memory. */
const char **plot_models(const json_t *rows, size_t *count);
size_t plot_place(const char *const *models, size_t count, const char *model);

typedef struct curve_point {
    double x, y, spread;
    size_t number; /* points of the same x stay in their order */
} curve_point;

typedef struct curve {
    char key[128]; /* what it is; "" if another of the same look says it */
    int look;
    curve_point *points; /* in any order until they are drawn */
    size_t count, room;
} curve;

typedef struct plot {
    const char *x_title, *y_title;
    int log_x, log_y, from_zero, dots;
    int at_values; /* ticks where points are, if there are not too many */
    curve *curves;
    size_t count, room;
} plot;

/* Those that are int return 0, or -1 without memory. */
int plot_open(plot *p, size_t curves);
void plot_close(plot *p);
void plot_point(curve *c, double x, double y, double spread); /* left out if it is no number */

/* A new curve with room for so many points; NULL without memory. */
curve *plot_curve(plot *p, const char *key, int look, size_t points);

/* Draws all curves, if there is anything to draw. */
int plot_draw(const study_easel *easel, plot *p, caption *words);

/* A line for each model through one cell of its rows, over their x. `slopes` may be NULL. */
int plot_rows(const study_easel *easel, const json_t *rows, const char *column, const char *score,
              const json_t *slopes, plot *p, caption *words);

#endif
