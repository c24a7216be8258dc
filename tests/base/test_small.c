/* The small parts of the base room: memory, searching, nearest words, random numbers. */
#include "cmocka_all.h"

#include "base/memory.h"
#include "base/nearest.h"
#include "base/rng.h"
#include "base/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void sizes_are_checked(void **state)
{
    (void)state;
    /* Too large for the eyes of the compiler, which would warn. */
    volatile size_t half = SIZE_MAX / 2 + 1;
    assert_null(sg_alloc(half, 2));
    assert_null(sg_alloc_zero(half, 2));
    assert_null(sg_alloc_aligned(half, 2));
    assert_null(sg_alloc_aligned(half + (half - 2), 1));
    void *lazy = &state;
    assert_null(sg_alloc_lazy(half, 2, &lazy));
    assert_null(lazy);
    assert_null(sg_alloc_lazy(half + (half - 2), 1, &lazy));
    assert_null(sg_alloc_pages(half, 2));
    assert_null(sg_alloc_pages(half + (half - 2), 1));
    sg_free_pages(NULL, half, 1);
    void *empty = sg_alloc(0, 8);
    assert_non_null(empty);
    free(empty);
    empty = sg_alloc_aligned(0, 8);
    assert_non_null(empty);
    free(empty);
}

static void aligned_and_cleared(void **state)
{
    (void)state;
    for (size_t size = 1; size < ((size_t)5 << 20); size = size * 3 + 1) {
        unsigned char *block = sg_alloc_aligned(size, 1);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 64, 0);
        for (size_t i = 0; i < size; i++) assert_int_equal(block[i], 0);
        free(block);
        void *memory;
        block = sg_alloc_lazy(size, 1, &memory);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 64, 0);
        for (size_t i = 0; i < size; i++) assert_int_equal(block[i], 0);
        memset(block, 1, size); /* all of it is ours */
        free(memory);
        block = sg_alloc_pages(size, 1);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % (size < (size_t)2 << 20 ? 8 : (size_t)2 << 20), 0);
        memset(block, 1, size);
        sg_free_pages(block, size, 1);
    }
}

static void growing(void **state)
{
    (void)state;
    int *array = NULL;
    size_t capacity = 0;
    for (int i = 0; i < 10000; i++) {
        assert_int_equal(sg_grow(&array, &capacity, (size_t)i + 1, sizeof *array), 0);
        array[i] = i;
    }
    for (int i = 0; i < 10000; i++) assert_int_equal(array[i], i);
    int *before = array;
    size_t had = capacity;
    assert_int_equal(sg_grow(&array, &capacity, SIZE_MAX / 2, sizeof *array), -1);
    assert_ptr_equal(array, before);
    assert_int_equal(capacity, had);
    free(array);
}

/* ---- Searching and the nearest word ---- */

static int is_shorter(const void *data, size_t index)
{
    return strlen(((const char *const *)data)[index]) < 3;
}

static void searching(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 3, 1);
    double values[40];
    uint32_t small[40];
    for (int round = 0; round < 500; round++) {
        const size_t count = (size_t)sg_rng_below(&rng, 41);
        double at = 0;
        for (size_t i = 0; i < count; i++) {
            values[i] = at += (double)sg_rng_below(&rng, 3);
            small[i] = (uint32_t)at;
        }
        for (double x = -1; x <= at + 1; x += 0.5) {
            size_t first = 0, after = 0;
            while (first < count && values[first] < x) first++;
            while (after < count && values[after] <= x) after++;
            assert_int_equal(sg_first_double(values, count, x), first);
            assert_int_equal(sg_after_double(values, count, x), after);
            if (x >= 0 && x == floor(x)) assert_int_equal(sg_first_uint32(small, count, (uint32_t)x), first);
        }
    }
    static const char *const words[] = {"", "a", "to", "two", "three"};
    assert_int_equal(sg_first(5, is_shorter, words), 3);
    assert_int_equal(sg_first(3, is_shorter, words), 3);
    assert_int_equal(sg_first(0, is_shorter, words), 0);
}

static void nearest_words(void **state)
{
    (void)state;
    static const struct {
        int number;
        const char *name;
    } table[] = {{1, "threads"}, {2, "epochs"}, {3, "memory"}, {4, "step-rule"}};
    static const struct {
        const char *word, *meant;
    } cases[] = {{"thread", "threads"},     {"therads", "threads"}, {"me", "memory"}, {"eopchs", "epochs"},
                 {"steprule", "step-rule"}, {"xyz", NULL},          {"", NULL},       {"batch", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *found = sg_nearest(cases[i].word, &table[0].name, sizeof *table, 4);
        if (cases[i].meant)
            assert_string_equal(found, cases[i].meant);
        else
            assert_null(found);
    }
    char long_word[100];
    memset(long_word, 'a', sizeof long_word);
    long_word[sizeof long_word - 1] = 0;
    assert_null(sg_nearest(long_word, &table[0].name, sizeof *table, 4));
    assert_null(sg_nearest("threads", NULL, sizeof(char *), 0));
}

/* The published first outputs of splitmix64 from seed 0: sg_hash64 is one step of it. */
static void hash_is_splitmix64(void **state)
{
    (void)state;
    assert_true(sg_hash64(0) == 0xE220A8397B1DCDAFu);
    assert_true(sg_hash64(0x9E3779B97F4A7C15u) == 0x6E789E6AA1B965F4u);
}

static void random_numbers_are_even(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 1, 2);
    enum { DRAWS = 200000 };
    double sum = 0, squares = 0, normal_sum = 0, normal_squares = 0;
    int below[10] = {0};
    for (int i = 0; i < DRAWS; i++) {
        double u = sg_rng_unit(&rng), z = sg_rng_normal(&rng);
        assert_true(u >= 0 && u < 1);
        sum += u;
        squares += u * u;
        normal_sum += z;
        normal_squares += z * z;
        below[sg_rng_below(&rng, 10)]++;
    }
    /* Five standard deviations of each mean. */
    assert_true(fabs(sum / DRAWS - 0.5) < 5 * sqrt(1 / 12.0 / DRAWS));
    assert_true(fabs(squares / DRAWS - 1 / 3.0) < 5 * sqrt(4 / 45.0 / DRAWS));
    assert_true(fabs(normal_sum / DRAWS) < 5 * sqrt(1.0 / DRAWS));
    assert_true(fabs(normal_squares / DRAWS - 1) < 5 * sqrt(2.0 / DRAWS));
    for (int i = 0; i < 10; i++) assert_true(abs(below[i] - DRAWS / 10) < 5 * (int)sqrt(DRAWS * 0.09));
    sg_rng same, other;
    sg_rng_seed(&rng, 1, 2);
    sg_rng_seed(&same, 1, 2);
    sg_rng_seed(&other, 1, 3);
    uint64_t first = sg_rng_next(&rng);
    assert_true(first == sg_rng_next(&same));
    assert_true(first != sg_rng_next(&other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_checked),
        cmocka_unit_test(aligned_and_cleared),
        cmocka_unit_test(growing),
        cmocka_unit_test(searching),
        cmocka_unit_test(nearest_words),
        cmocka_unit_test(hash_is_splitmix64),
        cmocka_unit_test(random_numbers_are_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
