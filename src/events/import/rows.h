/*
 * Rows: parsed events kept until all are known, then handed out in the order of time, ties in the order of input.
 *
 * Rows are records of one size in chunks, so nothing is ever moved to grow. When the memory bound is reached they
 * are sorted and written to a scratch file as one run; at the end the runs are merged. Input already in order is
 * neither sorted nor copied.
 */
#ifndef SG_EVENTS_IMPORT_ROWS_H
#define SG_EVENTS_IMPORT_ROWS_H

#include "base/status.h"

/* A record begins with these; behind them come weight, label, index and features as the store's places say. */
typedef struct sg_row {
    double time;
    uint32_t src, dst;
} sg_row;

typedef struct sg_rows sg_rows;

typedef struct sg_row_places {
    size_t weight, label, index, features; /* byte offsets in a record; 0: absent */
    size_t size;                           /* bytes of a record, a multiple of 8 */
} sg_row_places;

sg_row_places sg_row_places_make(int weight, int label, int index, uint32_t features);

/* Scratch files go beside `beside`. */
int sg_rows_open(sg_rows **rows, const sg_row_places *places, const char *beside, scadyg_error *error);
void sg_rows_close(sg_rows *rows); /* NULL is fine */

/*
 * Room for the next record; its time decides whether the order is kept, so it is asked for here. The record is
 * not cleared. `budget`: bytes this store may hold now.
 */
int sg_rows_add(sg_rows *rows, double time, uint64_t budget, void **record, scadyg_error *error);

uint64_t sg_rows_count(const sg_rows *rows);
uint64_t sg_rows_out_of_order(const sg_rows *rows); /* rows with a smaller time than the row before */
uint64_t sg_rows_runs(const sg_rows *rows);         /* runs on disk */

/* No more rows will come: sorts what is in memory and prepares to read. `budget` as above. */
int sg_rows_finish(sg_rows *rows, uint64_t budget, scadyg_error *error);

/* The next record in order, NULL after the last. The record stays valid until the next call. */
int sg_rows_next(sg_rows *rows, const void **record, scadyg_error *error);

#endif
