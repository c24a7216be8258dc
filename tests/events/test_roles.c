/* Roles: whether sources and destinations are separate, why, and events that are made to fit the other decision. */
#include "cmocka_all.h"

#include "events/log.h"

#include "base/memory.h"
#include "events/node_id.h"
#include "events/repair_events.h"
#include "events/roles.h"

/* ---- The decision ---- */

static const struct {
    const char *log;
    int bipartite, one_kind;
    int separate;
    const char *says;
} decisions[] = {
    {"user_id,item_id,time\n7,7,1\n8,7,2\n", 0, 0, 1,
     "users and items are separate: user 7 is not item 7 (the columns are called user_id and item_id; --one-kind "
     "says "
     "otherwise)"},
    {"Customer ID;StockCode;InvoiceDate\n7;7;2024-01-01\n8;7;2024-01-02\n", 0, 0, 1,
     "customers and stocks are separate: customer 7 is not stock 7 (the columns are called Customer ID and "
     "StockCode; "
     "--one-kind says otherwise)"},
    {"Kundennummer;Artikelnummer;Datum\n7;7;2024-01-01\n8;7;2024-01-02\n", 0, 0, 1,
     "sources and destinations are separate: source 7 is not destination 7 (the columns are called Kundennummer "
     "and "
     "Artikelnummer; --one-kind says otherwise)"},
    {"userId,movieId,rating,timestamp\n1,1,5,964982703\n2,1,4,964982931\n", 0, 0, 1,
     "users and movies are separate: user 7 is not movie 7 (the columns are called userId and movieId; --one-kind "
     "says "
     "otherwise)"},
    {"user_id,item_id,time\n7,7,1\n8,7,2\n", 0, 1, 0,
     "sources and destinations are of one kind: source 7 is destination 7 (--one-kind)"},
    {"sender,receiver,time\nann,bob,1\nbob,ann,2\n", 0, 0, 0,
     "sources and destinations are of one kind: source 7 is destination 7 (2 ids occur on both sides; "
     "--bipartite says otherwise)"},
    {"sender,receiver,time\nann,bob,1\nann,ann,2\n", 0, 0, 0,
     "sources and destinations are of one kind: source 7 is destination 7 (1 id occurs on both sides; "
     "--bipartite says otherwise)"},
    {"sender,receiver,time\nann,bob,1\nbob,ann,2\n", 1, 0, 1,
     "sources and destinations are separate: source 7 is not destination 7 (--bipartite)"},
    {"sender,receiver,time\nann,bob,1\nzoe,bob,2\n", 0, 0, 1,
     "sources and destinations are separate: source 7 is not destination 7 (no id occurs on both sides; --one-kind "
     "says "
     "otherwise)"},
    {"sender,receiver,time\nann,bob,1\nzoe,bob,2\n", 0, 1, 0,
     "sources and destinations are of one kind: source 7 is destination 7 (--one-kind)"},
    {"src_node,dst_node,time\n1,2,1\n3,2,2\n", 0, 0, 0,
     "sources and destinations are of one kind: source 7 is destination 7 (the columns are called src_node and "
     "dst_node; --bipartite says otherwise)"},
    {"1 2 1\n3 2 2\n", 0, 0, 1,
     "sources and destinations are separate: source 7 is not destination 7 (no id occurs on both sides; --one-kind "
     "says "
     "otherwise)"},
    {"1 007 1\n3 7 2\n7 1 3\n", 0, 0, 0,
     "sources and destinations are of one kind: source 7 is destination 7 (2 ids occur on both sides; "
     "--bipartite says otherwise)"},
    {"1::1193::5::978300760\n2::661::3::978302109\n", 1, 0, 1,
     "sources and destinations are separate: source 7 is not destination 7 (--bipartite)"},
};

