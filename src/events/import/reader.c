/* Reader: the text of an input, cut into whole rows. */
#include "events/import/reader.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define LOOK_MOST (2 * (SG_ROW_LONGEST + 1)) /* bytes looked at: the two first lines, however long */

void sg_reader_open(sg_reader *reader, sg_input *input, size_t step)
{
    *reader = (sg_reader){.input = input, .step = step};
    if (step < sizeof reader->first) reader->step = sizeof reader->first;
    if (step > SG_ROW_LONGEST) reader->step = SG_ROW_LONGEST;
}

uint64_t sg_reader_bytes(size_t step)
{
    return LOOK_MOST + step + 1;
}

void sg_reader_close(sg_reader *reader)
{
    SG_FREE(reader->text, reader->gaps);
    *reader = (sg_reader){0};
}

/* Room for one more step behind the text; what has been handed on is given up for it. */
static int make_room(sg_reader *reader, scadyg_error *error)
{
    sg_row_place *next = &reader->next;
    if (next->begin) {
        memmove(reader->text, reader->text + next->begin, reader->end - next->begin);
        for (size_t i = next->next_gap; i < reader->gap_count; i++)
            reader->gaps[i - next->next_gap] = reader->gaps[i] - next->begin;
        reader->gap_count -= next->next_gap;
        next->next_gap = 0;
        reader->whole -= next->begin;
        reader->end -= next->begin;
        next->begin = 0;
    }
    const size_t needed = reader->end + reader->step + 1; /* one more: the end of a line that has none */
    if (needed <= reader->capacity) return SCADYG_OK;
    size_t capacity = 2 * reader->capacity;
    if (capacity > LOOK_MOST) capacity = LOOK_MOST;
    if (capacity < needed) capacity = needed;
    char *grown = realloc(reader->text, capacity);
    if (!grown) return sg_fail_memory(error, "reading");
    reader->text = grown;
    reader->capacity = capacity;
    return SCADYG_OK;
}

/* Leaves out the line from `whole` to `row_end`, where the text behind it begins. */
static int leave_out(sg_reader *reader, size_t row_end, scadyg_error *error)
{
    if (sg_grow(&reader->gaps, &reader->gap_capacity, reader->gap_count + 1, sizeof *reader->gaps))
        return sg_fail_memory(error, "reading");
    reader->gaps[reader->gap_count++] = reader->whole;
    reader->text[reader->whole++] = '\n';
    memmove(reader->text + reader->whole, reader->text + row_end, reader->end - row_end);
    reader->end -= row_end - reader->whole;
    return SCADYG_OK;
}

/* The rest of a line that is too long goes, up to the end of its line. */
static void drop_rest(sg_reader *reader)
{
    const char *newline = memchr(reader->text + reader->whole, '\n', reader->end - reader->whole);
    const size_t rest = newline ? (size_t)(newline - reader->text) + 1 : reader->end;
    memmove(reader->text + reader->whole, reader->text + rest, reader->end - rest);
    reader->end -= rest - reader->whole;
    reader->dropping = !newline;
}

/*
 * Finds how far whole lines go, after bytes have come in from `fresh` on. Of those that end now only the first can be too
 * long: the others came in one step.
 */
static int find_whole(sg_reader *reader, size_t fresh, scadyg_error *error)
{
    if (fresh < reader->whole) fresh = reader->whole;
    const char *newline = memchr(reader->text + fresh, '\n', reader->end - fresh);
    const size_t row_end = newline ? (size_t)(newline - reader->text) : reader->end;
    if (row_end - reader->whole > SG_ROW_LONGEST) {
        reader->dropping = !newline;
        int status = leave_out(reader, row_end + (newline != NULL), error);
        if (status) return status;
    }
    if (newline) newline = memrchr(reader->text + reader->whole, '\n', reader->end - reader->whole);
    if (newline) reader->whole = (size_t)(newline - reader->text) + 1;
    if (reader->ended) reader->whole = reader->end;
    return SCADYG_OK;
}

/* What some editors put before the text. */
static void drop_mark(sg_reader *reader)
{
    const size_t kept = reader->end < sizeof reader->first ? reader->end : sizeof reader->first;
    memcpy(reader->first, reader->text, kept);
    reader->first_size = kept;
    if (reader->end < 3 || memcmp(reader->text, "\xEF\xBB\xBF", 3) != 0) return;
    memmove(reader->text, reader->text + 3, reader->end - 3);
    reader->end -= 3;
}

static int read_step(sg_reader *reader, scadyg_error *error)
{
    size_t got = 0;
    int status = make_room(reader, error);
    if (!status) status = sg_input_read(reader->input, reader->text + reader->end, reader->step, &got, error);
    if (status) return status;
    const size_t fresh = reader->end;
    reader->end += got;
    reader->ended = got < reader->step;
    if (!reader->begun) drop_mark(reader);
    reader->begun = 1;
    if (reader->dropping) drop_rest(reader);
    return reader->dropping ? SCADYG_OK : find_whole(reader, fresh, error);
}

/* The whole rows at `text` that together have at most `most` bytes of `size`, or the first one. */
static size_t cut_rows(const char *text, size_t size, size_t most)
{
    if (size <= most) return size;
    const char *newline = memrchr(text, '\n', most);
    if (!newline) newline = memchr(text + most, '\n', size - most);
    return newline ? (size_t)(newline - text) + 1 : size;
}

static int is_content(const char *line, size_t length)
{
    if (length && (*line == '#' || *line == '%')) return 0;
    for (size_t i = 0; i < length; i++)
        if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r') return 1;
    return 0;
}

