/* Runs: rows in order on disk, merged when all are there. One scratch file holds them all. */
#ifndef SG_EVENTS_IMPORT_ROW_RUNS_H
#define SG_EVENTS_IMPORT_ROW_RUNS_H

#include "base/status.h"

typedef struct sg_runs sg_runs;

int sg_runs_open(sg_runs **runs, size_t row_size, const char *beside, scadyg_error *error);
void sg_runs_close(sg_runs *runs); /* NULL is fine */

/* One run: begin, rows in the order of time, end. */
int sg_runs_begin(sg_runs *runs, scadyg_error *error);
int sg_runs_write(sg_runs *runs, const void *rows, size_t count, scadyg_error *error);
int sg_runs_end(sg_runs *runs, scadyg_error *error);

uint64_t sg_runs_count(const sg_runs *runs);

/* Reads the runs from now on as one, using about `budget` bytes; equal times in the order of the runs. */
int sg_runs_merge(sg_runs *runs, uint64_t budget, scadyg_error *error);
int sg_runs_next(sg_runs *runs, const void **row, scadyg_error *error);

#endif
