/* Export: what is written imports back to the same bytes; failures leave nothing. */
#include "cmocka_all.h"

#include "events/sample.h"

#include "base/rng.h"
#include "contexts.h"
#include "events/generate/generate.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static void export_to(const sample *s, const char *name)
{
    char path[128];
    scadyg_error error = {0};
    sample_write(sample_path("a.events", path), s);
    scadyg_events *events = sample_open(path);
    if (scadyg_export(context_of(2), events, sample_path(name, path), &error)) fail_msg("%s", error.message);
    scadyg_events_close(events);
}

/* Exports a sample under each kind of name and imports it back. */
static void assert_comes_back(const sample *s)
{
    const char *names[] = {"x.csv", "y.csv.gz", "z.csv.zst", "bare"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[128], a[128], b[128];
        export_to(s, names[i]);
        const char *const files[] = {sample_path(names[i], path)};
        scadyg_error error = {0};
        if (scadyg_import(context_of(2), files, 1, sample_path("b.events", b), NULL, NULL, &error))
            fail_msg("%s: %s", names[i], error.message);
        size_t size_a, size_b;
        char *before = read_whole(sample_path("a.events", a), &size_a), *after = read_whole(b, &size_b);
        if (size_a != size_b)
            fail_msg("%s: %zu bytes, then %zu (time kind %d)", names[i], size_a, size_b, s->shape.time_kind);
        assert_memory_equal(before, after, size_a);
        free(before);
        free(after);
        assert_int_equal(unlink(path), 0);
        const char *nodes[] = {"x.nodes.csv", "y.nodes.csv.gz", "z.nodes.csv.zst", "bare.nodes.csv"};
        assert_int_equal(unlink(sample_path(nodes[i], path)), s->node_features ? 0 : -1);
    }
}

static const uint32_t SRC[] = {0, 1, 2, 0, 3, 5}, DST[] = {1, 2, 0, 1, 4, 0};
static const double TIMES[] = {0.5, 0.5, 1.25, 3, 3, 1e17};

static void strange_ids(void **state)
{
    (void)state;
    const char *names[] = {"a,b", "say \"hi\"", "#no comment", "%", " blanks ", "São Tomé & Príncipe's (x)"};
    sample s = {.shape = {.events = 6, .nodes = 6}, .src = SRC, .dst = DST, .time = TIMES, .names = names};
    assert_comes_back(&s);
    const char *more[] = {"x y", "tab\there", "\"", "007", "d;e|f", "src"};
    s.names = more;
    assert_comes_back(&s);
}

static void the_text_itself(void **state)
{
    (void)state;
    const char *names[] = {"a,b", "say \"hi\"", "plain", "#x", " ", "in side"};
    const float weight[] = {1, 0.1f, -2.5f, 1e-10f, 3, 16777216};
    const float edges[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0.25f, -0.0f};
    const float nodes[] = {1, 2, 3, 4, 5, 0.5f};
    const uint8_t sides[] = {0, 1, 0, 1, 0, 1};
    const uint32_t src[] = {0, 2, 4, 0, 2, 4}, dst[] = {1, 3, 5, 1, 3, 5};
    sample s = {.shape = {.events = 6, .nodes = 6, .edge_features = 2, .node_features = 1},
                .src = src,
                .dst = dst,
                .time = TIMES,
                .weight = weight,
                .edge_features = edges,
                .node_features = nodes,
                .names = names,
                .sides = sides};
    export_to(&s, "text.csv");
    char path[128];
    size_t size;
    char *text = read_whole(sample_path("text.csv", path), &size);
    assert_string_equal(text, "user_id,item_id,time,weight,f0,f1\n"
                              "\"a,b\",\"say \"\"hi\"\"\",0.5,1,0,1\n"
                              "plain,\"#x\",0.5,0.1,2,3\n"
                              "\" \",in side,1.25,-2.5,4,5\n"
                              "\"a,b\",\"say \"\"hi\"\"\",3,1e-10,6,7\n"
                              "plain,\"#x\",3,3,8,9\n"
                              "\" \",in side,1e17,16777216,0.25,-0\n");
    free(text);
    text = read_whole(sample_path("text.nodes.csv", path), &size);
    assert_string_equal(text, "role,id,f0\nsource,\"a,b\",1\ndestination,\"say \"\"hi\"\"\",2\nsource,plain,3\n"
                              "destination,\"#x\",4\nsource,\" \",5\ndestination,in side,0.5\n");
    free(text);
}

