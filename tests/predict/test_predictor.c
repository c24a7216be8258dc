/*
 * Predictors of every kind: asked in any order they say the same; several at once, on threads of their own, say what one
 * says alone; and what a kind cannot do is refused with a sentence.
 */
#include "learn/sample.h"

#include <pthread.h>

/* ---- A model of every kind, which all tests share ---- */

enum { KINDS_MOST = 64 };

static scadyg_events *events;
static scadyg_model *models[KINDS_MOST]; /* two of each kind, where it can be both: stepwise and live */
static size_t model_count;

static int has_option(const scadyg_options *options, const char *name)
{
    const scadyg_option *option;
    for (size_t i = 0; (option = scadyg_options_at(options, i)); i++)
        if (strcmp(option->name, name) == 0) return 1;
    return 0;
}

static void add_models(const scadyg_kind *kind)
{
    scadyg_options *options = train_options(
        kind->name, kind->task, kind->learns ? "steps=15 epochs=1 hidden=8 lr=0.01 stepwise=1" : "steps=15");
    assert_true(model_count + 2 <= KINDS_MOST);
    models[model_count++] = must_train(NULL, events, options);
    if (has_option(options, "stepwise")) {
        apply_settings(options, LIVE);
        models[model_count++] = must_train(NULL, events, options);
    }
    scadyg_options_close(options);
}

static int make_models(void **state)
{
    (void)state;
    const scadyg_kind *kind;
    events = sample_events(21);
    for (size_t i = 0; (kind = scadyg_kind_at(i)); i++) add_models(kind);
    return 0;
}

static int close_models(void **state)
{
    (void)state;
    while (model_count) scadyg_model_close(models[--model_count]);
    scadyg_events_close(events);
    return 0;
}

/* ---- Questions, each by itself ---- */

enum { PAIRS = 6, TOP = 5, NODES_ASKED = 3, AGES = 4, WIDEST = 128, NUMBERS = 2048 };

/* Everything that is said of one time, in a few numbers; what the kind cannot do is left out. */
typedef struct answer {
    double numbers[NUMBERS];
    size_t count;
    int failed;
} answer;

static void put(answer *a, const double *numbers, size_t count)
{
    for (size_t i = 0; i < count && a->count < NUMBERS; i++) a->numbers[a->count++] = numbers[i];
}

static void put_floats(answer *a, const float *numbers, size_t count)
{
    for (size_t i = 0; i < count && a->count < NUMBERS; i++) a->numbers[a->count++] = (double)numbers[i];
}

static void ask_links(scadyg_predictor *p, double at, uint32_t turn, answer *a)
{
    uint32_t src[PAIRS], dst[PAIRS], ranked[TOP];
    double time[PAIRS], score[PAIRS], best[TOP], chance[TOP];
    size_t found = 0;
    for (uint32_t i = 0; i < PAIRS; i++) {
        src[i] = (turn + 3 * i) % SAMPLE_NODES;
        dst[i] = (turn + 7 * i) % SAMPLE_NODES;
        time[i] = at - (i % 2 ? 200 : 0); /* not in order */
    }
    a->failed |= scadyg_predict(p, src, dst, time, PAIRS, score, NULL);
    put(a, score, PAIRS);
    a->failed |= scadyg_rank(p, turn, at, (int)turn % 2, TOP, ranked, best, chance, &found, NULL);
    for (size_t i = 0; i < found; i++) put(a, (double[]){ranked[i], best[i]}, 2);
}

/* No cmocka in here: it may run on any thread. */
static void ask(scadyg_predictor *p, const scadyg_model *model, double at, uint32_t turn, answer *a)
{
    static const double ages[AGES] = {0, 10, 1000, 1e5};
    const scadyg_model_info *info = scadyg_model_look(model);
    const uint32_t nodes[NODES_ASKED] = {turn, (turn + 11) % SAMPLE_NODES, (turn + 5) % SAMPLE_NODES};
    double curve[AGES], shares[SAMPLE_NODES];
    static _Thread_local float rows[WIDEST * WIDEST];
    *a = (answer){0};
    if (strcmp(info->task, "link") == 0)
        ask_links(p, at, turn, a);
    else {
        a->failed |= scadyg_affinity(p, turn, at, shares, NULL);
        put(a, shares, info->classes);
    }
    a->failed |= info->width > WIDEST || info->classes > SAMPLE_NODES;
    if (a->failed) return;
    if (!scadyg_embed(p, at, nodes, NODES_ASKED, rows, NULL)) put_floats(a, rows, NODES_ASKED * info->width);
    if (!scadyg_node_weights(p, turn, at, rows, NULL))
        put_floats(a, rows, info->width * (info->width < 4 ? info->width : 4));
    if (!scadyg_memory_curve(p, turn, at, ages, AGES, curve, NULL)) put(a, curve, AGES);
}

static void assert_same_answers(const answer *one, const answer *other)
{
    assert_false(one->failed || other->failed);
    assert_true(one->count > 0 && one->count < NUMBERS);
    assert_int_equal(one->count, other->count);
    assert_memory_equal(one->numbers, other->numbers, one->count * sizeof *one->numbers);
}

