/*
 * Reader: the text of an input, cut into whole rows.
 *
 * A line longer than SG_ROW_LONGEST is left out: an empty line stands in its place, so that lines keep their numbers, and
 * it is told of when its turn comes. A row is a line, or several where a quoted field has line breaks, which is known once
 * it is said what separates fields (sg_reader_split); no row goes on over a line that was left out (sg_row_find in base/csv.h). So no input, whatever
 * it holds, makes reading take more than its bound of memory; and what the rows are does not depend on how the bytes come in or
 * on how much is asked for at a time.
 */
#ifndef SG_EVENTS_IMPORT_READER_H
#define SG_EVENTS_IMPORT_READER_H

#include "base/csv.h"
#include "events/import/input.h"

#define SG_ROW_LONGEST ((size_t)1 << 20) /* bytes of a row, without the end of its line */

/* Where rows are to be found next. */
typedef struct sg_row_place {
    size_t begin, next_gap;
    uint64_t plain_lines; /* lines that are no rows */
    sg_row_scan scan;     /* of the row at `begin`, as far as it has been read */
} sg_row_place;

typedef struct sg_reader {
    sg_input *input;
    size_t step; /* bytes read at a time, enough for `first`, at most SG_ROW_LONGEST */
    char *text;  /* read and not yet handed on: [next.begin, end), whole lines up to `whole` */
    sg_row_place next;
    size_t whole, end, capacity;
    size_t seen;  /* looked at: [0, seen) */
    size_t *gaps; /* where in the text lines were left out */
    size_t gap_count, gap_capacity;
    int begun, ended;
    int dropping;            /* inside a line that is too long */
    int split;               /* a row may be several lines */
    char separator;          /* of the fields then */
    unsigned char first[16]; /* the first bytes as they came, by which foreign files are known */
    size_t first_size;
} sg_reader;

/* The input is borrowed. */
void sg_reader_open(sg_reader *reader, sg_input *input, size_t step);
void sg_reader_close(sg_reader *reader);

/* Bytes a reader holds at most. */
uint64_t sg_reader_bytes(size_t step);

/*
 * Looks ahead, before the first sg_reader_next: the rows within the first `size` bytes of text, and at least the first
 * `lines` lines that are neither blank nor comments. They are text[0, seen), and still to come. Goes no further when more than
 * `gaps` rows were left out: gap_count says how many.
 */
int sg_reader_look(sg_reader *reader, size_t size, size_t lines, uint64_t gaps, scadyg_error *error);

/*
 * After looking: what separates the fields, and how many lines come before the first row that are none. What is looked at
 * is cut to whole rows. May be said anew as long as nothing has been handed on.
 */
int sg_reader_split(sg_reader *reader, char separator, uint64_t plain_lines, scadyg_error *error);

/* The line, from 1, of the first row left out of what is looked at; 0: none. */
uint64_t sg_reader_first_gap(const sg_reader *reader);

/* Reads no more: what has been looked at is all there is. */
void sg_reader_stop(sg_reader *reader);

/*
 * The next rows, `most` bytes of them unless the first alone is longer. *too_long: instead the next row was left out. *size
 * is 0 at the end of the input. The text stays until the next call.
 */
int sg_reader_next(sg_reader *reader, size_t most, const char **text, size_t *size, int *too_long,
                   scadyg_error *error);

#endif
