/* Feature files beside a log: matrices of edges and nodes, tables of nodes, found or told. */
#include "cmocka_all.h"

#include "events/importing.h"

#include <math.h>

static double edge_number(size_t row, size_t column)
{
    return (double)row * 100 + (double)column + 0.5;
}

static double edge_number_padded(size_t row, size_t column)
{
    return row ? edge_number(row, column) : 0;
}

static double hole_at_three(size_t row, size_t column)
{
    return row == 3 && column == 1 ? NAN : edge_number(row, column);
}

static double too_large(size_t row, size_t column)
{
    return row == 3 && column == 0 ? 1e300 : edge_number(row, column);
}

static void put_matrix(const char *name, size_t rows, size_t columns, double (*number)(size_t, size_t),
                       enum packing packing)
{
    long_text t = {0};
    char path[128];
    npy_doubles(&t, rows, columns, number);
    put_packed(sample_path(name, path), t.data, t.size, packing);
    text_free(&t);
}

/* The first feature of each event must be edge_number(rows[i], 0), the others follow. */
static void check_edges(const char *output, const size_t *rows, size_t count, uint32_t columns)
{
    scadyg_events *events = sample_open(output);
    const float *features = column_of(events, SCADYG_COLUMN_EDGE_FEATURES);
    assert_int_equal(scadyg_events_shape(events)->events, count);
    assert_int_equal(scadyg_events_shape(events)->edge_features, columns);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < columns; j++)
            assert_true(features[i * columns + j] == (float)edge_number(rows[i], j));
    scadyg_events_close(events);
}

/* Four rows in the wrong order of time; a bad one between them takes its row of the matrix with it. */
static const char LOG[] = "5,6,40\n5,7,x\n6,5,10\n7,5,30\n5,5,20\n";

static void told_matrix(void **state)
{
    (void)state;
    char path[128], output[128], matrix[128];
    static const size_t plain[] = {2, 4, 3, 0}, padded[] = {3, 5, 4, 1};
    put_text("log.csv", LOG, path);
    sample_path("a.events", output);
    sg_import_options options = {.edge_features = sample_path("edges.npy", matrix), .skip_bad = 1};
    for (int packing = 0; packing < PACKINGS; packing++) {
        put_matrix("edges.npy", 5, 3, edge_number, (enum packing)packing);
        import_one(NULL, path, output, &options, NULL);
        check_edges(output, plain, 4, 3);
        put_matrix("edges.npy", 6, 3, edge_number_padded, (enum packing)packing);
        import_one(NULL, path, output, &options, NULL);
        check_edges(output, padded, 4, 3);
    }
    assert_int_equal(unlink(output), 0);
    const char *const files[] = {path};
    put_matrix("edges.npy", 6, 3, edge_number, PLAIN);
    import_fails(NULL, files, 1, &options, SCADYG_E_INPUT, "its first is not all zeros");
    static const size_t wrong[] = {0, 4, 7};
    for (size_t i = 0; i < 3; i++) {
        put_matrix("edges.npy", wrong[i], 3, edge_number, PLAIN);
        import_fails(NULL, files, 1, &options, SCADYG_E_INPUT, "it needs one per event");
    }
    put_matrix("edges.npy", 5, 3, hole_at_three, PLAIN);
    import_fails(NULL, files, 1, &options, SCADYG_E_INPUT, "row 3, column 1 has a number that is not finite");
    put_matrix("edges.npy", 5, 3, too_large, PLAIN);
    import_fails(NULL, files, 1, &options, SCADYG_E_INPUT, "row 3, column 0 has a number that is not finite");
    put_matrix("edges.npy", 5, 0, edge_number, PLAIN);
    import_fails(NULL, files, 1, &options, SCADYG_E_INPUT, "has 0 columns");
    put_text("edges.npy", "no matrix", matrix);
    import_fails(NULL, files, 1, &options, SCADYG_E_FORMAT, "edges.npy");
    remove_file("edges.npy");
    import_fails(NULL, files, 1, &options, SCADYG_E_IO, "edges.npy");
    put_matrix("edges.npy", 1, 3, edge_number, PLAIN);
    text_fails(NULL, "src,dst,time,f0\n1,2,3,4\n", &options, SCADYG_E_USAGE, "has features in its rows already");
    remove_file("edges.npy");
    remove_file("log.csv");
}

