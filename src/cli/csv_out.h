/* CSV in memory, so that it is written whole or not at all. */
#ifndef CLI_CSV_OUT_H
#define CLI_CSV_OUT_H

#include "cli.h"

typedef struct cli_csv {
    char *text;
    size_t length, room;
    int failed; /* no memory */
} cli_csv;

void cli_csv_text(cli_csv *csv, const char *text);           /* as it is */
void cli_csv_field(cli_csv *csv, const char *text);          /* in quotes where needed */
void cli_csv_number(cli_csv *csv, double value, int digits); /* nothing for NaN */

/* Writes to a file, or to standard output (path NULL or "-"). Frees it in any case. */
int cli_csv_write(cli_csv *csv, const char *path, scadyg_error *error);

#endif
