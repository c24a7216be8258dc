/*
 * Appending and joining: whatever a log is cut into, and in whatever form the parts come, the result has the bytes of an import of
 * the whole text. And what does not fit is refused by a sentence that names both.
 */
#include "cmocka_all.h"

#include "events/importing.h"

#include <fcntl.h>
#include <math.h>
#include <sys/file.h>

enum { ROWS_MOST = 60, PARTS_MOST = 4 };

/* ---- Random logs ---- */

typedef struct random_log {
    sg_rng rng;
    int weight, label, features, texts, kind, bipartite;
    size_t rows;
    char lines[ROWS_MOST][160];
    double time[ROWS_MOST];
} random_log;

static int below(random_log *log, unsigned most)
{
    return (int)sg_rng_below(&log->rng, most);
}

/* A time, in a writing of the log's kind. */
static void add_time(random_log *log, size_t i, char *out, size_t size)
{
    static const double origins[] = {0, 1.7e9, 1.7e12, -50, 1950};
    log->time[i] = below(log, 40);
    if (log->kind < 5)
        snprintf(out, size, "%.0f", origins[log->kind] + log->time[i]);
    else if (log->kind == 5)
        snprintf(out, size, "%.3f", 5 + log->time[i] / 8);
    else if (log->kind == 6)
        snprintf(out, size, "2024-01-%02.0f", 1 + floor(log->time[i] / 2));
    else
        snprintf(out, size, "2024-01-01 09:%02.0f:00", log->time[i]);
    if (log->kind == 6) log->time[i] = floor(log->time[i] / 2);
}

static void add_id(random_log *log, char *out, size_t size)
{
    const int id = below(log, 20);
    if (log->texts == 0 || (log->texts == 2 && id < 18))
        snprintf(out, size, "%d", id * 1000003 - 7);
    else
        snprintf(out, size, "%s%d", id % 3 ? "n\xc3\xb6" : "00", id);
}

static void make_log(random_log *log, uint64_t seed)
{
    *log = (random_log){0};
    sg_rng_seed(&log->rng, 3, seed);
    log->weight = below(log, 2);
    log->label = below(log, 2);
    log->features = below(log, 3);
    log->texts = below(log, 3);
    log->kind = below(log, 8);
    log->bipartite = below(log, 2);
    log->rows = (size_t)(2 + below(log, ROWS_MOST - 1));
    for (size_t i = 0; i < log->rows; i++) {
        char src[40], dst[40], time[40], rest[80] = "";
        size_t used = 0;
        add_id(log, src, sizeof src);
        add_id(log, dst, sizeof dst);
        add_time(log, i, time, sizeof time);
        if (log->weight) used += (size_t)snprintf(rest + used, sizeof rest - used, ",%d.5", below(log, 9));
        if (log->label) used += (size_t)snprintf(rest + used, sizeof rest - used, ",%d", below(log, 2));
        for (int k = 0; k < log->features; k++)
            used += (size_t)snprintf(rest + used, sizeof rest - used, ",0.%d", below(log, 1000));
        snprintf(log->lines[i], sizeof log->lines[i], "%s,%s,%s%s\n", src, dst, time, rest);
    }
}

static void swap_rows(random_log *log, size_t a, size_t b)
{
    char line[sizeof *log->lines];
    const double time = log->time[a];
    memcpy(line, log->lines[a], sizeof line);
    memcpy(log->lines[a], log->lines[b], sizeof line);
    memcpy(log->lines[b], line, sizeof line);
    log->time[a] = log->time[b];
    log->time[b] = time;
}

static void sort_rows(random_log *log)
{
    for (size_t i = 1; i < log->rows; i++)
        for (size_t j = i; j > 0 && log->time[j] < log->time[j - 1]; j--) swap_rows(log, j, j - 1);
}

static void shuffle_rows(random_log *log, size_t begin, size_t end)
{
    for (size_t i = end - 1; i > begin; i--)
        swap_rows(log, i, begin + (size_t)below(log, (unsigned)(i - begin + 1)));
}

static void put_rows(const random_log *log, size_t begin, size_t end, const char *path)
{
    long_text text = {0};
    text_add(&text, "src,dst,time%s%s", log->weight ? ",weight" : "", log->label ? ",label" : "");
    for (int k = 0; k < log->features; k++) text_add(&text, ",f%d", k);
    text_add(&text, "\n");
    for (size_t i = begin; i < end; i++) text_add(&text, "%s", log->lines[i]);
    put_file(path, text.data, text.size);
    text_free(&text);
}

