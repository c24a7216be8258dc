/* Drawing: only what is allowed, each as likely as the other, and an end also when a pool is exhausted. */
#include "cmocka_all.h"
#include "evaluate/rounds.h"

#include "evaluate/negatives.h"

#include <math.h>
#include <string.h>

enum { NODES = 60 };

typedef struct setting {
    sg_drawer drawer;
    sg_marks without;
    uint32_t node[NODES];
    sg_pool pool;
    size_t allowed;
} setting;

static void make(setting *s, sg_rng *rng)
{
    assert_int_equal(sg_drawer_open(&s->drawer, NODES, NODES, NULL), 0);
    assert_int_equal(sg_marks_open(&s->without, NODES, NULL), 0);
    s->allowed = 0;
    uint64_t count = 0, share = sg_rng_below(rng, 5);
    for (uint32_t i = 0; i < NODES; i++) {
        if (sg_rng_below(rng, 4) < share) sg_mark(&s->without, i);
        if (sg_rng_below(rng, 3)) s->node[count++] = i;
    }
    s->pool = (sg_pool){.node = s->node, .count = count};
    for (uint64_t i = 0; i < count; i++) s->allowed += !sg_marked(&s->without, s->node[i]);
}

static void end(setting *s)
{
    sg_drawer_close(&s->drawer);
    sg_marks_close(&s->without);
}

static int in_pool(const setting *s, uint32_t node)
{
    for (uint64_t i = 0; i < s->pool.count; i++)
        if (s->node[i] == node) return 1;
    return 0;
}

static void only_what_is_allowed(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < rounds(3000); round++) {
        setting s;
        sg_rng rng;
        uint32_t out[2 * NODES];
        int times[NODES] = {0};
        sg_rng_seed(&rng, 21, round);
        make(&s, &rng);
        const size_t count = 1 + (size_t)sg_rng_below(&rng, 2 * NODES);
        size_t drawn = sg_draw_again(&s.drawer, &rng, &s.pool, &s.without, count, out);
        assert_int_equal(drawn, s.allowed ? count : 0);
        for (size_t i = 0; i < drawn; i++) assert_true(in_pool(&s, out[i]) && !sg_marked(&s.without, out[i]));
        drawn = sg_draw_once(&s.drawer, &rng, &s.pool, &s.without, count, out);
        assert_int_equal(drawn, count < s.allowed ? count : s.allowed);
        for (size_t i = 0; i < drawn; i++) {
            assert_true(in_pool(&s, out[i]) && !sg_marked(&s.without, out[i]));
            assert_int_equal(times[out[i]]++, 0);
        }
        end(&s);
    }
}

/* Counts of each allowed node over many draws lie within six deviations of their mean. */
static void check_even(const size_t *times, const setting *s, double draws)
{
    const double p = draws / (double)s->allowed;
    for (uint32_t i = 0; i < NODES; i++)
        if (in_pool(s, i) && !sg_marked(&s->without, i))
            assert_true(fabs((double)times[i] - p) < 6 * sqrt(p) + 1);
        else
            assert_int_equal(times[i], 0);
}

static void evenly(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < 30; number++) {
        setting s;
        sg_rng rng;
        uint32_t out[NODES];
        size_t again[NODES] = {0}, once[NODES] = {0}, drawn = 0;
        sg_rng_seed(&rng, 22, number);
        make(&s, &rng);
        const size_t count = 1 + (size_t)sg_rng_below(&rng, 12);
        for (int i = 0; i < 2000 && s.allowed; i++) {
            size_t n = sg_draw_again(&s.drawer, &rng, &s.pool, &s.without, count, out);
            for (size_t j = 0; j < n; j++) again[out[j]]++;
            n = sg_draw_once(&s.drawer, &rng, &s.pool, &s.without, count, out);
            for (size_t j = 0; j < n; j++) once[out[j]]++;
            drawn += n;
        }
        if (s.allowed) {
            check_even(again, &s, 2000.0 * (double)count);
            check_even(once, &s, (double)drawn);
        }
        end(&s);
    }
}

/* Few are cleared one by one, many all at once; what is marked twice is there once. */
static void marks_are_cleared(void **state)
{
    (void)state;
    enum { SIZE = 1000 };
    sg_marks marks;
    assert_int_equal(sg_marks_open(&marks, SIZE, NULL), 0);
    for (uint32_t each = 1; each <= SIZE; each *= 10) {
        for (int twice = 0; twice < 2; twice++)
            for (uint32_t i = 0; i < SIZE; i += each) sg_mark(&marks, i);
        assert_int_equal(marks.count, SIZE / each);
        for (uint32_t i = 0; i < SIZE; i++) assert_int_equal(sg_marked(&marks, i), i % each == 0);
        sg_marks_clear(&marks);
        for (uint32_t i = 0; i < SIZE; i++) assert_false(sg_marked(&marks, i));
    }
    sg_marks_close(&marks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_what_is_allowed), cmocka_unit_test(evenly),
                                       cmocka_unit_test(marks_are_cleared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
