/* Runs: rows in the order of time on disk, merged into one order when all are there. */
#include "events/import/runs.h"

#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WRITE_SIZE ((size_t)256 << 10)
#define READ_LEAST ((size_t)32 << 10)
#define READ_MOST ((size_t)4 << 20)

struct run {
    uint64_t next, end;    /* bytes of the file not yet read */
    unsigned char *buffer; /* rows read but not yet handed out */
    size_t at, filled;
};

struct sg_runs {
    int fd;
    char *beside;
    size_t row_size;
    uint64_t file_size;
    struct run *runs;
    size_t count, capacity;
    unsigned char *buffer; /* rows not yet written */
    size_t buffered;
    size_t read_size;
    size_t *heap; /* run numbers, the one with the earliest row on top */
    size_t heap_count;
    int started;
};

static void stop_merge(sg_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        free(runs->runs[i].buffer);
        runs->runs[i].buffer = NULL;
    }
    free(runs->heap);
    runs->heap = NULL;
    runs->heap_count = 0;
    runs->started = 0;
}

void sg_runs_close(sg_runs *runs)
{
    if (!runs) return;
    if (runs->fd >= 0) close(runs->fd);
    stop_merge(runs);
    SG_FREE(runs->runs, runs->buffer, runs->beside, runs);
}

uint64_t sg_runs_bytes(size_t row_size)
{
    return WRITE_SIZE > row_size ? WRITE_SIZE : row_size;
}

int sg_runs_open(sg_runs **out, size_t row_size, const char *beside, scadyg_error *error)
{
    sg_runs *runs = sg_alloc_zero(1, sizeof *runs);
    if (!runs) return sg_fail_memory(error, "sorting on disk");
    runs->row_size = row_size;
    runs->buffer = sg_alloc((size_t)sg_runs_bytes(row_size), 1);
    runs->beside = strdup(beside);
    runs->fd = -1;
    int status = runs->buffer && runs->beside ? sg_scratch_open(beside, &runs->fd, error)
                                              : sg_fail_memory(error, "sorting on disk");
    if (status) {
        sg_runs_close(runs);
        return status;
    }
    *out = runs;
    return SCADYG_OK;
}

int sg_runs_begin(sg_runs *runs, scadyg_error *error)
{
    if (sg_grow(&runs->runs, &runs->capacity, runs->count + 1, sizeof *runs->runs))
        return sg_fail_memory(error, "sorting on disk");
    runs->runs[runs->count++] = (struct run){.next = runs->file_size, .end = runs->file_size};
    return SCADYG_OK;
}

static int flush_buffer(sg_runs *runs, scadyg_error *error)
{
    int status = sg_write_all_at(runs->fd, runs->file_size, runs->buffer, runs->buffered, "a scratch file", error);
    runs->file_size += runs->buffered;
    runs->buffered = 0;
    return status;
}

int sg_runs_write(sg_runs *runs, const void *rows, size_t count, scadyg_error *error)
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

int sg_runs_end(sg_runs *runs, scadyg_error *error)
{
    int status = flush_buffer(runs, error);
    runs->runs[runs->count - 1].end = runs->file_size;
    return status;
}

/* Reads the next rows of a run into its buffer. */
static int refill_run(sg_runs *runs, struct run *run, scadyg_error *error)
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

static double get_time(const sg_runs *runs, size_t run)
{
    double time;
    memcpy(&time, runs->runs[run].buffer + runs->runs[run].at, sizeof time);
    return time;
}

static int is_earlier(const sg_runs *runs, size_t a, size_t b)
{
    double time_a = get_time(runs, a), time_b = get_time(runs, b);
    return time_a < time_b || (time_a == time_b && a < b);
}

static void sift_down(sg_runs *runs, size_t at)
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

int sg_runs_next(sg_runs *runs, const void **row, scadyg_error *error)
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

/* Reads `count` runs from `first` on as one, each through a buffer of `size` bytes. */
static int start_merge(sg_runs *runs, size_t first, size_t count, size_t size, scadyg_error *error)
{
    runs->read_size = size > runs->row_size ? size / runs->row_size * runs->row_size : runs->row_size;
    runs->heap = sg_alloc(count, sizeof *runs->heap);
    if (!runs->heap) return sg_fail_memory(error, "merging");
    for (size_t i = first; i < first + count; i++) {
        runs->runs[i].buffer = sg_alloc(runs->read_size, 1);
        if (!runs->runs[i].buffer) return sg_fail_memory(error, "merging");
        int status = refill_run(runs, &runs->runs[i], error);
        if (status) return status;
        runs->heap[runs->heap_count++] = i;
    }
    for (size_t i = runs->heap_count; i-- > 0;) sift_down(runs, i);
    return SCADYG_OK;
}

/* The rows of the runs being merged become one run of another file. */
static int copy_merged(sg_runs *from, sg_runs *to, scadyg_error *error)
{
    const void *row = NULL;
    int status = sg_runs_begin(to, error);
    if (!status) status = sg_runs_next(from, &row, error);
    while (!status && row) {
        status = sg_runs_write(to, row, 1, error);
        if (!status) status = sg_runs_next(from, &row, error);
    }
    return status ? status : sg_runs_end(to, error);
}

/* Each `most` runs that follow each other become one. */
static int join_runs(sg_runs *runs, size_t most, size_t size, scadyg_error *error)
{
    sg_runs *joined = NULL;
    int status = sg_runs_open(&joined, runs->row_size, runs->beside, error);
    for (size_t first = 0; first < runs->count && !status; first += most) {
        const size_t left = runs->count - first;
        status = start_merge(runs, first, left < most ? left : most, size, error);
        if (!status) status = copy_merged(runs, joined, error);
        stop_merge(runs);
    }
    if (!status) {
        const sg_runs swap = *runs;
        *runs = *joined;
        *joined = swap;
    }
    sg_runs_close(joined);
    return status;
}

int sg_runs_merge(sg_runs *runs, uint64_t budget, scadyg_error *error)
{
    const size_t least = READ_LEAST > runs->row_size ? READ_LEAST : runs->row_size;
    const size_t most = budget / least > 2 ? (size_t)(budget / least) : 2;
    int status = SCADYG_OK;
    while (runs->count > most && !status) status = join_runs(runs, most, least, error);
    if (status) return status;
    const uint64_t share = budget / runs->count;
    return start_merge(runs, 0, runs->count, share > READ_MOST ? READ_MOST : (size_t)share, error);
}