/* ---- Parts of one ---- */

/* Cuts rows into parts, none of them empty; ends[] has the end of each. */
static size_t cut_rows(random_log *log, size_t ends[PARTS_MOST])
{
    size_t parts = 1 + (size_t)below(log, PARTS_MOST);
    if (parts > log->rows) parts = log->rows;
    for (size_t i = 0, begin = 0; i < parts; i++) {
        const size_t left = parts - 1 - i; /* parts that must get a row each */
        ends[i] = left ? begin + 1 + (size_t)below(log, (unsigned)(log->rows - left - begin)) : log->rows;
        begin = ends[i];
    }
    return parts;
}

static const sg_import_plan tiny = {
    .blocks = 2, .block_size = 32, .chunk_size = 1, .batch_size = 1, .merge_size = 1, .row_budget = 1};

/* An import, now and then one that sorts on disk. */
static void import_all(random_log *log, char (*paths)[128], size_t count, const char *output, int append, int late)
{
    sg_input_source sources[PARTS_MOST + 1] = {{0}};
    const sg_import_options options = {.bipartite = log->bipartite, .late = late};
    const sg_import_job job = {.sources = sources,
                               .count = count,
                               .output = output,
                               .append = append,
                               .plan = below(log, 3) ? NULL : &tiny};
    scadyg_error error = {0};
    for (size_t i = 0; i < count; i++) sources[i].path = paths[i];
    if (sg_import_run(NULL, &job, &options, NULL, &error)) fail_msg("%s", error.message);
}

/* The parts as files, each text or an events file. */
static void put_parts(random_log *log, const size_t *ends, size_t parts, char (*paths)[128])
{
    for (size_t i = 0; i < parts; i++) {
        char name[32], text[128];
        snprintf(name, sizeof name, "part%zu.csv", i);
        put_rows(log, i ? ends[i - 1] : 0, ends[i], sample_path(name, paths[i]));
        if (below(log, 2)) continue;
        memcpy(text, paths[i], sizeof text);
        snprintf(name, sizeof name, "part%zu.events", i);
        sample_path(name, paths[i]);
        import_all(log, &text, 1, paths[i], 0, 0);
    }
}

static void import_whole(random_log *log, char whole[128])
{
    char text[1][128];
    put_rows(log, 0, log->rows, sample_path("whole.csv", text[0]));
    import_all(log, text, 1, sample_path("whole.events", whole), 0, 0);
}

/* One after the other, or several at once. */
static void append_parts(random_log *log, const size_t *ends, size_t parts, int late)
{
    char paths[PARTS_MOST + 1][128], whole[128];
    put_parts(log, ends, parts, paths + 1);
    import_all(log, paths + 1, 1, sample_path("grown.events", paths[0]), 0, 0);
    for (size_t done = 1; done < parts;) {
        const size_t now = 1 + (size_t)below(log, (unsigned)(parts - done));
        char call[PARTS_MOST + 1][128];
        memcpy(call[0], paths[0], sizeof call[0]);
        for (size_t i = 0; i < now; i++) memcpy(call[i + 1], paths[1 + done + i], sizeof call[0]);
        import_all(log, call, now + 1, paths[0], 1, late);
        done += now;
    }
    import_whole(log, whole);
    assert_same_files(whole, paths[0]);
}

static void appending(void **state)
{
    (void)state;
    for (int round = 0; round < test_rounds(600); round++) {
        random_log log;
        size_t ends[PARTS_MOST], parts;
        make_log(&log, (uint64_t)round);
        sort_rows(&log);
        parts = cut_rows(&log, ends);
        /* Rows of a part in any order, and times that are those of the part before it. */
        for (size_t i = 0; i < parts; i++) shuffle_rows(&log, i ? ends[i - 1] : 0, ends[i]);
        append_parts(&log, ends, parts, SG_LATE_REFUSE);
    }
}

static void late_ones(void **state)
{
    (void)state;
    for (int round = 0; round < test_rounds(600); round++) {
        random_log log;
        size_t ends[PARTS_MOST];
        make_log(&log, 100000 + (uint64_t)round);
        append_parts(&log, ends, cut_rows(&log, ends), SG_LATE_SORT);
    }
}

