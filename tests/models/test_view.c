/* A view: the messages of a model over a file. Its ablations are rates, its steps and columns those it was trained on. */
#include "models/sample_model.h"

static void rates_are(const sample *s, double first, double last)
{
    scadyg_model *model = sample_model(s);
    scadyg_events *events = sample_events(s);
    sg_view view;
    scadyg_error error;
    if (sg_view_open(NULL, model, events, &view, &error)) fail_msg("%s: %s", s->name, error.message);
    const size_t width = view.width;
    const double *rates = view.messages->rates;
    assert_int_equal(width, model->width);
    assert_true(rates[0] == first);
    assert_true(rates[width - 1] >= last * (1 - 1e-12) && rates[width - 1] <= last * (1 + 1e-12));
    if (first == last)
        for (size_t j = 0; j < width; j++) assert_true(rates[j] == first);
    sg_view_close(&view);
    scadyg_events_close(events);
    scadyg_model_close(model);
}

static void ablations(void **state)
{
    (void)state;
    const double range = 27.5; /* of the events of samples */
#define PAPER "scadyg-paper", "link"
    const sample cases[] = {
        {"range", PAPER, NULL, 0, 0, 0, 0, 0},
        {"gamma0", PAPER, "gamma0=0.5", 4, 0, 0, 0, 0},
        {"time", PAPER, "gamma0=0.5 without=time", 4, 0, 0, 0, 0},
        {"time and nodes", PAPER, "node-features=onehot hops=2 without=time", 0, 0, 1, 0, 0},
        {"multirate", PAPER, "without=multirate", 0, 3, 0, 0, 0},
        {"multirate and nodes", PAPER, "node-features=stored gamma0=0.3 without=hypernetwork,multirate", 1, 3, 0, 0,
         0},
        {"both", PAPER, "node-features=random:5 without=multirate,time", 2, 0, 0, 0, 0},
        {"affinity", "scadyg", "affinity", NULL, 0, 0, 0, 3, 0},
        {"affinity and multirate", "scadyg", "affinity", "without=multirate", 0, 0, 1, 3, 0},
    };
    rates_are(&cases[0], 1 / range, 0.1 / range);
    rates_are(&cases[1], 0.5, 0.05);
    rates_are(&cases[2], 0, 0);
    rates_are(&cases[3], 0, 0);
    rates_are(&cases[4], 1 / range, 1 / range);
    rates_are(&cases[5], 0.3, 0.3);
    rates_are(&cases[6], 0, 0);
    rates_are(&cases[7], 1 / range, 0.1 / range);
    rates_are(&cases[8], 1 / range, 1 / range);
}

/* A file with other features is refused, whatever the model. */
static void other_events(void **state)
{
    (void)state;
    const sample two = {.name = "two", .edge_features = 2};
    scadyg_events *events = sample_events(&two);
    for (int i = 0; i < SAMPLES; i++) {
        if (samples[i].edge_features == 2) continue;
        scadyg_model *model = sample_model(&samples[i]);
        sg_view view;
        scadyg_error error = {0};
        assert_int_equal(sg_view_open(NULL, model, events, &view, &error), SCADYG_E_INPUT);
        assert_true(error.message[0] && !view.messages);
        scadyg_model_close(model);
    }
    scadyg_events_close(events);
}

/* The width without a file is the width of a plan of the file. */
static void widths(void **state)
{
    (void)state;
    for (int i = 0; i < SAMPLES; i++) {
        scadyg_model *model = sample_model(&samples[i]);
        scadyg_events *events = sample_events(&samples[i]);
        const size_t hops = (size_t)sg_model_messages_options(model).hops;
        assert_int_equal(sg_model_hop_width(model) * hops, sample_width(model, events));
        scadyg_events_close(events);
        scadyg_model_close(model);
    }
}

static size_t hop_width(const char *settings, const sg_trained_on *trained_on)
{
    scadyg_options *options = train_options("scadyg-paper", "link", settings);
    const scadyg_model model = {.kind = options->owner, .options = options, .trained_on = *trained_on};
    const size_t width = sg_model_hop_width(&model);
    scadyg_options_close(options);
    return width;
}

static void widths_that_do_not_fit(void **state)
{
    (void)state;
    sg_trained_on trained_on = {.edge_features = 1};
    assert_int_equal(hop_width("rates=1,2,3", &trained_on), 3);
    trained_on.edge_features = 2;
    assert_int_equal(hop_width("rates=1,2,3", &trained_on), 0);
    assert_int_equal(hop_width("node-features=onehot", &trained_on), 0);
    assert_int_equal(hop_width("node-features=stored", &trained_on), 0);
    assert_int_equal(hop_width("node-features=random:6", &trained_on), 8);
    trained_on.edge_features = UINT32_MAX;
    assert_int_equal(hop_width(NULL, &trained_on), 0);
    trained_on.edge_features = 1 << 23;
    assert_int_equal(hop_width(NULL, &trained_on), 1 << 23);
    assert_int_equal(hop_width("hops=3", &trained_on), 0);
    trained_on.features_zero = 1;
    assert_int_equal(hop_width("hops=3", &trained_on), 8);
    trained_on.node_features = 3;
    assert_int_equal(hop_width(NULL, &trained_on), 0);
}

static void checksums(void **state)
{
    (void)state;
    scadyg_events *a = sample_events(find_sample("paper")), *b = sample_events(find_sample("paper"));
    scadyg_events *c = sample_events(find_sample("paper-standard"));
    assert_int_equal(scadyg_events_checksum(a), scadyg_events_checksum(b));
    assert_int_not_equal(scadyg_events_checksum(a), scadyg_events_checksum(c));
    scadyg_events_close(a);
    scadyg_events_close(b);
    scadyg_events_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ablations), cmocka_unit_test(other_events),           cmocka_unit_test(widths),
        cmocka_unit_test(checksums), cmocka_unit_test(widths_that_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