static void two_id_spaces_with_everything(void **state)
{
    (void)state;
    const int64_t ids[] = {7, 7, -1, 8, INT64_MIN, INT64_MAX};
    const uint8_t sides[] = {0, 1, 0, 1, 0, 1};
    const uint32_t src[] = {0, 2, 4, 0, 2, 4}, dst[] = {1, 3, 5, 1, 3, 5};
    const float weight[] = {1, 0.1f, -2.5f, 1e-10f, 3, 16777216}, label[] = {0, 0, 1, 0, 0, 1};
    float edges[6 * 86], nodes[6 * 3];
    sg_rng rng;
    sg_rng_seed(&rng, 1, 1);
    for (int i = 0; i < 6 * 86; i++) edges[i] = (float)(sg_rng_normal(&rng) * pow(10, i % 20 - 10));
    for (int i = 0; i < 6 * 3; i++) nodes[i] = (float)sg_rng_normal(&rng);
    sample s = {.shape = {.events = 6, .nodes = 6, .edge_features = 86, .node_features = 3},
                .src = src,
                .dst = dst,
                .time = TIMES,
                .weight = weight,
                .label = label,
                .edge_features = edges,
                .node_features = nodes,
                .integers = ids,
                .sides = sides};
    assert_comes_back(&s);
}

/* Node features of an older export must not become those of a new one. */
static void stale_node_features(void **state)
{
    (void)state;
    const int64_t ids[] = {5, 4, 3, 2, 1, 0};
    const float nodes[] = {1, 2, 3, 4, 5, 6};
    sample s = {.shape = {.events = 6, .nodes = 6, .node_features = 1},
                .src = SRC,
                .dst = DST,
                .time = TIMES,
                .node_features = nodes,
                .integers = ids};
    char path[128], out[128];
    export_to(&s, "old.csv");
    export_to(&s, "old.csv"); /* replacing both is fine */
    sample_write(sample_path("s.events", path), &s);
    scadyg_events *events = sample_open(path);
    scadyg_error error;
    assert_int_equal(scadyg_export(context_of(2), events, sample_path("old.csv.gz", out), &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "old.nodes.csv"));
    scadyg_events_close(events);
    s.shape.node_features = 0;
    s.node_features = NULL;
    sample_write(path, &s);
    events = sample_open(path);
    assert_int_equal(scadyg_export(context_of(2), events, sample_path("old.csv", out), &error), SCADYG_E_USAGE);
    assert_int_equal(scadyg_export(context_of(2), events, sample_path("other.csv", out), &error), SCADYG_OK);
    scadyg_events_close(events);
}

static void kinds_of_time(void **state)
{
    (void)state;
    const int64_t ids[] = {5, 4, 3, 2, 1, 0};
    const double dates[] = {-62135596800, -86400, 0, 86400, 951782400, 253402214400};
    const double moments[] = {-62135596800, -2.75, 0, 0.001, 1388568600.123, 253402300799};
    const double years[] = {1000, 1870, 1870, 1999, 2014, 2999},
                 unix_seconds[] = {1e8, 1.1e9, 1.2e9 + 0.1, 2e9, 2e9, 9e9};
    const double milli[] = {1e11, 1e12, 1e12, 1.5e12 + 1, 2e12, 9e12};
    const struct {
        int kind;
        const double *time;
    } cases[] = {{SCADYG_TIME_DATE, dates},        {SCADYG_TIME_DATETIME, moments}, {SCADYG_TIME_YEAR, years},
                 {SCADYG_TIME_UNIX, unix_seconds}, {SCADYG_TIME_UNIX_MILLI, milli}, {SCADYG_TIME_NUMBER, TIMES}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sample s = {.shape = {.events = 6, .nodes = 6, .time_kind = cases[i].kind},
                    .src = SRC,
                    .dst = DST,
                    .time = cases[i].time,
                    .integers = ids};
        assert_comes_back(&s);
    }
}

