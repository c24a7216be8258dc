/* Features from files of their own, of events and of nodes. */
#include "events/import/features.h"

#include "base/csv.h"
#include "base/memory.h"
#include "events/import/input.h"
#include "events/import/layout.h"
#include "events/number_text.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define UNPACK_SIZE ((size_t)256 << 10)
#define AROUND ((uint64_t)64 << 10) /* the system maps so much around a page that is touched */

void sg_resident_touch(sg_resident *resident, uint64_t count, uint64_t size)
{
    if (!resident->bound || !resident->mapping.data) return;
    resident->touched += count * (size + AROUND);
    if (resident->touched <= resident->bound) return;
    sg_mapping_drop(&resident->mapping);
    resident->touched = count * (size + AROUND);
}

/* .npy matrices: numbers of any plain numpy type, plain or compressed, read as float through a mapping. */

static int refuse_matrix(const char *name, const char *reason, scadyg_error *error)
{
    return sg_fail(error, SCADYG_E_FORMAT, "%s cannot be used as a .npy matrix: %s", name, reason);
}

/* Behind 'key': in the header's dictionary, or NULL. */
static const char *find_value(const char *header, const char *key)
{
    const char *found = strstr(header, key);
    if (!found) return NULL;
    found = strchr(found + strlen(key), ':');
    if (!found) return NULL;
    found++;
    while (*found == ' ') found++;
    return found;
}

/* The type of the numbers; non-zero if it is not understood. */
static int parse_type(sg_npy *npy, const char *value)
{
    if (!value || strlen(value) < 5 || (*value != '\'' && *value != '"')) return -1;
    char order = value[1], type = value[2];
    unsigned width = (unsigned)(value[3] - '0');
    if (value[3] < '1' || value[3] > '8' || (value[4] != '\'' && value[4] != '"')) return -1;
    if (order != '<' && order != '|' && !(order == '=')) return -1;
    int known = (type == 'f' && (width == 4 || width == 8)) || (type == 'b' && width == 1) ||
                ((type == 'i' || type == 'u') && (width == 1 || width == 2 || width == 4 || width == 8));
    npy->type = type;
    npy->width = width;
    return known ? 0 : -1;
}

/* "(3, 4), ...": one or two numbers; non-zero for anything else. */
static int parse_shape(sg_npy *npy, const char *value)
{
    if (!value || *value != '(') return -1;
    uint64_t sizes[2] = {0, 1};
    int dimensions = 0;
    value++;
    while (*value != ')') {
        if (*value == ' ' || *value == ',') {
            value++;
            continue;
        }
        if (*value < '0' || *value > '9' || dimensions == 2) return -1;
        uint64_t number = 0;
        for (; *value >= '0' && *value <= '9'; value++)
            if (__builtin_mul_overflow(number, (uint64_t)10, &number) ||
                __builtin_add_overflow(number, (uint64_t)(*value - '0'), &number))
                return -1;
        sizes[dimensions++] = number;
    }
    npy->rows = sizes[0];
    npy->columns = sizes[1];
    return dimensions >= 1 ? 0 : -1;
}

int sg_npy_parse(sg_npy *npy, const unsigned char *data, size_t size, const char *name, scadyg_error *error)
{
    if (size < 12 || memcmp(data, "\x93NUMPY", 6) != 0)
        return refuse_matrix(name, "it does not begin like one", error);
    size_t prefix = data[6] == 1 ? 10 : 12, length;
    if (data[6] < 1 || data[6] > 3) return refuse_matrix(name, "its version is unknown", error);
    if (data[6] == 1)
        length = (size_t)data[8] | (size_t)data[9] << 8;
    else
        length = (size_t)data[8] | (size_t)data[9] << 8 | (size_t)data[10] << 16 | (size_t)data[11] << 24;
    if (length > 65536 || prefix + length > size) return refuse_matrix(name, "its header is cut off", error);
    char *header = strndup((const char *)data + prefix, length);
    if (!header) return sg_fail_memory(error, "a .npy header");
    const char *order = find_value(header, "fortran_order");
    npy->fortran = order && *order == 'T';
    int bad_type = parse_type(npy, find_value(header, "descr")),
        bad_shape = parse_shape(npy, find_value(header, "shape"));
    free(header);
    if (bad_type)
        return refuse_matrix(name, "its numbers are of a type not understood (use float32 or float64)", error);
    if (bad_shape) return refuse_matrix(name, "it must have one or two dimensions", error);
    uint64_t bytes;
    if (__builtin_mul_overflow(npy->rows, npy->columns, &bytes) ||
        __builtin_mul_overflow(bytes, (uint64_t)npy->width, &bytes) || bytes > size - prefix - length)
        return refuse_matrix(name, "it is shorter than its header says", error);
    npy->data = data + prefix + length;
    return SCADYG_OK;
}