static void decided(void **state)
{
    (void)state;
    char path[128], output[128];
    for (size_t i = 0; i < sizeof decisions / sizeof *decisions; i++) {
        sg_import_options options = {.bipartite = decisions[i].bipartite, .one_kind = decisions[i].one_kind};
        scadyg_import_report *report = NULL;
        import_one(NULL, put_text("log", decisions[i].log, path), sample_path("a.events", output), &options,
                   &report);
        assert_string_equal(report->roles, decisions[i].says);
        assert_int_equal(report->shape->two_id_spaces, decisions[i].separate);
        scadyg_import_report_free(report);
        scadyg_events *events = sample_open(output);
        assert_int_equal(scadyg_events_verify(NULL, events, NULL), SCADYG_OK);
        scadyg_events_close(events);
    }
}

/* By memory, by several files, on several threads: it is the whole log that decides. */
static void decided_late(void **state)
{
    (void)state;
    long_text t = {0};
    char path[128], more[128], output[128], other[128];
    for (int i = 0; i < 20000; i++) text_add(&t, "u%d,i%d,%d\n", i % 700, i % 300, i);
    put_file(sample_path("log", path), t.data, t.size);
    put_text("more", "u1,i2,20001\ni3,u9,20002\n", more);
    const char *const files[] = {path, more};
    scadyg_import_report *report = NULL;
    import_one(context_of(3), path, sample_path("a.events", output), NULL, &report);
    assert_true(report->shape->two_id_spaces);
    assert_string_equal(report->checks, "");
    scadyg_import_report_free(report);
    if (sg_import(context_of(3), files, 2, output, &(sg_import_options){0}, &report, NULL)) fail();
    assert_false(report->shape->two_id_spaces);
    assert_string_equal(report->checks,
                        "only 2 of 701 sources and 301 destinations occur on both sides: if that is "
                        "chance, say --bipartite\n");
    scadyg_import_report_free(report);
    text_free(&t);
    for (int i = 0; i < 3000; i++) text_add(&t, "%d::%d::5::%d\n", 1 + i * 7 % 90, 1 + i * 11 % 160, 978300000 + i);
    put_file(sample_path("ratings.dat", more), t.data, t.size);
    import_one(NULL, more, output, NULL, &report);
    assert_false(report->shape->two_id_spaces);
    assert_non_null(strstr(report->checks,
                           "sources are the numbers 1 to 90 and destinations 1 to 160, as if each were "
                           "counted by itself: if 7 is not the same on both sides (user 7, item 7), say "
                           "--bipartite\n"));
    scadyg_import_report_free(report);
    /* Disjoint ids: the same numbers either way. */
    import_one(NULL, path, output, NULL, NULL);
    import_one(NULL, path, sample_path("b.events", other), &(sg_import_options){.one_kind = 1}, NULL);
    scadyg_events *a = sample_open(output), *b = sample_open(other);
    assert_memory_equal(column_of(a, SCADYG_COLUMN_SRC), column_of(b, SCADYG_COLUMN_SRC), 20000 * 4);
    assert_memory_equal(column_of(a, SCADYG_COLUMN_DST), column_of(b, SCADYG_COLUMN_DST), 20000 * 4);
    assert_int_equal(scadyg_events_shape(a)->nodes, scadyg_events_shape(b)->nodes);
    scadyg_events_close(a);
    scadyg_events_close(b);
    text_free(&t);
}

static void refused(void **state)
{
    (void)state;
    scadyg_options *options = NULL;
    scadyg_error error = {0};
    assert_int_equal(scadyg_options_open("import", &options, NULL), SCADYG_OK);
    assert_int_equal(scadyg_options_set(options, "bipartite", "1", NULL), SCADYG_OK);
    assert_int_equal(scadyg_options_set(options, "one-kind", "1", NULL), SCADYG_OK);
    assert_int_equal(scadyg_options_check(options, &error), SCADYG_E_USAGE);
    assert_string_equal(error.message, "--bipartite and --one-kind exclude each other");
    scadyg_options_close(options);
    char path[128], more[128], output[128];
    put_text("log", "user_id,item_id,time\n7,7,1\n", path);
    put_text("more", "src,dst,time\n7,7,1\n", more);
    const char *const files[] = {path, more};
    import_fails(NULL, files, 2, NULL, SCADYG_E_LAYOUT,
                 "say something else of sources and destinations than in the first file: say --bipartite");
    sg_import_options told = {.bipartite = 1};
    if (sg_import(NULL, files, 2, sample_path("a.events", output), &told, NULL, &error))
        fail_msg("%s", error.message);
}