/* A generated graph is large enough for many chunks. */
static scadyg_events *generated(int64_t events, int64_t features)
{
    sg_generate_options options;
    sg_options_defaults(&sg_generate_set, &options);
    options.events = events;
    options.edge_features = features;
    char path[128];
    assert_int_equal(sg_generate(context_of(2), sample_path("big.events", path), NULL, &options, NULL), SCADYG_OK);
    return sample_open(path);
}

static void many_chunks(void **state)
{
    (void)state;
    scadyg_events *events = generated(400000, 0);
    char csv[128], back[128], big[128];
    assert_int_equal(scadyg_export(context_of(2), events, sample_path("big.csv.zst", csv), NULL), SCADYG_OK);
    scadyg_events_close(events);
    const char *const files[] = {csv};
    scadyg_error error = {0};
    if (scadyg_import(context_of(2), files, 1, sample_path("back.events", back), NULL, NULL, &error))
        fail_msg("%s", error.message);
    size_t size_a, size_b;
    char *a = read_whole(sample_path("big.events", big), &size_a), *b = read_whole(back, &size_b);
    assert_int_equal(size_a, size_b);
    assert_memory_equal(a, b, size_a);
    free(a);
    free(b);
}

static int stop(void *context, const char *what, uint64_t done, uint64_t total)
{
    (void)context;
    assert_string_equal(what, "exporting");
    assert_true(done <= total);
    return 1;
}

static void failures_leave_nothing(void **state)
{
    (void)state;
    scadyg_events *events = generated(20000, 3);
    int files = files_in_directory();
    scadyg_error error;
    char path[128];
    assert_int_equal(scadyg_export(context_of(2), events, sample_path("none/x.csv", path), &error), SCADYG_E_IO);
    struct rlimit before, small = {100000, 100000};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small.rlim_max = before.rlim_max;
    const char *names[] = {"x.csv", "x.csv.gz", "x.csv.zst"};
    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(scadyg_export(context_with(2, 0, stop, NULL), events, sample_path(names[i], path), &error),
                         SCADYG_E_CANCELLED);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0); /* as a full disk, but for the reason */
        int status = scadyg_export(context_of(2), events, path, &error);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(status, SCADYG_E_IO);
        assert_non_null(strstr(error.message, names[i]));
        assert_int_equal(files_in_directory(), files);
    }
    scadyg_events_close(events);
}

static void standard_output(void **state)
{
    (void)state;
    const int64_t ids[] = {5, 4, 3, 2, 1, 0};
    const float nodes[] = {1, 2, 3, 4, 5, 6};
    sample s = {.shape = {.events = 6, .nodes = 6}, .src = SRC, .dst = DST, .time = TIMES, .integers = ids};
    char path[128], out[128];
    sample_write(sample_path("s.events", path), &s);
    scadyg_events *events = sample_open(path);
    fflush(stdout);
    int kept = dup(STDOUT_FILENO), file = open(sample_path("out", out), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(kept >= 0 && file >= 0 && dup2(file, STDOUT_FILENO) >= 0);
    int status = scadyg_export(context_of(2), events, "-", NULL), full = -1, full_status = 0;
    scadyg_error error = {0};
    if ((full = open("/dev/full", O_WRONLY)) >= 0) {
        dup2(full, STDOUT_FILENO);
        full_status = scadyg_export(context_of(2), events, "-", &error);
        close(full);
    }
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(file);
    scadyg_events_close(events);
    assert_int_equal(status, SCADYG_OK);
    if (full >= 0) {
        assert_int_equal(full_status, SCADYG_E_IO);
        assert_non_null(strstr(error.message, "No space left"));
    }
    size_t size;
    char *text = read_whole(out, &size);
    assert_memory_equal(text, "src,dst,time\n5,4,0.5\n", 21);
    free(text);
    s.shape.node_features = 1;
    s.node_features = nodes;
    sample_write(path, &s);
    events = sample_open(path);
    assert_int_equal(scadyg_export(context_of(2), events, "-", &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "file name"));
    scadyg_events_close(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strange_ids),
        cmocka_unit_test(the_text_itself),
        cmocka_unit_test(two_id_spaces_with_everything),
        cmocka_unit_test(stale_node_features),
        cmocka_unit_test(kinds_of_time),
        cmocka_unit_test(many_chunks),
        cmocka_unit_test(failures_leave_nothing),
        cmocka_unit_test(standard_output),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sample_clean();
    return failed;
}
