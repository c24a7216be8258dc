/*
 * Runs: rows in the order of time on disk, merged into one order when all are there. One scratch file holds them all; where
 * there are more runs than can be read at once with the memory given, they are merged in rounds, each through a new file.
 */
#ifndef SG_EVENTS_IMPORT_RUNS_H
#define SG_EVENTS_IMPORT_RUNS_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct sg_runs sg_runs;

/* Rows of one size that begin with their time, a double. The scratch file goes beside `beside`. */
int sg_runs_open(sg_runs **runs, size_t row_size, const char *beside, scadyg_error *error);
void sg_runs_close(sg_runs *runs); /* NULL is fine */

/* Bytes held while runs are written. */
uint64_t sg_runs_bytes(size_t row_size);

/* One run: begin, rows in the order of time, end. */
int sg_runs_begin(sg_runs *runs, scadyg_error *error);
int sg_runs_write(sg_runs *runs, const void *rows, size_t count, scadyg_error *error);
int sg_runs_end(sg_runs *runs, scadyg_error *error);

/* From now on the runs are read as one, holding about `budget` bytes; equal times come in the order of the runs. */
int sg_runs_merge(sg_runs *runs, uint64_t budget, scadyg_error *error);

/* The next row, NULL after the last. It stays valid until the next call. */
int sg_runs_next(sg_runs *runs, const void **row, scadyg_error *error);

#endif