/* ---- A log that grows ---- */

static void append_text(const char *events, const char *text, const sg_import_options *options, int separate,
                        const char *says)
{
    char path[128];
    scadyg_error error = {0};
    scadyg_import_report *report = NULL;
    const char *const files[] = {put_text("new.csv", text, path)};
    if (sg_append(NULL, events, files, 1, 0, options, &report, &error)) fail_msg("%s", error.message);
    assert_int_equal(report->shape->two_id_spaces, separate);
    if (!strstr(report->roles, says)) fail_msg("'%s' does not say '%s'", report->roles, says);
    scadyg_import_report_free(report);
}

/* What was decided by ids is decided by all of them, as an import of the whole would; what was told or named stays. */
static void appended(void **state)
{
    (void)state;
    static const sg_import_options none, two = {.bipartite = 1}, one = {.one_kind = 1};
    char path[128], events[128], whole[128];
    put_text("log.csv", "src,dst,time\na,b,1\n", path);
    import_one(NULL, path, sample_path("log.events", events), NULL, NULL);
    append_text(events, "src,dst,time\nc,b,2\n", &none, 1, "(no id occurs on both sides; ");
    append_text(events, "src,dst,time\nb,c,3\n", &none, 0, "(2 ids occur on both sides; ");
    append_text(events, "src,dst,time\nx,y,4\n", &none, 0, "(as in ");
    put_text("log.csv", "src,dst,time\na,b,1\nc,b,2\nb,c,3\nx,y,4\n", path);
    import_one(NULL, path, sample_path("whole.events", whole), NULL, NULL);
    assert_same_files(events, whole);
    /* Told at first, or later. */
    put_text("log.csv", "src,dst,time\na,b,1\n", path);
    import_one(NULL, path, events, &two, NULL);
    append_text(events, "src,dst,time\nb,a,2\n", &none, 1, "(as in ");
    put_text("log.csv", "src,dst,time\na,b,1\nb,a,2\n", path);
    import_one(NULL, path, whole, &two, NULL);
    assert_same_files(events, whole);
    put_text("log.csv", "src,dst,time\na,b,1\n", path);
    import_one(NULL, path, events, NULL, NULL);
    append_text(events, "src,dst,time\nb,a,2\n", &two, 1, "(--bipartite)");
    assert_same_files(events, whole);
    import_one(NULL, path, events, NULL, NULL);
    append_text(events, "src,dst,time\nc,d,2\n", &one, 0, "(--one-kind)");
    append_text(events, "user_id,item_id,time\nc,d,3\n", &none, 0, "(as in ");
    import_one(NULL, path, events, &two, NULL);
    const char *const files[] = {put_text("new.csv", "a,b,9\n", whole)};
    scadyg_error error = {0};
    assert_int_equal(sg_append(NULL, events, files, 1, 0, &one, NULL, &error), SCADYG_E_USAGE);
    assert_non_null(
        strstr(error.message, "has separate sources and destinations, --one-kind says one kind of nodes"));
    remove_file("new.csv");
}

