/*
 * The pair store against a slow twin that holds every pair of a few nodes in a square of cells, sums in double and
 * forgets by sorting.
 */
#include "messages/random_graph.h"

#include "base/memory.h"
#include "evaluate/rounds.h"
#include "messages/pairs/pair_store.h"

#include <stdlib.h>
#include <string.h>

typedef struct cell {
    int met;
    uint64_t since; /* how many pairs had come before */
    double last;
    uint32_t times, clock;
    double first;
    double count[SG_RATES], weight[SG_RATES], size[SG_RATES]; /* size: the sum of the weights without their signs */
} cell;

typedef struct twin {
    sg_rates rates;
    size_t nodes;
    cell *cells; /* [nodes][nodes] */
    uint64_t limit, count, came, forgotten;
} twin;

static twin twin_open(const sg_rates *rates, size_t nodes, uint64_t limit)
{
    twin t = {.rates = *rates, .nodes = nodes, .limit = limit, .cells = calloc(nodes * nodes, sizeof(cell))};
    assert_non_null(t.cells);
    return t;
}

static int older_first(const void *a, const void *b)
{
    const cell *x = *(cell *const *)a, *y = *(cell *const *)b;
    if (x->last != y->last) return x->last < y->last ? -1 : 1;
    return x->since < y->since ? -1 : 1;
}

static void twin_forget(twin *t)
{
    cell **all = malloc(t->count * sizeof *all);
    size_t count = 0;
    assert_non_null(all);
    for (size_t i = 0; i < t->nodes * t->nodes; i++)
        if (t->cells[i].met) all[count++] = &t->cells[i];
    assert_int_equal(count, t->count);
    qsort(all, count, sizeof *all, older_first);
    for (size_t i = 0; i < count / 4; i++) *all[i] = (cell){0};
    t->forgotten += count / 4;
    t->count -= count / 4;
    free(all);
}

static void twin_add(twin *t, uint32_t src, uint32_t dst, double time, float weight, uint32_t clock)
{
    cell *c = &t->cells[src * t->nodes + dst];
    if (!c->met) {
        if (t->count == t->limit) twin_forget(t);
        *c = (cell){.met = 1, .since = t->came++, .last = time, .first = time};
        t->count++;
    }
    for (int k = 0; k < SG_RATES; k++) {
        const double decay = exp(-t->rates.rate[k] * (time - c->last));
        c->count[k] = c->count[k] * decay + 1;
        c->weight[k] = c->weight[k] * decay + (double)weight;
        c->size[k] = c->size[k] * decay + fabs((double)weight);
    }
    c->last = time;
    c->clock = clock;
    c->times++;
}

static void compare_message(const cell *c, const sg_pair_message *message, int weighted, double slowest)
{
    assert_true(message->tally->last == c->last);
    assert_int_equal(message->tally->times, c->times);
    assert_int_equal(message->tally->clock[0], c->clock);
    assert_int_equal(message->tally->clock[1], ~c->clock);
    const double life = (c->last - c->first) * slowest;
    assert_true(fabs((double)message->tally->life - life) <= 1e-7 * c->times * life);
    assert_true((message->weight != NULL) == (weighted != 0));
    const double part = 5e-7 * c->times;
    for (int k = 0; k < SG_RATES; k++) {
        assert_true(fabs((double)message->tally->count[k] - c->count[k]) <= part * c->count[k] + 1e-37);
        if (weighted) assert_true(fabs((double)message->weight[k] - c->weight[k]) <= part * c->size[k] + 1e-37);
    }
}

/* All pairs there are and all there are not; alone and many at once. */
static void compare(const twin *t, const sg_pair_store *store, int weighted)
{
    const size_t n = t->nodes;
    uint32_t *src = malloc(n * sizeof *src), *dst = malloc(n * sizeof *dst);
    sg_pair_message *messages = malloc(n * sizeof *messages);
    assert_true(src && dst && messages);
    assert_int_equal(sg_pair_store_count(store), t->count);
    assert_int_equal(sg_pair_store_forgotten(store), t->forgotten);
    for (uint32_t u = 0; u < n; u++) {
        for (uint32_t v = 0; v < n; v++) src[v] = u, dst[v] = v;
        sg_pair_store_find_many(store, src, dst, n, messages);
        for (uint32_t v = 0; v < n; v++) {
            const cell *c = &t->cells[u * n + v];
            sg_pair_message message = {NULL, NULL};
            assert_int_equal(sg_pair_store_find(store, u, v, &message), c->met);
            assert_true(message.tally == messages[v].tally && message.weight == messages[v].weight);
            if (c->met) compare_message(c, &message, weighted, t->rates.rate[0]);
        }
    }
    free(src), free(dst), free(messages);
}

