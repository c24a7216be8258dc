/* Every call that can fail during an import is made to fail, for each kind of input. */
#include "cmocka_all.h"

#include "robust/faults_run.h"
#include "robust/scratch.h"

#include "events/import/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static char *inputs; /* the directory they are in */

typedef struct layout {
    const char *name, *file, *columns, *node_features;
    const sg_import_plan *plan;
    int64_t threads, skip_bad;
} layout;

static int import(void *data, const char *output, scadyg_error *error)
{
    const layout *it = data;
    char file[4096], nodes[4096];
    snprintf(file, sizeof file, "%s/%s", inputs, it->file);
    snprintf(nodes, sizeof nodes, "%s/%s", inputs, it->node_features ? it->node_features : "");
    const sg_input_source source = {.path = file};
    const sg_import_job job = {.sources = &source, .count = 1, .output = output, .plan = it->plan};
    sg_import_options options = {
        .told.columns = it->columns,
        .node_features = it->node_features ? nodes : NULL,
        .skip_bad = it->skip_bad,
    };
    /* A context of its own, so that its workers too are made while calls fail. */
    scadyg_context *context = NULL;
    int status = scadyg_context_open(&context, error);
    if (status) return status;
    scadyg_context_set_threads(context, it->threads ? it->threads : 1);
    scadyg_context_set_memory(context, (uint64_t)1 << 28);
    scadyg_import_report *report = NULL;
    status = sg_import_run(context, &job, &options, &report, error);
    if (!status && it->plan && report->spilled_runs < 5) fail_msg("%s: little was sorted on disk", it->name);
    scadyg_import_report_free(report);
    scadyg_context_close(context);
    return status;
}

static void write_input(const char *name, const char *text)
{
    scratch_write(scratch_path(inputs, name), text, strlen(text));
}

static void write_gzip(const char *name, const char *text)
{
    gzFile file = gzopen(scratch_path(inputs, name), "wb9");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, text, (unsigned)strlen(text)), strlen(text));
    assert_int_equal(gzclose(file), Z_OK);
}

/* A matrix of float32. */
static void write_matrix(const char *name, int rows, int columns)
{
    char bytes[4096] = "\x93NUMPY\x01";
    int length =
        snprintf(bytes + 10, 118, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", rows, columns);
    memset(bytes + 10 + length, ' ', (size_t)(117 - length));
    bytes[127] = '\n';
    bytes[8] = 118;
    for (int i = 0; i < rows * columns; i++) {
        float value = (float)i * 0.5f;
        memcpy(bytes + 128 + 4 * i, &value, 4);
    }
    scratch_write(scratch_path(inputs, name), bytes, 128 + 4 * (size_t)(rows * columns));
}

static void write_inputs(void)
{
    inputs = scratch_make();
    write_input("integers.txt", "1 2 10\n3 4 30\n2 2 20\n1 2 20\n");
    write_input("strings.csv",
                "source,target,time,weight\nZo\xc3\xab,b c,2014-01-02,1\n\"x, y\",b c,2014-01-01,2\n");
    write_input("features.csv",
                "user_id,item_id,timestamp,state_label,features\n1,1,5,0,0.5,1.5,2\n2,1,6,1,3,4,5\n");
    write_input("bad.csv", "1,2,3\n1,2\nx\n4,5,6\n");
    write_input("nodes.csv", "id,f0,f1\n1,0.5,2\n2,3,4\n3,1,1\n");
    write_input("ml_x.csv", ",u,i,ts,label,idx\n0,1,2,10,0,1\n1,3,1,20,1,2\n2,2,2,5,0,3\n");
    write_matrix("ml_x.npy", 4, 3);
    write_matrix("ml_x_node.npy", 4, 2);
    write_input("quoted.csv", "user,\"the\nnote\",item,time\na,\"x\ny \"\"z\"\"\",b,2\nc,d,e,1\nf,\"never,g,3\n");
    static const char wide[] = "\xFF\xFE"
                               "a\0,\0b\0,\0"
                               "1\0\n\0c\0,\0b\0,\0"
                               "2\0\n";
    scratch_write(scratch_path(inputs, "wide.csv"), wide, sizeof wide);
    write_gzip("packed.txt.gz", "1 2 10\n3 4 30\n2 2 20\n");
    write_input("backwards.txt", "9 1 9\n1 2 8\n2 3 7\n3 4 6\n4 5 5\n5 6 4\n6 7 3\n7 8 2\n8 9 1\n");
}

static const layout layouts[] = {
    {.name = "integers", .file = "integers.txt"},
    {.name = "integers, two threads", .file = "integers.txt", .threads = 2},
    {.name = "strings", .file = "strings.csv"},
    {.name = "features", .file = "features.csv"},
    {.name = "bad rows", .file = "bad.csv", .skip_bad = 5},
    {.name = "node features", .file = "integers.txt", .columns = "src,dst,time", .node_features = "nodes.csv"},
    {.name = "matrices", .file = "ml_x.csv"},
    {.name = "gzip", .file = "packed.txt.gz"},
    {.name = "quoted line breaks", .file = "quoted.csv", .skip_bad = 1},
    {.name = "UTF-16", .file = "wide.csv"},
};

static void each_layout(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        layout it = layouts[i];
        faults_work work = {it.name, import, &it};
        assert_true(faults_everywhere(&work) > 40);
    }
}

