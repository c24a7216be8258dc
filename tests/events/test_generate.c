/* The generated graph as a file: the same bytes for any number of threads, any size, failures that leave
 * nothing. */
#include "cmocka_all.h"

#include "contexts.h"
#include "events/generate/generate.h"
#include "events/sample.h"
#include "scadyg_lab.h"

#include <dirent.h>
#include <sys/stat.h>

static sg_generate_options options_of(int kind, int64_t events, int64_t nodes)
{
    sg_generate_options options;
    sg_options_defaults(&sg_generate_set, &options);
    options.kind = kind;
    options.events = events;
    options.nodes = nodes;
    return options;
}

static void generate(scadyg_context *context, const char *name, const char *oracle,
                     const sg_generate_options *options)
{
    char path[128], oracle_path[128];
    scadyg_error error = {0};
    if (sg_generate(context, sample_path(name, path), oracle ? sample_path(oracle, oracle_path) : NULL, options,
                    &error))
        fail_msg("%s", error.message);
}

static void assert_same_file(const char *a, const char *b, int same)
{
    char path_a[128], path_b[128];
    size_t size_a, size_b;
    char *data_a = read_whole(sample_path(a, path_a), &size_a),
         *data_b = read_whole(sample_path(b, path_b), &size_b);
    assert_int_equal(size_a == size_b && memcmp(data_a, data_b, size_a) == 0, same);
    free(data_a);
    free(data_b);
}

/* More events than fit in a block, so that the pipeline is full. */
static void any_number_of_threads(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        sg_generate_options options = options_of(kind, 10000, 200);
        options.edge_features = 256;
        generate(NULL, "one.events", "one.csv", &options);
        for (int threads = 2; threads <= 4; threads += 2) {
            generate(context_of(threads), "more.events", "more.csv", &options);
            assert_same_file("one.events", "more.events", 1);
            assert_same_file("one.csv", "more.csv", 1);
        }
        /* The oracle only looks. */
        generate(context_of(2), "more.events", NULL, &options);
        assert_same_file("one.events", "more.events", 1);
        options.seed = 2;
        generate(context_of(2), "more.events", "more.csv", &options);
        assert_same_file("one.events", "more.events", 0);
        assert_same_file("one.csv", "more.csv", 0);
    }
}

static void assert_first_appearance(scadyg_events *events)
{
    const scadyg_shape *shape = scadyg_events_shape(events);
    const void *src, *dst;
    assert_int_equal(scadyg_events_column(events, SCADYG_COLUMN_SRC, &src, NULL), SCADYG_OK);
    assert_int_equal(scadyg_events_column(events, SCADYG_COLUMN_DST, &dst, NULL), SCADYG_OK);
    uint32_t known = 0;
    for (uint64_t i = 0; i < shape->events; i++) {
        uint32_t ends[] = {((const uint32_t *)src)[i], ((const uint32_t *)dst)[i]};
        for (int k = 0; k < 2; k++) {
            assert_true(ends[k] <= known);
            known += ends[k] == known;
        }
    }
    assert_int_equal(known, shape->nodes);
}

static void sizes_from_tiny_on(void **state)
{
    (void)state;
    const int64_t events[] = {1, 2, 50, 131072, 131073}, nodes[] = {2, 3, 40}, items[] = {1, 2, 30};
    for (size_t e = 0; e < sizeof events / sizeof *events; e++)
        for (size_t n = 0; n < 3; n++)
            for (int kind = 0; kind < 2; kind++) {
                if (events[e] > 1000 && n != 2) continue;
                sg_generate_options options = options_of(kind, events[e], nodes[n]);
                options.items = items[n];
                options.communities = n == 1 ? 1 : 10;
                options.edge_features = events[e] < 1000 ? 3 : 0;
                generate(context_of(2), "tiny.events", events[e] < 1000 ? "tiny.csv" : NULL, &options);
                char path[128];
                scadyg_events *file = sample_open(sample_path("tiny.events", path));
                const scadyg_shape *shape = scadyg_events_shape(file);
                assert_int_equal(scadyg_events_verify(NULL, file, NULL), SCADYG_OK);
                assert_int_equal(shape->events, events[e]);
                assert_true(shape->nodes >= 2 && shape->nodes <= (uint64_t)(nodes[n] + (kind ? items[n] : 0)));
                assert_int_equal(shape->edge_features, options.edge_features);
                assert_first_appearance(file);
                scadyg_info *info = NULL;
                assert_int_equal(scadyg_info_compute(context_of(2), file, &info, NULL), SCADYG_OK);
                assert_int_equal(info->self_loops, 0);
                if (kind) assert_true(info->bipartite && info->destinations <= (uint64_t)items[n]);
                scadyg_info_free(info);
                scadyg_events_close(file);
            }
}

