/* Parsing: a block of whole lines to rows of numbers and ids. Blocks are parsed on any thread, in any order. */
#ifndef SG_EVENTS_IMPORT_PARSE_H
#define SG_EVENTS_IMPORT_PARSE_H

#include "events/import/ids.h"
#include "events/import/layout.h"

#define SG_TEXT_BLOCK_SIZE ((size_t)1 << 20) /* bytes of text; also the longest line */
#define SG_BAD_KEPT 10                       /* bad rows described; the others are counted */

typedef struct sg_bad_row {
    uint64_t line;   /* within the block, from 0 */
    uint32_t column; /* byte within the line, from 1; of a quoted field the first inside */
    char reason[160];
} sg_bad_row;

typedef struct sg_text_block {
    char *text;          /* SG_TEXT_BLOCK_SIZE bytes */
    size_t size;         /* ends with a newline, except at the end of the file or in an overlong line */
    int overlong;        /* the block is the beginning of one line too long to take; the rest of it was dropped */
    uint64_t skip_lines; /* at the file's beginning: header and comments */

    uint64_t lines; /* lines in the block, blank ones included */
    size_t rows, capacity;
    sg_id *src, *dst;
    double *time;
    float *weight, *label, *features; /* features: [rows][layout->features] */
    uint64_t *index;          /* row of the edge-feature matrix; without an index column: row in the block */
    uint64_t data_rows;       /* rows with content, bad ones included */
    int all_whole, any_clock; /* times: whole numbers only; a date with a time of day */
    size_t bad_count;
    sg_bad_row bad[SG_BAD_KEPT];
    sg_field *scratch; /* SG_FIELDS_MOST */
} sg_text_block;

int sg_text_block_open(sg_text_block *block, scadyg_error *error);
void sg_text_block_close(sg_text_block *block);

/* Fills the row arrays from the text. The ids point into the text. Bad rows are noted; only memory can be wanting. */
int sg_text_block_parse(sg_text_block *block, const sg_layout *layout, scadyg_error *error);

/* Appends the rows as understood to *text, one line each, until *shown is `most`. */
int sg_text_block_show(const sg_text_block *block, const sg_layout *layout, int most, int *shown, char **text,
                       scadyg_error *error);

#endif