/* A file that says its ids decided, and has one on both sides, is damaged. */
static void forged(void **state)
{
    (void)state;
    char path[128], output[128];
    import_one(NULL, put_text("log", "a b 1\nb a 2\n", path), sample_path("a.events", output),
               &(sg_import_options){.bipartite = 1}, NULL);
    size_t size;
    char *bytes = read_whole(output, &size);
    for (uint32_t flags = 0; flags < 8; flags++) {
        memcpy(bytes + 48, &flags, sizeof flags);
        repair_events((unsigned char *)bytes, size);
        put_file(output, bytes, size);
        scadyg_events *events = NULL;
        scadyg_error error = {0};
        int status = scadyg_events_open(output, &events, &error);
        assert_int_equal(status, flags == 1 || flags == 3 ? SCADYG_OK : SCADYG_E_FORMAT);
        if (!status) status = scadyg_events_verify(NULL, events, &error);
        assert_int_equal(status, flags == 1 ? SCADYG_OK : SCADYG_E_FORMAT);
        if (flags == 3) assert_non_null(strstr(error.message, "nodes 1 and 2 have the same id"));
        scadyg_events_close(events);
        const char *const files[] = {output, path};
        char joined[128];
        if (flags == 3)
            import_fails(NULL, files, 2, NULL, SCADYG_E_FORMAT, "is damaged: node");
        else if (flags == 1)
            assert_int_equal(
                sg_import(NULL, files, 2, sample_path("b.events", joined), &(sg_import_options){0}, NULL, NULL),
                SCADYG_OK);
    }
    free(bytes);
}

/* A dry run sees all ids. */
static void dry(void **state)
{
    (void)state;
    static const struct {
        const char *log, *begins;
    } cases[] = {{"1 2 3\n", "sources and destinations are separate"},
                 {"user,item,time\n1,2,3\n", "users and items are separate"}};
    char path[128];
    for (size_t i = 0; i < 2; i++) {
        scadyg_import_report *report = NULL;
        const char *const files[] = {put_text("log", cases[i].log, path)};
        assert_int_equal(sg_import(NULL, files, 1, NULL, &(sg_import_options){0}, &report, NULL), SCADYG_OK);
        assert_int_equal(strncmp(report->roles, cases[i].begins, strlen(cases[i].begins)), 0);
        scadyg_import_report_free(report);
    }
}

/* ---- Made to fit ---- */

static void assert_same_column(scadyg_events *a, scadyg_events *b, scadyg_column column, uint64_t size)
{
    const void *one = NULL, *other = NULL;
    assert_int_equal(scadyg_events_column(a, column, &one, NULL), SCADYG_OK);
    assert_int_equal(scadyg_events_column(b, column, &other, NULL), SCADYG_OK);
    assert_int_equal(one != NULL, other != NULL);
    if (one) assert_memory_equal(one, other, size);
}

/* Every column, the ids, the roles and the keys. */
static void assert_same_events(scadyg_events *a, scadyg_events *b)
{
    const scadyg_shape *shape = scadyg_events_shape(b);
    assert_memory_equal(scadyg_events_shape(a), shape, sizeof *shape);
    for (int column = SCADYG_COLUMN_SRC; column <= SCADYG_COLUMN_ID_SIDES; column++) {
        uint64_t count = column <= SCADYG_COLUMN_EDGE_FEATURES ? shape->events : shape->nodes;
        if (column == SCADYG_COLUMN_ID_TEXT) continue; /* below, by its names */
        if (column == SCADYG_COLUMN_ID_OFFSETS) count++;
        assert_same_column(a, b, (scadyg_column)column, count * sg_column_size(shape, (scadyg_column)column));
    }
    const uint64_t *keys = NULL, *others = NULL;
    assert_int_equal(sg_events_keys(a, &keys, NULL), SCADYG_OK);
    assert_int_equal(sg_events_keys(b, &others, NULL), SCADYG_OK);
    assert_memory_equal(keys, others, shape->nodes * sizeof *keys);
    for (uint32_t node = 0; node < shape->nodes; node++) {
        char name[2][LOG_TEXT + 8];
        int role[2];
        uint32_t back = UINT32_MAX;
        assert_int_equal(scadyg_node_name(a, node, name[0], sizeof name[0], NULL, NULL), SCADYG_OK);
        assert_int_equal(scadyg_node_name(b, node, name[1], sizeof name[1], NULL, NULL), SCADYG_OK);
        assert_string_equal(name[0], name[1]);
        assert_int_equal(scadyg_node_role(a, node, &role[0], NULL), SCADYG_OK);
        assert_int_equal(scadyg_node_role(b, node, &role[1], NULL), SCADYG_OK);
        assert_int_equal(role[0], role[1]);
        assert_int_equal(scadyg_node_find(a, role[0], name[0], &back, NULL), SCADYG_OK);
        assert_int_equal(back, node);
    }
}

