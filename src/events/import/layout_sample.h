/* The first rows of a file, cut into fields, and what the values of its columns have in common. */
#ifndef SG_EVENTS_IMPORT_LAYOUT_SAMPLE_H
#define SG_EVENTS_IMPORT_LAYOUT_SAMPLE_H

#include "base/csv.h"
#include "base/status.h"
#include "events/time_format.h"

#define SG_SAMPLE_ROWS 1000

typedef struct sg_sample_row {
    uint64_t line;  /* from 1 */
    uint64_t lines; /* more than 1 where a quoted field has line breaks */
    int count;
    sg_field *fields;
} sg_sample_row;

typedef struct sg_sample {
    char separator;
    char *text;         /* a copy the fields point into */
    uint64_t uncut;     /* the first line whose fields cannot be told apart; 0: none */
    char *header;       /* the comment that names the columns, as it stands; NULL: there is none */
    const char *konect; /* "sym", "asym" or "bip" of the first line: src dst weight time; NULL: there is none */
    int count;
    sg_sample_row rows[SG_SAMPLE_ROWS];
} sg_sample;

/* Where the first row begins, behind blank lines, comments (# or %) and "sep=;"; and what separates its fields. */
typedef struct sg_sample_start {
    char separator;
    uint64_t lines; /* before it */
    size_t bytes;
} sg_sample_start;

sg_sample_start sg_sample_begin(const char *text, size_t size);

/* Takes rows from the beginning of a file, from its first row on, without blank lines. At least one. plain_quotes: a quote is a
 * letter. */
int sg_sample_take(sg_sample **sample, const char *file, const char *text, size_t size, int plain_quotes,
                   scadyg_error *error);
void sg_sample_free(sg_sample *sample); /* NULL is fine */

/* Leaves out the first rows. */
void sg_sample_drop(sg_sample *sample, int count);

/* The number of fields most rows have from `first` on; the first such number of several. */
int sg_sample_usual_count(const sg_sample *sample, int first);

/* ---- layout_facts.c ---- */

/*
 * A few values of another kind are bad rows, of which the parser will speak; they must not make another column the time.
 */
typedef struct sg_column_facts {
    int values;               /* that there are */
    int numbers, whole;       /* most are; and all of these are integers */
    int dates;                /* most are; digits alone (20140131) too */
    int digit_dates;          /* they are digits alone */
    int clocks;               /* most are times of day */
    int zones;                /* most are "UTC", "+0200", "AM" */
    int all_utc;              /* all are "UTC", "Z", "+00:00" */
    int hours;                /* all are whole numbers from 0 to 23 */
    int with_clock;           /* most dates have a time of day, */
    int with_zone;            /* ... and a zone */
    int unix_like, year_like; /* all numbers among them are */
    int distinct;             /* different values, counted up to SG_DISTINCT_MOST */
    int large;                /* ... whole, and most are beyond 100, as ids are and ratings are not */
    int small;                /* all numbers are whole and from -10 to 10, as ratings are */
    int counter;              /* whole numbers that grow (or shrink) from row to row, as order numbers do */
    int steady;               /* whole numbers that grow and never shrink, as times do */
    int falls;                /* numbers that shrink somewhere */
    int letters;              /* all are words without digits */
    int amounts;              /* most are numbers as people write them: "1,234.50", "$5", "true" too */
    int decimal_comma;        /* ... which read better with a comma for a point, */
    int decimal_point;        /* ... or with a point, */
    int either;               /* ... or as well with either, and are other numbers then: 1,234 */
    int either_point;         /* the same, but the usual way reads it: 1.234 */
    int money, flags;         /* most have a currency; are true or false, */
    int plain_flags;          /* ... in words, not letters */
    sg_time_format format;    /* of times */
    const char *other_order;  /* dates that may have day and month the other way round: that pattern */
} sg_column_facts;

#define SG_DISTINCT_MOST 64

/* Of a column in the rows from `first` on that have `columns` fields (or more). */
sg_column_facts sg_sample_facts(const sg_sample *sample, int first, int column, int columns);

/* How two columns go together: values that occur in both, and different pairs of values; each counted up to SG_DISTINCT_MOST. */
typedef struct sg_pair_facts {
    int shared, pairs;
} sg_pair_facts;

sg_pair_facts sg_sample_pair(const sg_sample *sample, int first, int a, int b);

/* Whether each value of a column has one of another, and the reverse: several values, and some of them again. */
int sg_sample_is_one_to_one(const sg_sample *sample, int first, int a, int b);

/* The dates of a column, alone or (fields > 1) several fields of blanks that are one time. Returns how many were read. */
size_t sg_sample_times(const sg_sample *sample, int first, int column, int fields, sg_time_format *format,
                       const char **other_order);

/* What --time-format could be to read the times of a column (sg_time_format_guess). */
int sg_sample_guess(const sg_sample *sample, int first, int column, char guess[SG_GUESS_LONGEST]);

#endif
