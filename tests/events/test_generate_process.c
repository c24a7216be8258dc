/*
 * The process behind the generated graph: stated probabilities against counted frequencies, and each property
 * it claims, measured against the same events with destinations shuffled.
 */
#include "cmocka_all.h"

#include "events/generate/generate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS 40000
#define NODES 400
#define ITEMS 60

typedef struct history {
    uint32_t src[EVENTS], dst[EVENTS], shuffled[EVENTS];
    double time[EVENTS];
    double rank[EVENTS];
    uint32_t first_community[NODES + ITEMS];
    int same_community[EVENTS]; /* at the time of the event */
} history;

static sg_generate_options options_of(int kind)
{
    sg_generate_options options;
    sg_options_defaults(&sg_generate_set, &options);
    options.kind = kind;
    options.nodes = NODES;
    options.items = ITEMS;
    options.communities = 5;
    return options;
}

static uint32_t next(sg_process *p)
{
    assert_int_equal(sg_process_begin(p, NULL), SCADYG_OK);
    uint32_t destination = sg_process_draw(p);
    sg_process_accept(p, destination);
    return destination;
}

static history *run(int kind)
{
    history *h = malloc(sizeof *h);
    assert_non_null(h);
    sg_generate_options options = options_of(kind);
    sg_process p;
    assert_int_equal(sg_process_open(&p, &options, NULL), SCADYG_OK);
    for (uint32_t i = 0; i < p.first + p.pool; i++) h->first_community[i] = p.actor[i].community;
    for (int i = 0; i < EVENTS; i++) {
        assert_int_equal(sg_process_begin(&p, NULL), SCADYG_OK);
        h->src[i] = p.source;
        h->time[i] = p.time;
        h->dst[i] = h->shuffled[i] = sg_process_draw(&p);
        h->rank[i] = sg_oracle_rank(&p, 1, h->dst[i]);
        h->same_community[i] = p.actor[p.source].community == p.actor[h->dst[i]].community;
        sg_process_accept(&p, h->dst[i]);
    }
    sg_process_close(&p);
    sg_rng rng;
    sg_rng_seed(&rng, 9, 9);
    for (uint64_t i = EVENTS - 1; i > 0; i--) {
        uint64_t k = sg_rng_below(&rng, i + 1);
        uint32_t kept = h->shuffled[i];
        h->shuffled[i] = h->shuffled[k];
        h->shuffled[k] = kept;
    }
    return h;
}

/* ---- Probabilities ---- */

/* Draws many destinations of one event and compares the counts with the stated probabilities. */
static void check_frequencies(sg_process *p)
{
    enum { DRAWS = 100000 };
    uint32_t nodes = p->first + p->pool, *count = calloc(nodes, sizeof *count);
    assert_non_null(count);
    for (int i = 0; i < DRAWS; i++) count[sg_process_draw(p)]++;
    double sum = 0, chi = 0, rare = 0, rare_count = 0;
    int cells = 0;
    for (uint32_t node = 0; node < nodes; node++) {
        double probability = sg_process_probability(p, node), expected = probability * DRAWS;
        assert_true(probability >= 0);
        if (probability == 0) assert_int_equal(count[node], 0);
        sum += probability;
        if (expected < 10) {
            rare += expected;
            rare_count += count[node];
            continue;
        }
        chi += (count[node] - expected) * (count[node] - expected) / expected;
        cells++;
    }
    if (rare >= 10) {
        chi += (rare_count - rare) * (rare_count - rare) / rare;
        cells++;
    }
    free(count);
    assert_true(fabs(sum - 1) < 1e-12);
    /* Six standard deviations of the chi-square distribution with cells - 1 degrees of freedom. */
    double degrees = cells - 1;
    if (chi > degrees + 6 * sqrt(2 * degrees) + 10)
        fail_msg("chi-square %g with %g degrees of freedom", chi, degrees);
}