static void set_roles(scadyg_events *events, int separate)
{
    scadyg_error error = {0};
    if (scadyg_events_set_roles(context_of(2), events, separate, &error)) fail_msg("%s", error.message);
    assert_int_equal(scadyg_events_shape(events)->two_id_spaces, separate);
}

/* What was imported with one decision and made to fit the other is what would have been imported with it. */
static void as_imported(void **state)
{
    (void)state;
    char log_path[128], one_path[128], two_path[128];
    for (int round = 0; round < test_rounds(150); round++) {
        sg_rng rng;
        event_log l = {0};
        long_text t = {0};
        sg_rng_seed(&rng, (uint64_t)round, 14);
        log_make(&l, &rng, 1 + sg_rng_below(&rng, 40), (int)sg_rng_below(&rng, 4),
                 (enum times)(round % TIMES_KINDS));
        text_add(&t, "src,dst,time\n");
        for (size_t i = 0; i < l.count; i++)
            text_add(&t, "\"%s\",\"%s\",%s\n", l.rows[i].src, l.rows[i].dst, l.rows[i].when);
        put_file(sample_path("log.csv", log_path), t.data, t.size);
        sg_import_options one = {.one_kind = 1}, two = {.bipartite = 1};
        import_one(NULL, log_path, sample_path("one.events", one_path), &one, NULL);
        import_one(NULL, log_path, sample_path("two.events", two_path), &two, NULL);
        scadyg_events *a = sample_open(one_path), *b = sample_open(two_path), *c = sample_open(one_path),
                      *d = sample_open(two_path);
        const uint32_t checksum = scadyg_events_checksum(a);
        set_roles(a, 1);
        assert_true(scadyg_events_checksum(a) != checksum);
        assert_same_events(a, d);
        set_roles(b, 0);
        assert_same_events(b, c);
        set_roles(a, 0); /* and back */
        assert_same_events(a, c);
        set_roles(b, 1);
        assert_same_events(b, d);
        set_roles(b, 1); /* nothing to do */
        assert_same_events(b, d);
        scadyg_events_close(a);
        scadyg_events_close(b);
        scadyg_events_close(c);
        scadyg_events_close(d);
        log_free(&l);
        text_free(&t);
    }
}

static void features(void **state)
{
    (void)state;
    char path[128], table[128], output[128];
    put_text("log.csv", "user_id,item_id,time\n7,7,1\n8,7,2\n7,9,3\n", path);
    static const char *const tables[] = {"role,id,f0\nsource,7,4\ndestination,7,4\nsource,8,6\ndestination,9,1\n",
                                         "role,id,f0\nsource,7,4\ndestination,7,5\nsource,8,6\ndestination,9,1\n"};
    for (int i = 0; i < 2; i++) {
        put_text("log.nodes.csv", tables[i], table);
        import_one(NULL, path, sample_path("a.events", output), NULL, NULL);
        scadyg_events *events = sample_open(output);
        scadyg_error error = {0};
        const int status = scadyg_events_set_roles(NULL, events, 0, &error);
        assert_int_equal(status, i ? SCADYG_E_USAGE : SCADYG_OK);
        assert_int_equal(scadyg_events_shape(events)->nodes, i ? 4 : 3); /* a failure changes nothing */
        assert_int_equal(scadyg_events_shape(events)->two_id_spaces, i);
        if (i)
            assert_non_null(
                strstr(error.message, "the source '7' and the destination '7' have different features"));
        if (!i)
            assert_memory_equal(column_of(events, SCADYG_COLUMN_NODE_FEATURES), ((const float[]){4, 6, 1}), 3 * 4);
        set_roles(events, 1);
        assert_memory_equal(column_of(events, SCADYG_COLUMN_NODE_FEATURES),
                            i ? ((const float[]){4, 5, 6, 1}) : ((const float[]){4, 4, 6, 1}), 4 * 4);
        scadyg_events_close(events);
    }
    remove_file("log.nodes.csv");
}

