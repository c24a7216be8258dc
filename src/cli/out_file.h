/*
 * A file written whole or not at all: it has no name until it is complete, where the system can do that, and a
 * temporary one where it cannot. cli_file_open, any number of cli_file_put, cli_file_commit, and in any case
 * cli_file_close.
 */
#ifndef CLI_OUT_FILE_H
#define CLI_OUT_FILE_H

#include "cli.h"

typedef struct cli_file {
    int fd;
    int named; /* `temporary` exists */
    char *temporary;
    const char *path;
} cli_file;

int cli_file_open(cli_file *file, const char *path, scadyg_error *error);
int cli_file_put(cli_file *file, const void *data, size_t size, scadyg_error *error); /* stops after a signal */
int cli_file_commit(cli_file *file, scadyg_error *error);
void cli_file_close(cli_file *file);

/* All four at once. */
int cli_file_write(const char *path, const void *data, size_t size, scadyg_error *error);

#endif
