/* Parsing: a block of whole lines to rows of numbers and ids. */
#include "events/import/parse.h"

#include "events/import/amount.h"
#include "events/import/reader.h"

#include "base/letters.h"
#include "base/memory.h"
#include "events/number_text.h"
#include "events/time_text.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define SLACK 64 /* bytes behind the text, which may be looked at */

/*
 * How many rows a block can have: each field takes at least a separator, the three needed ones and each feature a character
 * too. One is for a row at the end without a newline, one for the row in work.
 */
static size_t count_most_rows(const sg_layout *layout, size_t usual)
{
    const size_t shortest = (size_t)layout->columns + 2, features = 2 * (size_t)layout->features;
    return usual / (shortest > features ? shortest : features) + 2;
}

uint64_t sg_text_block_bytes(const sg_layout *layout, size_t usual, size_t longest)
{
    const sg_text_block *block = NULL;
    const uint64_t row = sizeof *block->src + sizeof *block->dst + sizeof *block->time + sizeof *block->index +
                         (layout->weight >= 0 ? sizeof *block->weight : 0) +
                         (layout->label >= 0 ? sizeof *block->label : 0) +
                         layout->features * sizeof *block->features;
    return (longest > usual ? longest : usual) + SLACK + SG_FIELDS_MOST * sizeof *block->scratch +
           count_most_rows(layout, usual) * row;
}

int sg_text_block_open(sg_text_block *block, const sg_layout *layout, size_t usual, scadyg_error *error)
{
    const size_t rows = count_most_rows(layout, usual);
    *block = (sg_text_block){.usual = usual, .text_capacity = usual + SLACK};
    if (!SG_ALLOC(SG_ARRAY(block->text, block->text_capacity), SG_ARRAY(block->scratch, SG_FIELDS_MOST),
                  SG_ARRAY(block->src, rows), SG_ARRAY(block->dst, rows), SG_ARRAY(block->time, rows),
                  SG_ARRAY(block->index, rows), SG_ARRAY_IF(layout->weight >= 0, block->weight, rows),
                  SG_ARRAY_IF(layout->label >= 0, block->label, rows),
                  SG_ARRAY_IF(layout->features, block->features, rows * layout->features))) {
        block->capacity = rows;
        return SCADYG_OK;
    }
    sg_text_block_close(block);
    return sg_fail_memory(error, "reading");
}

void sg_text_block_close(sg_text_block *block)
{
    SG_FREE(block->src, block->dst, block->time, block->weight, block->label, block->features, block->index,
            block->text, block->scratch);
    *block = (sg_text_block){0};
}

int sg_text_block_fill(sg_text_block *block, const char *text, size_t size, scadyg_error *error)
{
    const size_t needed = (size > block->usual ? size : block->usual) + SLACK;
    /* Grown for a long row it shrinks again, so that not all blocks end as large as the longest of rows. */
    if (needed != block->text_capacity) {
        char *room = sg_alloc(needed, 1);
        if (!room) return sg_fail_memory(error, "reading");
        free(block->text);
        block->text = room;
        block->text_capacity = needed;
    }
    if (size) memcpy(block->text, text, size);
    block->size = size;
    return SCADYG_OK;
}

/* A row being read: where its line begins, for column numbers. */
struct line {
    const char *begin;
    uint64_t number;
    uint64_t lines; /* of the row: more than 1 where a quoted field has line breaks */
    int column;     /* being read; -1: none */
    const sg_layout *layout;
    const sg_row_rules *rules;
    size_t last; /* of several lines: where the last begins */
};

/* Where a place of a row is in the file: in the row's line, or in another where there are several. */
static void find_line(const struct line *line, size_t at, sg_bad_row *row)
{
    size_t begin = 0;
    row->line = line->number;
    if (line->lines > 1 && line->last && at >= line->last) {
        begin = line->last;
        row->line += line->lines - 1;
    } else if (line->lines > 1) {
        for (const char *newline; (newline = memchr(line->begin + begin, '\n', at - begin)); row->line++)
            begin = (size_t)(newline - line->begin) + 1;
    }
    row->column = (uint32_t)(at - begin) + 1;
}

/*
 * Notes a bad row; `at` is where in the line the trouble is. Returns -1 for those who read a field: a bad row is no failure,
 * it is for the importer to tolerate or not.
 */