static void joining(void **state)
{
    (void)state;
    for (int round = 0; round < test_rounds(600); round++) {
        random_log log;
        size_t ends[PARTS_MOST];
        char paths[PARTS_MOST][128], whole[128], joined[128];
        make_log(&log, 200000 + (uint64_t)round);
        const size_t parts = cut_rows(&log, ends);
        put_parts(&log, ends, parts, paths);
        import_all(&log, paths, parts, sample_path("joined.events", joined), 0, 0);
        import_whole(&log, whole);
        assert_same_files(whole, joined);
    }
}

/* ---- Small ones ---- */

static const char *put_events(const char *name, const char *text, const sg_import_options *options, char path[128])
{
    char log[128];
    import_one(NULL, put_text("put.csv", text, log), sample_path(name, path), options, NULL);
    remove_file("put.csv");
    return path;
}

static int append_one(const char *events, const char *file, const sg_import_options *options,
                      scadyg_import_report **report, scadyg_error *error)
{
    static const sg_import_options none;
    *error = (scadyg_error){0};
    return sg_append(NULL, events, &file, 1, 0, options ? options : &none, report, error);
}

static void assert_appends(const char *events, const char *file, const sg_import_options *options)
{
    scadyg_error error;
    if (append_one(events, file, options, NULL, &error)) fail_msg("%s: %s", file, error.message);
}

/* Refused with these words, and the file is as it was. */
static void assert_refused(const char *events, const char *file, const sg_import_options *options, int status,
                           const char *words)
{
    scadyg_error error;
    size_t before, after;
    char *old = read_whole(events, &before);
    const int files = files_in_directory(), got = append_one(events, file, options, NULL, &error);
    if (got != status || !strstr(error.message, words))
        fail_msg("expected %d and '%s', got %d and '%s'", status, words, got, error.message);
    char *now = read_whole(events, &after);
    assert_int_equal(before, after);
    assert_memory_equal(old, now, before);
    assert_int_equal(files_in_directory(), files);
    free(old);
    free(now);
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *old, *new, *words;
        int status;
    } cases[] = {
        {"src,dst,time,weight\n1,2,3,4\n", "src,dst,time\n1,2,9\n", "new.csv has no weights, ", SCADYG_E_LAYOUT},
        {"src,dst,time\n1,2,3\n", "src,dst,time,weight\n1,2,9,1\n", "new.csv has weights, ", SCADYG_E_LAYOUT},
        {"src,dst,time,label\n1,2,3,1\n", "src,dst,time\n1,2,9\n", "x.events has labels: choose", SCADYG_E_LAYOUT},
        {"src,dst,time,f0\n1,2,3,4\n", "src,dst,time,f0,f1\n1,2,9,1,2\n", "new.csv has 2 features per event, ",
         SCADYG_E_LAYOUT},
        {"src,dst,time,f0\n1,2,3,4\n", "src,dst,time\n1,2,9\n", "x.events has 1 feature per event",
         SCADYG_E_LAYOUT},
        {"src,dst,time\n1,2,2024-01-01\n", "src,dst,time\n1,2,1704067200\n", "new.csv has numbers for times, ",
         SCADYG_E_LAYOUT},
        {"src,dst,time\n1,2,1704067200\n", "src,dst,time\n1,2,2024-01-02\n",
         "x.events has numbers for times: bring", SCADYG_E_LAYOUT},
        {"src,dst,time\n1,2,1704067200\n", "src,dst,time\n1,2,1704067201000\n",
         "new.csv are unix milliseconds from 1704067201000 to 1704067201000, those of ", SCADYG_E_LAYOUT},
        {"src,dst,time\n1,2,1704067200000\n", "src,dst,time\n1,2,1704067200001000\n", "are unix microseconds",
         SCADYG_E_LAYOUT},
        {"src,dst,time\n1,2,5\n1,2,90\n", "src,dst,time\n1,2,1704067200\n",
         "x.events numbers from 5 to 90: bring them to one unit", SCADYG_E_LAYOUT},
        {"src,dst,time\n1,2,1999\n", "src,dst,time\n1,2,1704067200\n", "x.events years from 1999", SCADYG_E_LAYOUT},
        {"src,dst,time\n1,2,1704067200\n", "src,dst,time\n1,2,1704067201\n1,2,1704067202000\n",
         "new.csv are numbers from 1704067201 to 1704067202000", SCADYG_E_LAYOUT},
        {"src,dst,time\n1,2,8\n", "src,dst,time\n1,2,9\n1,2,7\n3,4,6\n", "2 events are earlier than the newest in ",
         SCADYG_E_INPUT},
        {"src,dst,time\n1,2,8\n", "src,dst,time\n1,2,9\n\n1,2,7\n", "new.csv:4: 7; --late sort puts it",
         SCADYG_E_INPUT},
        {"src,dst,time\n1,2,2024-01-05\n", "src,dst,time\n1,2,2024-01-04\n",
         "1 event is earlier than the newest in ", SCADYG_E_INPUT},
        {"src,dst,time\n1,2,8\n", "src,dst,time\n1,2,7\n1,2,x\n", "new.csv:3:5: the time 'x' is not a number",
         SCADYG_E_INPUT},
        {"src,dst,time\n1,2,8\n", "", "new.csv is empty", SCADYG_E_INPUT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char events[128], text[128];
        put_events("x.events", cases[i].old, NULL, events);
        assert_refused(events, put_text("new.csv", cases[i].new, text), NULL, cases[i].status, cases[i].words);
        remove_file("new.csv");
    }
}

