/* Bad rows and bad files: the exact place and reason, nothing written, and --skip-bad to the row. */
#include "cmocka_all.h"

#include "events/generate/generate.h"
#include "events/importing.h"

/* Each bad row with the message behind the file's name. */
static void every_kind(void **state)
{
    (void)state;
    static const struct {
        const char *content, *message;
    } cases[] = {
        {"1 2 3\n4 5\n", ":2:4: 2 fields where 3 are expected"},
        {"1 2 3\n4\n", ":2:2: 1 field where 3 are expected"},
        {"1 2 3\n4 5 6 7\n", ":2:7: 4 fields where 3 are expected"},
        {"1 2 3\n4 5 x\n", ":2:5: the time 'x' is not a number"},
        {"1 2 3\n\n4  5  12,5\n", ":3:7: the time '12,5' is not a number"},
        {"1 2 3\n4 5 nan\n", ":2:5: the time 'nan' is not a finite number"},
        {"1 2 3\n4 5 -Inf\n", ":2:5: the time '-Inf' is not a finite number"},
        {"1 2 3\n4 5 1e999\n", ":2:5: the time '1e999' is not a finite number"},
        {"1 2 3\n4 5 0x10\n", ":2:5: the time '0x10' is not a number"},
        {"1 2 3\n4 5 2014-01-01\n", ":1:5: the time '3' is not a date like 2014-01-31 09:30:00"},
        {"1 2 2014-01-01\n4 5 6\n", ":2:5: the time '6' is not a date like 2014-01-31 09:30:00"},
        {"1 2 2014-01-01\n4 5 2014-02-30\n", ":2:5: the time '2014-02-30' is not a date"},
        {"1 2 2014-01-01\n4 5 2014-1-x\n", ":2:5: the time '2014-1-x' is not a date"},
        {"1 2 3\n4 5 9007199254740993\n", ":2:5: the time '9007199254740993' has more digits than a double holds"},
        {"1 2 3\n4 5 -9007199254740993\n", ":2:5: the time '-9007199254740993' has more digits"},
        {"1 2 3\n4 5 1388534400123456789\n", ":2:5: the time '1388534400123456789' has more digits"},
        {"1,2,3\n,5,6\n", ":2:1: the source is missing"},
        {"1,2,3\n4, ,6\n", ":2:4: the destination is missing"},
        {"1,2,3\n4,5,\n", ":2:5: the time is missing"},
        {"1,2,3\n\"\",5,6\n", ":2:2: the source is missing"},
        {"1,2,3\n4,\"5,6\n", ":2:3: the quote that opens here is not closed within 1 MiB"},
        {"1,2,3\n4,\"5\"x,6\n", ":2:6: a quoted field goes on behind its quote"},
        {"1,2,3\nb\xff,5,6\n", ":2:1: the source is not valid UTF-8"},
        {"1,2,3\n4,\"b\xc3\",6\n", ":2:4: the destination is not valid UTF-8"},
        {"src,dst,time,weight\r\n1,2,3,4\r\n1,2,3,\r\n", ":3:7: the weight is missing"},
        {"src,dst,time,weight\n1,2,3,4\n1,2,3,x\n", ":3:7: the weight 'x' is not a number"},
        {"src,dst,time,weight\n1,2,3,4\n1,2,3,1e39\n", ":3:7: the weight '1e39' is too large"},
        {"src,dst,time,label\n1,2,3,4\n1,2,3,nan\n",
         ":3:7: the label is missing; --missing zero, mean or skip says what to do then"},
        {"src,dst,time,f0,f1\n1,2,3,4,5\n1,2,3,4,inf\n", ":3:9: the feature 'inf' is not a finite number"},
        {"src,dst,time,features\n1,2,3,4,5\n1,2,3,4\n", ":3:7: 1 feature where the first row has 2"},
        {"src,dst,time,features\n1,2,3,4,5\n1,2,3,4,5,6\n", ":3:11: more features than in the first row"},
        {"src,dst,time,features\n1,2,3,\"4,5\"\n1,2,3,\"4,5,6\"\n", ":3:12: more features than in the first row"},
        {"src,dst,time,features\n1,2,3,\"4,5\"\n1,2,3,\"4,x\"\n", ":3:10: the feature 'x' is not a number"},
        {",u,i,ts,label,idx\n0,1,2,3,0,1\n1,1,2,3,0,1.5\n", ":3:11: the row number '1.5' is not a whole number"},
        {",u,i,ts,label,idx\n0,1,2,3,0,1\n1,1,2,3,0,-1\n", ":3:11: the row number '-1' is not a whole number"},
        {"\xEF\xBB\xBF# c\n\nsrc,dst,time\n1,2,3\n1,2,x\n", ":5:5: the time 'x' is not a number"},
        {"1 2 3\n4 5 x", ":2:5: the time 'x' is not a number"},
        {"1 2 3\r\n4 5 x\r\n", ":2:5: the time 'x' is not a number"},
        {"1 2 3\n4 5 a\x1b[31m\n", ":2:5: the time 'a?[31m' is not a number"},
        {"1 2 3\n# too late\n", ":2:7: the time 'late' is not a number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[128], message[300];
        sample_path("bad", path);
        snprintf(message, sizeof message, "%s%s", path, cases[i].message);
        for (int threads = 1; threads <= 2; threads++) {
            text_fails(context_of(threads), cases[i].content, NULL, SCADYG_E_INPUT, message);
        }
    }
}

static void too_long(void **state)
{
    (void)state;
    char path[128], message[300];
    long_text t = {0};
    text_add(&t, "1 2 3\n");
    text_fill(&t, 'x', 65536);
    text_add(&t, " 2 3\n");
    sample_path("bad", path);
    snprintf(message, sizeof message, "%s:2:1: the source is longer than 65535 bytes", path);
    text_fails(NULL, t.data, NULL, SCADYG_E_INPUT, message);
    t.size = 0;
    text_add(&t, "1,2,3\n");
    for (int i = 0; i < 4097; i++) text_add(&t, "%d,", i % 10);
    text_add(&t, "\n");
    snprintf(message, sizeof message, "%s:2:8193: more than 4096 fields", path);
    text_fails(NULL, t.data, NULL, SCADYG_E_INPUT, message);
    text_free(&t);
}

/* Files of rows in which some are bad, by line number; several blocks long. */
static void put_with_bad(const char *path, size_t rows, size_t every, int header)
{
    long_text t = {0};
    if (header) text_add(&t, "src,dst,time\n");
    for (size_t i = 1; i <= rows; i++) {
        if (every && i % every == 0)
            text_add(&t, "%zu,%zu,oops\n", i, i % 10);
        else
            text_add(&t, "%zu,%zu,%zu\n", i % 100, i % 10, i * 7919 % 100000);
    }
    put_file(path, t.data, t.size);
    text_free(&t);
}

static void skipping(void **state)
{
    (void)state;
    enum { ROWS = 150000, EVERY = 10007, BAD = ROWS / EVERY, MORE = 3 };
    char a[128], b[128], output[128], expected[2048] = "";
    put_with_bad(sample_path("a.csv", a), ROWS, EVERY, 0);
    put_with_bad(sample_path("b.csv", b), 7, 2, 1); /* three more */
    const char *const files[] = {a, b};
    for (int i = 1; i <= 10; i++)
        snprintf(expected + strlen(expected), sizeof expected - strlen(expected),
                 "%s:%d:%d: the time 'oops' is not a number\n", a, i * EVERY, i * EVERY > 99999 ? 10 : 9);
    for (int threads = 1; threads <= 4; threads++) {
        sg_import_options options = {.skip_bad = BAD + MORE};
        scadyg_import_report *report = NULL;
        scadyg_error error = {0};
        if (import_files(context_of(threads), files, 2, sample_path("a.events", output), &options, &report, &error))
            fail_msg("%s", error.message);
        assert_int_equal(report->bad, BAD + MORE);
        assert_int_equal(report->rows, ROWS + 7);
        assert_int_equal(report->shape->events, ROWS + 7 - BAD - MORE);
        assert_string_equal(report->bad_rows, expected);
        scadyg_import_report_free(report);
        assert_int_equal(unlink(output), 0);
        char message[400];
        options.skip_bad--;
        snprintf(message, sizeof message,
                 "%d bad rows, more than %d; the first: %s:%d:9: the time 'oops' is not a number", BAD + MORE,
                 BAD + MORE - 1, a, EVERY);
        import_fails(context_of(threads), files, 2, &options, SCADYG_E_INPUT, message);
        options.skip_bad = 1;
        snprintf(message, sizeof message, "%d bad rows, more than 1; the first: %s:%d:9:", BAD + MORE, a, EVERY);
        import_fails(context_of(threads), files, 2, &options, SCADYG_E_INPUT, message);
        options.skip_bad = 0;
        snprintf(message, sizeof message, "%s:%d:9: the time 'oops' is not a number", a, EVERY);
        import_fails(context_of(threads), files, 2, &options, SCADYG_E_INPUT, message);
    }
}

/* Lines of the second file count from 1, its header included. */
static void line_numbers_of_each_file(void **state)
{
    (void)state;
    char a[128], b[128], message[300];
    put_with_bad(sample_path("a.csv", a), 5000, 0, 0);
    put_with_bad(sample_path("b.csv", b), 5000, 3000, 1);
    const char *const files[] = {a, b};
    snprintf(message, sizeof message, "%s:3001:8: the time 'oops' is not a number", b);
    import_fails(NULL, files, 2, NULL, SCADYG_E_INPUT, message);
}

/* The first row, and all but one, may be bad; what the columns are is still found out. */
static void skipping_the_first(void **state)
{
    (void)state;
    static const char *const contents[] = {
        "1 2\n1 2 3\n4 5 6\n",
        "src,dst,time\n1,2,oops\n1,2,2014-01-01\n1,2,2014-01-02\n",
        "src,dst,time\n1,\"2,3\n1,2,3\n1,2,4\n",
        "src,dst,time,features\n1,2,3,oops\n1,2,3,\"4,5\"\n1,2,3,\"4,5\"\n",
        "1 2 x\n1 2 3\n4 5 6\n",
    };
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        char path[128], output[128];
        sg_import_options options = {.skip_bad = 1};
        scadyg_import_report *report = NULL;
        import_one(NULL, put_text("first", contents[i], path), sample_path("a.events", output), &options, &report);
        assert_int_equal(report->shape->events, 2);
        assert_int_equal(report->bad, 1);
        scadyg_import_report_free(report);
    }
    sg_import_options options = {.skip_bad = 100};
    text_fails(NULL, "src,dst,time\n,2,3\n", &options, SCADYG_E_INPUT, "there are no events");
}

