/* Files to import, written plain or packed into the scratch directory, and imports with what they must keep.
 */
#ifndef TESTS_EVENTS_IMPORTING_H
#define TESTS_EVENTS_IMPORTING_H

#include "cmocka_all.h"

#include "contexts.h"
#include "events/import/import.h"
#include "events/sample.h"

#include "base/rng.h"

#include <dirent.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

/* How often a random test is repeated; $SCADYG_TEST_ROUNDS makes it less where everything is slow. */
static inline int test_rounds(int usual)
{
    const char *told = getenv("SCADYG_TEST_ROUNDS");
    int rounds = told ? atoi(told) : usual;
    return rounds > 0 && rounds < usual ? rounds : usual;
}

/* Makes the scratch directory in memory where the system has such a place: thousands of files are made
 * durable. */
static inline void sample_in_memory(void)
{
    if (access("/dev/shm", W_OK) != 0) return;
    strcpy(sample_directory, "/dev/shm/scadyg-test-XXXXXX");
    assert_non_null(mkdtemp(sample_directory));
}

/* ---- Text that grows ---- */

typedef struct long_text {
    char *data;
    size_t size, capacity;
} long_text;

static inline void text_bytes(long_text *t, const void *bytes, size_t size)
{
    if (size > (size_t)1 << 40 || t->size > (size_t)1 << 40) abort();
    if (t->size + size + 1 > t->capacity) {
        t->capacity = 2 * (t->size + size) + 256;
        t->data = realloc(t->data, t->capacity);
        if (!t->data) abort();
    }
    memcpy(t->data + t->size, bytes, size);
    t->size += size;
    t->data[t->size] = 0;
}

__attribute__((format(printf, 2, 3))) static inline void text_add(long_text *t, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof line) abort();
    text_bytes(t, line, (size_t)length);
}

/* Fills up with a letter. */
static inline void text_fill(long_text *t, char letter, size_t size)
{
    char *letters = malloc(size + 1);
    if (!letters) abort();
    memset(letters, letter, size);
    text_bytes(t, letters, size);
    free(letters);
}

static inline void text_free(long_text *t)
{
    free(t->data);
    *t = (long_text){0};
}

/* ---- Files ---- */

enum packing { PLAIN, GZIP, ZSTD_FRAME, PACKINGS };

static inline void put_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* The bytes packed, appended to `out`. */
static inline void pack(long_text *out, const void *data, size_t size, enum packing packing)
{
    if (packing == PLAIN) {
        text_bytes(out, data, size);
        return;
    }
    size_t room = packing == GZIP ? compressBound((uLong)size) + 64 : ZSTD_compressBound(size);
    unsigned char *packed = malloc(room);
    assert_non_null(packed);
    if (packing == GZIP) {
        z_stream z = {0};
        assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
        z.next_in = (unsigned char *)(uintptr_t)data;
        z.avail_in = (uInt)size;
        z.next_out = packed;
        z.avail_out = (uInt)room;
        assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
        room -= z.avail_out;
        deflateEnd(&z);
    } else {
        room = ZSTD_compress(packed, room, data, size, 1);
        assert_false(ZSTD_isError(room));
    }
    text_bytes(out, packed, room);
    free(packed);
}

static inline void put_packed(const char *path, const void *data, size_t size, enum packing packing)
{
    long_text out = {0};
    pack(&out, data, size, packing);
    put_file(path, out.data ? out.data : "", out.size);
    text_free(&out);
}

/* A file of the scratch directory with this content; returns its path. */
static inline const char *put_text(const char *name, const char *content, char path[128])
{
    put_file(sample_path(name, path), content, strlen(content));
    return path;
}

static inline void remove_file(const char *name)
{
    char path[128];
    assert_int_equal(unlink(sample_path(name, path)), 0);
}

/* ---- .npy ---- */

/* The header of a matrix; `shape` as numpy writes it, such as "(3, 2)". */
static inline void npy_header(long_text *t, int version, const char *descr, const char *fortran, const char *shape)
{
    char header[256];
    int length = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr,
                          fortran, shape);
    size_t prefix = version == 1 ? 10 : 12;
    while ((prefix + (size_t)length + 1) % 64) header[length++] = ' ';
    header[length++] = '\n';
    const char start[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', (char)version, 0, (char)length, (char)(length >> 8),
                          0,      0};
    text_bytes(t, start, prefix);
    text_bytes(t, header, (size_t)length);
}

/* A matrix of doubles, each number given by its place. */
static inline void npy_doubles(long_text *t, size_t rows, size_t columns,
                               double (*number)(size_t row, size_t column))
{
    char shape[64];
    snprintf(shape, sizeof shape, "(%zu, %zu)", rows, columns);
    npy_header(t, 1, "<f8", "False", shape);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            double value = number(i, j);
            text_bytes(t, &value, sizeof value);
        }
}

/* ---- Imports ---- */

/* A bound of memory with which any ordinary log is imported, most of it on disk. */
#define IMPORT_LEAST ((uint64_t)8 << 20)

/* With all defaults where there are no options. */
static inline int import_files(scadyg_context *context, const char *const *files, size_t count, const char *output,
                               const sg_import_options *options, scadyg_import_report **report, scadyg_error *error)
{
    static const sg_import_options none;
    return sg_import(context, files, count, output, options ? options : &none, report, error);
}

/* Imports one file and expects success. */
static inline void import_one(scadyg_context *context, const char *path, const char *output,
                              const sg_import_options *options, scadyg_import_report **report)
{
    scadyg_error error = {0};
    const char *const files[] = {path};
    if (import_files(context, files, 1, output, options, report, &error)) fail_msg("%s: %s", path, error.message);
}

/* Imports and expects this status, this in the message, and no output file. Paths begin messages; `message`
 * follows. */
static inline void import_fails(scadyg_context *context, const char *const *files, size_t count,
                                const sg_import_options *options, int status, const char *message)
{
    char output[128];
    scadyg_error error = {0};
    scadyg_import_report *report = NULL;
    int before = files_in_directory();
    int got = import_files(context, files, count, sample_path("none.events", output), options, &report, &error);
    if (got != status || !strstr(error.message, message))
        fail_msg("expected status %d and '%s', got %d and '%s'", status, message, got, error.message);
    assert_int_equal(error.status, status);
    assert_null(report);
    assert_int_equal(files_in_directory(), before);
}

static inline void text_fails(scadyg_context *context, const char *content, const sg_import_options *options,
                              int status, const char *message)
{
    char path[128];
    const char *const files[] = {put_text("bad", content, path)};
    import_fails(context, files, 1, options, status, message);
}

static inline void assert_same_files(const char *a, const char *b)
{
    size_t size_a, size_b;
    char *data_a = read_whole(a, &size_a), *data_b = read_whole(b, &size_b);
    if (size_a != size_b || memcmp(data_a, data_b, size_a) != 0) fail_msg("%s and %s differ", a, b);
    free(data_a);
    free(data_b);
}

/* A column of an events file, checked and there. */
static inline const void *column_of(scadyg_events *events, scadyg_column column)
{
    const void *data = NULL;
    scadyg_error error = {0};
    if (scadyg_events_column(events, column, &data, &error)) fail_msg("%s", error.message);
    assert_non_null(data);
    return data;
}

#endif
