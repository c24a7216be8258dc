/* Parsing: a block of whole lines to rows of numbers and ids. */
#include "events/import/parse.h"

#include "base/memory.h"
#include "events/number_text.h"
#include "events/time_text.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

int sg_text_block_open(sg_text_block *block, scadyg_error *error)
{
    *block = (sg_text_block){0};
    const size_t size = SG_TEXT_BLOCK_SIZE + 64; /* room to look a little past the end */
    if (!SG_ALLOC(SG_ARRAY(block->text, size), SG_ARRAY(block->scratch, SG_FIELDS_MOST))) return SCADYG_OK;
    sg_text_block_close(block);
    return sg_fail_memory(error, "reading");
}

static void free_rows(sg_text_block *block)
{
    SG_FREE(block->src, block->dst, block->time, block->weight, block->label, block->features, block->index);
    block->src = block->dst = NULL;
    block->time = NULL;
    block->weight = block->label = block->features = NULL;
    block->index = NULL;
    block->capacity = 0;
}

void sg_text_block_close(sg_text_block *block)
{
    free_rows(block);
    SG_FREE(block->text, block->scratch);
    *block = (sg_text_block){0};
}

/*
 * Room for as many rows as a block can have: each field takes at least a separator, the three needed ones and
 * each feature a character too. What is not used is never touched, so it costs nothing.
 */
static int make_room(sg_text_block *block, const sg_layout *layout, scadyg_error *error)
{
    if (block->capacity) return SCADYG_OK;
    size_t shortest = (size_t)layout->columns + 2, features = 2 * (size_t)layout->features;
    size_t needed = SG_TEXT_BLOCK_SIZE / (shortest > features ? shortest : features) + 2;
    if (SG_ALLOC(SG_ARRAY(block->src, needed), SG_ARRAY(block->dst, needed), SG_ARRAY(block->time, needed),
                 SG_ARRAY(block->index, needed), SG_ARRAY_IF(layout->weight >= 0, block->weight, needed),
                 SG_ARRAY_IF(layout->label >= 0, block->label, needed),
                 SG_ARRAY_IF(layout->features, block->features, needed * layout->features))) {
        free_rows(block);
        return sg_fail_memory(error, "parsing");
    }
    block->capacity = needed;
    return SCADYG_OK;
}

/*
 * Notes a bad row; `at` is where in the line the trouble is. Returns -1 for those who read a field: a bad row is no failure,
 * it is for the importer to tolerate or not.
 */
__attribute__((format(printf, 4, 5))) static int note_bad(sg_text_block *block, uint64_t line, size_t at,
                                                          const char *format, ...)
{
    if (block->bad_count < SG_BAD_KEPT) {
        sg_bad_row *row = &block->bad[block->bad_count];
        row->line = line;
        row->column = (uint32_t)at + 1;
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(row->reason, sizeof row->reason, format, arguments);
        va_end(arguments);
        /* A message is one line of UTF-8, whatever the input was. */
        for (char *c = row->reason; *c; c++)
            if ((unsigned char)*c < 32 || (unsigned char)*c > 126) *c = '?';
    }
    block->bad_count++;
    return -1;
}

#define SHOWN(field) (int)((field)->length < 40 ? (field)->length : 40), (field)->text

/* A line being read: where it begins, for column numbers. */
struct line {
    const char *begin;
    uint64_t number;
};

static size_t find_place(const struct line *line, const sg_field *field)
{
    return (size_t)(field->text - line->begin);
}

static int read_number(sg_text_block *block, const struct line *line, const sg_field *field, const char *what,
                       double *value)
{
    int status = sg_parse_double(field->text, field->length, value);
    if (status == 0) return 0;
    if (field->length == 0)
        return note_bad(block, line->number, find_place(line, field), "the %s is missing", what);
    if (status > 0)
        return note_bad(block, line->number, find_place(line, field), "the %s '%.*s' is not a finite number", what,
                        SHOWN(field));
    return note_bad(block, line->number, find_place(line, field), "the %s '%.*s' is not a number", what,
                    SHOWN(field));
}

