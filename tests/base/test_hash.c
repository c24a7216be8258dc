/* Hashes for tables: the right function, another key for each table, and no piles whatever the numbers. */
#include "cmocka_all.h"

#include "base/hash.h"
#include "base/pair_map.h"

#include <string.h>

/* The first value that the authors' program gives for SipHash-1-3, key 00 01 .. 0f, and what follows from the definition. */
static void is_siphash(void **state)
{
    (void)state;
    const sg_hash_key key = {0x0706050403020100u, 0x0F0E0D0C0B0A0908u, {0, 0}};
    assert_true(sg_hash_text(&key, "", 0) == 0xABAC0158050FC4DCu);
    /* Neither the length nor what stands behind the end is passed over. */
    assert_true(sg_hash_text(&key, "a", 1) != sg_hash_text(&key, "a\0", 2));
    assert_true(sg_hash_text(&key, "abcdefghX", 8) == sg_hash_text(&key, "abcdefghY", 8));
}

static void keys_differ(void **state)
{
    (void)state;
    const sg_hash_key one = sg_hash_key_draw(), other = sg_hash_key_draw();
    assert_true(memcmp(&one, &other, sizeof one) != 0);
    assert_true(sg_hash_number(&one, 7) != sg_hash_number(&other, 7));
    assert_true(sg_hash_text(&one, "seven", 5) != sg_hash_text(&other, "seven", 5));
}

static size_t longest_run(const sg_pair_map *map)
{
    size_t run = 0, longest = 0;
    for (uint64_t i = 0; i < 2 * (map->mask + 1) && run <= map->mask; i++) {
        run = map->slots[i & map->mask].key != SG_NO_PAIR ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

/* The inverse of sg_hash64: numbers that a hash without a key takes to one slot of a table. */
static uint64_t undo_hash64(uint64_t x)
{
    x = (x ^ x >> 31 ^ x >> 62) * 0x319642B2D24D8EC3u;
    x = (x ^ x >> 27 ^ x >> 54) * 0x96DE1B173F119089u;
    return (x ^ x >> 30 ^ x >> 60) - 0x9E3779B97F4A7C15u;
}

static uint64_t choose_pair(int pattern, uint64_t i)
{
    return pattern == 64 ? undo_hash64(i << 24) : (i + 1) << pattern;
}

static void no_piles(void **state)
{
    (void)state;
    static const int patterns[] = {0, 8, 16, 24, 32, 40, 44, 64};
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
        sg_pair_map map;
        assert_int_equal(sg_pair_map_open(&map), 0);
        for (uint64_t i = 0; i < 100000; i++) {
            int is_new;
            assert_non_null(sg_pair_map_put(&map, choose_pair(patterns[p], i), &is_new));
            assert_true(is_new);
        }
        assert_true(longest_run(&map) < 500); /* by chance some thirty */
        sg_pair_map_close(&map);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_siphash), cmocka_unit_test(keys_differ),
                                       cmocka_unit_test(no_piles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
