/* Baselines for affinity, worked out by hand under their protocol and against dense vectors. */
#include "evaluate/fake.h"
#include "evaluate/rounds.h"

#include "base/rng.h"
#include "models/baselines/rules.h"

#include <math.h>

/*
 * Three classes; node 0 and node 1. Events at 0, 1, .., 9, so q70 = 6.3 and q85 = 7.65.
 *
 *   time 2   node 0: (1, 0, 0)
 *   time 5   node 0: (0, 1, 0)      node 1: (0, 0, 1)
 *   time 7   node 0: (0, 1/2, 1/2)                        validation
 *   time 8   node 0: (0, 0, 1)      node 1: (0, 0, 1)     test
 *   time 20  node 1: (1, 0, 0)                            test
 */
static double label_time[] = {2, 5, 7, 8, 20};
static size_t first_row[] = {0, 1, 3, 4, 6, 7}, first[] = {0, 1, 2, 3, 5, 6, 7, 8};
static uint32_t node_of[] = {0, 0, 1, 0, 0, 1, 1}, class_of[] = {0, 1, 2, 1, 2, 2, 2, 0};
static float weight[] = {1, 1, 1, 0.5f, 0.5f, 1, 1, 1};
static const sg_labels labels = {3, NULL, 5, label_time, first_row, node_of, first, class_of, weight, {0, 0}};

static const uint32_t ends[10] = {0};
static const double when[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
static const sg_evaluated_data data = {
    .columns = {.count = 10, .src = ends, .dst = ends, .time = when}, .nodes = 2, .labels = &labels};

static void open_rules(const sg_labels *some, uint64_t nodes, sg_label_scorer *persistence,
                       sg_label_scorer *average)
{
    assert_int_equal(sg_label_rule_open(sg_label_rule_find("persistence"), some, nodes, persistence, NULL), 0);
    assert_int_equal(sg_label_rule_open(sg_label_rule_find("moving-average"), some, nodes, average, NULL), 0);
}

static void worked_by_hand(void **state)
{
    (void)state;
    sg_label_scorer scorers[2];
    sg_scores scores[2];
    sg_evaluation_scores out = {.scores = scores};
    open_rules(&labels, 2, &scorers[0], &scorers[1]);
    assert_string_equal(scorers[0].name, "persistence");
    sg_eval_options options = {.protocol = SG_PROTOCOL_TGB_NODE, .seeds = 1};
    assert_int_equal(sg_evaluate_labels(NULL, &data, &options, scorers, 2, NULL, &out, NULL), SCADYG_OK);
    /*
     * Persistence. Time 8: node 0 had (0, 1/2, 1/2), truth is class 2: it shares ranks 1 and 2, (1 + second) / 2.
     *              node 1 had (0, 0, 1): 1. Mean of the two.
     * Time 20: node 1 had (0, 0, 1), truth is class 0, which shares ranks 2 and 3: (second + 1/2) / 2.
     */
    const double second = 1 / log2(3), at8 = ((1 + second) / 2 + 1) / 2, at20 = (second + 0.5) / 2;
    near(scores[0].of[SCADYG_NDCG10], (at8 + at20) / 2);
    /*
     * Moving average of node 0 before time 8: (1,0,0), then (6/7, 1/7, 0), then (36/49, 6/49 + 1/14, 1/14): class 2 is
     * third, 1/2. Node 1 as before.
     */
    near(scores[1].of[SCADYG_NDCG10], ((0.5 + 1) / 2 + at20) / 2);
    /* Validation: time 7, node 0, truth (0, 1/2, 1/2). Persistence has (0, 1, 0); ideal is (1 + second) / 2. */
    options.part = SG_PART_VALIDATION;
    assert_int_equal(sg_evaluate_labels(NULL, &data, &options, scorers, 2, NULL, &out, NULL), SCADYG_OK);
    assert_int_equal(out.queries, 1);
    near(scores[0].of[SCADYG_NDCG10], (0.5 + 0.5 * (second + 0.5) / 2) / (0.5 * (1 + second)));
    for (int i = 0; i < 2; i++) scorers[i].close(scorers[i].context);
    assert_null(sg_label_rule_find("edgebank"));
}

/* Sparse memories against dense ones. */
static void memories(void **state)
{
    (void)state;
    enum { GROUPS = 30, CLASSES = 12, NODES = 3, ROWS = GROUPS * NODES };
    for (uint64_t number = 0; number < rounds(100); number++) {
        static size_t rows_of[GROUPS + 1], entries[ROWS + 1];
        static uint32_t nodes[ROWS], classes[ROWS * CLASSES];
        static float weights[ROWS * CLASSES];
        static double times[GROUPS];
        sg_labels random = {CLASSES, NULL, GROUPS, times, rows_of, nodes, entries, classes, weights, {0, 0}};
        double last[NODES][CLASSES] = {{0}}, mean[NODES][CLASSES] = {{0}};
        int had[NODES] = {0};
        size_t row = 0, entry = 0;
        sg_label_scorer persistence, average;
        sg_rng rng;
        sg_rng_seed(&rng, 61, number);
        for (size_t g = 0; g < GROUPS; g++) { /* the labels first */
            rows_of[g] = row;
            for (uint32_t n = 0; n < NODES; n++) {
                if (sg_rng_below(&rng, 3) == 0) continue;
                nodes[row] = n;
                entries[row++] = entry;
                for (uint32_t c = 0; c < CLASSES; c++)
                    if (sg_rng_below(&rng, 3) == 0)
                        classes[entry] = c, weights[entry++] = (float)sg_rng_unit(&rng) + 0.1f;
                if (entries[row - 1] == entry) classes[entry] = 3, weights[entry++] = 1;
            }
        }
        rows_of[GROUPS] = row;
        entries[row] = entry;
        open_rules(&random, NODES, &persistence, &average);
        for (size_t g = 0; g < GROUPS; g++) {
            float a[NODES * CLASSES], b[NODES * CLASSES];
            const uint32_t all[NODES] = {0, 1, 2};
            persistence.score(persistence.context, &(sg_label_question){g, 0, 0, all, NODES, a}, NULL);
            average.score(average.context, &(sg_label_question){g, 0, 0, all, NODES, b}, NULL);
            for (uint32_t i = 0; i < NODES * CLASSES; i++) {
                assert_true(a[i] == (float)last[i / CLASSES][i % CLASSES]);
                assert_true(b[i] == (float)mean[i / CLASSES][i % CLASSES]);
            }
            persistence.reveal(persistence.context, g, NULL);
            average.reveal(average.context, g, NULL);
            for (size_t r = rows_of[g]; r < rows_of[g + 1]; r++) {
                double y[CLASSES] = {0};
                for (size_t i = entries[r]; i < entries[r + 1]; i++) y[classes[i]] = (double)weights[i];
                for (int c = 0; c < CLASSES; c++) {
                    last[nodes[r]][c] = y[c];
                    mean[nodes[r]][c] = had[nodes[r]] ? (6 * mean[nodes[r]][c] + y[c]) / 7 : y[c];
                }
                had[nodes[r]] = 1;
            }
        }
        persistence.close(persistence.context);
        average.close(average.context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(worked_by_hand), cmocka_unit_test(memories)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
