/* Ids: every integer and every text gets one number and comes back unchanged; against a linear search. */
#include "cmocka_all.h"

#include "events/importing.h"

#include "base/rng.h"
#include "events/import/ids.h"

/* The twin: ids as text with their side, in the order of their numbers. */
typedef struct twin {
    char (*names)[24];
    int *sides;
    uint32_t count;
} twin;

static uint32_t twin_node(twin *t, const char *name, int side)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (t->sides[i] == side && strcmp(t->names[i], name) == 0) return i;
    strcpy(t->names[t->count], name);
    t->sides[t->count] = side;
    return t->count++;
}

enum kind { DENSE, SPARSE, NEGATIVE, WORDS, MIXED, KINDS };

static void random_name(sg_rng *rng, enum kind kind, char name[24])
{
    static const char *const odd[] = {"007",
                                      "+5",
                                      "-0",
                                      "-",
                                      "5",
                                      "05",
                                      "0",
                                      "-5",
                                      "9223372036854775807",
                                      "-9223372036854775808",
                                      "9223372036854775808",
                                      "-9223372036854775809",
                                      "12345678901234567890",
                                      "1.0",
                                      "1e3",
                                      "99999999999999999999",
                                      "é",
                                      "x y"};
    long long number = (long long)sg_rng_below(rng, 3000);
    if (kind == SPARSE) number = (long long)(sg_hash64((uint64_t)number) >> 1);
    if (kind == NEGATIVE) number -= 1500;
    if (kind == MIXED && sg_rng_below(rng, 4) == 0)
        strcpy(name, odd[sg_rng_below(rng, sizeof odd / sizeof *odd)]);
    else if (kind == WORDS || (kind == MIXED && number % 3 == 0))
        snprintf(name, 24, "node %lld", number);
    else
        snprintf(name, 24, "%lld", kind == MIXED && number % 7 == 0 ? number * 1000003 : number);
}

static void against_linear_search(enum kind kind, int spaces)
{
    enum { LOOKUPS = 8000 };
    twin t = {malloc(LOOKUPS * sizeof *t.names), malloc(LOOKUPS * sizeof *t.sides), 0};
    assert_true(t.names && t.sides);
    sg_ids ids;
    sg_rng rng;
    sg_ids_init(&ids, spaces);
    sg_rng_seed(&rng, (uint64_t)kind, (uint64_t)spaces);
    for (int i = 0; i < LOOKUPS; i++) {
        char name[24];
        int side = (int)sg_rng_below(&rng, 2);
        random_name(&rng, kind, name);
        char *copy = strdup(name); /* the table must not keep a pointer to it */
        assert_non_null(copy);
        sg_id id;
        uint32_t node, expected = t.count;
        sg_id_parse(&id, &ids.key, copy, strlen(copy));
        uint32_t found = sg_ids_find(&ids, &id, side);
        assert_int_equal(sg_ids_node(&ids, &id, side, &node, NULL), SCADYG_OK);
        int is_new = (expected = twin_node(&t, name, spaces == 2 ? side : 0)) == t.count - 1 && found == UINT32_MAX;
        if (node != expected) fail_msg("'%s' is node %u, not %u", name, node, expected);
        assert_int_equal(found, is_new ? UINT32_MAX : expected);
        free(copy);
    }
    assert_int_equal(ids.count, t.count);
    assert_true(sg_ids_bytes(&ids) >= 8 * ids.count);
    for (uint32_t i = 0; i < t.count; i++) {
        char buffer[24];
        size_t length;
        const char *text = sg_ids_text(&ids, i, buffer, &length);
        assert_int_equal(length, strlen(t.names[i]));
        assert_memory_equal(text, t.names[i], length);
        assert_int_equal((ids.kinds[i] & SG_ID_DESTINATION) != 0, spaces == 2 && t.sides[i]);
    }
    sg_ids_free(&ids);
    free(t.names);
    free(t.sides);
}

static void random_ids(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (int spaces = 1; spaces <= 2; spaces++) against_linear_search((enum kind)kind, spaces);
}

/* An integer only in its usual writing; whatever else is text. */
static void what_is_an_integer(void **state)
{
    (void)state;
    static const char *const integers[] = {
        "0", "7", "-7", "10", "9223372036854775807", "-9223372036854775808", "999999999999999999"};
    static const char *const texts[] = {"007",
                                        "00",
                                        "+5",
                                        "-0",
                                        "-",
                                        "--1",
                                        "1 ",
                                        " 1",
                                        "1.0",
                                        "1e3",
                                        "0x1",
                                        "-01",
                                        "9223372036854775808",
                                        "-9223372036854775809",
                                        "12345678901234567890",
                                        "a"};
    const sg_hash_key key = sg_hash_key_draw();
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        sg_id id;
        sg_id_parse(&id, &key, integers[i], strlen(integers[i]));
        assert_int_equal(id.length, 0);
        assert_true(id.value.integer == strtoll(integers[i], NULL, 10));
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        sg_id id;
        sg_id_parse(&id, &key, texts[i], strlen(texts[i]));
        assert_int_equal(id.length, strlen(texts[i]));
    }
}