static void bad_files(void **state)
{
    (void)state;
    char path[128], missing[128], message[300];
    text_fails(NULL, "", NULL, SCADYG_E_INPUT, "is empty: it has no events");
    text_fails(NULL, "\n \n\n", NULL, SCADYG_E_INPUT, "is empty: it has no events");
    text_fails(NULL, "# only\n# comments\n", NULL, SCADYG_E_INPUT, "is empty: it has no events");
    text_fails(NULL, "src,dst,time\n", NULL, SCADYG_E_INPUT, "has a header but no events");
    text_fails(NULL, "1,2,3,4\n", NULL, SCADYG_E_LAYOUT, "--columns");
    sg_import_options options = {.told.columns = "src,dst"};
    text_fails(NULL, "1,2,3\n", &options, SCADYG_E_USAGE, "--columns must name src, dst and time");
    const char *const directory[] = {sample_directory};
    import_fails(NULL, directory, 1, NULL, SCADYG_E_IO, "is a directory, not a file");
    const char *const absent[] = {put_text("good", "1 2 3\n", path), sample_path("missing", missing)};
    snprintf(message, sizeof message, "cannot open %s: No such file or directory", missing);
    import_fails(NULL, absent, 2, NULL, SCADYG_E_IO, message);
    import_fails(NULL, NULL, 0, NULL, SCADYG_E_USAGE, "no file to import");
    const char *const mixed[] = {path, put_text("dates", "1 2 2014-01-01\n", missing)};
    import_fails(NULL, mixed, 2, NULL, SCADYG_E_LAYOUT, "another way to write times");
    char nowhere[128];
    scadyg_error error = {0};
    const char *const good[] = {path};
    assert_int_equal(import_files(NULL, good, 1, sample_path("no/where.events", nowhere), NULL, NULL, &error),
                     SCADYG_E_IO);
    assert_non_null(strstr(error.message, "No such file or directory"));
}