/* Users are 0 .. users-1 and items come behind them. */
static void ids_are_numbers_of_the_process(void **state)
{
    (void)state;
    sg_generate_options options = options_of(1, 3000, 50);
    options.items = 20;
    generate(context_of(2), "ids.events", NULL, &options);
    char path[128];
    scadyg_events *file = sample_open(sample_path("ids.events", path));
    const void *ids, *dst;
    assert_int_equal(scadyg_events_column(file, SCADYG_COLUMN_ID_INTEGERS, &ids, NULL), SCADYG_OK);
    assert_int_equal(scadyg_events_column(file, SCADYG_COLUMN_DST, &dst, NULL), SCADYG_OK);
    assert_true(scadyg_events_shape(file)->integer_ids && !scadyg_events_shape(file)->two_id_spaces);
    for (uint64_t i = 0; i < 3000; i++) {
        int64_t id = ((const int64_t *)ids)[((const uint32_t *)dst)[i]];
        assert_true(id >= 50 && id < 70);
    }
    scadyg_events_close(file);
}

static void oracle_lines(void **state)
{
    (void)state;
    sg_generate_options options = options_of(0, 1500, 300);
    generate(context_of(2), "o.events", "o.csv", &options);
    char path[128];
    size_t size;
    char *text = read_whole(sample_path("o.csv", path), &size), *line = text;
    assert_memory_equal(line, "event,rank\n", 11);
    line += 11;
    for (long event = 0; event < 1500; event++) {
        char *comma, *end;
        assert_int_equal(strtol(line, &comma, 10), event);
        assert_int_equal(*comma, ',');
        double rank = strtod(comma + 1, &end);
        assert_true(rank >= 1 && rank <= 101 && rank * 2 == (double)(int)(rank * 2));
        assert_int_equal(*end, '\n');
        line = end + 1;
    }
    assert_int_equal(line - text, size);
    free(text);
}

static void wrong_options(void **state)
{
    (void)state;
    char path[128], other[128];
    sample_path("wrong.events", path);
    scadyg_error error;
    int files = files_in_directory();
    for (int i = 0; i < 8; i++) {
        sg_generate_options options = options_of(i == 5, 10, 10);
        if (i == 0) options.events = 0;
        if (i == 1) options.nodes = 1;
        if (i == 2) options.communities = 0;
        if (i == 3) options.edge_features = -1;
        if (i == 4) options.kind = 2;
        if (i == 5) options.items = 0;
        if (i == 6) options.nodes = (int64_t)1 << 40;
        error.message[0] = 0;
        assert_int_equal(sg_generate(NULL, path, i == 7 ? path : NULL, &options, &error), SCADYG_E_USAGE);
        assert_true(error.message[0] != 0);
    }
    sg_generate_options options = options_of(0, 10, 10);
    assert_int_equal(sg_generate(NULL, sample_path("none/x.events", other), NULL, &options, &error), SCADYG_E_IO);
    assert_int_equal(sg_generate(NULL, path, sample_path("none/x.csv", other), &options, &error), SCADYG_E_IO);
    assert_int_equal(files_in_directory(), files);
}

static int stop(void *context, const char *what, uint64_t done, uint64_t total)
{
    int *left = context;
    assert_string_equal(what, "generating");
    assert_true(done <= total && total == 400000);
    return (*left)-- == 0;
}

static void cancelling_leaves_nothing(void **state)
{
    (void)state;
    sg_generate_options options = options_of(0, 400000, 100);
    char path[128], oracle[128];
    int files = files_in_directory();
    for (int calls = 0; calls < 4; calls++) {
        int left = calls;
        scadyg_error error;
        assert_int_equal(sg_generate(context_with(2, 0, stop, &left), sample_path("stopped.events", path),
                                     calls ? NULL : sample_path("stopped.csv", oracle), &options, &error),
                         SCADYG_E_CANCELLED);
        assert_int_equal(files_in_directory(), files);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads),
        cmocka_unit_test(sizes_from_tiny_on),
        cmocka_unit_test(ids_are_numbers_of_the_process),
        cmocka_unit_test(oracle_lines),
        cmocka_unit_test(wrong_options),
        cmocka_unit_test(cancelling_leaves_nothing),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sample_clean();
    return failed;
}
