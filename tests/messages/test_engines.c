/* Batch, streaming and walking engines equal the direct sum on thousands of random multigraphs. */
#include "messages/direct_sum.h"

/*
 * In float, terms below 1e-38 vanish, and a row may be read up to exp(16) before the end of its frame, so
 * less than 1e-30 may be lost altogether.
 */
static void compare(const direct_sum *expected, const double *actual, size_t nodes, size_t width, int precise,
                    const char *engine, uint64_t number)
{
    const double tolerance = precise ? 1e-12 : 1e-5, least = precise ? 1e-290 : 1e-28;
    for (size_t node = 0; node < nodes; node++)
        for (size_t j = 0; j < width; j++) {
            double sum = expected->sum[node][j], got = actual[node * width + j];
            if (!(fabs(got - sum) <= tolerance * expected->size[node][j] + least))
                fail_msg("case %llu, %s: node %zu column %zu is %.17g, not %.17g", (unsigned long long)number,
                         engine, node, j, got, sum);
            if (expected->events[node] == 0 && got != 0)
                fail_msg("case %llu, %s: node %zu column %zu is %g, not zero", (unsigned long long)number, engine,
                         node, j, got);
        }
}

typedef struct one_case {
    uint64_t number;
    const made_events *made;
    const sg_messages_options *options;
    scadyg_events *events;
    scadyg_messages *plan;
    size_t nodes, width;
} one_case;

/* A stream fed one by one and one fed in bulk, read at the same times as the batch engine, strictly before.
 */
static void check_times(const one_case *c, sg_rng *rng)
{
    static direct_sum expected;
    static double out[GRAPH_NODES * DIRECT_WIDTH], some[GRAPH_NODES * DIRECT_WIDTH];
    const made_events *made = c->made;
    scadyg_stream *slow, *bulk;
    MUST(scadyg_stream_open(c->plan, &slow, &failure));
    MUST(scadyg_stream_open(c->plan, &bulk, &failure));
    size_t added = 0;
    while (added < made->count) {
        size_t next = added + 1 + (size_t)pick(rng, made->count - added);
        while (next < made->count && made->time[next] == made->time[next - 1]) next++;
        MUST(scadyg_stream_add_events(bulk, c->events, added, next - added, &failure));
        for (; added < next; added++)
            MUST(scadyg_stream_add(slow, made->src[added], made->dst[added], made->time[added],
                                   made->features + added * made->edge_features,
                                   made->weight ? made->weight[added] : 1, &failure));
        /* Any time after these events and not after the next. */
        double at = made->time[added - 1], until = added < made->count ? made->time[added] : at + 10;
        at = pick(rng, 3) ? fmax(nextafter(at, INFINITY), at + (until - at) * sg_rng_unit(rng)) : until;
        int64_t last = sg_steps_find(&c->plan->steps, at);
        direct_messages(made, c->options, c->plan, added, last, at, &expected);
        MUST(scadyg_messages_at(c->plan, at, NULL, c->nodes, out, &failure));
        compare(&expected, out, c->nodes, c->width, c->options->double_precision, "batch", c->number);
        uint32_t one = (uint32_t)pick(rng, c->nodes);
        MUST(scadyg_messages_at(c->plan, at, &one, 1, some, &failure));
        assert_memory_equal(some, out + one * c->width, c->width * sizeof *out);
        for (uint32_t node = 0; node < c->nodes; node++)
            MUST(scadyg_stream_read(slow, node, at, out + node * c->width, &failure));
        compare(&expected, out, c->nodes, c->width, c->options->double_precision, "one by one", c->number);
        for (uint32_t node = 0; node < c->nodes; node++)
            MUST(scadyg_stream_read(bulk, node, at, out + node * c->width, &failure));
        compare(&expected, out, c->nodes, c->width, c->options->double_precision, "in bulk", c->number);
    }
    scadyg_stream_close(slow);
    scadyg_stream_close(bulk);
}

static void check_walk(const one_case *c, sg_rng *rng)
{
    static direct_sum expected;
    static float out[GRAPH_NODES * DIRECT_WIDTH];
    static double wide[GRAPH_NODES * DIRECT_WIDTH];
    int64_t step = -1;
    for (int visits = 0; visits < 5; visits++) {
        uint64_t first, count;
        double at;
        /* Mostly onwards, sometimes back. */
        step = pick(rng, 4) ? step + 1 + (int64_t)pick(rng, 2) : (int64_t)pick(rng, (uint64_t)c->options->steps);
        if (step >= c->options->steps) break;
        assert_int_equal(scadyg_messages_step_range(c->plan, step, &first, &count, &at), SCADYG_OK);
        if (pick(rng, 2)) at += 10 * sg_rng_unit(rng);
        direct_messages(c->made, c->options, c->plan, c->made->count, step, at, &expected);
        MUST(scadyg_messages_step(c->plan, step, &failure));
        MUST(scadyg_messages_read(c->plan, at, NULL, c->nodes, out, &failure));
        for (size_t i = 0; i < c->nodes * c->width; i++) wide[i] = (double)out[i];
        compare(&expected, wide, c->nodes, c->width, 0, "walk", c->number);
    }
}

static void engines_agree(int double_precision, uint64_t cases)
{
    static random_graph graph;
    for (uint64_t number = 0; number < cases; number++) {
        sg_rng rng;
        char rates[2048];
        sg_rng_seed(&rng, 20240501, number * 2 + (uint64_t)double_precision);
        random_graph_make(&graph, &rng);
        sg_messages_options options = random_options(&graph.made, &rng, rates);
        options.double_precision = double_precision;
        scadyg_events *events = make_events(&graph.made);
        scadyg_messages *plan = must_open(context_of(1 + (int)pick(&rng, 2)), events, &options);
        one_case c = {number, &graph.made, &options, events, plan, graph.made.nodes, scadyg_messages_width(plan)};
        assert_int_equal(c.width, hop_columns(&graph.made, &options) * (size_t)options.hops);
        check_times(&c, &rng);
        check_walk(&c, &rng);
        scadyg_messages_close(plan);
        scadyg_events_close(events);
    }
}

static void engines_agree_in_float(void **state)
{
    (void)state;
    engines_agree(0, 3000);
}

static void engines_agree_in_double(void **state)
{
    (void)state;
    engines_agree(1, 3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engines_agree_in_float),
        cmocka_unit_test(engines_agree_in_double),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