/* ---- In any order ---- */

/* Times as shares of the log, back and forth, and beyond its end. */
static const double places[] = {0.9, 0.3, 0.31, 0.95, 0.05, 1, 1.5, 0.3, 0.6, 0.6};
enum { PLACES = sizeof places / sizeof *places };

static double time_of(size_t place)
{
    const scadyg_shape *shape = scadyg_events_shape(events);
    return shape->first_time + 200 + places[place] * (shape->last_time - shape->first_time - 200);
}

static void in_any_order(void **state)
{
    (void)state;
    static answer one, other;
    for (size_t m = 0; m < model_count; m++) {
        scadyg_predictor *all = must_predictor(NULL, models[m], events);
        for (size_t i = 0; i < PLACES; i++) {
            scadyg_predictor *fresh = must_predictor(context_of(2), models[m], events);
            ask(all, models[m], time_of(i), (uint32_t)i, &one);
            ask(fresh, models[m], time_of(i), (uint32_t)i, &other);
            assert_same_answers(&one, &other);
            scadyg_predictor_close(fresh);
        }
        scadyg_predictor_close(all);
    }
}

/* Shares of the classes sum to 1. */
static void shares_sum_to_one(void **state)
{
    (void)state;
    for (size_t m = 0; m < model_count; m++) {
        const scadyg_model_info *info = scadyg_model_look(models[m]);
        if (strcmp(info->task, "affinity") != 0) continue;
        double shares[SAMPLE_NODES], sum = 0;
        scadyg_predictor *p = must_predictor(NULL, models[m], events);
        assert_int_equal(scadyg_affinity(p, 3, scadyg_events_shape(events)->last_time, shares, NULL), SCADYG_OK);
        for (size_t c = 0; c < info->classes; c++) sum += shares[c];
        assert_true(fabs(sum - 1) < 1e-6);
        scadyg_predictor_close(p);
    }
}

/* ---- Several at once ---- */

enum { THREADS = 4 };

typedef struct asker {
    pthread_t thread;
    scadyg_context *context;
    const scadyg_model *model;
    scadyg_events *events;
    answer answers[PLACES];
    int failed;
} asker;

static asker askers[THREADS];

static void *ask_all(void *data)
{
    asker *a = data;
    scadyg_predictor *p = NULL;
    a->failed = scadyg_predictor_open(a->context, a->model, a->events, &p, NULL);
    for (size_t i = 0; i < PLACES && !a->failed; i++) ask(p, a->model, time_of(i), (uint32_t)i, &a->answers[i]);
    scadyg_predictor_close(p);
    return NULL;
}

/* Each with a predictor of its own over the same model and events; the events are opened anew, so that even what is read
 * of them for the first time is read by all at once. */
