/* What came up together: the table against a square of numbers, while it grows and when it is full. */
#include "cmocka_all.h"

#include "base/rng.h"
#include "evaluate/rounds.h"
#include "messages/pairs/weight_table.h"

#include <stdlib.h>
#include <string.h>

enum { NODES = 400 };

/* The number of a pair is that of its smaller node first. */
typedef struct square {
    float weight[NODES][NODES];
    unsigned char there[NODES][NODES];
    uint64_t count, slots, limit;
} square;

/* All numbers by halves; those then below the bound are gone. */
static void halve_square(square *s, float least)
{
    for (size_t a = 0; a < NODES; a++)
        for (size_t b = a + 1; b < NODES; b++) {
            if (!s->there[a][b]) continue;
            s->weight[a][b] *= 0.5f;
            if (s->weight[a][b] >= least) continue;
            s->weight[a][b] = 0;
            s->there[a][b] = 0;
            s->count--;
        }
}

static void add_to_square(square *s, uint32_t x, uint32_t y, float weight)
{
    const uint32_t a = x < y ? x : y, b = x < y ? y : x;
    if (!s->there[a][b]) {
        if (2 * (s->count + 1) > s->slots && s->slots < s->limit)
            s->slots *= 2;
        else if (2 * (s->count + 1) > s->slots)
            for (float least = 0.05f; s->count > s->slots / 2 / 4 * 3; least *= 2) halve_square(s, least);
        s->there[a][b] = 1;
        s->count++;
    }
    s->weight[a][b] += weight;
}

static void compare(const square *s, const sg_weight_table *table)
{
    uint64_t taken = 0;
    assert_int_equal(table->count, s->count);
    for (uint32_t a = 0; a < NODES; a++) {
        assert_true(sg_weight_table_find(table, a, a) == 0);
        for (uint32_t b = a + 1; b < NODES; b++) {
            assert_true(sg_weight_table_find(table, a, b) == s->weight[a][b]);
            assert_true(sg_weight_table_find(table, b, a) == s->weight[a][b]);
        }
    }
    for (uint64_t i = 0; i <= table->mask; i++) taken += table->slots[i].low != table->slots[i].high;
    assert_int_equal(taken, s->count); /* none twice, none left over */
}

/* Tables draw their hash keys at random, so agreeing with the square they agree with each other. */
static void fill(uint64_t bytes, uint64_t limit, size_t adds, uint64_t seed, int small)
{
    static square s;
    sg_weight_table *table;
    sg_rng rng;
    sg_rng_seed(&rng, seed, 4);
    assert_int_equal(sg_weight_table_open(bytes, &table, NULL), SCADYG_OK);
    for (int again = 0; again < 2; again++) { /* the second time in one that was cleared */
        memset(&s, 0, sizeof s);
        s.slots = table->mask + 1;
        s.limit = limit;
        compare(&s, table);
        for (size_t i = 0; i < adds; i++) {
            const uint32_t a = (uint32_t)sg_rng_below(&rng, NODES),
                           b = (uint32_t)sg_rng_below(&rng, i % 3 ? NODES : 9);
            const float weight = small ? 0.01f : 1 / (float)(1 + sg_rng_below(&rng, 8));
            if (a == b) continue;
            if (i % 7 == 0) sg_weight_table_prefetch(table, a, b);
            assert_int_equal(sg_weight_table_add(table, a, b, weight, NULL), SCADYG_OK);
            add_to_square(&s, a, b, weight);
            if (i % (adds / 5) == 0) compare(&s, table);
        }
        compare(&s, table);
        assert_int_equal(sg_weight_table_bytes(table), s.slots * sizeof(sg_weight_slot));
        assert_true(s.slots <= limit && 2 * s.count <= s.slots);
        sg_weight_table_clear(table);
    }
    sg_weight_table_close(table);
}

static void grows(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < rounds(4); seed++) fill(UINT64_MAX, UINT64_MAX / 64, 60000, seed, 0);
}

static void is_bounded(void **state)
{
    (void)state;
    const uint64_t slot = sizeof(sg_weight_slot);
    for (uint64_t seed = 0; seed < rounds(4); seed++) {
        fill(0, 4096, 30000, seed, 0);
        fill(3 * 4096 * slot - 1, 4096, 30000, seed, 1); /* so little that everything is forgotten at once */
        fill(3 * 4096 * slot, 8192, 30000, seed, 0);     /* old and new slots side by side, to the byte */
        fill(3 * 8192 * slot, 16384, 60000, seed, 0);
    }
}

/* What a plan counts with: no table takes more, and one that may take so much forgets none of so many. */
static void plans(void **state)
{
    (void)state;
    uint64_t before = 0;
    for (uint64_t pairs = 0; pairs < 40000; pairs += 1 + pairs / 50) {
        const uint64_t bytes = sg_weight_table_bytes_for(pairs);
        sg_weight_table *table;
        assert_true(bytes >= before);
        before = bytes;
        if (pairs % 3) continue;
        assert_int_equal(sg_weight_table_open(bytes, &table, NULL), SCADYG_OK);
        for (uint32_t i = 0; i < pairs; i++)
            assert_int_equal(sg_weight_table_add(table, i, i + 1, 1e-3f, NULL), SCADYG_OK);
        assert_int_equal(table->count, pairs);
        assert_true(sg_weight_table_bytes(table) <= bytes);
        sg_weight_table_close(table);
    }
    assert_true(sg_weight_table_bytes_for(UINT64_MAX) >= before);
    sg_weight_table_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(grows), cmocka_unit_test(is_bounded),
                                       cmocka_unit_test(plans)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
