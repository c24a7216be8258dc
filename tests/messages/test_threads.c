/* The same bytes on any number of threads, on graphs large enough for the parallel engines. */
#include "make_events.h"
#include "messages/opening.h"

#include "base/rng.h"

enum { EVENTS = 60000, NODES = 20000, FEATURES = 3 };

static scadyg_events *busy_graph(uint64_t nodes, int weights, uint32_t features)
{
    uint32_t *src = malloc(EVENTS * sizeof *src), *dst = malloc(EVENTS * sizeof *dst);
    double *time = malloc(EVENTS * sizeof *time);
    float *weight = malloc(EVENTS * sizeof *weight), *x = malloc(EVENTS * FEATURES * sizeof *x);
    assert_true(src && dst && time && weight && x);
    sg_rng rng;
    sg_rng_seed(&rng, 5, nodes);
    for (size_t i = 0; i < EVENTS; i++) {
        double u = sg_rng_unit(&rng), v = sg_rng_unit(&rng);
        src[i] = (uint32_t)(u * u * u * (double)nodes); /* few nodes with many events */
        dst[i] = (uint32_t)(v * v * (double)nodes);
        time[i] = 1e9 + 0.25 * (double)(i / 3);
        weight[i] = (float)sg_rng_unit(&rng);
    }
    for (size_t i = 0; i < EVENTS * FEATURES; i++) x[i] = (float)sg_rng_unit(&rng) - 0.5f;
    scadyg_events *events = make_events(&(made_events){.count = EVENTS,
                                                       .nodes = nodes,
                                                       .src = src,
                                                       .dst = dst,
                                                       .time = time,
                                                       .weight = weights ? weight : NULL,
                                                       .edge_features = features,
                                                       .features = x});
    free(src);
    free(dst);
    free(time);
    free(weight);
    free(x);
    return events;
}

/* All messages at a time, those of a few nodes, and those at the end of a step, one after the other. */
static double *everything(scadyg_events *events, const sg_messages_options *options, int threads, size_t *size)
{
    static const uint32_t few[] = {7, 0, 7, 199};
    const scadyg_shape *shape = scadyg_events_shape(events);
    const double at = shape->last_time - 100;
    scadyg_messages *plan = must_open(context_of(threads), events, options);
    const size_t width = scadyg_messages_width(plan), nodes = (size_t)shape->nodes, whole = nodes * width;
    double *out = calloc(2 * whole + 4 * width, sizeof *out);
    float *walked = malloc(whole * sizeof *walked);
    assert_true(out && walked);
    MUST(scadyg_messages_at(plan, at, NULL, nodes, out, &failure));
    MUST(scadyg_messages_at(plan, at, few, 4, out + whole, &failure));
    for (size_t i = 0; i < 4; i++)
        assert_memory_equal(out + whole + i * width, out + few[i] * width, width * sizeof *out);
    for (int64_t step = 0; step <= 3; step += 1) MUST(scadyg_messages_step(plan, step, &failure));
    MUST(scadyg_messages_read(plan, shape->last_time, NULL, nodes, walked, &failure));
    for (size_t i = 0; i < whole; i++) out[whole + 4 * width + i] = (double)walked[i];
    free(walked);
    scadyg_messages_close(plan);
    *size = 2 * whole + 4 * width;
    return out;
}

static void same_bytes(scadyg_events *events, const sg_messages_options *options)
{
    size_t size, other;
    double *one = everything(events, options, 1, &size), total = 0;
    for (size_t i = 0; i < size; i++) total += one[i] != 0;
    assert_true(total > 1000); /* there is something to compare */
    for (int threads = 2; threads <= 4; threads += 2) {
        double *many = everything(events, options, threads, &other);
        assert_int_equal(size, other);
        assert_memory_equal(one, many, size * sizeof *one);
        free(many);
    }
    free(one);
}

static void eight_columns(void **state)
{
    (void)state;
    scadyg_events *events = busy_graph(NODES, 0, 0);
    sg_messages_options options = default_messages();
    options.steps = 4;
    same_bytes(events, &options);
    options.gamma0 = 0.01; /* a frame lasts 1600: many of them */
    same_bytes(events, &options);
    options.window = 2;
    same_bytes(events, &options);
    options.double_precision = 1;
    same_bytes(events, &options);
    scadyg_events_close(events);
}

static void features_and_hops(void **state)
{
    (void)state;
    scadyg_events *events = busy_graph(NODES, 1, FEATURES);
    sg_messages_options options = default_messages();
    options.steps = 4;
    options.node_features = "random:4";
    same_bytes(events, &options);
    options.gamma0 = 0.01;
    options.hops = 3;
    same_bytes(events, &options);
    options.window = 2;
    options.double_precision = 1;
    same_bytes(events, &options);
    scadyg_events_close(events);
}

static void onehot(void **state)
{
    (void)state;
    scadyg_events *events = busy_graph(200, 1, 0);
    sg_messages_options options = default_messages();
    options.steps = 4;
    options.node_features = "onehot";
    same_bytes(events, &options);
    scadyg_events_close(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_columns),
        cmocka_unit_test(features_and_hops),
        cmocka_unit_test(onehot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
