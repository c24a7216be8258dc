/* Tables as text: a line cut into its fields at commas, semicolons, tabs, bars or blanks, with quotes. */
#ifndef SG_BASE_CSV_H
#define SG_BASE_CSV_H

#include <stddef.h>
#include <stdint.h>

typedef struct sg_field {
    char *text; /* not terminated */
    uint32_t length;
} sg_field;

enum {
    SG_FIELDS_TOO_MANY = -1,   /* more than `most` */
    SG_FIELDS_OPEN_QUOTE = -2, /* a quoted field does not end */
    SG_FIELDS_AFTER_QUOTE = -3 /* something stands between a closing quote and the separator */
};

/*
 * Cuts line[0..length) into fields and returns how many there are, or one of the numbers above; then fields[0].text
 * is where the trouble is, and the line is as it was. The separator ' ' means any run of blanks and tabs. Blanks around a
 * field are dropped; "a ""b""" is a quoted field, whose inside is kept exactly, line breaks too, and unescaped in place.
 */
#define SG_SEPARATOR_COLONS '\x01' /* "::", which is no character */

int sg_fields_cut(char *line, size_t length, char separator, sg_field *fields, int most);

/* The same where a quote is a letter like others; changes nothing. */
int sg_fields_cut_plain(char *line, size_t length, char separator, sg_field *fields, int most);

/*
 * Rows: a quoted field may go on over line breaks. A row that is longer than `longest` bytes for that, or that the text ends
 * within, has a quote that nobody meant: it is broken, and what begins on the line behind that quote's is another row. So a quote
 * that is never closed spoils its own line and no other, and no byte is looked at more than twice.
 */
typedef struct sg_row_scan {
    size_t at;       /* whole lines looked at, from the beginning of the row */
    size_t quote;    /* where the quote is that is open there, */
    size_t behind;   /* ... where the line behind its own begins, */
    uint64_t before; /* ... and the lines of the row before its own */
    uint64_t lines;  /* looked at; in the end those of the row */
    int open, broken;
} sg_row_scan;

/*
 * The bytes of the row at text[0], with the end of its last line; 0: that is not known before there is more text, which there
 * is if not `ended`. Then the scan, at first all zeros, goes on where it was.
 */
size_t sg_row_find(sg_row_scan *scan, const char *text, size_t size, int ended, char separator, size_t longest);

/*
 * The bytes at the beginning of a text, from the beginning of a row on, that are certainly rows of one line each: some of
 * them, found fast. 0: the first may be another.
 */
size_t sg_rows_plain(const char *text, size_t size, char separator);

/*
 * The separator of a line: the first of tab, comma, semicolon, bar that it has outside quoted fields, else "::", else a blank.
 * Numbers with both blanks and tabs between them (KONECT) are separated by blanks.
 */
char sg_fields_separator(const char *line, size_t length);

/*
 * Whether a line is an ornament that programs print around a table: "-----+-----", "(5 rows)", "5 rows in set (0.01 sec)".
 * Rulers may have as many fields as the rows.
 */
int sg_line_is_ruler(const char *line, size_t length);
int sg_line_is_footer(const char *line, size_t length);

/* Whether a text stands for no value: nothing, NULL, NA, N/A, NaN, None, \N, in any case. */
int sg_is_null(const char *text, size_t length);

/* Whether these bytes are valid UTF-8 without control characters that would break a line. */
int sg_utf8_valid(const char *text, size_t length);

/* ---- The names that people give to the columns of logs: for import, and for lists of pairs ---- */

typedef enum sg_role {
    SG_ROLE_IGNORE = 0,
    SG_ROLE_SRC,
    SG_ROLE_DST,
    SG_ROLE_TIME,
    SG_ROLE_WEIGHT,
    SG_ROLE_LABEL,
    SG_ROLE_FEATURE,
    SG_ROLE_FEATURE_LIST, /* one field that holds several numbers */
    SG_ROLE_INDEX,        /* the row of the edge-feature matrix (DGB's idx) */
    SG_ROLE_CLOCK,        /* more of the time: the time of day beside a date */
    SG_ROLE_ZONE          /* the zone of the time */
} sg_role;

#define SG_NAME_LONGEST 64

/* What a header name says. Of two names with one role the one of the lower tier says it more plainly. */
typedef struct sg_name {
    sg_role role;
    int tier; /* 0: src, sender; 1: user, product; 2: names that may mean it where no other does */
    int form; /* of the same thing: its id before its number, the thing itself, its address, its name */
    char stem[SG_NAME_LONGEST]; /* the thing: "customer" of "Customer ID" */
} sg_name;

/* Returns 0 if the name says nothing. */
int sg_name_read(const char *name, size_t length, sg_name *out);

/* The role of a header name that is plain by itself (tiers 0 and 1); *known is 0 if the name says nothing. */
sg_role sg_name_role(const char *name, size_t length, int *known);

/* Whether two names are one but for case, blanks, signs and what stands in brackets. */
int sg_names_equal(const char *one, const char *other);

/* What part of a time a name names: "day", "hour", "minute", "time_zone". */
enum { SG_PART_NONE, SG_PART_DAY, SG_PART_HOUR, SG_PART_MINUTE, SG_PART_ZONE };
int sg_name_time_part(const char *name);

/*
 * Whether a column of times of day so named belongs to a column of dates so named: it is called a duration; its name does not say
 * it; it is known as the name of a time ("order_time"); it says "time" and no more than the date's does ("Time", or "pickup_time"
 * beside "pickup_date").
 */
enum { SG_CLOCK_DURATION, SG_CLOCK_UNSAID, SG_CLOCK_KNOWN, SG_CLOCK_PLAIN };
int sg_name_clock(const char *name, const char *date);

/*
 * Whether source and destination so named are things of two kinds, so that an id on both sides means two nodes (user_id,
 * item_id); whether they are nodes of one kind (src_node, dst_node). NULL is no name.
 */
int sg_names_two_kinds(const char *src, const char *dst);
int sg_names_one_kind(const char *src, const char *dst);

/* The English word of a thing that such a name names, to which an s may be added ("user" of "USER_ID"); 0: it has none. */
int sg_name_word(const char *name, char word[SG_NAME_LONGEST]);

#endif
