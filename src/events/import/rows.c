/* Rows: parsed events kept until all are known, then handed out in the order of time. */
#include "events/import/rows.h"

#include "base/memory.h"
#include "events/import/runs.h"

#include <stdlib.h>
#include <string.h>

/*
 * ---- Sorting ----
 *
 * A natural merge sort. Logs are mostly in order, so runs that are in order already are found and merged pairwise; one
 * run means one pass.
 */

/* The end of the run that begins at `at`. */
static size_t find_run_end(const sg_sort_key *keys, size_t at, size_t count)
{
    at++;
    while (at < count && keys[at - 1].time <= keys[at].time) at++;
    return at;
}

static void merge_keys(const sg_sort_key *a, size_t a_count, const sg_sort_key *b, size_t b_count, sg_sort_key *out)
{
    size_t i = 0, j = 0;
    while (i < a_count && j < b_count) *out++ = b[j].time < a[i].time ? b[j++] : a[i++];
    memcpy(out, a + i, (a_count - i) * sizeof *a);
    memcpy(out + (a_count - i), b + j, (b_count - j) * sizeof *b);
}

/* Short stretches are sorted by insertion, so that random input starts with runs of some length. */
static void sort_stretches(sg_sort_key *keys, size_t count)
{
    enum { STRETCH = 16 };
    for (size_t begin = 0; begin < count; begin += STRETCH) {
        size_t end = begin + STRETCH < count ? begin + STRETCH : count;
        for (size_t i = begin + 1; i < end; i++) {
            sg_sort_key key = keys[i];
            size_t j = i;
            for (; j > begin && key.time < keys[j - 1].time; j--) keys[j] = keys[j - 1];
            keys[j] = key;
        }
    }
}

void sg_sort_by_time(sg_sort_key *keys, sg_sort_key *scratch, size_t count)
{
    sg_sort_key *from = keys, *to = scratch;
    sort_stretches(keys, count);
    for (;;) {
        size_t merges = 0;
        for (size_t at = 0; at < count;) {
            size_t middle = find_run_end(from, at, count),
                   end = middle < count ? find_run_end(from, middle, count) : middle;
            merge_keys(from + at, middle - at, from + middle, end - middle, to + at);
            merges += at > 0 || end < count;
            at = end;
        }
        sg_sort_key *swap = from;
        from = to;
        to = swap;
        if (merges == 0) break;
    }
    if (from != keys && count) memcpy(keys, from, count * sizeof *keys);
}

/* ---- The rows ---- */

#define SORT_SIZE (2 * sizeof(sg_sort_key)) /* bytes that sorting takes per row, beside the row */

struct sg_row_store {
    sg_row_places places;
    char *beside;
    unsigned char **chunks;
    size_t chunk_count, chunk_capacity; /* chunks allocated; kept for reuse after a spill */
    size_t per_chunk;
    size_t in_memory; /* rows in the chunks */
    int in_order;     /* those rows are in the order of time */
    double last_time; /* of the row added last */
    uint64_t count, out_of_order;
    sg_runs *runs; /* NULL until the first spill */
    uint64_t spilled;

    sg_sort_key *keys; /* the order of the rows in memory, if they were not in order */
    size_t at;         /* reading from memory: the next row */
};

static size_t pad_size(size_t size)
{
    return (size + 7) / 8 * 8;
}

sg_row_places sg_row_places_make(int weight, int label, int index, uint32_t features)
{
    sg_row_places places = {0};
    size_t at = sizeof(sg_row);
    if (index) {
        places.index = at;
        at += 8;
    }
    if (weight) {
        places.weight = at;
        at += 4;
    }
    if (label) {
        places.label = at;
        at += 4;
    }
    if (features) {
        places.features = at;
        at += 4 * (size_t)features;
    }
    places.size = pad_size(at);
    return places;
}

static size_t count_per_chunk(const sg_row_places *places, size_t chunk_size)
{
    return chunk_size / places->size ? chunk_size / places->size : 1;
}

uint64_t sg_row_store_least(const sg_row_places *places, size_t chunk_size)
{
    const uint64_t rows = count_per_chunk(places, chunk_size);
    return rows * (places->size + SORT_SIZE) + sg_runs_bytes(places->size);
}

int sg_row_store_open(sg_row_store **out, const sg_row_places *places, size_t chunk_size, const char *beside,
                      scadyg_error *error)
{
    sg_row_store *rows = sg_alloc_zero(1, sizeof *rows);
    if (!rows) return sg_fail_memory(error, "the rows");
    rows->places = *places;
    rows->per_chunk = count_per_chunk(places, chunk_size);
    rows->in_order = 1;
    rows->beside = strdup(beside);
    if (!rows->beside) {
        free(rows);
        return sg_fail_memory(error, "the rows");
    }
    *out = rows;
    return SCADYG_OK;
}

static void free_keys(sg_row_store *rows)
{
    sg_free_pages(rows->keys, 2 * rows->in_memory, sizeof *rows->keys);
    rows->keys = NULL;
}

/* A spilled run may leave chunks that a lower limit no longer allows. */
static void drop_chunks(sg_row_store *rows, size_t row_count)
{
    size_t keep = row_count / rows->per_chunk + (row_count % rows->per_chunk != 0);
    while (rows->chunk_count > keep)
        sg_free_pages(rows->chunks[--rows->chunk_count], rows->per_chunk, rows->places.size);
}

