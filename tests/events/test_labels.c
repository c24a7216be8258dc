/* Labels derived from events, against a slow obvious twin. */
#include "events/importing.h"
#include "make_events.h"

#include "events/labels.h"

#include <math.h>

enum { MOST = 80, NODES = 9 };

static void check_shape(const sg_labels *labels, size_t nodes)
{
    assert_int_equal(labels->first_row[0], 0);
    assert_int_equal(labels->first[0], 0);
    for (size_t g = 0; g < labels->groups; g++) {
        if (g) assert_true(labels->time[g - 1] < labels->time[g]);
        assert_true(labels->first_row[g] < labels->first_row[g + 1]);
        for (size_t r = labels->first_row[g]; r < labels->first_row[g + 1]; r++) {
            double sum = 0;
            assert_true(labels->node[r] < nodes);
            if (r > labels->first_row[g]) assert_true(labels->node[r - 1] < labels->node[r]);
            assert_true(labels->first[r] < labels->first[r + 1]);
            for (size_t e = labels->first[r]; e < labels->first[r + 1]; e++) {
                assert_true(labels->weight[e] > 0 && labels->class_of[e] < labels->classes);
                if (e > labels->first[r]) assert_true(labels->class_of[e - 1] < labels->class_of[e]);
                sum += (double)labels->weight[e];
            }
            assert_true(fabs(sum - 1) < 1e-6);
            assert_int_equal(sg_labels_find(labels, g, labels->node[r]), r);
        }
    }
}

/* The share of one class in the label of a node in a step, straight from the definition. */
static double share(const made_events *made, uint64_t first, uint64_t end, uint32_t node, const int *is_class,
                    uint32_t destination)
{
    double sum = 0, total = 0;
    for (uint64_t e = first; e < end; e++) {
        double weight = made->weight ? fmax(0, (double)made->weight[e]) : 1;
        if (made->src[e] != node || !is_class[made->dst[e]]) continue;
        total += weight;
        if (made->dst[e] == destination) sum += weight;
    }
    return total > 0 ? sum / total : -1;
}

static void check_step(const sg_labels *labels, const made_events *made, const sg_steps *steps, int64_t step,
                       const int *is_class, size_t *group)
{
    const uint64_t first = steps->first[step], end = steps->first[step + 1];
    int any = 0;
    for (uint32_t node = 0; node < NODES; node++) any |= share(made, first, end, node, is_class, 0) >= 0;
    if (!any) return;
    assert_true(*group < labels->groups && labels->time[*group] == made->time[first]);
    for (uint32_t node = 0; node < NODES; node++) {
        size_t row = sg_labels_find(labels, *group, node);
        float dense[NODES + 2];
        if (row == SIZE_MAX) {
            assert_true(share(made, first, end, node, is_class, 0) < 0);
            continue;
        }
        sg_labels_dense(labels, row, dense);
        for (size_t c = 0; c < labels->classes; c++) {
            uint32_t destination = (uint32_t)atoi(labels->names[c]);
            double expected = destination < NODES ? share(made, first, end, node, is_class, destination) : 0;
            assert_true(fabs((double)dense[c] - expected) < 1e-6);
        }
    }
    ++*group;
}

static void random_graph(uint64_t number)
{
    uint32_t src[MOST], dst[MOST];
    double time[MOST];
    float weight[MOST];
    sg_rng rng;
    sg_rng_seed(&rng, 7, number);
    size_t count = 1 + (size_t)sg_rng_below(&rng, MOST);
    for (size_t e = 0; e < count; e++) {
        src[e] = (uint32_t)sg_rng_below(&rng, NODES);
        dst[e] = (uint32_t)sg_rng_below(&rng, NODES);
        time[e] = (e ? time[e - 1] : 100) + (double)sg_rng_below(&rng, 3);
        weight[e] = (float)((double)sg_rng_below(&rng, 6) - 1);
    }
    made_events made = {.count = count, .nodes = NODES, .src = src, .dst = dst, .time = time};
    if (sg_rng_below(&rng, 2)) made.weight = weight;
    scadyg_events *events = make_events(&made);
    sg_steps steps;
    sg_labels labels;
    assert_int_equal(
        sg_steps_make(&steps, time, count, 1 + (int64_t)sg_rng_below(&rng, 12), (int)sg_rng_below(&rng, 2), NULL),
        SCADYG_OK);
    /* Every destination is a class, or some classes of a model, one of which this file does not know. */
    static char *const known[] = {"3", "99", "0"};
    int given = sg_rng_below(&rng, 2) != 0, is_class[NODES] = {0};
    size_t destinations = 0, group = 0;
    for (size_t e = 0; e < count; e++) {
        destinations += !is_class[dst[e]];
        is_class[dst[e]] = 1;
    }
    if (given)
        for (int i = 0; i < NODES; i++) is_class[i] = i == 0 || i == 3;
    assert_int_equal(sg_labels_derive(&labels, events, &steps, given ? known : NULL, given ? 3 : 0, NULL),
                     SCADYG_OK);
    assert_int_equal(labels.classes, given ? 3 : destinations);
    if (given) assert_string_equal(labels.names[1], "99");
    for (size_t c = 1; !given && c < labels.classes; c++)
        assert_true(atoi(labels.names[c - 1]) < atoi(labels.names[c]));
    check_shape(&labels, NODES);
    for (int64_t i = 0; i < steps.count; i++) check_step(&labels, &made, &steps, i, is_class, &group);
    assert_int_equal(group, labels.groups);
    sg_labels_free(&labels);
    sg_steps_free(&steps);
    scadyg_events_close(events);
}

static void derived(void **state)
{
    (void)state;
    int rounds = test_rounds(2000);
    for (int i = 0; i < rounds; i++) random_graph((uint64_t)i);
}

/* Where sources and destinations are separate a class is a destination, whatever source has the same id. */
static void two_id_spaces(void **state)
{
    (void)state;
    char path[128];
    const uint32_t src[] = {0, 2}, dst[] = {1, 3};
    const double time[] = {1, 2};
    const int64_t ids[] = {5, 7, 7, 8}; /* users 5 and 7, items 7 and 8 */
    const uint8_t sides[] = {0, 1, 0, 1};
    const sample s = {
        .shape = {.events = 2, .nodes = 4}, .src = src, .dst = dst, .time = time, .integers = ids, .sides = sides};
    sample_write(sample_path("two.events", path), &s);
    scadyg_events *events = sample_open(path);
    sg_steps steps;
    sg_labels labels;
    assert_int_equal(sg_steps_make(&steps, time, 2, 2, SG_STEPS_EQUAL_TIME, NULL), SCADYG_OK);
    assert_int_equal(sg_labels_derive(&labels, events, &steps, NULL, 0, NULL), SCADYG_OK);
    assert_int_equal(labels.classes, 2);
    assert_string_equal(labels.names[0], "7");
    assert_string_equal(labels.names[1], "8");
    sg_labels_free(&labels);
    static char *const plain[] = {"7"};
    assert_int_equal(sg_labels_derive(&labels, events, &steps, plain, 1, NULL), SCADYG_OK);
    assert_int_equal(labels.groups, 1);
    assert_int_equal(labels.node[0], 0);
    sg_labels_free(&labels);
    sg_labels_free(&labels); /* and again is fine */
    sg_steps_free(&steps);
    scadyg_events_close(events);
    sample_clean();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(derived), cmocka_unit_test(two_id_spaces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
