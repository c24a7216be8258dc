/* Export, then import: the same bytes, for random events files of every shape. */
#include "cmocka_all.h"

#include "events/log.h"

/* Ids that need care in a CSV, or look like something else. */
static const char *const ODD[] = {"a,b",   "say \"hi\"", "\"",   " blank ", "tab\there", "#x",         "%y",
                                  "id",    "src",        "side", "007",     "nan",       "2014-01-01", "é,è",
                                  "x;y",   "a|b",        "\"\"", "-0",      "ends\"",    "日本",       "src:a",
                                  "dst:a", "1e5",        "-",    "a b",     "user_id",   "."};

static void put_quoted(long_text *t, const char *field)
{
    text_add(t, "\"");
    for (const char *p = field; *p; p++) text_add(t, *p == '"' ? "\"\"" : "%c", *p);
    text_add(t, "\"");
}

static void make_odd_ids(event_log *l, sg_rng *rng)
{
    for (size_t i = 0; i < l->count; i++) {
        if (sg_rng_below(rng, 2)) strcpy(l->rows[i].src, ODD[sg_rng_below(rng, sizeof ODD / sizeof *ODD)]);
        if (sg_rng_below(rng, 2)) strcpy(l->rows[i].dst, ODD[sg_rng_below(rng, sizeof ODD / sizeof *ODD)]);
    }
}

/* A number of any size, for the columns kept as float. */
static void put_float(long_text *t, sg_rng *rng)
{
    double value = sg_rng_normal(rng) * pow(10, (double)sg_rng_below(rng, 76) - 42);
    if (sg_rng_below(rng, 5) == 0) value = (double)sg_rng_below(rng, 100) - 50;
    text_add(t, sg_rng_below(rng, 10) ? ",%.9g" : ",-0", value);
}

static void put_table(long_text *t, const event_log *l, sg_rng *rng)
{
    text_add(t, "%s,time", l->two_id_spaces ? "user_id,item_id" : "src,dst");
    if (l->has_weight) text_add(t, ",weight");
    if (l->has_label) text_add(t, ",label");
    for (int k = 0; k < l->features; k++) text_add(t, ",f%d", k);
    text_add(t, "\n");
    for (size_t i = 0; i < l->count; i++) {
        put_quoted(t, l->rows[i].src);
        text_add(t, ",");
        put_quoted(t, l->rows[i].dst);
        text_add(t, ",%s", l->rows[i].when);
        for (int k = 0; k < l->has_weight + l->has_label + l->features; k++) put_float(t, rng);
        text_add(t, "\n");
    }
}

/* Features for some of the ids, which the others lack. */
static void put_node_table(long_text *t, const event_log *l, sg_rng *rng)
{
    char seen[400][LOG_TEXT + 2];
    size_t count = 0;
    text_add(t, "%sid,f0,f1\n", l->two_id_spaces ? "role," : "");
    for (size_t i = 0; i < l->count && count < 400; i++) {
        char name[LOG_TEXT + 2];
        int side = (int)(i % 2);
        const char *id = side ? l->rows[i].dst : l->rows[i].src;
        snprintf(name, sizeof name, "%d%s", l->two_id_spaces && side, id);
        size_t k = 0;
        while (k < count && strcmp(seen[k], name) != 0) k++;
        if (k < count) continue;
        strcpy(seen[count++], name);
        if (l->two_id_spaces) text_add(t, side ? "destination," : "source,");
        put_quoted(t, id);
        put_float(t, rng);
        put_float(t, rng);
        text_add(t, "\n");
    }
}

static void export_to(const char *events_path, const char *output, int threads)
{
    scadyg_events *events = sample_open(events_path);
    scadyg_error error = {0};
    if (scadyg_export(context_of(threads), events, output, &error)) fail_msg("%s", error.message);
    scadyg_events_close(events);
}

static void same_bytes(void **state)
{
    (void)state;
    static const char *const names[] = {"x.csv", "x.csv.gz", "x.csv.zst"};
    static const char *const node_names[] = {"x.nodes.csv", "x.nodes.csv.gz", "x.nodes.csv.zst"};
    char log_path[128], nodes_path[128], a[128], b[128], csv[128];
    for (int round = 0; round < test_rounds(160); round++) {
        sg_rng rng;
        event_log l = {0};
        long_text t = {0}, nodes = {0};
        sg_rng_seed(&rng, (uint64_t)round, 99);
        log_make(&l, &rng, 1 + sg_rng_below(&rng, 30), (int)sg_rng_below(&rng, 4),
                 (enum times)(round % TIMES_KINDS));
        if (round % 3 == 0) make_odd_ids(&l, &rng);
        l.has_weight = (int)sg_rng_below(&rng, 2);
        l.has_label = (int)sg_rng_below(&rng, 2);
        l.features = (int)sg_rng_below(&rng, 4);
        l.two_id_spaces = (int)sg_rng_below(&rng, 2);
        int node_features = round % 4 == 0, packing = round % PACKINGS;
        put_table(&t, &l, &rng);
        put_node_table(&nodes, &l, &rng);
        put_file(sample_path("log.csv", log_path), t.data, t.size);
        put_file(sample_path("nodes", nodes_path), nodes.data, nodes.size);
        sg_import_options options = {.node_features = node_features ? nodes_path : NULL};
        import_one(NULL, log_path, sample_path("a.events", a), &options, NULL);
        export_to(a, sample_path(names[packing], csv), 1 + round % 2);
        import_one(NULL, csv, sample_path("b.events", b), NULL, NULL);
        assert_same_files(a, b);
        remove_file(names[packing]);
        if (node_features) remove_file(node_names[packing]);
        log_free(&l);
        text_free(&t);
        text_free(&nodes);
    }
}

/* Whole numbers beyond 2^53 and numbers of all sizes. */
static void large_times(void **state)
{
    (void)state;
    char log_path[128], a[128], b[128], csv[128];
    sg_rng rng;
    sg_rng_seed(&rng, 1, 100);
    for (int round = 0; round < test_rounds(20); round++) {
        long_text t = {0};
        for (int i = 0; i < 100; i++) {
            double value = floor(exp2(50 + 20 * sg_rng_unit(&rng)));
            text_add(&t, sg_rng_below(&rng, 2) ? "1,2,%.0f\n" : "1,2,%.17g\n", round % 2 ? value : -value);
            text_add(&t, "1,2,%.17e\n", sg_rng_normal(&rng) * pow(10, (double)sg_rng_below(&rng, 600) - 300));
        }
        text_add(&t, "1,2,72057594037927952\n1,2,1e16\n1,2,-1e17\n");
        put_file(sample_path("log.csv", log_path), t.data, t.size);
        import_one(NULL, log_path, sample_path("a.events", a), NULL, NULL);
        export_to(a, sample_path("x.csv", csv), 1);
        import_one(NULL, csv, sample_path("b.events", b), NULL, NULL);
        assert_same_files(a, b);
        text_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bytes),
        cmocka_unit_test(large_times),
    };
    sample_in_memory();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sample_clean();
    return failed;
}
