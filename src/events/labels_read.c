/*
 * Labels from a file of rows "time, node, class, weight".
 *
 * A row is kept in 16 bytes until all have been read; then they are dealt out by label time, which takes 12 more,
 * and each label time is sorted by itself.
 */
#include "events/labels.h"

#include "base/crc32c.h"
#include "base/csv.h"
#include "base/memory.h"
#include "events/import/ids.h"
#include "events/import/input.h"
#include "events/number_text.h"
#include "events/time_text.h"

#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define NO_CLASS UINT32_MAX

/* ---- Which column is what ---- */

#define LABEL_FIELDS 256

struct label_layout {
    char separator;
    int columns; /* fields per row */
    int time, node, class_of;
    int weight; /* -1: every row weighs 1 */
};

/* A row of data has at least a time, which is a number or a date; nan is a bad number, but no name. */
static int is_name(const sg_field *field)
{
    double value;
    int has_time;
    return sg_parse_double(field->text, field->length, &value) < 0 &&
           sg_parse_date(field->text, field->length, &value, &has_time) != 0;
}

static int is_one_of(const sg_field *field, const char *const *words)
{
    char name[24];
    if (field->length >= sizeof name) return 0;
    snprintf(name, sizeof name, "%.*s", (int)field->length, field->text);
    for (; *words; words++)
        if (strcasecmp(name, *words) == 0) return 1;
    return 0;
}

/* What a name means here, as a role of an event's column: the node is its source, the class its destination. */
static sg_role find_role(const sg_field *field)
{
    static const char *const nodes[] = {"node", "node_id", "nodeid", "id", NULL};
    static const char *const classes[] = {"class", "class_id", "label", "category", "token", "topic", NULL};
    int known;
    if (!sg_utf8_valid(field->text, field->length)) return SG_ROLE_IGNORE; /* bytes that name nothing, such as 0 */
    if (is_one_of(field, nodes)) return SG_ROLE_SRC;
    if (is_one_of(field, classes)) return SG_ROLE_DST;
    return sg_name_role(field->text, field->length, &known);
}

static int find_columns_by_name(struct label_layout *layout, const sg_field *fields, int count, const char *place,
                                scadyg_error *error)
{
    layout->time = layout->node = layout->class_of = layout->weight = -1;
    for (int i = 0; i < count; i++) {
        sg_role role = find_role(&fields[i]);
        int *column = role == SG_ROLE_TIME     ? &layout->time
                      : role == SG_ROLE_SRC    ? &layout->node
                      : role == SG_ROLE_DST    ? &layout->class_of
                      : role == SG_ROLE_WEIGHT ? &layout->weight
                                               : NULL;
        if (!column) continue;
        if (*column >= 0)
            return sg_fail(error, SCADYG_E_LAYOUT,
                           "%s: two columns could be the %s: name them time, node, class, weight", place,
                           role == SG_ROLE_TIME  ? "time"
                           : role == SG_ROLE_SRC ? "node"
                           : role == SG_ROLE_DST ? "class"
                                                 : "weight");
        *column = i;
    }
    const char *missing = layout->time < 0       ? "time"
                          : layout->node < 0     ? "node"
                          : layout->class_of < 0 ? "class"
                                                 : NULL;
    if (!missing) return SCADYG_OK;
    return sg_fail(error, SCADYG_E_LAYOUT,
                   "%s: no column of the header is the %s: name them time, node, class, weight", place, missing);
}

/*
 * From the fields of the first row: by name where it is a header (*is_header), else in the order time, node, class,
 * weight. `place` is "file:line" for messages.
 */
static int find_layout(struct label_layout *layout, const sg_field *fields, int count, const char *place,
                       int *is_header, scadyg_error *error)
{
    layout->columns = count;
    *is_header = 1;
    for (int i = 0; i < count; i++) *is_header &= is_name(&fields[i]);
    if (*is_header) return find_columns_by_name(layout, fields, count, place, error);
    if (count != 3 && count != 4)
        return sg_fail(
            error, SCADYG_E_LAYOUT,
            "%s: the row has %d field%s; time, node, class and weight are needed, or a header that names "
            "them",
            place, count, sg_plural(count));
    layout->time = 0;
    layout->node = 1;
    layout->class_of = 2;
    layout->weight = count == 4 ? 3 : -1;
    return SCADYG_OK;
}

