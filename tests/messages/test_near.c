/*
 * Who is near a node: where nothing is said to be between two, the row of the pair is that of nothing, bit for bit; an index says
 * the same; and popular destinations that follow events are those found anew.
 */
#include "contexts.h"
#include "make_events.h"

#include "base/memory.h"
#include "base/rng.h"
#include "messages/pairs/ledger_near.h"
#include "messages/pairs/ledger_parts.h"

#include <math.h>

enum { EVENTS = 5000, NODES = 1200 };

typedef struct stream {
    uint32_t src[EVENTS], dst[EVENTS];
    double time[EVENTS];
    uint64_t keys[NODES];
    sg_columns columns;
} stream;

/* Some nodes come again and again, so that their lists overflow; most come once or twice; many times are shared. */
static void make_stream(stream *s, uint64_t seed)
{
    sg_rng rng;
    double now = 50;
    sg_rng_seed(&rng, seed, 0x4ea);
    for (size_t i = 0; i < EVENTS; i++) {
        s->src[i] = (uint32_t)sg_rng_below(&rng, sg_rng_below(&rng, 3) ? 12 : NODES);
        s->dst[i] = (uint32_t)sg_rng_below(&rng, sg_rng_below(&rng, 3) ? NODES : 40);
        s->time[i] = now;
        if (sg_rng_below(&rng, 2)) now += (double)sg_rng_below(&rng, 20) / 4;
    }
    for (size_t i = 0; i < NODES; i++) s->keys[i] = sg_hash3(seed, 7, i);
    s->columns = (sg_columns){.count = EVENTS, .src = s->src, .dst = s->dst, .time = s->time};
}

static void must(int status, const scadyg_error *error)
{
    if (status) fail_msg("%s", error->message);
}

static sg_ledger *open_ledger(const stream *s, unsigned without, uint64_t bytes)
{
    scadyg_error error = {0};
    sg_ledger *ledger = NULL;
    sg_ledger_options o = {.plan = {.pair_bytes = bytes}, .without = without};
    for (int k = 0; k < SG_RATES; k++) o.plan.rates.rate[k] = 1e-4 * pow(5, k);
    must(sg_ledger_open(NULL, &o, &s->columns, s->keys, NODES, &ledger, &error), &error);
    return ledger;
}

/* What the ledger says of all pairs of a source, after `seen` events. */
static void read_rows(sg_ledger *l, uint32_t source, uint64_t seen, double at, float *rows)
{
    static uint32_t src[NODES], dst[NODES];
    scadyg_error error = {0};
    for (uint32_t i = 0; i < NODES; i++) src[i] = source, dst[i] = i;
    const sg_ledger_group group = {seen, at, 0, NODES};
    const sg_read_plan plan = {.groups = &group, .count = 1, .src = src, .dst = dst, .between = rows};
    must(sg_ledger_run(l, &plan, &error), &error);
}

static size_t check_source(sg_ledger *l, const sg_near_index *index, uint32_t source, uint64_t seen, double at,
                           float *rows)
{
    static sg_near near;
    static unsigned char blank[NODES], by_index[NODES], is_near[NODES];
    static uint32_t all[NODES];
    const size_t width = l->widths.between;
    float row[256];
    size_t found = 0;
    read_rows(l, source, seen, at, rows);
    for (uint32_t i = 0; i < NODES; i++) all[i] = i;
    sg_near_set(l, source, &near);
    sg_near_find_blank(l, &near, all, NODES, blank);
    sg_near_index_mark(index, l, source, is_near);
    sg_near_index_find_blank(index, l, &near, is_near, all, NODES, by_index);
    sg_near_blank_row(l, source, at, row);
    for (size_t i = 0; i < NODES; i++) {
        const int same = memcmp(row, rows + i * width, width * sizeof *row) == 0;
        assert_true(same || (!blank[i] && !by_index[i]));
        assert_true(by_index[i] >= blank[i]); /* it has no collisions */
        found += by_index[i];
    }
    return found;
}

static void nothing_between(void **state)
{
    (void)state;
    static stream s;
    static const unsigned without[] = {0,
                                       SG_LEDGER_NO_PAIRS,
                                       SG_LEDGER_NO_TRANSITIONS,
                                       SG_LEDGER_NO_PARTNERS,
                                       SG_LEDGER_NO_TOGETHER,
                                       SG_LEDGER_NO_TOGETHER | SG_LEDGER_NO_PARTNERS};
    float *rows = sg_alloc((size_t)NODES * 256, sizeof *rows);
    size_t found = 0;
    for (uint64_t seed = 0; seed < 12; seed++) {
        make_stream(&s, seed);
        /* With little memory pairs are forgotten, and lists stop growing. */
        sg_ledger *l = open_ledger(&s, without[seed % 6], seed < 6 ? 64u << 20 : 1u << 20);
        for (uint64_t seen = 40; seen < EVENTS; seen = seen * 5 / 2) {
            const double at = s.time[seen - 1] + 0.25;
            while (seen < EVENTS && s.time[seen] < at) seen++;
            read_rows(l, 0, seen, at, rows);
            sg_near_index *index = sg_near_index_open(l, UINT64_MAX);
            assert_non_null(index);
            for (uint32_t k = 0; k < 12; k++)
                found += check_source(l, index, k < 6 ? k : s.dst[seen - k], seen, at, rows);
            sg_near_index_close(index);
        }
        assert_null(sg_near_index_open(l, 1000));
        sg_ledger_close(l);
    }
    assert_true(found > 10000);
    free(rows);
}