__attribute__((format(printf, 4, 5))) static int note_bad(sg_text_block *block, const struct line *line, size_t at,
                                                          const char *format, ...)
{
    if (block->bad_count < SG_BAD_KEPT) {
        sg_bad_row *row = &block->bad[block->bad_count];
        find_line(line, at, row);
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(row->reason, sizeof row->reason, format, arguments);
        va_end(arguments);
        const char *name = line->column < 0 || !line->layout->names ? NULL : line->layout->names[line->column];
        const size_t used = strlen(row->reason);
        if (name && *name) snprintf(row->reason + used, sizeof row->reason - used, " (column '%.40s')", name);
    }
    block->bad_count++;
    return -1;
}

#define SHOWN(field) sg_text_cut((field)->text, (field)->length, 40), (field)->text

static size_t find_place(const struct line *line, const sg_field *field)
{
    return (size_t)(field->text - line->begin);
}

/* A row that is left out without being bad. */
enum { LEFT_OUT = -2 };

/* The number that takes the place of one that is missing. */
static int read_missing(sg_text_block *block, const struct line *line, const sg_field *field, const char *what,
                        double *value)
{
    switch (line->rules->missing) {
    case SG_MISSING_ZERO:
        *value = 0;
        block->filled++;
        return 0;
    case SG_MISSING_MEAN:
        *value = NAN;
        block->filled++;
        return 0;
    case SG_MISSING_SKIP: block->skipped++; return LEFT_OUT;
    default:
        return note_bad(block, line, find_place(line, field),
                        "the %s is missing; --missing zero, mean or skip says what to do then", what);
    }
}

/* Which currencies the weights have. Most have none, and end in a digit on both sides. */
static void note_currency(sg_text_block *block, const sg_field *field)
{
    const char first = field->text[0], last = field->text[field->length - 1];
    if (first >= '0' && first <= '9' && last >= '0' && last <= '9') return;
    const int money = sg_is_money(field->text, field->length);
    if (money) block->currencies |= 1u << money;
}

static int read_number(sg_text_block *block, const struct line *line, const sg_field *field, const char *what,
                       double *value)
{
    int status = sg_parse_amount(field->text, field->length, line->layout->decimal_comma, value);
    if (status == 0 && line->column >= 0 && line->column == line->layout->weight) note_currency(block, field);
    if (status == 0) return 0;
    if (status > 0)
        return note_bad(block, line, find_place(line, field), "the %s '%.*s' is not a finite number", what,
                        SHOWN(field));
    const int comma = !line->layout->decimal_comma;
    if (sg_parse_amount(field->text, field->length, comma, value) == 0)
        return note_bad(block, line, find_place(line, field), "the %s '%.*s' has a decimal %s: say --decimal %s",
                        what, SHOWN(field), comma ? "comma" : "point", comma ? "comma" : "point");
    return note_bad(block, line, find_place(line, field), "the %s '%.*s' is not a number", what, SHOWN(field));
}

static int read_float(sg_text_block *block, const struct line *line, const sg_field *field, const char *what,
                      float *out)
{
    double value;
    int status = sg_is_null(field->text, field->length) ? read_missing(block, line, field, what, &value)
                                                        : read_number(block, line, field, what, &value);
    if (status) return status;
    if (fabs(value) > (double)FLT_MAX)
        return note_bad(block, line, find_place(line, field), "the %s '%.*s' is too large", what, SHOWN(field));
    *out = (float)value;
    return 0;
}

/* Whether a whole number in writing lost digits as a double; decimals are rounded to the nearest anyway. */
static int has_lost_digits(const sg_field *field, double value)
{
    if (fabs(value) < 9007199254740992.0) return 0; /* 2^53 itself may have been 2^53 + 1 */
    char exact[320];                                /* the largest double has 309 digits */
    int length = snprintf(exact, sizeof exact, "%.0f", value);
    return memchr(field->text, '.', field->length) == NULL && memchr(field->text, 'e', field->length) == NULL &&
           memchr(field->text, 'E', field->length) == NULL &&
           ((uint32_t)length != field->length || memcmp(exact, field->text, field->length) != 0);
}

