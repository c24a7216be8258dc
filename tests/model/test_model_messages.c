/* The messages of a model: its ablations are rates, its trained_on is the file's it was trained on. */
#include "model/sample_model.h"

static void rates_are(const sample *s, double first, double last)
{
    scadyg_model *model = sample_model(s);
    scadyg_events *events = sample_events(s);
    scadyg_messages *messages;
    scadyg_error error;
    if (sg_model_messages(model, events, 1, &messages, &error)) fail_msg("%s", error.message);
    const size_t width = scadyg_messages_width(messages);
    const double *rates = scadyg_messages_rates(messages);
    assert_int_equal(width, model->net.width ? model->net.width : 8);
    assert_true(rates[0] == first);
    assert_true(rates[width - 1] >= last * (1 - 1e-12) && rates[width - 1] <= last * (1 + 1e-12));
    if (first == last)
        for (size_t j = 0; j < width; j++) assert_true(rates[j] == first);
    scadyg_messages_close(messages);
    scadyg_events_close(events);
    scadyg_model_close(model);
}

static void ablations(void **state)
{
    (void)state;
    const double range = 27.5; /* of the events of samples */
    const sample cases[] = {
        {"range", {NULL}, 0, 0, 0, 0, 0},
        {"gamma0", {"gamma0", "0.5", NULL}, 4, 0, 0, 0, 0},
        {"time", {"gamma0", "0.5", "without", "time", NULL}, 4, 0, 0, 0, 0},
        {"time and nodes", {"node-features", "onehot", "hops", "2", "without", "time", NULL}, 0, 0, 1, 0, 0},
        {"multirate", {"without", "multirate", NULL}, 0, 3, 0, 0, 0},
        {"multirate and nodes",
         {"node-features", "stored", "gamma0", "0.3", "without", "hypernetwork,multirate", NULL},
         1,
         3,
         0,
         0,
         0},
        {"both", {"node-features", "random:5", "without", "multirate,time", NULL}, 2, 0, 0, 0, 0},
        {"a rule", {"model", "popularity", "node-features", "onehot", "gamma0", "0.5", NULL}, 0, 0, 0, 0, 0},
    };
    rates_are(&cases[0], 1 / range, 0.1 / range);
    rates_are(&cases[1], 0.5, 0.05);
    rates_are(&cases[2], 0, 0);
    rates_are(&cases[3], 0, 0);
    rates_are(&cases[4], 1 / range, 1 / range);
    rates_are(&cases[5], 0.3, 0.3);
    rates_are(&cases[6], 0, 0);
    rates_are(&cases[7], 0.5, 0.05);
}

/* A file with other features is refused, whatever the model. */
static void other_events(void **state)
{
    (void)state;
    const sample two = {"two", {NULL}, 2, 0, 0, 0, 0};
    scadyg_events *events = sample_events(&two);
    for (int i = 0; i < SAMPLES; i++) {
        if (samples[i].edge_features == 2) continue;
        scadyg_model *model = sample_model(&samples[i]);
        scadyg_messages *messages = NULL;
        scadyg_error error = {0};
        assert_int_equal(sg_model_messages(model, events, 1, &messages, &error), SCADYG_E_INPUT);
        assert_true(error.message[0] && !messages);
        scadyg_model_close(model);
    }
    scadyg_events_close(events);
}

static void checksums(void **state)
{
    (void)state;
    scadyg_events *a = sample_events(&samples[0]), *b = sample_events(&samples[0]);
    scadyg_events *c = sample_events(&samples[1]);
    assert_int_equal(scadyg_events_checksum(a), scadyg_events_checksum(b));
    assert_int_not_equal(scadyg_events_checksum(a), scadyg_events_checksum(c));
    scadyg_events_close(a);
    scadyg_events_close(b);
    scadyg_events_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ablations),
        cmocka_unit_test(other_events),
        cmocka_unit_test(checksums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
