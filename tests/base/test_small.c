/* The small parts of the base room: memory, threads, random numbers. */
#include "cmocka_all.h"

#include "base/workers.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"

#include <math.h>
#include <stdatomic.h>
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

static void count_one(void *context, size_t index)
{
    atomic_fetch_add((atomic_int *)context + index, 1);
}

static void each_piece_once(void **state)
{
    (void)state;
    static atomic_int counts[1000];
    for (int threads = 1; threads <= 8; threads++)
        for (size_t count = 0; count <= 1000; count = count * 3 + 1) {
            memset(counts, 0, sizeof counts);
            sg_parallel_for(threads, count, count_one, counts);
            for (size_t i = 0; i < 1000; i++) assert_int_equal(counts[i], i < count);
        }
    assert_true(sg_threads(0) >= 1);
    assert_int_equal(sg_threads(3), 3);
    assert_true(sg_threads(1LL << 40) <= 1024);
    assert_true(sg_threads(-5) >= 1);
}

typedef struct crew_count {
    atomic_int counts[1000];
} crew_count;

static atomic_int crew_workers[8], crew_clashes; /* of all jobs there are at a time */

static void count_with_crew(void *context, size_t worker, size_t index)
{
    crew_count *c = context;
    if (atomic_fetch_add(&crew_workers[worker], 1)) atomic_fetch_add(&crew_clashes, 1);
    atomic_fetch_add(&c->counts[index], 1);
    for (volatile int i = 0; i < 2000 && index % 8 == 0;) i++; /* long enough to meet others */
    atomic_fetch_sub(&crew_workers[worker], 1);
}

/* Many jobs, close after each other: none is missed, done twice, or seen by a hand that comes late. */
static void crew_does_each_once(void **state)
{
    (void)state;
    static crew_count c;
    for (int threads = 0; threads <= 8; threads++) {
        sg_workers *workers = sg_workers_open(threads);
        assert_non_null(workers);
        for (size_t job = 0; job < 200; job++) {
            const size_t count = job * 7 % 20 * (job % 50 ? 1 : 50);
            memset(&c, 0, sizeof c);
            sg_workers_run(workers, count, count_with_crew, &c);
            for (size_t i = 0; i < 1000; i++) assert_int_equal(c.counts[i], i < count);
            assert_int_equal(crew_clashes, 0); /* no two with the same number at a time */
        }
        sg_workers_close(workers);
    }
    sg_workers_close(NULL);
}

/* A long job beside many short ones. */
static void crew_goes_on_beside(void **state)
{
    (void)state;
    static crew_count c, beside;
    for (int threads = 1; threads <= 4; threads++) {
        sg_workers *workers = sg_workers_open(threads);
        assert_non_null(workers);
        assert_int_equal(sg_workers_threads(workers), threads);
        for (size_t job = 0; job < 50; job++) {
            memset(&beside, 0, sizeof beside);
            sg_workers_start(workers, job * 20, count_with_crew, &beside);
            for (size_t i = 0; i < job % 7; i++) {
                memset(&c, 0, sizeof c);
                sg_workers_run(workers, 10 * i, count_with_crew, &c);
                for (size_t k = 0; k < 100; k++) assert_int_equal(c.counts[k], k < 10 * i);
            }
            sg_workers_finish(workers);
            for (size_t k = 0; k < 1000; k++) assert_int_equal(beside.counts[k], k < job * 20);
            assert_int_equal(crew_clashes, 0);
        }
        sg_workers_close(workers);
    }
}

/* The published first outputs of splitmix64 from seed 0: sg_hash64 is one step of it. */
static void mix_is_splitmix64(void **state)
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
        cmocka_unit_test(each_piece_once),
        cmocka_unit_test(crew_does_each_once),
        cmocka_unit_test(crew_goes_on_beside),
        cmocka_unit_test(mix_is_splitmix64),
        cmocka_unit_test(random_numbers_are_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