/* Unpacks the whole input into a scratch file and maps that. */
static int map_unpacked(sg_npy *npy, sg_input *input, const char *beside, scadyg_error *error)
{
    int fd, status = sg_scratch_open(beside, &fd, error);
    if (status) return status;
    unsigned char *buffer = sg_alloc(UNPACK_SIZE, 1);
    if (!buffer) status = sg_fail_memory(error, "unpacking");
    uint64_t offset = 0;
    size_t got = UNPACK_SIZE;
    while (!status && got == UNPACK_SIZE) {
        status = sg_input_read(input, buffer, UNPACK_SIZE, &got, error);
        if (!status) status = sg_write_all_at(fd, offset, buffer, got, "a scratch file", error);
        offset += got;
    }
    if (!status) status = sg_map_descriptor(&npy->resident.mapping, fd, sg_input_name(input), error);
    free(buffer);
    close(fd);
    return status;
}

int sg_npy_open(sg_npy *npy, const sg_input_source *source, uint64_t resident, const char *beside,
                scadyg_error *error)
{
    *npy = (sg_npy){.resident = {.bound = resident}};
    sg_mapping *mapping = &npy->resident.mapping;
    sg_input *input;
    int status = sg_input_open_source(&input, source, error);
    if (status) return status;
    const int plain = strcmp(sg_input_encoding(input), "plain") == 0;
    if (!plain)
        status = map_unpacked(npy, input, beside, error);
    else if (!source->data)
        status = sg_map(mapping, source->path, error);
    sg_input_close(input);
    if (!status && plain && source->data)
        status = sg_npy_parse(npy, source->data, source->size, source->path, error);
    else if (!status)
        status = sg_npy_parse(npy, mapping->data, mapping->size, source->path, error);
    if (status) sg_npy_close(npy);
    return status;
}

void sg_npy_close(sg_npy *npy)
{
    sg_unmap(&npy->resident.mapping);
    *npy = (sg_npy){0};
}

static float read_number(const sg_npy *npy, const unsigned char *p)
{
    union {
        float f4;
        double f8;
        int8_t i1;
        int16_t i2;
        int32_t i4;
        int64_t i8;
        uint16_t u2;
        uint32_t u4;
        uint64_t u8;
    } v;
    memcpy(&v, p, npy->width);
    if (npy->type == 'f') return npy->width == 4 ? v.f4 : (float)v.f8;
    if (npy->type == 'i') {
        switch (npy->width) {
        case 1: return (float)v.i1;
        case 2: return (float)v.i2;
        case 4: return (float)v.i4;
        default: return (float)v.i8;
        }
    }
    switch (npy->width) {
    case 1: return (float)*p;
    case 2: return (float)v.u2;
    case 4: return (float)v.u4;
    default: return (float)v.u8;
    }
}

void sg_npy_row(sg_npy *npy, uint64_t row, float *out)
{
    sg_resident_touch(&npy->resident, npy->fortran ? npy->columns : 1,
                      npy->fortran ? npy->width : npy->columns * npy->width);
    for (uint64_t j = 0; j < npy->columns; j++) {
        uint64_t index = npy->fortran ? j * npy->rows + row : row * npy->columns + j;
        out[j] = read_number(npy, npy->data + index * npy->width);
    }
}

