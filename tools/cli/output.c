/* Files that a command writes. */
#include "cli/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/describe.h"

/* A file of one or two pieces. */
static int write_pieces(const char *path, const void *head, size_t head_size, const void *data, size_t size,
                        scadyg_error *error)
{
    sg_output output;
    int status = sg_output_open(&output, path, error);
    if (!status && head_size) status = sg_output_write_at(&output, 0, head, head_size, error);
    if (!status && size) status = sg_output_write_at(&output, head_size, data, size, error);
    if (!status && cli_signal_seen()) status = error->status = SCADYG_E_CANCELLED;
    if (!status) status = sg_output_commit(&output, error);
    sg_output_abandon(&output);
    return status;
}

int cli_write_file(const char *path, const void *data, size_t size, scadyg_error *error)
{
    return write_pieces(path, NULL, 0, data, size, error);
}

static int write_or_print(const char *path, const char *text, size_t size, scadyg_error *error)
{
    if (path && strcmp(path, "-") != 0) return cli_write_file(path, text, size, error);
    fwrite(text, 1, size, stdout); /* a failed write is told by cli_finish */
    return SCADYG_OK;
}

int cli_json_write(const char *path, const json_t *value, scadyg_error *error)
{
    char *text = value ? json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) : NULL;
    if (!text) return sg_fail_memory(error, "the JSON output");
    const size_t length = strlen(text);
    text[length] = '\n'; /* in place of the terminator */
    int status = write_or_print(path, text, length + 1, error);
    free(text);
    return status;
}

/* ---- CSV ---- */

static void put_bytes(cli_csv *csv, const char *text, size_t length)
{
    csv->failed |= csv->failed || sg_grow(&csv->text, &csv->room, csv->length + length, 1);
    if (csv->failed) return;
    memcpy(csv->text + csv->length, text, length);
    csv->length += length;
}

void cli_csv_text(cli_csv *csv, const char *text)
{
    put_bytes(csv, text, strlen(text));
}

void cli_csv_field(cli_csv *csv, const char *text)
{
    const size_t length = strlen(text);
    const int edges = length > 0 && (text[0] == ' ' || text[length - 1] == ' ' || text[0] == '#' || text[0] == '%');
    const int plain = !edges && !text[strcspn(text, ",;\t\"\r\n")];
    if (!plain) put_bytes(csv, "\"", 1);
    for (const char *c = text; *c && !plain; c++) {
        put_bytes(csv, c, 1);
        if (*c == '"') put_bytes(csv, c, 1);
    }
    if (plain) put_bytes(csv, text, length);
    cli_csv_text(csv, plain ? "," : "\",");
}

void cli_csv_number(cli_csv *csv, double value, int digits)
{
    cli_csv_text(csv, isnan(value) ? "," : cli_text("%.*g,", digits, value));
}

void cli_csv_line(cli_csv *csv)
{
    if (!csv->failed) csv->text[csv->length - 1] = '\n';
}

int cli_csv_write(cli_csv *csv, const char *path, scadyg_error *error)
{
    int status =
        csv->failed ? sg_fail_memory(error, "the CSV output") : write_or_print(path, csv->text, csv->length, error);
    free(csv->text);
    *csv = (cli_csv){0};
    return status;
}

/* ---- Arrays for numpy ---- */

/* Magic, version, and a Python dictionary padded so that the numbers begin at a multiple of 64. */
int cli_npy_write(const char *path, const float *values, size_t rows, size_t columns, scadyg_error *error)
{
    union {
        uint16_t word;
        unsigned char low;
    } order = {1};
    char header[256] = "\x93NUMPY\x01";
    const int length = snprintf(header + 10, sizeof header - 10,
                                "{'descr': '%cf4', 'fortran_order': False, 'shape': (%zu, %zu), }",
                                order.low ? '<' : '>', rows, columns);
    const size_t size = ((size_t)length + 10 + 1 + 63) / 64 * 64;
    memset(header + 10 + length, ' ', size - 10 - (size_t)length);
    header[size - 1] = '\n';
    header[8] = (char)((size - 10) & 0xFF);
    header[9] = (char)((size - 10) >> 8);
    return write_pieces(path, header, size, values, rows * columns * sizeof *values, error);
}