/* What bytes say, and what the table takes besides at the moment when the next one is made. */
typedef struct meter {
    uint64_t slots, most, peak;
} meter;

static void measure(meter *m, const sg_pair_store *store, uint64_t count_before, uint64_t bytes_before)
{
    const uint64_t count = sg_pair_store_count(store), bytes = sg_pair_store_bytes(store);
    if (count > count_before && 2 * count > m->slots) {
        const uint64_t growing = bytes_before + 2 * m->slots * sizeof(uint32_t);
        m->slots *= 2;
        if (growing > m->peak) m->peak = growing;
    }
    if (bytes > m->peak) m->peak = bytes;
    assert_true(m->peak <= m->most);
}

static sg_rates random_rates(sg_rng *rng)
{
    sg_rates rates;
    for (int k = 0; k < SG_RATES; k++) rates.rate[k] = pick(rng, 10) ? exp(14 * sg_rng_unit(rng) - 12) : 0;
    return rates;
}

static double random_step(sg_rng *rng)
{
    const uint64_t kind = pick(rng, 10);
    return kind < 5 ? 0 : kind < 9 ? sg_rng_unit(rng) : pick(rng, 50) ? 100 * sg_rng_unit(rng) : 1e6;
}

typedef struct setting {
    size_t nodes, adds;
    uint64_t pairs; /* room for them */
    int weighted, ties;
} setting;

static void run(const setting *s, sg_pair_store *store, meter *m, sg_rng *rng, twin *t)
{
    double now = pick(rng, 2) ? 1.5e9 : -1000;
    for (size_t i = 0; i < s->adds; i++) {
        uint32_t src = (uint32_t)pick(rng, s->nodes), dst = (uint32_t)pick(rng, s->nodes);
        if (pick(rng, 3) == 0) src %= 7, dst %= 11; /* some meet often */
        if (pick(rng, 20) == 0) dst = src;
        const float weight = (float)(20 * sg_rng_unit(rng) - 10);
        const uint64_t count = sg_pair_store_count(store), bytes = sg_pair_store_bytes(store);
        if (pick(rng, 3) == 0) sg_pair_store_prefetch(store, &src, &dst, 1);
        if (!s->ties) now += random_step(rng);
        const sg_pair_event event = {weight, {(uint32_t)i, ~(uint32_t)i}};
        const sg_tally *tally;
        sg_pair_message found;
        const int asks = pick(rng, 2) == 0;
        assert_int_equal(sg_pair_store_add(store, src, dst, now, &event, asks ? &tally : NULL, NULL), SCADYG_OK);
        if (asks) assert_true(sg_pair_store_find(store, src, dst, &found) && found.tally == tally);
        twin_add(t, src, dst, now, weight, (uint32_t)i);
        measure(m, store, count, bytes);
    }
}

/* Where the moment of growing takes most, more pairs fit into the same bytes. */
static uint64_t pairs_in(uint64_t most, uint64_t pairs, int weighted)
{
    while (sg_pair_store_bytes_for(pairs + 1, weighted) <= most) pairs++;
    return pairs;
}

static void against_the_twin(const setting *s, uint64_t seed)
{
    sg_rng rng;
    sg_pair_store *store;
    scadyg_error error;
    sg_rng_seed(&rng, seed, 0);
    const sg_rates rates = random_rates(&rng);
    const uint64_t most = sg_pair_store_bytes_for(s->pairs, s->weighted);
    const uint64_t limit = pairs_in(most, s->pairs, s->weighted);
    meter m = {.slots = 8192, .most = most};
    assert_int_equal(sg_pair_store_open(&rates, s->weighted, most, &store, &error), SCADYG_OK);
    for (int again = 0; again < 2; again++) { /* the second time in a store that was cleared */
        const uint64_t bytes = sg_pair_store_bytes(store);
        sg_pair_store_clear(store);
        assert_int_equal(sg_pair_store_bytes(store), bytes);
        twin t = twin_open(&rates, s->nodes, limit);
        compare(&t, store, s->weighted);
        run(s, store, &m, &rng, &t);
        compare(&t, store, s->weighted);
        if (limit < t.came) assert_true(t.forgotten > 0);
        free(t.cells);
    }
    /* The bound is used up: a store that has been full has held nearly all it may. */
    if (sg_pair_store_forgotten(store)) assert_true(m.peak >= most - most / 100);
    sg_pair_store_close(store);
}