/* The same of events files, which say what they have in their headers. */
static void refused_files(void **state)
{
    (void)state;
    char events[128], other[128], text[128], nodes[128];
    const sg_import_options two = {.bipartite = 1},
                            with_nodes = {.node_features = put_text("f.csv", "id,f\n1,2\n2,3\n", nodes)};
    const sg_import_options one = {.one_kind = 1};
    put_events("x.events", "src,dst,time\n1,2,8\n", &one, events);
    put_events("y.events", "src,dst,time,weight\n1,2,9,1\n", NULL, other);
    assert_refused(events, other, NULL, SCADYG_E_LAYOUT, "y.events has weights, ");
    put_events("y.events", "src,dst,time\n1,2,9\n", &two, other);
    assert_refused(events, other, NULL, SCADYG_E_LAYOUT, "y.events has separate sources and destinations, ");
    assert_refused(events, other, NULL, SCADYG_E_LAYOUT,
                   "x.events has one kind of nodes: import both with --bipartite, or both with --one-kind");
    put_events("y.events", "src,dst,time\n1,2,9\n", &with_nodes, other);
    assert_refused(events, other, NULL, SCADYG_E_LAYOUT, "y.events has 1 feature per node, ");
    assert_refused(events, put_text("new.csv", "1,2,9\n", text), &with_nodes, SCADYG_E_LAYOUT,
                   "f.csv has node features, ");
    assert_refused(events, text, &two, SCADYG_E_USAGE, "x.events has one kind of nodes, --bipartite says");
    put_events("y.events", "src,dst,time\n1,2,7\n1,2,9\n", NULL, other);
    assert_refused(events, other, NULL, SCADYG_E_INPUT, "1 event is earlier than the newest in ");
    assert_refused(events, events, NULL, SCADYG_E_USAGE, "x.events cannot be appended to itself");
    assert_refused(text, events, NULL, SCADYG_E_FORMAT, "new.csv is not an events file");
    /* The kind of a file's nodes holds for the text. */
    put_events("y.events", "user_id,item_id,time\n1,2,8\n", NULL, other);
    assert_appends(other, text, NULL);
}

/* Numbers that go on are of one unit, whatever they look like by themselves. */
static void times_that_go_on(void **state)
{
    (void)state;
    static const struct {
        const char *old, *new;
        int kind;
    } cases[] = {
        {"1,2,5\n1,2,99999990\n", "1,2,100000000\n", SCADYG_TIME_NUMBER},
        {"1,2,1000\n1,2,2999\n", "1,2,3000\n", SCADYG_TIME_NUMBER},
        {"1,2,1990\n1,2,2000\n", "1,2,2000.5\n", SCADYG_TIME_NUMBER},
        {"1,2,1990\n1,2,2000\n", "1,2,2001\n", SCADYG_TIME_YEAR},
        {"1,2,2024-01-01\n", "1,2,2024-01-02 09:00:00\n", SCADYG_TIME_DATETIME},
        {"1,2,2024-01-01 09:00:00\n", "1,2,2024-01-02\n", SCADYG_TIME_DATETIME},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char events[128], whole[128], text[128], both[256];
        const sg_import_options told = {.told.columns = "src,dst,time"};
        snprintf(both, sizeof both, "%s%s", cases[i].old, cases[i].new);
        put_events("whole.events", both, &told, whole);
        put_events("x.events", cases[i].old, &told, events);
        assert_appends(events, put_text("new.csv", cases[i].new, text), &told);
        assert_same_files(whole, events);
        scadyg_events *open = sample_open(events);
        assert_int_equal(scadyg_events_shape(open)->time_kind, cases[i].kind);
        scadyg_events_close(open);
        remove_file("new.csv");
    }
}

