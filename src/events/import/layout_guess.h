/* Guessing the layout: what names people give to columns, and what the values of the first rows suggest. */
#ifndef SG_EVENTS_IMPORT_LAYOUT_GUESS_H
#define SG_EVENTS_IMPORT_LAYOUT_GUESS_H

#include "events/import/layout.h"

/* ---- Names ---- */

/* Reads --columns into roles and counts them. *rest is set for "role...". */
int sg_told_roles(const char *told, sg_role *roles, int most, int *count, int *rest, scadyg_error *error);

/* ---- Values ---- */

#define SG_SAMPLE_ROWS 200

typedef struct sg_sample_row {
    uint64_t line; /* from 1 */
    int count;
    sg_field *fields;
} sg_sample_row;

typedef struct sg_sample {
    char separator;
    char *text;     /* a copy the fields point into */
    uint64_t uncut; /* the first line whose fields cannot be told apart; 0: none */
    int count;
    sg_sample_row rows[SG_SAMPLE_ROWS];
} sg_sample;

/* Takes up to SG_SAMPLE_ROWS rows, leaving out blank lines and leading comments (# or %). At least one. */
int sg_sample_take(sg_sample **sample, const char *file, const char *text, size_t size, scadyg_error *error);
void sg_sample_free(sg_sample *sample); /* NULL is fine */

/* Sets layout->roles for layout->columns columns, or explains what is unclear. */
int sg_roles_from_values(sg_layout *layout, const sg_sample *sample, const char *file, scadyg_error *error);

#endif
