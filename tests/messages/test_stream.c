/* Streams beyond their file, and what the calls refuse. */
#include "make_events.h"
#include "messages/opening.h"

#include <math.h>

static const uint32_t src[] = {0, 1, 0, 1}, dst[] = {1, 2, 2, 1};
static const double times[] = {0, 3, 6, 10};

static scadyg_events *four_events(void)
{
    return make_events(&(made_events){.count = 4, .nodes = 3, .src = src, .dst = dst, .time = times});
}

static sg_messages_options one_rate(int64_t window, int64_t hops)
{
    sg_messages_options options = default_messages();
    options.steps = 5;
    options.window = window;
    options.hops = hops;
    options.rates = "0.5";
    options.double_precision = 1;
    return options;
}

static void near(double actual, double expected)
{
    if (!(fabs(actual - expected) <= 1e-12 * fabs(expected) + 1e-300))
        fail_msg("%.17g, not %.17g", actual, expected);
}

static void new_nodes_and_later_events(void **state)
{
    (void)state;
    scadyg_events *events = four_events();
    sg_messages_options options = one_rate(0, 1);
    scadyg_messages *plan = must_open(NULL, events, &options);
    scadyg_stream *stream;
    double out;
    MUST(scadyg_stream_open(plan, &stream, &failure));
    MUST(scadyg_stream_add_events(stream, events, 0, 4, &failure));
    MUST(scadyg_stream_add(stream, 100, 1, 30, NULL, 1, &failure));
    MUST(scadyg_stream_read(stream, 100, 30, &out, &failure)); /* at the time of the event it is not there yet */
    assert_true(out == 0);
    MUST(scadyg_stream_read(stream, 1, 30, &out, &failure));
    near(out, 2 * exp(-0.5 * 20) + 0.3 * exp(-0.5 * 27));
    MUST(scadyg_stream_read(stream, 100, 32, &out, &failure));
    near(out, 3 * exp(-1)); /* the scaled time goes on beyond 1 */
    MUST(scadyg_stream_read(stream, 1, 32, &out, &failure));
    near(out, 3 * exp(-1) + 2 * exp(-0.5 * 22) + 0.3 * exp(-0.5 * 29));
    MUST(scadyg_stream_read(stream, 77, 30, &out, &failure));
    assert_true(out == 0);
    MUST(scadyg_stream_read(stream, 4000000000u, 30, &out, &failure)); /* never seen: zero, and no memory for it */
    assert_true(out == 0);
    scadyg_stream_close(stream);
    scadyg_messages_close(plan);
    scadyg_events_close(events);
}

/* Steps are 2 long. The window moves on with time up to the last step there is, and later events make new
 * steps. */
static void a_window_goes_on(void **state)
{
    (void)state;
    for (int64_t hops = 1; hops <= 2; hops++) {
        scadyg_events *events = four_events();
        sg_messages_options options = one_rate(2, hops);
        scadyg_messages *plan = must_open(NULL, events, &options);
        scadyg_stream *stream;
        double out[2];
        MUST(scadyg_stream_open(plan, &stream, &failure));
        MUST(scadyg_stream_add_events(stream, events, 0, 3, &failure));
        MUST(scadyg_stream_read(stream, 0, 8.5, out, &failure)); /* steps 3 and 4: the event at 6 */
        near(out[0], 0.6 * exp(-0.5 * 2.5));
        if (hops == 2) near(out[1], 2 * 0.6 * exp(-0.5 * 2.5));
        MUST(scadyg_stream_read(stream, 1, 8.5, out, &failure)); /* those at 0 and 3 have left */
        assert_true(out[0] == 0 && out[hops - 1] == 0);
        MUST(scadyg_stream_read(stream, 0, 1000, out, &failure)); /* no step after the file's last: still there */
        assert_true(out[0] > 0);
        MUST(scadyg_stream_add(stream, 1, 1, 11.5, NULL, 1, &failure)); /* step 5: the event at 6 leaves */
        MUST(scadyg_stream_read(stream, 0, 11.75, out, &failure));
        assert_true(out[0] == 0 && out[hops - 1] == 0);
        MUST(scadyg_stream_read(stream, 1, 11.75, out, &failure));
        near(out[0], 2 * 1.15 * exp(-0.125)); /* a self-loop adds twice */
        if (hops == 2) near(out[1], 8 * 1.15 * exp(-0.125));
        scadyg_stream_close(stream);
        scadyg_messages_close(plan);
        scadyg_events_close(events);
    }
}

