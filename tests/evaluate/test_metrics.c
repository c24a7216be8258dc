/* Metrics: the golden numbers, and each against its definition over thousands of cases with many ties. */
#include "golden.h"
#include "cmocka_all.h"
#include "evaluate/rounds.h"

#include "base/rng.h"
#include "evaluate/evaluation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 40 };

static double number(const json_t *array, size_t i)
{
    return json_number_value(json_array_get(array, i));
}

static void near(double actual, double expected)
{
    if (!(fabs(actual - expected) <= 1e-12)) fail_msg("%.17g where %.17g was expected", actual, expected);
}

static void golden_ranks(void **state)
{
    (void)state;
    json_t *file = golden_load("ranking.json"), *golden = json_object_get(file, "mrr");
    const json_t *sources = json_object_get(golden, "sources"), *ranks = json_object_get(golden, "rank");
    const size_t k = (size_t)json_integer_value(json_object_get(golden, "k"));
    double mrr = 0, hits3 = 0;
    for (size_t i = 0; i < json_array_size(sources); i++) {
        double best = -INFINITY, negative[MOST], source = number(sources, i);
        size_t count = 0;
        const json_t *src = json_object_get(golden, "src_pos"), *score = json_object_get(golden, "score_pos");
        for (size_t j = 0; j < json_array_size(src); j++)
            if (number(src, j) == source) best = fmax(best, number(score, j));
        src = json_object_get(golden, "src_neg"), score = json_object_get(golden, "score_neg");
        for (size_t j = 0; j < json_array_size(src) && count < k; j++)
            if (number(src, j) == source) negative[count++] = number(score, j);
        const double rank = sg_rank_paper(best, negative, count);
        near(rank, number(ranks, i));
        mrr += 1 / rank, hits3 += rank <= 3;
    }
    near(mrr / (double)json_array_size(sources), json_number_value(json_object_get(golden, "mrr")));
    near(hits3 / (double)json_array_size(sources),
         json_number_value(json_object_get(json_object_get(golden, "recall_at"), "3")));
    json_decref(file);
}

static void golden_ap_auc(void **state)
{
    (void)state;
    json_t *file = golden_load("ranking.json"), *golden = json_object_get(file, "binary");
    const json_t *label = json_object_get(golden, "label"), *score = json_object_get(golden, "score");
    double positive[512], negative[512], ap, auc;
    size_t p = 0, n = 0;
    for (size_t i = 0; i < json_array_size(label); i++)
        if (number(label, i) > 0)
            positive[p++] = number(score, i);
        else
            negative[n++] = number(score, i);
    sg_ap_auc(positive, p, negative, n, &ap, &auc);
    near(ap, json_number_value(json_object_get(golden, "ap")));
    near(auc, json_number_value(json_object_get(golden, "auc")));
    json_decref(file);
}

static void golden_ndcg(void **state)
{
    (void)state;
    json_t *golden = golden_load("ndcg.json");
    const json_t *rows = json_object_get(golden, "y_true");
    for (size_t r = 0; r < json_array_size(rows); r++) {
        const json_t *y = json_array_get(rows, r), *s = json_array_get(json_object_get(golden, "y_score"), r);
        double truth[MOST];
        float score[MOST];
        for (size_t i = 0; i < json_array_size(y); i++) truth[i] = number(y, i), score[i] = (float)number(s, i);
        near(sg_ndcg(truth, score, json_array_size(y), 10), number(json_object_get(golden, "row"), r));
    }
    json_decref(golden);
    /* The values in scikit-learn's own documentation. */
    const double truth[] = {10, 0, 0, 1, 5};
    near(sg_ndcg(truth, (float[]){1, 0, 0, 0, 1}, 5, 1), 0.75);
    assert_true(fabs(sg_ndcg(truth, (float[]){.1f, .2f, .3f, 4, 70}, 5, 10) - 0.69569) < 1e-5);
}

/* A score with few values, now and then a large, an infinite or no number. */
static double some_score(sg_rng *rng, int odd)
{
    if (odd && sg_rng_below(rng, 10) == 0) return NAN;
    if (odd && sg_rng_below(rng, 20) == 0) return sg_rng_below(rng, 2) ? INFINITY : -INFINITY;
    if (sg_rng_below(rng, 4) == 0) return sg_rng_normal(rng);
    return ((double)sg_rng_below(rng, 5) - 2) / 2;
}