/* One row in memory at a time, and two runs merged at a time: each row is a run, and there are several rounds. */
static void sorting_on_disk(void **state)
{
    (void)state;
    static const sg_import_plan plan = {
        .blocks = 1, .block_size = 16, .chunk_size = 1, .batch_size = 1, .merge_size = 1, .row_budget = 1};
    layout it = {.name = "sorting on disk", .file = "backwards.txt", .plan = &plan};
    faults_work work = {it.name, import, &it};
    assert_true(faults_everywhere(&work) > 40);
}

/* Events files: the first is appended to, or all are joined. Two of them are made beforehand. */
typedef struct joint {
    const char *name, *files[3], *node_features;
    int append;
    const sg_import_plan *plan;
} joint;

static int join(void *data, const char *output, scadyg_error *error)
{
    const joint *it = data;
    char paths[3][4096], nodes[4096];
    sg_input_source sources[3] = {{0}};
    size_t count = 0;
    for (; count < 3 && it->files[count]; count++) {
        snprintf(paths[count], sizeof *paths, "%s/%s", inputs, it->files[count]);
        sources[count].path = paths[count];
    }
    snprintf(nodes, sizeof nodes, "%s/%s", inputs, it->node_features ? it->node_features : "");
    const sg_import_options options = {.late = SG_LATE_SORT, .node_features = it->node_features ? nodes : NULL};
    const sg_import_job job = {
        .sources = sources, .count = count, .append = it->append, .output = output, .plan = it->plan};
    return sg_import_run(NULL, &job, &options, NULL, error);
}

static void make_events(const char *log, const char *output, const sg_import_options *options)
{
    char from[4096], to[4096];
    snprintf(from, sizeof from, "%s/%s", inputs, log);
    snprintf(to, sizeof to, "%s/%s", inputs, output);
    const char *const files[] = {from};
    assert_int_equal(sg_import(NULL, files, 1, to, options, NULL, NULL), SCADYG_OK);
}

static void events_files(void **state)
{
    (void)state;
    static const sg_import_plan tiny = {
        .blocks = 1, .block_size = 16, .chunk_size = 1, .batch_size = 1, .merge_size = 1, .row_budget = 1};
    static const joint joints[] = {
        {.name = "append", .files = {"integers.events", "backwards.txt"}, .append = 1},
        {.name = "append, sorting on disk",
         .files = {"integers.events", "backwards.txt"},
         .append = 1,
         .plan = &tiny},
        {.name = "append of an events file", .files = {"texts.events", "texts2.events"}, .append = 1},
        {.name = "join", .files = {"backwards.txt", "integers.events", "integers.txt"}},
        {.name = "join with node features",
         .files = {"nodes.events", "nodes2.events", "integers.txt"},
         .node_features = "nodes.csv"},
    };
    char nodes[4096];
    snprintf(nodes, sizeof nodes, "%s/nodes.csv", inputs);
    const sg_import_options none = {0}, with_nodes = {.node_features = nodes};
    write_input("texts2.csv", "source,target,time,weight\nb c,new,2014-01-03,1\nZo\xc3\xab,new,2014-01-04,2\n");
    make_events("integers.txt", "integers.events", &none);
    make_events("strings.csv", "texts.events", &none);
    make_events("texts2.csv", "texts2.events", &none);
    make_events("integers.txt", "nodes.events", &with_nodes);
    make_events("backwards.txt", "nodes2.events", &with_nodes);
    for (size_t i = 0; i < sizeof joints / sizeof *joints; i++) {
        joint it = joints[i];
        faults_work work = {it.name, join, &it};
        assert_true(faults_everywhere(&work) > 40);
    }
}

static int make_cache(void *data, const char *output, scadyg_error *error)
{
    char file[4096];
    snprintf(file, sizeof file, "%s/%s", inputs, (const char *)data);
    const char *files[] = {file};
    return scadyg_cache_make(NULL, files, 1, NULL, output, NULL, error);
}

static void caches(void **state)
{
    (void)state;
    char plain[] = "integers.txt", with_features[] = "ml_x.csv";
    faults_work work = {"a cache", make_cache, plain};
    assert_true(faults_everywhere(&work) > 40);
    work.context = with_features;
    assert_true(faults_everywhere(&work) > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_layout),
        cmocka_unit_test(sorting_on_disk),
        cmocka_unit_test(events_files),
        cmocka_unit_test(caches),
    };
    write_inputs();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    scratch_remove(inputs);
    return failed;
}