/* Events with equal times never see each other, whether they come one by one or together, many or few. */
static void strictly_before(void **state)
{
    (void)state;
    enum { COUNT = 600, NODES = 5 };
    uint32_t from[COUNT], to[COUNT];
    double when[COUNT];
    for (int i = 0; i < COUNT; i++) {
        from[i] = (uint32_t)(i * 7 % NODES);
        to[i] = (uint32_t)(i * i % NODES);
        when[i] = i < 300 ? i / 3 : i < 550 ? 150 : 150 + i; /* threes, 250 at one time, then one by one */
    }
    scadyg_events *events =
        make_events(&(made_events){.count = COUNT, .nodes = NODES, .src = from, .dst = to, .time = when});
    for (int together = 0; together < 2; together++)
        for (int64_t window = 0; window < 4; window += 3) {
            sg_messages_options options = one_rate(window, 1);
            scadyg_messages *plan = must_open(NULL, events, &options);
            scadyg_stream *stream;
            double out, expected;
            MUST(scadyg_stream_open(plan, &stream, &failure));
            for (uint64_t i = 0; i < COUNT;) {
                uint64_t run = together ? (i * 5 + 3) % 11 + 1 : 1;
                if (run > COUNT - i) run = COUNT - i;
                if (together)
                    MUST(scadyg_stream_add_events(stream, events, i, run, &failure));
                else
                    MUST(scadyg_stream_add(stream, from[i], to[i], when[i], NULL, 1, &failure));
                i += run;
                uint32_t node = (uint32_t)(i % NODES);
                MUST(scadyg_stream_read(stream, node, when[i - 1], &out, &failure));
                MUST(scadyg_messages_at(plan, when[i - 1], &node, 1, &expected, &failure));
                near(out, expected);
            }
            scadyg_stream_close(stream);
            scadyg_messages_close(plan);
        }
    scadyg_events_close(events);
}

static void wrong_calls(void **state)
{
    (void)state;
    scadyg_events *events = four_events();
    sg_messages_options options = one_rate(0, 1);
    scadyg_messages *plan = must_open(NULL, events, &options);
    scadyg_stream *stream;
    scadyg_error error;
    double out[3];
    float narrow[3];
    uint32_t beyond = 3;
    MUST(scadyg_stream_open(plan, &stream, &failure));
    assert_int_equal(scadyg_stream_add(stream, 0, 1, NAN, NULL, 1, &error), SCADYG_E_USAGE);
    assert_int_equal(scadyg_stream_add(stream, 0, 1, INFINITY, NULL, 1, &error), SCADYG_E_USAGE);
    assert_int_equal(scadyg_stream_add(stream, 0, UINT32_MAX, 1, NULL, 1, &error), SCADYG_E_USAGE);
    MUST(scadyg_stream_add(stream, 0, 1, 5, NULL, 1, &failure));
    assert_int_equal(scadyg_stream_add(stream, 0, 1, 4, NULL, 1, &error), SCADYG_E_USAGE);
    assert_string_equal(error.message, "an event at time 4 cannot follow one at 5");
    assert_int_equal(scadyg_stream_add_events(stream, events, 0, 1, &error), SCADYG_E_USAGE);
    assert_int_equal(scadyg_stream_add_events(stream, events, 3, 2, &error), SCADYG_E_USAGE);
    MUST(scadyg_stream_add_events(stream, events, 4, 0, &failure));
    assert_int_equal(scadyg_stream_read(stream, 0, 4.5, out, &error), SCADYG_E_USAGE);
    scadyg_stream_close(stream);
    assert_int_equal(scadyg_messages_at(plan, 5, &beyond, 1, out, &error), SCADYG_E_NOT_FOUND);
    assert_int_equal(scadyg_messages_at(plan, 5, NULL, 2, out, &error), SCADYG_E_USAGE);
    assert_int_equal(scadyg_messages_at(plan, NAN, NULL, 3, out, &error), SCADYG_E_USAGE);
    assert_int_equal(scadyg_messages_read(plan, 5, NULL, 3, narrow, &error), SCADYG_E_USAGE);
    assert_int_equal(scadyg_messages_step(plan, 5, &error), SCADYG_E_USAGE);
    assert_int_equal(scadyg_messages_step(plan, -1, &error), SCADYG_E_USAGE);
    MUST(scadyg_messages_step(plan, 4, &failure));
    assert_int_equal(scadyg_messages_read(plan, 9, NULL, 3, narrow, &error), SCADYG_E_USAGE);
    assert_int_equal(scadyg_messages_read(plan, 10, &beyond, 1, narrow, &error), SCADYG_E_NOT_FOUND);
    assert_int_equal(scadyg_messages_step_range(plan, 5, NULL, NULL, NULL), SCADYG_E_USAGE);
    scadyg_messages_close(plan);
    scadyg_events_close(events);
}