static int note_bad_time(sg_text_block *block, const struct line *line, const sg_field *field)
{
    const sg_layout *layout = line->layout;
    if (sg_is_null(field->text, field->length))
        return note_bad(block, line, find_place(line, field), "the time is missing");
    if (!layout->dates)
        return note_bad(block, line, find_place(line, field), "the time '%.*s' is not a number", SHOWN(field));
    const char *pattern = layout->time_format.pattern;
    const size_t length = strlen(pattern), added = length > 2 && strcmp(pattern + length - 2, "%+") == 0 ? 2 : 0;
    if (layout->time_format.told)
        return note_bad(block, line, find_place(line, field), "--time-format '%.*s' does not fit the time '%.*s'",
                        (int)(length - added), pattern, SHOWN(field));
    sg_time_format twin;
    sg_time_read read;
    if (layout->order_line && sg_time_format_twin(&layout->time_format, &twin) &&
        !sg_time_format_read(&twin, NULL, field->text, field->length, &read))
        return note_bad(block, line, find_place(line, field),
                        "the time '%.*s' has day and month in another order than line %llu", SHOWN(field),
                        (unsigned long long)layout->order_line);
    char guess[SG_GUESS_LONGEST];
    const sg_time_sample sample = {field->text, field->length};
    /* 2014-13-01 is a mistake, 01.13.2024 another order. */
    const int guessed = strncmp(pattern, "%d", 2) == 0 && sg_time_format_guess(&sample, 1, guess);
    return note_bad(block, line, find_place(line, field), "the time '%.*s' is not a date like %s%s%s", SHOWN(field),
                    sg_time_format_example(&layout->time_format), guessed ? "; if all are, say --time-format " : "",
                    guessed ? guess : "");
}

/* The day is one: then what is wrong is the time of day. */
static int is_date_alone(const sg_layout *layout, const sg_field *date)
{
    sg_time_read read;
    return sg_time_format_read(&layout->time_format, NULL, date->text, date->length, &read) == 0 && !read.has_clock;
}

static int note_bad_clock(sg_text_block *block, const struct line *line, const sg_field *clock)
{
    struct line there = *line;
    there.column = line->layout->clock;
    if (sg_is_null(clock->text, clock->length))
        return note_bad(block, &there, find_place(line, clock), "the time of day is missing");
    return note_bad(block, &there, find_place(line, clock), "the time of day '%.*s' is none like %s", SHOWN(clock),
                    line->layout->clock_digits ? "9, 0930 or 093000" : "09:30 or 09:30:00");
}

/* The zone in a column of its own: the time was read as if it were of UTC. */
static int read_zone(sg_text_block *block, const struct line *line, const sg_field *field, sg_time_read *read)
{
    int64_t offset;
    struct line there = *line;
    there.column = line->layout->zone;
    if (!field->length || sg_zone_read(field->text, field->length, &offset) != field->length)
        return note_bad(block, &there, find_place(line, field), "the zone '%.*s' is none like UTC, CET or +02:00",
                        SHOWN(field));
    /* The fraction stays the decimal that it was: a difference alone would be off in its last digit. */
    const double whole = floor(read->seconds), micro = rint((read->seconds - whole) * 1e6);
    read->seconds =
        read->seconds == whole ? whole - (double)offset : rint((whole - (double)offset) * 1e6 + micro) / 1e6;
    read->has_zone = 1;
    return 0;
}

static int read_date(sg_text_block *block, const struct line *line, const sg_field *fields, double *out)
{
    const sg_layout *layout = line->layout;
    const sg_field *date = &fields[layout->time], *last = date + layout->time_fields - 1;
    sg_field whole = {date->text, (uint32_t)(last->text - date->text) + last->length};
    sg_time_read read;
    int status;
    const sg_zone *zone = layout->zone >= 0 ? NULL : line->rules->zone;
    if (layout->clock >= 0) {
        const sg_field *clock = &fields[layout->clock];
        status = sg_time_format_read_two(&layout->time_format, zone, date->text, date->length, clock->text,
                                         clock->length, layout->clock_digits, &read);
        if (status && is_date_alone(layout, date)) return note_bad_clock(block, line, clock);
    } else
        status = sg_time_format_read(&layout->time_format, zone, whole.text, whole.length, &read);
    if (status) return note_bad_time(block, line, &whole);
    if (layout->zone >= 0 && !read.has_zone && read_zone(block, line, &fields[layout->zone], &read)) return -1;
    block->any_clock |= read.has_clock;
    block->any_unzoned |= read.has_clock && !read.has_zone;
    block->skipped_clocks += (uint64_t)read.skipped;
    *out = read.seconds;
    return 0;
}

