/* Rows: parsed events kept until all are known, then handed out in the order of time. */
#include "events/import/rows.h"

#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Runs: rows in order on disk, merged when all are there. One scratch file holds them all ---- */

#define WRITE_SIZE ((size_t)1 << 20)
#define READ_LEAST ((size_t)64 << 10)
#define READ_MOST ((size_t)4 << 20)

struct run {
    uint64_t next, end;    /* bytes of the file not yet read */
    unsigned char *buffer; /* rows read but not yet handed out */
    size_t at, filled;
};

typedef struct row_runs {
    int fd;
    size_t row_size;
    uint64_t file_size;
    struct run *runs;
    size_t count, capacity;
    unsigned char *buffer; /* rows not yet written, then the row handed out */
    size_t buffered;
    size_t read_size;
    size_t *heap; /* run numbers, the one with the earliest row on top */
    size_t heap_count;
    int started;
} row_runs;

static void close_runs(row_runs *runs)
{
    if (!runs) return;
    if (runs->fd >= 0) close(runs->fd);
    for (size_t i = 0; i < runs->count; i++) free(runs->runs[i].buffer);
    SG_FREE(runs->runs, runs->buffer, runs->heap, runs);
}

static int open_runs(row_runs **out, size_t row_size, const char *beside, scadyg_error *error)
{
    row_runs *runs = sg_alloc_zero(1, sizeof *runs);
    if (!runs) return sg_fail_memory(error, "sorting on disk");
    runs->row_size = row_size;
    runs->buffer = sg_alloc(WRITE_SIZE > row_size ? WRITE_SIZE : row_size, 1);
    runs->fd = -1;
    int status =
        runs->buffer ? sg_scratch_open(beside, &runs->fd, error) : sg_fail_memory(error, "sorting on disk");
    if (status) {
        close_runs(runs);
        return status;
    }
    *out = runs;
    return SCADYG_OK;
}

/* One run: begin, rows in the order of time, end. */
static int begin_run(row_runs *runs, scadyg_error *error)
{
    if (sg_grow(&runs->runs, &runs->capacity, runs->count + 1, sizeof *runs->runs))
        return sg_fail_memory(error, "sorting on disk");
    runs->runs[runs->count++] = (struct run){.next = runs->file_size, .end = runs->file_size};
    return SCADYG_OK;
}

static int flush_buffer(row_runs *runs, scadyg_error *error)
{
    int status = sg_write_all_at(runs->fd, runs->file_size, runs->buffer, runs->buffered, "a scratch file", error);
    runs->file_size += runs->buffered;
    runs->buffered = 0;
    return status;
}

static int write_run(row_runs *runs, const void *rows, size_t count, scadyg_error *error)
{
    size_t size = count * runs->row_size;
    if (runs->buffered + size > WRITE_SIZE) {
        int status = flush_buffer(runs, error);
        if (status) return status;
    }
    if (size >= WRITE_SIZE) {
        int status = sg_write_all_at(runs->fd, runs->file_size, rows, size, "a scratch file", error);
        runs->file_size += size;
        return status;
    }
    memcpy(runs->buffer + runs->buffered, rows, size);
    runs->buffered += size;
    return SCADYG_OK;
}

/* One run: begin, rows in the order of time, end. */
static int end_run(row_runs *runs, scadyg_error *error)
{
    int status = flush_buffer(runs, error);
    runs->runs[runs->count - 1].end = runs->file_size;
    return status;
}

static uint64_t count_runs(const row_runs *runs)
{
    return runs->count;
}

/* Reads the next rows of a run into its buffer. */
static int refill_run(row_runs *runs, struct run *run, scadyg_error *error)
{
    uint64_t left = run->end - run->next;
    size_t size = left < runs->read_size ? (size_t)left : runs->read_size, have = 0;
    while (have < size) {
        ssize_t got = pread(runs->fd, run->buffer + have, size - have, (off_t)(run->next + have));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return sg_fail_system(error, got < 0 ? errno : EIO, "cannot read a scratch file");
        have += (size_t)got;
    }
    run->next += size;
    run->at = 0;
    run->filled = size;
    return SCADYG_OK;
}

static double get_time(const row_runs *runs, size_t run)
{
    double time;
    memcpy(&time, runs->runs[run].buffer + runs->runs[run].at, sizeof time);
    return time;
}

static int is_earlier(const row_runs *runs, size_t a, size_t b)
{
    double time_a = get_time(runs, a), time_b = get_time(runs, b);
    return time_a < time_b || (time_a == time_b && a < b);
}

static void sift_down(row_runs *runs, size_t at)
{
    size_t *heap = runs->heap;
    for (;;) {
        size_t least = at, left = 2 * at + 1, right = left + 1;
        if (left < runs->heap_count && is_earlier(runs, heap[left], heap[least])) least = left;
        if (right < runs->heap_count && is_earlier(runs, heap[right], heap[least])) least = right;
        if (least == at) return;
        size_t swap = heap[at];
        heap[at] = heap[least];
        heap[least] = swap;
        at = least;
    }
}

/* Reads the runs from now on as one, using about `budget` bytes; equal times in the order of the runs. */
static int merge_runs(row_runs *runs, uint64_t budget, scadyg_error *error)
{
    uint64_t share = budget / runs->count;
    size_t size = share > READ_MOST ? READ_MOST : share < READ_LEAST ? READ_LEAST : (size_t)share;
    runs->read_size = size > runs->row_size ? size / runs->row_size * runs->row_size : runs->row_size;
    runs->heap = sg_alloc(runs->count, sizeof *runs->heap);
    if (!runs->heap) return sg_fail_memory(error, "merging");
    for (size_t i = 0; i < runs->count; i++) {
        runs->runs[i].buffer = sg_alloc(runs->read_size, 1);
        if (!runs->runs[i].buffer) return sg_fail_memory(error, "merging");
        int status = refill_run(runs, &runs->runs[i], error);
        if (status) return status;
        runs->heap[runs->heap_count++] = i;
    }
    for (size_t i = runs->heap_count; i-- > 0;) sift_down(runs, i);
    return SCADYG_OK;
}