static void ask_together(const scadyg_model *model, scadyg_context *context, const answer *expected)
{
    static sample_log s;
    sample_log_make(&s, 21, 1e9);
    scadyg_events *fresh = make_events(&s.made);
    for (size_t i = 0; i < THREADS; i++) {
        askers[i].context = context;
        askers[i].model = model;
        askers[i].events = fresh;
        assert_int_equal(pthread_create(&askers[i].thread, NULL, ask_all, &askers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) assert_int_equal(pthread_join(askers[i].thread, NULL), 0);
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(askers[i].failed, SCADYG_OK);
        for (size_t k = 0; k < PLACES; k++) assert_same_answers(&askers[i].answers[k], &expected[k]);
    }
    scadyg_events_close(fresh);
}

static void on_threads(void **state)
{
    (void)state;
    static answer expected[PLACES];
    for (size_t m = 0; m < model_count; m++) {
        scadyg_predictor *alone = must_predictor(NULL, models[m], events);
        for (size_t i = 0; i < PLACES; i++) ask(alone, models[m], time_of(i), (uint32_t)i, &expected[i]);
        scadyg_predictor_close(alone);
        ask_together(models[m], NULL, expected);
        ask_together(models[m], context_of(3), expected); /* one that they share, with workers */
    }
}

/* ---- What a kind cannot do ---- */

static void assert_said(int status, const scadyg_error *error, const char *words)
{
    assert_int_equal(status, SCADYG_E_USAGE);
    if (!strstr(error->message, words)) fail_msg("'%s' does not say '%s'", error->message, words);
}

static void check_baseline(scadyg_predictor *p, const char *name, double at)
{
    const uint32_t node = 1;
    const double age = 0;
    double number = 7, slowest = 7, fastest = 7;
    float row = 7;
    char words[128];
    scadyg_error error = {0};
    snprintf(words, sizeof words, "%s is a baseline that learns nothing: it has no embeddings", name);
    assert_said(scadyg_embed(p, at, &node, 1, &row, &error), &error, words);
    snprintf(words, sizeof words, "%s is a baseline that learns nothing: it has no node weights", name);
    assert_said(scadyg_node_weights(p, node, at, &row, &error), &error, words);
    snprintf(words, sizeof words, "%s is a baseline that learns nothing: it has no memory curves", name);
    assert_said(scadyg_memory_curve(p, node, at, &age, 1, &number, &error), &error, words);
    assert_said(scadyg_memory_rates(p, &slowest, &fastest, &error), &error, words);
    assert_true(row == 7 && number == 7 && slowest == 7 && fastest == 7); /* left as they were */
}

/* The other task's questions. */
static void check_task(scadyg_predictor *p, const scadyg_model_info *info, double at)
{
    const uint32_t node = 1;
    uint32_t ranked = 7;
    double score = 7;
    size_t found = 7;
    scadyg_error error = {0};
    if (strcmp(info->task, "link") == 0) {
        assert_said(scadyg_affinity(p, node, at, &score, &error), &error, "this is a link model");
    } else {
        assert_said(scadyg_predict(p, &node, &node, &at, 1, &score, &error), &error, "this is an affinity model");
        assert_said(scadyg_rank(p, node, at, 0, 1, &ranked, &score, NULL, &found, &error), &error,
                    "this is an affinity model");
    }
    assert_true(ranked == 7 && score == 7 && found == 7);
}

static void refused_with_a_sentence(void **state)
{
    (void)state;
    const double at = scadyg_events_shape(events)->last_time;
    size_t baselines = 0;
    for (size_t m = 0; m < model_count; m++) {
        const scadyg_model_info *info = scadyg_model_look(models[m]);
        scadyg_predictor *p = must_predictor(NULL, models[m], events);
        scadyg_error error = {0};
        const double age = 0;
        double number = 7;
        float row = 7;
        check_task(p, info, at);
        if (!info->learns) {
            check_baseline(p, info->kind, at);
            assert_true(isnan(scadyg_probability(models[m], 1)));
            baselines++;
        }
        if (strcmp(info->kind, "scadyg") == 0 && strcmp(info->task, "affinity") == 0) {
            assert_said(scadyg_node_weights(p, 1, at, &row, &error), &error,
                        "scadyg for --task affinity has no node weights");
            assert_said(scadyg_memory_curve(p, 1, at, &age, 1, &number, &error), &error,
                        "scadyg for --task affinity has no memory curves");
        }
        assert_true(row == 7 && number == 7);
        scadyg_predictor_close(p);
    }
    assert_true(baselines >= 8);
}

/* Nodes that are not there, times before the first event. */
static void wrong_questions(void **state)
{
    (void)state;
    const double at = scadyg_events_shape(events)->last_time, early = scadyg_events_shape(events)->first_time - 1;
    const uint32_t node = 1, nobody = SAMPLE_NODES;
    for (size_t m = 0; m < model_count; m++) {
        const int link = strcmp(scadyg_model_look(models[m])->task, "link") == 0;
        scadyg_predictor *p = must_predictor(NULL, models[m], events);
        scadyg_error error = {0};
        uint32_t ranked;
        double score[SAMPLE_NODES];
        size_t found;
        if (link) {
            assert_int_equal(scadyg_predict(p, &node, &nobody, &at, 1, score, &error), SCADYG_E_NOT_FOUND);
            assert_int_equal(scadyg_rank(p, nobody, at, 0, 1, &ranked, score, NULL, &found, &error),
                             SCADYG_E_NOT_FOUND);
            assert_said(scadyg_predict(p, &node, &node, &early, 1, score, &error), &error, "nothing is known then");
            assert_said(scadyg_rank(p, node, (double)NAN, 0, 1, &ranked, score, NULL, &found, &error), &error,
                        "before the first event");
        } else {
            assert_int_equal(scadyg_affinity(p, nobody, at, score, &error), SCADYG_E_NOT_FOUND);
            assert_said(scadyg_affinity(p, node, early, score, &error), &error, "nothing is known then");
        }
        scadyg_predictor_close(p);
    }
}

/* What a model needs over a log is known before anything is made, and more than the context grants is refused. */
static void more_than_the_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < model_count; i++) {
        scadyg_predictor *p = NULL;
        scadyg_result *result = NULL;
        scadyg_error error = {0};
        models[i]->is_read = 1; /* of one that was just trained the sizes are known */
        assert_int_equal(scadyg_predictor_open(context_with(1, 64, NULL, NULL), models[i], events, &p, &error),
                         SCADYG_E_MEMORY);
        assert_null(p);
        assert_non_null(strstr(error.message, "more than the 64 it may take; --memory allows more"));
        assert_int_equal(scadyg_evaluate(context_with(1, 64, NULL, NULL), models[i], events, NULL, &result, &error),
                         SCADYG_E_MEMORY);
        assert_null(result);
        assert_int_equal(
            scadyg_predictor_open(context_with(1, (uint64_t)64 << 20, NULL, NULL), models[i], events, &p, &error),
            SCADYG_OK);
        scadyg_predictor_close(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_any_order),    cmocka_unit_test(shares_sum_to_one),
        cmocka_unit_test(on_threads),      cmocka_unit_test(refused_with_a_sentence),
        cmocka_unit_test(wrong_questions), cmocka_unit_test(more_than_the_memory),
    };
    return cmocka_run_group_tests(tests, make_models, close_models);
}
