/* A .npy file. */
#include "npy_out.h"

#include <stdio.h>
#include <string.h>

#include "out_file.h"

/* Magic, version, and a Python dictionary padded so that the numbers begin at a multiple of 64. */
static int put_header(cli_file *file, size_t rows, size_t columns, scadyg_error *error)
{
    union {
        uint16_t word;
        unsigned char low;
    } order = {1};
    char header[256] = "\x93NUMPY\x01";
    int length = snprintf(header + 10, sizeof header - 10,
                          "{'descr': '%cf4', 'fortran_order': False, 'shape': (%zu, %zu), }", order.low ? '<' : '>',
                          rows, columns);
    size_t size = ((size_t)length + 10 + 1 + 63) / 64 * 64;
    memset(header + 10 + length, ' ', size - 10 - (size_t)length);
    header[size - 1] = '\n';
    header[8] = (char)((size - 10) & 0xFF);
    header[9] = (char)((size - 10) >> 8);
    return cli_file_put(file, header, size, error);
}

static int put_values(cli_file *file, const double *values, size_t count, scadyg_error *error)
{
    float piece[16384];
    for (size_t first = 0; first < count; first += CLI_COUNT(piece)) {
        size_t length = count - first < CLI_COUNT(piece) ? count - first : CLI_COUNT(piece);
        for (size_t i = 0; i < length; i++) piece[i] = (float)values[first + i];
        int status = cli_file_put(file, piece, length * sizeof *piece, error);
        if (status) return status;
    }
    return SCADYG_OK;
}

/* One of the two kinds of values is NULL. */
static int write_npy(const char *path, const double *values, const float *floats, size_t rows, size_t columns,
                     scadyg_error *error)
{
    cli_file file;
    int status = cli_file_open(&file, path, error);
    if (!status) status = put_header(&file, rows, columns, error);
    if (!status)
        status = floats ? cli_file_put(&file, floats, rows * columns * sizeof *floats, error)
                        : put_values(&file, values, rows * columns, error);
    if (!status) status = cli_file_commit(&file, error);
    cli_file_close(&file);
    return status;
}

int cli_npy_write(const char *path, const double *values, size_t rows, size_t columns, scadyg_error *error)
{
    return write_npy(path, values, NULL, rows, columns, error);
}

int cli_npy_write_floats(const char *path, const float *values, size_t rows, size_t columns, scadyg_error *error)
{
    return write_npy(path, NULL, values, rows, columns, error);
}
