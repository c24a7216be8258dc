/*
 * Blocks: lines that lie across their borders, lines as long as one, lines that are too long; progress
 * reported by the calling thread only, and a stop at any moment that leaves nothing behind.
 */
#include "cmocka_all.h"
#include "under_sanitizer.h"

#include "events/log.h"

#include <pthread.h>

enum { BLOCK = 1 << 20 }; /* of text, the largest there are */

/* A log of `rows` rows in which every `every`-th has a destination that fills its line up to `length` bytes.
 */
static void put_long_lines(long_text *t, size_t rows, size_t every, size_t length)
{
    for (size_t i = 0; i < rows; i++) {
        size_t begin = t->size;
        text_add(t, "%zu ", i % 50);
        if (i % every == every - 1)
            text_fill(t, 'y', length - 8 - (t->size - begin));
        else
            text_add(t, "d%zu", i % 9);
        text_add(t, " %06zu\n", i);
    }
}

static void import_text(const long_text *t, enum packing packing, int threads, const char *output,
                        scadyg_import_report **report)
{
    char path[128];
    put_packed(sample_path("log", path), t->data, t->size, packing);
    import_one(context_of(threads), path, output, NULL, report);
}

/* Every row is there, whatever its place in a block: row i has the time i. */
static void check_rows(const char *output, size_t rows)
{
    scadyg_events *events = sample_open(output);
    const double *time = column_of(events, SCADYG_COLUMN_TIME);
    assert_int_equal(scadyg_events_shape(events)->events, rows);
    for (size_t i = 0; i < rows; i++) assert_true(time[i] == (double)i);
    scadyg_events_close(events);
}

static void across_borders(void **state)
{
    (void)state;
    char output[128];
    sample_path("a.events", output);
    /* Lines of many lengths, so that borders fall at every place of a line. */
    for (size_t length = 3000; length < 3010; length++) {
        long_text t = {0};
        put_long_lines(&t, 3000, 2, length);
        import_text(&t, length % PACKINGS, 1 + (int)(length % 4), output, NULL);
        check_rows(output, 3000);
        text_free(&t);
    }
    /* Blocks that end exactly with a line: lines of 16 bytes, and of 16 with one that is off by a few. */
    for (int off = -1; off <= 1; off++) {
        long_text t = {0};
        size_t rows = 0;
        for (; t.size < 3 * BLOCK; rows++)
            text_add(&t, "%04d %03d%s %06zu\n", (int)rows % 1000, (int)rows % 7,
                     rows == 5 ? (off < 0   ? ""
                                  : off > 0 ? "xx"
                                            : "x")
                               : "x",
                     rows);
        import_text(&t, PLAIN, 2, output, NULL);
        check_rows(output, rows);
        text_free(&t);
    }
}

/* A row may have 1 MiB, with blanks here as ids are limited; one byte more makes it a bad row wherever it stands. */
static void longest_row(void **state)
{
    (void)state;
    char path[128], output[128];
    sample_path("log", path);
    sample_path("a.events", output);
    static const size_t before[] = {0, 1, 17, 70000};
    for (size_t k = 0; k < 4; k++)
        for (int over = 0; over <= 2; over++)
            for (int last = 0; last < 2; last++) {
                long_text t = {0};
                for (size_t i = 0; i < before[k]; i++) text_add(&t, "1 2 %zu\n", i);
                text_add(&t, "7 2 ");
                text_fill(&t, ' ', SG_ROW_LONGEST - 5 + (size_t)over);
                text_add(&t, "%zu\n", k);
                if (!last || !k)
                    for (size_t i = 0; i < 20000; i++) text_add(&t, i == 70 && !last ? "1 2 x\n" : "3 4 5\n");
                put_file(path, t.data, t.size);
                sg_import_options options = {.skip_bad = 2};
                scadyg_import_report *report = NULL;
                import_one(context_of(1 + (int)k), path, output, &options, &report);
                assert_int_equal(report->rows, before[k] + 1 + (last && k ? 0 : 20000));
                assert_int_equal(report->bad, (over > 0) + (last ? 0 : 1));
                char expected[400] = "";
                if (over)
                    snprintf(expected, sizeof expected, "%s:%zu:1: the row is longer than 1 MiB\n", path,
                             before[k] + 1);
                if (!last)
                    snprintf(expected + strlen(expected), sizeof expected - strlen(expected),
                             "%s:%zu:5: the time 'x' is not a number\n", path, before[k] + 72);
                assert_string_equal(report->bad_rows, expected);
                scadyg_import_report_free(report);
                text_free(&t);
            }
    assert_int_equal(unlink(output), 0);
}

