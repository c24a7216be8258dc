/* Memory curves, against a slow twin that reads the parameters by their names. */
#include "predict/live.h"

enum { AGES = 7 };

static const float *group(const scadyg_model *model, const char *name, size_t *columns)
{
    size_t rows;
    const char *found;
    const float *values;
    for (size_t i = 0; (found = scadyg_model_group(model, i, &rows, columns, &values)); i++)
        if (strcmp(found, name) == 0) return values;
    return NULL;
}

static double at_hidden(const scadyg_model *model, double age, size_t hidden)
{
    size_t units = 0;
    const float *fc1 = group(model, "fc1.weight", &units);
    const sg_scadyg_own *own = sg_scadyg_of(model);
    const float *scale = model->scale + own->net.node;
    double sum = 0;
    for (size_t j = 0; j < SG_RATES; j++)
        sum += log(1 + exp(-own->plan.rates.rate[j] * age)) * (double)scale[j] *
               (double)fc1[(2 * own->net.node + j) * units + hidden];
    return sum;
}

static double twin(const scadyg_model *model, double age)
{
    double square = 0, first = 0;
    for (size_t h = 0; h < sg_scadyg_of(model)->net.hidden; h++) {
        square += pow(at_hidden(model, age, h), 2);
        first += pow(at_hidden(model, 0, h), 2);
    }
    return sqrt(square / first);
}

static void compare(const char *settings)
{
    scadyg_events *events = sample_events(5);
    scadyg_model *model = trained(NULL, events, "scadyg", "link", settings);
    scadyg_predictor *p = must_predictor(NULL, model, events);
    const double *rates = sg_scadyg_of(model)->plan.rates.rate;
    scadyg_error error = {0};
    double slowest, fastest, ages[AGES], curve[AGES];
    assert_int_equal(scadyg_memory_rates(p, &slowest, &fastest, &error), SCADYG_OK);
    assert_true(slowest == rates[0] && fastest == rates[SG_RATES - 1]);
    for (size_t i = 0; i < AGES; i++) ages[i] = i ? 0.1 / fastest * pow(10, (double)i) : 0;
    ages[AGES - 1] = 100 / slowest;
    const double at = scadyg_events_shape(events)->last_time;
    for (uint32_t node = 0; node < 5; node++) {
        if (scadyg_memory_curve(p, node, at, ages, AGES, curve, &error)) fail_msg("%s", error.message);
        assert_true(curve[0] == 1);
        assert_true(curve[AGES - 1] < 1e-9); /* forgotten */
        for (size_t i = 0; i < AGES; i++) assert_true(fabs(curve[i] - twin(model, ages[i])) < 1e-6);
    }
    scadyg_predictor_close(p);
    scadyg_model_close(model);
    scadyg_events_close(events);
}

static void as_the_twin(void **state)
{
    (void)state;
    compare(SMALL LIVE "epochs=1");
    compare(SMALL LIVE "epochs=1 without=together,nodes");
}

/* The paper's model: with one rate and no logarithm the curve is the exponential itself, for both tasks. */
static void one_rate(void **state)
{
    (void)state;
    static const char *const tasks[] = {"link", "affinity"};
    scadyg_events *events = sample_events(6);
    for (size_t k = 0; k < 2; k++) {
        scadyg_model *model =
            trained(NULL, events, "scadyg-paper", tasks[k],
                    "steps=30 epochs=1 stepwise=0 normalise=standard gamma0=0.001 without=multirate");
        scadyg_predictor *p = must_predictor(NULL, model, events);
        scadyg_error error = {0};
        const double ages[] = {0, 500, 1000, 3000};
        double curve[4], slowest, fastest;
        if (scadyg_memory_curve(p, 1, scadyg_events_shape(events)->last_time, ages, 4, curve, &error))
            fail_msg("%s", error.message);
        for (size_t i = 0; i < 4; i++) assert_true(fabs(curve[i] - exp(-0.001 * ages[i])) < 1e-9);
        assert_int_equal(scadyg_memory_rates(p, &slowest, &fastest, &error), SCADYG_OK);
        assert_true(slowest == fastest);
        scadyg_predictor_close(p);
        scadyg_model_close(model);
    }
    scadyg_events_close(events);
}

/* A part that was left out has no memory; the other kinds without one are in test_predictor. */
static void without_pairs(void **state)
{
    (void)state;
    scadyg_events *events = sample_events(7);
    scadyg_model *model = trained(NULL, events, "scadyg", "link", SMALL LIVE "epochs=1 without=pairs");
    scadyg_predictor *p = must_predictor(NULL, model, events);
    scadyg_error error = {0};
    const double age = 0, at = scadyg_events_shape(events)->last_time;
    double out = 7;
    assert_int_equal(scadyg_memory_curve(p, 0, at, &age, 1, &out, &error), SCADYG_E_USAGE);
    if (!strstr(error.message, "without pairs")) fail_msg("%s", error.message);
    assert_true(out == 7);
    scadyg_predictor_close(p);
    scadyg_model_close(model);
    scadyg_events_close(events);
}

static void wrong_questions(void **state)
{
    (void)state;
    scadyg_events *events = sample_events(8);
    scadyg_model *model = trained(NULL, events, "scadyg", "link", SMALL LIVE "epochs=1");
    scadyg_predictor *p = must_predictor(NULL, model, events);
    scadyg_error error = {0};
    const double at = scadyg_events_shape(events)->last_time, ages[] = {-1, NAN};
    double out;
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(scadyg_memory_curve(p, 0, at, &ages[i], 1, &out, &error), SCADYG_E_USAGE);
    const double age = 1;
    assert_int_equal(scadyg_memory_curve(p, 1000000, at, &age, 1, &out, &error), SCADYG_E_NOT_FOUND);
    assert_int_equal(scadyg_memory_curve(p, 0, -INFINITY, &age, 1, &out, &error), SCADYG_E_USAGE);
    scadyg_predictor_close(p);
    scadyg_model_close(model);
    scadyg_events_close(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_twin), cmocka_unit_test(one_rate),
                                       cmocka_unit_test(without_pairs), cmocka_unit_test(wrong_questions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