static void frequencies_match_probabilities(void **state)
{
    (void)state;
    for (int variant = 0; variant < 8; variant++) {
        sg_generate_options options = options_of(variant % 2);
        options.seed = variant;
        if (variant / 2 == 1) options.nodes = options.items = 3;
        if (variant / 2 == 2) options.nodes = 30, options.items = 7, options.communities = 12;
        if (variant / 2 == 3) options.again = 0.3;
        sg_process p;
        assert_int_equal(sg_process_open(&p, &options, NULL), SCADYG_OK);
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < 150 * round; i++) next(&p);
            assert_int_equal(sg_process_begin(&p, NULL), SCADYG_OK);
            check_frequencies(&p);
            sg_process_accept(&p, sg_process_draw(&p));
        }
        sg_process_close(&p);
    }
}

/* Doubling the weight of a component adds just that weight to the sum of the probabilities. */
static void components_have_their_weights(void **state)
{
    (void)state;
    sg_generate_options options = options_of(0);
    sg_process p;
    assert_int_equal(sg_process_open(&p, &options, NULL), SCADYG_OK);
    for (int i = 0; i < 2000; i++) next(&p);
    assert_int_equal(sg_process_begin(&p, NULL), SCADYG_OK);
    double waves = 0, sum = 0;
    for (uint32_t node = 0; node < NODES; node++) {
        double before = sg_process_probability(&p, node);
        p.choice.waves *= 2;
        waves += sg_process_probability(&p, node) - before;
        p.choice.waves /= 2;
        sum += before;
    }
    assert_true(fabs(sum - 1) < 1e-12);
    assert_true(fabs(waves - p.choice.waves) < 1e-12 && waves > 0.01);
    sg_process_close(&p);
}

/* ---- Properties ---- */

static int descending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x < y) - (x > y);
}

/* The share of the busiest 5 % of the nodes. */
static double top_share(const uint32_t *node, uint32_t nodes)
{
    uint32_t *count = calloc(nodes, sizeof *count), sum = 0;
    assert_non_null(count);
    for (int i = 0; i < EVENTS; i++) count[node[i]]++;
    qsort(count, nodes, sizeof *count, descending);
    for (uint32_t i = 0; i < nodes / 20; i++) sum += count[i];
    free(count);
    return (double)sum / EVENTS;
}

static void activity_has_a_heavy_tail(void **state)
{
    const history *h = *state;
    double share = top_share(h->src, NODES);
    assert_true(share > 0.2 && share < 0.8); /* equal activity would give 0.05 and a little */
    assert_true(top_share(h->dst, NODES) > 0.15);
}

/* Share of events whose pair met before, within `horizon` seconds. */
static double repeats(const history *h, const uint32_t *dst, double horizon, int reversed)
{
    static double last[NODES + ITEMS][NODES + ITEMS];
    for (int u = 0; u < NODES + ITEMS; u++)
        for (int v = 0; v < NODES + ITEMS; v++) last[u][v] = -INFINITY;
    int count = 0;
    for (int i = 0; i < EVENTS; i++) {
        double before = reversed ? last[dst[i]][h->src[i]] : last[h->src[i]][dst[i]];
        count += h->time[i] - before < horizon;
        last[h->src[i]][dst[i]] = h->time[i];
    }
    return (double)count / EVENTS;
}

static void pairs_repeat_and_fade(void **state)
{
    const history *h = *state;
    double soon = repeats(h, h->dst, 2 * SG_DAY, 0), soon_shuffled = repeats(h, h->shuffled, 2 * SG_DAY, 0);
    assert_true(soon > 2.5 * soon_shuffled && soon > 0.1);
    /* Long ago pairs are met again hardly more often than strangers: the excess is in the recent past. */
    double late = repeats(h, h->dst, 60 * SG_DAY, 0) - repeats(h, h->dst, 30 * SG_DAY, 0);
    assert_true(late < 0.5 * soon);
}

static void replies_come_soon(void **state)
{
    const history *h = *state;
    assert_true(repeats(h, h->dst, 7200, 1) > 4 * repeats(h, h->shuffled, 7200, 1));
    assert_true(repeats(h, h->dst, 7200, 1) > 0.05);
}