/* ---- Of events ---- */

int sg_edge_matrix_open(sg_edge_matrix *matrix, const sg_input_source *source, uint64_t resident,
                        const char *beside, scadyg_error *error)
{
    *matrix = (sg_edge_matrix){.path = source->path};
    int status = sg_npy_open(&matrix->npy, source, resident, beside, error);
    if (status || (matrix->npy.columns > 0 && matrix->npy.columns <= UINT32_MAX / 8)) return status;
    status = sg_fail(error, SCADYG_E_INPUT, "%s has %llu columns", source->path,
                     (unsigned long long)matrix->npy.columns);
    sg_npy_close(&matrix->npy);
    return status;
}

void sg_edge_matrix_close(sg_edge_matrix *matrix)
{
    sg_npy_close(&matrix->npy);
}

int sg_edge_matrix_check(const sg_edge_matrix *matrix, scadyg_error *error)
{
    return sg_mapping_check(&matrix->npy.resident.mapping, matrix->path, error);
}

/* One row more than events: fine if the first is padding, which is all zeros; else nobody knows which is whose. */
static int check_padding(sg_edge_matrix *matrix, scadyg_error *error)
{
    const uint64_t columns = matrix->npy.columns;
    float *row = sg_alloc((size_t)columns, sizeof *row);
    if (!row) return sg_fail_memory(error, "edge features");
    sg_npy_row(&matrix->npy, 0, row);
    uint64_t zeros = 0;
    while (zeros < columns && row[zeros] == 0) zeros++;
    free(row);
    if (zeros == columns) return SCADYG_OK;
    return sg_fail(error, SCADYG_E_INPUT,
                   "%s has one row more than there are events, and its first is not all zeros", matrix->path);
}

int sg_edge_matrix_match(sg_edge_matrix *matrix, uint64_t events, scadyg_error *error)
{
    matrix->shift = matrix->npy.rows == events + 1;
    if (matrix->shift) return check_padding(matrix, error);
    if (matrix->npy.rows == events) return SCADYG_OK;
    return sg_fail(error, SCADYG_E_INPUT, "%s has %llu row%s for %llu event%s; it needs one per event",
                   matrix->path, (unsigned long long)matrix->npy.rows, sg_plural(matrix->npy.rows),
                   (unsigned long long)events, sg_plural(events));
}

/* NaN and infinities have no meaning in a feature, and no double beyond the range of float has a place. */
static int check_finite(const char *path, uint64_t row, const float *values, size_t count, scadyg_error *error)
{
    size_t j = 0;
    while (j < count && isfinite(values[j])) j++;
    if (j == count) return SCADYG_OK;
    return sg_fail(error, SCADYG_E_INPUT, "%s: row %llu, column %zu has a number that is not finite as a float",
                   path, (unsigned long long)row, j);
}

int sg_edge_matrix_row(sg_edge_matrix *matrix, uint64_t row, float *out, scadyg_error *error)
{
    row += matrix->shift;
    if (row >= matrix->npy.rows)
        return sg_fail(error, SCADYG_E_INPUT, "%s has %llu row%s, but an event belongs to row %llu", matrix->path,
                       (unsigned long long)matrix->npy.rows, sg_plural(matrix->npy.rows), (unsigned long long)row);
    sg_npy_row(&matrix->npy, row, out);
    return check_finite(matrix->path, row, out, (size_t)matrix->npy.columns, error);
}

/* ---- Of nodes ---- */

void sg_node_features_close(sg_node_features *features)
{
    sg_npy_close(&features->npy);
    sg_unmap(&features->table.mapping);
    free(features->seen);
    *features = (sg_node_features){0};
}

void sg_node_features_row(sg_node_features *features, uint32_t node, float *out)
{
    size_t size = features->columns * sizeof *out;
    if (features->table.mapping.data) {
        sg_resident_touch(&features->table, 1, size);
        memcpy(out, features->table.mapping.data + node * size, size);
    } else
        sg_npy_row(&features->npy, (uint64_t)features->ids->keys[node], out);
}

