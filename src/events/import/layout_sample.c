/* The first rows of a file: where they begin, what separates their fields, and which comment names them. */
#include "events/import/layout_sample.h"

#include "base/memory.h"
#include "events/import/layout.h"
#include "events/import/reader.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Rows ---- */

void sg_sample_free(sg_sample *sample)
{
    if (!sample) return;
    for (int i = 0; i < sample->count; i++) free(sample->rows[i].fields);
    SG_FREE(sample->header, sample->text, sample);
}

/* A text being sampled. */
typedef struct sampling {
    sg_sample *sample;
    sg_field *scratch; /* SG_FIELDS_MOST */
    int plain_quotes;
    const char *file;
} sampling;

/* The bytes of the row at text[0], and its lines; with the end of the last. */
static size_t measure_row(const char *text, size_t size, char separator, int plain_quotes, uint64_t *lines)
{
    const char *newline = memchr(text, '\n', size);
    const size_t line = newline ? (size_t)(newline - text) + 1 : size;
    *lines = 1;
    if (plain_quotes || !memchr(text, '"', line)) return line;
    sg_row_scan scan = {0};
    const size_t row = sg_row_find(&scan, text, size, 1, separator, SG_ROW_LONGEST);
    *lines = scan.lines;
    return row;
}

/* The length without the end of the line. */
static size_t without_end(const char *text, size_t size)
{
    if (size && text[size - 1] == '\n') size--;
    return size && text[size - 1] == '\r' ? size - 1 : size;
}

static int add_row(const sampling *s, char *text, size_t length, uint64_t number, uint64_t lines,
                   scadyg_error *error)
{
    sg_sample *sample = s->sample;
    sg_field *scratch = s->scratch;
    int count = s->plain_quotes ? sg_fields_cut_plain(text, length, sample->separator, scratch, SG_FIELDS_MOST)
                                : sg_fields_cut(text, length, sample->separator, scratch, SG_FIELDS_MOST);
    if (count < 0 && sample->count > 0) { /* the parser will speak of it, or tolerate it */
        if (!sample->uncut) sample->uncut = number;
        return SCADYG_OK;
    }
    if (count < 0)
        return sg_fail(error, SCADYG_E_INPUT, "%s:%llu:%zu: %s", s->file, (unsigned long long)number,
                       (size_t)(scratch[0].text - text) + 1,
                       count == SG_FIELDS_TOO_MANY ? "too many fields"
                       : count == SG_FIELDS_OPEN_QUOTE
                           ? "the quote that opens here is not closed within 1 MiB"
                           : "a quoted field goes on behind its quote; with --plain-quotes a quote is a letter");
    sg_sample_row *row = &sample->rows[sample->count];
    row->fields = sg_alloc((size_t)count, sizeof *row->fields);
    if (!row->fields) return sg_fail_memory(error, "the first rows");
    memcpy(row->fields, scratch, (size_t)count * sizeof *scratch);
    row->count = count;
    row->line = number;
    row->lines = lines;
    sample->count++;
    return SCADYG_OK;
}

static int is_blank_line(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (line[i] != ' ' && line[i] != '\t') return 0;
    return 1;
}

/* Excel's first line, which says what separates the fields of the others; 0: it is none such. */
static char find_told_separator(const char *line, size_t length)
{
    const size_t quoted = length > 1 && line[0] == '"' && line[length - 1] == '"';
    line += quoted;
    length -= 2 * quoted;
    return length == 5 && strncasecmp(line, "sep=", 4) == 0 && memchr("\t,;| ", line[4], 5) ? line[4] : 0;
}

/* Whether a line before the first row is no row; it may say what separates fields. */
static int is_before_rows(const char *line, size_t length, char *separator)
{
    if (is_blank_line(line, length) || sg_line_is_ruler(line, length) || *line == '#' || *line == '%') return 1;
    const char told = find_told_separator(line, length);
    if (told && !*separator) *separator = told;
    return told != 0;
}

#define VOTES 50 /* lines that say what separates fields */

/* How often a character stands outside quotes. */
static int count_outside_quotes(const char *line, size_t length, char what)
{
    int quoted = 0, count = 0;
    for (size_t i = 0; i < length; i++) {
        if (line[i] == '"') quoted = !quoted;
        count += !quoted && line[i] == what;
    }
    return count;
}