void sg_row_store_close(sg_row_store *rows)
{
    if (!rows) return;
    drop_chunks(rows, 0);
    free_keys(rows);
    free(rows->chunks);
    sg_runs_close(rows->runs);
    SG_FREE(rows->beside, rows);
}

static unsigned char *get_row(const sg_row_store *rows, size_t row)
{
    return rows->chunks[row / rows->per_chunk] + row % rows->per_chunk * rows->places.size;
}

/* Orders the rows in memory: afterwards get_row_in_order(i) is the i-th. */
static int sort_in_memory(sg_row_store *rows, scadyg_error *error)
{
    if (rows->in_order) return SCADYG_OK;
    drop_chunks(rows, rows->in_memory); /* kept from a longer run in order, they are the room to sort in */
    rows->keys = sg_alloc_pages(2 * rows->in_memory, sizeof *rows->keys);
    if (!rows->keys)
        return sg_fail_memory(error, "sorting; give a smaller --memory so that more is sorted on disk");
    for (size_t i = 0; i < rows->in_memory; i++)
        rows->keys[i] = (sg_sort_key){((const sg_row *)(const void *)get_row(rows, i))->time, i};
    sg_sort_by_time(rows->keys, rows->keys + rows->in_memory, rows->in_memory);
    return SCADYG_OK;
}

static unsigned char *get_row_in_order(const sg_row_store *rows, size_t i)
{
    return get_row(rows, rows->keys ? (size_t)rows->keys[i].row : i);
}

/* Writes the rows in memory as a run and empties the memory. */
static int spill_rows(sg_row_store *rows, scadyg_error *error)
{
    int status = SCADYG_OK;
    if (rows->in_memory == 0) return SCADYG_OK;
    if (!rows->runs) status = sg_runs_open(&rows->runs, rows->places.size, rows->beside, error);
    if (!status) status = sort_in_memory(rows, error);
    if (!status) status = sg_runs_begin(rows->runs, error);
    if (!rows->keys)
        for (size_t i = 0; i < rows->in_memory && !status; i += rows->per_chunk) {
            size_t left = rows->in_memory - i;
            status =
                sg_runs_write(rows->runs, get_row(rows, i), left < rows->per_chunk ? left : rows->per_chunk, error);
        }
    else
        for (size_t i = 0; i < rows->in_memory && !status; i++)
            status = sg_runs_write(rows->runs, get_row_in_order(rows, i), 1, error);
    if (!status) status = sg_runs_end(rows->runs, error);
    rows->spilled++;
    free_keys(rows);
    rows->in_memory = 0;
    rows->in_order = 1;
    return status;
}

/* How many rows may be in memory: out of order, each needs room to be sorted as well. */
static size_t limit_rows(const sg_row_store *rows, uint64_t budget, int in_order)
{
    const uint64_t writing = sg_runs_bytes(rows->places.size);
    uint64_t per_row = rows->places.size + (in_order ? 0 : SORT_SIZE);
    uint64_t limit = (budget > writing ? budget - writing : 0) / per_row / rows->per_chunk * rows->per_chunk;
    return limit < rows->per_chunk ? rows->per_chunk : (size_t)limit;
}

static int add_chunk(sg_row_store *rows, scadyg_error *error)
{
    if (sg_grow(&rows->chunks, &rows->chunk_capacity, rows->chunk_count + 1, sizeof *rows->chunks))
        return sg_fail_memory(error, "the rows");
    unsigned char *chunk = sg_alloc_pages(rows->per_chunk, rows->places.size);
    if (!chunk) return sg_fail_memory(error, "the rows");
    rows->chunks[rows->chunk_count++] = chunk;
    return SCADYG_OK;
}

int sg_row_store_add(sg_row_store *rows, double time, uint64_t budget, void **record, scadyg_error *error)
{
    int steps_back = rows->count > 0 && time < rows->last_time;
    int breaks_order = steps_back && rows->in_memory > 0;
    if (rows->in_memory % rows->per_chunk == 0 || (breaks_order && rows->in_order)) {
        size_t limit = limit_rows(rows, budget, rows->in_order && !breaks_order);
        if (rows->in_memory >= limit) {
            int status = spill_rows(rows, error);
            if (status) return status;
            breaks_order = 0;
            drop_chunks(rows, limit_rows(rows, budget, 1));
        }
        if (rows->in_memory == rows->chunk_count * rows->per_chunk) {
            int status = add_chunk(rows, error);
            if (status) return status;
        }
    }
    rows->in_order &= !breaks_order;
    rows->out_of_order += (uint64_t)steps_back;
    rows->last_time = time;
    rows->count++;
    *record = get_row(rows, rows->in_memory++);
    return SCADYG_OK;
}

uint64_t sg_row_store_count(const sg_row_store *rows)
{
    return rows->count;
}

uint64_t sg_row_store_out_of_order(const sg_row_store *rows)
{
    return rows->out_of_order;
}

uint64_t sg_row_store_runs(const sg_row_store *rows)
{
    return rows->spilled;
}

int sg_row_store_finish(sg_row_store *rows, uint64_t budget, scadyg_error *error)
{
    if (!rows->runs) return sort_in_memory(rows, error);
    int status = spill_rows(rows, error);
    drop_chunks(rows, 0);
    return status ? status : sg_runs_merge(rows->runs, budget, error);
}

int sg_row_store_next(sg_row_store *rows, const void **record, scadyg_error *error)
{
    if (rows->runs) return sg_runs_next(rows->runs, record, error);
    *record = rows->at < rows->in_memory ? get_row_in_order(rows, rows->at++) : NULL;
    return SCADYG_OK;
}
