/* Node ids: an id leads back to its node, and where sources and destinations are separate its role says which. */
#include "cmocka_all.h"

#include "events/repair_events.h"
#include "events/sample.h"

#include "contexts.h"
#include "events/node_id.h"

#include <stdatomic.h>

/* One event, from the first source to the first destination. */
static scadyg_events *file_with(uint64_t nodes, const int64_t *integers, const char *const *names,
                                const uint8_t *sides)
{
    static const double time[] = {1};
    uint32_t src[] = {0}, dst[] = {0};
    char path[128];
    while (sides && sides[*src]) ++*src;
    while (sides && !sides[*dst]) ++*dst;
    sample s = {.shape = {.events = 1, .nodes = nodes},
                .src = src,
                .dst = dst,
                .time = time,
                .integers = integers,
                .names = names,
                .sides = sides};
    sample_write(sample_path("ids.events", path), &s);
    return sample_open(path);
}

static void assert_name(scadyg_events *events, uint32_t node, const char *expected)
{
    char name[64];
    size_t length;
    assert_int_equal(scadyg_node_name(events, node, name, sizeof name, &length, NULL), SCADYG_OK);
    assert_string_equal(name, expected);
    assert_int_equal(length, strlen(expected));
    uint32_t back = 12345;
    int role = -1;
    assert_int_equal(scadyg_node_role(events, node, &role, NULL), SCADYG_OK);
    assert_int_equal(scadyg_node_find(events, role, name, &back, NULL), SCADYG_OK);
    assert_int_equal(back, node);
}

static void assert_missing_as(scadyg_events *events, int role, const char *id, const char *word)
{
    scadyg_error error;
    uint32_t node = 77;
    assert_int_equal(scadyg_node_find(events, role, id, &node, &error), SCADYG_E_NOT_FOUND);
    assert_int_equal(node, 77);
    assert_non_null(strstr(error.message, word));
}

static void assert_missing(scadyg_events *events, const char *id, const char *word)
{
    for (int role = SCADYG_ANY_ROLE; role <= SCADYG_DESTINATION; role++) assert_missing_as(events, role, id, word);
}

static void integers(void **state)
{
    (void)state;
    const int64_t ids[] = {0, 7, -3, INT64_MAX, INT64_MIN};
    scadyg_events *events = file_with(5, ids, NULL, NULL);
    const char *names[] = {"0", "7", "-3", "9223372036854775807", "-9223372036854775808"};
    for (uint32_t i = 0; i < 5; i++) assert_name(events, i, names[i]);
    const char *missing[] = {"1",
                             "",
                             "07",
                             "+7",
                             "-0",
                             "7 ",
                             "x",
                             "src:7",
                             "9223372036854775808",
                             "18446744073709551623",
                             "99999999999999999999999",
                             "-"};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) assert_missing(events, missing[i], "no node");
    scadyg_error error;
    char name[8];
    assert_int_equal(scadyg_node_name(events, 5, name, sizeof name, NULL, &error), SCADYG_E_NOT_FOUND);
    scadyg_events_close(events);
}

static void strings(void **state)
{
    (void)state;
    const char *ids[] = {"Côte d’Ivoire", "a", " ", "src:a", "a much longer name with blanks", "12"};
    scadyg_events *events = file_with(6, NULL, ids, NULL);
    for (uint32_t i = 0; i < 6; i++) assert_name(events, i, ids[i]);
    assert_missing(events, "b", "'b'");
    assert_missing(events, "dst:a", "no node");
    scadyg_events_close(events);
}

static void by_role(void **state)
{
    (void)state;
    const int64_t ids[] = {1, 1, 2, 3};
    const uint8_t sides[] = {0, 1, 0, 1};
    scadyg_events *events = file_with(4, ids, NULL, sides);
    static const char *const names[] = {"1", "1", "2", "3"};
    for (uint32_t i = 0; i < 4; i++) {
        int role = -1;
        assert_name(events, i, names[i]);
        assert_int_equal(scadyg_node_role(events, i, &role, NULL), SCADYG_OK);
        assert_int_equal(role, sides[i] ? SCADYG_DESTINATION : SCADYG_SOURCE);
    }
    assert_missing_as(events, SCADYG_ANY_ROLE, "1", "1 is a source and a destination, two different nodes: --role");
    assert_missing_as(events, SCADYG_DESTINATION, "2", "2 has never been a destination, only a source");
    assert_missing_as(events, SCADYG_SOURCE, "3", "3 has never been a source, only a destination");
    assert_missing(events, "4", "there is no node '4'");
    assert_missing(events, "src:1", "there is no node 'src:1'");
    uint32_t node;
    assert_int_equal(scadyg_node_find(events, SCADYG_ANY_ROLE, "2", &node, NULL), SCADYG_OK);
    assert_int_equal(node, 2);
    assert_int_equal(scadyg_node_find(events, SCADYG_ANY_ROLE, "3", &node, NULL), SCADYG_OK);
    assert_int_equal(node, 3);
    int role;
    assert_int_equal(scadyg_node_role(events, 4, &role, NULL), SCADYG_E_NOT_FOUND);
    scadyg_events_close(events);
}