/* Where the first `lines` lines with content end; LOOK_MOST or more where there are not so many. */
static size_t find_lines(const sg_reader *reader, size_t lines)
{
    size_t at = 0;
    while (at < reader->whole && lines) {
        const char *line = reader->text + at, *newline = memchr(line, '\n', reader->whole - at);
        const size_t length = newline ? (size_t)(newline - line) : reader->whole - at;
        lines -= (size_t)is_content(line, length);
        at += length + (newline != NULL);
    }
    return lines ? LOOK_MOST : at;
}

int sg_reader_look(sg_reader *reader, size_t size, size_t lines, uint64_t gaps, scadyg_error *error)
{
    int status = SCADYG_OK;
    while (!status && !reader->ended && reader->gap_count <= gaps && reader->end < LOOK_MOST &&
           (reader->end < size || find_lines(reader, lines) > reader->end))
        status = read_step(reader, error);
    const size_t needed = find_lines(reader, lines);
    reader->seen = cut_rows(reader->text, reader->whole, needed > size ? needed : size);
    return status;
}

/* ---- Rows of several lines ---- */

/* The bytes of rows at `at` that are lines, at most `most` and up to `end`. */
static size_t measure_lines(const sg_reader *reader, size_t at, size_t end, size_t most)
{
    if (end - at > most) end = at + most;
    const char *text = reader->text + at, *quote = memchr(text, '"', end - at);
    if (quote) return sg_rows_plain(text, end - at, reader->separator);
    if (end == reader->whole) return end - at;
    const char *newline = memrchr(text, '\n', end - at);
    return newline ? (size_t)(newline - text) + 1 : 0;
}

/* The bytes of the row at `at`, or of some that are lines; 0: it is not all there. */
static size_t measure_row(const sg_reader *reader, sg_row_place *place, size_t at, size_t end, size_t most)
{
    if (place->plain_lines) {
        const char *newline = memchr(reader->text + at, '\n', end - at);
        return newline ? (size_t)(newline - reader->text) + 1 - at : end - at;
    }
    const size_t lines = place->scan.at ? 0 : measure_lines(reader, at, end, most);
    if (lines) return lines;
    const int last =
        end < reader->whole || reader->ended; /* there or behind a line that was left out no row goes on */
    return sg_row_find(&place->scan, reader->text + at, end - at, last, reader->separator, SG_ROW_LONGEST);
}

/* The bytes of whole rows at a place, up to `end`: at most `most`, unless the first alone is longer. */
static size_t measure_rows(const sg_reader *reader, sg_row_place *place, size_t end, size_t most)
{
    size_t at = place->begin;
    if (!reader->split) return cut_rows(reader->text + at, end - at, most);
    while (at < end && at - place->begin < most) {
        const size_t size = measure_row(reader, place, at, end, most - (at - place->begin));
        if (!size) break; /* what is known of it stays */
        place->scan = (sg_row_scan){0};
        if (at > place->begin && at + size - place->begin > most) break;
        place->plain_lines -= place->plain_lines > 0;
        at += size;
    }
    return at - place->begin;
}

/* Goes on by the next rows, or by a line that was left out. Returns their bytes; 0: there is no whole row. */
static size_t take_rows(const sg_reader *reader, sg_row_place *place, size_t most, int *too_long)
{
    const size_t end = place->next_gap < reader->gap_count ? reader->gaps[place->next_gap] : reader->whole;
    *too_long = end == place->begin && end < reader->whole;
    if (end == place->begin && !*too_long) return 0;
    const size_t size = *too_long ? 1 : measure_rows(reader, place, end, most);
    if (*too_long) {
        place->next_gap++;
        place->plain_lines -= place->plain_lines > 0;
    }
    place->begin += size;
    return size;
}

int sg_reader_split(sg_reader *reader, char separator, uint64_t plain_lines, scadyg_error *error)
{
    const size_t seen = reader->seen ? reader->seen : 1;
    int too_long;
    reader->split = 1;
    reader->separator = separator;
    reader->next = (sg_row_place){.plain_lines = plain_lines};
    for (;;) {
        sg_row_place place = reader->next;
        while (place.begin < seen && take_rows(reader, &place, seen - place.begin, &too_long)) {
        }
        reader->seen = place.begin;
        if (reader->seen || reader->ended) return SCADYG_OK;
        int status = read_step(reader, error); /* the first row is longer than all that has been looked at */
        if (status) return status;
    }
}

uint64_t sg_reader_first_gap(const sg_reader *reader)
{
    uint64_t line = 1;
    if (!reader->gap_count || reader->gaps[0] >= reader->seen) return 0;
    for (size_t i = 0; i < reader->gaps[0]; i++) line += reader->text[i] == '\n';
    return line;
}

void sg_reader_stop(sg_reader *reader)
{
    reader->ended = 1;
    reader->whole = reader->end = reader->seen;
    while (reader->gap_count && reader->gaps[reader->gap_count - 1] >= reader->seen) reader->gap_count--;
}

int sg_reader_next(sg_reader *reader, size_t most, const char **text, size_t *size, int *too_long,
                   scadyg_error *error)
{
    for (;;) {
        *size = take_rows(reader, &reader->next, most, too_long);
        if (*size || reader->ended) break;
        int status = read_step(reader, error);
        if (status) return status;
    }
    *text = reader->text + reader->next.begin - *size;
    if (*too_long) *size = 0;
    return SCADYG_OK;
}
