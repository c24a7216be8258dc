/* How sure a difference between two scorers is: against the formula, from single values. */
#include "evaluate/fake.h"

#include "base/rng.h"
#include "evaluate/evaluation.h"

#include <math.h>

static double hashed(uint32_t from, uint32_t to)
{
    return (double)(sg_hash3(9, from, to) % 7);
}

static double other(uint32_t from, uint32_t to)
{
    return (double)(sg_hash3(10, from, to) % 11);
}

enum { OBSERVED = 400, CLUSTERS = 30 };

typedef struct observation {
    uint64_t cluster;
    double value[2], weight;
} observation;

/* From single values: sqrt(G / (G - 1) * sum over clusters of (sum of w (d - mean))^2) / sum of w. */
static double direct_error(const observation *all, size_t count)
{
    double sum = 0, weight = 0, square = 0, clusters = 0;
    for (size_t i = 0; i < count; i++)
        sum += all[i].weight * (all[i].value[0] - all[i].value[1]), weight += all[i].weight;
    for (size_t i = 0; i < count; i++) {
        double own = 0;
        int first = 1;
        for (size_t j = 0; j < i; j++) first &= all[j].cluster != all[i].cluster;
        for (size_t j = i; j < count && first; j++)
            if (all[j].cluster == all[i].cluster)
                own += all[j].weight * (all[j].value[0] - all[j].value[1] - sum / weight);
        square += own * own, clusters += first;
    }
    return sqrt(clusters / (clusters - 1) * square) / weight;
}

static double paired_error(const observation *all, size_t count, size_t *clusters)
{
    sg_paired paired;
    assert_int_equal(sg_paired_open(&paired, 2, NULL), SCADYG_OK);
    for (size_t scorer = 0; scorer < 2; scorer++) /* one after the other, as protocols do */
        for (size_t i = 0; i < count; i++)
            sg_paired_add(&paired, all[i].cluster, scorer, all[i].value[scorer], all[i].weight);
    assert_int_equal(paired.failed, 0);
    const double error = sg_paired_error(&paired, 0, 1);
    assert_true(paired.count < 2 || sg_paired_error(&paired, 0, 0) == 0);
    *clusters = paired.count;
    sg_paired_close(&paired);
    return error;
}

static void paired_differences(void **state)
{
    (void)state;
    size_t clusters;
    for (uint64_t number = 0; number < 100; number++) {
        observation all[OBSERVED];
        sg_rng rng;
        sg_rng_seed(&rng, 49, number);
        const size_t count = 2 + sg_rng_below(&rng, OBSERVED - 2);
        for (size_t i = 0; i < count; i++)
            all[i] = (observation){number % 4 ? sg_rng_below(&rng, CLUSTERS) << 40 : i,
                                   {sg_rng_unit(&rng), sg_rng_unit(&rng)},
                                   number % 2 ? 1 : 0.1 + sg_rng_unit(&rng)};
        all[0].cluster = UINT32_MAX; /* at least two */
        const double error = paired_error(all, count, &clusters);
        assert_true(fabs(error - direct_error(all, count)) < 1e-12);
        assert_true(error > 0 && clusters >= 2);
    }
    /* Clusters of one query each: the usual standard error of a mean. Differences 1, 2, 3: s = 1, s / sqrt(3). */
    const observation three[] = {{7, {1, 0}, 1}, {8, {5, 3}, 1}, {9, {3, 0}, 1}};
    near(paired_error(three, 3, &clusters), 1 / sqrt(3));
    assert_true(isnan(paired_error(three, 1, &clusters)));
}

/* What a protocol fills is that of the queries it tells of. */
typedef struct told {
    observation all[4 * OBSERVED];
    size_t count[2];
} told;

static void hear(void *data, const scadyg_query *query)
{
    told *t = data;
    observation *o = &t->all[t->count[query->evaluated]++];
    assert_true(t->count[query->evaluated] <= 4 * OBSERVED);
    o->cluster = query->node, o->weight = 1;
    o->value[query->evaluated] = query->score;
}

static void errors_of_protocols(void **state)
{
    (void)state;
    static uint32_t from[OBSERVED], to[OBSERVED];
    static double time[OBSERVED];
    static told t;
    sg_rng rng;
    sg_rng_seed(&rng, 50, 1);
    for (uint32_t i = 0; i < OBSERVED; i++) {
        from[i] = (uint32_t)sg_rng_below(&rng, 9), to[i] = 9 + (uint32_t)sg_rng_below(&rng, 20);
        time[i] = floor(i / 3.);
    }
    const sg_evaluated_data data = {
        .columns = {.count = OBSERVED, .src = from, .dst = to, .time = time}, .nodes = 30, .split = {280, 300}};
    for (int64_t wanted = 0; wanted <= 5; wanted += 5)
        for (int i = 0; i < 2; i++) {
            fake f = {.rule = hashed, .columns = &data.columns}, g = {.rule = other, .columns = &data.columns};
            sg_scorer scorers[] = {fake_scorer(&f), fake_scorer(&g)};
            sg_scores scores[6];
            double errors[2];
            const sg_listener listener = {hear, &t};
            sg_evaluation_scores out = {.scores = scores, .errors = errors};
            const sg_eval_options options = {.protocol = i ? SG_PROTOCOL_TGB_LINK : SG_PROTOCOL_LIVE,
                                             .negatives = wanted,
                                             .seeds = wanted ? 3 : 1};
            t = (told){0};
            assert_int_equal(sg_evaluate_links(NULL, &data, &options, scorers, 2, &listener, &out, NULL),
                             SCADYG_OK);
            assert_int_equal(t.count[0], out.queries * (uint64_t)options.seeds);
            assert_true(errors[0] == 0 && out.clusters == 9);
            assert_true(fabs(errors[1] - direct_error(t.all, t.count[0])) < 1e-12);
            fake_close(&f);
            fake_close(&g);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(paired_differences), cmocka_unit_test(errors_of_protocols)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
