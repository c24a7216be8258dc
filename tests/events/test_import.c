/*
 * Import, end to end: random logs in every layout, written in every way a file can be, give the events that a
 * slow importer finds, and the same bytes for any number of threads and any memory.
 */
#include "cmocka_all.h"

#include "events/log.h"

#include <pthread.h>

enum layout { SNAP, SIGNED, REDDIT, JODIE, DGB, TGB, TABLE, LAYOUTS };

/* How the text is written. */
typedef struct style {
    const char *line_end;
    int mark, comments, blank_lines, quotes, no_last_newline;
    char separator; /* of a table */
} style;

static style random_style(sg_rng *rng, enum layout layout)
{
    static const char separators[] = {',', ';', '|', '\t'};
    return (style){.line_end = sg_rng_below(rng, 2) ? "\n" : "\r\n",
                   .mark = sg_rng_below(rng, 4) == 0,
                   .comments = sg_rng_below(rng, 3) == 0,
                   .blank_lines = sg_rng_below(rng, 3) == 0,
                   .quotes = layout != SNAP && sg_rng_below(rng, 3) == 0,
                   .no_last_newline = (int)sg_rng_below(rng, 2),
                   .separator = separators[sg_rng_below(rng, 4)]};
}

static void make_log(event_log *l, sg_rng *rng, enum layout layout, size_t count)
{
    int ids = (int)sg_rng_below(rng, 4);
    enum times times = (enum times)sg_rng_below(rng, TIMES_KINDS);
    if (layout == SNAP || layout == JODIE || layout == DGB) ids = (int)sg_rng_below(rng, 2);
    if (layout == SNAP && times == MOMENTS) times = DATES; /* no blanks inside */
    if (layout == SNAP && ids == 1) times = UNIX_SECONDS;  /* large ids look like times beside small ones */
    if (layout == SIGNED) {
        ids = 0;
        times = UNIX_SECONDS;
    }
    if (layout == REDDIT) times = MOMENTS;
    if (layout == JODIE || layout == DGB) times = DECIMALS;
    log_make(l, rng, count, ids, times);
    l->has_weight = layout == TGB || layout == TABLE;
    l->has_label = layout == REDDIT || layout == JODIE || layout == DGB || layout == TABLE;
    l->features = layout == SIGNED                                         ? 1
                  : layout == REDDIT || layout == JODIE || layout == TABLE ? 2 + (int)count % 4
                                                                           : 0;
    l->two_id_spaces = layout == JODIE;
    l->one_kind = layout == SIGNED; /* the first line says so */
}

static void put_id(long_text *t, const char *id, int quotes)
{
    text_add(t, quotes ? "\"%s\"" : "%s", id);
}

/* Features of a row with something between them. */
static void put_features(long_text *t, event_log *l, log_row *row, sg_rng *rng, char between)
{
    for (int k = 0; k < l->features; k++) {
        char number[LOG_TEXT];
        row->features[k] = random_number(rng, number);
        if (k) text_bytes(t, &between, 1);
        text_add(t, "%s", number);
    }
}

static void put_header(long_text *t, const event_log *l, enum layout layout, char c)
{
    switch (layout) {
    case REDDIT:
        text_add(t, "SOURCE_SUBREDDIT\tTARGET_SUBREDDIT\tPOST_ID\tTIMESTAMP\tLINK_SENTIMENT\tPROPERTIES");
        break;
    case JODIE: text_add(t, "user_id,item_id,timestamp,state_label,comma_separated_list_of_features"); break;
    case DGB: text_add(t, ",u,i,ts,label,idx"); break;
    case TGB: text_add(t, "year,nation,trading nation,weight"); break;
    case TABLE:
        text_add(t, "Label%cTo%cNote%cDate%cFrom%cAmount", c, c, c, c, c);
        for (int k = 0; k < l->features; k++) text_add(t, "%cf%d", c, k);
        break;
    default: break;
    }
}

