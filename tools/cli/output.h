/* Files that a command writes, whole or not at all: any bytes, JSON, CSV, and arrays for numpy. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <jansson.h>

#include "cli/cli.h"

int cli_write_file(const char *path, const void *data, size_t size, scadyg_error *error);

/* The same to standard output for "-". */
int cli_json_write(const char *path, const json_t *value, scadyg_error *error);

/* CSV in memory. */
typedef struct cli_csv {
    char *text;
    size_t length, room;
    int failed; /* no memory */
} cli_csv;

void cli_csv_text(cli_csv *csv, const char *text);           /* as it is */
void cli_csv_field(cli_csv *csv, const char *text);          /* in quotes where needed, and a comma */
void cli_csv_number(cli_csv *csv, double value, int digits); /* nothing for NaN; and a comma */
void cli_csv_line(cli_csv *csv);                             /* ends the line: the last comma is none */

/* Writes to a file, or to standard output (path NULL or "-"). Frees it in any case. */
int cli_csv_write(cli_csv *csv, const char *path, scadyg_error *error);

/* A matrix of float32, numpy's format 1.0. */
int cli_npy_write(const char *path, const float *values, size_t rows, size_t columns, scadyg_error *error);

#endif
