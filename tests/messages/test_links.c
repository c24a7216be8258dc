/* Who comes before whom: lists against their slow twin while they grow and when they are full, and within their memory. */
#include "cmocka_all.h"

#include "base/rng.h"
#include "evaluate/rounds.h"
#include "messages/links_twin.h"

#include <stdlib.h>
#include <string.h>

enum { NODES = 300, CHUNK_BYTES = 4096 * sizeof(sg_link_bucket) };

static twin_links twin[NODES];
static sg_link_place place[NODES];

static void compare(const sg_links *links)
{
    for (uint32_t node = 0; node < NODES; node++)
        for (uint32_t other = 0; other < NODES; other++)
            assert_true(sg_links_find(links, place[node], other) == twin_linked(&twin[node], other));
}

/* Weights are sums of eighths, which are exact. Few nodes have most of the additions. */
static void add_many(sg_links *links, size_t count, uint64_t seed)
{
    sg_rng rng;
    sg_rng_seed(&rng, seed, 6);
    for (size_t i = 0; i < count; i++) {
        const uint32_t node = (uint32_t)sg_rng_below(&rng, i % 3 ? NODES : 4),
                       other = (uint32_t)sg_rng_below(&rng, i % 5 ? NODES : 12);
        const float weight = (float)(1 + sg_rng_below(&rng, 8)) / 8;
        if (node == other) continue;
        if (i % 7 == 0) sg_links_prefetch(links, place[node]);
        assert_int_equal(sg_links_add(links, &place[node], other, weight, NULL), SCADYG_OK);
        twin_link(&twin[node], other, weight);
        if (i % (count / 4 + 1) == 0) compare(links);
    }
    compare(links);
}

/* Several at once, of which one is passed over. */
static void add_several(sg_links *links, size_t count, uint64_t seed)
{
    enum { SEVERAL = 16 };
    sg_rng rng;
    sg_rng_seed(&rng, seed, 7);
    for (size_t i = 0; i < count; i++) {
        const uint32_t node = (uint32_t)sg_rng_below(&rng, i % 3 ? NODES : 4),
                       skip = (uint32_t)sg_rng_below(&rng, NODES);
        const size_t several = (size_t)sg_rng_below(&rng, SEVERAL + 1);
        uint32_t others[SEVERAL];
        float weights[SEVERAL];
        for (size_t k = 0; k < several; k++) {
            others[k] = (uint32_t)sg_rng_below(&rng, NODES);
            weights[k] = (float)(1 + sg_rng_below(&rng, 8)) / 8;
            if (others[k] != skip) twin_link(&twin[node], others[k], weights[k]);
        }
        sg_links_fetch(links, place[node], others, several);
        assert_int_equal(sg_links_add_all(links, &place[node], others, weights, several, skip, NULL), SCADYG_OK);
    }
    compare(links);
}

static void is_as_its_twin(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < rounds(6); seed++) {
        sg_links *links;
        assert_int_equal(sg_links_open(UINT64_MAX, &links, NULL), SCADYG_OK);
        for (int again = 0; again < 2; again++) { /* the second time in lists that were cleared */
            memset(twin, 0, sizeof twin);
            memset(place, 0, sizeof place);
            add_many(links, seed % 2 ? 400 : 30000, seed + 100 * (uint64_t)again);
            add_several(links, seed % 2 ? 40 : 3000, seed + 100 * (uint64_t)again);
            sg_links_clear(links);
        }
        sg_links_close(links);
    }
    sg_links_close(NULL);
}

/* So many nodes that lists do not all get the length they would have: no more memory than was granted, and no failure. */
static void is_bounded(void **state)
{
    (void)state;
    enum { MANY = 40000 };
    static sg_link_place list[MANY];
    for (uint64_t chunks = 0; chunks < 12; chunks += 3) {
        sg_links *links;
        memset(list, 0, sizeof list);
        assert_int_equal(sg_links_open(chunks * CHUNK_BYTES, &links, NULL), SCADYG_OK);
        for (uint32_t i = 0; i < 400000; i++) {
            const uint32_t node = (uint32_t)sg_hash64(i) % MANY;
            assert_int_equal(sg_links_add(links, &list[node], (node + 1 + i % 30) % MANY, 1, NULL), SCADYG_OK);
        }
        assert_int_equal(sg_links_bytes(links), (chunks > 4 ? chunks : 4) * CHUNK_BYTES);
        sg_links_close(links);
    }
}

/* What a plan counts with: lists that may take so much lose nothing for want of memory. */
static void plans(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < rounds(3); seed++) {
        const size_t count = 200 + 20000 * seed;
        const uint64_t bytes = sg_links_bytes_for(NODES, count);
        sg_links *links;
        memset(twin, 0, sizeof twin);
        memset(place, 0, sizeof place);
        assert_int_equal(sg_links_open(bytes, &links, NULL), SCADYG_OK);
        add_many(links, count, seed);
        assert_true(sg_links_bytes(links) <= bytes);
        sg_links_close(links);
    }
    assert_true(sg_links_bytes_for(UINT64_MAX, UINT64_MAX) > sg_links_bytes_for(1000, 1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_as_its_twin), cmocka_unit_test(is_bounded),
                                       cmocka_unit_test(plans)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