static void put_row(long_text *t, event_log *l, log_row *row, size_t i, enum layout layout, const style *s,
                    sg_rng *rng)
{
    char weight[LOG_TEXT], label[LOG_TEXT];
    row->weight = random_number(rng, weight);
    row->label = random_number(rng, label);
    int q = s->quotes;
    switch (layout) {
    case SNAP: text_add(t, "%s%s%s %s", row->src, i % 3 ? " " : "\t ", row->dst, row->when); break;
    case SIGNED:
        row->features[0] = (float)(i % 21) - 10;
        text_add(t, "%s,%s,%d,%s", row->src, row->dst, (int)(i % 21) - 10, row->when);
        break;
    case REDDIT:
        put_id(t, row->src, q);
        text_add(t, "\t");
        put_id(t, row->dst, q);
        text_add(t, "\tp%zu\t%s\t%s\t", i, row->when, label);
        put_features(t, l, row, rng, ',');
        break;
    case JODIE:
        text_add(t, "%s,%s,%s,%s,", row->src, row->dst, row->when, label);
        put_features(t, l, row, rng, ',');
        break;
    case DGB: text_add(t, "%zu,%s,%s,%s,%s,%zu", i, row->src, row->dst, row->when, label, i + 1); break;
    case TGB:
        text_add(t, "%s,", row->when);
        put_id(t, row->src, q);
        text_add(t, ", ");
        put_id(t, row->dst, q);
        text_add(t, ",%s", weight);
        break;
    default:
        text_add(t, "%s%c", label, s->separator);
        put_id(t, row->dst, q);
        text_add(t, "%c\"a \"\"note\"\"\"%c%s%c", s->separator, s->separator, row->when, s->separator);
        put_id(t, row->src, q);
        text_add(t, "%c %s %c", s->separator, weight, s->separator);
        put_features(t, l, row, rng, s->separator);
    }
}

/* Rows first .. end-1 as a file. */
static void put_log(long_text *t, event_log *l, size_t first, size_t end, enum layout layout, sg_rng *rng)
{
    style s = random_style(rng, layout);
    if (s.mark) text_bytes(t, "\xEF\xBB\xBF", 3);
    /* Ids may be as small as ratings here: then only the file itself can say which is which. */
    if (layout == SIGNED) text_add(t, "%% asym signed%s", s.line_end);
    if (s.comments) text_add(t, "# a comment, with %d things%s%% and another%s", 2, s.line_end, s.line_end);
    if (s.blank_lines) text_add(t, "%s", s.line_end);
    if (layout != SNAP && layout != SIGNED) {
        put_header(t, l, layout, s.separator);
        text_add(t, "%s", s.line_end);
    }
    for (size_t i = first; i < end; i++) {
        put_row(t, l, &l->rows[i], i, layout, &s, rng);
        if (i + 1 < end || !s.no_last_newline) text_add(t, "%s", s.line_end);
        if (s.blank_lines && i % 7 == 0) text_add(t, " %s", s.line_end);
    }
}

/* Writes the log as one to three files and returns how many. */
static size_t put_files(event_log *l, enum layout layout, sg_rng *rng, char paths[3][128])
{
    size_t count = layout == DGB ? 1 : 1 + sg_rng_below(rng, 3), first = 0;
    if (count > l->count) count = l->count;
    for (size_t i = 0; i < count; i++) {
        char name[32];
        long_text t = {0};
        size_t end = i + 1 == count ? l->count : first + 1 + sg_rng_below(rng, l->count - first - (count - i - 1));
        put_log(&t, l, first, end, layout, rng);
        snprintf(name, sizeof name, "log%zu.csv", i);
        put_packed(sample_path(name, paths[i]), t.data, t.size, (enum packing)sg_rng_below(rng, PACKINGS));
        text_free(&t);
        first = end;
    }
    return count;
}

static void import_all(scadyg_context *context, char paths[3][128], size_t count, const char *output,
                       scadyg_import_report **report)
{
    const char *const files[] = {paths[0], paths[1], paths[2]};
    scadyg_error error = {0};
    if (import_files(context, files, count, output, NULL, report, &error)) fail_msg("%s", error.message);
}

static void random_logs(void **state)
{
    (void)state;
    char a[128], b[128], paths[3][128];
    sample_path("a.events", a);
    sample_path("b.events", b);
    for (int round = 0; round < test_rounds(160); round++) {
        sg_rng rng;
        event_log l = {0};
        scadyg_import_report *report = NULL;
        enum layout layout = (enum layout)(round % LAYOUTS);
        sg_rng_seed(&rng, (uint64_t)round, 77);
        make_log(&l, &rng, layout, 1 + sg_rng_below(&rng, round % 5 ? 12 : 300));
        size_t count = put_files(&l, layout, &rng, paths);
        import_all(context_of(1), paths, count, a, &report);
        check_log(&l, a);
        check_report(&l, report);
        assert_int_equal(report->bad, 0);
        scadyg_import_report_free(report);
        import_all(context_with(2 + round % 3, IMPORT_LEAST, NULL, NULL), paths, count, b, NULL);
        assert_same_files(a, b);
        log_free(&l);
    }
}