/* One matrix for the rows of several files. */
static void matrix_of_several_files(void **state)
{
    (void)state;
    char a[128], b[128], output[128], matrix[128];
    const char *const files[] = {put_text("a.csv", "1 2 50\n1 2 40\n", a),
                                 put_text("b.csv", "1 2 30\n1 2 60\n", b)};
    static const size_t rows[] = {2, 1, 0, 3};
    put_matrix("edges.npy", 4, 2, edge_number, PLAIN);
    sg_import_options options = {.edge_features = sample_path("edges.npy", matrix)};
    scadyg_error error = {0};
    if (import_files(context_of(2), files, 2, sample_path("a.events", output), &options, NULL, &error))
        fail_msg("%s", error.message);
    check_edges(output, rows, 4, 2);
    remove_file("edges.npy");
    remove_file("a.events");
}

/* The DGB layout: the matrices lie beside the log, and idx says which row an event has. */
static void found_matrices(void **state)
{
    (void)state;
    static const char ml[] = ",u,i,ts,label,idx\n0,1,3,9,0,1\n1,2,3,8,1,2\n2,1,2,7.5,0,5\n3,3,3,6,0,4.0\n";
    static const size_t rows[] = {4, 5, 2, 1};
    static const char *const logs[] = {"ml_x.csv", "ml_x.csv.gz", "ml_x.csv.zst"};
    static const char *const edges[] = {"ml_x.npy", "ml_x.npy.gz", "ml_x.npy.zst"};
    static const char *const nodes[] = {"ml_x_node.npy", "ml_x_node.npy.gz", "ml_x_node.npy.zst"};
    char path[128], output[128];
    for (int packing = 0; packing < PACKINGS; packing++) {
        int other = (packing + 1) % PACKINGS;
        put_packed(sample_path(logs[packing], path), ml, strlen(ml), (enum packing)packing);
        put_matrix(edges[other], 6, 2, edge_number, (enum packing)other);
        put_matrix(nodes[packing], 5, 4, edge_number, (enum packing)packing);
        scadyg_import_report *report = NULL;
        import_one(NULL, path, sample_path("a.events", output), NULL, &report);
        assert_non_null(strstr(report->layout, edges[other]));
        assert_non_null(strstr(report->layout, nodes[packing]));
        assert_int_equal(report->unused_node_features, 1); /* row 4; row 0 is padding */
        scadyg_import_report_free(report);
        check_edges(output, rows, 4, 2);
        scadyg_events *events = sample_open(output);
        const float *features = column_of(events, SCADYG_COLUMN_NODE_FEATURES);
        static const size_t ids[] = {3, 1, 2}; /* in the order of time */
        for (size_t i = 0; i < 3; i++)
            for (size_t j = 0; j < 4; j++) assert_true(features[4 * i + j] == (float)edge_number(ids[i], j));
        scadyg_events_close(events);
        /* With a second log, whose features they would not be, they are not taken by themselves. */
        const char *const both[] = {path, path};
        import_fails(NULL, both, 2, NULL, SCADYG_E_USAGE, "belongs to the first of several files");
        remove_file("a.events");
        remove_file(logs[packing]);
        remove_file(edges[other]);
        remove_file(nodes[packing]);
    }
    put_text("ml_x.csv", ml, path);
    const char *const files[] = {path};
    put_matrix("ml_x.npy", 5, 2, edge_number, PLAIN);
    import_fails(NULL, files, 1, NULL, SCADYG_E_INPUT, "has 5 rows, but an event belongs to row 5");
    remove_file("ml_x.npy");
    put_matrix("ml_x_node.npy", 3, 2, edge_number, PLAIN);
    import_fails(NULL, files, 1, NULL, SCADYG_E_INPUT, "has 3 rows, but there is a node with id 3");
    put_matrix("ml_x_node.npy", 5, 2, hole_at_three, PLAIN);
    import_fails(NULL, files, 1, NULL, SCADYG_E_INPUT, "row 3, column 1 has a number that is not finite");
    remove_file("ml_x_node.npy");
    import_one(NULL, path, sample_path("a.events", output), NULL, NULL); /* without any it is a log like others */
    remove_file("a.events");
    remove_file("ml_x.csv");
}

static void node_matrix_needs_rows(void **state)
{
    (void)state;
    char matrix[128];
    put_matrix("nodes.npy", 9, 2, edge_number, PLAIN);
    sg_import_options options = {.node_features = sample_path("nodes.npy", matrix)};
    text_fails(NULL, "a b 3\n", &options, SCADYG_E_LAYOUT, "give a .csv with an id column");
    text_fails(NULL, "1 -2 3\n", &options, SCADYG_E_INPUT, "has 9 rows, but there is a node with id -2");
    options.bipartite = 1;
    text_fails(
        NULL, "1 2 3\n4 1 4\n", &options, SCADYG_E_LAYOUT,
        "each of one node, and some are a source and a destination; give a .csv with the columns role,id,...");
    put_matrix("nodes.npy", 9, 0, edge_number, PLAIN);
    options.bipartite = 0;
    text_fails(NULL, "1 2 3\n", &options, SCADYG_E_INPUT, "has no columns");
    remove_file("nodes.npy");
}

