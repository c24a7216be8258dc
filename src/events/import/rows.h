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

/* ---- Sorting by time: stable, and fast where the rows are nearly in order already ---- */

typedef struct sg_sort_key {
    double time;
    uint64_t row;
} sg_sort_key;

/* Sorts keys[0..count); keys with equal times keep their order. scratch has room for as many. */
void sg_sort_by_time(sg_sort_key *keys, sg_sort_key *scratch, size_t count);

/* ---- The rows ---- */

/* A record begins with these; behind them come weight, label, index and features as the store's places say. */
typedef struct sg_row {
    double time;
    uint32_t src, dst;
} sg_row;

typedef struct sg_row_store sg_row_store;

typedef struct sg_row_places {
    size_t weight, label, index, features; /* byte offsets in a record; 0: absent */
    size_t size;                           /* bytes of a record, a multiple of 8 */
} sg_row_places;

sg_row_places sg_row_places_make(int weight, int label, int index, uint32_t features);

/* Rows are kept in chunks of about `chunk_size` bytes; scratch files go beside `beside`. */
int sg_row_store_open(sg_row_store **rows, const sg_row_places *places, size_t chunk_size, const char *beside,
                      scadyg_error *error);
void sg_row_store_close(sg_row_store *rows); /* NULL is fine */

/* The least budget that is kept: one chunk, with room to sort it and to write it. */
uint64_t sg_row_store_least(const sg_row_places *places, size_t chunk_size);

/*
 * Room for the next record; its time decides whether the order is kept, so it is asked for here. The record is
 * not cleared. `budget`: bytes this store may hold now.
 */
int sg_row_store_add(sg_row_store *rows, double time, uint64_t budget, void **record, scadyg_error *error);

uint64_t sg_row_store_count(const sg_row_store *rows);
uint64_t sg_row_store_out_of_order(const sg_row_store *rows); /* rows with a smaller time than the row before */
uint64_t sg_row_store_runs(const sg_row_store *rows);         /* runs that went to disk */

/* No more rows will come: sorts what is in memory and prepares to read. `budget` as above. */
int sg_row_store_finish(sg_row_store *rows, uint64_t budget, scadyg_error *error);

/* The next record in order, NULL after the last. The record stays valid until the next call. */
int sg_row_store_next(sg_row_store *rows, const void **record, scadyg_error *error);

#endif