/* Nanoseconds since 1970 as microseconds: a double holds these to a quarter of one. */
static int read_nanoseconds(sg_text_block *block, const struct line *line, const sg_field *field, double *out)
{
    char text[32];
    if (field->length < 4 || field->length > 24 || memchr(field->text, '.', field->length) ||
        memchr(field->text, 'e', field->length)) {
        if (read_number(block, line, field, "time", out)) return -1;
        *out /= 1000;
        return 0;
    }
    const size_t whole = field->length - 3;
    memcpy(text, field->text, whole);
    text[whole] = '.';
    memcpy(text + whole + 1, field->text + whole, 3);
    return sg_parse_double(text, field->length + 1, out) ? note_bad_time(block, line, field) : 0;
}

static int read_time(sg_text_block *block, const struct line *line, const sg_field *fields, double *out)
{
    const sg_layout *layout = line->layout;
    const sg_field *field = &fields[layout->time];
    if (layout->dates) return read_date(block, line, fields, out);
    if (layout->time_format.kind == SG_TIMES_NANO) {
        if (read_nanoseconds(block, line, field, out)) return -1;
    } else if (layout->time_format.kind != SG_TIMES_NUMBERS) {
        if (sg_time_number_read(layout->time_format.kind, field->text, field->length, out))
            return note_bad_time(block, line, field);
    } else {
        const int status = layout->time_comma ? sg_parse_amount(field->text, field->length, 1, out)
                                              : sg_parse_double(field->text, field->length, out);
        if (status > 0)
            return note_bad(block, line, find_place(line, field), "the time '%.*s' is not a finite number",
                            SHOWN(field));
        if (status < 0) return note_bad_time(block, line, field);
        if (has_lost_digits(field, *out))
            return note_bad(block, line, find_place(line, field),
                            "the time '%.*s' has more digits than a double holds exactly; use a coarser unit",
                            SHOWN(field));
    }
    block->all_whole &= *out == floor(*out);
    if (*out == 0) *out = 0; /* no negative zero */
    return 0;
}

/* A half of a pair of UTF-16, as it would be in UTF-8 if that allowed it. */
static int has_half_letter(const sg_field *field)
{
    for (uint32_t i = 0; i + 1 < field->length; i++)
        if ((unsigned char)field->text[i] == 0xED && (unsigned char)field->text[i + 1] >= 0xA0) return 1;
    return 0;
}

static int read_id(sg_text_block *block, const struct line *line, const sg_field *field, const char *what,
                   sg_id *id)
{
    if (field->length == 0) return note_bad(block, line, find_place(line, field), "the %s is missing", what);
    /* What is quoted is meant as it stands. */
    const int quoted = field->text > line->begin && field->text[-1] == '"';
    if (!quoted && !line->rules->keep_nulls && sg_is_null(field->text, field->length))
        return note_bad(block, line, find_place(line, field),
                        "the %s is missing: '%.*s' (in quotes, or with --keep-nulls, it is an id)", what,
                        SHOWN(field));
    sg_id_parse(id, &line->layout->id_key, field->text, field->length);
    if (id->length == 0) return 0;
    if (field->length > SG_ID_LONGEST)
        return note_bad(block, line, find_place(line, field), "the %s is longer than %u bytes", what,
                        SG_ID_LONGEST);
    if (memchr(field->text, 0, field->length))
        return note_bad(block, line, find_place(line, field), "the %s holds a NUL byte", what);
    if (line->lines > 1 && memchr(field->text, '\n', field->length))
        return note_bad(block, line, find_place(line, field), "the %s has a line break in it", what);
    if (!sg_utf8_valid(field->text, field->length))
        return note_bad(
            block, line, find_place(line, field),
            has_half_letter(field)
                ? "the %s has half a letter of UTF-16 (an unpaired surrogate)"
                : "the %s is not valid UTF-8, and its encoding is not known: convert it with iconv, or say "
                  "--encoding windows-1252 if an old Windows program wrote it",
            what);
    return 0;
}