static void other_features_are_refused(void **state)
{
    (void)state;
    static const float weight[] = {1, 2, 3, 4}, features[] = {1, 2, 3, 4, 5, 6, 7, 8};
    scadyg_events *plain = four_events();
    scadyg_events *rich = make_events(&(made_events){.count = 4,
                                                     .nodes = 3,
                                                     .src = src,
                                                     .dst = dst,
                                                     .time = times,
                                                     .weight = weight,
                                                     .edge_features = 2,
                                                     .features = features});
    sg_messages_options options = default_messages();
    scadyg_messages *plan = must_open(NULL, rich, &options);
    scadyg_stream *stream;
    scadyg_error error;
    MUST(scadyg_stream_open(plan, &stream, &failure));
    assert_int_equal(scadyg_stream_add_events(stream, plain, 0, 4, &error), SCADYG_E_USAGE);
    assert_int_equal(scadyg_stream_add(stream, 0, 1, 1, NULL, 1, &error), SCADYG_E_USAGE);
    scadyg_stream_close(stream);
    scadyg_messages_close(plan);
    scadyg_events_close(plain);
    scadyg_events_close(rich);
}

static int stop_at_once(void *data, const char *what, uint64_t done, uint64_t total)
{
    ++*(int *)data;
    assert_string_equal(what, "propagating");
    assert_true(done <= total);
    return 1;
}

static void cancelling(void **state)
{
    (void)state;
    for (int64_t hops = 1; hops <= 2; hops++) {
        scadyg_events *events = four_events();
        sg_messages_options options = one_rate(0, hops);
        scadyg_context *context;
        scadyg_error error;
        int calls = 0;
        MUST(scadyg_context_open(&context, &failure));
        scadyg_context_set_progress(context, stop_at_once, &calls);
        scadyg_messages *plan = must_open(context, events, &options);
        double out[6] = {-1, -1, -1, -1, -1, -1};
        assert_int_equal(scadyg_messages_at(plan, 11, NULL, 3, out, &error), SCADYG_E_CANCELLED);
        assert_int_equal(calls, 1);
        assert_true(out[0] == -1 && out[5] == -1);
        scadyg_context_set_progress(context, NULL, NULL);
        MUST(scadyg_messages_at(plan, 11, NULL, 3, out, &failure));
        scadyg_context_cancel(context);
        assert_int_equal(scadyg_messages_at(plan, 11, NULL, 3, out, &error), SCADYG_E_CANCELLED);
        scadyg_messages_close(plan);
        scadyg_context_close(context);
        scadyg_events_close(events);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_nodes_and_later_events),
        cmocka_unit_test(a_window_goes_on),
        cmocka_unit_test(strictly_before),
        cmocka_unit_test(wrong_calls),
        cmocka_unit_test(other_features_are_refused),
        cmocka_unit_test(cancelling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
