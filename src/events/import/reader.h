/*
 * Reader: the text of an input, cut into whole rows.
 *
 * A row longer than SG_ROW_LONGEST is left out: an empty line stands in its place, so that lines keep their numbers, and
 * it is told of when its turn comes. So no input, whatever it holds, makes reading take more than its bound of memory; and
 * what the rows are does not depend on how the bytes come in or on how much is asked for at a time.
 */
#ifndef SG_EVENTS_IMPORT_READER_H
#define SG_EVENTS_IMPORT_READER_H

#include "events/import/input.h"

#define SG_ROW_LONGEST ((size_t)1 << 20) /* bytes of a row, without the end of its line */

typedef struct sg_reader {
    sg_input *input;
    size_t step; /* bytes read at a time, enough for `first`, at most SG_ROW_LONGEST */
    char *text;  /* read and not yet handed on: [begin, end), whole rows up to `whole` */
    size_t begin, whole, end, capacity;
    size_t seen;  /* looked at: [0, seen) */
    size_t *gaps; /* where in the text rows were left out */
    size_t gap_count, next_gap, gap_capacity;
    int begun, ended;
    int dropping;            /* inside a row that is too long */
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