int sg_node_features_check(const sg_node_features *features, scadyg_error *error)
{
    return sg_mapping_check(&features->npy.resident.mapping, features->path, error);
}

/* .npy: the id is the row. */

/* Whether a row would be that of a source and of a destination. */
static int is_shared(const sg_ids *ids)
{
    for (size_t node = 0; node < ids->count && ids->spaces == 2; node++) {
        const sg_id id = sg_id_integer(&ids->key, ids->keys[node]);
        uint32_t found[2];
        sg_ids_find_sides(ids, &id, found);
        if (found[0] != UINT32_MAX && found[1] != UINT32_MAX) return 1;
    }
    return 0;
}

static int check_node_matrix(sg_node_features *features, const char *path, scadyg_error *error)
{
    const sg_ids *ids = features->ids;
    if (ids->text_count || is_shared(ids))
        return sg_fail(error, SCADYG_E_LAYOUT,
                       "%s: a matrix of node features needs ids that are its row numbers%s; give a .csv with %s "
                       "instead",
                       path, ids->text_count ? "" : ", each of one node, and some are a source and a destination",
                       ids->text_count ? "an id column" : "the columns role,id,...");
    for (size_t node = 0; node < ids->count; node++)
        if (ids->keys[node] < 0 || (uint64_t)ids->keys[node] >= features->npy.rows)
            return sg_fail(error, SCADYG_E_INPUT, "%s has %llu row%s, but there is a node with id %lld", path,
                           (unsigned long long)features->npy.rows, sg_plural(features->npy.rows),
                           (long long)ids->keys[node]);
    const sg_id zero = sg_id_integer(&ids->key, 0);
    uint32_t nobody[2];
    sg_ids_find_sides(ids, &zero, nobody);
    features->unused = features->npy.rows - ids->count;
    /* Where ids begin at 1, row 0 is padding and belongs to nobody. */
    if (features->unused && nobody[0] == UINT32_MAX && nobody[1] == UINT32_MAX) features->unused--;
    features->columns = (uint32_t)features->npy.columns;
    float *row = sg_alloc(features->columns, sizeof *row);
    if (!row) return sg_fail_memory(error, "node features");
    int status = SCADYG_OK;
    for (uint32_t node = 0; node < ids->count && !status; node++) {
        sg_node_features_row(features, node, row);
        status = check_finite(path, (uint64_t)ids->keys[node], row, features->columns, error);
    }
    free(row);
    return status;
}

/* .csv: [role,]id,f0,f1,... */

struct table_reader {
    sg_node_features *features;
    const char *path;
    char separator;
    int has_role; /* the first column says of which side the id is */
    int role;     /* else the name of the id column does (user_id), or SCADYG_ANY_ROLE */
    uint64_t line;
    sg_field *fields;
    int fd; /* the table, a scratch file beside `beside` */
    const char *beside;
    float *row;
};

static int refuse_row(const struct table_reader *reader, const char *line, const sg_field *field,
                      const char *reason, scadyg_error *error)
{
    return sg_fail(error, SCADYG_E_INPUT, "%s:%llu:%zu: %s", reader->path, (unsigned long long)reader->line,
                   field ? (size_t)(field->text - line) + 1 : 1, reason);
}

static int is_word(const sg_field *field, const char *const *words)
{
    for (; *words; words++)
        if (strlen(*words) == field->length && strncasecmp(field->text, *words, field->length) == 0) return 1;
    return 0;
}

/* What a field says of the side: SCADYG_ANY_ROLE if it is nothing of the kind. */
static int read_role(const sg_field *field)
{
    static const char *const sources[] = {"source", "src", NULL}, *const destinations[] = {"destination", "dst",
                                                                                           NULL};
    return is_word(field, sources)        ? SCADYG_SOURCE
           : is_word(field, destinations) ? SCADYG_DESTINATION
                                          : SCADYG_ANY_ROLE;
}