static int read_float(sg_text_block *block, const struct line *line, const sg_field *field, const char *what,
                      float *out)
{
    double value;
    if (read_number(block, line, field, what, &value)) return -1;
    if (fabs(value) > (double)FLT_MAX)
        return note_bad(block, line->number, find_place(line, field), "the %s '%.*s' is too large", what,
                        SHOWN(field));
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

static int read_time(sg_text_block *block, const sg_layout *layout, const struct line *line, const sg_field *field,
                     double *out)
{
    if (layout->dates) {
        int has_clock = 0;
        if (sg_parse_date(field->text, field->length, out, &has_clock)) {
            if (field->length == 0)
                return note_bad(block, line->number, find_place(line, field), "the time is missing");
            return note_bad(block, line->number, find_place(line, field),
                            "the time '%.*s' is not a date like YYYY-MM-DD HH:MM:SS", SHOWN(field));
        }
        block->any_clock |= has_clock;
        return 0;
    }
    if (read_number(block, line, field, "time", out)) return -1;
    if (has_lost_digits(field, *out))
        return note_bad(block, line->number, find_place(line, field),
                        "the time '%.*s' has more digits than a double holds exactly; use a coarser unit",
                        SHOWN(field));
    block->all_whole &= *out == floor(*out);
    if (*out == 0) *out = 0; /* no negative zero */
    return 0;
}

static int read_id(sg_text_block *block, const struct line *line, const sg_field *field, const char *what,
                   sg_id *id)
{
    if (field->length == 0)
        return note_bad(block, line->number, find_place(line, field), "the %s is missing", what);
    sg_id_parse(id, field->text, field->length);
    if (id->length == 0) return 0;
    if (field->length > SG_ID_LONGEST)
        return note_bad(block, line->number, find_place(line, field), "the %s is longer than %u bytes", what,
                        SG_ID_LONGEST);
    if (memchr(field->text, 0, field->length))
        return note_bad(block, line->number, find_place(line, field), "the %s holds a NUL byte", what);
    if (!sg_utf8_valid(field->text, field->length))
        return note_bad(block, line->number, find_place(line, field), "the %s is not valid UTF-8", what);
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
            return note_bad(block, line->number, find_place(line, &part), "more features than in the first row");
        if (read_float(block, line, &part, "feature", &out[count])) return -1;
        count++;
        at = end + 1;
        while (at < field->length && field->text[at] == ' ') at++;
    }
    return (int)count;
}

static int read_features(sg_text_block *block, const sg_layout *layout, const struct line *line,
                         const sg_field *fields, int count, float *out)
{
    uint32_t have = 0;
    for (int i = 0; i < count; i++) {
        sg_role role = layout->roles[i < layout->columns ? i : layout->columns - 1];
        if (role == SG_ROLE_FEATURE_LIST) {
            int got = read_list(block, line, &fields[i], layout->features - have, out + have);
            if (got < 0) return -1;
            have += (uint32_t)got;
        } else if (role == SG_ROLE_FEATURE) {
            if (have == layout->features)
                return note_bad(block, line->number, find_place(line, &fields[i]),
                                "more features than in the first row");
            if (read_float(block, line, &fields[i], "feature", &out[have])) return -1;
            have++;
        }
    }
    if (have < layout->features)
        return note_bad(block, line->number, find_place(line, &fields[count - 1]),
                        "%u feature%s where the first row has %u", have, have == 1 ? "" : "s", layout->features);
    return 0;
}

/* The number of fields a row may have. */
static int check_count(sg_text_block *block, const sg_layout *layout, const struct line *line, size_t length,
                       const sg_field *fields, int count)
{
    size_t at = find_place(line, &fields[0]);
    if (count == SG_FIELDS_OPEN_QUOTE)
        return note_bad(block, line->number, at, "a quoted field is not closed on its line");
    if (count == SG_FIELDS_AFTER_QUOTE)
        return note_bad(block, line->number, at, "a quoted field goes on behind its quote");
    if (count == SG_FIELDS_TOO_MANY)
        return note_bad(block, line->number, at, "more than %d fields", SG_FIELDS_MOST);
    if (count < layout->columns && !(layout->rest && count == layout->columns - 1))
        return note_bad(block, line->number, length, "%d field%s where %d are expected", count,
                        count == 1 ? "" : "s", layout->columns);
    if (count > layout->columns && !layout->rest)
        return note_bad(block, line->number, find_place(line, &fields[layout->columns]),
                        "%d fields where %d are expected", count, layout->columns);
    return 0;
}

static void parse_line(sg_text_block *block, const sg_layout *layout, char *text, size_t length, uint64_t number)
{
    struct line line = {text, number};
    sg_field *fields = block->scratch;
    int count = sg_fields_cut(text, length, layout->separator, fields, SG_FIELDS_MOST);
    if (count == 0) return; /* a blank line */
    if (count == 1 && fields[0].length == 0) return;
    size_t row = block->rows;
    uint64_t data_row = block->data_rows++;
    if (check_count(block, layout, &line, length, fields, count)) return;
    if (read_id(block, &line, &fields[layout->src], "source", &block->src[row])) return;
    if (read_id(block, &line, &fields[layout->dst], "destination", &block->dst[row])) return;
    if (read_time(block, layout, &line, &fields[layout->time], &block->time[row])) return;
    if (layout->weight >= 0 && read_float(block, &line, &fields[layout->weight], "weight", &block->weight[row]))
        return;
    if (layout->label >= 0 && read_float(block, &line, &fields[layout->label], "label", &block->label[row])) return;
    block->index[row] = data_row;
    if (layout->index >= 0) {
        double index;
        const sg_field *field = &fields[layout->index];
        if (sg_parse_double(field->text, field->length, &index) || index != floor(index) || index < 0 ||
            index > 9007199254740992.0) {
            note_bad(block, number, find_place(&line, field), "the row number '%.*s' is not a whole number",
                     SHOWN(field));
            return;
        }
        block->index[row] = (uint64_t)index; /* pandas may have written 1.0 */
    }
    if (layout->features &&
        read_features(block, layout, &line, fields, count, block->features + row * layout->features))
        return;
    block->rows++;
}

