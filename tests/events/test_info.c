/* Info against a slow twin that follows the words of scadyg.h, on random graphs. */
#include "cmocka_all.h"

#include "contexts.h"
#include "events/generate/generate.h"
#include "events/sample.h"
#include "scadyg_lab.h"

#include "base/rng.h"
#include "events/info.h"

#include <math.h>

#define MOST_EVENTS 400
#define MOST_NODES 40

typedef struct graph {
    uint64_t events, nodes;
    uint32_t src[MOST_EVENTS], dst[MOST_EVENTS];
    double time[MOST_EVENTS];
    int64_t ids[MOST_NODES];
} graph;

/* Which of `parts` equal parts of the range a time falls in. */
static int part_of(const graph *g, double time, int parts)
{
    double range = g->time[g->events - 1] - g->time[0];
    if (range <= 0) return 0;
    int part = (int)floor((time - g->time[0]) / range * parts);
    return part < parts ? part : parts - 1;
}

static int takes_part(const graph *g, uint64_t event, uint32_t node)
{
    return g->src[event] == node || g->dst[event] == node;
}

static void slow_nodes(const graph *g, scadyg_info *info)
{
    info->bipartite = 1;
    double active[10] = {0}, fresh[10] = {0};
    uint64_t degree[MOST_NODES] = {0};
    for (uint32_t node = 0; node < g->nodes; node++) {
        int from = 0, to = 0, seen_before = 0;
        for (int part = 0; part < 10; part++) {
            int seen = 0;
            for (uint64_t i = 0; i < g->events; i++)
                if (part_of(g, g->time[i], 10) == part && takes_part(g, i, node)) seen = 1;
            active[part] += seen;
            fresh[part] += seen && !seen_before;
            seen_before |= seen;
        }
        for (uint64_t i = 0; i < g->events; i++) {
            from |= g->src[i] == node;
            to |= g->dst[i] == node;
            degree[node] += (uint64_t)(g->src[i] == node || g->dst[i] == node);
        }
        info->sources += (uint64_t)from;
        info->destinations += (uint64_t)to;
        if (from && to) info->bipartite = 0;
    }
    for (int part = 0; part < 10; part++) info->new_nodes[part] = active[part] > 0 ? fresh[part] / active[part] : 0;
    while (info->top_count < SCADYG_INFO_TOP && info->top_count < g->nodes) {
        uint32_t best = 0;
        for (uint32_t node = 1; node < g->nodes; node++)
            if (degree[node] != UINT64_MAX && (degree[best] == UINT64_MAX || degree[node] > degree[best]))
                best = node;
        info->top_nodes[info->top_count] = best;
        info->top_degrees[info->top_count++] = degree[best];
        degree[best] = UINT64_MAX;
    }
}

static void slow_info(const graph *g, scadyg_info *info)
{
    for (uint64_t i = 0; i < g->events; i++) {
        int pair = 0, row = 0;
        for (uint64_t k = 0; k < i; k++)
            if (g->src[k] == g->src[i] && g->dst[k] == g->dst[i]) {
                pair = 1;
                row |= g->time[k] == g->time[i];
            }
        info->repeated_pairs += (uint64_t)pair;
        info->distinct_pairs += (uint64_t)!pair;
        info->repeated_events += (uint64_t)row;
        info->self_loops += g->src[i] == g->dst[i];
        info->distinct_times += i == 0 || g->time[i] != g->time[i - 1];
        info->events_in_tenth[part_of(g, g->time[i], 10)]++;
        info->histogram[part_of(g, g->time[i], SCADYG_INFO_BINS)]++;
    }
    info->average_degree = 2.0 * (double)g->events / (double)g->nodes;
    slow_nodes(g, info);
}

static void random_graph(sg_rng *rng, graph *g)
{
    g->events = 1 + sg_rng_below(rng, sg_rng_below(rng, 3) ? 60 : MOST_EVENTS);
    g->nodes = 1 + sg_rng_below(rng, MOST_NODES);
    double time = 1e6 * sg_rng_unit(rng);
    int ties = (int)sg_rng_below(rng, 3), two_sided = (int)sg_rng_below(rng, 2) && g->nodes > 1;
    uint64_t half = g->nodes / 2;
    for (uint64_t i = 0; i < g->events; i++) {
        if (!ties || sg_rng_below(rng, 3) == 0) time += ties == 2 ? 0 : floor(100 * sg_rng_unit(rng)) / 8;
        g->time[i] = time;
        g->src[i] = (uint32_t)sg_rng_below(rng, two_sided ? half : g->nodes);
        g->dst[i] = (uint32_t)(two_sided ? half + sg_rng_below(rng, g->nodes - half) : sg_rng_below(rng, g->nodes));
    }
    for (uint64_t i = 0; i < g->nodes; i++) g->ids[i] = (int64_t)i;
}

static void assert_same_info(const scadyg_info *a, const scadyg_info *b)
{
    assert_int_equal(a->sources, b->sources);
    assert_int_equal(a->destinations, b->destinations);
    assert_int_equal(a->bipartite, b->bipartite);
    assert_int_equal(a->distinct_times, b->distinct_times);
    assert_int_equal(a->self_loops, b->self_loops);
    assert_int_equal(a->repeated_events, b->repeated_events);
    assert_int_equal(a->repeated_pairs, b->repeated_pairs);
    assert_int_equal(a->distinct_pairs, b->distinct_pairs);
    assert_true(a->average_degree == b->average_degree);
    assert_int_equal(a->top_count, b->top_count);
    for (size_t i = 0; i < a->top_count; i++) {
        assert_int_equal(a->top_nodes[i], b->top_nodes[i]);
        assert_int_equal(a->top_degrees[i], b->top_degrees[i]);
    }
    for (int i = 0; i < 10; i++) {
        assert_true(a->new_nodes[i] == b->new_nodes[i]);
        assert_int_equal(a->events_in_tenth[i], b->events_in_tenth[i]);
    }
    assert_memory_equal(a->histogram, b->histogram, sizeof a->histogram);
}