/* Whose rows these are, by the first row. Sources and destinations of one kind have no roles, but the column may be there. */
static void find_role(struct table_reader *reader, int count, int is_header)
{
    static const char *const names[] = {"role", "side", NULL}, *const ids[] = {"id", NULL};
    const sg_field *first = &reader->fields[0];
    int known;
    if (!reader->features->ids->separate) {
        reader->has_role = is_header && count > 1 && is_word(first, names) && is_word(first + 1, ids);
        return;
    }
    reader->has_role = is_header ? is_word(first, names) : read_role(first) != SCADYG_ANY_ROLE;
    if (reader->has_role || !is_header) return;
    const sg_role named = sg_name_role(first->text, first->length, &known);
    reader->role = named == SG_ROLE_SRC   ? SCADYG_SOURCE
                   : named == SG_ROLE_DST ? SCADYG_DESTINATION
                                          : SCADYG_ANY_ROLE;
}

/* The first row: a header or not, and how many features. */
static int read_first_row(struct table_reader *reader, const char *line, int count, int *is_header,
                          scadyg_error *error)
{
    double value;
    const sg_field *fields = reader->fields;
    *is_header = 1;
    for (int i = 0; i < count; i++)
        if (sg_parse_double(fields[i].text, fields[i].length, &value) >= 0) *is_header = 0; /* nan is no name */
    find_role(reader, count, *is_header);
    int before = 1 + reader->has_role;
    if (count <= before) return refuse_row(reader, line, NULL, "an id and at least one feature are needed", error);
    reader->features->columns = (uint32_t)(count - before);
    size_t nodes = reader->features->ids->count, row_size = reader->features->columns * sizeof *reader->row;
    reader->row = sg_alloc(1, row_size);
    reader->features->seen = sg_alloc_zero(nodes, 1);
    if (!reader->row || !reader->features->seen) return sg_fail_memory(error, "node features");
    int status = sg_scratch_open(reader->beside, &reader->fd, error);
    if (status) return status;
    /* Nodes that have no row keep the zeros of a file made longer. */
    if (ftruncate(reader->fd, (off_t)(nodes * row_size)) != 0)
        return sg_fail_system(error, errno, "cannot write a scratch file");
    return SCADYG_OK;
}

/* Whose row it is; UINT32_MAX if nobody's. */
static int find_node(const struct table_reader *reader, const char *line, uint32_t *node, scadyg_error *error)
{
    const sg_field *first = &reader->fields[0], *field = first + reader->has_role;
    const int role = reader->has_role ? read_role(first) : reader->role;
    sg_id id;
    uint32_t found[2];
    if (reader->has_role && role == SCADYG_ANY_ROLE)
        return refuse_row(reader, line, first, "the role must be source or destination", error);
    if (field->length == 0 || field->length > SG_ID_LONGEST)
        return refuse_row(reader, line, field, "the id is missing or too long", error);
    sg_id_parse(&id, &reader->features->ids->key, field->text, field->length);
    sg_ids_find_sides(reader->features->ids, &id, found);
    if (role == SCADYG_ANY_ROLE && found[0] != found[1] && found[0] != UINT32_MAX && found[1] != UINT32_MAX)
        return refuse_row(reader, line, field,
                          "the id is a source and a destination: a first column 'role' says which (source, "
                          "destination)",
                          error);
    *node = role == SCADYG_SOURCE || (role == SCADYG_ANY_ROLE && found[0] != UINT32_MAX) ? found[0] : found[1];
    return SCADYG_OK;
}

