/* .npy matrices: numbers of any plain numpy type, plain or compressed, read as float through a mapping. */
#include "events/import/npy.h"

#include "base/memory.h"
#include "events/import/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
