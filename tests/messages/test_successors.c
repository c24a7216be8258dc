/* What comes after two: the table against a cube of numbers, while it grows and when it is full. */
#include "cmocka_all.h"

#include "base/rng.h"
#include "evaluate/rounds.h"
#include "messages/pairs/successors.h"

#include <stdlib.h>
#include <string.h>

enum { NODES = 90 };

typedef struct cell {
    float all, count[SG_SUCCESSORS];
    uint32_t who[SG_SUCCESSORS];
    size_t places;
} cell;

typedef struct cube {
    cell of[NODES][NODES];
    uint64_t used, lines, limit;
} cube;

/* All numbers by halves; lines then below the bound are gone. */
static void halve_cube(cube *c, float least)
{
    for (size_t i = 0; i < NODES * NODES; i++) {
        cell *at = &c->of[i / NODES][i % NODES];
        if (at->all == 0) continue;
        at->all /= 2;
        for (size_t k = 0; k < at->places; k++) at->count[k] /= 2;
        if (at->all >= least) continue;
        *at = (cell){0};
        c->used--;
    }
}

static void add_to_cell(cell *at, uint32_t next)
{
    size_t place = 0, rarest = 0;
    at->all++;
    for (; place < at->places && at->who[place] != next; place++)
        if (at->count[place] < at->count[rarest]) rarest = place;
    if (place == SG_SUCCESSORS) {
        place = rarest;
        at->count[place] = 0;
    } else if (place == at->places) {
        at->places++;
    }
    at->who[place] = next;
    at->count[place]++;
}

static void add_to_cube(cube *c, uint32_t earlier, uint32_t latest, uint32_t next)
{
    cell *at = &c->of[earlier][latest];
    if (at->all == 0) {
        if (2 * (c->used + 1) > c->lines && c->lines < c->limit)
            c->lines *= 2;
        else if (2 * (c->used + 1) > c->lines)
            for (float least = 1; 8 * c->used > 3 * c->lines; least *= 2) halve_cube(c, least);
        c->used++;
    }
    add_to_cell(at, next);
}

static void compare(const cube *c, const sg_successors *s)
{
    assert_int_equal(s->used, c->used);
    for (uint32_t i = 0; i < NODES * NODES; i++) {
        const cell *at = &c->of[i / NODES][i % NODES];
        const sg_successor_line *line = sg_successors_line(s, i / NODES, i % NODES);
        double sum = 0;
        assert_true(line->all == at->all);
        for (size_t k = 0; k < at->places; k++) assert_true(sg_successors_count(line, at->who[k]) == at->count[k]);
        for (uint32_t n = 0; n < NODES; n++) sum += (double)sg_successors_count(line, n);
        for (size_t k = 0; k < at->places; k++) sum -= (double)at->count[k];
        assert_true(sum == 0); /* nobody else */
    }
}

/* Tables draw their hash keys at random, so agreeing with the cube they agree with each other. */
static void fill(uint64_t bytes, uint64_t limit, size_t adds, uint64_t seed)
{
    static cube c;
    sg_successors *s;
    sg_rng rng;
    sg_rng_seed(&rng, seed, 5);
    assert_int_equal(sg_successors_open(bytes, &s, NULL), SCADYG_OK);
    for (int again = 0; again < 2; again++) { /* the second time in one that was cleared */
        memset(&c, 0, sizeof c);
        c.lines = s->mask + 1;
        c.limit = limit;
        compare(&c, s);
        for (size_t i = 0; i < adds; i++) {
            const uint32_t a = (uint32_t)sg_rng_below(&rng, i % 3 ? NODES : 5),
                           b = (uint32_t)sg_rng_below(&rng, i % 3 ? NODES : 5),
                           next = (uint32_t)sg_rng_below(&rng, i % 2 ? NODES : 8);
            assert_int_equal(sg_successors_add(s, a, b, next, NULL), SCADYG_OK);
            add_to_cube(&c, a, b, next);
            if (i % (adds / 3) == 0) compare(&c, s);
        }
        compare(&c, s);
        assert_int_equal(sg_successors_bytes(s), c.lines * sizeof(sg_successor_line));
        sg_successors_clear(s);
    }
    sg_successors_close(s);
}

static void grows(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < rounds(4); seed++) fill(UINT64_MAX, UINT64_MAX / 256, 20000, seed);
}

static void is_bounded(void **state)
{
    (void)state;
    const uint64_t line = sizeof(sg_successor_line);
    for (uint64_t seed = 0; seed < rounds(4); seed++) {
        fill(0, 1024, 20000, seed);
        fill(3 * 1024 * line - 1, 1024, 9000, seed);
        fill(3 * 1024 * line, 2048, 20000, seed); /* old and new lines side by side, to the byte */
        fill(3 * 4096 * line, 8192, 20000, seed);
    }
}

/* What a plan counts with: no table takes more, and one that may take so much forgets none of so many. */
static void plans(void **state)
{
    (void)state;
    uint64_t before = 0;
    for (uint64_t events = 0; events < 20000; events += 1 + events / 30) {
        const uint64_t bytes = sg_successors_bytes_for(events);
        sg_successors *s;
        assert_true(bytes >= before);
        before = bytes;
        assert_int_equal(sg_successors_open(bytes, &s, NULL), SCADYG_OK);
        for (uint32_t i = 0; i < events; i++) assert_int_equal(sg_successors_add(s, i, i + 1, i, NULL), SCADYG_OK);
        assert_int_equal(s->used, events);
        assert_true(sg_successors_bytes(s) <= bytes);
        sg_successors_close(s);
    }
    assert_true(sg_successors_bytes_for(UINT64_MAX) >= before);
    sg_successors_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(grows), cmocka_unit_test(is_bounded),
                                       cmocka_unit_test(plans)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
