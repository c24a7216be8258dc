/* Every allocation of a pair store is made to fail: an error, and then it goes on as if nothing had been. */
#include "cmocka_all.h"

#include "base/rng.h"
#include "messages/pairs/pair_store.h"
#include "robust/faults.h"

#include <string.h>

enum { ADDS = 80000, ROOM = 70000 }; /* two chunks, several tables, and forgetting */

static const sg_rates rates = {{1, 0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 0}};

static int add(sg_pair_store *store, uint64_t i, scadyg_error *error)
{
    return sg_pair_store_add(store, (uint32_t)sg_hash64(i % 75000), (uint32_t)i % 75000, (double)(i / 3),
                             (float)(i % 5), (uint32_t)i, 0, error);
}

static void must_be_out_of_memory(int status, const scadyg_error *error)
{
    assert_int_equal(status, SCADYG_E_MEMORY);
    assert_int_equal(error->status, status);
    assert_true(error->message[0]);
}

/* With the n-th allocation failing; returns how many did. */
static long fill(sg_pair_store **store, int weighted, long n)
{
    scadyg_error error;
    const uint64_t most = sg_pair_store_bytes_for(ROOM, weighted);
    faults_arm(FAULTS_MEMORY, n, 0);
    int status = sg_pair_store_open(&rates, weighted, most, store, &error);
    if (status) {
        must_be_out_of_memory(status, &error);
        assert_null(*store);
        assert_int_equal(sg_pair_store_open(&rates, weighted, most, store, &error), SCADYG_OK);
    }
    for (uint64_t i = 0; i < ADDS; i++) {
        const uint64_t count = sg_pair_store_count(*store), bytes = sg_pair_store_bytes(*store);
        if (!(status = add(*store, i, &error))) continue;
        must_be_out_of_memory(status, &error);
        assert_int_equal(sg_pair_store_count(*store), count);
        assert_true(sg_pair_store_bytes(*store) >= bytes); /* it may have got half of what it wanted */
        assert_int_equal(add(*store, i, &error), SCADYG_OK);
    }
    return faults_disarm();
}

static void must_be_equal(const sg_pair_store *a, const sg_pair_store *b, int weighted)
{
    assert_int_equal(sg_pair_store_count(a), sg_pair_store_count(b));
    assert_int_equal(sg_pair_store_forgotten(a), sg_pair_store_forgotten(b));
    assert_int_equal(sg_pair_store_bytes(a), sg_pair_store_bytes(b));
    for (uint64_t i = 0; i < 75000; i++) {
        const uint32_t src = (uint32_t)sg_hash64(i), dst = (uint32_t)i;
        sg_pair_message x, y;
        const int met = sg_pair_store_find(a, src, dst, &x);
        assert_int_equal(sg_pair_store_find(b, src, dst, &y), met);
        if (!met) continue;
        assert_memory_equal(x.tally, y.tally, sizeof *x.tally);
        if (weighted) assert_memory_equal(x.weight, y.weight, SG_RATES * sizeof *x.weight);
    }
}

static void everywhere(void **state)
{
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++) {
        sg_pair_store *right, *store;
        long n = 1;
        assert_int_equal(fill(&right, weighted, 0), 0);
        assert_true(sg_pair_store_forgotten(right) > 0);
        for (int failed = 1; failed; n++) {
            failed = fill(&store, weighted, n) > 0;
            must_be_equal(store, right, weighted);
            sg_pair_store_close(store);
        }
        assert_true(n > 8);
        sg_pair_store_close(right);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(everywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