/* ---- Lines ---- */

struct label_row {
    uint32_t time; /* its number, in the order of first appearance */
    sg_label_entry entry;
};

struct label_reader {
    scadyg_events *events;
    const char *path;
    uint64_t line;
    int begun, fixed; /* the layout is known; the classes are given */
    struct label_layout layout;
    scadyg_time_reader *time_reader;
    sg_label_file file;
    sg_field *fields;
    sg_ids times, classes; /* the bits of a time, and the name of a class, to their numbers */
    struct label_row *rows;
    size_t count, room;
};

static int refuse_row(const struct label_reader *reader, const char *line, const sg_field *field,
                      const char *reason, scadyg_error *error)
{
    return sg_fail(error, SCADYG_E_INPUT, "%s:%llu:%zu: %s", reader->path, (unsigned long long)reader->line,
                   field ? (size_t)(field->text - line) + 1 : 1, reason);
}

static int read_time(struct label_reader *reader, const char *line, const sg_field *field, uint32_t *number,
                     scadyg_error *error)
{
    scadyg_error reason;
    double time;
    if (field->length == 0) return refuse_row(reader, line, field, "the time is missing", error);
    if (scadyg_time_reader_read(reader->time_reader, field->text, &time, &reason))
        return refuse_row(reader, line, field, reason.message, error);
    time += 0.0; /* there is no negative zero among times */
    int64_t bits;
    memcpy(&bits, &time, sizeof bits);
    const sg_id id = sg_id_integer(&reader->times.key, bits);
    return sg_ids_node(&reader->times, &id, 0, number, error);
}

static int read_node(struct label_reader *reader, const char *line, const sg_field *field, uint32_t *node,
                     scadyg_error *error)
{
    scadyg_error reason;
    if (field->length == 0) return refuse_row(reader, line, field, "the node is missing", error);
    int status = scadyg_node_find(reader->events, SCADYG_SOURCE, field->text, node, &reason);
    if (status == SCADYG_E_NOT_FOUND) return refuse_row(reader, line, field, reason.message, error);
    return status ? sg_fail(error, status, "%s", reason.message) : SCADYG_OK;
}

/* *class_of is UINT32_MAX where the classes are given and this is none of them. */
static int read_class(struct label_reader *reader, const char *line, const sg_field *field, uint32_t *class_of,
                      scadyg_error *error)
{
    sg_id id;
    if (field->length == 0) return refuse_row(reader, line, field, "the class is missing", error);
    if (field->length > SG_ID_LONGEST)
        return refuse_row(reader, line, field, "the class has too long a name", error);
    sg_id_parse(&id, &reader->classes.key, field->text, field->length);
    if (!reader->fixed) return sg_ids_node(&reader->classes, &id, 0, class_of, error);
    *class_of = sg_ids_find(&reader->classes, &id, 0);
    return SCADYG_OK;
}

static int read_weight(struct label_reader *reader, const char *line, const sg_field *field, float *weight,
                       scadyg_error *error)
{
    double value;
    if (field->length == 0) return refuse_row(reader, line, field, "the weight is missing", error);
    if (sg_parse_double(field->text, field->length, &value))
        return refuse_row(reader, line, field, "the weight is not a finite number", error);
    if (value < 0) return refuse_row(reader, line, field, "the weight is negative", error);
    if (value > (double)FLT_MAX) return refuse_row(reader, line, field, "the weight is too large", error);
    *weight = (float)value;
    return SCADYG_OK;
}

static int read_row(struct label_reader *reader, const char *line, int count, scadyg_error *error)
{
    const struct label_layout *layout = &reader->layout;
    struct label_row row = {.entry.weight = 1};
    if (count != layout->columns)
        return refuse_row(reader, line, NULL, "the row has another number of fields than the first", error);
    const int used[] = {layout->time, layout->node, layout->class_of};
    for (size_t i = 0; i < sizeof used / sizeof *used; i++) {
        sg_field *field = &reader->fields[used[i]];
        if (!sg_utf8_valid(field->text, field->length))
            return refuse_row(reader, line, field, "the field is not valid UTF-8", error);
        field->text[field->length] = 0; /* where the separator or a quote was */
    }
    int status = read_time(reader, line, &reader->fields[layout->time], &row.time, error);
    if (!status) status = read_node(reader, line, &reader->fields[layout->node], &row.entry.node, error);
    if (!status) status = read_class(reader, line, &reader->fields[layout->class_of], &row.entry.class_of, error);
    if (!status && layout->weight >= 0)
        status = read_weight(reader, line, &reader->fields[layout->weight], &row.entry.weight, error);
    if (status || row.entry.class_of == UINT32_MAX || !(row.entry.weight > 0)) return status;
    if (sg_grow(&reader->rows, &reader->room, reader->count + 1, sizeof *reader->rows))
        return sg_fail_memory(error, "the labels");
    reader->rows[reader->count++] = row;
    return SCADYG_OK;
}