/* The public call: options by name, those of something else refused, and nothing done once the context is cancelled. */
static void wrong_calls(void **state)
{
    (void)state;
    char path[128], output[128];
    const char *const files[] = {put_text("call", "1 2 3\nx\n", path)};
    scadyg_error error = {0};
    scadyg_options *options = NULL;
    scadyg_import_report *report = NULL;
    sample_path("call.events", output);
    assert_int_equal(sg_options_open(&sg_generate_set, &options, NULL), SCADYG_OK);
    assert_int_equal(scadyg_import(NULL, files, 1, output, options, &report, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "\"import\""));
    scadyg_options_close(options);
    assert_int_equal(sg_options_open(&sg_import_set, &options, NULL), SCADYG_OK);
    assert_int_equal(scadyg_import(NULL, files, 1, output, options, &report, &error), SCADYG_E_INPUT);
    assert_int_equal(sg_options_set(options, sg_option_find(&sg_import_set, "skip-bad"), "1", NULL), SCADYG_OK);
    scadyg_context *context = context_of(2);
    scadyg_context_cancel(context);
    assert_int_equal(scadyg_import(context, files, 1, output, options, &report, &error), SCADYG_E_CANCELLED);
    assert_true(access(output, F_OK) != 0);
    assert_null(report);
    scadyg_context_reset(context);
    assert_int_equal(scadyg_import(context, files, 1, output, options, &report, &error), SCADYG_OK);
    assert_int_equal(report->bad, 1);
    scadyg_import_report_free(report);
    scadyg_options_close(options);
    assert_int_equal(unlink(output), 0);
}