/* How many of the first rows have the same number, two or more, of a character. Their number goes to *rows. */
static int count_agreeing(const char *text, size_t size, char what, int *rows)
{
    int counts[VOTES], most = 0;
    uint64_t lines;
    *rows = 0;
    for (size_t at = 0, whole; at < size && *rows < VOTES; at += whole) {
        const char *row = text + at;
        whole = measure_row(row, size - at, what, 0, &lines);
        const size_t length = without_end(row, whole);
        if (is_blank_line(row, length) || *row == '#' || *row == '%') continue;
        counts[(*rows)++] = count_outside_quotes(row, length, what);
    }
    for (int i = 0; i < *rows; i++) {
        int same = 0;
        for (int k = 0; k < *rows; k++) same += counts[i] >= 2 && counts[k] == counts[i];
        if (same > most) most = same;
    }
    return most;
}

/*
 * What separates the fields where the first line may be none of the table: what most lines have equally often. 0: the first
 * line may say it.
 */
static char find_usual_separator(const char *text, size_t size, const char *first, size_t length)
{
    static const char candidates[] = {'\t', ';', '|', ','};
    const char said = sg_fields_separator(first, length);
    int lines, most = 0;
    char best = 0;
    /* Blanks and tabs in one line are blanks all (KONECT). */
    if (said == SG_SEPARATOR_COLONS || (said == ' ' && memchr(first, '\t', length)) ||
        2 * count_agreeing(text, size, said, &lines) > lines)
        return 0;
    for (size_t k = 0; k < sizeof candidates; k++) {
        const int agreeing = count_agreeing(text, size, candidates[k], &lines);
        if (2 * agreeing <= lines || agreeing <= most) continue;
        most = agreeing;
        best = candidates[k];
    }
    return best;
}

void sg_sample_drop(sg_sample *sample, int count)
{
    for (int i = 0; i < count; i++) free(sample->rows[i].fields);
    sample->count -= count;
    memmove(sample->rows, sample->rows + count, (size_t)sample->count * sizeof *sample->rows);
}

sg_sample_start sg_sample_begin(const char *text, size_t size)
{
    sg_sample_start start = {0};
    while (start.bytes < size) {
        const char *line = text + start.bytes, *newline = memchr(line, '\n', size - start.bytes);
        const size_t whole = newline ? (size_t)(newline - line) + 1 : size - start.bytes;
        const size_t length = without_end(line, whole);
        if (!is_before_rows(line, length, &start.separator)) {
            if (!start.separator) start.separator = find_usual_separator(line, size - start.bytes, line, length);
            if (!start.separator) start.separator = sg_fields_separator(line, length);
            return start;
        }
        start.bytes += whole;
        start.lines++;
    }
    return start;
}

/* ---- Names in a comment ---- */

/* The text of a comment that may be names: "#Fields: a b", "#fields\ta\tb", "# a b". */
static size_t find_names(const char *line, size_t length)
{
    size_t at = 0;
    while (at < length && (line[at] == '#' || line[at] == '%')) at++;
    while (at < length && (line[at] == ' ' || line[at] == '\t')) at++;
    if (length - at > 7 && strncasecmp(line + at, "fields", 6) == 0 && memchr(": \t", line[at + 6], 3)) {
        at += 7;
        while (at < length && (line[at] == ' ' || line[at] == '\t')) at++;
    }
    return at;
}

/* Whether these names say what the three columns are, without which they are of no use. */
static int name_all(const sg_field *fields, int count)
{
    unsigned found = 0;
    for (int i = 0; i < count; i++) {
        sg_name name;
        if (fields[i].length && sg_name_read(fields[i].text, fields[i].length, &name)) found |= 1u << name.role;
    }
    return found >> SG_ROLE_SRC & found >> SG_ROLE_DST & found >> SG_ROLE_TIME & 1;
}

/*
 * What separates the names of a comment, so that they are as many as fields are wanted; 0: nothing does. CloudFront has blanks
 * there, and tabs in its rows.
 */
static char find_name_separator(const sampling *s, char *names, size_t length, int wanted)
{
    const char candidates[] = {s->sample->separator, ' '};
    for (size_t k = 0; k < sizeof candidates; k++) {
        const int count = sg_fields_cut_plain(names, length, candidates[k], s->scratch, SG_FIELDS_MOST);
        if (count == wanted && name_all(s->scratch, count)) return candidates[k];
    }
    return 0;
}

/* A comment becomes the header, and is kept as it stands. */
static int take_names(const sampling *s, char *line, size_t length, char separator, uint64_t number, uint64_t lines,
                      scadyg_error *error)
{
    sg_sample *sample = s->sample;
    const size_t names = find_names(line, length);
    const char of_rows = sample->separator;
    if (sample->header) sg_sample_drop(sample, 1);
    free(sample->header);
    sample->header = strndup(line, length);
    if (!sample->header) return sg_fail_memory(error, "the first rows");
    sample->separator = separator;
    const int status = add_row(s, line + names, length - names, number, lines, error);
    sample->separator = of_rows;
    return status;
}

