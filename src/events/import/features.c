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
#include <unistd.h>

/* .npy matrices: numbers of any plain numpy type, plain or compressed, read as float through a mapping. */

#define UNPACK_SIZE ((size_t)1 << 20)

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
    if (!status) status = sg_map_descriptor(&npy->mapping, fd, sg_input_name(input), error);
    free(buffer);
    close(fd);
    return status;
}

int sg_npy_open(sg_npy *npy, const char *path, const char *beside, scadyg_error *error)
{
    *npy = (sg_npy){0};
    sg_input *input;
    int status = sg_input_open(&input, path, error);
    if (status) return status;
    if (strcmp(sg_input_encoding(input), "plain") == 0)
        status = sg_map(&npy->mapping, path, error);
    else
        status = map_unpacked(npy, input, beside, error);
    sg_input_close(input);
    if (!status) status = sg_npy_parse(npy, npy->mapping.data, npy->mapping.size, path, error);
    if (status) sg_npy_close(npy);
    return status;
}

void sg_npy_close(sg_npy *npy)
{
    sg_unmap(&npy->mapping);
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

void sg_npy_row(const sg_npy *npy, uint64_t row, float *out)
{
    for (uint64_t j = 0; j < npy->columns; j++) {
        uint64_t index = npy->fortran ? j * npy->rows + row : row * npy->columns + j;
        out[j] = read_number(npy, npy->data + index * npy->width);
    }
}

/* ---- Of events ---- */

int sg_edge_matrix_open(sg_edge_matrix *matrix, const char *path, const char *beside, scadyg_error *error)
{
    *matrix = (sg_edge_matrix){.path = path};
    int status = sg_npy_open(&matrix->npy, path, beside, error);
    if (status || (matrix->npy.columns > 0 && matrix->npy.columns <= UINT32_MAX / 8)) return status;
    status = sg_fail(error, SCADYG_E_INPUT, "%s has %llu columns", path, (unsigned long long)matrix->npy.columns);
    sg_npy_close(&matrix->npy);
    return status;
}

void sg_edge_matrix_close(sg_edge_matrix *matrix)
{
    sg_npy_close(&matrix->npy);
}

/* One row more than events: fine if the first is padding, which is all zeros; else nobody knows which is whose. */
static int check_padding(const sg_edge_matrix *matrix, scadyg_error *error)
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
    return sg_fail(error, SCADYG_E_INPUT, "%s has %llu rows for %llu events; it needs one per event", matrix->path,
                   (unsigned long long)matrix->npy.rows, (unsigned long long)events);
}

int sg_edge_matrix_row(const sg_edge_matrix *matrix, uint64_t row, float *out, scadyg_error *error)
{
    row += matrix->shift;
    if (row >= matrix->npy.rows)
        return sg_fail(error, SCADYG_E_INPUT, "%s has %llu rows, but an event belongs to row %llu", matrix->path,
                       (unsigned long long)matrix->npy.rows, (unsigned long long)row);
    sg_npy_row(&matrix->npy, row, out);
    for (uint64_t j = 0; j < matrix->npy.columns; j++)
        if (!isfinite(out[j]))
            return sg_fail(error, SCADYG_E_INPUT, "%s: row %llu has a number that is not finite", matrix->path,
                           (unsigned long long)row);
    return SCADYG_OK;
}

/* ---- Of nodes ---- */

void sg_node_features_close(sg_node_features *features)
{
    sg_npy_close(&features->npy);
    sg_unmap(&features->table);
    *features = (sg_node_features){0};
}

void sg_node_features_row(const sg_node_features *features, uint32_t node, float *out)
{
    size_t size = features->columns * sizeof *out;
    if (features->table.data)
        memcpy(out, features->table.data + node * size, size);
    else
        sg_npy_row(&features->npy, (uint64_t)features->ids->keys[node], out);
}

/* .npy: the id is the row. */

static int check_node_matrix(sg_node_features *features, const char *path, scadyg_error *error)
{
    const sg_ids *ids = features->ids;
    if (ids->text_count || ids->spaces == 2)
        return sg_fail(error, SCADYG_E_LAYOUT,
                       "%s: a matrix of node features needs ids that are its row numbers; give a .csv with an id "
                       "column instead",
                       path);
    for (size_t node = 0; node < ids->count; node++)
        if (ids->keys[node] < 0 || (uint64_t)ids->keys[node] >= features->npy.rows)
            return sg_fail(error, SCADYG_E_INPUT, "%s has %llu rows, but there is a node with id %lld", path,
                           (unsigned long long)features->npy.rows, (long long)ids->keys[node]);
    const sg_id zero = {.hash = sg_id_hash_integer(0)};
    features->unused = features->npy.rows - ids->count;
    /* Where ids begin at 1, row 0 is padding and belongs to nobody. */
    if (features->unused && sg_ids_find(ids, &zero, 0) == UINT32_MAX) features->unused--;
    features->columns = (uint32_t)features->npy.columns;
    float *row = sg_alloc(features->columns, sizeof *row);
    if (!row) return sg_fail_memory(error, "node features");
    int finite = 1;
    uint32_t node = 0;
    for (; node < ids->count && finite; node++) {
        sg_node_features_row(features, node, row);
        for (uint32_t j = 0; j < features->columns; j++) finite &= isfinite(row[j]) != 0;
    }
    free(row);
    if (!finite)
        return sg_fail(error, SCADYG_E_INPUT, "%s: row %lld has a number that is not finite", path,
                       (long long)ids->keys[node - 1]);
    return SCADYG_OK;
}

