/*
 * Line breaks in quoted fields: rows found piece by piece as a slow twin finds them letter by letter; and logs with such fields,
 * imported whatever the blocks and threads like the same logs with blanks in their place.
 */
#include "cmocka_all.h"

#include "events/importing.h"

/* ---- The twin: one letter at a time, the whole text at hand ---- */

enum place { FIELD_BEGINS, IN_FIELD, IN_QUOTES };

/* Whether a quote that is open at `at` or not is open at the end of that line, and where it was opened. */
static int line_is_open(const char *text, size_t at, size_t end, char separator, int open, size_t *quote)
{
    enum place place = open ? IN_QUOTES : FIELD_BEGINS;
    for (; at < end; at++) {
        const char c = text[at];
        const int blank = c == ' ' || c == '\t';
        const int separates = separator == ' ' ? blank : c == separator;
        if (place == IN_QUOTES) {
            if (c != '"') continue;
            if (at + 1 < end && text[at + 1] == '"')
                at++;
            else
                place = IN_FIELD;
        } else if (separates) {
            place = FIELD_BEGINS;
        } else if (place == FIELD_BEGINS && c == '"') {
            place = IN_QUOTES;
            *quote = at;
        } else if (!blank) {
            place = IN_FIELD;
        }
    }
    return place == IN_QUOTES;
}

static size_t line_end(const char *text, size_t at, size_t size)
{
    while (at < size && text[at] != '\n') at++;
    return at;
}

typedef struct twin_row {
    size_t end;
    uint64_t lines;
    int broken;
    size_t quote;
} twin_row;

static twin_row find_row(const char *text, size_t begin, size_t size, char separator, size_t longest)
{
    twin_row row = {.end = begin};
    size_t quote = 0;
    int open = 0;
    do {
        const size_t end = line_end(text, row.end, size);
        if (open && end - begin > longest) break;
        open = line_is_open(text, row.end, end, separator, open, &quote);
        row.end = end < size ? end + 1 : end;
        row.lines++;
    } while (open && row.end < size);
    if (!open) return row;
    /* Nobody closes it: the row ends with the line of the quote. */
    row = (twin_row){.broken = 1, .quote = quote - begin};
    row.end = line_end(text, quote, size);
    for (size_t i = begin; i < quote; i++) row.lines += text[i] == '\n';
    row.lines++;
    row.end += row.end < size;
    return row;
}

/* ---- Rows ---- */

static const char separators[] = {',', ';', '\t', '|', ' '};

static size_t random_text(sg_rng *rng, char *text, size_t most, char separator)
{
    /* Much that is regular, and some of everything. */
    static const char letters[] = "ab12 \t,;|\"\"\"\n\n\r:";
    const size_t size = 1 + sg_rng_below(rng, most);
    const int wild = (int)sg_rng_below(rng, 4);
    for (size_t i = 0; i < size; i++) {
        const uint64_t what = sg_rng_below(rng, 16);
        text[i] = wild == 0 || what < 3 ? letters[sg_rng_below(rng, sizeof letters - 1)]
                  : what < 6            ? separator
                  : what < 8            ? '"'
                  : what < 9            ? '\n'
                                        : 'x';
    }
    return size;
}

/* Read in pieces of any size, rows are those of the twin. */
static void pieces(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 5, 1);
    int several = 0, broken = 0;
    for (int round = 0; round < test_rounds(30000); round++) {
        char text[400];
        const char separator = separators[sg_rng_below(&rng, sizeof separators)];
        const size_t size = random_text(&rng, text, sizeof text, separator), longest = 1 + sg_rng_below(&rng, 200);
        for (size_t begin = 0; begin < size;) {
            const twin_row expected = find_row(text, begin, size, separator, longest);
            sg_row_scan scan = {0};
            size_t have = 0, got = 0;
            while (!got) {
                assert_true(have < size - begin);
                have += 1 + sg_rng_below(&rng, 60);
                if (have > size - begin) have = size - begin;
                /* Only whole lines are shown, but for the last. */
                size_t shown = have;
                while (have < size - begin && shown && text[begin + shown - 1] != '\n') shown--;
                got = sg_row_find(&scan, text + begin, shown, have == size - begin, separator, longest);
            }
            assert_int_equal(got, expected.end - begin);
            assert_int_equal(scan.lines, expected.lines);
            assert_int_equal(scan.broken, expected.broken);
            if (scan.broken) assert_int_equal(scan.quote, expected.quote);
            several += scan.lines > 1;
            broken += scan.broken;
            begin += got;
        }
    }
    assert_true(several > test_rounds(30000) / 30 && broken > test_rounds(30000) / 30);
}

