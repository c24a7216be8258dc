/* A list of pairs to predict, read whole: every field becomes a text of its own in a copy of the input. */
#include "cli/pair_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/memory.h"
#include "base/status.h"

enum { MOST_COLUMNS = 256 };

/* Where a reader is in the text. */
typedef struct reader {
    const char *name;
    char *at, *end;
    char *line_start;
    uint64_t line;
    char separator;     /* 0: not known yet; ' ' for blanks of any number */
    int src, dst, time; /* which column each is; time may be -1 */
    int timed;          /* the header has a time, so every line must have that field */
    sg_field fields[MOST_COLUMNS];
    int count; /* of fields in the line just read */
} reader;

static int fail_at(const reader *r, const char *place, const char *reason, scadyg_error *error)
{
    return sg_fail(error, SCADYG_E_INPUT, "%.400s:%llu:%zu: %.500s", r->name, (unsigned long long)r->line,
                   (size_t)(place - r->line_start) + 1, reason);
}

int cli_pairs_fail(const char *name, const cli_pair *pair, const cli_field *field, const char *reason,
                   scadyg_error *error)
{
    return sg_fail(error, SCADYG_E_INPUT, "%.400s:%llu:%u: %.500s", name, (unsigned long long)pair->line,
                   field->column, reason);
}

/* ---- Lines ---- */

static int cut_line(reader *r, size_t length, scadyg_error *error)
{
    static const char *const troubles[] = {"too many columns", "the quotation mark has no end in this line",
                                           "something follows the closing quotation mark"};
    if (!r->separator) r->separator = sg_fields_separator(r->line_start, length);
    r->count = sg_fields_cut(r->line_start, length, r->separator, r->fields, MOST_COLUMNS);
    if (r->count < 0) return fail_at(r, r->fields[0].text, troubles[-r->count - 1], error);
    for (int i = 0; i < r->count; i++)
        r->fields[i].text[r->fields[i].length] = 0; /* a separator, or behind the line */
    return SCADYG_OK;
}

/* The fields of the next line; none for a blank one, and for comments before the first. */
static int take_line(reader *r, scadyg_error *error)
{
    r->line++;
    r->line_start = r->at;
    r->count = 0;
    const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
    size_t length = newline ? (size_t)(newline - r->at) : (size_t)(r->end - r->at);
    r->at += length + (newline != NULL);
    if (!r->separator && length && strchr("#%", *r->line_start)) return SCADYG_OK;
    const char *zero = memchr(r->line_start, 0, length);
    if (zero) return fail_at(r, zero, "a zero byte: a binary file, not text", error);
    if (length >= UINT32_MAX) return fail_at(r, r->line_start, "the line is too long", error);
    while (length && r->line_start[length - 1] == '\r') length--;
    size_t blanks = 0;
    while (blanks < length && strchr(" \t\r", r->line_start[blanks])) blanks++;
    return blanks < length ? cut_line(r, length, error) : SCADYG_OK;
}

/* Whether the line just read is a header: it names a source and a destination. Sets the columns then. */
static int is_header(reader *r)
{
    int found[SG_ROLE_INDEX + 1];
    for (size_t i = 0; i <= SG_ROLE_INDEX; i++) found[i] = -1;
    for (int i = 0; i < r->count; i++) {
        int known;
        const sg_role role = sg_name_role(r->fields[i].text, r->fields[i].length, &known);
        if (known && found[role] < 0) found[role] = i;
    }
    if (found[SG_ROLE_SRC] < 0 || found[SG_ROLE_DST] < 0) return 0;
    r->src = found[SG_ROLE_SRC];
    r->dst = found[SG_ROLE_DST];
    r->time = found[SG_ROLE_TIME];
    r->timed = r->time >= 0;
    return 1;
}

/* ---- Pairs ---- */

/* A field in quotes begins at its quote. */
static cli_field field_of(const reader *r, int index)
{
    const char *text = r->fields[index].text;
    const size_t before = (size_t)(text - r->line_start);
    return (cli_field){text, (uint32_t)(before && text[-1] == '"' ? before : before + 1)};
}

static int take_node(const reader *r, int index, const char *reason, cli_field *field, scadyg_error *error)
{
    if (index >= r->count || !*r->fields[index].text)
        return fail_at(r, r->fields[index < r->count ? index : r->count - 1].text, reason, error);
    *field = field_of(r, index);
    return SCADYG_OK;
}

static int add_pair(const reader *r, cli_pairs *pairs, size_t *room, scadyg_error *error)
{
    if (sg_grow(&pairs->pairs, room, pairs->count + 1, sizeof *pairs->pairs)) return sg_fail_memory(error, r->name);
    cli_pair *pair = &pairs->pairs[pairs->count];
    *pair = (cli_pair){.line = r->line, .time = {"", 1}};
    int status = take_node(r, r->src, "there is no source in this line", &pair->src, error);
    if (!status) status = take_node(r, r->dst, "there is no destination in this line", &pair->dst, error);
    if (!status && r->time >= 0 && r->time < r->count)
        pair->time = field_of(r, r->time);
    else if (!status && r->timed)
        status = fail_at(r, r->fields[r->count - 1].text,
                         "there is no time in this line; for now leave it empty after a separator", error);
    if (!status) pairs->count++;
    return status;
}

static int take_all(reader *r, cli_pairs *pairs, scadyg_error *error)
{
    size_t room = 0;
    int first = 1, status = SCADYG_OK;
    while (r->at < r->end && !status) {
        status = take_line(r, error);
        if (status || !r->count) continue;
        const int header = first && is_header(r);
        first = 0;
        if (!header) status = add_pair(r, pairs, &room, error);
    }
    return status;
}

int cli_pairs_parse(const char *name, const char *text, size_t size, cli_pairs *pairs, scadyg_error *error)
{
    *pairs = (cli_pairs){.text = malloc(size + 1)};
    reader *r = calloc(1, sizeof *r);
    int status = pairs->text && r ? SCADYG_OK : sg_fail_memory(error, name);
    if (!status) {
        if (size) memcpy(pairs->text, text, size);
        pairs->text[size] = 0;
        const int mark = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0;
        *r = (reader){
            .name = name, .at = pairs->text + (mark ? 3 : 0), .end = pairs->text + size, .dst = 1, .time = 2};
        status = take_all(r, pairs, error);
    }
    free(r);
    if (status) cli_pairs_free(pairs);
    return status;
}

/* ---- Files ---- */

static int read_all(FILE *file, const char *name, char **data, size_t *size, scadyg_error *error)
{
    size_t room = 0;
    *size = 0;
    do {
        if (sg_grow(data, &room, *size + 65536, 1)) return sg_fail_memory(error, name);
        errno = 0;
        *size += fread(*data + *size, 1, room - *size, file);
    } while (!feof(file) && !ferror(file));
    return ferror(file) ? sg_fail_system(error, errno, "cannot read %.500s", name) : SCADYG_OK;
}

int cli_pairs_read(const char *path, cli_pairs *pairs, scadyg_error *error)
{
    *pairs = (cli_pairs){0};
    const int input = strcmp(path, "-") == 0;
    FILE *file = input ? stdin : fopen(path, "rb");
    if (!file) return sg_fail_system(error, errno, "cannot open %.500s", path);
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