/* .csv: [side,]id,f0,f1,... */

struct table_reader {
    sg_node_features *features;
    const char *path;
    char separator;
    int has_side;
    uint64_t line;
    sg_field *fields;
    uint8_t *seen; /* per node */
    int fd;        /* the table, a scratch file beside `beside` */
    const char *beside;
    float *row;
};

static int refuse_row(const struct table_reader *reader, const char *line, const sg_field *field,
                      const char *reason, scadyg_error *error)
{
    return sg_fail(error, SCADYG_E_INPUT, "%s:%llu:%zu: %s", reader->path, (unsigned long long)reader->line,
                   field ? (size_t)(field->text - line) + 1 : 1, reason);
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
    reader->has_side = reader->features->ids->spaces == 2;
    int before = 1 + reader->has_side;
    if (count <= before) return refuse_row(reader, line, NULL, "an id and at least one feature are needed", error);
    reader->features->columns = (uint32_t)(count - before);
    size_t nodes = reader->features->ids->count, row_size = reader->features->columns * sizeof *reader->row;
    reader->row = sg_alloc(1, row_size);
    reader->seen = sg_alloc_zero(nodes, 1);
    if (!reader->row || !reader->seen) return sg_fail_memory(error, "node features");
    int status = sg_scratch_open(reader->beside, &reader->fd, error);
    if (status) return status;
    /* Nodes that have no row keep the zeros of a file made longer. */
    if (ftruncate(reader->fd, (off_t)(nodes * row_size)) != 0)
        return sg_fail_system(error, errno, "cannot write a scratch file");
    return SCADYG_OK;
}

static int read_row(struct table_reader *reader, char *line, int count, scadyg_error *error)
{
    sg_node_features *features = reader->features;
    const sg_field *fields = reader->fields;
    int before = 1 + reader->has_side, side = 0;
    if (count != before + (int)features->columns)
        return refuse_row(reader, line, NULL, "the row has another number of fields than the first", error);
    if (reader->has_side) {
        if (fields[0].length != 3 ||
            (memcmp(fields[0].text, "src", 3) != 0 && memcmp(fields[0].text, "dst", 3) != 0))
            return refuse_row(reader, line, &fields[0], "the side must be src or dst", error);
        side = fields[0].text[0] == 'd';
    }
    if (fields[before - 1].length == 0 || fields[before - 1].length > SG_ID_LONGEST)
        return refuse_row(reader, line, &fields[before - 1], "the id is missing or too long", error);
    sg_id id;
    sg_id_parse(&id, fields[before - 1].text, fields[before - 1].length);
    uint32_t node = sg_ids_find(features->ids, &id, side);
    if (node == UINT32_MAX) {
        features->unused++;
        return SCADYG_OK;
    }
    if (reader->seen[node]++)
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

static int read_table(sg_node_features *features, const char *path, const char *beside, scadyg_error *error)
{
    struct table_reader reader = {.features = features, .path = path, .beside = beside, .fd = -1};
    sg_input *input = NULL;
    reader.fields = sg_alloc(SG_FIELDS_MOST, sizeof *reader.fields);
    int status = reader.fields ? sg_input_open(&input, path, error) : sg_fail_memory(error, "node features");
    if (!status) status = sg_lines_read(input, read_line, &reader, error);
    if (!status && !reader.row) status = sg_fail(error, SCADYG_E_INPUT, "%s is empty", path);
    if (!status) status = sg_map_descriptor(&features->table, reader.fd, "a scratch file", error);
    if (!status)
        for (size_t node = 0; node < features->ids->count; node++) features->missing += !reader.seen[node];
    if (reader.fd >= 0) close(reader.fd);
    sg_input_close(input);
    SG_FREE(reader.fields, reader.seen, reader.row);
    return status;
}

/* Whether a file begins like a .npy matrix, packed or not. */
static int is_matrix(const char *path, int *matrix, scadyg_error *error)
{
    sg_input *input;
    char begin[6];
    size_t got = 0;
    int status = sg_input_open(&input, path, error);
    if (status) return status;
    status = sg_input_read(input, begin, sizeof begin, &got, error);
    *matrix = got == sizeof begin && memcmp(begin, "\x93NUMPY", sizeof begin) == 0;
    sg_input_close(input);
    return status;
}

int sg_node_features_open(sg_node_features *features, const char *path, const sg_ids *ids, const char *beside,
                          scadyg_error *error)
{
    *features = (sg_node_features){.ids = ids};
    int matrix = 0, status = is_matrix(path, &matrix, error);
    if (!status && matrix) {
        status = sg_npy_open(&features->npy, path, beside, error);
        if (!status && (features->npy.columns == 0 || features->npy.columns > UINT32_MAX))
            status = sg_fail(error, SCADYG_E_INPUT, "%s has no columns", path);
        if (!status) status = check_node_matrix(features, path, error);
    } else if (!status)
        status = read_table(features, path, beside, error);
    if (status) sg_node_features_close(features);
    return status;
}
