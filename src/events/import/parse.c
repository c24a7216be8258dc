/* Parsing: a block of whole lines is cut into rows, and these into fields, which parse_fields.c reads. */
#include "events/import/parse_fields.h"

#include "base/memory.h"
#include "events/import/reader.h"
#include "events/number_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

/* The number of fields a row may have. */
static int check_count(sg_text_block *block, const sg_layout *layout, const sg_line *line, size_t length,
                       const sg_field *fields, int count)
{
    size_t at = sg_line_place(line, &fields[0]);
    if (count == SG_FIELDS_AFTER_QUOTE && at > 1 && line->begin[at - 2] == '\\')
        return sg_line_note_bad(
            block, line, at,
            "a quote within a quoted field is written \\\": write it \"\" (Spark: option escape, MySQL: "
            "escaped by '\"')");
    if (count == SG_FIELDS_AFTER_QUOTE)
        return sg_line_note_bad(block, line, at,
                                "a quoted field goes on behind its quote; with --plain-quotes a quote is a letter");
    if (count == SG_FIELDS_TOO_MANY)
        return sg_line_note_bad(block, line, at, "more than %d fields", SG_FIELDS_MOST);
    if (count < layout->columns && !(layout->rest && count == layout->columns - 1))
        return sg_line_note_bad(block, line, length, "%d field%s where %d are expected", count, sg_plural(count),
                                layout->columns);
    while (count > layout->columns && !layout->rest && fields[count - 1].length == 0) count--;
    if (count > layout->columns && !layout->rest)
        return sg_line_note_bad(block, line, sg_line_place(line, &fields[layout->columns]),
                                "%d fields where %d are expected", count, layout->columns);
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
 * where the next row begins; SG_LEFT_OUT if it has been told of. A row that was taken for a part of a quoted field would be lost
 * without a word, so lines that look like rows are not taken for that.
 */
static int cut_long_row(sg_text_block *block, sg_line *line, size_t *length, char **next, char *end, int count)
{
    const sg_layout *layout = line->layout;
    char *text = block->text + (line->begin - block->text);
    sg_row_scan scan = {0};
    const size_t size = sg_row_find(&scan, text, (size_t)(end - text), 1, layout->separator, SG_ROW_LONGEST);
    line->lines = scan.lines;
    *next = text + size;
    if (scan.broken) {
        sg_line_note_bad(block, line, scan.quote, "the quote that opens here is not closed within 1 MiB");
        return SG_LEFT_OUT;
    }
    if (scan.lines == 1) return count;
    const size_t whole = size - (text[size - 1] == '\n'), first = *length;
    const char *last = (const char *)memrchr(text, '\n', whole) + 1;
    if (looks_like_row(layout, text, first, block->scratch) &&
        looks_like_row(layout, text + (last - text), whole - (size_t)(last - text), block->scratch)) {
        const int opened = sg_fields_cut(text, first, layout->separator, block->scratch, SG_FIELDS_MOST);
        const size_t at = opened == SG_FIELDS_OPEN_QUOTE ? (size_t)(block->scratch[0].text - text) : 0;
        sg_line_note_bad(block, line, at,
                         "the quote that opens here is closed %llu line%s below, and these look like rows: with "
                         "--plain-quotes a quote is a letter",
                         (unsigned long long)scan.lines - 1, sg_plural(scan.lines - 1));
        return SG_LEFT_OUT;
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
static int is_comment(sg_text_block *block, const sg_line *line, const char *text, size_t length)
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
    sg_line line = {
        .begin = text, .number = block->lines++, .lines = 1, .column = -1, .layout = layout, .rules = rules};
    sg_field *fields = block->scratch;
    length = without_return(text, length);
    if (sg_line_is_ruler(text, length) || is_comment(block, &line, text, length)) return;
    int count = cut_fields(layout, text, length, fields, SG_FIELDS_MOST);
    if (count < 0 && !layout->plain_quotes) {
        count = cut_long_row(block, &line, &length, next, end, count);
        block->lines += line.lines - 1;
        if (count == SG_LEFT_OUT) {
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
    if (sg_line_read_id(block, &line, &fields[layout->src], "source", &block->src[row])) return;
    line.column = layout->dst;
    if (sg_line_read_id(block, &line, &fields[layout->dst], "destination", &block->dst[row])) return;
    line.column = layout->time;
    if (sg_line_read_time(block, &line, fields, &block->time[row])) return;
    line.column = layout->weight;
    if (layout->weight >= 0 &&
        sg_line_read_float(block, &line, &fields[layout->weight], "weight", &block->weight[row]))
        return;
    line.column = layout->label;
    if (layout->label >= 0 && sg_line_read_float(block, &line, &fields[layout->label], "label", &block->label[row]))
        return;
    line.column = -1;
    block->index[row] = data_row;
    if (layout->index >= 0) {
        double index;
        const sg_field *field = &fields[layout->index];
        if (sg_parse_double(field->text, field->length, &index) || index != floor(index) || index < 0 ||
            index > 9007199254740992.0) {
            sg_line_note_bad(block, &line, sg_line_place(&line, field),
                             "the row number '%.*s' is not a whole number", SG_SHOWN(field));
            return;
        }
        block->index[row] = (uint64_t)index; /* pandas may have written 1.0 */
    }
    if (layout->features &&
        sg_line_read_features(block, layout, &line, fields, count, block->features + row * layout->features))
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
        const sg_line none = {.column = -1};
        sg_line_note_bad(block, &none, 0, "the row is longer than 1 MiB");
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
