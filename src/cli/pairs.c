/* A list of pairs to predict, read whole: every field becomes a text of its own in a copy of the input. */
#include "pairs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 256 };

/* Where a reader is in the text. */
typedef struct reader {
    const char *name;
    char *at, *end;
    char *line_start;
    uint64_t line;
    char separator;        /* ' ' for blanks of any number */
    size_t src, dst, time; /* which column each is; time may be SIZE_MAX */
    int timed;             /* the header has a time, so every line must have that field */
    cli_field fields[MOST_COLUMNS];
    size_t count; /* of fields in the line just read */
} reader;

static int fail_at(const char *name, uint64_t line, size_t column, const char *reason, scadyg_error *error)
{
    error->status = SCADYG_E_INPUT;
    snprintf(error->message, sizeof error->message, "%.400s:%llu:%zu: %.500s", name, (unsigned long long)line,
             column, reason);
    return error->status;
}

int cli_pairs_fail(const char *name, const cli_pair *pair, const cli_field *field, const char *reason,
                   scadyg_error *error)
{
    return fail_at(name, pair->line, field->column, reason, error);
}

static int no_memory(const char *name, scadyg_error *error)
{
    error->status = SCADYG_E_MEMORY;
    snprintf(error->message, sizeof error->message, "not enough memory for %.500s", name);
    return error->status;
}

/* The first of tab, comma and semicolon in the line, outside quotation marks; else blanks. */
static char find_separator(const char *line, const char *end)
{
    int inside = 0; /* quotation marks */
    for (const char *c = line; c < end && *c != '\n'; c++) {
        if (*c == '"') inside = !inside;
        if (!inside && (*c == '\t' || *c == ',' || *c == ';')) return *c;
    }
    return ' ';
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* A field in quotes, "" standing for one; the text is closed up in place. Leaves r->at behind the closing quote. */
static int quoted(reader *r, cli_field *field, scadyg_error *error)
{
    char *out = ++r->at;
    field->text = out;
    for (;; r->at++) {
        if (r->at == r->end || *r->at == '\n')
            return fail_at(r->name, r->line, field->column, "the quotation mark has no end in this line", error);
        if (*r->at == '"') {
            if (r->at + 1 == r->end || r->at[1] != '"') break;
            r->at++;
        }
        *out++ = *r->at;
    }
    r->at++;
    *out = 0; /* at or before the closing quote */
    return SCADYG_OK;
}

static char *plain(reader *r, cli_field *field)
{
    field->text = r->at;
    int blanks = r->separator == ' ';
    while (r->at < r->end && *r->at != '\n' && (blanks ? !is_blank(*r->at) : *r->at != r->separator)) r->at++;
    char *last = r->at;
    while (last > field->text && is_blank(last[-1])) last--;
    return last;
}

static void skip_blanks(reader *r)
{
    while (r->at < r->end && is_blank(*r->at) && *r->at != r->separator) r->at++;
    while (r->separator == ' ' && r->at < r->end && is_blank(*r->at)) r->at++;
}

/* One field and the separator after it. *more: another field follows. */
static int take_field(reader *r, int *more, scadyg_error *error)
{
    skip_blanks(r);
    if (r->count == MOST_COLUMNS)
        return fail_at(r->name, r->line, (size_t)(r->at - r->line_start) + 1, "too many columns", error);
    cli_field *field = &r->fields[r->count++];
    field->column = (uint32_t)(r->at - r->line_start) + 1;
    char *last = NULL;
    if (r->at < r->end && *r->at == '"') {
        int status = quoted(r, field, error);
        if (status) return status;
    } else {
        last = plain(r, field);
    }
    skip_blanks(r);
    int ended = r->at == r->end || *r->at == '\n';
    if (!ended && !last && r->separator != ' ' && *r->at != r->separator)
        return fail_at(r->name, r->line, (size_t)(r->at - r->line_start) + 1,
                       "something follows the closing quotation mark", error);
    *more = !ended;
    if (!ended && r->separator != ' ') r->at++;
    if (last) *last = 0;
    return SCADYG_OK;
}

/* The fields of a line; none for a blank one. */
static int take_line(reader *r, scadyg_error *error)
{
    r->line++;
    r->line_start = r->at;
    r->count = 0;
    char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
    if (!end) end = r->end;
    char *zero = memchr(r->at, 0, (size_t)(end - r->at));
    if (zero) return fail_at(r->name, r->line, (size_t)(zero - r->at) + 1, "a zero byte; this is no text", error);
    if ((size_t)(end - r->at) >= UINT32_MAX) return fail_at(r->name, r->line, 1, "the line is too long", error);
    char *whole_end = r->end;
    char *first = r->at;
    while (first < end && is_blank(*first)) first++;
    int more = first < end, status = SCADYG_OK;
    r->end = end; /* a field's terminator may fall on the newline */
    while (more && !status) status = take_field(r, &more, error);
    r->end = whole_end;
    r->at = end < whole_end ? end + 1 : end;
    return status;
}

static int among(const char *names, const char *text)
{
    char word[40];
    size_t length = strlen(text);
    if (length == 0 || length > sizeof word - 3) return 0;
    word[0] = ' ';
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        word[i + 1] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c == ' ' || c == '-' ? '_' : c);
    }
    memcpy(word + length + 1, " ", 2);
    return strstr(names, word) != NULL;
}