static void assert_same_lists(const sg_popular *a, const sg_popular *b)
{
    for (size_t i = 0; i < SG_POPULAR_KEYS; i++) {
        assert_int_equal(a->list[i].count, b->list[i].count);
        assert_memory_equal(a->list[i].node, b->list[i].node, a->list[i].count * sizeof a->list[i].node[0]);
    }
}

/* By its definition: whoever is not in a full list comes behind its last. */
static void popular_follow(void **state)
{
    (void)state;
    static stream s;
    static sg_popular following, anew;
    scadyg_error error = {0};
    float *rows = sg_alloc((size_t)NODES * 256, sizeof *rows);
    for (uint64_t seed = 0; seed < 6; seed++) {
        make_stream(&s, 100 + seed);
        sg_ledger *l = open_ledger(&s, 0, 16u << 20);
        memset(&following, 0, sizeof following);
        uint64_t last = 0;
        for (uint64_t seen = 1; seen < EVENTS; seen += 1 + sg_hash3(seed, 3, seen) % 90) {
            while (seen < EVENTS && s.time[seen] == s.time[seen - 1]) seen++;
            read_rows(l, 0, seen, s.time[seen - 1] + 0.01, rows);
            must(sg_popular_follow(&following, l, s.dst + last, (size_t)(seen - last), &error), &error);
            must(sg_popular_find(&anew, l, &error), &error);
            assert_same_lists(&following, &anew);
            last = seen;
        }
        sg_ledger_close(l);
    }
    free(rows);
}

/* Destinations alone, each once, the source's latest among them. */
static void lists(void **state)
{
    (void)state;
    static stream s;
    static sg_near_listing listing;
    static uint32_t list[SG_NEAR_MOST];
    float *rows = sg_alloc((size_t)NODES * 256, sizeof *rows);
    make_stream(&s, 31);
    sg_ledger *l = open_ledger(&s, 0, 16u << 20);
    read_rows(l, 0, EVENTS, s.time[EVENTS - 1] + 1, rows);
    for (uint32_t source = 0; source < NODES; source += 3) {
        static unsigned char is[NODES];
        memset(is, 0, sizeof is);
        listing.list = list;
        listing.most = source % 2 ? SG_NEAR_MOST : 40;
        sg_near_list(l, source, &listing);
        assert_true(listing.count <= listing.most);
        for (size_t i = 0; i < listing.count; i++) {
            assert_true(list[i] < NODES && !is[list[i]] && l->record[list[i]].in.tally.times > 0);
            is[list[i]] = 1;
        }
        const sg_recent *latest = &l->lists[source].out.recent;
        for (size_t j = 0; j < SG_RECENT && latest->who[j] != SG_RECENT_NOBODY; j++)
            assert_true(is[latest->who[j]]);
    }
    sg_ledger_close(l);
    free(rows);
}

/* Those that were not met, as many as there are: counted, or estimated where pairs were forgotten. */
static void check_unmet(const sg_ledger *l, uint32_t source, size_t destinations)
{
    static sg_near_listing listing;
    static uint32_t all[NODES], list[SG_NEAR_MOST];
    static unsigned char met[NODES];
    const size_t count = sg_near_list_unmet(l, source, NODES, all);
    const size_t counted = sg_near_count_unmet(l, source, NODES, destinations);
    size_t expected = 0;
    for (uint32_t node = 0; node < NODES; node++) {
        (void)sg_ledger_met(l, source, &node, 1, &met[node]);
        if (!l->record[node].in.tally.times || met[node] || node == source) continue;
        assert_int_equal(all[expected], node);
        expected++;
    }
    assert_int_equal(count, expected);
    if (sg_pair_store_forgotten(l->pairs))
        assert_true(counted >= count - NODES / 20 && counted <= count + NODES / 20);
    else
        assert_int_equal(counted, count);
    listing.list = list;
    listing.most = SG_NEAR_MOST;
    listing.unmet = 1;
    sg_near_list(l, source, &listing);
    for (size_t i = 0; i < listing.count; i++) assert_true(list[i] != source && !met[list[i]]);
}

static void unmet(void **state)
{
    (void)state;
    static stream s;
    float *rows = sg_alloc((size_t)NODES * 256, sizeof *rows);
    for (int few = 0; few < 2; few++) {
        make_stream(&s, 37);
        for (size_t i = 0; few && i < EVENTS; i++) /* so many pairs that the oldest are forgotten */
            s.src[i] = i % 4 ? (uint32_t)(sg_hash3(1, 2, i) % NODES) : 6, s.dst[i] = (uint32_t)(i % 1199);
        sg_ledger *l = open_ledger(&s, 0, few ? 1 : 16u << 20);
        size_t destinations = 0;
        read_rows(l, 0, EVENTS, s.time[EVENTS - 1] + 1, rows);
        for (size_t i = 0; i < NODES; i++) destinations += l->record[i].in.tally.times > 0;
        for (uint32_t source = 0; source < NODES; source += 3) check_unmet(l, source, destinations);
        assert_true((sg_pair_store_forgotten(l->pairs) > 0) == few);
        sg_ledger_close(l);
    }
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_between), cmocka_unit_test(popular_follow),
                                       cmocka_unit_test(lists), cmocka_unit_test(unmet)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
