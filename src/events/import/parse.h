/* Parsing: a block of whole lines to rows of numbers and ids. Blocks are parsed on any thread, in any order. */
#ifndef SG_EVENTS_IMPORT_PARSE_H
#define SG_EVENTS_IMPORT_PARSE_H

#include "events/import/ids.h"
#include "events/import/layout.h"

#define SG_BAD_KEPT 10 /* bad rows described; the others are counted */

typedef struct sg_bad_row {
    uint64_t line;   /* within the block, from 0 */
    uint32_t column; /* byte within the line, from 1; of a quoted field the first inside */
    char reason[200];
} sg_bad_row;

typedef struct sg_text_block {
    char *text;          /* set by sg_text_block_fill */
    size_t size;         /* ends with a newline, except at the end of the file */
    int too_long;        /* no text: the block stands for one row that was left out for its length */
    uint64_t skip_lines; /* at the file's beginning: header and comments */
    size_t usual;        /* bytes of text it was made for */
    size_t text_capacity;

    uint64_t lines; /* lines in the block, blank ones included */
    size_t rows, capacity;
    sg_id *src, *dst;
    double *time;
    float *weight, *label, *features; /* features: [rows][layout->features] */
    uint64_t *index;            /* row of the edge-feature matrix; without an index column: row in the block */
    uint64_t data_rows;         /* rows with content, bad ones included */
    int all_whole, any_clock;   /* times: whole numbers only; a date with a time of day */
    int any_unzoned;            /* ... without a zone */
    uint64_t skipped, filtered; /* rows left out: values are missing and --missing skip; --where */
    uint64_t filled;            /* missing numbers for which another was put */
    unsigned currencies;        /* of weights: a bit for each that there is */
    uint64_t headers;           /* lines that are the header again */
    uint64_t other_columns;     /* the first line, from 1, from which on the columns are others; 0: there is none */
    uint64_t skipped_clocks;    /* times that the clocks of the zone skip */
    uint64_t late, late_line;   /* rows before the newest time of the rules, and the first of them, from 0 */
    double late_time;
    size_t bad_count;
    sg_bad_row bad[SG_BAD_KEPT];
    sg_field *scratch; /* SG_FIELDS_MOST */
} sg_text_block;

/* A block for `usual` bytes of text, or for one row of any length. */
int sg_text_block_open(sg_text_block *block, const sg_layout *layout, size_t usual, scadyg_error *error);
void sg_text_block_close(sg_text_block *block);

/* Bytes such a block holds at most, when its text is one row of `longest` bytes. */
uint64_t sg_text_block_bytes(const sg_layout *layout, size_t usual, size_t longest);

/* Copies text in: whole rows, together no more than the usual bytes, or one row. */
int sg_text_block_fill(sg_text_block *block, const char *text, size_t size, scadyg_error *error);

/* Fills the row arrays from the text. The ids point into the text. Bad rows are noted. A number that is missing is NaN where
 * its column's mean will take its place. rules: NULL is all plain. */
void sg_text_block_parse(sg_text_block *block, const sg_layout *layout, const sg_row_rules *rules);

#endif