/* ---- Features of nodes, and matrices ---- */

static void node_features(void **state)
{
    (void)state;
    char nodes[128], whole[128], events[128], text[128], other[128];
    const char *const table = "id,f0,f1\na,1,2\nb,3,4\nc,5,6\n\"d\",7,8\n";
    const sg_import_options all = {.node_features = put_text("all.csv", table, nodes)};
    put_events("whole.events", "src,dst,time\na,b,1\nb,c,2\nd,a,3\n", &all, whole);
    put_events("x.events", "src,dst,time\na,b,1\n", &all, events);
    /* New nodes have theirs from a table that lies beside, or is told; old ones keep theirs. */
    put_text("new.nodes.csv", "id,f0,f1\nc,5,6\nd,7,8\n", text);
    assert_appends(events, put_text("new.csv", "src,dst,time\nb,c,2\nd,a,3\n", text), NULL);
    assert_same_files(whole, events);
    remove_file("new.nodes.csv");
    put_events("x.events", "src,dst,time\na,b,1\n", &all, events);
    assert_appends(events, text, &all);
    assert_same_files(whole, events);
    /* Or in an events file, in any order. */
    put_events("x.events", "src,dst,time\na,b,1\n", &all, events);
    put_events("y.events", "src,dst,time\nb,c,2\nd,a,3\n", &all, other);
    const char *const orders[][2] = {{events, other}, {other, events}};
    for (int i = 0; i < 2; i++) {
        char joined[128];
        assert_int_equal(import_files(NULL, orders[i], 2, sample_path("j.events", joined), NULL, NULL, NULL),
                         SCADYG_OK);
        assert_same_files(whole, joined);
    }
    assert_appends(events, other, NULL);
    assert_same_files(whole, events);
    /* Nobody knows those of a new node: zeros, which is said. */
    scadyg_import_report *report = NULL;
    scadyg_error error;
    assert_int_equal(append_one(events, put_text("new.csv", "src,dst,time\nz,a,4\n", text), NULL, &report, &error),
                     SCADYG_OK);
    assert_non_null(strstr(report->layout, "1 node has no node features: zeros"));
    scadyg_import_report_free(report);
    /* A later table has the say. */
    const sg_import_options newer = {.node_features = put_text("newer.csv", "id,f0,f1\nz,9,9\na,1,1\n", nodes)};
    assert_int_equal(
        append_one(events, put_text("new.csv", "src,dst,time\nz,a,5\n", text), &newer, &report, &error), SCADYG_OK);
    assert_non_null(strstr(report->layout, "2 nodes have other node features than in an earlier file"));
    scadyg_import_report_free(report);
    scadyg_events *open = sample_open(events);
    const float *rows = column_of(open, SCADYG_COLUMN_NODE_FEATURES);
    const float expected[] = {1, 1, 3, 4, 5, 6, 7, 8, 9, 9};
    assert_memory_equal(rows, expected, sizeof expected);
    scadyg_events_close(open);
    /* Another width does not fit. */
    const sg_import_options wide = {.node_features = put_text("wide.csv", "id,f0,f1,f2\nz,1,2,3\n", nodes)};
    assert_refused(events, text, &wide, SCADYG_E_LAYOUT, "wide.csv has 3 features per node, ");
}

static double count_up(size_t row, size_t column)
{
    return (double)(10 * row + column);
}

static void put_matrix(const char *name, size_t rows, char path[128])
{
    long_text t = {0};
    npy_doubles(&t, rows, 2, count_up);
    put_file(sample_path(name, path), t.data, t.size);
    text_free(&t);
}