/* Enough rows for many blocks and, with little memory, many runs. */
static void large_logs(void **state)
{
    (void)state;
    char a[128], b[128], paths[3][128];
    sample_path("a.events", a);
    sample_path("b.events", b);
    static const enum layout layouts[] = {SNAP, JODIE, REDDIT};
    for (size_t k = 0; k < 3; k++) {
        sg_rng rng;
        event_log l = {0};
        scadyg_import_report *report = NULL;
        sg_rng_seed(&rng, k, 78);
        make_log(&l, &rng, layouts[k], layouts[k] == SNAP ? 200000 : 100001);
        size_t count = put_files(&l, layouts[k], &rng, paths);
        import_all(context_of(4), paths, count, a, &report);
        assert_int_equal(report->spilled_runs, 0);
        scadyg_import_report_free(report);
        check_log(&l, a);
        for (int threads = 1; threads <= 4; threads *= 2) {
            import_all(context_with(threads, IMPORT_LEAST, NULL, NULL), paths, count, b, &report);
            assert_true(report->spilled_runs > 0);
            assert_true(report->rows == l.count);
            scadyg_import_report_free(report);
            assert_same_files(a, b);
        }
        log_free(&l);
    }
}

typedef struct import_call {
    scadyg_context *context;
    const char *path;
    char output[128];
    int status;
} import_call;

static void *run_import(void *data)
{
    import_call *call = data;
    const char *const files[] = {call->path};
    call->status = import_files(call->context, files, 1, call->output, NULL, NULL, NULL);
    return NULL;
}

/* Several threads that import with one context at once: one has the workers, the others do all of it alone. */
static void several_at_once(void **state)
{
    (void)state;
    enum { CALLS = 3 };
    long_text t = {0};
    char path[128], expected[128];
    for (int i = 0; i < 200000; i++) text_add(&t, "%d %d %d\n", i % 997, i % 1009, i / 3 ^ 1);
    put_packed(sample_path("once.gz", path), t.data, t.size, GZIP);
    text_free(&t);
    import_one(NULL, path, sample_path("once.events", expected), NULL, NULL);
    scadyg_context *context = context_of(3);
    import_call calls[CALLS];
    pthread_t threads[CALLS];
    for (int i = 0; i < CALLS; i++) {
        char name[32];
        snprintf(name, sizeof name, "once%d.events", i);
        calls[i] = (import_call){.context = context, .path = path, .status = -1};
        sample_path(name, calls[i].output);
        assert_int_equal(pthread_create(&threads[i], NULL, run_import, &calls[i]), 0);
    }
    for (int i = 0; i < CALLS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(calls[i].status, SCADYG_OK);
        assert_same_files(calls[i].output, expected);
    }
}

/* A dry run tells the same of the beginning and writes nothing. */
static void dry_run(void **state)
{
    (void)state;
    char path[128], paths[3][128];
    sg_rng rng;
    event_log l = {0};
    scadyg_import_report *report = NULL;
    sg_rng_seed(&rng, 5, 79);
    make_log(&l, &rng, JODIE, 20);
    size_t count = put_files(&l, JODIE, &rng, paths);
    int before = files_in_directory();
    import_all(NULL, paths, count, NULL, &report);
    assert_int_equal(files_in_directory(), before);
    assert_non_null(strstr(report->layout, "user_id"));
    assert_non_null(strstr(report->roles, "users and items are separate"));
    int lines = 0;
    for (const char *p = report->first_events; *p; p++) lines += *p == '\n';
    assert_int_equal(lines, 5);
    char expected[200];
    snprintf(expected, sizeof expected, "  %s -> %s  label ", l.rows[0].src, l.rows[0].dst);
    assert_non_null(strstr(report->first_events, expected));
    scadyg_import_report_free(report);
    log_free(&l);

    /* A file with a mark, longer than what a dry run reads: the line it cuts off is not a bad one. */
    long_text t = {0};
    text_bytes(&t, "\xEF\xBB\xBF", 3);
    while (t.size < (size_t)3 << 19)
        text_add(&t, "%d %d %d\n", (int)t.size % 1001, (int)t.size % 7, (int)t.size % 1000);
    put_file(sample_path("long", path), t.data, t.size);
    import_one(NULL, path, NULL, NULL, &report);
    assert_int_equal(report->bad, 0);
    assert_string_equal(report->bad_rows, "");
    scadyg_import_report_free(report);
    text_free(&t);
}

