/* What must not matter does not: the origin of time, and whatever happens at or after the moment asked about.
 */
#include "messages/random_graph.h"

static void messages_at(const made_events *made, const sg_messages_options *options, double at, double *out,
                        size_t *size)
{
    scadyg_events *events = make_events(made);
    scadyg_messages *plan = must_open(context_of(2), events, options);
    *size = made->nodes * scadyg_messages_width(plan);
    assert_true(*size <= GRAPH_NODES * 512);
    MUST(scadyg_messages_at(plan, at, NULL, made->nodes, out, &failure));
    scadyg_messages_close(plan);
    scadyg_events_close(events);
}

static void shifting_all_times(void **state)
{
    (void)state;
    static random_graph graph;
    static double here[GRAPH_NODES * 512], there[GRAPH_NODES * 512];
    for (uint64_t number = 0; number < 500; number++) {
        sg_rng rng;
        char rates[2048];
        size_t size;
        sg_rng_seed(&rng, 6, number);
        random_graph_make(&graph, &rng);
        /* Multiples of 1/64 can be shifted without rounding, so not a bit may change. */
        for (size_t i = 0; i < graph.made.count; i++) graph.time[i] = floor(graph.time[i] * 64) / 64;
        sg_messages_options options = random_options(&graph.made, &rng, rates);
        double at = graph.time[pick(&rng, graph.made.count)] + (double)pick(&rng, 3);
        messages_at(&graph.made, &options, at, here, &size);
        for (size_t i = 0; i < graph.made.count; i++) graph.time[i] -= 1234567;
        messages_at(&graph.made, &options, at - 1234567, there, &size);
        assert_memory_equal(here, there, size * sizeof *here);
    }
}

/* Everything about the events from `from` on changes, except the very last time, which the steps depend on.
 */
static void rewrite_the_future(random_graph *graph, sg_rng *rng, size_t from, double at)
{
    const size_t count = graph->made.count;
    for (size_t i = from; i < count; i++) {
        graph->src[i] = (uint32_t)pick(rng, graph->made.nodes);
        graph->dst[i] = (uint32_t)pick(rng, graph->made.nodes);
        graph->weight[i] = 1000;
        for (size_t j = 0; j < graph->made.edge_features; j++)
            graph->features[i * graph->made.edge_features + j] = -1e6f;
        if (i + 1 < count) graph->time[i] = at;
    }
}

static void the_future(void **state)
{
    (void)state;
    static random_graph graph;
    static double before[GRAPH_NODES * 512], after[GRAPH_NODES * 512];
    int altered = 0;
    for (uint64_t number = 0; number < 500; number++) {
        sg_rng rng;
        char rates[2048];
        size_t size, from = 0;
        sg_rng_seed(&rng, 7, number);
        random_graph_make(&graph, &rng);
        graph.made.edge_features = 1 + (uint32_t)pick(&rng, GRAPH_FEATURES);
        sg_messages_options options = random_options(&graph.made, &rng, rates);
        options.step_rule = SG_STEPS_EQUAL_TIME;
        const double at = graph.time[pick(&rng, graph.made.count)];
        while (graph.time[from] < at) from++;
        messages_at(&graph.made, &options, at, before, &size);
        rewrite_the_future(&graph, &rng, from, at);
        messages_at(&graph.made, &options, at, after, &size);
        assert_memory_equal(before, after, size * sizeof *before);
        altered += from > 0;
    }
    assert_true(altered > 300); /* in most cases there was a past to protect */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shifting_all_times),
        cmocka_unit_test(the_future),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