/* Rows of text with a matrix, behind events that have their features themselves, and before such. */
static void matrices(void **state)
{
    (void)state;
    char npy[128], whole[128], events[128], text[128], other[128], joined[128];
    put_matrix("two.npy", 2, npy);
    const sg_import_options with = {.edge_features = npy};
    put_events("x.events", "src,dst,time\n1,2,1\n3,4,2\n", &with, events);
    put_events("y.events", "src,dst,time,f0,f1\n5,6,7,0.5,0.25\n", NULL, other);
    put_events("whole.events",
               "src,dst,time,f0,f1\n1,2,1,0,1\n3,4,2,10,11\n8,1,3,0,1\n1,9,3,10,11\n5,6,7,0.5,0.25\n", NULL, whole);
    put_text("new.csv", "src,dst,time\n8,1,3\n1,9,3\n", text);
    const char *const orders[][3] = {{events, text, other}, {text, events, other}, {other, text, events}};
    for (int i = 0; i < 3; i++) {
        if (import_files(NULL, orders[i], 3, sample_path("j.events", joined), &with, NULL, NULL))
            fail_msg("order %d", i);
        assert_same_files(whole, joined);
    }
    assert_refused(events, text, NULL, SCADYG_E_LAYOUT, "new.csv has no edge features, ");
    const char *const only[] = {events, other};
    import_fails(NULL, only, 2, &with, SCADYG_E_USAGE, "two.npy is for rows of text");
    assert_appends(events, text, &with);
    assert_appends(events, other, NULL);
    assert_same_files(whole, events);
    put_events("z.events", "src,dst,time,f0\n5,6,7,1\n", NULL, other);
    assert_refused(other, text, &with, SCADYG_E_LAYOUT, "two.npy has 2 features per event, ");
}

/* The mean of a column is that of the file and of what is added. */
static void missing_numbers(void **state)
{
    (void)state;
    char events[128], whole[128], text[128];
    const sg_import_options mean = {.missing = SG_MISSING_MEAN};
    const char *const old = "src,dst,time,weight\n1,2,1,1\n3,4,2,4\n", *const new = "1,5,3,\n1,6,4,4\n";
    char both[128], later[128];
    snprintf(both, sizeof both, "%s%s", old, new);
    snprintf(later, sizeof later, "src,dst,time,weight\n%s", new);
    put_events("whole.events", both, &mean, whole);
    put_events("x.events", old, &mean, events);
    assert_appends(events, put_text("new.csv", later, text), &mean);
    assert_same_files(whole, events);
}

/* ---- What else is promised ---- */