/*
 * The common case without ceremony: three columns of whole numbers. Reads one line and returns where the next
 * begins, or NULL if anything is unusual; then the line is read again the careful way. The text ends in a newline.
 */
static char *parse_quick(sg_text_block *block, const sg_layout *layout, char *p)
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
    size_t row = block->rows++;
    int64_t src = values[layout->src], dst = values[layout->dst];
    block->src[row] = (sg_id){.value.integer = src, .hash = sg_id_hash_integer(src)};
    block->dst[row] = (sg_id){.value.integer = dst, .hash = sg_id_hash_integer(dst)};
    block->time[row] = (double)values[layout->time];
    block->index[row] = block->data_rows++;
    return p + 1;
}

int sg_text_block_parse(sg_text_block *block, const sg_layout *layout, scadyg_error *error)
{
    block->rows = 0;
    block->bad_count = 0;
    block->data_rows = 0;
    block->all_whole = 1;
    block->any_clock = 0;
    block->lines = block->overlong ? 1 : 0;
    if (block->overlong) {
        block->data_rows = 1;
        note_bad(block, 0, 0, "the line is longer than %zu bytes", SG_TEXT_BLOCK_SIZE - 1);
        return SCADYG_OK;
    }
    int status = make_room(block, layout, error);
    if (status) return status;
    int quick = layout->columns == 3 && !layout->features && !layout->dates && !layout->rest && layout->src < 3 &&
                layout->dst < 3 && layout->time < 3;
    char *p = block->text, *end = p + block->size;
    *end = '\n'; /* the text buffer has room for it */
    while (p < end) {
        uint64_t number = block->lines++;
        char *next = quick && number >= block->skip_lines ? parse_quick(block, layout, p) : NULL;
        if (!next) {
            char *newline = memchr(p, '\n', (size_t)(end - p));
            size_t length = (size_t)((newline ? newline : end) - p);
            next = p + length + 1;
            if (length && p[length - 1] == '\r') length--;
            if (number >= block->skip_lines) parse_line(block, layout, p, length, number);
        }
        p = next;
    }
    return SCADYG_OK;
}

/* ---- For a person ---- */

/* An id as text, cut to what a line can bear. */
static void print_id(const sg_id *id, char *out, size_t size)
{
    if (id->length)
        snprintf(out, size, "%.*s", (int)(id->length < size ? id->length : size - 1), id->value.text);
    else
        snprintf(out, size, "%lld", (long long)id->value.integer);
}

int sg_text_block_show(const sg_text_block *block, const sg_layout *layout, int most, int *shown, char **text,
                       scadyg_error *error)
{
    for (size_t i = 0; i < block->rows && *shown < most; i++) {
        char src[64], dst[64], time[64], number[32], rest[160] = "";
        print_id(&block->src[i], src, sizeof src);
        print_id(&block->dst[i], dst, sizeof dst);
        scadyg_time_text(layout->dates ? block->any_clock ? SCADYG_TIME_DATETIME : SCADYG_TIME_DATE
                                       : SCADYG_TIME_NUMBER,
                         block->time[i], time);
        size_t used = 0;
        if (layout->weight >= 0) {
            sg_print_float(block->weight[i], number);
            used += (size_t)snprintf(rest + used, sizeof rest - used, "  weight %s", number);
        }
        if (layout->label >= 0) {
            sg_print_float(block->label[i], number);
            used += (size_t)snprintf(rest + used, sizeof rest - used, "  label %s", number);
        }
        for (uint32_t j = 0; j < layout->features && j < 4; j++) {
            sg_print_float(block->features[i * layout->features + j], number);
            used += (size_t)snprintf(rest + used, sizeof rest - used, "%s%s", j ? ", " : "  features ", number);
        }
        if (layout->features > 4) snprintf(rest + used, sizeof rest - used, ", ...");
        int status = sg_add_line(error, text, "%s  %s -> %s%s", time, src, dst, rest);
        if (status) return status;
        (*shown)++;
    }
    return SCADYG_OK;
}
