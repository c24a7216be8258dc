/* The past of labels against sums over all earlier labels, and the figures that say how to look at labels. */
#include "cmocka_all.h"

#include "base/rng.h"
#include "events/labels.h"
#include "messages/pairs/label_past.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void near(double x, double should, double by)
{
    if (!(fabs(x - should) <= by)) fail_msg("%.17g, should be %.17g", x, should);
}

enum { NODES = 7, CLASSES = 6, GROUPS = 25, K = SG_LABEL_RATES };

/* Random labels at growing distances; classes 0 .. 4 are the nodes 2 .. 6, class 5 is none. */
static const uint32_t node_of[CLASSES] = {2, 3, 4, 5, 6, UINT32_MAX};

static void random_labels(sg_labels *labels, sg_rng *rng)
{
    scadyg_error error = {0};
    sg_label_builder builder;
    char *const names[CLASSES] = {"2", "3", "4", "5", "6", "none"};
    assert_int_equal(sg_label_builder_open(&builder, labels, &error), SCADYG_OK);
    assert_int_equal(sg_labels_name(labels, names, CLASSES, &error), SCADYG_OK);
    double time = 100;
    for (int g = 0; g < GROUPS; g++) {
        sg_label_entry entries[NODES * CLASSES];
        size_t count = 0;
        for (uint32_t u = 0; u < NODES; u++)
            for (uint32_t c = 0; c < CLASSES; c++)
                if (sg_rng_below(rng, 3) == 0 && u % 3 <= (uint32_t)g % 3)
                    entries[count++] = (sg_label_entry){u, c, (float)(0.1 + sg_rng_unit(rng))};
        if (count == 0) entries[count++] = (sg_label_entry){0, 0, 1};
        assert_int_equal(sg_label_builder_add(&builder, time, entries, count, &error), SCADYG_OK);
        time += 0.5 + 3 * sg_rng_unit(rng);
    }
}

static double decay(double rate, double age)
{
    return isinf(rate) ? 0 : exp(-rate * age);
}

/* The average of a node on a class after the first `groups` label times, from all labels; node NODES: of the means. */
static double slow_average(const sg_labels *labels, const double *rate, size_t groups, uint32_t node,
                           uint32_t class, size_t k)
{
    double sum = 0, weight = 0, latest = -1;
    for (size_t g = groups; g-- > 0;) {
        const size_t first = labels->first_row[g], end = labels->first_row[g + 1];
        double share = 0;
        int has = node == NODES;
        for (size_t row = first; row < end; row++) {
            if (node != NODES && labels->node[row] != node) continue;
            has = 1;
            for (size_t i = labels->first[row]; i < labels->first[row + 1]; i++)
                if (labels->class_of[i] == class)
                    share += (double)labels->weight[i] / (node == NODES ? (double)(end - first) : 1);
        }
        if (!has) continue;
        if (latest < 0) latest = labels->time[g];
        const double factor = latest == labels->time[g] ? 1 : decay(rate[k], latest - labels->time[g]);
        sum += factor * share;
        weight += factor;
    }
    return weight > 0 ? sum / weight : 0;
}

/* Whether a pair must be known: u turned to c, or the node c to the class u. */
static int has_met(const sg_labels *labels, size_t groups, uint32_t node, uint32_t class)
{
    for (size_t row = 0; row < labels->first_row[groups]; row++)
        for (size_t i = labels->first[row]; i < labels->first[row + 1]; i++) {
            const uint32_t u = labels->node[row], c = labels->class_of[i];
            if (u == node && c == class) return 1;
            if (node_of[c] == node && node_of[class] == u) return 1;
        }
    return 0;
}

static void check_past(const sg_label_past *past, const sg_labels *labels, const double *rate, size_t groups)
{
    for (uint32_t u = 0; u < NODES; u++)
        for (uint32_t c = 0; c < CLASSES; c++) {
            const float *average = sg_label_past_find(past, u, c);
            assert_int_equal(average != NULL, has_met(labels, groups, u, c));
            for (size_t k = 0; average && k < K; k++)
                near((double)average[k], slow_average(labels, rate, groups, u, c, k), 1e-5);
        }
    for (uint32_t c = 0; c < CLASSES; c++)
        for (size_t k = 0; k < K; k++)
            near((double)past->all.average[c * K + k], slow_average(labels, rate, groups, NODES, c, k), 1e-5);
}