static void in_words(void **state)
{
    (void)state;
    static const struct {
        const char *log;
        int bipartite, one_kind;
        const char *ends;
    } cases[] = {
        {"a b 1\nc d 2\n", 0, 0, "are separate: source 7 is not destination 7 (no id occurs on both sides)"},
        {"a b 1\nc d 2\n", 0, 1, "(so it was imported; no id occurs on both sides)"},
        {"a b 1\nb a 2\n", 0, 0, "source 7 is destination 7 (2 ids occur on both sides)"},
        {"a b 1\nb c 2\n", 1, 0, "is not destination 7 (so it was imported; 1 id occurs on both sides)"},
    };
    char path[128], output[128], text[SG_ROLES_TEXT];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sg_import_options options = {.bipartite = cases[i].bipartite, .one_kind = cases[i].one_kind};
        import_one(NULL, put_text("log", cases[i].log, path), sample_path("a.events", output), &options, NULL);
        scadyg_events *events = sample_open(output);
        assert_int_equal(scadyg_events_roles(NULL, events, text, sizeof text, NULL), SCADYG_OK);
        if (!strstr(text, cases[i].ends)) fail_msg("'%s' does not say '%s'", text, cases[i].ends);
        for (size_t size = 1; size < sizeof text; size++) { /* and cut off where there is no room */
            assert_int_equal(scadyg_events_roles(NULL, events, text, size, NULL), SCADYG_OK);
            assert_true(strlen(text) < size);
        }
        scadyg_events_close(events);
    }
}

/* A column that is not what its checksum says, or ids that are none, are found out before anything changes. */
static void damaged(void **state)
{
    (void)state;
    char path[128], output[128];
    put_text("log", "a b 1\nb a 2\nc b 3\n", path);
    for (int separate = 0; separate < 2; separate++) {
        sg_import_options options = {.bipartite = !separate, .one_kind = separate};
        import_one(NULL, path, sample_path("a.events", output), &options, NULL);
        size_t size;
        char *bytes = read_whole(output, &size);
        int refused = 0;
        for (size_t at = 128; at < size; at++) {
            unsigned char *image = sg_alloc_aligned(size, 1);
            assert_non_null(image);
            memcpy(image, bytes, size);
            image[at] ^= 0x41;
            if (at % 2) repair_events(image, size); /* as an enemy would */
            scadyg_events *events = NULL;
            scadyg_error error = {0};
            int status = sg_events_open_memory("x", image, size, &events, &error);
            if (!status) status = scadyg_events_set_roles(NULL, events, separate, &error);
            refused += status != SCADYG_OK;
            if (status) assert_true(error.message[0] != 0);
            if (events && !status) {
                char text[SG_ROLES_TEXT];
                assert_int_equal(scadyg_events_roles(NULL, events, text, sizeof text, &error), SCADYG_OK);
            }
            scadyg_events_close(events);
            free(image);
        }
        assert_true(refused > 20);
        free(bytes);
    }
}

static int clean(void **state)
{
    (void)state;
    sample_clean();
    return 0;
}

int main(void)
{
    sample_in_memory();
    const struct CMUnitTest tests[] = {cmocka_unit_test(decided),     cmocka_unit_test(decided_late),
                                       cmocka_unit_test(refused),     cmocka_unit_test(appended),
                                       cmocka_unit_test(forged),      cmocka_unit_test(dry),
                                       cmocka_unit_test(as_imported), cmocka_unit_test(features),
                                       cmocka_unit_test(in_words),    cmocka_unit_test(damaged)};
    return cmocka_run_group_tests(tests, NULL, clean);
}