/* A field holding several numbers; returns how many were read, or -1. */
static int read_list(sg_text_block *block, const struct line *line, const sg_field *field, uint32_t room,
                     float *out)
{
    uint32_t count = 0;
    for (size_t at = 0; at <= field->length;) {
        size_t end = at;
        while (end < field->length && field->text[end] != ',' && field->text[end] != ';' && field->text[end] != ' ')
            end++;
        sg_field part = {field->text + at, (uint32_t)(end - at)};
        if (count == room)
            return note_bad(block, line, find_place(line, &part), "more features than in the first row");
        const int status = read_float(block, line, &part, "feature", &out[count]);
        if (status) return status;
        count++;
        at = end + 1;
        while (at < field->length && field->text[at] == ' ') at++;
    }
    return (int)count;
}

static int read_features(sg_text_block *block, const sg_layout *layout, struct line *line, const sg_field *fields,
                         int count, float *out)
{
    uint32_t have = 0;
    if (count > layout->columns && !layout->rest) count = layout->columns; /* separators at the end */
    for (int i = 0; i < count; i++) {
        sg_role role = layout->roles[i < layout->columns ? i : layout->columns - 1];
        line->column = i < layout->columns ? i : -1;
        if (role == SG_ROLE_FEATURE_LIST) {
            int got = read_list(block, line, &fields[i], layout->features - have, out + have);
            if (got < 0) return got;
            have += (uint32_t)got;
        } else if (role == SG_ROLE_FEATURE) {
            if (have == layout->features)
                return note_bad(block, line, find_place(line, &fields[i]), "more features than in the first row");
            const int status = read_float(block, line, &fields[i], "feature", &out[have]);
            if (status) return status;
            have++;
        }
    }
    line->column = -1;
    if (have < layout->features)
        return note_bad(block, line, find_place(line, &fields[count - 1]),
                        "%u feature%s where the first row has %u", have, have == 1 ? "" : "s", layout->features);
    return 0;
}

/* The number of fields a row may have. */
static int check_count(sg_text_block *block, const sg_layout *layout, const struct line *line, size_t length,
                       const sg_field *fields, int count)
{
    size_t at = find_place(line, &fields[0]);
    if (count == SG_FIELDS_AFTER_QUOTE && at > 1 && line->begin[at - 2] == '\\')
        return note_bad(
            block, line, at,
            "a quote within a quoted field is written \\\": write it \"\" (Spark: option escape, MySQL: "
            "escaped by '\"')");
    if (count == SG_FIELDS_AFTER_QUOTE)
        return note_bad(block, line, at,
                        "a quoted field goes on behind its quote; with --plain-quotes a quote is a letter");
    if (count == SG_FIELDS_TOO_MANY) return note_bad(block, line, at, "more than %d fields", SG_FIELDS_MOST);
    if (count < layout->columns && !(layout->rest && count == layout->columns - 1))
        return note_bad(block, line, length, "%d field%s where %d are expected", count, count == 1 ? "" : "s",
                        layout->columns);
    while (count > layout->columns && !layout->rest && fields[count - 1].length == 0) count--;
    if (count > layout->columns && !layout->rest)
        return note_bad(block, line, find_place(line, &fields[layout->columns]), "%d fields where %d are expected",
                        count, layout->columns);
    return 0;
}

/* A row like others, but for its time. */
static void note_late(sg_text_block *block, double time, uint64_t number)
{
    if (block->late++) return;
    block->late_line = number;
    block->late_time = time;
}

/* The fields of one line or of several. */
static int cut_fields(const sg_layout *layout, char *text, size_t length, sg_field *fields, int most)
{
    return layout->plain_quotes ? sg_fields_cut_plain(text, length, layout->separator, fields, most)
                                : sg_fields_cut(text, length, layout->separator, fields, most);
}

static size_t without_return(const char *text, size_t length)
{
    return length && text[length - 1] == '\r' ? length - 1 : length;
}

