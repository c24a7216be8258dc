/* The journal of a search as text, and back. */
#include "learn/tune/tune.h"

#include "base/crc32c.h"
#include "base/file.h"
#include "base/memory.h"
#include "events/number_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TITLE "scadyg tune journal "
#define COLUMNS "trial\tround\tepochs\tbest\tscore\tfailure"
#define SEAL "checksum "
#define SEAL_SIZE (sizeof SEAL - 1 + 8 + 1) /* with eight digits and the line break */
#define FIXED 6                             /* columns before those of the varied options */

void sg_journal_free(sg_journal *journal)
{
    for (size_t i = 0; i < journal->count; i++) {
        SG_FREE(journal->rows[i].failure, journal->rows[i].values);
    }
    SG_FREE(journal->rows, journal->head);
    *journal = (sg_journal){0};
}

/* ---- Text that grows ---- */

typedef struct text {
    char *data;
    size_t size, room;
    int failed;
} text;

static void put(text *to, const char *data, size_t size)
{
    if (to->failed || sg_grow(&to->data, &to->room, to->size + size + 1, 1)) {
        to->failed = 1;
        return;
    }
    memcpy(to->data + to->size, data, size);
    to->size += size;
    to->data[to->size] = 0;
}

static void put_text(text *to, const char *data)
{
    put(to, data, strlen(data));
}

/* Tabs and line breaks have a meaning of their own here. */
static void put_escaped(text *to, const char *data)
{
    for (; *data; data++) switch (*data) {
        case '\\': put_text(to, "\\\\"); break;
        case '\t': put_text(to, "\\t"); break;
        case '\n': put_text(to, "\\n"); break;
        default: put(to, data, 1);
        }
}

static char *finish(text *done)
{
    if (!done->failed) return done->data;
    free(done->data);
    return NULL;
}

/* Appends a finished piece to a text that is somebody's own. */
static int append(char **to, text *piece)
{
    char *added = finish(piece);
    text all = {0};
    if (*to) put_text(&all, *to);
    if (added) put_text(&all, added);
    all.failed |= !added;
    free(added);
    char *whole = finish(&all);
    if (!whole) return -1;
    free(*to);
    *to = whole;
    return 0;
}

/* ---- Writing ---- */

int sg_journal_line(char **head, const char *word, const char *value)
{
    text line = {0};
    if (!*head) {
        char title[64];
        snprintf(title, sizeof title, TITLE "%d\n", SG_JOURNAL_VERSION);
        put_text(&line, title);
    }
    put_text(&line, word);
    put_text(&line, " ");
    put_escaped(&line, value);
    put_text(&line, "\n");
    return append(head, &line);
}

int sg_journal_heading(char **head, const char *const *names, size_t count)
{
    text line = {0};
    put_text(&line, COLUMNS);
    for (size_t i = 0; i < count; i++) {
        put_text(&line, "\t");
        put_escaped(&line, names[i]);
    }
    put_text(&line, "\n");
    return append(head, &line);
}

char *sg_journal_values(const char *const *values, size_t count)
{
    text all = {0};
    put(&all, "", 0);
    for (size_t i = 0; i < count; i++) {
        if (i) put_text(&all, "\t");
        put_escaped(&all, values[i]);
    }
    return finish(&all);
}

int sg_journal_add(sg_journal *journal, const sg_journal_row *row, scadyg_error *error)
{
    sg_journal_row copy = *row;
    copy.failure = row->failure ? strdup(row->failure) : NULL;
    copy.values = strdup(row->values);
    if ((row->failure && !copy.failure) || !copy.values ||
        sg_grow(&journal->rows, &journal->room, journal->count + 1, sizeof *journal->rows)) {
        SG_FREE(copy.failure, copy.values);
        return sg_fail_memory(error, "the journal");
    }
    journal->rows[journal->count++] = copy;
    return SCADYG_OK;
}

static void put_row(text *to, const sg_journal_row *row)
{
    char numbers[128], score[32] = "-";
    if (!row->failure) sg_print_double(row->score, score);
    snprintf(numbers, sizeof numbers, "%lld\t%lld\t%lld\t%lld\t%s\t", (long long)row->trial, (long long)row->round,
             (long long)row->epochs, (long long)row->best_epoch, score);
    put_text(to, numbers);
    put_escaped(to, row->failure ? row->failure : "-");
    put_text(to, "\t");
    put_text(to, row->values);
    put_text(to, "\n");
}

char *sg_journal_text(const sg_journal *journal)
{
    text all = {0};
    char seal[SEAL_SIZE + 1];
    put_text(&all, journal->head);
    for (size_t i = 0; i < journal->count; i++) put_row(&all, &journal->rows[i]);
    snprintf(seal, sizeof seal, SEAL "%08x\n", all.failed ? 0 : (unsigned)sg_crc32c(0, all.data, all.size));
    put_text(&all, seal);
    return finish(&all);
}

int sg_journal_write(const char *path, const sg_journal *journal, scadyg_error *error)
{
    char *all = sg_journal_text(journal);
    if (!all) return sg_fail_memory(error, "the journal");
    sg_output output;
    int status = sg_output_open(&output, path, error);
    if (!status) {
        status = sg_output_write_at(&output, 0, all, strlen(all), error);
        if (!status)
            status = sg_output_commit(&output, error);
        else
            sg_output_abandon(&output);
    }
    free(all);
    return status;
}

/* ---- Reading ---- */

static int damaged(const char *name, const char *reason, scadyg_error *error)
{
    return sg_fail(error, SCADYG_E_FORMAT, "%s is damaged: %s", name, reason);
}

