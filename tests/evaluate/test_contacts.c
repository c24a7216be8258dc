/* First contacts, against a search through the bare list of events. */
#include "cmocka_all.h"

#include "base/rng.h"
#include "evaluate/negatives.h"

#include <stdlib.h>

enum { MOST = 4000 };

/* The first event of a pair; `events` if it never meets. */
static uint64_t first_of(const sg_columns *columns, uint32_t src, uint32_t dst)
{
    uint64_t e = 0;
    while (e < columns->count && (columns->src[e] != src || columns->dst[e] != dst)) e++;
    return e;
}

static void check_order(const sg_first_contacts *contacts, const sg_columns *columns)
{
    size_t pairs = 0;
    for (uint64_t e = 0; e < columns->count; e++) {
        assert_int_equal(sg_first_contacts_before(contacts, e), pairs);
        if (first_of(columns, columns->src[e], columns->dst[e]) != e) continue;
        assert_int_equal(sg_first_contacts_event(contacts, pairs), e);
        pairs++;
    }
    assert_int_equal(contacts->pairs, pairs);
    assert_int_equal(sg_first_contacts_before(contacts, columns->count), pairs);
}

static void check_rows(const sg_first_contacts *contacts, const sg_columns *columns, uint32_t nodes)
{
    size_t found = 0;
    for (uint32_t src = 0; src < nodes; src++)
        for (uint32_t dst = 0; dst < nodes; dst++) {
            const size_t place = sg_first_contacts_find(contacts, src, dst);
            const uint64_t first = first_of(columns, src, dst);
            if (first == columns->count) {
                assert_true(place == SIZE_MAX);
                continue;
            }
            assert_true(place >= contacts->row[src] && place < contacts->row[src + 1]);
            assert_int_equal(contacts->partner[place], dst);
            assert_int_equal(sg_first_contacts_event(contacts, contacts->number[place]), first);
            if (place > contacts->row[src]) assert_true(contacts->number[place - 1] < contacts->number[place]);
            found++;
        }
    assert_int_equal(found, contacts->pairs);
    assert_int_equal(contacts->row[nodes], contacts->pairs);
}

/* Rows of one pair and of all, also where the events end with a word or with a block of them, or there are none. */
static void as_in_the_list(void **state)
{
    (void)state;
    static const uint64_t counts[] = {0, 1, 63, 64, 65, 511, 512, 513, 1024, MOST};
    static uint32_t src[MOST], dst[MOST];
    sg_rng rng;
    sg_rng_seed(&rng, 1, 2);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (uint32_t nodes = 1; nodes <= 81; nodes *= 3) {
            for (size_t e = 0; e < MOST; e++) {
                src[e] = (uint32_t)(sg_rng_below(&rng, nodes) * sg_rng_below(&rng, nodes) / nodes);
                dst[e] = (uint32_t)sg_rng_below(&rng, nodes);
            }
            const sg_columns columns = {.count = counts[i], .src = src, .dst = dst};
            sg_first_contacts contacts;
            assert_int_equal(sg_first_contacts_make(&contacts, &columns, nodes, NULL), 0);
            check_order(&contacts, &columns);
            check_rows(&contacts, &columns, nodes);
            sg_first_contacts_free(&contacts);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_in_the_list)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