/* Whether a line would be a row if its quotes were letters: the fields are as many, and one is a time. */
static int looks_like_row(const sg_layout *layout, char *text, size_t length, sg_field *fields)
{
    const int count =
        sg_fields_cut_plain(text, without_return(text, length), layout->separator, fields, SG_FIELDS_MOST);
    if (count < layout->columns || (count > layout->columns && !layout->rest)) return 0;
    sg_field time = fields[layout->time];
    const sg_field *last = &fields[layout->time + layout->time_fields - 1];
    time.length = (uint32_t)(last->text - time.text) + last->length;
    if (time.length > 1 && *time.text == '"' && time.text[time.length - 1] == '"') {
        time.text++;
        time.length -= 2;
    }
    sg_time_read read;
    double value;
    return layout->dates ? sg_time_format_read(&layout->time_format, NULL, time.text, time.length, &read) == 0
                         : sg_parse_double(time.text, time.length, &value) == 0;
}

/*
 * A row whose first line could not be cut: it may have further lines, up to `end`. Returns how many fields there are then, and
 * where the next row begins; LEFT_OUT if it has been told of. A row that was taken for a part of a quoted field would be lost
 * without a word, so lines that look like rows are not taken for that.
 */
static int cut_long_row(sg_text_block *block, struct line *line, size_t *length, char **next, char *end, int count)
{
    const sg_layout *layout = line->layout;
    char *text = block->text + (line->begin - block->text);
    sg_row_scan scan = {0};
    const size_t size = sg_row_find(&scan, text, (size_t)(end - text), 1, layout->separator, SG_ROW_LONGEST);
    line->lines = scan.lines;
    *next = text + size;
    if (scan.broken) {
        note_bad(block, line, scan.quote, "the quote that opens here is not closed within 1 MiB");
        return LEFT_OUT;
    }
    if (scan.lines == 1) return count;
    const size_t whole = size - (text[size - 1] == '\n'), first = *length;
    const char *last = (const char *)memrchr(text, '\n', whole) + 1;
    if (looks_like_row(layout, text, first, block->scratch) &&
        looks_like_row(layout, text + (last - text), whole - (size_t)(last - text), block->scratch)) {
        const int opened = sg_fields_cut(text, first, layout->separator, block->scratch, SG_FIELDS_MOST);
        const size_t at = opened == SG_FIELDS_OPEN_QUOTE ? (size_t)(block->scratch[0].text - text) : 0;
        note_bad(block, line, at,
                 "the quote that opens here is closed %llu line%s below, and these look like rows: with "
                 "--plain-quotes a quote is a letter",
                 (unsigned long long)scan.lines - 1, scan.lines == 2 ? "" : "s");
        return LEFT_OUT;
    }
    line->last = (size_t)(last - text);
    *length = without_return(text, whole);
    return sg_fields_cut(text, *length, layout->separator, block->scratch, SG_FIELDS_MOST);
}

/* Whether a comment names the columns, and not as the header does. */
static int names_others(const char *header, const char *text, size_t length)
{
    const size_t same = strcspn(header, ": \t") + 1; /* "#Fields:" */
    return same < length && strncasecmp(header + 1, "fields", 6) == 0 && strncmp(text, header, same) == 0 &&
           (strlen(header) != length || memcmp(text, header, length) != 0);
}

/* A comment where one is the header: servers write them anew when they start, and Zeek has one at the end. */
static int is_comment(sg_text_block *block, const struct line *line, const char *text, size_t length)
{
    const char *header = line->layout->header;
    if (!header || *text != *header) return 0;
    if (!block->other_columns && names_others(header, text, length)) block->other_columns = line->number + 1;
    return 1;
}

/* Whether a row is the header once more, as where files were joined into one; each may begin with a mark of UTF-8. */
static int is_header_again(const sg_layout *layout, const sg_field *fields, int count)
{
    if (!layout->has_header || !layout->names || count < layout->columns) return 0;
    for (int i = layout->columns - 1; i >= 0; i--) {
        sg_field field = fields[i];
        if (i == 0 && field.length > 3 && memcmp(field.text, "\xEF\xBB\xBF", 3) == 0)
            field = (sg_field){field.text + 3, field.length - 3};
        const char *name = layout->names[i];
        if (!name || strlen(name) != field.length || memcmp(name, field.text, field.length) != 0) return 0;
    }
    return 1;
}

/* Nothing but separators, as spreadsheets write below a table. */
static int is_nothing(const sg_field *fields, int count)
{
    for (int i = 0; i < count; i++)
        if (fields[i].length) return 0;
    return count > 0;
}