/* Is the first ahead of the second (1), level (0) or behind (-1)? Written down from the rule, for both being told. */
static int compare(double a, int a_positive, double b, int b_positive)
{
    int a_class = !isnan(a) ? 0 : a_positive ? 2 : 1, b_class = !isnan(b) ? 0 : b_positive ? 2 : 1;
    if (a_class || b_class) return (a_class < b_class) - (a_class > b_class);
    return (a > b) - (a < b);
}

static void ranks_by_definition(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < rounds(5000); round++) {
        sg_rng rng;
        double negative[MOST];
        sg_rng_seed(&rng, 11, round);
        const size_t count = (size_t)sg_rng_below(&rng, MOST + 1);
        const double positive = some_score(&rng, 1);
        size_t ahead = 0, level = 0;
        for (size_t i = 0; i < count; i++) {
            negative[i] = some_score(&rng, 1);
            int side = compare(negative[i], 0, positive, 1);
            ahead += side > 0, level += side == 0;
        }
        near(sg_rank_paper(positive, negative, count), 1 + (double)(ahead + level));
        near(sg_rank_tgb(positive, negative, count), 1 + (double)ahead + 0.5 * (double)level);
    }
    const double same[] = {2, 2, 2, 2, 2, 2};
    near(sg_rank_tgb(2, same, 6), 4); /* all equal, n negatives: 1 + n / 2 */
    near(sg_rank_paper(2, same, 6), 7);
    near(sg_rank_paper(NAN, same, 6), 7);
    near(sg_rank_tgb(NAN, same, 6), 7);
    near(sg_rank_paper(-INFINITY, (double[]){NAN, NAN}, 2), 1);
}

/* One threshold after another: AP is the sum of (R_n - R_{n-1}) P_n. */
static double slow_ap(const double *p, size_t ps, const double *n, size_t ns)
{
    double sum = 0;
    for (size_t i = 0; i < ps; i++) {
        size_t tp = 0, fp = 0;
        for (size_t j = 0; j < ps; j++) tp += compare(p[j], 1, p[i], 1) >= 0;
        for (size_t j = 0; j < ns; j++) fp += compare(n[j], 0, p[i], 1) >= 0;
        sum += (double)tp / (double)(tp + fp) / (double)ps;
    }
    return sum;
}

static double slow_auc(const double *p, size_t ps, const double *n, size_t ns)
{
    double sum = 0;
    for (size_t i = 0; i < ps; i++)
        for (size_t j = 0; j < ns; j++) sum += 0.5 * (1 + compare(p[i], 1, n[j], 0));
    return sum / (double)(ps * ns);
}

static void check_ap_auc(sg_rng *rng, size_t most, int odd)
{
    static double p[1500], n[1500];
    const size_t ps = 1 + (size_t)sg_rng_below(rng, most), ns = 1 + (size_t)sg_rng_below(rng, most);
    double ap, auc;
    for (size_t i = 0; i < ps; i++) p[i] = some_score(rng, odd);
    for (size_t i = 0; i < ns; i++) n[i] = some_score(rng, odd);
    const double expected_ap = slow_ap(p, ps, n, ns), expected_auc = slow_auc(p, ps, n, ns);
    sg_ap_auc(p, ps, n, ns, &ap, &auc);
    near(ap, expected_ap);
    near(auc, expected_auc);
}

static void ap_auc_by_definition(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 12, 0);
    for (uint64_t round = 0; round < rounds(4000); round++) check_ap_auc(&rng, MOST, round & 1);
    for (uint64_t round = 0; round < rounds(20); round++)
        check_ap_auc(&rng, 1500, round & 1); /* sorted by digits */
    double ap, auc, one = 1;
    sg_ap_auc(&one, 0, &one, 1, &ap, &auc);
    assert_true(isnan(ap) && isnan(auc));
    sg_ap_auc(&one, 1, &one, 0, &ap, &auc);
    assert_true(ap == 1 && isnan(auc));
}