/* Title and checksum: whether it is a journal, and whole. */
static int check_frame(const char *name, const char *data, size_t size, scadyg_error *error)
{
    const size_t title = sizeof TITLE - 1;
    char version[16], expected[SEAL_SIZE + 1];
    if (size < title || memcmp(data, TITLE, title) != 0)
        return sg_fail(error, SCADYG_E_FORMAT, "%s is not the journal of a search", name);
    snprintf(version, sizeof version, "%d\n", SG_JOURNAL_VERSION);
    const size_t length = strlen(version);
    if (size < title + length || memcmp(data + title, version, length) != 0)
        return sg_fail(error, SCADYG_E_VERSION, "%s was written by another version of scadyg", name);
    if (memchr(data, 0, size)) return damaged(name, "it is no text", error);
    if (size < title + length + SEAL_SIZE) return damaged(name, "it has no checksum", error);
    const size_t body = size - SEAL_SIZE;
    snprintf(expected, sizeof expected, SEAL "%08x\n", (unsigned)sg_crc32c(0, data, body));
    if (memcmp(data + body, expected, SEAL_SIZE) != 0 || data[body - 1] != '\n')
        return damaged(name, "its checksum is wrong", error);
    return SCADYG_OK;
}

/* In place; -1 if a backslash stands before anything else than what put_escaped writes. */
static int unescape(char *field)
{
    char *out = field;
    for (; *field; field++) {
        if (*field != '\\') {
            *out++ = *field;
            continue;
        }
        const char *known = strchr("\\tn", *++field);
        if (!*field || !known) return -1;
        *out++ = "\\\t\n"[known - "\\tn"];
    }
    *out = 0;
    return 0;
}

/* Cuts the next field off; NULL if there is no tab behind it. */
static char *next_field(char **rest)
{
    char *field = *rest, *tab = strchr(field, '\t');
    if (!tab) return NULL;
    *tab = 0;
    *rest = tab + 1;
    return field;
}

static int read_whole(const char *field, int64_t low, int64_t *value)
{
    char again[24];
    if (!field || !*field || strlen(field) > 15) return -1;
    char *end;
    *value = strtoll(field, &end, 10);
    snprintf(again, sizeof again, "%lld", (long long)*value);
    return *end || *value < low || strcmp(again, field) != 0 ? -1 : 0;
}

static int read_score(const char *field, double *score)
{
    char again[32];
    if (!field || sg_parse_double(field, strlen(field), score)) return -1;
    sg_print_double(*score, again);
    return strcmp(again, field) == 0 ? 0 : -1;
}

static size_t tabs_in(const char *line)
{
    size_t tabs = 0;
    for (; *line; line++) tabs += *line == '\t';
    return tabs;
}

/* One row without its line break, which is cut up. */
static int read_row(char *line, sg_journal_row *row)
{
    *row = (sg_journal_row){0};
    int bad = read_whole(next_field(&line), 1, &row->trial);
    bad |= read_whole(next_field(&line), 1, &row->round);
    bad |= read_whole(next_field(&line), 0, &row->epochs);
    bad |= read_whole(next_field(&line), 0, &row->best_epoch);
    const char *score = next_field(&line);
    char *failure = next_field(&line);
    if (bad || !score || !failure || row->best_epoch > row->epochs) return -1;
    row->values = line;
    if (strcmp(score, "-") != 0) return read_score(score, &row->score) || strcmp(failure, "-") != 0 ? -1 : 0;
    row->score = NAN;
    row->failure = failure;
    return strcmp(failure, "-") == 0 ? -1 : unescape(failure);
}

static int read_rows(const char *name, char *lines, size_t tabs, sg_journal *journal, scadyg_error *error)
{
    int status = SCADYG_OK;
    while (!status && *lines) {
        char *end = strchr(lines, '\n');
        *end = 0;
        sg_journal_row row;
        if (tabs_in(lines) != tabs || read_row(lines, &row))
            status = damaged(name, "a row of its table makes no sense", error);
        else
            status = sg_journal_add(journal, &row, error);
        lines = end + 1;
    }
    return status;
}

int sg_journal_parse(const char *name, const char *data, size_t size, sg_journal *journal, scadyg_error *error)
{
    int status = check_frame(name, data, size, error);
    if (status) return status;
    char *body = strndup(data, size - SEAL_SIZE);
    if (!body) return sg_fail_memory(error, "the journal");
    sg_journal read = {0};
    char *heading = strstr(body, "\n" COLUMNS "\t");
    char *end = heading ? strchr(heading + 1, '\n') : NULL;
    if (!end) {
        status = damaged(name, "it has no table", error);
    } else {
        read.head = strndup(body, (size_t)(end + 1 - body));
        *end = 0;
        const size_t tabs = tabs_in(heading);
        status = read.head ? read_rows(name, end + 1, tabs, &read, error) : sg_fail_memory(error, "the journal");
    }
    free(body);
    if (status)
        sg_journal_free(&read);
    else
        *journal = read;
    return status;
}

int sg_journal_read(const char *path, sg_journal *journal, scadyg_error *error)
{
    sg_mapping mapping;
    int status = sg_map(&mapping, path, error);
    if (status) return status;
    status = sg_journal_parse(path, (const char *)mapping.data, mapping.size, journal, error);
    const int changed = sg_mapping_check(&mapping, path, error);
    sg_unmap(&mapping);
    if (changed && !status) sg_journal_free(journal);
    return changed ? changed : status;
}