/* Reads the row at `text`, whose first line has so many bytes and ends before *next, which is moved if it has several. */
static void parse_row(sg_text_block *block, const sg_layout *layout, const sg_row_rules *rules, char *text,
                      size_t length, char **next, char *end)
{
    struct line line = {
        .begin = text, .number = block->lines++, .lines = 1, .column = -1, .layout = layout, .rules = rules};
    sg_field *fields = block->scratch;
    length = without_return(text, length);
    if (sg_line_is_ruler(text, length) || is_comment(block, &line, text, length)) return;
    int count = cut_fields(layout, text, length, fields, SG_FIELDS_MOST);
    if (count < 0 && !layout->plain_quotes) {
        count = cut_long_row(block, &line, &length, next, end, count);
        block->lines += line.lines - 1;
        if (count == LEFT_OUT) {
            block->data_rows++;
            return;
        }
    }
    if (count == 0) return; /* a blank line */
    if (is_nothing(fields, count)) return;
    if (is_header_again(layout, fields, count)) {
        block->headers++;
        return;
    }
    if (count < layout->columns && sg_line_is_footer(text, length)) return;
    size_t row = block->rows;
    uint64_t data_row = block->data_rows++;
    if (check_count(block, layout, &line, length, fields, count)) return;
    if (layout->where >= 0 && !(layout->where < count && sg_layout_takes(layout, &fields[layout->where]))) {
        block->filtered++;
        return;
    }
    line.column = layout->src;
    if (read_id(block, &line, &fields[layout->src], "source", &block->src[row])) return;
    line.column = layout->dst;
    if (read_id(block, &line, &fields[layout->dst], "destination", &block->dst[row])) return;
    line.column = layout->time;
    if (read_time(block, &line, fields, &block->time[row])) return;
    line.column = layout->weight;
    if (layout->weight >= 0 && read_float(block, &line, &fields[layout->weight], "weight", &block->weight[row]))
        return;
    line.column = layout->label;
    if (layout->label >= 0 && read_float(block, &line, &fields[layout->label], "label", &block->label[row])) return;
    line.column = -1;
    block->index[row] = data_row;
    if (layout->index >= 0) {
        double index;
        const sg_field *field = &fields[layout->index];
        if (sg_parse_double(field->text, field->length, &index) || index != floor(index) || index < 0 ||
            index > 9007199254740992.0) {
            note_bad(block, &line, find_place(&line, field), "the row number '%.*s' is not a whole number",
                     SHOWN(field));
            return;
        }
        block->index[row] = (uint64_t)index; /* pandas may have written 1.0 */
    }
    if (layout->features &&
        read_features(block, layout, &line, fields, count, block->features + row * layout->features))
        return;
    if (rules->has_newest && block->time[row] < rules->newest) note_late(block, block->time[row], line.number);
    block->rows++;
}

/* The same; of a row that is not taken nothing is counted but that. */
static void parse_whole(sg_text_block *block, const sg_layout *layout, const sg_row_rules *rules, char *text,
                        size_t length, char **next, char *end)
{
    const size_t rows = block->rows;
    const uint64_t filled = block->filled, clocks = block->skipped_clocks;
    parse_row(block, layout, rules, text, length, next, end);
    if (block->rows > rows) return;
    block->filled = filled;
    block->skipped_clocks = clocks;
}

/*
 * The common case without ceremony: three columns of whole numbers. Reads one line and returns where the next
 * begins, or NULL if anything is unusual; then the line is read again the careful way. The text ends in a newline.
 */
static char *parse_quick(sg_text_block *block, const sg_layout *layout, const sg_row_rules *rules, char *p)
{
    int64_t values[3];
    const char separator = layout->separator;
    for (int column = 0; column < 3; column++) {
        int negative = *p == '-';
        p += negative;
        const char *first = p;
        uint64_t value = 0;
        unsigned digit;
        for (; (digit = (unsigned)(unsigned char)*p - '0') <= 9; p++) value = value * 10 + digit;
        size_t digits = (size_t)(p - first);
        if (digits == 0 || digits > 15 || (*first == '0' && (digits > 1 || negative))) return NULL;
        values[column] = negative ? -(int64_t)value : (int64_t)value;
        if (column < 2 && *p++ != separator) return NULL;
    }
    p += *p == '\r';
    if (*p != '\n') return NULL;
    if (rules->has_newest && (double)values[layout->time] < rules->newest) return NULL;
    size_t row = block->rows++;
    block->src[row] = sg_id_integer(&layout->id_key, values[layout->src]);
    block->dst[row] = sg_id_integer(&layout->id_key, values[layout->dst]);
    block->time[row] = (double)values[layout->time];
    block->index[row] = block->data_rows++;
    return p + 1;
}