/*
 * Web servers, mail servers and Zeek write the names of the columns into a comment above the rows. The last one that has as many
 * names as the first row has fields, and says what they are, is the header.
 */
static int take_named_comment(const sampling *s, const sg_sample_start *start, size_t size, scadyg_error *error)
{
    sg_sample *sample = s->sample;
    uint64_t number = 0, lines;
    int status = SCADYG_OK;
    const size_t first =
        measure_row(sample->text + start->bytes, size - start->bytes, sample->separator, s->plain_quotes, &lines);
    /* Cutting may change the text of the row, so its fields are counted in a copy. */
    char *copy = sg_alloc(first, 1);
    if (!copy) return sg_fail_memory(error, "the first rows");
    memcpy(copy, sample->text + start->bytes, first);
    const int wanted = sg_fields_cut(copy, without_end(copy, first), sample->separator, s->scratch, SG_FIELDS_MOST);
    free(copy);
    for (size_t at = 0, next; at < start->bytes && !status && wanted >= 3; at = next) {
        char *line = sample->text + at;
        const char *newline = memchr(line, '\n', start->bytes - at);
        next = newline ? (size_t)(newline - sample->text) + 1 : start->bytes;
        const size_t length = without_end(line, next - at);
        number++;
        if (!length || (*line != '#' && *line != '%')) continue;
        const size_t names = find_names(line, length);
        const char separator = find_name_separator(s, line + names, length - names, wanted);
        if (separator) status = take_names(s, line, length, separator, number, start->lines - number + 1, error);
    }
    return status;
}

/* "% asym positive", "% bip weighted": the first line of the collection's files. */
static const char *find_konect(const char *text, size_t size)
{
    static const char *const words[] = {"sym", "asym", "bip"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        const size_t length = strlen(words[k]);
        if (size > length + 2 && memcmp(text, "% ", 2) == 0 && memcmp(text + 2, words[k], length) == 0 &&
            strchr(" \t\r\n", text[length + 2]))
            return words[k];
    }
    return NULL;
}

static int take_rows(const sampling *s, size_t size, scadyg_error *error)
{
    sg_sample *sample = s->sample;
    const sg_sample_start start = sg_sample_begin(sample->text, size);
    uint64_t number = start.lines, lines;
    int status = SCADYG_OK;
    sample->separator = start.separator;
    sample->konect = find_konect(sample->text, size);
    if (start.lines && start.bytes < size) status = take_named_comment(s, &start, size, error);
    for (size_t at = start.bytes, whole; !status && at < size && sample->count < SG_SAMPLE_ROWS; at += whole) {
        char *row = sample->text + at;
        whole = measure_row(row, size - at, sample->separator, s->plain_quotes, &lines);
        const size_t length = without_end(row, whole);
        if (!is_blank_line(row, length) && !sg_line_is_ruler(row, length))
            status = add_row(s, row, length, number + 1, lines, error);
        number += lines;
    }
    if (!status && sample->count == 0)
        status = sg_fail(error, SCADYG_E_INPUT, "%s is empty: it has no events", s->file);
    return status;
}

int sg_sample_take(sg_sample **out, const char *file, const char *text, size_t size, int plain_quotes,
                   scadyg_error *error)
{
    sampling s = {sg_alloc_zero(1, sizeof *s.sample), sg_alloc(SG_FIELDS_MOST, sizeof *s.scratch), plain_quotes,
                  file};
    int status = s.sample && s.scratch ? SCADYG_OK : sg_fail_memory(error, "the first rows");
    if (!status && !(s.sample->text = sg_alloc(size, 1))) status = sg_fail_memory(error, "the first rows");
    if (!status) {
        memcpy(s.sample->text, text, size);
        status = take_rows(&s, size, error);
    }
    free(s.scratch);
    if (status)
        sg_sample_free(s.sample);
    else
        *out = s.sample;
    return status;
}

int sg_sample_usual_count(const sg_sample *sample, int first)
{
    int best = sample->rows[first].count, most = 0;
    for (int i = first; i < sample->count && i < first + 200; i++) {
        int same = 0;
        for (int k = first; k < sample->count; k++) same += sample->rows[k].count == sample->rows[i].count;
        if (same <= most) continue;
        most = same;
        best = sample->rows[i].count;
    }
    return best;
}