/* How unevenly the events of each destination lie over 50 parts of the time: variance over mean of the
 * counts. */
static double unevenness(const uint32_t *dst)
{
    double sum = 0;
    int used = 0;
    for (uint32_t node = 0; node < NODES; node++) {
        double count[50] = {0}, mean = 0, variance = 0;
        for (int i = 0; i < EVENTS; i++)
            if (dst[i] == node) count[i * 50 / EVENTS]++;
        for (int k = 0; k < 50; k++) mean += count[k] / 50;
        for (int k = 0; k < 50; k++) variance += (count[k] - mean) * (count[k] - mean) / 49;
        if (mean < 1) continue;
        sum += variance / mean;
        used++;
    }
    assert_true(used > 20);
    return sum / used;
}

static void popularity_comes_in_waves(void **state)
{
    const history *h = *state;
    double real = unevenness(h->dst), shuffled = unevenness(h->shuffled);
    assert_true(fabs(shuffled - 1) < 0.2 && real > 2 * shuffled);
}

/* Shares of events inside a community: of the present, and of the beginning. */
static void communities_drift(void **state)
{
    const history *h = *state;
    double now[2] = {0}, beginning[2] = {0}, chance = 0;
    for (int i = 0; i < EVENTS; i++) {
        chance += h->first_community[h->src[i]] == h->first_community[h->shuffled[i]];
        if (i >= EVENTS / 10 && i < EVENTS * 9 / 10) continue;
        int late = i >= EVENTS / 2;
        now[late] += h->same_community[i];
        beginning[late] += h->first_community[h->src[i]] == h->first_community[h->dst[i]];
    }
    chance /= EVENTS;
    for (int late = 0; late < 2; late++) {
        now[late] /= EVENTS / 10.0;
        beginning[late] /= EVENTS / 10.0;
        assert_true(now[late] > 2 * chance); /* community matters at all times, */
    }
    assert_true(beginning[0] > 2 * chance);
    assert_true(beginning[1] < 1.3 * chance); /* but not the community of long ago */
}

static void days_have_a_rhythm(void **state)
{
    const history *h = *state;
    int hours[24] = {0};
    for (int i = 0; i < EVENTS; i++) {
        hours[(int)(h->time[i] / 3600) % 24]++;
        if (i) assert_true(h->time[i] >= h->time[i - 1]);
        assert_true(fabs(h->time[i] * 1000 - rint(h->time[i] * 1000)) < 1e-3);
    }
    for (int hour = 0; hour < 24; hour++) {
        double expected = EVENTS / 24.0 * (1 + 0.8 * sin(2 * 3.14159265358979 * (hour - 9) / 24));
        assert_true(fabs(hours[hour] - expected) < 6 * sqrt(expected));
    }
    double days = h->time[EVENTS - 1] / SG_DAY;
    assert_true(fabs(days - EVENTS / (double)NODES) < 0.05 * days);
}

/* Mean reciprocal rank of the destination among 100 others by the number of its events so far. */
static double popularity_score(const history *h, uint32_t first, uint32_t pool)
{
    uint32_t count[NODES + ITEMS] = {0};
    double score = 0;
    sg_rng rng;
    sg_rng_seed(&rng, 4, 4);
    for (int i = 0; i < EVENTS; i++) {
        double rank = 1;
        for (int k = 0; k < 100; k++) {
            uint32_t other = first + (uint32_t)sg_rng_below(&rng, pool);
            if (other == h->dst[i]) continue;
            if (count[other] > count[h->dst[i]]) rank += 1;
            if (count[other] == count[h->dst[i]]) rank += 0.5;
        }
        score += 1 / rank / EVENTS;
        count[h->dst[i]]++;
    }
    return score;
}