/* Text that is one row too long at its beginning, in a header, behind one, or behind a quote that nothing closes. */
static void put_too_long(long_text *t, int kind)
{
    static const char *const begin[] = {"1 2 ", "src,dst,time,", "src,dst,time\n1,2,", "src,dst,time\n1,2,3\n1,\"",
                                        "# words\n\nsrc,dst,time\n1,2,3\n4,"};
    text_bytes(t, begin[kind], strlen(begin[kind]));
    while (t->size <= 5 * SG_ROW_LONGEST / 2) text_add(t, kind ? "1,2,3," : "1 2 3 ");
    for (int i = 0; i < 300; i++) text_add(t, kind ? "\n%d,2,%d" : "\n%d 2 %d", 299 - i, 300 - i);
}

enum { TOO_LONG = 5 };
static const int too_long_line[TOO_LONG] = {1, 1, 2, 3, 5}, good_rows[TOO_LONG] = {300, 300, 300, 301, 301};

/* It is an error about that row, and the import takes the others where bad rows are tolerated. */
static void too_long_rows(void **state)
{
    (void)state;
    char path[128], output[128], message[300];
    sample_path("log", path);
    for (int kind = 0; kind < TOO_LONG; kind++) {
        long_text t = {0};
        const char *const files[] = {path};
        put_too_long(&t, kind);
        snprintf(message, sizeof message, "%s:%d:1: the row is longer than 1 MiB", path, too_long_line[kind]);
        for (int threads = 1; threads <= 3; threads += UNDER_SANITIZER ? 2 : 1)
            for (int packing = 0; packing < PACKINGS; packing++) {
                put_packed(path, t.data, t.size, (enum packing)packing);
                import_fails(context_of(threads), files, 1, NULL, SCADYG_E_INPUT, message);
                sg_import_options options = {.skip_bad = 1};
                scadyg_import_report *report = NULL;
                import_one(context_with(threads, threads > 1 ? IMPORT_LEAST : 0, NULL, NULL), path,
                           sample_path("a.events", output), &options, &report);
                assert_int_equal(report->rows, good_rows[kind] + 1);
                assert_int_equal(report->bad, 1);
                assert_int_equal(report->shape->events, good_rows[kind]);
                assert_memory_equal(report->bad_rows, message, strlen(message));
                scadyg_import_report_free(report);
                assert_int_equal(unlink(output), 0);
            }
        text_free(&t);
    }
}

/* Nothing but one row too long: there is nothing to tolerate it for. */
static void only_too_long(void **state)
{
    (void)state;
    char path[128];
    long_text t = {0};
    while (t.size <= 3 * SG_ROW_LONGEST) text_add(&t, "1 2 3 ");
    put_file(sample_path("log", path), t.data, t.size);
    const char *const files[] = {path};
    for (int64_t skip = 0; skip <= 1; skip++) {
        sg_import_options options = {.skip_bad = skip};
        import_fails(NULL, files, 1, &options, SCADYG_E_INPUT, ":1:1: the row is longer than 1 MiB");
    }
    text_free(&t);
}