/* ---- Which file it is ---- */

/* Each line with its end, so that no two files of different lines have the same bytes. */
static void add_line(sg_label_file *file, const char *line, size_t length)
{
    file->checksum = sg_crc32c(sg_crc32c(file->checksum, line, length), "\n", 1);
    file->lines++;
}

/* A pipe would keep us waiting, and could not be read a second time. */
static int open_regular(const char *path, sg_input **input, scadyg_error *error)
{
    struct stat facts;
    if (stat(path, &facts) != 0) return sg_fail_system(error, errno, "cannot open %s", path);
    if (!S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode))
        return sg_fail(error, SCADYG_E_IO, "cannot read the labels %s: not a regular file", path);
    return sg_input_open(input, path, error);
}

struct comparison {
    const sg_label_file *known;
    sg_label_file file;
    int begins; /* with the known lines */
};

static int compare_line(void *data, char *line, size_t length, uint64_t number, scadyg_error *error)
{
    struct comparison *c = data;
    (void)error;
    add_line(&c->file, line, length);
    if (number == c->known->lines) c->begins = c->file.checksum == c->known->checksum;
    return SCADYG_OK;
}

int sg_label_file_look(const char *path, const sg_label_file *known, sg_label_file *file, int *match,
                       scadyg_error *error)
{
    struct comparison c = {.known = known};
    sg_input *input = NULL;
    int status = open_regular(path, &input, error);
    if (!status) status = sg_lines_read(input, compare_line, &c, error);
    sg_input_close(input);
    if (status) return status;
    *file = c.file;
    *match = !c.begins                        ? SCADYG_LABELS_OTHER
             : c.file.lines == c.known->lines ? SCADYG_LABELS_SAME
                                              : SCADYG_LABELS_LONGER;
    return SCADYG_OK;
}

static int read_first_line(struct label_reader *reader, int count, int *is_header, scadyg_error *error)
{
    char place[600];
    snprintf(place, sizeof place, "%.500s:%llu:1", reader->path, (unsigned long long)reader->line);
    reader->begun = 1;
    return find_layout(&reader->layout, reader->fields, count, place, is_header, error);
}

static int read_line(void *data, char *line, size_t length, uint64_t number, scadyg_error *error)
{
    struct label_reader *reader = data;
    reader->line = number;
    add_line(&reader->file, line, length);
    line[length] = 0;
    if (strspn(line, " \t") == length) return SCADYG_OK;
    if (!reader->begun && (*line == '#' || *line == '%')) return SCADYG_OK;
    if (!reader->begun) reader->layout.separator = sg_fields_separator(line, length);
    int count = sg_fields_cut(line, length, reader->layout.separator, reader->fields, LABEL_FIELDS);
    if (count < 0) return refuse_row(reader, line, &reader->fields[0], "the fields cannot be told apart", error);
    int is_header = 0, status = reader->begun ? SCADYG_OK : read_first_line(reader, count, &is_header, error);
    return status || is_header ? status : read_row(reader, line, count, error);
}

/* ---- From rows to labels ---- */

static int name_classes(sg_labels *labels, const sg_ids *classes, scadyg_error *error)
{
    labels->names = sg_alloc_zero(classes->count, sizeof *labels->names);
    if (!labels->names) return sg_fail_memory(error, "the names of the classes");
    for (uint32_t i = 0; i < classes->count; i++) {
        char buffer[24];
        size_t length;
        const char *text = sg_ids_text(classes, i, buffer, &length);
        if (!(labels->names[i] = strndup(text, length))) return sg_fail_memory(error, "the names of the classes");
        labels->classes++;
    }
    return SCADYG_OK;
}

