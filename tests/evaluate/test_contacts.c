/* First contacts, against a search through the bare list of events. */
#include "cmocka_all.h"

#include "base/rng.h"
#include "evaluate/negatives.h"

#include <math.h>
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
        if (!sg_first_contacts_keeps(contacts, columns->src[e])) continue;
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
            if (first == columns->count || !sg_first_contacts_keeps(contacts, src)) {
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
            for (uint64_t one_in = 0; one_in <= 4; one_in += 2) { /* 0: all sources */
                sg_first_contacts contacts = {.one_in = one_in};
                assert_int_equal(sg_first_contacts_make(&contacts, &columns, nodes, NULL), 0);
                check_order(&contacts, &columns);
                check_rows(&contacts, &columns, nodes);
                sg_first_contacts_free(&contacts);
                assert_int_equal(contacts.one_in, one_in);
            }
        }
}

/* One source in so many is kept, about; and so many are left out that what is planned for fits. */
static void some_sources(void **state)
{
    (void)state;
    for (uint64_t one_in = 1; one_in <= 64; one_in *= 2) {
        const sg_first_contacts contacts = {.one_in = one_in};
        double kept = 0;
        for (uint32_t src = 0; src < 100000; src++) kept += sg_first_contacts_keeps(&contacts, src);
        assert_true(fabs(kept * (double)one_in / 100000 - 1) < (one_in > 1 ? 0.15 : 1e-9));
    }
    const uint64_t events = 1000000000, pairs = 500000000, nodes = 10000000,
                   all = sg_first_contacts_bytes(events, pairs, nodes, 1);
    assert_int_equal(sg_first_contacts_fit(events, pairs, nodes, all), 1);
    assert_int_equal(sg_first_contacts_fit(1000000, 500000, 10000, 0), 1); /* of a small log all */
    for (uint64_t bytes = all - 1; bytes > all / 8; bytes -= all / 20) {
        const uint64_t one_in = sg_first_contacts_fit(events, pairs, nodes, bytes);
        assert_true(one_in > 1 && sg_first_contacts_bytes(events, pairs, nodes, one_in) <= bytes);
        assert_true(sg_first_contacts_bytes(events, pairs, nodes, one_in / 2) > bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_in_the_list), cmocka_unit_test(some_sources)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
