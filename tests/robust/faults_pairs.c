/* Every allocation of a pair store, of what came up together and of vectors is made to fail: an error, and then they go on as
 * if nothing had been. */
#include "cmocka_all.h"

#include "base/rng.h"
#include "messages/pairs/ledger.h"
#include "messages/pairs/pair_store.h"
#include "messages/pairs/vectors.h"
#include "messages/pairs/links.h"
#include "messages/pairs/successors.h"
#include "robust/faults.h"

#include <string.h>

enum { ADDS = 80000, ROOM = 70000 }; /* two chunks, several tables, and forgetting */

static const sg_rates rates = {{1, 0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 0}};

static int add(sg_pair_store *store, uint64_t i, scadyg_error *error)
{
    const sg_pair_event event = {(float)(i % 5), {(uint32_t)i, 0}};
    return sg_pair_store_add(store, (uint32_t)sg_hash64(i % 75000), (uint32_t)i % 75000, (double)(i / 3), &event,
                             NULL, error);
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

/* ---- Who comes before whom ---- */

enum { LINK_NODES = 3000, LINK_ADDS = 60000, LINK_BYTES = 3 << 20 }; /* grows in chunks, then is full */

typedef struct linked {
    sg_links *links;
    sg_link_place place[LINK_NODES];
} linked;

static int add_link(linked *all, uint32_t i, scadyg_error *error)
{
    const uint32_t node = (uint32_t)sg_hash64(i) % LINK_NODES;
    return sg_links_add(all->links, &all->place[node], (node + 1 + i % 50) % LINK_NODES, 0.25f, error);
}

static long fill_links(linked *all, long n)
{
    scadyg_error error;
    *all = (linked){0};
    faults_arm(FAULTS_MEMORY, n, 0);
    int status = sg_links_open(LINK_BYTES, &all->links, &error);
    if (status) {
        must_be_out_of_memory(status, &error);
        assert_null(all->links);
        assert_int_equal(sg_links_open(LINK_BYTES, &all->links, &error), SCADYG_OK);
    }
    for (uint32_t i = 0; i < LINK_ADDS; i++) {
        if (!(status = add_link(all, i, &error))) continue;
        must_be_out_of_memory(status, &error);
        assert_int_equal(add_link(all, i, &error), SCADYG_OK);
    }
    return faults_disarm();
}

static void together(void **state)
{
    (void)state;
    static linked right, other;
    long n = 1;
    assert_int_equal(fill_links(&right, 0), 0);
    for (int failed = 1; failed; n++) {
        failed = fill_links(&other, n) > 0;
        for (uint32_t i = 0; i < 50 * LINK_NODES; i++)
            assert_true(sg_links_find(other.links, other.place[i / 50], (i / 50 + 1 + i % 50) % LINK_NODES) ==
                        sg_links_find(right.links, right.place[i / 50], (i / 50 + 1 + i % 50) % LINK_NODES));
        sg_links_close(other.links);
    }
    assert_true(n > 5);
    sg_links_close(right.links);
}

/* ---- What comes after two ---- */

enum { AFTER_ADDS = 30000, AFTER_BYTES = 1 << 21 }; /* grows, then halves */

static long fill_after(sg_successors **after, long n)
{
    scadyg_error error;
    faults_arm(FAULTS_MEMORY, n, 0);
    int status = sg_successors_open(AFTER_BYTES, after, &error);
    if (status) {
        must_be_out_of_memory(status, &error);
        assert_null(*after);
        assert_int_equal(sg_successors_open(AFTER_BYTES, after, &error), SCADYG_OK);
    }
    for (uint32_t i = 0; i < AFTER_ADDS; i++) {
        const uint64_t used = (*after)->used, bytes = sg_successors_bytes(*after);
        if (!(status = sg_successors_add(*after, i % 20000, i % 7, i % 11, &error))) continue;
        must_be_out_of_memory(status, &error);
        assert_true((*after)->used == used && sg_successors_bytes(*after) == bytes);
        assert_int_equal(sg_successors_add(*after, i % 20000, i % 7, i % 11, &error), SCADYG_OK);
    }
    return faults_disarm();
}

static void after_two(void **state)
{
    (void)state;
    sg_successors *right, *after;
    long n = 1;
    assert_int_equal(fill_after(&right, 0), 0);
    for (int failed = 1; failed; n++) {
        failed = fill_after(&after, n) > 0;
        assert_true(after->used == right->used);
        for (uint32_t i = 0; i < AFTER_ADDS; i++)
            assert_true(sg_successors_count(sg_successors_line(after, i % 20000, i % 7), i % 11) ==
                        sg_successors_count(sg_successors_line(right, i % 20000, i % 7), i % 11));
        sg_successors_close(after);
    }
    assert_true(n > 3);
    sg_successors_close(right);
}

/* ---- Vectors of destinations: after a failure only rewinding may follow ---- */

enum { EVENTS = 300, NODES = 100, MOST = 60 };

typedef struct small_log {
    uint32_t src[EVENTS], dst[EVENTS];
    double time[EVENTS];
    uint64_t keys[NODES];
    sg_columns columns;
} small_log;

static long learn_vectors(const small_log *log, sg_vectors **vectors, long n)
{
    scadyg_error error;
    faults_arm(FAULTS_MEMORY, n, 0);
    int status = sg_vectors_open(&log->columns, log->keys, NODES, MOST, vectors, &error);
    if (status) {
        must_be_out_of_memory(status, &error);
        assert_null(*vectors);
        assert_int_equal(sg_vectors_open(&log->columns, log->keys, NODES, MOST, vectors, &error), SCADYG_OK);
    }
    status = sg_vectors_add(*vectors, 0, EVENTS, &error);
    if (status) {
        must_be_out_of_memory(status, &error);
        sg_vectors_rewind(*vectors);
        assert_int_equal(sg_vectors_add(*vectors, 0, EVENTS, &error), SCADYG_OK);
    }
    return faults_disarm();
}

static void vectors(void **state)
{
    (void)state;
    static small_log log;
    sg_vectors *right, *other;
    long n = 1;
    for (size_t i = 0; i < EVENTS; i++) {
        log.src[i] = (uint32_t)(sg_hash64(i) % 20);
        log.dst[i] = (uint32_t)(sg_hash64(i + 1000) % NODES);
        log.time[i] = (double)(i / 2);
    }
    for (size_t i = 0; i < NODES; i++) log.keys[i] = sg_hash64(i);
    log.columns = (sg_columns){.count = EVENTS, .src = log.src, .dst = log.dst, .time = log.time};
    assert_int_equal(learn_vectors(&log, &right, 0), 0);
    for (int failed = 1; failed; n++) {
        failed = learn_vectors(&log, &other, n) > 0;
        for (uint32_t pair = 0; pair < 20 * NODES; pair++) {
            float x[SG_VECTOR_NUMBERS], y[SG_VECTOR_NUMBERS];
            sg_vector_query one = {.source = UINT32_MAX}, two = one;
            sg_vectors_read(right, pair / NODES, pair % NODES, &one, x);
            sg_vectors_read(other, pair / NODES, pair % NODES, &two, y);
            assert_memory_equal(x, y, sizeof x);
        }
        sg_vectors_close(other);
    }
    assert_true(n > 6);
    sg_vectors_close(right);
}

/* ---- Arrays of nodes, which grow one after the other from a few bytes to pages of their own ---- */

static void more_nodes(void **state)
{
    (void)state;
    enum { FEW = 50, MANY = 3000 };
    static uint64_t keys[MANY];
    const sg_columns none = {0};
    sg_ledger_options options = {.plan = {.rates = rates, .pair_bytes = 1u << 20}};
    long n = 1;
    for (int failed = 1; failed; n++) {
        sg_ledger *ledger;
        scadyg_error error;
        assert_int_equal(sg_ledger_open(NULL, &options, &none, keys, FEW, &ledger, &error), SCADYG_OK);
        faults_arm(FAULTS_MEMORY | FAULTS_READ, n, 0);
        const int status = sg_ledger_grow(ledger, keys, MANY, &error);
        failed = faults_disarm() > 0;
        if (status) must_be_out_of_memory(status, &error);
        if (status && n % 2) assert_int_equal(sg_ledger_grow(ledger, keys, MANY, &error), SCADYG_OK);
        assert_true(!status || failed);
        sg_ledger_close(ledger);
    }
    assert_true(n > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(everywhere), cmocka_unit_test(together),
                                       cmocka_unit_test(after_two), cmocka_unit_test(vectors),
                                       cmocka_unit_test(more_nodes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