/* The lines of a file with every way to write numbers, by hand. */
static void times_by_hand(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double time;
        int kind;
    } cases[] = {
        {"9007199254740992", 0x1p53, SCADYG_TIME_UNIX_MICRO},
        {"-9007199254740992", -0x1p53, SCADYG_TIME_NUMBER},
        {"9007199254740994", 0x1p53 + 2, SCADYG_TIME_UNIX_MICRO},
        {"1000000000000000000", 1e15, SCADYG_TIME_UNIX_MICRO}, /* nanoseconds */
        {"9007199254740993.0", 0x1p53, SCADYG_TIME_UNIX_MICRO},
        {"0.1", 0.1, SCADYG_TIME_NUMBER},
        {"-0", 0, SCADYG_TIME_NUMBER},
        {"-0.0", 0, SCADYG_TIME_NUMBER},
        {"1e3", 1000, SCADYG_TIME_YEAR},
        {"1999.5", 1999.5, SCADYG_TIME_NUMBER},
        {"1.5e12", 1.5e12, SCADYG_TIME_UNIX_MILLI},
        {"1e9", 1e9, SCADYG_TIME_UNIX},
        {"1970-01-01", 0, SCADYG_TIME_DATE},
        {"1969-12-31", -86400, SCADYG_TIME_DATE},
        {"2000-02-29", 951782400, SCADYG_TIME_DATE},
        {"\"1970-01-01 00:00\"", 0, SCADYG_TIME_DATETIME},
        {"1970-01-01T00:00:01Z", 1, SCADYG_TIME_DATETIME},
        {"1970-01-01T00:00:00.125", 0.125, SCADYG_TIME_DATETIME},
        {"1969-12-31T23:59:59.75Z", -0.25, SCADYG_TIME_DATETIME},
        {"1970-01-01T02:00:00+02:00", 0, SCADYG_TIME_DATETIME},
        {"1969-12-31T18:30:00-0530", 0, SCADYG_TIME_DATETIME},
        {"0001-01-01", -62135596800, SCADYG_TIME_DATE},
        {"9999-12-31T23:59:59", 253402300799, SCADYG_TIME_DATETIME},
    };
    char path[128], output[128];
    sample_path("a.events", output);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char content[128];
        snprintf(content, sizeof content, "a b %s\n", cases[i].text);
        import_one(NULL, put_text("time", content, path), output, NULL, NULL);
        scadyg_events *events = sample_open(output);
        const double *time = column_of(events, SCADYG_COLUMN_TIME);
        if (memcmp(time, &cases[i].time, 8) != 0) fail_msg("%s is %.17g", cases[i].text, *time);
        assert_int_equal(scadyg_events_shape(events)->time_kind, cases[i].kind);
        scadyg_events_close(events);
    }
}

static void two_id_spaces(void **state)
{
    (void)state;
    char path[128], output[128], name[64];
    put_text("two", "7 7 1\n8 7 2\n7 x 3\n", path);
    sg_import_options options = {.bipartite = 1};
    scadyg_import_report *report = NULL;
    import_one(NULL, path, sample_path("a.events", output), &options, &report);
    assert_int_equal(report->self_loops, 0);
    assert_string_equal(report->roles,
                        "sources and destinations are separate: source 7 is not destination 7 (--bipartite)");
    scadyg_import_report_free(report);
    scadyg_events *events = sample_open(output);
    static const char *const names[] = {"7", "7", "8", "x"};
    assert_int_equal(scadyg_events_shape(events)->nodes, 4);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t node;
        int role = -1;
        assert_int_equal(scadyg_node_role(events, i, &role, NULL), SCADYG_OK);
        assert_int_equal(role, i % 2 ? SCADYG_DESTINATION : SCADYG_SOURCE);
        assert_int_equal(scadyg_node_name(events, i, name, sizeof name, NULL, NULL), SCADYG_OK);
        assert_string_equal(name, names[i]);
        assert_int_equal(scadyg_node_find(events, role, names[i], &node, NULL), SCADYG_OK);
        assert_int_equal(node, i);
    }
    scadyg_events_close(events);
    import_one(NULL, path, output, NULL, &report);
    assert_int_equal(report->shape->nodes, 3);
    assert_int_equal(report->self_loops, 1);
    scadyg_import_report_free(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_logs),   cmocka_unit_test(large_logs),    cmocka_unit_test(dry_run),
        cmocka_unit_test(times_by_hand), cmocka_unit_test(two_id_spaces), cmocka_unit_test(several_at_once),
    };
    sample_in_memory();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sample_clean();
    return failed;
}