static int read_row(struct table_reader *reader, char *line, int count, scadyg_error *error)
{
    sg_node_features *features = reader->features;
    const sg_field *fields = reader->fields;
    const int before = 1 + reader->has_role;
    uint32_t node = UINT32_MAX;
    if (count != before + (int)features->columns)
        return refuse_row(reader, line, NULL, "the row has another number of fields than the first", error);
    int status = find_node(reader, line, &node, error);
    if (status) return status;
    if (node == UINT32_MAX) {
        features->unused++;
        return SCADYG_OK;
    }
    if (features->seen[node]++)
        return refuse_row(reader, line, &fields[before - 1], "the id occurs a second time", error);
    for (uint32_t j = 0; j < features->columns; j++) {
        const sg_field *field = &fields[before + (int)j];
        double value;
        if (sg_parse_double(field->text, field->length, &value) || fabs(value) > (double)FLT_MAX)
            return refuse_row(reader, line, field, "the feature is not a finite number", error);
        reader->row[j] = (float)value;
    }
    uint64_t size = features->columns * sizeof *reader->row;
    return sg_write_all_at(reader->fd, node * size, reader->row, size, "a scratch file", error);
}

static int read_line(void *data, char *line, size_t length, uint64_t number, scadyg_error *error)
{
    struct table_reader *reader = data;
    reader->line = number;
    if (length == 0) return SCADYG_OK;
    int first = !reader->row, is_header = 0;
    if (first) reader->separator = sg_fields_separator(line, length);
    int count = sg_fields_cut(line, length, reader->separator, reader->fields, SG_FIELDS_MOST);
    if (count < 0) return refuse_row(reader, line, &reader->fields[0], "the fields cannot be told apart", error);
    if (count == 0 || (count == 1 && reader->fields[0].length == 0)) return SCADYG_OK;
    int status = first ? read_first_row(reader, line, count, &is_header, error) : SCADYG_OK;
    return status || is_header ? status : read_row(reader, line, count, error);
}

static int read_table(sg_node_features *features, const sg_input_source *source, const char *beside,
                      scadyg_error *error)
{
    struct table_reader reader = {.features = features, .path = source->path, .beside = beside, .fd = -1};
    sg_input *input = NULL;
    reader.fields = sg_alloc(SG_FIELDS_MOST, sizeof *reader.fields);
    int status =
        reader.fields ? sg_input_open_source(&input, source, error) : sg_fail_memory(error, "node features");
    if (!status) status = sg_lines_read(input, read_line, &reader, error);
    if (!status && !reader.row) status = sg_fail(error, SCADYG_E_INPUT, "%s is empty", source->path);
    if (!status) status = sg_map_descriptor(&features->table.mapping, reader.fd, "a scratch file", error);
    if (!status)
        for (size_t node = 0; node < features->ids->count; node++) features->missing += !features->seen[node];
    if (reader.fd >= 0) close(reader.fd);
    sg_input_close(input);
    SG_FREE(reader.fields, reader.row);
    return status;
}

/* Whether a file begins like a .npy matrix, packed or not. */
static int is_matrix(const sg_input_source *source, int *matrix, scadyg_error *error)
{
    sg_input *input;
    char begin[6];
    size_t got = 0;
    int status = sg_input_open_source(&input, source, error);
    if (status) return status;
    status = sg_input_read(input, begin, sizeof begin, &got, error);
    *matrix = got == sizeof begin && memcmp(begin, "\x93NUMPY", sizeof begin) == 0;
    sg_input_close(input);
    return status;
}

int sg_node_features_open(sg_node_features *features, const sg_input_source *source, const sg_ids *ids,
                          uint64_t resident, const char *beside, scadyg_error *error)
{
    *features = (sg_node_features){.path = source->path, .ids = ids, .table = {.bound = resident}};
    int matrix = 0, status = is_matrix(source, &matrix, error);
    if (!status && matrix) {
        status = sg_npy_open(&features->npy, source, resident, beside, error);
        if (!status && (features->npy.columns == 0 || features->npy.columns > UINT32_MAX))
            status = sg_fail(error, SCADYG_E_INPUT, "%s has no columns", source->path);
        if (!status) status = check_node_matrix(features, source->path, error);
    } else if (!status)
        status = read_table(features, source, beside, error);
    if (status) sg_node_features_close(features);
    return status;
}