struct ranked_time {
    double time;
    uint32_t number;
};

static int compare_times(const void *left, const void *right)
{
    double a = ((const struct ranked_time *)left)->time, b = ((const struct ranked_time *)right)->time;
    return (a > b) - (a < b);
}

/* Deals the rows out by their times, then lets the builder make the groups in the order of time. */
static int build_groups(struct label_reader *reader, sg_label_builder *builder, scadyg_error *error)
{
    const size_t times = reader->times.count;
    struct ranked_time *ranked = sg_alloc(times, sizeof *ranked);
    size_t *first = sg_alloc_zero(times + 1, sizeof *first);
    sg_label_entry *entries = sg_alloc(reader->count, sizeof *entries);
    int status = ranked && first && entries ? SCADYG_OK : sg_fail_memory(error, "the labels");
    if (!status) {
        for (size_t i = 0; i < reader->count; i++) first[reader->rows[i].time]++;
        for (size_t i = 0, at = 0; i <= times; i++) {
            size_t size = first[i];
            first[i] = at;
            at += size;
        }
        /* Afterwards first[i] is where the entries of time i end, and so where those of time i + 1 begin. */
        for (size_t i = 0; i < reader->count; i++) entries[first[reader->rows[i].time]++] = reader->rows[i].entry;
        free(reader->rows);
        reader->rows = NULL;
        for (uint32_t i = 0; i < times; i++) {
            ranked[i].number = i;
            memcpy(&ranked[i].time, &reader->times.keys[i], sizeof ranked[i].time);
        }
        if (times) qsort(ranked, times, sizeof *ranked, compare_times);
    }
    for (size_t i = 0; !status && i < times; i++) {
        uint32_t number = ranked[i].number;
        size_t begin = number ? first[number - 1] : 0;
        status = sg_label_builder_add(builder, ranked[i].time, entries + begin, first[number] - begin, error);
    }
    SG_FREE(ranked, first, entries);
    return status;
}

static int fix_classes(struct label_reader *reader, char *const *names, size_t classes, scadyg_error *error)
{
    for (size_t i = 0; i < classes; i++) {
        sg_id id;
        uint32_t number;
        size_t length = strlen(names[i]);
        if (length == 0 || length > SG_ID_LONGEST)
            return sg_fail(error, SCADYG_E_USAGE, "class %zu has no name or too long a one", i);
        sg_id_parse(&id, &reader->classes.key, names[i], length);
        int status = sg_ids_node(&reader->classes, &id, 0, &number, error);
        if (status) return status;
        if (number != i) return sg_fail(error, SCADYG_E_USAGE, "there are two classes '%.200s'", names[i]);
    }
    return SCADYG_OK;
}

static int read_lines(struct label_reader *reader, scadyg_error *error)
{
    sg_input *input = NULL;
    reader->fields = sg_alloc(LABEL_FIELDS, sizeof *reader->fields);
    if (!reader->fields) return sg_fail_memory(error, "the labels");
    int status = open_regular(reader->path, &input, error);
    if (!status) status = sg_lines_read(input, read_line, reader, error);
    sg_input_close(input);
    if (!status && !reader->begun) status = sg_fail(error, SCADYG_E_INPUT, "%s is empty: no labels", reader->path);
    return status;
}

int sg_labels_read(sg_labels *labels, scadyg_events *events, const char *path, char *const *names, size_t classes,
                   scadyg_error *error)
{
    struct label_reader reader = {.events = events, .path = path, .fixed = names != NULL};
    sg_label_builder builder;
    sg_ids_init(&reader.times, 1);
    sg_ids_init(&reader.classes, 1);
    int status = sg_label_builder_open(&builder, labels, error);
    if (!status) status = scadyg_time_reader_open(events, &reader.time_reader, error);
    if (!status && names) status = fix_classes(&reader, names, classes, error);
    if (!status) status = read_lines(&reader, error);
    if (!status) status = name_classes(labels, &reader.classes, error);
    if (!status) status = build_groups(&reader, &builder, error);
    labels->file = reader.file;
    sg_ids_free(&reader.times);
    sg_ids_free(&reader.classes);
    scadyg_time_reader_close(reader.time_reader);
    SG_FREE(reader.rows, reader.fields);
    if (status) sg_labels_free(labels);
    return status;
}
