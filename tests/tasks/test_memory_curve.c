/* Memory curves, against a slow twin that reads the learned numbers by their names. */
#include "tasks/pair_sample.h"

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

static double at_hidden(const scadyg_model *model, const float *m, double age, size_t hidden)
{
    size_t c = 0, n = 0, units = 0;
    const float *v = group(model, "V", &c), *vr = group(model, "Vr", &n), *fc1 = group(model, "fc1.weight", &units);
    const float *vp = v ? group(model, "Vp", &c) : NULL;
    const float *scale = model->scale + model->pair.node;
    double sum = 0;
    for (size_t j = 0; j < SG_RATES; j++) {
        const double x = log(1 + exp(-model->plan.rates.rate[j] * age)) * (double)scale[j];
        if (!v) sum += x * (double)fc1[(2 * model->pair.node + j) * units + hidden];
        for (size_t i = 0; v && i < 8; i++) {
            double r = 0;
            for (size_t k = 0; k < n; k++) r += (double)vr[i * n + k] * (double)m[k];
            sum += x * (double)fc1[(2 * n + i) * units + hidden] * (double)v[i * c + j] /
                   (1 + exp(-r * (double)vp[j]));
        }
    }
    return sum;
}

static double twin(const scadyg_model *model, const float *message, double age)
{
    double square = 0, first = 0;
    for (size_t h = 0; h < model->pair.hidden; h++) {
        square += pow(at_hidden(model, message, age, h), 2);
        first += pow(at_hidden(model, message, 0, h), 2);
    }
    return sqrt(square / first);
}

static void compare(const char *without)
{
    scadyg_events *events = pair_events(5);
    scadyg_train_options options = pair_options(SCADYG_FRESHNESS_EVENT);
    options.without = without;
    options.epochs = 2;
    scadyg_model *model = must_train(events, &options);
    scadyg_predictor *p = must_predictor(model, events, 1);
    scadyg_error error = {0};
    double slowest, fastest, ages[AGES], curve[AGES];
    assert_int_equal(scadyg_memory_rates(p, &slowest, &fastest, &error), SCADYG_OK);
    assert_true(slowest == model->plan.rates.rate[0] && fastest == model->plan.rates.rate[SG_RATES - 1]);
    for (size_t i = 0; i < AGES; i++) ages[i] = i ? 0.1 / fastest * pow(10, (double)i) : 0;
    ages[AGES - 1] = 100 / slowest;
    const double at = scadyg_events_shape(events)->last_time;
    for (uint32_t node = 0; node < 5; node++) {
        float *message = malloc(model->pair.node * sizeof *message);
        assert_non_null(message);
        assert_int_equal(sg_predictor_message(p, node, at, message, &error), SCADYG_OK);
        if (scadyg_memory_curve(p, node, at, ages, AGES, curve, &error)) fail_msg("%s", error.message);
        assert_true(curve[0] == 1);
        assert_true(curve[AGES - 1] < 1e-9); /* forgotten */
        for (size_t i = 0; i < AGES; i++) assert_true(fabs(curve[i] - twin(model, message, ages[i])) < 1e-6);
        free(message);
    }
    scadyg_predictor_close(p);
    scadyg_model_close(model);
    scadyg_events_close(events);
}

static void as_the_twin(void **state)
{
    (void)state;
    compare("none");
    compare("hypernetwork");
}

/* Head paper: with one rate and no logarithm the curve is the exponential itself. */
static void one_rate(void **state)
{
    (void)state;
    scadyg_events *events = pair_events(6);
    scadyg_train_options options = pair_options(SCADYG_FRESHNESS_EVENT);
    options.head = SCADYG_HEAD_PAPER;
    options.train_pool = 0;
    options.normalise = SCADYG_NORMALISE_STANDARD;
    options.messages.gamma0 = 0.001;
    options.without = "multirate";
    options.epochs = 1;
    scadyg_model *model = must_train(events, &options);
    scadyg_predictor *p = must_predictor(model, events, 1);
    scadyg_error error = {0};
    const double ages[] = {0, 500, 1000, 3000};
    double curve[4];
    if (scadyg_memory_curve(p, 1, scadyg_events_shape(events)->last_time, ages, 4, curve, &error))
        fail_msg("%s", error.message);
    for (size_t i = 0; i < 4; i++) assert_true(fabs(curve[i] - exp(-0.001 * ages[i])) < 1e-9);
    scadyg_predictor_close(p);
    scadyg_model_close(model);
    scadyg_events_close(events);
}

static void refuses(const scadyg_train_options *options, const char *says)
{
    scadyg_events *events = pair_events(7);
    scadyg_model *model = must_train(events, options);
    scadyg_predictor *p = must_predictor(model, events, 1);
    scadyg_error error = {0};
    const double age = 0, at = scadyg_events_shape(events)->last_time;
    double out = 7;
    assert_int_equal(scadyg_memory_curve(p, 0, at, &age, 1, &out, &error), SCADYG_E_USAGE);
    if (!strstr(error.message, says)) fail_msg("%s", error.message);
    assert_true(out == 7);
    scadyg_predictor_close(p);
    scadyg_model_close(model);
    scadyg_events_close(events);
}

static void what_has_none(void **state)
{
    (void)state;
    scadyg_train_options options = pair_options(SCADYG_FRESHNESS_EVENT);
    options.epochs = 1;
    options.without = "pairs";
    refuses(&options, "without pairs");
    options.without = "none";
    options.task = SCADYG_TASK_AFFINITY;
    refuses(&options, "earlier labels");
    options.task = SCADYG_TASK_LINK;
    options.model = SCADYG_MODEL_PAIR_RECENCY;
    refuses(&options, "a heuristic has no memory curves");
}

static void wrong_questions(void **state)
{
    (void)state;
    scadyg_events *events = pair_events(8);
    scadyg_train_options options = pair_options(SCADYG_FRESHNESS_EVENT);
    options.epochs = 1;
    scadyg_model *model = must_train(events, &options);
    scadyg_predictor *p = must_predictor(model, events, 1);
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
                                       cmocka_unit_test(what_has_none), cmocka_unit_test(wrong_questions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