/* Ids that come in the wrong order for the dense part: first far out, then near, then in between. */
static void growing_dense(void **state)
{
    (void)state;
    enum { COUNT = 200000 };
    sg_ids ids;
    sg_ids_init(&ids, 1);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < COUNT; i++) {
            int64_t value = i < COUNT / 4 ? (int64_t)i * 7 + 5 : (int64_t)(COUNT - i);
            if (i < COUNT / 4 && value <= 3 * COUNT / 4) value += 10 * COUNT; /* never twice */
            const sg_id id = sg_id_integer(&ids.key, value);
            uint32_t node;
            assert_int_equal(sg_ids_node(&ids, &id, 0, &node, NULL), SCADYG_OK);
            assert_int_equal(node, i);
        }
    assert_int_equal(ids.count, COUNT);
    /* At most what the table promises: 43 bytes of slots or 32 of dense values, and 13 of the id itself. */
    assert_in_range(sg_ids_bytes(&ids), 8 * COUNT, 100 * COUNT);
    sg_ids_free(&ids);
}

/*
 * Ids that somebody has chosen must not pile up in the table. How long the longest run of slots in use is tells how long a
 * search can take; by chance it has some hundred slots, and of ids that are made for one hash it would have them all.
 */
static size_t longest_run(const sg_id_table *table)
{
    size_t run = 0, longest = 0;
    for (size_t i = 0; i < 2 * table->capacity && run < table->capacity; i++) {
        run = table->slots[i % table->capacity].hash ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

enum { CHOSEN = 100000, LONG_RUN = 2000 };

/* In even steps; or those that a product with the golden ratio, which has an inverse, takes to a few values. */
static int64_t choose_integer(int pattern, uint32_t i)
{
    if (pattern < 64) return (int64_t)((uint64_t)(i + 1) << pattern % 46) ^ INT64_MIN;
    return (int64_t)((uint64_t)(i + 1) * 0xF1DE83E19937733Du << (pattern - 64));
}

static void chosen_integers(void **state)
{
    (void)state;
    static const int patterns[] = {0, 1, 8, 16, 20, 32, 40, 45, 64, 72, 80, 96, 108};
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
        sg_ids ids;
        sg_ids_init(&ids, 1);
        for (uint32_t i = 0; i < CHOSEN; i++) {
            const sg_id id = sg_id_integer(&ids.key, choose_integer(patterns[p], i));
            uint32_t node;
            assert_int_equal(sg_ids_node(&ids, &id, 0, &node, NULL), SCADYG_OK);
            if (i % 1000 == 999) assert_true(longest_run(&ids.integers[0]) < LONG_RUN);
        }
        sg_ids_free(&ids);
    }
}

/* Texts for which a chain of sg_hash64 without a key has one value in its lower half: its last step undone. */
static uint64_t undo_hash64(uint64_t x)
{
    x = (x ^ x >> 31 ^ x >> 62) * 0x319642B2D24D8EC3u;
    x = (x ^ x >> 27 ^ x >> 54) * 0x96DE1B173F119089u;
    return (x ^ x >> 30 ^ x >> 60) - 0x9E3779B97F4A7C15u;
}

static void chosen_texts(void **state)
{
    (void)state;
    assert_true(sg_hash64(undo_hash64(12345)) == 12345);
    sg_ids ids;
    sg_ids_init(&ids, 1);
    for (uint32_t i = 0; i < CHOSEN; i++) {
        const uint64_t first = undo_hash64(undo_hash64((uint64_t)i << 32)) ^ 8;
        char text[8];
        memcpy(text, &first, 8);
        sg_id id = {.value.text = text, .length = 8, .hash = (uint32_t)sg_hash_text(&ids.key, text, 8) | 1u};
        uint32_t node;
        assert_int_equal(sg_ids_node(&ids, &id, 0, &node, NULL), SCADYG_OK);
        if (i % 1000 == 999) assert_true(longest_run(&ids.texts[0]) < LONG_RUN);
    }
    assert_int_equal(ids.count, CHOSEN);
    sg_ids_free(&ids);
}

static void long_texts(void **state)
{
    (void)state;
    sg_ids ids;
    sg_ids_init(&ids, 1);
    char *name = malloc(SG_ID_LONGEST);
    assert_non_null(name);
    memset(name, 'x', SG_ID_LONGEST);
    static const size_t lengths[] = {1, 7, 8, 9, 15, 16, 17, 255, 256, 65534, 65535};
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            sg_id id;
            uint32_t node;
            sg_id_parse(&id, &ids.key, name, lengths[i]);
            assert_int_equal(sg_ids_node(&ids, &id, 0, &node, NULL), SCADYG_OK);
            assert_int_equal(node, i);
            size_t length;
            char buffer[24];
            const char *text = sg_ids_text(&ids, node, buffer, &length);
            assert_int_equal(length, lengths[i]);
            assert_memory_equal(text, name, length);
        }
    free(name);
    sg_ids_free(&ids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_ids),      cmocka_unit_test(what_is_an_integer), cmocka_unit_test(growing_dense),
        cmocka_unit_test(chosen_integers), cmocka_unit_test(chosen_texts),       cmocka_unit_test(long_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
