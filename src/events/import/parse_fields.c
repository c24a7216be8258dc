/* Parsing, the fields of a row: ids, times and numbers, and what is wrong with those that are none. */
#include "events/import/parse_fields.h"

#include "events/import/amount.h"
#include "events/number_text.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Where a place of a row is in the file: in the row's line, or in another where there are several. */
static void find_line(const sg_line *line, size_t at, sg_bad_row *row)
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

int sg_line_note_bad(sg_text_block *block, const sg_line *line, size_t at, const char *format, ...)
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

/* The number that takes the place of one that is missing. */
static int read_missing(sg_text_block *block, const sg_line *line, const sg_field *field, const char *what,
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
    case SG_MISSING_SKIP: block->skipped++; return SG_LEFT_OUT;
    default:
        return sg_line_note_bad(block, line, sg_line_place(line, field),
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

static int read_number(sg_text_block *block, const sg_line *line, const sg_field *field, const char *what,
                       double *value)
{
    int status = sg_parse_amount(field->text, field->length, line->layout->decimal_comma, value);
    if (status == 0 && line->column >= 0 && line->column == line->layout->weight) note_currency(block, field);
    if (status == 0) return 0;
    if (status > 0)
        return sg_line_note_bad(block, line, sg_line_place(line, field), "the %s '%.*s' is not a finite number",
                                what, SG_SHOWN(field));
    const int comma = !line->layout->decimal_comma;
    if (sg_parse_amount(field->text, field->length, comma, value) == 0)
        return sg_line_note_bad(block, line, sg_line_place(line, field),
                                "the %s '%.*s' has a decimal %s: say --decimal %s", what, SG_SHOWN(field),
                                comma ? "comma" : "point", comma ? "comma" : "point");
    return sg_line_note_bad(block, line, sg_line_place(line, field), "the %s '%.*s' is not a number", what,
                            SG_SHOWN(field));
}

int sg_line_read_float(sg_text_block *block, const sg_line *line, const sg_field *field, const char *what,
                       float *out)
{
    double value;
    int status = sg_is_null(field->text, field->length) ? read_missing(block, line, field, what, &value)
                                                        : read_number(block, line, field, what, &value);
    if (status) return status;
    if (fabs(value) > (double)FLT_MAX)
        return sg_line_note_bad(block, line, sg_line_place(line, field), "the %s '%.*s' is too large", what,
                                SG_SHOWN(field));
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

static int note_bad_time(sg_text_block *block, const sg_line *line, const sg_field *field)
{
    const sg_layout *layout = line->layout;
    if (sg_is_null(field->text, field->length))
        return sg_line_note_bad(block, line, sg_line_place(line, field), "the time is missing");
    if (!layout->dates)
        return sg_line_note_bad(block, line, sg_line_place(line, field), "the time '%.*s' is not a number",
                                SG_SHOWN(field));
    const char *pattern = layout->time_format.pattern;
    const size_t length = strlen(pattern), added = length > 2 && strcmp(pattern + length - 2, "%+") == 0 ? 2 : 0;
    if (layout->time_format.told)
        return sg_line_note_bad(block, line, sg_line_place(line, field),
                                "--time-format '%.*s' does not fit the time '%.*s'", (int)(length - added), pattern,
                                SG_SHOWN(field));
    sg_time_format twin;
    sg_time_read read;
    if (layout->order_line && sg_time_format_twin(&layout->time_format, &twin) &&
        !sg_time_format_read(&twin, NULL, field->text, field->length, &read))
        return sg_line_note_bad(block, line, sg_line_place(line, field),
                                "the time '%.*s' has day and month in another order than line %llu",
                                SG_SHOWN(field), (unsigned long long)layout->order_line);
    char guess[SG_GUESS_LONGEST];
    const sg_time_sample sample = {field->text, field->length};
    /* 2014-13-01 is a mistake, 01.13.2024 another order. */
    const int guessed = strncmp(pattern, "%d", 2) == 0 && sg_time_format_guess(&sample, 1, guess);
    return sg_line_note_bad(block, line, sg_line_place(line, field), "the time '%.*s' is not a date like %s%s%s",
                            SG_SHOWN(field), sg_time_format_example(&layout->time_format),
                            guessed ? "; if all are, say --time-format " : "", guessed ? guess : "");
}

/* The day is one: then what is wrong is the time of day. */
static int is_date_alone(const sg_layout *layout, const sg_field *date)
{
    sg_time_read read;
    return sg_time_format_read(&layout->time_format, NULL, date->text, date->length, &read) == 0 && !read.has_clock;
}

static int note_bad_clock(sg_text_block *block, const sg_line *line, const sg_field *clock)
{
    sg_line there = *line;
    there.column = line->layout->clock;
    if (sg_is_null(clock->text, clock->length))
        return sg_line_note_bad(block, &there, sg_line_place(line, clock), "the time of day is missing");
    return sg_line_note_bad(block, &there, sg_line_place(line, clock), "the time of day '%.*s' is none like %s",
                            SG_SHOWN(clock),
                            line->layout->clock_digits ? "9, 0930 or 093000" : "09:30 or 09:30:00");
}

/* The zone in a column of its own: the time was read as if it were of UTC. */
static int read_zone(sg_text_block *block, const sg_line *line, const sg_field *field, sg_time_read *read)
{
    int64_t offset;
    sg_line there = *line;
    there.column = line->layout->zone;
    if (!field->length || sg_zone_read(field->text, field->length, &offset) != field->length)
        return sg_line_note_bad(block, &there, sg_line_place(line, field),
                                "the zone '%.*s' is none like UTC, CET or +02:00", SG_SHOWN(field));
    /* The fraction stays the decimal that it was: a difference alone would be off in its last digit. */
    const double whole = floor(read->seconds), micro = rint((read->seconds - whole) * 1e6);
    read->seconds =
        read->seconds == whole ? whole - (double)offset : rint((whole - (double)offset) * 1e6 + micro) / 1e6;
    read->has_zone = 1;
    return 0;
}

static int read_date(sg_text_block *block, const sg_line *line, const sg_field *fields, double *out)
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
static int read_nanoseconds(sg_text_block *block, const sg_line *line, const sg_field *field, double *out)
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

int sg_line_read_time(sg_text_block *block, const sg_line *line, const sg_field *fields, double *out)
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
            return sg_line_note_bad(block, line, sg_line_place(line, field),
                                    "the time '%.*s' is not a finite number", SG_SHOWN(field));
        if (status < 0) return note_bad_time(block, line, field);
        if (has_lost_digits(field, *out))
            return sg_line_note_bad(
                block, line, sg_line_place(line, field),
                "the time '%.*s' has more digits than a double holds exactly; use a coarser unit", SG_SHOWN(field));
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

int sg_line_read_id(sg_text_block *block, const sg_line *line, const sg_field *field, const char *what, sg_id *id)
{
    if (field->length == 0)
        return sg_line_note_bad(block, line, sg_line_place(line, field), "the %s is missing", what);
    /* What is quoted is meant as it stands. */
    const int quoted = field->text > line->begin && field->text[-1] == '"';
    if (!quoted && !line->rules->keep_nulls && sg_is_null(field->text, field->length))
        return sg_line_note_bad(block, line, sg_line_place(line, field),
                                "the %s is missing: '%.*s' (in quotes, or with --keep-nulls, it is an id)", what,
                                SG_SHOWN(field));
    sg_id_parse(id, &line->layout->id_key, field->text, field->length);
    if (id->length == 0) return 0;
    if (field->length > SG_ID_LONGEST)
        return sg_line_note_bad(block, line, sg_line_place(line, field), "the %s is longer than %u bytes", what,
                                SG_ID_LONGEST);
    if (memchr(field->text, 0, field->length))
        return sg_line_note_bad(block, line, sg_line_place(line, field), "the %s holds a NUL byte", what);
    if (line->lines > 1 && memchr(field->text, '\n', field->length))
        return sg_line_note_bad(block, line, sg_line_place(line, field), "the %s has a line break in it", what);
    if (!sg_utf8_valid(field->text, field->length))
        return sg_line_note_bad(
            block, line, sg_line_place(line, field),
            has_half_letter(field)
                ? "the %s has half a letter of UTF-16 (an unpaired surrogate)"
                : "the %s is not valid UTF-8, and its encoding is not known: convert it with iconv, or say "
                  "--encoding windows-1252 if an old Windows program wrote it",
            what);
    return 0;
}

/* A field holding several numbers; returns how many were read, or -1. */
static int read_list(sg_text_block *block, const sg_line *line, const sg_field *field, uint32_t room, float *out)
{
    uint32_t count = 0;
    for (size_t at = 0; at <= field->length;) {
        size_t end = at;
        while (end < field->length && field->text[end] != ',' && field->text[end] != ';' && field->text[end] != ' ')
            end++;
        sg_field part = {field->text + at, (uint32_t)(end - at)};
        if (count == room)
            return sg_line_note_bad(block, line, sg_line_place(line, &part), "more features than in the first row");
        const int status = sg_line_read_float(block, line, &part, "feature", &out[count]);
        if (status) return status;
        count++;
        at = end + 1;
        while (at < field->length && field->text[at] == ' ') at++;
    }
    return (int)count;
}

int sg_line_read_features(sg_text_block *block, const sg_layout *layout, sg_line *line, const sg_field *fields,
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
                return sg_line_note_bad(block, line, sg_line_place(line, &fields[i]),
                                        "more features than in the first row");
            const int status = sg_line_read_float(block, line, &fields[i], "feature", &out[have]);
            if (status) return status;
            have++;
        }
    }
    line->column = -1;
    if (have < layout->features)
        return sg_line_note_bad(block, line, sg_line_place(line, &fields[count - 1]),
                                "%u feature%s where the first row has %u", have, sg_plural(have), layout->features);
    return 0;
}