/* A table of node features, by content and what comes of it for the nodes of "b a 1", "x b 2". */
static void node_tables(void **state)
{
    (void)state;
    static const struct {
        const char *table;
        float expected[6]; /* b, a, x; two columns */
        int unused, missing;
    } cases[] = {
        {"id,f0,f1\na,1,2\nb,3,4\nx,5,6\n", {3, 4, 1, 2, 5, 6}, 0, 0},
        {"a,1,2\nb,3,4\nx,5,6", {3, 4, 1, 2, 5, 6}, 0, 0},
        {"\xEF\xBB\xBF"
         "b;3;4\r\n\r\n  \r\nq;8;9\r\n",
         {3, 4, 0, 0, 0, 0},
         1,
         2},
        {"id\tf0\tf1\nx\t-1e3\t.5\n", {0, 0, 0, 0, -1000, 0.5f}, 0, 2},
        {"\"b\",3,4\nz,1,1\ny,1,1\n", {3, 4, 0, 0, 0, 0}, 2, 2},
        {"id,f0,f1\n", {0}, 0, 3},
    };
    char path[128], table[128], output[128];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int packing = 0; packing < PACKINGS; packing++) {
            scadyg_import_report *report = NULL;
            put_text("log.csv", "b,a,1\nx,b,2\n", path);
            put_packed(sample_path("log.nodes.csv", table), cases[i].table, strlen(cases[i].table),
                       (enum packing)packing);
            import_one(NULL, path, sample_path("a.events", output), NULL, &report);
            assert_int_equal(report->unused_node_features, cases[i].unused);
            char missing[64];
            snprintf(missing, sizeof missing, "%d nodes have no node features", cases[i].missing);
            assert_int_equal(strstr(report->layout, missing) != NULL, cases[i].missing > 0);
            scadyg_import_report_free(report);
            scadyg_events *events = sample_open(output);
            assert_memory_equal(column_of(events, SCADYG_COLUMN_NODE_FEATURES), cases[i].expected, 6 * 4);
            scadyg_events_close(events);
        }
    remove_file("log.nodes.csv");
    remove_file("a.events");
}

static void bad_node_tables(void **state)
{
    (void)state;
    static const struct {
        const char *table, *message;
    } cases[] = {
        {"", " is empty"},
        {"id,f0\na,1\na,2\n", ":3:1: the id occurs a second time"},
        {"id,f0\na,1\nb,x\n", ":3:3: the feature is not a finite number"},
        {"id,f0\na,nan\n", ":2:3: the feature is not a finite number"},
        {"id,f0\na,1e39\n", ":2:3: the feature is not a finite number"},
        {"a,nan\nb,1\n", ":1:3: the feature is not a finite number"},
        {"id,f0,f1\na,1\n", ":2:1: the row has another number of fields"},
        {"id,f0\n,1\n", ":2:1: the id is missing"},
        {"id\na\n", ":1:1: an id and at least one feature are needed"},
        {"id,f0\n\"a,1\n", ":2:1: the fields cannot be told apart"},
    };
    char path[128], table[128];
    put_text("log.csv", "b,a,1\nx,b,2\n", path);
    const char *const files[] = {path};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char message[300];
        put_text("nodes", cases[i].table, table);
        sg_import_options options = {.node_features = table};
        snprintf(message, sizeof message, "%s%s", table, cases[i].message);
        import_fails(NULL, files, 1, &options, SCADYG_E_INPUT, message);
    }
    remove_file("nodes");
    sg_import_options options = {.node_features = table};
    import_fails(NULL, files, 1, &options, SCADYG_E_IO, "No such file");
    long_text t = {0};
    text_add(&t, "id,f0\na,");
    while (t.size < (size_t)9 << 19) text_bytes(&t, "1111111111111111", 16);
    put_file(table, t.data, t.size);
    import_fails(NULL, files, 1, &options, SCADYG_E_INPUT, ":2:1: the line is too long");
    text_free(&t);
    remove_file("nodes");
    remove_file("log.csv");
}