static void agrees_with_the_slow_twin(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 5, 1);
    graph *g = malloc(sizeof *g);
    assert_non_null(g);
    for (int round = 0; round < 150; round++) {
        random_graph(&rng, g);
        char path[128];
        sample s = {.shape = {.events = g->events, .nodes = g->nodes},
                    .src = g->src,
                    .dst = g->dst,
                    .time = g->time,
                    .integers = g->ids};
        sample_write(sample_path("info.events", path), &s);
        scadyg_events *events = sample_open(path);
        scadyg_info *fast = NULL, slow = {0};
        slow_info(g, &slow);
        assert_int_equal(scadyg_info_compute(NULL, events, &fast, NULL), SCADYG_OK);
        assert_same_info(fast, &slow);
        scadyg_info_free(fast);
        scadyg_events_close(events);
    }
    free(g);
}

static void any_number_of_threads(void **state)
{
    (void)state;
    sg_generate_options options;
    sg_options_defaults(&sg_generate_set, &options);
    char path[128];
    assert_int_equal(sg_generate(NULL, sample_path("threads.events", path), NULL, &options, NULL), SCADYG_OK);
    scadyg_events *events = sample_open(path);
    scadyg_info *one = NULL, *more = NULL;
    assert_int_equal(scadyg_info_compute(NULL, events, &one, NULL), SCADYG_OK);
    assert_true(one->repeated_pairs > 1000 && one->histogram[59] > 0);
    for (int threads = 2; threads <= 4; threads++) {
        assert_int_equal(
            scadyg_info_compute(context_with(threads, threads == 3 ? 100000 : 0, NULL, NULL), events, &more, NULL),
            SCADYG_OK);
        assert_same_info(one, more);
        scadyg_info_free(more);
    }
    scadyg_info_free(one);
    scadyg_events_close(events);
}

/* With little memory it takes many partitions, and the counts stay. */
static void little_memory(void **state)
{
    (void)state;
    const uint64_t events = 40000;
    uint32_t *src = malloc(events * 4), *dst = malloc(events * 4);
    double *time = malloc(events * 8);
    assert_true(src && dst && time);
    sg_rng rng;
    sg_rng_seed(&rng, 6, 1);
    for (uint64_t i = 0; i < events; i++) {
        src[i] = (uint32_t)sg_rng_below(&rng, 300);
        dst[i] = (uint32_t)sg_rng_below(&rng, 300);
        time[i] = floor((double)i / 500);
    }
    const sg_columns columns = {.count = events, .src = src, .dst = dst, .time = time};
    sg_pair_counts expected, counts;
    assert_int_equal(sg_count_pairs(NULL, &columns, 1u << 30, &expected, NULL), SCADYG_OK);
    assert_int_equal(expected.partitions, 1);
    assert_true(expected.repeated_events > 0);
    for (int threads = 1; threads <= 4; threads++)
        for (uint64_t memory = 1; memory < 1u << 20; memory *= 8) {
            assert_int_equal(sg_count_pairs(context_of(threads), &columns, memory, &counts, NULL), SCADYG_OK);
            assert_int_equal(counts.distinct_pairs, expected.distinct_pairs);
            assert_int_equal(counts.repeated_events, expected.repeated_events);
            if (memory == 1) assert_true(counts.partitions >= 16);
        }
    free(src);
    free(dst);
    free(time);
}

static int stop(void *context, const char *what, uint64_t done, uint64_t total)
{
    int *calls = context;
    assert_true(what[0] != 0 && done <= total);
    return --*calls == 0;
}

static void features_and_cancelling(void **state)
{
    (void)state;
    const uint32_t src[] = {0, 1}, dst[] = {1, 0};
    const double time[] = {1, 1};
    const float edges[] = {0, 0, -0.0f, 0}, nodes[] = {0, 1};
    const int64_t ids[] = {4, 5};
    char path[128];
    sample s = {.shape = {.events = 2, .nodes = 2, .edge_features = 2, .node_features = 1},
                .src = src,
                .dst = dst,
                .time = time,
                .edge_features = edges,
                .node_features = nodes,
                .integers = ids};
    sample_write(sample_path("features.events", path), &s);
    scadyg_events *events = sample_open(path);
    scadyg_info *info = NULL;
    assert_int_equal(scadyg_info_compute(context_of(2), events, &info, NULL), SCADYG_OK);
    assert_int_equal(info->edge_features_zero, 1);
    assert_int_equal(info->node_features_zero, 0);
    assert_int_equal(info->histogram[0], 2);
    assert_true(info->new_nodes[0] == 1);
    scadyg_info_free(info);
    for (int calls = 1; calls <= 2; calls++) {
        int left = calls;
        scadyg_error error;
        info = NULL;
        assert_int_equal(scadyg_info_compute(context_with(1, 0, stop, &left), events, &info, &error),
                         SCADYG_E_CANCELLED);
        assert_null(info); /* left as it was */
    }
    scadyg_events_close(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_slow_twin),
        cmocka_unit_test(any_number_of_threads),
        cmocka_unit_test(little_memory),
        cmocka_unit_test(features_and_cancelling),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sample_clean();
    return failed;
}