/* Whatever the blocks, the threads and the room for rows, an import gives the same bytes, counts and sentences. */
static void any_plan(void **state)
{
    (void)state;
    for (int kind = 0; kind < TOO_LONG; kind++) {
        long_text t = {0};
        put_too_long(&t, kind);
        text_add(&t, "%s", "\n1,2\n\n  \n1 2\n5,5,5\r\n6,6,6");
        char beside[128];
        const sg_input_source source = {.path = "log", .data = t.data, .size = t.size};
        const sg_import_options options = {.skip_bad = 9};
        sg_image images[2] = {{0}};
        scadyg_import_report *reports[2] = {NULL};
        for (size_t i = 0; i < 8; i++) {
            const sg_import_plan plan = {.blocks = 1 + i % 3,
                                         .block_size = (size_t)5 << 3 * i,
                                         .chunk_size = 100 * i,
                                         .batch_size = i * 50,
                                         .merge_size = 1,
                                         .row_budget = i % 2 ? 1 : 1 << 30};
            sg_import_job job = {.sources = &source,
                                 .count = 1,
                                 .output = sample_path("beside", beside),
                                 .image = &images[i > 0],
                                 .plan = &plan};
            scadyg_error error = {0};
            if (sg_import_run(context_of(1 + (int)(i % 4)), &job, &options, &reports[i > 0], &error))
                fail_msg("kind %d, plan %zu: %s", kind, i, error.message);
            if (i == 0) continue;
            assert_int_equal(images[0].size, images[1].size);
            assert_memory_equal(images[0].data, images[1].data, images[0].size);
            assert_string_equal(reports[0]->bad_rows, reports[1]->bad_rows);
            assert_string_equal(reports[0]->layout, reports[1]->layout);
            assert_string_equal(reports[0]->first_events, reports[1]->first_events);
            assert_true(i % 2 == 0 || reports[1]->spilled_runs > 1);
            scadyg_import_report_free(reports[1]);
        }
        scadyg_import_report_free(reports[0]);
        sg_image_free(&images[0]);
        sg_image_free(&images[1]);
        text_free(&t);
    }
}

/* A line that is many blocks long is one bad row. */
static void endless_line(void **state)
{
    (void)state;
    char path[128], output[128];
    long_text t = {0};
    text_add(&t, "1 2 0\n");
    for (int i = 0; i < 600000; i++) text_add(&t, "9999999 ");
    text_add(&t, "\n1 2 1\n1 2\n");
    put_file(sample_path("log", path), t.data, t.size);
    for (int threads = 1; threads <= 3; threads += UNDER_SANITIZER ? 2 : 1) {
        sg_import_options options = {.skip_bad = 2};
        scadyg_import_report *report = NULL;
        import_one(context_of(threads), path, sample_path("a.events", output), &options, &report);
        check_rows(output, 2);
        assert_int_equal(report->rows, 4);
        assert_non_null(strstr(report->bad_rows, ":2:1: the row is longer than 1 MiB"));
        assert_non_null(strstr(report->bad_rows, ":4:4: 2 fields where 3"));
        scadyg_import_report_free(report);
    }
    text_free(&t);
}

/* The header and comments are skipped in the first block only; blank lines count as lines everywhere. */
static void lines_are_counted(void **state)
{
    (void)state;
    char path[128], output[128];
    long_text t = {0};
    text_add(&t, "# one\n\n# two\nsrc,dst,time\n\n");
    size_t lines = 5, rows = 0, bad_line = 0;
    for (; t.size < 5 * BLOCK / 2; rows++, lines++) {
        text_add(&t, "a,b,%zu\n", rows);
        if (rows % 5 == 0) {
            text_add(&t, "\r\n  \n");
            lines += 2;
        }
    }
    bad_line = lines + 1;
    text_add(&t, "a,b,c\n");
    put_file(sample_path("log", path), t.data, t.size);
    for (int threads = 1; threads <= 4; threads++) {
        sg_import_options options = {.skip_bad = 1};
        scadyg_import_report *report = NULL;
        import_one(context_of(threads), path, sample_path("a.events", output), &options, &report);
        char expected[200];
        snprintf(expected, sizeof expected, "%s:%zu:5: the time 'c' is not a number (column 'time')\n", path,
                 bad_line);
        assert_string_equal(report->bad_rows, expected);
        assert_int_equal(report->rows, rows + 1);
        scadyg_import_report_free(report);
        check_rows(output, rows);
    }
    text_free(&t);
}

/* ---- Progress ---- */

struct watch {
    pthread_t caller;
    int calls, stop_at;
    int strangers, backwards, beyond;
    uint64_t done;
    char what[32];
};

static int watching(void *context, const char *what, uint64_t done, uint64_t total)
{
    struct watch *watch = context;
    watch->strangers += !pthread_equal(pthread_self(), watch->caller);
    if (strcmp(what, watch->what) != 0)
        snprintf(watch->what, sizeof watch->what, "%s", what);
    else
        watch->backwards += done < watch->done;
    watch->beyond += total > 0 && done > total;
    watch->done = done;
    return ++watch->calls == watch->stop_at;
}