static int next_of_runs(row_runs *runs, const void **row, scadyg_error *error)
{
    if (runs->started && runs->heap_count) {
        /* Move on behind the row handed out last; only now may its buffer be refilled. */
        struct run *top = &runs->runs[runs->heap[0]];
        top->at += runs->row_size;
        if (top->at == top->filled && top->next < top->end) {
            int status = refill_run(runs, top, error);
            if (status) return status;
        }
        if (top->at == top->filled) runs->heap[0] = runs->heap[--runs->heap_count];
        sift_down(runs, 0);
    }
    runs->started = 1;
    if (runs->heap_count == 0) {
        *row = NULL;
        return SCADYG_OK;
    }
    const struct run *top = &runs->runs[runs->heap[0]];
    *row = top->buffer + top->at;
    return SCADYG_OK;
}

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

#define CHUNK_SIZE ((size_t)2 << 20)        /* a huge page */
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
    row_runs *runs; /* NULL until the first spill */

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

int sg_row_store_open(sg_row_store **out, const sg_row_places *places, const char *beside, scadyg_error *error)
{
    sg_row_store *rows = sg_alloc_zero(1, sizeof *rows);
    if (!rows) return sg_fail_memory(error, "the rows");
    rows->places = *places;
    rows->per_chunk = CHUNK_SIZE / places->size ? CHUNK_SIZE / places->size : 1;
    rows->in_order = 1;
    rows->beside = strdup(beside);
    if (!rows->beside) {
        free(rows);
        return sg_fail_memory(error, "the rows");
    }
    *out = rows;
    return SCADYG_OK;
}

void sg_row_store_close(sg_row_store *rows)
{
    if (!rows) return;
    for (size_t i = 0; i < rows->chunk_count; i++) free(rows->chunks[i]);
    SG_FREE(rows->chunks, rows->keys);
    if (rows->runs) close_runs(rows->runs);
    SG_FREE(rows->beside, rows);
}

static unsigned char *get_row(const sg_row_store *rows, size_t row)
{
    return rows->chunks[row / rows->per_chunk] + row % rows->per_chunk * rows->places.size;
}

/* A spilled run may leave chunks that a lower limit no longer allows. */
static void drop_chunks(sg_row_store *rows, size_t row_count)
{
    size_t keep = row_count / rows->per_chunk + (row_count % rows->per_chunk != 0);
    while (rows->chunk_count > keep) free(rows->chunks[--rows->chunk_count]);
}

/* Orders the rows in memory: afterwards get_row_in_order(i) is the i-th. */
static int sort_in_memory(sg_row_store *rows, scadyg_error *error)
{
    if (rows->in_order) return SCADYG_OK;
    drop_chunks(rows, rows->in_memory); /* kept from a longer run in order, they are the room to sort in */
    rows->keys = sg_alloc(2 * rows->in_memory, sizeof *rows->keys);
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
    if (!rows->runs) status = open_runs(&rows->runs, rows->places.size, rows->beside, error);
    if (!status) status = sort_in_memory(rows, error);
    if (!status) status = begin_run(rows->runs, error);
    if (!rows->keys)
        for (size_t i = 0; i < rows->in_memory && !status; i += rows->per_chunk) {
            size_t left = rows->in_memory - i;
            status =
                write_run(rows->runs, get_row(rows, i), left < rows->per_chunk ? left : rows->per_chunk, error);
        }
    else
        for (size_t i = 0; i < rows->in_memory && !status; i++)
            status = write_run(rows->runs, get_row_in_order(rows, i), 1, error);
    if (!status) status = end_run(rows->runs, error);
    free(rows->keys);
    rows->keys = NULL;
    rows->in_memory = 0;
    rows->in_order = 1;
    return status;
}

/* How many rows may be in memory: out of order, each needs room to be sorted as well. */
static size_t limit_rows(const sg_row_store *rows, uint64_t budget, int in_order)
{
    uint64_t per_row = rows->places.size + (in_order ? 0 : SORT_SIZE);
    uint64_t limit = budget / per_row / rows->per_chunk * rows->per_chunk;
    return limit < rows->per_chunk ? rows->per_chunk : (size_t)limit;
}

static int add_chunk(sg_row_store *rows, scadyg_error *error)
{
    if (sg_grow(&rows->chunks, &rows->chunk_capacity, rows->chunk_count + 1, sizeof *rows->chunks))
        return sg_fail_memory(error, "the rows");
    unsigned char *chunk = sg_alloc_huge(rows->per_chunk, rows->places.size);
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
    return rows->runs ? count_runs(rows->runs) : 0;
}

int sg_row_store_finish(sg_row_store *rows, uint64_t budget, scadyg_error *error)
{
    if (!rows->runs) return sort_in_memory(rows, error);
    int status = spill_rows(rows, error);
    drop_chunks(rows, 0);
    return status ? status : merge_runs(rows->runs, budget, error);
}

int sg_row_store_next(sg_row_store *rows, const void **record, scadyg_error *error)
{
    if (rows->runs) return next_of_runs(rows->runs, record, error);
    *record = rows->at < rows->in_memory ? get_row_in_order(rows, rows->at++) : NULL;
    return SCADYG_OK;
}