static void nothing_is_lost_that_fits(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < rounds(100); round++) {
        const setting s = {.nodes = 1 + round % 40, .adds = 1 + 37 * round, .pairs = 4096, .weighted = round & 1};
        against_the_twin(&s, round);
    }
    against_the_twin(&(setting){.nodes = 300, .adds = 200000, .pairs = 90000}, 1);
}

static void the_oldest_are_forgotten(void **state)
{
    (void)state;
    against_the_twin(&(setting){.nodes = 100, .adds = 30000, .pairs = 4096}, 2);
    against_the_twin(&(setting){.nodes = 100, .adds = 30000, .pairs = 4096, .weighted = 1}, 3);
    against_the_twin(&(setting){.nodes = 150, .adds = 60000, .pairs = 9001, .weighted = 1}, 4);
    against_the_twin(&(setting){.nodes = 400, .adds = 200000, .pairs = 65537 + 500}, 5); /* two chunks */
}

static void ties_go_by_age(void **state)
{
    (void)state;
    against_the_twin(&(setting){.nodes = 100, .adds = 30000, .pairs = 5000, .ties = 1}, 6);
    against_the_twin(&(setting){.nodes = 400, .adds = 150000, .pairs = 70000, .ties = 1, .weighted = 1}, 7);
}

/* Both zeros are one time. */
static void zeros_tie(void **state)
{
    (void)state;
    const sg_rates rates = {{1}};
    sg_pair_store *store;
    sg_pair_message message;
    assert_int_equal(sg_pair_store_open(&rates, 0, 0, &store, NULL), SCADYG_OK);
    for (uint32_t i = 0; i <= 4096; i++)
        assert_int_equal(sg_pair_store_add(store, i, 0, i & 1 ? -0.0 : 0.0, &(sg_pair_event){0}, NULL, NULL),
                         SCADYG_OK);
    assert_int_equal(sg_pair_store_forgotten(store), 1024);
    for (uint32_t i = 0; i <= 4096; i++) assert_int_equal(sg_pair_store_find(store, i, 0, &message), i >= 1024);
    sg_pair_store_close(store);
}

/* The first and the last numbers there are, either way round. */
static void ends_of_the_range(void **state)
{
    (void)state;
    static const uint32_t node[] = {0, 1, UINT32_MAX - 1, UINT32_MAX};
    const sg_rates rates = {{1, 2, 3, 4, 5, 6, 7, 8}};
    sg_pair_store *store;
    sg_pair_message message;
    sg_pair_store_close(NULL);
    assert_int_equal(sg_pair_store_open(&rates, 1, UINT64_MAX, &store, NULL), SCADYG_OK);
    for (uint32_t i = 0; i < 16; i++) {
        sg_pair_store_prefetch(store, &node[i / 4], &node[i % 4], 1);
        assert_false(sg_pair_store_find(store, node[i / 4], node[i % 4], &message));
        assert_int_equal(
            sg_pair_store_add(store, node[i / 4], node[i % 4], i, &(sg_pair_event){1, {i, ~i}}, NULL, NULL),
            SCADYG_OK);
    }
    for (uint32_t i = 0; i < 16; i++) {
        assert_true(sg_pair_store_find(store, node[i / 4], node[i % 4], &message));
        assert_int_equal(message.tally->clock[0], i);
        assert_int_equal(message.tally->clock[1], ~i);
    }
    sg_pair_store_close(store);
}

static void a_plan_grows_with_its_pairs(void **state)
{
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++) {
        uint64_t before = 0;
        for (uint64_t pairs = 1; pairs < (uint64_t)1 << 33; pairs += 1 + pairs / 100) {
            const uint64_t bytes = sg_pair_store_bytes_for(pairs, weighted);
            assert_true(bytes >= before);
            if (pairs > 5000 && pairs < (uint64_t)1 << 31)
                assert_true(bytes / pairs >= (weighted ? 104 : 72) && bytes / pairs <= (weighted ? 120 : 88));
            before = bytes;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost_that_fits),
        cmocka_unit_test(the_oldest_are_forgotten),
        cmocka_unit_test(ties_go_by_age),
        cmocka_unit_test(zeros_tie),
        cmocka_unit_test(ends_of_the_range),
        cmocka_unit_test(a_plan_grows_with_its_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