/* Whoever has the old file open goes on with it; the new one has its permissions; what it says of itself. */
static void in_its_place(void **state)
{
    (void)state;
    char events[128], text[128];
    scadyg_import_report *report = NULL;
    scadyg_error error;
    struct stat facts;
    put_events("x.events", "src,dst,time\n1,2,1\n3,4,2\n", NULL, events);
    assert_int_equal(chmod(events, 0640), 0);
    scadyg_events *old = sample_open(events);
    assert_int_equal(
        append_one(events, put_text("new.csv", "src,dst,time\n5,1,2\n5,5,3\n", text), NULL, &report, &error),
        SCADYG_OK);
    assert_int_equal(report->before, 2);
    assert_int_equal(report->rows, 2);
    assert_int_equal(report->late, 0);
    assert_int_equal(report->shape->events, 4);
    assert_int_equal(report->shape->nodes, 5);
    assert_int_equal(report->ties, 1);
    assert_int_equal(report->self_loops, 1);
    assert_string_equal(report->first_events, "2  5 -> 1\n3  5 -> 5\n");
    scadyg_import_report_free(report);
    assert_int_equal(scadyg_events_verify(NULL, old, &error), SCADYG_OK);
    assert_int_equal(scadyg_events_shape(old)->events, 2);
    scadyg_events_close(old);
    assert_int_equal(stat(events, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0640);
    old = sample_open(events);
    assert_int_equal(scadyg_events_verify(NULL, old, &error), SCADYG_OK);
    assert_int_equal(scadyg_events_shape(old)->events, 4);
    scadyg_events_close(old);
}

/* Of two that append at the same time one is sent away; of one that finds another file in its place nothing is lost. */
static int replace_file(void *data, const char *what, uint64_t done, uint64_t total)
{
    const char *const *paths = data;
    (void)done, (void)total;
    if (strcmp(what, "sorting") == 0) assert_int_equal(rename(paths[1], paths[0]), 0);
    return 0;
}

static void two_at_once(void **state)
{
    (void)state;
    char events[128], text[128], other[128];
    put_events("x.events", "src,dst,time\n1,2,1\n", NULL, events);
    put_text("new.csv", "src,dst,time\n5,1,2\n", text);
    const int fd = open(events, O_RDONLY);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_refused(events, text, NULL, SCADYG_E_IO, "another process is appending to ");
    close(fd);
    put_events("y.events", "src,dst,time\n7,7,7\n", NULL, other);
    const char *paths[] = {events, other}, *const files[] = {text};
    const sg_import_options none = {0};
    scadyg_error error = {0};
    scadyg_context *context = context_with(1, 0, replace_file, (void *)(uintptr_t)paths);
    assert_int_equal(sg_append(context, events, files, 1, 0, &none, NULL, &error), SCADYG_E_CHANGED);
    assert_non_null(strstr(error.message, "was replaced meanwhile; nothing was added"));
    scadyg_events *now = sample_open(events);
    assert_true(scadyg_events_shape(now)->last_time == 7);
    scadyg_events_close(now);
}

/* A dry run looks, and changes nothing. A cache is no place to add to. */
static void looking(void **state)
{
    (void)state;
    char events[128], text[128], cache[128];
    const sg_import_options none = {0};
    scadyg_import_report *report = NULL;
    scadyg_error error = {0};
    size_t before, after;
    put_events("x.events", "src,dst,time\n1,2,5\n", NULL, events);
    char *old = read_whole(events, &before);
    const char *const files[] = {put_text("new.csv", "src,dst,time\n8,9,4\n8,9,6\n", text)};
    assert_int_equal(sg_append(NULL, events, files, 1, 1, &none, &report, &error), SCADYG_OK);
    assert_int_equal(report->late, 1);
    assert_non_null(strstr(report->first_late, "new.csv:2: 4\n"));
    assert_string_equal(report->first_events, "4  8 -> 9\n6  8 -> 9\n");
    scadyg_import_report_free(report);
    char *now = read_whole(events, &after);
    assert_int_equal(before, after);
    assert_memory_equal(old, now, before);
    free(old);
    free(now);
    sample_path("c.events", cache);
    assert_int_equal(scadyg_cache_make(NULL, files, 1, NULL, cache, NULL, &error), SCADYG_OK);
    assert_refused(cache, text, NULL, SCADYG_E_USAGE, "c.events is the cache of a log");
}

/* Files that no import has written: nodes numbered in any order, nodes without events. They come out as one would have. */
static void strange_files(void **state)
{
    (void)state;
    char odd[128], usual[128], joined[128];
    const uint32_t src[] = {3, 1}, dst[] = {1, 0};
    const double time[] = {1, 2};
    const int64_t ids[] = {10, 11, 12, 13};
    const sample s = {.shape = {.events = 2, .nodes = 4}, .src = src, .dst = dst, .time = time, .integers = ids};
    sample_write(sample_path("odd.events", odd), &s);
    put_events("usual.events", "src,dst,time\n20,13,0\n13,11,1\n11,10,2\n", NULL, usual);
    char first[128];
    put_events("first.events", "src,dst,time\n20,13,0\n", NULL, first);
    const char *const orders[][2] = {{odd, first}, {first, odd}};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(import_files(NULL, orders[i], 2, sample_path("j.events", joined), NULL, NULL, NULL),
                         SCADYG_OK);
        assert_same_files(usual, joined);
    }
}

static int set_up(void **state)
{
    (void)state;
    sample_in_memory();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appending),     cmocka_unit_test(late_ones),     cmocka_unit_test(joining),
        cmocka_unit_test(refused),       cmocka_unit_test(refused_files), cmocka_unit_test(times_that_go_on),
        cmocka_unit_test(node_features), cmocka_unit_test(matrices),      cmocka_unit_test(missing_numbers),
        cmocka_unit_test(in_its_place),  cmocka_unit_test(two_at_once),   cmocka_unit_test(looking),
        cmocka_unit_test(strange_files),
    };
    int failed = cmocka_run_group_tests(tests, set_up, NULL);
    sample_clean();
    return failed;
}