/* What stands in an id is never taken for its role. */
static void ids_like_prefixes(void **state)
{
    (void)state;
    const char *ids[] = {"a", "src:a", "a", "dst:b", "src:src:a", "src:", " ", "dst:a"};
    const uint8_t sides[] = {0, 0, 1, 0, 1, 1, 1, 1};
    scadyg_events *events = file_with(8, NULL, ids, sides);
    for (uint32_t i = 0; i < 8; i++) assert_name(events, i, ids[i]);
    scadyg_events_close(events);
}

static void short_buffers(void **state)
{
    (void)state;
    const char *ids[] = {"abcdef", "abcdef"};
    const uint8_t sides[] = {0, 1};
    scadyg_events *events = file_with(2, NULL, ids, sides);
    for (size_t size = 0; size < 13; size++) {
        char buffer[16];
        size_t length = 0;
        memset(buffer, '#', sizeof buffer);
        assert_int_equal(scadyg_node_name(events, 1, size ? buffer : NULL, size, &length, NULL), SCADYG_OK);
        assert_int_equal(length, 6);
        size_t kept = size > 6 ? 6 : size ? size - 1 : 0;
        if (size) assert_int_equal(buffer[kept], 0);
        assert_memory_equal(buffer, "abcdef", kept);
        if (size) assert_int_equal(buffer[kept + 1], '#');
    }
    scadyg_events_close(events);
}

typedef struct race {
    const int64_t *ids;
    scadyg_events *events;
    atomic_int wrong;
} race;

/* Everything that many threads may do with one file at once, each node by some of them. */
static void read_one(void *data, size_t worker, size_t index)
{
    (void)worker;
    race *r = data;
    char name[32];
    uint32_t node = (uint32_t)(index * 97 % 100000), back;
    const void *sides = NULL;
    if (scadyg_node_name(r->events, node, name, sizeof name, NULL, NULL) ||
        scadyg_node_find(r->events, node < 60000 ? SCADYG_SOURCE : SCADYG_DESTINATION, name, &back, NULL) ||
        back != node)
        atomic_fetch_add(&r->wrong, 1);
    const uint64_t *keys = NULL;
    if (sg_events_keys(r->events, &keys, NULL) ||
        scadyg_events_column(r->events, SCADYG_COLUMN_ID_SIDES, &sides, NULL) ||
        keys[node] != ((uint64_t)r->ids[node] ^ (uint64_t)((const uint8_t *)sides)[node] << 63))
        atomic_fetch_add(&r->wrong, 1);
}

/*
 * Naming and finding all of many nodes is quick, also from several threads that start at the same time: columns, index and
 * keys are verified and made by whoever comes first.
 */
static void many_nodes_many_threads(void **state)
{
    (void)state;
    int64_t *ids = malloc(100000 * sizeof *ids);
    uint8_t *sides = malloc(100000);
    assert_non_null(ids);
    assert_non_null(sides);
    for (int i = 0; i < 100000; i++) {
        ids[i] = (int64_t)(i % 60000) * 1000003;
        sides[i] = i >= 60000;
    }
    race r = {.events = file_with(100000, ids, NULL, sides), .ids = ids};
    sg_parallel_for(context_of(4), 100000, read_one, &r);
    assert_int_equal(atomic_load(&r.wrong), 0);
    assert_int_equal(scadyg_events_verify(context_of(4), r.events, NULL), SCADYG_OK);
    scadyg_events_close(r.events);
    free(ids);
    free(sides);
}

/* A key is the integer, or a hash of the text that never changes: models know nodes by it. */
static void keys_of_nodes(void **state)
{
    (void)state;
    const int64_t ids[] = {7, -3, 7};
    const uint8_t sides[] = {0, 1, 1};
    scadyg_events *events = file_with(3, ids, NULL, sides);
    const uint64_t *keys = NULL;
    assert_int_equal(sg_events_keys(events, &keys, NULL), SCADYG_OK);
    assert_non_null(keys);
    assert_true(keys[0] == 7);
    assert_true(keys[1] == ((uint64_t)-3 ^ (uint64_t)1 << 63));
    assert_true(keys[2] == (7 | (uint64_t)1 << 63));
    const uint64_t *again = NULL;
    assert_int_equal(sg_events_keys(events, &again, NULL), SCADYG_OK);
    assert_ptr_equal(again, keys);
    scadyg_events_close(events);
    static const char *const names[] = {"Zoe", "7", "a name of more than eight bytes"};
    events = file_with(3, NULL, names, NULL);
    assert_int_equal(sg_events_keys(events, &keys, NULL), SCADYG_OK);
    assert_non_null(keys);
    for (int i = 0; i < 3; i++) assert_true(keys[i] == sg_id_hash(names[i], strlen(names[i])));
    assert_true(sg_id_hash("Zoe", 3) == 0xEA0370F5B71C8DEAULL);
    scadyg_events_close(events);
}