static int watched_import(int threads, uint64_t memory, const char *const *files, int stop_at, struct watch *watch,
                          scadyg_error *error)
{
    char output[128];
    *watch = (struct watch){.caller = pthread_self(), .stop_at = stop_at};
    int status = import_files(context_with(threads, memory, watching, watch), files, 2,
                              sample_path("w.events", output), NULL, NULL, error);
    assert_int_equal(watch->strangers, 0);
    assert_int_equal(watch->backwards, 0);
    assert_int_equal(watch->beyond, 0);
    return status;
}

static void progress_and_stop(void **state)
{
    (void)state;
    long_text t = {0};
    char a[128], b[128], output[128];
    sg_rng rng;
    sg_rng_seed(&rng, 3, 3);
    for (int i = 0; i < 150000; i++)
        text_add(&t, "%d %d %d\n", (int)sg_rng_below(&rng, 1000), (int)sg_rng_below(&rng, 1000), i ^ 1);
    put_packed(sample_path("p.txt", a), t.data, t.size, PLAIN);
    put_packed(sample_path("p.gz", b), t.data, t.size, GZIP);
    text_free(&t);
    const char *const files[] = {a, b};
    for (int threads = 1; threads <= 4; threads += 3)
        for (int little = 0; little < 2; little++) {
            const uint64_t memory = little ? IMPORT_LEAST : 0;
            struct watch watch;
            scadyg_error error = {0};
            assert_int_equal(watched_import(threads, memory, files, -1, &watch, &error), SCADYG_OK);
            assert_int_equal(unlink(sample_path("w.events", output)), 0);
            assert_true(watch.calls > (threads == 1 ? 10 : 2)); /* other threads may take most blocks */
            int before = files_in_directory(), calls = watch.calls, step = calls / test_rounds(8) + 1;
            for (int stop_at = 1; stop_at <= calls; stop_at += stop_at < 3 || calls - stop_at < 6 ? 1 : step) {
                int status = watched_import(threads, memory, files, stop_at, &watch, &error);
                /* With several threads the number of calls varies, so a late stop may never come. */
                if (status == SCADYG_OK) {
                    assert_true(threads > 1 && watch.calls < stop_at);
                    assert_int_equal(unlink(output), 0);
                } else {
                    assert_int_equal(status, SCADYG_E_CANCELLED);
                    assert_non_null(strstr(error.message, "stopped while"));
                    assert_int_equal(watch.calls, stop_at); /* not called again */
                }
                assert_int_equal(files_in_directory(), before);
            }
        }
}

/* ---- A pipe that falls silent ---- */

static int stop_later(void *context, const char *what, uint64_t done, uint64_t total)
{
    (void)what;
    (void)done;
    (void)total;
    return ++*(int *)context == 4;
}

/* With rows before the silence or none, a wish to stop is heard, and asked for only once. */
static void silent_pipe(void **state)
{
    (void)state;
    int kept = dup(STDIN_FILENO), before = files_in_directory();
    for (int threads = 1; threads <= 4; threads += 3)
        for (int rows = 0; rows < 2; rows++) {
            int ends[2], calls = 0;
            char output[128];
            const char *const files[] = {"-"};
            scadyg_error error = {0};
            assert_int_equal(pipe(ends), 0);
            if (rows) assert_int_equal(write(ends[1], "1 2 3\n4 5 6\n", 12), 12);
            assert_true(dup2(ends[0], STDIN_FILENO) >= 0);
            int status = import_files(context_with(threads, 0, stop_later, &calls), files, 1,
                                      sample_path("w.events", output), NULL, NULL, &error);
            close(ends[0]);
            close(ends[1]);
            assert_int_equal(status, SCADYG_E_CANCELLED);
            assert_int_equal(calls, 4);
            assert_int_equal(files_in_directory(), before);
        }
    if (kept >= 0) {
        dup2(kept, STDIN_FILENO);
        close(kept);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(across_borders),    cmocka_unit_test(longest_row),       cmocka_unit_test(too_long_rows),
        cmocka_unit_test(only_too_long),     cmocka_unit_test(any_plan),          cmocka_unit_test(endless_line),
        cmocka_unit_test(lines_are_counted), cmocka_unit_test(progress_and_stop), cmocka_unit_test(silent_pipe),
    };
    sample_in_memory();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sample_clean();
    return failed;
}
