/* Input: the same bytes from a plain, gzip or zstd file or from standard input, and a clear word about
 * damaged ones. */
#include "cmocka_all.h"

#include "events/importing.h"

#include "events/import/input.h"

#include <fcntl.h>
#include <pthread.h>

/* Reads a whole file in pieces of random size. Returns the status; the bytes go to *out. */
static int read_all(const char *path, uint64_t seed, long_text *out, scadyg_error *error)
{
    sg_input *input;
    sg_rng rng;
    sg_rng_seed(&rng, seed, 0);
    int status = sg_input_open(&input, path, error);
    if (status) return status;
    for (;;) {
        size_t size = 1 + sg_rng_below(&rng, sg_rng_below(&rng, 2) ? 10 : 300000), got = 0;
        char *piece = malloc(size);
        assert_non_null(piece);
        status = sg_input_read(input, piece, size, &got, error);
        assert_true(got <= size);
        if (!status) text_bytes(out, piece, got);
        free(piece);
        if (status || got < size) break;
    }
    if (!status) {
        size_t got = 1;
        char more;
        assert_int_equal(sg_input_read(input, &more, 1, &got, error), SCADYG_OK); /* the end stays the end */
        assert_int_equal(got, 0);
        if (strcmp(path, "-") != 0) assert_int_equal(sg_input_position(input), sg_input_size(input));
    }
    sg_input_close(input);
    return status;
}

/* Text that packs well and text that does not. */
static void random_bytes(long_text *t, size_t size, sg_rng *rng)
{
    int plain = (int)sg_rng_below(rng, 2);
    for (size_t i = 0; i < size; i++) {
        char c = plain ? (char)('a' + i / 100 % 20) : (char)sg_rng_next(rng);
        text_bytes(t, &c, 1);
    }
    if (size) t->data[0] = 'x'; /* no beginning that looks packed */
}

static void every_packing(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 3, 4, 100, 262143, 262144, 262145, 1000000};
    static const char *const names[] = {"plain", "gzip", "zstd"};
    sg_rng rng;
    sg_rng_seed(&rng, 1, 1);
    for (int packing = 0; packing < PACKINGS; packing++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            long_text data = {0}, got = {0};
            char path[128];
            scadyg_error error = {0};
            random_bytes(&data, sizes[i], &rng);
            put_packed(sample_path("in", path), data.data ? data.data : "", data.size, (enum packing)packing);
            if (read_all(path, i, &got, &error)) fail_msg("%s", error.message);
            assert_int_equal(got.size, data.size);
            if (data.size) assert_memory_equal(got.data, data.data, data.size);
            sg_input *input;
            assert_int_equal(sg_input_open(&input, path, NULL), SCADYG_OK);
            assert_string_equal(sg_input_encoding(input), names[packing]);
            assert_string_equal(sg_input_name(input), path);
            sg_input_close(input);
            text_free(&data);
            text_free(&got);
        }
}

static void several_members(void **state)
{
    (void)state;
    for (int packing = GZIP; packing < PACKINGS; packing++) {
        long_text file = {0}, got = {0};
        char path[128];
        for (int i = 0; i < 5; i++) pack(&file, i == 2 ? "" : "hello\n", i == 2 ? 0 : 6, (enum packing)packing);
        if (packing == GZIP) text_bytes(&file, "\0\0\0\0", 4); /* padding, as from a tape */
        put_file(sample_path("in", path), file.data, file.size);
        assert_int_equal(read_all(path, 1, &got, NULL), SCADYG_OK);
        assert_string_equal(got.data, "hello\nhello\nhello\nhello\n");
        text_free(&file);
        text_free(&got);
    }
}

/* Cut anywhere, a packed file is truncated: never a shorter one. */
static void truncated(void **state)
{
    (void)state;
    for (int packing = GZIP; packing < PACKINGS; packing++) {
        long_text data = {0}, file = {0};
        char path[128];
        for (int i = 0; i < 500; i++) text_add(&data, "%d %d %d\n", i, i % 1000 * 77 % 100, i * 3);
        pack(&file, data.data, data.size, (enum packing)packing);
        for (size_t size = 4; size < file.size; size += size < 30 || file.size - size < 20 ? 1 : 37) {
            long_text got = {0};
            scadyg_error error = {0};
            put_file(sample_path("in", path), file.data, size);
            int status = read_all(path, size, &got, &error);
            if (status != SCADYG_E_IO || !strstr(error.message, "truncated") || !strstr(error.message, path))
                fail_msg("%zu of %zu bytes: %d %s", size, file.size, status, error.message);
            text_free(&got);
        }
        text_free(&data);
        text_free(&file);
    }
}