/* ---- Ids that are none: whatever reads the columns is refused ---- */

static void refuses_ids(scadyg_events *events, const char *says)
{
    const scadyg_column first = events->shape.integer_ids ? SCADYG_COLUMN_ID_INTEGERS : SCADYG_COLUMN_ID_TEXT;
    const void *data;
    const uint64_t *keys;
    char name[8];
    for (int way = 0; way < 5; way++) {
        scadyg_error error = {0};
        uint32_t node;
        int status = way == 0   ? scadyg_events_column(events, first, &data, &error)
                     : way == 1 ? scadyg_node_find(events, SCADYG_ANY_ROLE, "a", &node, &error)
                     : way == 2 ? scadyg_node_name(events, 0, name, sizeof name, NULL, &error)
                     : way == 3 ? sg_events_keys(events, &keys, &error)
                                : scadyg_events_verify(NULL, events, &error);
        assert_int_equal(status, SCADYG_E_FORMAT);
        if (!strstr(error.message, says)) fail_msg("'%s' does not say '%s'", error.message, says);
    }
    scadyg_events_close(events);
}

static void no_ids(void **state)
{
    (void)state;
    static const char *const names[][3] = {
        {"a", "", "b"}, {"a", "b", "a"}, {"a", "b\xFF", "c"}, {"a", "\xC3", "\xA9"}, {"b", "\xED\xA0\x80", "c"}};
    static const char *const says[] = {"the id of node 1 is empty", "nodes 0 and 2 have the same id",
                                       "the id of node 1 is not valid UTF-8", "the id of node 1 is not valid UTF-8",
                                       "the id of node 1 is not valid UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        refuses_ids(file_with(3, NULL, names[i], NULL), says[i]);
    static const int64_t integers[] = {4, -1, 9, -1};
    static const uint8_t sides[] = {0, 1, 0, 1}, apart[] = {0, 1, 0, 0};
    refuses_ids(file_with(4, integers, NULL, NULL), "nodes 1 and 3 have the same id");
    refuses_ids(file_with(4, integers, NULL, sides), "nodes 1 and 3 have the same id");
    scadyg_events *events = file_with(4, integers, NULL, apart);
    assert_int_equal(scadyg_events_verify(NULL, events, NULL), SCADYG_OK);
    scadyg_events_close(events);
}

static void no_id_with_a_nul(void **state)
{
    (void)state;
    static const uint32_t ends[] = {0};
    static const double time[] = {1};
    static const char *const names[] = {"abc"};
    char path[128];
    const sample s = {.shape = {.events = 1, .nodes = 1}, .src = ends, .dst = ends, .time = time, .names = names};
    sample_write(sample_path("nul.events", path), &s);
    size_t size;
    char *bytes = read_whole(path, &size);
    bytes[size - 2] = 0;
    repair_events((unsigned char *)bytes, size);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    free(bytes);
    refuses_ids(sample_open(path), "the id of node 0 holds a NUL byte");
}

/* Sources and destinations are apart: a node of one side is never the other end. */
static void sides_that_do_not_fit(void **state)
{
    (void)state;
    static const uint32_t src[] = {0, 0}, dst[] = {1, 2};
    static const double time[] = {1, 2};
    static const int64_t ids[] = {1, 2, 3};
    static const uint8_t sides[][3] = {{0, 1, 0}, {1, 1, 1}, {0, 1, 2}, {0, 0, 0}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        char path[128];
        const sample s = {.shape = {.events = 2, .nodes = 3},
                          .src = src,
                          .dst = dst,
                          .time = time,
                          .integers = ids,
                          .sides = sides[i]};
        sample_write(sample_path("sides.events", path), &s);
        refuses_ids(sample_open(path), "its id side section has values out of range");
    }
}

/* Many equal ids are found out by the second: no time is lost on the others. */
static void one_id_for_all(void **state)
{
    (void)state;
    enum { NODES = 200000 };
    int64_t *ids = calloc(NODES, sizeof *ids);
    assert_non_null(ids);
    refuses_ids(file_with(NODES, ids, NULL, NULL), "nodes 0 and 1 have the same id");
    free(ids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),         cmocka_unit_test(strings),
        cmocka_unit_test(by_role),          cmocka_unit_test(ids_like_prefixes),
        cmocka_unit_test(short_buffers),    cmocka_unit_test(many_nodes_many_threads),
        cmocka_unit_test(keys_of_nodes),    cmocka_unit_test(no_ids),
        cmocka_unit_test(no_id_with_a_nul), cmocka_unit_test(sides_that_do_not_fit),
        cmocka_unit_test(one_id_for_all),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sample_clean();
    return failed;
}