/* What is said to be rows of a line each is that; and all of it where every quote stands where it belongs. */
static void plain_rows(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 5, 2);
    size_t found = 0;
    for (int round = 0; round < test_rounds(30000); round++) {
        char text[400];
        const char separator = separators[sg_rng_below(&rng, sizeof separators)];
        const size_t size = random_text(&rng, text, sizeof text, separator);
        const size_t plain = sg_rows_plain(text, size, separator);
        size_t begin = 0;
        while (begin < plain) {
            const twin_row row = find_row(text, begin, size, separator, SIZE_MAX);
            assert_int_equal(row.lines, 1);
            assert_false(row.broken);
            begin = row.end;
        }
        assert_int_equal(begin, plain);
        found += plain;
    }
    assert_true(found > (size_t)test_rounds(30000) / 3);
    long_text t = {0};
    for (int i = 0; i < 500; i++) text_add(&t, "\"a%d\",\"say \"\"hi\"\", %d\",%d,\"\",\"\"\"\"\r\n", i * i, i, i);
    assert_int_equal(sg_rows_plain(t.data, t.size, ','), t.size);
    text_free(&t);
}

/* ---- Imports ---- */

/* A log with a comment of several lines in most rows, and the same with blanks for the line breaks. */
static void put_log(sg_rng *rng, long_text *broken, long_text *plain, size_t rows)
{
    static const char *const words[] = {"thank you", "\"\"really\"\"", "a, b, c", "\n",
                                        "\r\n",      "\n\n",           "1,2,3",   "é"};
    text_add(broken, "user,\"comment\nof the day\",item,time\n");
    text_add(plain, "user,\"comment of the day\",item,time\n");
    for (size_t i = 0; i < rows; i++) {
        char comment[200] = "";
        const int count = (int)sg_rng_below(rng, 8);
        for (int k = 0; k < count; k++) strcat(comment, words[sg_rng_below(rng, 8)]);
        const int user = (int)sg_rng_below(rng, 20), item = (int)sg_rng_below(rng, 30),
                  time = (int)sg_rng_below(rng, 999);
        text_add(broken, "u%d,\"%s\",i%d,%d\n", user, comment, item, time);
        for (char *c = comment; *c; c++)
            if (*c == '\n' || *c == '\r') *c = ' ';
        text_add(plain, "u%d,\"%s\",i%d,%d\n", user, comment, item, time);
    }
}

static void import_memory(const long_text *t, const sg_import_plan *plan, int threads, sg_image *image,
                          scadyg_import_report **report)
{
    char beside[128];
    const sg_input_source source = {.path = "log", .data = t->data, .size = t->size};
    const sg_import_options options = {.skip_bad = SG_SKIP_ALL};
    const sg_import_job job = {
        .sources = &source, .count = 1, .output = sample_path("beside", beside), .image = image, .plan = plan};
    scadyg_error error = {0};
    if (sg_import_run(context_of(threads), &job, &options, report, &error)) fail_msg("%s", error.message);
}

static void same_image(const sg_image *a, const sg_image *b)
{
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->data, b->data, a->size);
}

static void same_as_blanks(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 5, 3);
    for (int round = 0; round < test_rounds(60); round++) {
        long_text broken = {0}, plain = {0};
        put_log(&rng, &broken, &plain, round ? 1 + sg_rng_below(&rng, 60) : 40000);
        sg_image expected = {0}, got = {0};
        scadyg_import_report *report = NULL;
        import_memory(&plain, NULL, 1, &expected, NULL);
        for (int k = 0; k < 4; k++) {
            const sg_import_plan plan = {.blocks = 3,
                                         .block_size = 1 + sg_rng_below(&rng, round ? 200 : 99999),
                                         .chunk_size = 1 << 16,
                                         .batch_size = 1 << 12,
                                         .merge_size = 1 << 12,
                                         .row_budget = 1 << 30};
            import_memory(&broken, k ? &plan : NULL, 1 + k, &got, &report);
            same_image(&expected, &got);
            assert_int_equal(report->bad, 0);
            scadyg_import_report_free(report);
        }
        sg_image_free(&expected);
        sg_image_free(&got);
        text_free(&broken);
        text_free(&plain);
    }
}

/* Whatever stands in a file, blocks and threads have no say in what comes of it. */
static void same_for_any_plan(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 5, 4);
    for (int round = 0; round < test_rounds(400); round++) {
        long_text t = {0};
        text_add(&t, "user,item,time,comment\n");
        for (int i = 0; i < 20; i++) text_add(&t, "a,b%d,1,c\n", i % 4); /* most rows are as they should be */
        for (int i = 0; i < 12; i++) {
            char text[30];
            const size_t size = random_text(&rng, text, sizeof text, ',');
            text_add(&t, "u,i%d,%d,", i % 3, i); /* not one name for each of the other */
            text_bytes(&t, text, size);
            text_add(&t, "\n");
        }
        sg_image images[2] = {{0}};
        scadyg_import_report *reports[2] = {NULL};
        import_memory(&t, NULL, 1, &images[0], &reports[0]);
        for (int k = 0; k < 3; k++) {
            const sg_import_plan plan = {.blocks = 3,
                                         .block_size = 1 + sg_rng_below(&rng, 90),
                                         .chunk_size = 1 << 10,
                                         .batch_size = 1 << 10,
                                         .merge_size = 1 << 10,
                                         .row_budget = 1 << 30};
            import_memory(&t, &plan, 1 + k, &images[1], &reports[1]);
            same_image(&images[0], &images[1]);
            assert_string_equal(reports[0]->bad_rows, reports[1]->bad_rows);
            assert_int_equal(reports[0]->rows, reports[1]->rows);
            scadyg_import_report_free(reports[1]);
        }
        scadyg_import_report_free(reports[0]);
        sg_image_free(&images[0]);
        sg_image_free(&images[1]);
        text_free(&t);
    }
}

