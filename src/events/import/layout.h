/*
 * Layout: what each column of a text file means.
 *
 * Told by --columns, else by the header's names, else by the values of the first rows. Where that leaves a doubt,
 * the answer is an error that says which option settles it, never a guess in silence.
 */
#ifndef SG_EVENTS_IMPORT_LAYOUT_H
#define SG_EVENTS_IMPORT_LAYOUT_H

#include "base/csv.h"
#include "base/status.h"

#define SG_FIELDS_MOST 4096 /* fields per row */

const char *sg_role_name(sg_role role);

typedef struct sg_layout {
    char separator;
    int has_header;
    uint64_t skipped_lines; /* comments, blanks and the header before the first row */
    int columns;            /* named or told columns */
    int rest;               /* further fields are allowed and have the last column's role */
    sg_role roles[SG_FIELDS_MOST];
    char *names[SG_FIELDS_MOST];              /* of the header; NULL: none */
    int src, dst, time, weight, label, index; /* column numbers, -1: none */
    int feature_columns;                      /* columns of role FEATURE or FEATURE_LIST among the named ones */
    uint32_t features;                        /* numbers per row, as the first good row has them */
    int dates;                                /* times are dates, not numbers */
    int two_id_spaces;                        /* told by the header (user_id, item_id) */
} sg_layout;

void sg_layout_free(sg_layout *layout);

/*
 * Finds the layout from the beginning of a file. `text` should hold some complete lines (it is not changed);
 * `told` is --columns or NULL. `earlier` is the layout of the first file of the log or NULL: a file without a header
 * goes on in it.
 */
int sg_layout_find(sg_layout *layout, const char *file, const char *text, size_t size, const char *told,
                   const sg_layout *earlier, scadyg_error *error);

/* Whether two files' rows can stand in one log. */
int sg_layout_agree(const sg_layout *a, const sg_layout *b, const char *file_b, scadyg_error *error);

/* Counts the numbers in a field such as "1.0,2.5,-3"; 0 if it is anything else. */
uint32_t sg_list_count(const char *text, size_t length);

/* One line per column for a person, appended to a growing text. */
int sg_layout_describe(const sg_layout *layout, const char *file, const char *encoding, char **text,
                       scadyg_error *error);

#endif