static void the_oracle_knows(void **state)
{
    const history *h = *state;
    int items = h->dst[0] >= NODES;
    double score = 0;
    for (int i = 0; i < EVENTS; i++) score += 1 / h->rank[i] / EVENTS;
    assert_true(score > 0.3); /* chance gives 0.05 */
    assert_true(score > 1.5 * popularity_score(h, items ? NODES : 0, items ? ITEMS : NODES));
}

/* Share of events where a user goes on to the next item, against any order of the same items. */
static void items_come_in_order(void **state)
{
    const history *h = *state;
    double real = 0, shuffled = 0;
    uint32_t last[NODES], last_shuffled[NODES];
    memset(last, 0, sizeof last);
    memset(last_shuffled, 0, sizeof last_shuffled);
    for (int i = 0; i < EVENTS; i++) {
        uint32_t user = h->src[i];
        assert_true(user < NODES && h->dst[i] >= NODES && h->dst[i] < NODES + ITEMS);
        real += h->dst[i] == last[user] + 1;
        shuffled += h->shuffled[i] == last_shuffled[user] + 1;
        last[user] = h->dst[i];
        last_shuffled[user] = h->shuffled[i];
    }
    assert_true(real > 5 * shuffled && real > 0.15 * EVENTS);
}

/* ---- Features ---- */

/* The mean feature of a pair of communities is what is stated, and the noise around it has half a unit. */
static void features_carry_communities(void **state)
{
    (void)state;
    enum { COUNT = 4000, DIMENSION = 70 };
    sg_draft draft;
    assert_int_equal(sg_draft_open(&draft, COUNT, DIMENSION, 0, NULL), SCADYG_OK);
    draft.count = COUNT;
    for (int i = 0; i < COUNT; i++) {
        draft.src_community[i] = (uint32_t)(i & 1);
        draft.dst_community[i] = (uint32_t)(i >> 1 & 1);
    }
    sg_draft_features(&draft, 3, DIMENSION, 0, COUNT);
    int different = 0;
    for (int k = 0; k < DIMENSION; k++) {
        double mean[4] = {0}, square[4] = {0};
        for (int i = 0; i < COUNT; i++) {
            double value = (double)draft.features[i * DIMENSION + k];
            mean[i & 3] += value / (COUNT / 4);
            square[i & 3] += value * value / (COUNT / 4);
        }
        for (int c = 0; c < 4; c++) {
            double nearest = rint(mean[c]);
            assert_true(nearest >= -1 && nearest <= 1 && fabs(mean[c] - nearest) < 0.1);
            assert_true(fabs(sqrt(square[c] - mean[c] * mean[c]) - 0.5) < 0.06);
        }
        different += fabs(mean[0] - mean[1]) > 0.5;
    }
    assert_true(different > DIMENSION / 4);
    sg_draft_close(&draft);
}

static int setup_messages(void **state)
{
    *state = run(0);
    return 0;
}

static int setup_items(void **state)
{
    *state = run(1);
    return 0;
}

static int drop(void **state)
{
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest process[] = {
        cmocka_unit_test(frequencies_match_probabilities),
        cmocka_unit_test(components_have_their_weights),
        cmocka_unit_test(features_carry_communities),
    };
    const struct CMUnitTest messages[] = {
        cmocka_unit_test(activity_has_a_heavy_tail), cmocka_unit_test(pairs_repeat_and_fade),
        cmocka_unit_test(replies_come_soon),         cmocka_unit_test(popularity_comes_in_waves),
        cmocka_unit_test(communities_drift),         cmocka_unit_test(days_have_a_rhythm),
        cmocka_unit_test(the_oracle_knows),
    };
    const struct CMUnitTest items[] = {
        cmocka_unit_test(items_come_in_order),
        cmocka_unit_test(days_have_a_rhythm),
        cmocka_unit_test(the_oracle_knows),
    };
    int failed = cmocka_run_group_tests(process, NULL, NULL);
    failed += cmocka_run_group_tests(messages, setup_messages, drop);
    failed += cmocka_run_group_tests(items, setup_items, drop);
    return failed;
}