void sg_text_block_parse(sg_text_block *block, const sg_layout *layout, const sg_row_rules *rules)
{
    static const sg_row_rules plain = {0};
    if (!rules) rules = &plain;
    block->rows = 0;
    block->bad_count = 0;
    block->data_rows = 0;
    block->all_whole = 1;
    block->any_clock = block->any_unzoned = 0;
    block->currencies = 0;
    block->skipped = block->filtered = block->late = block->filled = block->skipped_clocks = block->headers = 0;
    block->other_columns = 0;
    block->lines = block->too_long ? 1 : 0;
    if (block->too_long) {
        block->data_rows = 1;
        const struct line none = {.column = -1};
        note_bad(block, &none, 0, "the row is longer than 1 MiB");
        return;
    }
    int quick = layout->columns == 3 && !layout->features && layout->time_format.kind == SG_TIMES_NUMBERS &&
                !layout->rest && layout->where < 0 && layout->src < 3 && layout->dst < 3 && layout->time < 3;
    char *p = block->text, *end = p + block->size;
    *end = '\n'; /* the text buffer has room for it */
    while (p < end) {
        const int skip = block->lines < block->skip_lines;
        char *next = quick && !skip ? parse_quick(block, layout, rules, p) : NULL;
        if (next || skip) block->lines++;
        if (!next) {
            char *newline = memchr(p, '\n', (size_t)(end - p));
            const size_t length = (size_t)((newline ? newline : end) - p);
            next = p + length + 1;
            if (!skip) parse_whole(block, layout, rules, p, length, &next, end);
        }
        p = next;
    }
}

/* ---- For a person ---- */

/* What is missing becomes the mean of its column, which is not known before all are read. */
static void print_shown(float value, char text[32])
{
    if (isnan(value))
        snprintf(text, 32, "missing");
    else
        sg_print_float(value, text);
}

int sg_shown_event_add(const sg_shown_event *event, char **text, scadyg_error *error)
{
    char time[64], number[32], rest[160] = "";
    size_t used = 0;
    scadyg_time_text(event->time_kind, event->time, time);
    const struct {
        const char *name;
        const float *value;
    } single[] = {{"weight", event->weight}, {"label", event->label}};
    for (size_t k = 0; k < 2; k++) {
        if (!single[k].value) continue;
        print_shown(*single[k].value, number);
        used += (size_t)snprintf(rest + used, sizeof rest - used, "  %s %s", single[k].name, number);
    }
    for (uint32_t j = 0; j < event->width && j < 4; j++) {
        print_shown(event->features[j], number);
        used += (size_t)snprintf(rest + used, sizeof rest - used, "%s%s", j ? ", " : "  features ", number);
    }
    if (event->width > 4) snprintf(rest + used, sizeof rest - used, ", ...");
    return sg_add_line(error, text, "%s  %s -> %s%s", time, event->src, event->dst, rest);
}

int sg_text_block_show(const sg_text_block *block, const sg_layout *layout, int most, int *shown, char **text,
                       scadyg_error *error)
{
    int status = SCADYG_OK;
    for (size_t i = 0; i < block->rows && *shown < most && !status; i++) {
        sg_shown_event event = {.time = block->time[i],
                                .weight = layout->weight >= 0 ? &block->weight[i] : NULL,
                                .label = layout->label >= 0 ? &block->label[i] : NULL,
                                .width = layout->features,
                                .features = block->features ? block->features + i * layout->features : NULL};
        event.time_kind =
            layout->dates ? block->any_clock ? SCADYG_TIME_DATETIME : SCADYG_TIME_DATE : SCADYG_TIME_NUMBER;
        sg_id_print(&block->src[i], event.src, sizeof event.src);
        sg_id_print(&block->dst[i], event.dst, sizeof event.dst);
        status = sg_shown_event_add(&event, text, error);
        *shown += !status;
    }
    return status;
}