static void equals_sums(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 5, 0);
    for (int round = 0; round < 10; round++) {
        sg_labels labels;
        sg_label_past past;
        scadyg_error error = {0};
        double rate[K];
        random_labels(&labels, &rng);
        sg_label_rates(2, 40, rate);
        assert_int_equal(sg_label_past_open(&past, NODES, CLASSES, rate, node_of, &error), SCADYG_OK);
        for (int pass = 0; pass < 2; pass++) {
            for (size_t g = 0; g < labels.groups; g++) {
                check_past(&past, &labels, rate, g);
                assert_int_equal(sg_label_past_add(&past, &labels, g, &error), SCADYG_OK);
            }
            sg_label_past_clear(&past);
        }
        sg_label_past_close(&past);
        sg_labels_free(&labels);
    }
}

/* Classes that are no nodes: only what a node turned to is kept. */
static void without_nodes(void **state)
{
    (void)state;
    sg_rng rng;
    sg_labels labels;
    sg_label_past past;
    scadyg_error error = {0};
    double rate[K];
    sg_rng_seed(&rng, 6, 0);
    random_labels(&labels, &rng);
    sg_label_rates(1, 1, rate);
    assert_int_equal(sg_label_past_open(&past, NODES, CLASSES, rate, NULL, &error), SCADYG_OK);
    assert_int_equal(sg_label_past_add(&past, &labels, 0, &error), SCADYG_OK);
    size_t pairs = 0;
    for (size_t u = 0; u < NODES; u++) pairs += past.of[u].count;
    assert_int_equal(pairs, labels.first[labels.first_row[1]]);
    sg_label_past_close(&past);
    sg_label_past_close(&past); /* a closed one is a zeroed one */
    sg_labels_free(&labels);
}

static void figures(void **state)
{
    (void)state;
    double rate[K], gap = 0, noise = 0;
    scadyg_error error = {0};
    sg_label_rates(1, 128, rate);
    assert_true(isinf(rate[0]));
    near(rate[1], log(2) / 0.5, 1e-12);
    near(rate[K - 1], log(2) / 64, 1e-12);
    for (int k = 1; k + 1 < K; k++) near(rate[k] / rate[k + 1], pow(128, 1.0 / (K - 2)), 1e-9);

    sg_labels labels;
    sg_label_builder builder;
    char *const names[] = {"a", "b"};
    const double times[] = {0, 1, 2, 3, 50};
    assert_int_equal(sg_label_builder_open(&builder, &labels, &error), SCADYG_OK);
    assert_int_equal(sg_labels_name(&labels, names, 2, &error), SCADYG_OK);
    for (int g = 0; g < 5; g++) {
        /* Node 0 stays as it is; the share of node 1 on a is .5 and .25 in turn. */
        sg_label_entry entries[] = {{0, 0, 1}, {1, 0, g % 2 ? 1 : 2}, {1, 1, g % 2 ? 3 : 2}};
        assert_int_equal(sg_label_builder_add(&builder, times[g], entries, 3, &error), SCADYG_OK);
    }
    assert_int_equal(sg_label_gap(&labels, 5, &gap, &error), SCADYG_OK);
    near(gap, 1, 0);
    assert_int_equal(sg_label_gap(&labels, 1, &gap, &error), SCADYG_OK);
    near(gap, 1, 0);
    /* Changes 0, log 2 and log 1.5, as often each: the middle one. */
    assert_int_equal(sg_label_noise(&labels, 5, 2, &noise, &error), SCADYG_OK);
    near(noise, log(1.5), 1e-6);
    assert_int_equal(sg_label_noise(&labels, 1, 2, &noise, &error), SCADYG_OK);
    near(noise, 1, 0);
    sg_labels_free(&labels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_sums),
        cmocka_unit_test(without_nodes),
        cmocka_unit_test(figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
