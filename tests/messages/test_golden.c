/* The golden numbers: rates, steps, windows and hops as an independent implementation computed them. */
#include "golden.h"
#include "make_events.h"
#include "messages/opening.h"

#include <math.h>

static double number(const json_t *array, size_t i)
{
    json_t *value = json_array_get(array, i);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static void near(double actual, double expected, double tolerance)
{
    if (!(fabs(actual - expected) <= tolerance)) fail_msg("%.17g where %.17g was expected", actual, expected);
}

static void time_encoding(void **state)
{
    (void)state;
    json_t *golden = golden_load("time_encoding.json"), *one, *row;
    size_t i, k;
    json_array_foreach(json_object_get(golden, "cases"), i, one)
    {
        double a = json_number_value(json_object_get(one, "a")), rates[64];
        size_t d = (size_t)json_integer_value(json_object_get(one, "d"));
        sg_rates_even(a, d, rates);
        for (size_t j = 0; j < d; j++) near(-rates[j] / a, number(json_object_get(one, "gamma"), j) / a, 1e-12);
        json_array_foreach(json_object_get(one, "encoding"), k, row)
        {
            double dt = number(json_object_get(one, "dt"), k);
            for (size_t j = 0; j < d; j++) near(exp(-rates[j] * dt), number(row, j), 1e-12);
        }
    }
    json_decref(golden);
}

/* The toy graph of the golden files: 15 events over 6 nodes in 3 steps, 4 edge and 5 node features. */

enum { EVENTS = 15, NODES = 6, EDGE = 4, NODE = 5, WIDTH = EDGE + NODE, STEPS = 3 };

/*
 * The golden features have four decimals, which a float cannot hold; ten thousand times as much is a whole
 * number. Messages are linear, so they are ten thousand times as large.
 */
#define SCALE 1e4

static scadyg_events *toy_graph(double t_end[STEPS])
{
    static uint32_t src[EVENTS], dst[EVENTS];
    static double time[EVENTS];
    static float features[EVENTS][EDGE], node_values[NODES][NODE];
    json_t *golden = golden_load("intra_step.json"), *input = json_object_get(golden, "input");
    size_t at = 0;
    for (size_t step = 0; step < STEPS; step++) {
        json_t *times = json_array_get(json_object_get(input, "t"), step);
        for (size_t i = 0; i < json_array_size(times); i++, at++) {
            src[at] = (uint32_t)number(json_array_get(json_object_get(input, "src"), step), i);
            dst[at] = (uint32_t)number(json_array_get(json_object_get(input, "dst"), step), i);
            time[at] = number(times, i);
            json_t *x = json_array_get(json_array_get(json_object_get(input, "x_e"), step), i);
            for (size_t j = 0; j < EDGE; j++) features[at][j] = (float)round(SCALE * number(x, j));
        }
        t_end[step] = number(json_object_get(input, "t_end"), step);
    }
    assert_int_equal(at, EVENTS);
    for (size_t node = 0; node < NODES; node++)
        for (size_t j = 0; j < NODE; j++)
            node_values[node][j] =
                (float)round(SCALE * number(json_array_get(json_object_get(input, "x_v"), node), j));
    json_decref(golden);
    return make_events(&(made_events){.count = EVENTS,
                                      .nodes = NODES,
                                      .src = src,
                                      .dst = dst,
                                      .time = time,
                                      .edge_features = EDGE,
                                      .features = &features[0][0],
                                      .node_features = NODE,
                                      .node_values = &node_values[0][0]});
}

static scadyg_messages *toy_plan(scadyg_events *events, int64_t window, int64_t hops, int double_precision)
{
    sg_messages_options options = default_messages();
    options.steps = STEPS;
    options.window = window;
    options.hops = hops;
    options.gamma0 = 0.05;
    options.node_features = "stored";
    options.double_precision = double_precision;
    return must_open(NULL, events, &options);
}

static double tolerance_of(int double_precision)
{
    return double_precision ? 1e-12 : 1e-6;
}

/* The largest number of a matrix: positive and negative terms may nearly cancel in a single one. */
static double largest(const json_t *matrix)
{
    double most = 1;
    for (size_t i = 0; i < json_array_size(matrix); i++)
        for (size_t j = 0; j < json_array_size(json_array_get(matrix, i)); j++)
            most = fmax(most, fabs(number(json_array_get(matrix, i), j)));
    return most;
}

/* Walks to the end of a step and reads all nodes there, in float, and the same from a stream, in double. */
static void read_step(scadyg_events *events, scadyg_messages *plan, int64_t step, double at, double *streamed,
                      float *walked)
{
    const size_t width = scadyg_messages_width(plan);
    uint64_t first, count;
    scadyg_stream *stream;
    MUST(scadyg_messages_step(plan, step, &failure));
    MUST(scadyg_messages_read(plan, at, NULL, NODES, walked, &failure));
    assert_int_equal(scadyg_messages_step_range(plan, step, &first, &count, NULL), SCADYG_OK);
    MUST(scadyg_stream_open(plan, &stream, &failure));
    MUST(scadyg_stream_add_events(stream, events, 0, first + count, &failure));
    /* A stream sees only what is strictly before: the end of the step itself is there a moment later. */
    for (uint32_t node = 0; node < NODES; node++)
        MUST(scadyg_stream_read(stream, node, nextafter(at, INFINITY), streamed + node * width, &failure));
    scadyg_stream_close(stream);
}

/* Compares columns begin .. of all nodes with a matrix [node][column]. */
static void check_part(const double *streamed, const float *walked, size_t pitch, size_t begin,
                       const json_t *matrix, double tolerance)
{
    const double size = largest(matrix);
    for (size_t node = 0; node < NODES; node++) {
        const json_t *row = json_array_get(matrix, node);
        for (size_t j = 0; j < json_array_size(row); j++) {
            const size_t at = node * pitch + begin + j;
            near(streamed[at] / SCALE, number(row, j), tolerance * size);
            if (walked) near((double)walked[at] / SCALE, number(row, j), 1e-6 * size);
        }
    }
}

static void intra_step_and_hops(void **state)
{
    (void)state;
    double t_end[STEPS];
    scadyg_events *events = toy_graph(t_end);
    json_t *golden = golden_load("multi_hop.json"), *hops = json_object_get(golden, "hops");
    json_t *intra = golden_load("intra_step.json");
    for (int precise = 0; precise < 2; precise++) {
        scadyg_messages *plan = toy_plan(events, 1, 3, precise);
        assert_int_equal(scadyg_messages_width(plan), 3 * WIDTH);
        for (size_t step = 0; step < STEPS; step++) {
            double streamed[NODES * 3 * WIDTH];
            float walked[NODES * 3 * WIDTH];
            read_step(events, plan, (int64_t)step, t_end[step], streamed, walked);
            for (size_t part = 0; part < 2; part++) {
                const char *name = part ? "x_mv" : "x_me";
                const size_t begin = part ? EDGE : 0;
                check_part(streamed, walked, 3 * WIDTH, begin, json_array_get(json_object_get(intra, name), step),
                           tolerance_of(precise));
                for (size_t hop = 0; hop < 3; hop++) {
                    json_t *matrices = json_object_get(hops, (const char *[]){"1", "2", "3"}[hop]);
                    check_part(streamed, walked, 3 * WIDTH, hop * WIDTH + begin,
                               json_array_get(json_object_get(matrices, name), step), tolerance_of(precise));
                }
            }
        }
        scadyg_messages_close(plan);
    }
    json_decref(golden);
    json_decref(intra);
    scadyg_events_close(events);
}

static void windows(void **state)
{
    (void)state;
    double t_end[STEPS];
    scadyg_events *events = toy_graph(t_end);
    json_t *golden = golden_load("inter_step.json");
    static const char *const names[] = {"full", "n1", "n2"};
    for (int precise = 0; precise < 2; precise++)
        for (int64_t window = 0; window < 3; window++) {
            scadyg_messages *plan = toy_plan(events, window, 1, precise);
            for (int later = 0; later < 2; later++) {
                double at = later ? 33 : 30, streamed[NODES * WIDTH], batch[NODES * WIDTH];
                float walked[NODES * WIDTH];
                json_t *matrix = json_object_get(json_object_get(golden, later ? "t=33" : "t=30"), names[window]);
                read_step(events, plan, STEPS - 1, at, streamed, walked);
                check_part(streamed, walked, WIDTH, 0, matrix, tolerance_of(precise));
                /* The batch engine sees what is strictly before a time, so the event at 30 only later. */
                MUST(scadyg_messages_at(plan, at, NULL, NODES, batch, &failure));
                if (later) check_part(batch, NULL, WIDTH, 0, matrix, tolerance_of(precise));
            }
            scadyg_messages_close(plan);
        }
    json_decref(golden);
    scadyg_events_close(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_encoding),
        cmocka_unit_test(intra_step_and_hops),
        cmocka_unit_test(windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