/* A packed events file cannot be mapped. */
static void events_files(void **state)
{
    (void)state;
    char path[128], output[128], packed[128];
    import_one(NULL, put_text("good", "1 2 3\n", path), sample_path("a.events", output), NULL, NULL);
    size_t size;
    char *data = read_whole(output, &size);
    put_packed(sample_path("a.gz", packed), data, size, GZIP);
    free(data);
    const char *const files[] = {packed};
    import_fails(NULL, files, 1, NULL, SCADYG_E_LAYOUT, "is an events file that cannot be mapped");
}

/* Truncated and damaged archives of several blocks; a bad row before the damage is what is spoken of. */
static void packed_files(void **state)
{
    (void)state;
    for (int packing = GZIP; packing < PACKINGS; packing++)
        for (int bad_row = 0; bad_row < 2; bad_row++) {
            long_text data = {0}, file = {0};
            char path[128];
            sg_rng rng;
            sg_rng_seed(&rng, 1, 1);
            for (int i = 0; i < 300000; i++)
                text_add(&data, "%d %d %s\n", (int)sg_rng_below(&rng, 9999), i % 7,
                         bad_row && i == 70000 ? "x" : "5");
            pack(&file, data.data, data.size, (enum packing)packing);
            put_file(sample_path("packed", path), file.data, file.size - 20);
            const char *const files[] = {path};
            for (int threads = 1; threads <= 4; threads++) {
                import_fails(context_of(threads), files, 1, NULL, bad_row ? SCADYG_E_INPUT : SCADYG_E_IO,
                             bad_row ? ":70001:" : "truncated");
            }
            text_free(&data);
            text_free(&file);
        }
}

static void little_memory(void **state)
{
    (void)state;
    long_text t = {0};
    for (int i = 0; i < 100000; i++) text_add(&t, "node%d other%d %d\n", i, i, i);
    text_fails(context_with(2, IMPORT_LEAST, NULL, NULL), t.data, NULL, SCADYG_E_MEMORY,
               "do not fit in --memory 8M; allow at least ");
    text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind),         cmocka_unit_test(too_long),
        cmocka_unit_test(skipping),           cmocka_unit_test(line_numbers_of_each_file),
        cmocka_unit_test(skipping_the_first), cmocka_unit_test(bad_files),
        cmocka_unit_test(events_files),       cmocka_unit_test(packed_files),
        cmocka_unit_test(little_memory),      cmocka_unit_test(wrong_calls),
    };
    sample_in_memory();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sample_clean();
    return failed;
}
