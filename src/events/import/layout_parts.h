/* The parts of finding a layout: as told, by names, by values. */
#ifndef SG_EVENTS_IMPORT_LAYOUT_PARTS_H
#define SG_EVENTS_IMPORT_LAYOUT_PARTS_H

#include "events/import/layout.h"
#include "events/import/layout_sample.h"

/* ---- layout_told.c ---- */

/* Whether columns are told by name. */
int sg_told_by_name(const sg_told *told);

/* Roles and names by --columns. */
int sg_layout_by_roles(sg_layout *layout, const sg_sample *sample, const char *columns, scadyg_error *error);

/* Gives the columns that are named their roles, and takes these from others. layout->names are known. */
int sg_layout_by_names(sg_layout *layout, const sg_told *told, const char *file, scadyg_error *error);

/* The header's names as "'a', 'b', 'c'" for a message. */
void sg_layout_list_names(const sg_layout *layout, char *out, size_t size);

/* The condition of --where (NULL: none), once the columns are known. */
int sg_layout_read_where(sg_layout *layout, const char *where, const char *file, scadyg_error *error);

/* ---- layout_header.c ---- */

/* Roles by the names of the first row, which is the header. */
int sg_layout_by_header(sg_layout *layout, const sg_sample *sample, const sg_told *told, const char *file,
                        scadyg_error *error);

/* The rows have too few fields for an event. */
int sg_layout_fail_narrow(int columns, const char *file, scadyg_error *error);

/* ---- layout_names.c ---- */

/* Roles by layout->names, which the header has; the values must agree. */
int sg_layout_choose_roles(sg_layout *layout, const sg_sample *sample, const sg_told *told, const char *file,
                           scadyg_error *error);

/* What is known of the columns meanwhile. */
typedef struct sg_finding {
    sg_layout *layout;
    const sg_sample *sample;
    const sg_told *told;
    const char *file;
    sg_name *names;         /* [columns] */
    sg_column_facts *facts; /* [columns] */
} sg_finding;

/*
 * The column whose name says a role most plainly; -1: none does. Of several that say it as plainly, those of one thing are
 * told apart by what of it they are: its id, before its name. `fits`: which columns can be it.
 */
int sg_finding_choose(const sg_finding *f, sg_role role, int (*fits)(const sg_finding *, int), int *chosen,
                      scadyg_error *error);

/* Two columns could be it. */
int sg_finding_fail_both(const sg_finding *f, sg_role role, int one, int other, scadyg_error *error);

/* ---- layout_time.c ---- */

/* The column of the time, by its name or, where none says it, its values; -1: there is none. */
int sg_finding_time(const sg_finding *f, int *chosen, scadyg_error *error);

/* How the times are written, and that a time of day in another column has a date; once the columns have roles. */
int sg_layout_find_times(sg_layout *layout, const sg_sample *sample, const sg_told *told, const char *file,
                         scadyg_error *error);

/* ---- layout_values.c ---- */

/* Roles from the values of the rows from `first` on, for layout->columns columns; those that are told stay. */
int sg_layout_by_values(sg_layout *layout, const sg_sample *sample, int first, const char *file,
                        scadyg_error *error);

/* An error that shows what the columns look like, and how to say what they are. `why` is a sentence without an end. */
int sg_layout_unclear(const sg_layout *layout, const sg_sample *sample, int first, const char *file,
                      const char *why, scadyg_error *error);

/* ---- layout_clock.c ---- */

/*
 * The time of day beside a date, and dates that blanks cut into pieces: sets roles of SG_ROLE_CLOCK, time_fields, clock_digits,
 * SG_ROLE_ZONE and place. Where it is not clear which column is the time of day, it stops.
 */
int sg_layout_join_times(sg_layout *layout, const sg_column_facts *facts, const char *file, scadyg_error *error);

/* The same where roles were told; then nothing is in doubt. */
int sg_layout_join_told(sg_layout *layout, const sg_sample *sample, int first, const char *file,
                        scadyg_error *error);

/* ---- layout.c ---- */

/* Room for so many columns, all ignored and without names. */
int sg_layout_make_columns(sg_layout *layout, int columns, scadyg_error *error);

int sg_layout_keep_names(sg_layout *layout, const sg_sample_row *row, scadyg_error *error);

/* The first row from which the rest can be learned, so that a bad one misleads nobody; else the first of all. */
const sg_sample_row *sg_layout_good_row(const sg_layout *layout, const sg_sample *sample);

/* Whether a field could be a time. */
int sg_layout_is_time(const sg_layout *layout, const sg_field *field);

#endif
