/*
 * Layout: what each column of a text file means.
 *
 * Told by the options, else by the header's names, else by the values of the first rows. Where that leaves a doubt, the
 * answer is an error that shows the columns and says which option settles it, never a guess in silence.
 */
#ifndef SG_EVENTS_IMPORT_LAYOUT_H
#define SG_EVENTS_IMPORT_LAYOUT_H

#include "base/csv.h"
#include "base/hash.h"
#include "base/status.h"
#include "events/time_format.h"

#define SG_FIELDS_MOST 4096 /* fields per row */

const char *sg_role_name(sg_role role);

/* What a user says about the columns; NULL: nothing. */
typedef struct sg_told {
    const char *columns; /* "src,dst,time,feature...": roles in order */
    const char *src, *dst, *time, *weight, *label,
        *features;           /* names of the header, or numbers of columns from 1 */
    const char *time_format; /* as of strptime */
    const char *times; /* how earlier ones were written, for where the day and the month cannot be told apart */
    int order;         /* SG_ORDER_...: what is done where these do not say it either */
    int decimal;       /* SG_DECIMAL_... */
    const char *where; /* which rows: COLUMN == VALUE */
    int plain_quotes;  /* a quote is a letter like others */
} sg_told;

/* Sources and destinations: nothing is known of them yet; of one kind (src_node, dst_node); separate (user_id, item_id). */
enum { SG_KINDS_UNSAID, SG_KINDS_ONE, SG_KINDS_TWO };

/* Day and month cannot be told apart in the first rows: an error; or other_order, as further rows may; or, as no row does, an error. */
enum { SG_ORDER_STOP, SG_ORDER_LATER, SG_ORDER_NOWHERE };

/* How decimals are written: told, or as the numbers themselves say. */
enum { SG_DECIMAL_AUTO, SG_DECIMAL_POINT, SG_DECIMAL_COMMA };

/* --where 'event_type == purchase' */
enum { SG_EQUAL, SG_NOT_EQUAL, SG_LESS, SG_LESS_EQUAL, SG_MORE, SG_MORE_EQUAL };

typedef struct sg_condition {
    int compare;       /* SG_EQUAL, ... */
    const char *value; /* a part of the option's text */
    size_t length;
    double number;
} sg_condition;

typedef struct sg_layout {
    char separator;
    int plain_quotes; /* as told */
    int has_header;
    char *header; /* the comment that is the header, as it stands: then others are no rows; NULL: none is */
    uint64_t skipped_lines; /* comments, blanks and the header before the first row */
    int titles;             /* lines above the header that belong to no table */
    int row_names;          /* the rows have a first field more than the header, as R writes them */
    int columns;            /* named or told columns */
    int rest;               /* further fields are allowed and have the last column's role */
    sg_role *roles;         /* [columns] */
    char **names;           /* [columns], of the header; NULL: none */
    unsigned char *told;    /* [columns]: the role is the user's */
    unsigned char *unfit;   /* [columns]: ignored, though its name says numbers: it holds none */
    int src, dst, time, weight, label, index; /* column numbers, -1: none */
    int clock;                                /* the column of the time of day, if it is not that of the time; -1 */
    int clock_digits;                         /* it is written in digits alone: 9, 0930, 093000 */
    int zone;                                 /* the column of the zone, an offset or a short name; -1 */
    int place;           /* a column that names the zone by a place or a number, which is not read; -1: none */
    int one_place;       /* ... it says the same in the first rows: */
    char place_text[40]; /* ... this, or else the first of several */
    int time_fields;     /* separated by blanks: the time is so many fields */
    sg_time_format time_format;
    int dates; /* times are dates, not numbers */
    const char
        *other_order; /* SG_ORDER_LATER: the pattern that reads the times of the first rows as well; NULL: none */
    uint64_t order_line; /* of dates with day and month: a line that tells their order; 0: none */
    const char
        *suspect; /* times are numbers that this pattern of dates reads, too: all of the first rows; NULL: none */
    char suspect_text[8];  /* ... the first of them */
    char rounded_text[24]; /* a time that a spreadsheet has rounded: 1.7096E+09; "": none of the first rows */
    const char *doubt;     /* what looks odd in the columns of the nodes, found by their values; NULL: nothing */
    int unix_times;        /* times are numbers like those since 1970 */
    int same_ends;         /* each source has one destination and the reverse, in the first rows */
    int time_comma;        /* times are numbers with a comma for a point */
    int decimal_comma;     /* weights, labels and features have a comma for a point */
    int feature_columns;   /* columns of role FEATURE or FEATURE_LIST among the named ones */
    uint32_t features;     /* numbers per row, as the first good row has them */
    int where;             /* the column that decides which rows are taken; -1: all are */
    sg_condition condition;
    char where_values[240];  /* what the first rows have there, for a message */
    int kinds;               /* SG_KINDS_...: what the names of the header say of sources and destinations, */
    const char *kinds_above; /* ... or, without names, KONECT's word above the rows: "bip"; NULL: there is none */
    sg_hash_key id_key;      /* of the table that the ids are for; set by the importer */
} sg_layout;

/* What is done with rows that are not plain. */
enum { SG_MISSING_STOP, SG_MISSING_ZERO, SG_MISSING_MEAN, SG_MISSING_SKIP };

typedef struct sg_row_rules {
    const sg_zone *zone; /* of dates without one; NULL: UTC */
    int missing;         /* SG_MISSING_...: weights, labels and features that are not there */
    int keep_nulls;      /* NULL, NA and the like are ids */
    int has_newest;      /* rows before `newest` are late, and counted */
    double newest;
} sg_row_rules;

void sg_layout_free(sg_layout *layout);

/* A copy for the files that follow; it has no names. */
int sg_layout_copy(sg_layout *copy, const sg_layout *layout, scadyg_error *error);

/*
 * Finds the layout from the beginning of a file. `text` should hold some complete lines (it is not changed); `told` may be
 * NULL, else its texts must stay. `earlier` is the layout of the first file of the log or NULL: a file without a header goes
 * on in it.
 */
int sg_layout_find(sg_layout *layout, const char *file, const char *text, size_t size, const sg_told *told,
                   const sg_layout *earlier, scadyg_error *error);

/*
 * With SG_ORDER_LATER, where the first rows leave the order of day and month open: the line of a row that decides it and the pattern
 * of its order, by candidates that fall out one after the other. Lines are handed in one by one, with their numbers.
 */
typedef struct sg_order_search {
    const sg_layout *layout;
    sg_time_format candidates[3];
    int count;
    uint64_t line;     /* 0: nothing is decided */
    sg_field *scratch; /* SG_FIELDS_MOST */
} sg_order_search;

void sg_order_search_begin(sg_order_search *search, const sg_layout *layout, sg_field *scratch);
void sg_order_search_line(sg_order_search *search, char *line, size_t length, uint64_t number);

/* Whether a row is taken whose field of the column `where` is this. */
int sg_layout_takes(const sg_layout *layout, const sg_field *field);

/* Whether two files' rows can stand in one log. */
int sg_layout_agree(const sg_layout *a, const sg_layout *b, const char *file_b, scadyg_error *error);

/* Counts the numbers in a field such as "1.0,2.5,-3"; 0 if it is anything else. */
uint32_t sg_list_count(const char *text, size_t length);

#endif