/* Where sources and destinations are separate each row says whose it is, if its id does not. */
static void roles(void **state)
{
    (void)state;
    char path[128], table[128], output[128];
    put_text("log.csv", "user_id,item_id,time\n7,7,1\n8,7,2\n", path);
    put_text("log.nodes.csv", "side,id,f0\ndst,7,5\nsrc,8,6\nsrc,7,4\nsrc,9,1\ndst,8,1\n", table);
    scadyg_import_report *report = NULL;
    import_one(NULL, path, sample_path("a.events", output), NULL, &report);
    assert_int_equal(report->unused_node_features, 2);
    scadyg_import_report_free(report);
    scadyg_events *events = sample_open(output);
    assert_memory_equal(column_of(events, SCADYG_COLUMN_NODE_FEATURES), ((const float[]){4, 5, 6}), 12);
    scadyg_events_close(events);
    remove_file("a.events");
    const char *const files[] = {path};
    put_text("log.nodes.csv", "side,id,f0\nleft,7,5\n", table);
    import_fails(NULL, files, 1, NULL, SCADYG_E_INPUT, ":2:1: the role must be source or destination");
    put_text("log.nodes.csv", "side,id\nsrc,7\n", table);
    import_fails(NULL, files, 1, NULL, SCADYG_E_INPUT, "an id and at least one feature are needed");
    put_text("log.nodes.csv", "id,f0\n8,6\n7,4\n", table);
    import_fails(NULL, files, 1, NULL, SCADYG_E_INPUT,
                 ":3:1: the id is a source and a destination: a first column 'role' says which");
    static const struct {
        const char *log, *table;
        float expected[3];
        int unused;
    } cases[] = {
        {"user_id,item_id,time\n7,7,1\n8,7,2\n",
         "Role;id;f0\nDestination;7;5\nsource;8;6\nSRC;7;4\n",
         {4, 5, 6},
         0},
        {"user_id,item_id,time\n7,7,1\n8,7,2\n", "destination,7,5\nsource,8,6\nsource,7,4\n", {4, 5, 6}, 0},
        {"user_id,item_id,time\n7,7,1\n8,7,2\n", "user_id,f0\n7,4\n8,6\n9,1\n", {4, 0, 6}, 1},
        {"user_id,item_id,time\n7,7,1\n8,7,2\n", "item_id,f0\n7,5\n8,1\n", {0, 5, 0}, 1},
        {"a,x,1\nb,x,2\n", "id,f0\nx,5\nb,6\na,4\n", {4, 5, 6}, 0}, /* by ids separate, and each has one role */
        {"a,x,1\nb,x,2\n", "role,id,f0\ndestination,x,5\nsource,x,1\nsource,b,6\ndst,a,1\n", {0, 5, 6}, 2},
        {"1,21,1\n2,21,2\n", "21,5\n2,6\n1,4\n", {4, 5, 6}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_text("log.csv", cases[i].log, path);
        put_text("log.nodes.csv", cases[i].table, table);
        import_one(NULL, path, output, NULL, &report);
        assert_int_equal(report->unused_node_features, cases[i].unused);
        scadyg_import_report_free(report);
        events = sample_open(output);
        assert_true(scadyg_events_shape(events)->two_id_spaces);
        assert_memory_equal(column_of(events, SCADYG_COLUMN_NODE_FEATURES), cases[i].expected, 12);
        scadyg_events_close(events);
    }
    remove_file("a.events");
    remove_file("log.csv");
    remove_file("log.nodes.csv");
}

/* Many nodes, so that the table is longer than a piece of it in memory. */
static void long_table(void **state)
{
    (void)state;
    enum { NODES = 150000 };
    long_text t = {0}, rows = {0};
    char path[128], table[128], output[128];
    for (int i = 0; i < NODES; i += 2) text_add(&t, "%d %d %d\n", i, i + 1, i);
    for (int i = 0; i < NODES; i++) text_add(&rows, "%d,%d,%d.5,%032d\n", NODES - 1 - i, i, i, 0);
    put_file(sample_path("log.txt", path), t.data, t.size);
    put_file(sample_path("log.nodes.csv", table), rows.data, rows.size);
    assert_true(rows.size > (size_t)4 << 20);
    import_one(NULL, path, sample_path("a.events", output), NULL, NULL);
    scadyg_events *events = sample_open(output);
    const float *features = column_of(events, SCADYG_COLUMN_NODE_FEATURES);
    for (int i = 0; i < NODES; i++) {
        int row = NODES - 1 - i;
        assert_true(features[3 * i] == (float)row && features[3 * i + 1] == (float)row + 0.5f);
    }
    scadyg_events_close(events);
    text_free(&t);
    text_free(&rows);
    remove_file("log.nodes.csv");
    remove_file("log.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(told_matrix),    cmocka_unit_test(matrix_of_several_files),
        cmocka_unit_test(found_matrices), cmocka_unit_test(node_matrix_needs_rows),
        cmocka_unit_test(node_tables),    cmocka_unit_test(bad_node_tables),
        cmocka_unit_test(roles),          cmocka_unit_test(long_table),
    };
    sample_in_memory();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sample_clean();
    return failed;
}