static size_t find_column(const reader *r, const char *names)
{
    for (size_t i = 0; i < r->count; i++)
        if (among(names, r->fields[i].text)) return i;
    return SIZE_MAX;
}

/* Whether the line just read is a header: it names a source and a destination. Sets the columns then. */
static int is_header(reader *r)
{
    size_t src = find_column(r, " src source source_id src_id from from_id u user user_id sender sender_id "), dst,
           time;
    dst = find_column(r, " dst dest destination destination_id dst_id to to_id target target_id v i item item_id "
                         "receiver receiver_id recipient recipient_id ");
    time = find_column(r, " time timestamp ts t date datetime date_time year unixtime unix_time when at ");
    if (src == SIZE_MAX || dst == SIZE_MAX) return 0;
    r->src = src;
    r->dst = dst;
    r->time = time;
    r->timed = time != SIZE_MAX;
    return 1;
}

static int take_pair(reader *r, size_t index, const char *what, cli_field *field, scadyg_error *error)
{
    if (index < r->count && *r->fields[index].text) {
        *field = r->fields[index];
        return SCADYG_OK;
    }
    char reason[64];
    snprintf(reason, sizeof reason, "there is no %s in this line", what);
    size_t column = index < r->count ? r->fields[index].column : (size_t)(r->fields[r->count - 1].column);
    return fail_at(r->name, r->line, column, reason, error);
}

static int add_pair(reader *r, cli_pairs *pairs, size_t *room, scadyg_error *error)
{
    if (pairs->count == *room) {
        size_t more = *room ? 2 * *room : 256;
        cli_pair *grown = realloc(pairs->pairs, more * sizeof *grown);
        if (!grown) return no_memory(r->name, error);
        pairs->pairs = grown;
        *room = more;
    }
    cli_pair *pair = &pairs->pairs[pairs->count];
    *pair = (cli_pair){.line = r->line, .time = {"", 1}};
    int status = take_pair(r, r->src, "source", &pair->src, error);
    if (!status) status = take_pair(r, r->dst, "destination", &pair->dst, error);
    if (!status && r->time < r->count)
        pair->time = r->fields[r->time];
    else if (!status && r->timed)
        status = fail_at(r->name, r->line, r->fields[r->count - 1].column,
                         "there is no time in this line; for now leave it empty after a separator", error);
    if (!status) pairs->count++;
    return status;
}

static void skip_line(reader *r)
{
    char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
    r->at = end ? end + 1 : r->end;
    r->line++;
}

static int take_all(reader *r, cli_pairs *pairs, scadyg_error *error)
{
    size_t room = 0;
    int first = 1;
    while (r->at < r->end) {
        if (first && (*r->at == '#' || *r->at == '%')) {
            skip_line(r);
            continue;
        }
        if (first) r->separator = find_separator(r->at, r->end);
        int status = take_line(r, error);
        if (status) return status;
        if (r->count == 0) continue;
        int header = first && is_header(r);
        first = 0;
        if (!header && (status = add_pair(r, pairs, &room, error))) return status;
    }
    return SCADYG_OK;
}

int cli_pairs_parse(const char *name, const char *text, size_t size, cli_pairs *pairs, scadyg_error *error)
{
    *pairs = (cli_pairs){.text = malloc(size + 1)};
    reader *r = calloc(1, sizeof *r);
    int status = SCADYG_OK;
    if (!pairs->text || !r) status = no_memory(name, error);
    if (!status) {
        if (size) memcpy(pairs->text, text, size);
        pairs->text[size] = 0;
        int mark = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0;
        *r = (reader){
            .name = name, .at = pairs->text + (mark ? 3 : 0), .end = pairs->text + size, .dst = 1, .time = 2};
        status = take_all(r, pairs, error);
    }
    free(r);
    if (status) cli_pairs_free(pairs);
    return status;
}

static int read_all(FILE *file, const char *name, char **data, size_t *size, scadyg_error *error)
{
    size_t room = 0;
    *size = 0;
    do {
        if (*size == room) {
            room = room ? 2 * room : 65536;
            char *grown = realloc(*data, room);
            if (!grown) return no_memory(name, error);
            *data = grown;
        }
        errno = 0;
        *size += fread(*data + *size, 1, room - *size, file);
    } while (!feof(file) && !ferror(file));
    if (!ferror(file)) return SCADYG_OK;
    error->status = SCADYG_E_IO;
    snprintf(error->message, sizeof error->message, "cannot read %.500s: %s", name, strerror(errno));
    return error->status;
}

int cli_pairs_read(const char *path, cli_pairs *pairs, scadyg_error *error)
{
    *pairs = (cli_pairs){0};
    int input = strcmp(path, "-") == 0;
    FILE *file = input ? stdin : fopen(path, "rb");
    if (!file) {
        error->status = SCADYG_E_IO;
        snprintf(error->message, sizeof error->message, "cannot open %.500s: %s", path, strerror(errno));
        return error->status;
    }
    char *data = NULL;
    size_t size = 0;
    const char *name = input ? "standard input" : path;
    int status = read_all(file, name, &data, &size, error);
    if (!input) fclose(file);
    if (!status) status = cli_pairs_parse(name, data, size, pairs, error);
    free(data);
    return status;
}

void cli_pairs_free(cli_pairs *pairs)
{
    free(pairs->pairs);
    free(pairs->text);
    *pairs = (cli_pairs){0};
}