/* Any byte changed: an error or, in a header's unused parts, the same content. */
static void damaged(void **state)
{
    (void)state;
    long_text data = {0}, file = {0};
    char path[128];
    int errors = 0;
    for (int i = 0; i < 200; i++) text_add(&data, "%d %d %d\n", i, i % 1000 * 77 % 100, i * 3);
    pack(&file, data.data, data.size, GZIP);
    for (size_t i = 2; i < file.size; i++) {
        long_text got = {0};
        scadyg_error error = {0};
        file.data[i] ^= 0x55;
        put_file(sample_path("in", path), file.data, file.size);
        int status = read_all(path, i, &got, &error);
        file.data[i] ^= 0x55;
        errors += status != 0;
        if (status)
            assert_true(status == SCADYG_E_IO && strstr(error.message, "gzip"));
        else {
            assert_int_equal(got.size, data.size);
            assert_memory_equal(got.data, data.data, data.size);
        }
        text_free(&got);
    }
    assert_true(errors > (int)file.size - 10); /* but for time, flags and system in the header */
    text_free(&data);
    text_free(&file);
}

static void rubbish_behind(void **state)
{
    (void)state;
    static const char *const messages[] = {NULL, "something other than gzip data follows", "damaged zstd data"};
    for (int packing = GZIP; packing < PACKINGS; packing++) {
        long_text file = {0}, got = {0};
        char path[128];
        scadyg_error error = {0};
        pack(&file, "hello\n", 6, (enum packing)packing);
        text_bytes(&file, "rubbish", 7);
        put_file(sample_path("in", path), file.data, file.size);
        assert_int_equal(read_all(path, 1, &got, &error), SCADYG_E_IO);
        assert_non_null(strstr(error.message, messages[packing]));
        text_free(&file);
        text_free(&got);
    }
}

static void no_file(void **state)
{
    (void)state;
    char path[128];
    sg_input *input = NULL;
    scadyg_error error = {0};
    assert_int_equal(sg_input_open(&input, sample_path("missing", path), &error), SCADYG_E_IO);
    assert_non_null(strstr(error.message, "No such file"));
    assert_int_equal(sg_input_open(&input, sample_path("", path), &error), SCADYG_E_IO);
    assert_non_null(strstr(error.message, "is a directory"));
    assert_null(input);
}

struct feed {
    int fd;
    const long_text *bytes;
};

/* Writes a byte at a time at first, so that the reader gets small pieces. */
static void *feed(void *context)
{
    const struct feed *it = context;
    for (size_t at = 0; at < it->bytes->size;) {
        size_t size = at < 10 ? 1 : it->bytes->size - at;
        ssize_t done = write(it->fd, it->bytes->data + at, size);
        if (done <= 0) break;
        at += (size_t)done;
        if (at < 10) usleep(1000);
    }
    close(it->fd);
    return NULL;
}

static void standard_input(void **state)
{
    (void)state;
    int kept = dup(STDIN_FILENO);
    for (int packing = 0; packing < PACKINGS; packing++) {
        long_text data = {0}, file = {0}, got = {0};
        int ends[2];
        pthread_t thread;
        scadyg_error error = {0};
        for (int i = 0; i < 50000; i++) text_add(&data, "%d %d %d\n", i, i % 1000 * 77 % 100, i * 3);
        pack(&file, data.data, data.size, (enum packing)packing);
        assert_int_equal(pipe(ends), 0);
        assert_true(dup2(ends[0], STDIN_FILENO) >= 0);
        close(ends[0]);
        struct feed it = {ends[1], &file};
        assert_int_equal(pthread_create(&thread, NULL, feed, &it), 0);
        if (read_all("-", 5, &got, &error)) fail_msg("%s", error.message);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(got.size, data.size);
        assert_memory_equal(got.data, data.data, data.size);
        text_free(&data);
        text_free(&file);
        text_free(&got);
    }
    if (kept >= 0) {
        dup2(kept, STDIN_FILENO);
        close(kept);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_packing),  cmocka_unit_test(several_members), cmocka_unit_test(truncated),
        cmocka_unit_test(damaged),        cmocka_unit_test(rubbish_behind),  cmocka_unit_test(no_file),
        cmocka_unit_test(standard_input),
    };
    sample_in_memory();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sample_clean();
    return failed;
}
