/* The first events of a file are the file that an import of the first rows makes. */
#include "make_events.h"

#include "events/import/import.h"
#include "scadyg_lab.h"

#include <string.h>

/* Imports the first rows of a small log with text ids, weights and edge features. */
static void import_rows(const char *output, int rows, int bipartite)
{
    static const char *const lines[] = {"zoe,apple,1,0.5,2\n", "zoe,pear,2,1.5,4\n", "max,apple,2,2,8\n",
                                        "zoe,apple,5,1,16\n",  "ann,fig,9,3,32\n",   "max,zoe,9,1,64\n"};
    char log[64];
    make_path(log);
    FILE *file = fopen(log, "w");
    assert_non_null(file);
    fputs("src,dst,time,weight,f0\n", file);
    for (int i = 0; i < rows; i++) fputs(lines[i], file);
    assert_int_equal(fclose(file), 0);
    const char *files[] = {log};
    sg_import_options options = {.bipartite = bipartite, .one_kind = !bipartite};
    scadyg_error error = {0};
    assert_int_equal(sg_import(NULL, files, 1, output, &options, NULL, &error), SCADYG_OK);
    unlink(log);
}

static size_t read_file(const char *path, char *buffer, size_t size)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t length = fread(buffer, 1, size, file);
    assert_true(length < size);
    fclose(file);
    return length;
}

static void as_imported(void **state)
{
    (void)state;
    char whole[64], expected[64], found[64];
    static char one[65536], other[65536];
    make_path(whole);
    make_path(expected);
    make_path(found);
    for (int bipartite = 0; bipartite <= 1; bipartite++) {
        import_rows(whole, 6, bipartite);
        scadyg_events *events = NULL;
        scadyg_error error = {0};
        assert_int_equal(scadyg_events_open(whole, &events, &error), SCADYG_OK);
        for (int rows = 1; rows <= 6; rows++) {
            import_rows(expected, rows, bipartite);
            assert_int_equal(scadyg_events_first(NULL, events, (uint64_t)rows, found, &error), SCADYG_OK);
            size_t length = read_file(expected, one, sizeof one);
            assert_int_equal(read_file(found, other, sizeof other), length);
            assert_memory_equal(one, other, length);
        }
        scadyg_events_close(events);
    }
    unlink(whole);
    unlink(expected);
    unlink(found);
}

static void node_features(void **state)
{
    (void)state;
    char whole[64], part[64];
    const uint32_t src[] = {0, 2, 1}, dst[] = {1, 0, 3};
    const double time[] = {1, 2, 3};
    const float values[] = {1, 2, 3, 4, 5, 6, 7, 8};
    make_path(whole);
    make_path(part);
    write_events(whole, &(made_events){.count = 3,
                                       .nodes = 4,
                                       .src = src,
                                       .dst = dst,
                                       .time = time,
                                       .node_features = 2,
                                       .node_values = values});
    scadyg_events *events = NULL, *first = NULL;
    scadyg_error error = {0};
    assert_int_equal(scadyg_events_open(whole, &events, &error), SCADYG_OK);
    assert_int_equal(scadyg_events_first(NULL, events, 2, part, &error), SCADYG_OK);
    assert_int_equal(scadyg_events_open(part, &first, &error), SCADYG_OK);
    assert_int_equal(scadyg_events_verify(NULL, first, &error), SCADYG_OK);
    const scadyg_shape *shape = scadyg_events_shape(first);
    assert_int_equal(shape->events, 2);
    assert_int_equal(shape->nodes, 3);
    assert_true(shape->last_time == 2);
    const void *data = NULL;
    assert_int_equal(scadyg_events_column(first, SCADYG_COLUMN_NODE_FEATURES, &data, &error), SCADYG_OK);
    assert_memory_equal(data, values, 6 * sizeof(float));
    assert_int_equal(scadyg_events_first(NULL, events, 0, part, &error), SCADYG_E_USAGE);
    assert_int_equal(scadyg_events_first(NULL, events, 4, part, &error), SCADYG_E_USAGE);
    assert_int_equal(scadyg_events_first(NULL, events, 1, "/nowhere/x", &error), SCADYG_E_IO);
    scadyg_events_close(first);
    scadyg_events_close(events);
    unlink(whole);
    unlink(part);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_imported), cmocka_unit_test(node_features)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