/* Errors name the line of the file, and the quote that nobody closes rather than the end. */
static void lines_in_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"user,item,time,note\na,b,1,\"x\ny\"\na,b,z,\"\"\n", ":4:5: the time 'z' is not a number"},
        {"user,note,item,time\na,x,b,1\na,\"x\ny\n\",b,z\n", ":5:5: the time 'z' is not a number"},
        {"user,note,item,time\na,x,b,1\na,\"x\"\"\ny\n\",b,z\n", ":5:5: the time 'z' is not a number"},
        {"user,item,time,note\na,b,1,x\n\"a\nb\",b,2,x\n", ":3:2: the source has a line break in it"},
        {"user,item,time,note\na,b,1,x\na,b,2,\"x\na,b,3,x\na,b,4,x\n",
         ":3:7: the quote that opens here is not closed within 1 MiB"},
        {"user,item,time,note\na,b,1,x\na,\"b,2,x\na,b\",3,x\na,b,4,x\n",
         ":3:3: the quote that opens here is closed 1 line below, and these look like rows"},
        {"user,note,item,time\na,x,b,1\na,\"x\ny\"z,b,3\n", ":4:3: a quoted field goes on behind its quote"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int threads = 1; threads <= 2; threads++)
            text_fails(context_of(threads), cases[i].text, NULL, SCADYG_E_INPUT, cases[i].message);
}

/* A quote that is never closed costs its own line, in a file far longer than a row may be. */
static void never_closed(void **state)
{
    (void)state;
    long_text t = {0};
    text_add(&t, "user,item,time,note\na,b,0,x\na,b,0,\"x\n");
    size_t rows = 1;
    for (; t.size < 3 * SG_ROW_LONGEST; rows++) text_add(&t, "a,b,%zu,y\n", rows);
    for (int threads = 1; threads <= 3; threads++) {
        sg_image image = {0};
        scadyg_import_report *report = NULL;
        import_memory(&t, NULL, threads, &image, &report);
        assert_string_equal(report->bad_rows, "log:3:7: the quote that opens here is not closed within 1 MiB\n");
        assert_int_equal(report->shape->events, rows);
        scadyg_import_report_free(report);
        sg_image_free(&image);
    }
    text_free(&t);
}

/* A row over several lines may be 1 MiB long in all; with one byte more its quote is deemed forgotten. */
static void longest_rows(void **state)
{
    (void)state;
    for (int over = 0; over < 2; over++)
        for (int threads = 1; threads <= 2; threads++) {
            long_text t = {0};
            text_add(&t, "user,item,time,note\na,b,0,x\n");
            const size_t begin = t.size;
            text_add(&t, "a,b,1,\"");
            for (int i = 0; i < 1000; i++) {
                text_fill(&t, 'x', 1000);
                text_add(&t, "\n");
            }
            text_fill(&t, 'x', SG_ROW_LONGEST - (t.size - begin) - 1 + (size_t)over);
            text_add(&t, "\"\na,b,2,x\n");
            sg_image image = {0};
            scadyg_import_report *report = NULL;
            import_memory(&t, NULL, threads, &image, &report);
            assert_int_equal(report->shape->events, over ? 2 : 3);
            assert_int_equal(report->bad, over ? 1001 : 0); /* the lines by themselves are no rows */
            scadyg_import_report_free(report);
            sg_image_free(&image);
            text_free(&t);
        }
}

/* Quotes as letters. */
static void plain_quotes(void **state)
{
    (void)state;
    char path[128], output[128];
    put_text("log", "user\titem\ttime\na\t\"Weird Al\t1\nb\t12\"\t2\n\"c\"\tx\t3\n", path);
    const sg_import_options options = {.told.plain_quotes = 1};
    import_one(NULL, path, sample_path("a.events", output), &options, NULL);
    scadyg_events *events = sample_open(output);
    char name[32];
    uint32_t node;
    assert_int_equal(scadyg_events_shape(events)->events, 3);
    assert_int_equal(scadyg_node_find(events, SCADYG_DESTINATION, "\"Weird Al", &node, NULL), SCADYG_OK);
    assert_int_equal(scadyg_node_name(events, node, name, sizeof name, NULL, NULL), SCADYG_OK);
    assert_int_equal(scadyg_node_find(events, SCADYG_SOURCE, "\"c\"", &node, NULL), SCADYG_OK);
    scadyg_events_close(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces),          cmocka_unit_test(plain_rows),
        cmocka_unit_test(same_as_blanks),  cmocka_unit_test(same_for_any_plan),
        cmocka_unit_test(lines_in_errors), cmocka_unit_test(never_closed),
        cmocka_unit_test(longest_rows),    cmocka_unit_test(plain_quotes),
    };
    sample_in_memory();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sample_clean();
    return failed;
}