/* The mean over ties, literally: a class's rank is anything its group covers, with the same chance. */
static double slow_ndcg(const double *truth, const float *score, size_t classes, size_t k)
{
    double dcg = 0, ideal = 0;
    for (size_t i = 0; i < classes; i++) {
        size_t ahead = 0, level = 0, larger = 0;
        double share = 0;
        for (size_t j = 0; j < classes; j++) {
            ahead += score[j] > score[i], level += score[j] == score[i];
            larger += truth[j] > truth[i] || (truth[j] == truth[i] && j < i);
        }
        for (size_t r = ahead; r < ahead + level && r < k; r++) share += 1 / log2((double)r + 2) / (double)level;
        dcg += truth[i] * share;
        if (larger < k) ideal += truth[i] / log2((double)larger + 2);
    }
    return ideal > 0 ? dcg / ideal : 0;
}

static void ndcg_by_definition(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < rounds(5000); round++) {
        sg_rng rng;
        double truth[MOST];
        float score[MOST];
        sg_rng_seed(&rng, 13, round);
        const size_t classes = 1 + (size_t)sg_rng_below(&rng, MOST), k = 1 + (size_t)sg_rng_below(&rng, 12);
        for (size_t i = 0; i < classes; i++) {
            truth[i] = sg_rng_below(&rng, 3) ? 0 : (double)sg_rng_below(&rng, 4) + sg_rng_unit(&rng);
            score[i] = (float)some_score(&rng, 0);
        }
        near(sg_ndcg(truth, score, classes, k), slow_ndcg(truth, score, classes, k));
    }
    /* What is not a number comes last. */
    const double truth[] = {1, 0, 0};
    near(sg_ndcg(truth, (float[]){NAN, 1, 0}, 3, 10), 0.5);
}

/* AP and AUC with a weight for each event, from their definitions. */
static void weighted(const double *positive, const double *negative, const double *weight, size_t count, double *ap,
                     double *auc)
{
    double all = 0;
    *ap = *auc = 0;
    for (size_t i = 0; i < count; i++) {
        double a = 0, b = 0;
        all += weight[i];
        for (size_t k = 0; k < count; k++) {
            a += positive[k] >= positive[i] ? weight[k] : 0;
            b += negative[k] >= positive[i] ? weight[k] : 0;
            *auc += weight[i] * weight[k] * (positive[i] > negative[k] ? 1 : positive[i] == negative[k] ? 0.5 : 0);
        }
        *ap += weight[i] * a / (a + b);
    }
    *ap /= all;
    *auc /= all * all;
}

/* What an event adds is the derivative by its weight; and NaN is behind all. */
static void influence(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 52, 1);
    for (int round = 0; round < 200; round++) {
        double positive[20], negative[20], weight[20], ap[20], auc[20], sums[2] = {0};
        const size_t count = 1 + sg_rng_below(&rng, 20);
        for (size_t i = 0; i < count; i++) {
            positive[i] = floor(8 * sg_rng_unit(&rng)) + 1;
            negative[i] = floor(8 * sg_rng_unit(&rng));
            weight[i] = 1;
        }
        sg_ap_auc_influence(positive, negative, count, ap, auc);
        for (size_t k = 0; k < count; k++) {
            double more[2], less[2];
            weight[k] = 1 + 1e-5;
            weighted(positive, negative, weight, count, &more[0], &more[1]);
            weight[k] = 1 - 1e-5;
            weighted(positive, negative, weight, count, &less[0], &less[1]);
            weight[k] = 1;
            assert_true(fabs(ap[k] - (double)count * (more[0] - less[0]) / 2e-5) < 1e-6);
            assert_true(fabs(auc[k] - (double)count * (more[1] - less[1]) / 2e-5) < 1e-6);
            sums[0] += ap[k], sums[1] += auc[k];
        }
        assert_true(fabs(sums[0]) < 1e-9 && fabs(sums[1]) < 1e-9);
        /* Nothing is so far behind as what is not a number. */
        double lost_ap[20], lost_auc[20];
        positive[0] = -1;
        sg_ap_auc_influence(positive, negative, count, ap, auc);
        positive[0] = NAN;
        sg_ap_auc_influence(positive, negative, count, lost_ap, lost_auc);
        assert_memory_equal(ap, lost_ap, count * sizeof *ap);
        assert_memory_equal(auc, lost_auc, count * sizeof *auc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_ranks),
        cmocka_unit_test(golden_ap_auc),
        cmocka_unit_test(golden_ndcg),
        cmocka_unit_test(ranks_by_definition),
        cmocka_unit_test(ap_auc_by_definition),
        cmocka_unit_test(ndcg_by_definition),
        cmocka_unit_test(influence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
