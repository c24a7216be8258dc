/*
 * What is settled when the parameters are chosen: the shares of what a pair's chance is compared with, by their rule; and
 * that a model than which a baseline is better answers as that baseline, in everything it is asked.
 */
#include "learn/sample.h"

#include "models/baselines/rules.h"
#include "models/scadyg/scadyg.h"

#define QUICK "hidden=8 lr=0.01 batch=200 epochs=2 "

/* Everybody goes on with whom they met last, which one rule knows from the first event on. */
static scadyg_events *habits(void)
{
    enum { EVENTS = 700, NODES = 30 };
    static uint32_t src[EVENTS], dst[EVENTS];
    static double time[EVENTS];
    uint32_t last[NODES];
    sg_rng rng;
    sg_rng_seed(&rng, 4, 4);
    for (uint32_t i = 0; i < NODES; i++) last[i] = (i + 1) % NODES;
    for (size_t i = 0; i < EVENTS; i++) {
        src[i] = (uint32_t)sg_rng_below(&rng, NODES);
        if (sg_rng_below(&rng, 6) == 0) last[src[i]] = (uint32_t)sg_rng_below(&rng, NODES);
        dst[i] = last[src[i]];
        time[i] = (double)i;
    }
    const made_events made = {.count = EVENTS, .nodes = NODES, .src = src, .dst = dst, .time = time};
    return make_events(&made);
}

static size_t rule_of(const scadyg_model *model)
{
    return (size_t)sg_scadyg_of(model)->rule;
}

/* ---- A baseline instead ---- */

static void compare_scores(scadyg_events *events, const scadyg_model *model, const scadyg_model *rule)
{
    enum { PAIRS = 400 };
    uint32_t src[PAIRS], dst[PAIRS];
    double time[PAIRS], one[PAIRS], other[PAIRS];
    const scadyg_shape *shape = scadyg_events_shape(events);
    scadyg_error error = {0};
    scadyg_predictor *p = must_predictor(NULL, model, events), *q = must_predictor(NULL, rule, events);
    for (uint32_t i = 0; i < PAIRS; i++) {
        src[i] = i % (uint32_t)shape->nodes;
        dst[i] = i * 7 % (uint32_t)shape->nodes;
        time[i] = shape->first_time + (shape->last_time + 5 - shape->first_time) * (double)(i * 37 % PAIRS) / PAIRS;
    }
    if (scadyg_predict(p, src, dst, time, PAIRS, one, &error) ||
        scadyg_predict(q, src, dst, time, PAIRS, other, &error))
        fail_msg("%s", error.message);
    assert_memory_equal(one, other, sizeof one);
    scadyg_predictor_close(p);
    scadyg_predictor_close(q);
}

/* Long after the last event. A stepwise model is not told how long: it answers as of the end of the last step. */
static void compare_ranks(scadyg_events *events, const scadyg_model *model, const scadyg_model *rule, int stepwise)
{
    enum { BEST = 10 };
    const scadyg_shape *shape = scadyg_events_shape(events);
    const double at = 2 * shape->last_time - shape->first_time + 1;
    const double rule_at = stepwise ? nextafter(shape->last_time, INFINITY) : at;
    scadyg_error error = {0};
    scadyg_predictor *p = must_predictor(NULL, model, events), *q = must_predictor(NULL, rule, events);
    for (uint32_t node = 0; node < 20; node++) {
        uint32_t one[BEST], other[BEST];
        double scores[BEST], rule_scores[BEST], chances[BEST];
        size_t count = BEST, rule_count = BEST;
        if (scadyg_rank(p, node, at, 0, BEST, one, scores, chances, &count, &error) ||
            scadyg_rank(q, node, rule_at, 0, BEST, other, rule_scores, NULL, &rule_count, &error))
            fail_msg("%s", error.message);
        assert_int_equal(count, rule_count);
        assert_memory_equal(one, other, count * sizeof *one);
        assert_memory_equal(scores, rule_scores, count * sizeof *scores);
        for (size_t i = 0; i < count; i++) assert_true(isnan(chances[i]));
    }
    scadyg_predictor_close(p);
    scadyg_predictor_close(q);
}

/* The row of the model is that of the baseline in the same result. */
static void compare_evaluation(scadyg_events *events, const scadyg_model *model, const char *settings)
{
    scadyg_result *result = evaluated(context_of(2), model, events, settings);
    const char *name = scadyg_model_look(model)->answers_as;
    size_t found = 0;
    for (size_t i = 1; i < result->count; i++)
        if (strcmp(result->evaluated[i]->name, name) == 0) found = i;
    assert_true(found > 0);
    for (size_t s = 0; s < SG_SCORES; s++) {
        const double own = result->evaluated[0]->mean[s], rule = result->evaluated[found]->mean[s];
        assert_true(own == rule || (isnan(own) && isnan(rule)));
    }
    scadyg_result_free(result);
}

static scadyg_model *through_a_file(const scadyg_model *model)
{
    char path[64];
    scadyg_error error = {0};
    scadyg_model *back = NULL;
    make_path(path);
    if (scadyg_model_save(model, path, &error) || scadyg_model_open(path, &back, &error))
        fail_msg("%s", error.message);
    unlink(path);
    return back;
}

static void check_answers(scadyg_events *events, const scadyg_model *model, int stepwise)
{
    const char *name = scadyg_model_look(model)->answers_as;
    /* A baseline sees all events before a time, as a stepwise model does a step after the last. */
    scadyg_model *rule = trained(NULL, events, name, "link", "");
    assert_true(isnan(scadyg_probability(model, 1)));
    compare_ranks(events, model, rule, stepwise);
    if (!stepwise) compare_scores(events, model, rule);
    compare_evaluation(events, model, "protocol=paper pool=any");
    if (!stepwise) {
        compare_evaluation(events, model, "protocol=live");
        compare_evaluation(events, model, "protocol=tgb-link negatives=20");
        compare_evaluation(events, model, "protocol=dyglib");
        compare_evaluation(events, model, "protocol=dyglib pool=historical answer=pool");
        compare_evaluation(events, model, "protocol=dyglib pool=inductive");
    }
    scadyg_model_close(rule);
}

typedef struct heard {
    size_t notes;
    char left_out[300]; /* of baselines */
    char last[300];
} heard;

static void hear(void *data, const char *sentence)
{
    heard *h = data;
    h->notes++;
    snprintf(h->last, sizeof h->last, "%s", sentence);
    if (strstr(sentence, "not enough --memory")) snprintf(h->left_out, sizeof h->left_out, "%s", sentence);
}

/* With two epochs of a small net the rule is better; the model says so, and is the rule. */
static void answers_as_the_rule(void **state)
{
    (void)state;
    scadyg_events *events = habits();
    for (int stepwise = 0; stepwise <= 1; stepwise++) {
        scadyg_options *options =
            train_options("scadyg", "link", stepwise ? QUICK "stepwise=1 steps=30" : QUICK "stepwise=0");
        heard h = {0};
        scadyg_error error = {0};
        const scadyg_watch watch = {.size = sizeof watch, .data = &h, .note = hear};
        scadyg_model *model, *back;
        if (scadyg_train(NULL, events, options, NULL, 0, &watch, &model, &error)) fail_msg("%s", error.message);
        const char *name = scadyg_model_look(model)->answers_as;
        assert_non_null(name);
        assert_true(h.notes > 0 && strstr(h.last, name) && strstr(h.last, "answers as that baseline"));
        check_answers(events, model, stepwise);
        back = through_a_file(model);
        assert_string_equal(scadyg_model_look(back)->answers_as, name);
        check_answers(events, back, stepwise);
        scadyg_model_close(back);

        /* The net is there all the same: without falling back it is the same one. */
        apply_settings(options, "fallback=0");
        scadyg_model *net = must_train(NULL, events, options);
        assert_null(scadyg_model_look(net)->answers_as);
        assert_int_equal(net->count, model->count);
        assert_memory_equal(net->values, model->values, net->count * sizeof *net->values);
        assert_true(isfinite(scadyg_probability(net, 1)));
        scadyg_model_close(net);
        scadyg_model_close(model);
        scadyg_options_close(options);
    }
    scadyg_events_close(events);
}

/* Where nothing can be validated nothing is chosen. */
static void without_validation(void **state)
{
    (void)state;
    scadyg_events *events = habits();
    scadyg_model *model = trained(NULL, events, "scadyg", "link", QUICK "train-share=1");
    assert_null(scadyg_model_look(model)->answers_as);
    assert_true(sg_scadyg_of(model)->compared[0] == 1);
    scadyg_model_close(model);
    scadyg_events_close(events);
}

/* Where the net is clearly better it answers as itself. */
static void answers_as_itself(void **state)
{
    (void)state;
    if (UNDER_SANITIZER) skip();
    scadyg_events *events = generated("events=5000 nodes=100 again=0.7", NULL);
    scadyg_model *model = trained(context_of(2), events, "scadyg", "link", "hidden=32 epochs=8 lr=0.01");
    assert_null(scadyg_model_look(model)->answers_as);
    assert_int_equal(rule_of(model), 0);
    scadyg_model_close(model);
    scadyg_events_close(events);
}

/* Baselines that would not fit into the memory are not asked, and it says so; those that do are, and with more all are. */
static void no_room_for_rules(void **state)
{
    (void)state;
    enum { EVENTS = 110000, NODES = 3000 }; /* nearly all of pairs that have not met */
    static uint32_t src[EVENTS], dst[EVENTS];
    static double time[EVENTS];
    for (uint32_t i = 0; i < EVENTS; i++)
        src[i] = i * 7 % NODES, dst[i] = (src[i] + 1 + (i * 2654435761u >> 16) % (NODES - 1)) % NODES, time[i] = i;
    const made_events made = {.count = EVENTS, .nodes = NODES, .src = src, .dst = dst, .time = time};
    scadyg_events *events = make_events(&made);
    static const struct {
        uint64_t memory;
        const char *left_out,
            *answers_as; /* words of what is said of them; the best of the others, if it is better than the net */
    } rooms[] = {{48, " popularity, edgebank,", NULL}, {60, " markov, item-knn,", NULL}, {88, NULL, "markov"}};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        scadyg_options *options =
            train_options("scadyg", "link", "hidden=2 epochs=1 negatives=1 cases=500 lr=1e-9");
        heard h = {0};
        scadyg_error error = {0};
        const scadyg_watch watch = {.size = sizeof watch, .data = &h, .note = hear};
        scadyg_model *model;
        if (scadyg_train(context_with(2, rooms[i].memory << 20, NULL, NULL), events, options, NULL, 0, &watch,
                         &model, &error))
            fail_msg("%s", error.message);
        const char *name = scadyg_model_look(model)->answers_as;
        assert_int_equal(h.left_out[0] != 0, rooms[i].left_out != NULL);
        if (rooms[i].left_out) assert_non_null(strstr(h.left_out, rooms[i].left_out));
        assert_int_equal(name != NULL, rooms[i].answers_as != NULL);
        if (name) assert_string_equal(name, rooms[i].answers_as);
        if (rooms[i].memory == 60) assert_null(strstr(h.left_out, "edgebank"));
        scadyg_model_close(model);
        scadyg_options_close(options);
    }
    (void)context_with(2, 0, NULL, NULL);
    scadyg_events_close(events);
}

/* ---- Once more, and further on ---- */

static void refit_keeps_it(void **state)
{
    (void)state;
    scadyg_events *events = habits();
    scadyg_error error = {0};
    scadyg_model *first = trained(NULL, events, "scadyg", "link", QUICK), *again = NULL;
    if (scadyg_refit(NULL, events, first, NULL, NULL, 0, NULL, &again, &error)) fail_msg("%s", error.message);
    assert_true(rule_of(first) > 0);
    assert_int_equal(rule_of(again), rule_of(first));
    assert_memory_equal(sg_scadyg_of(again)->compared, sg_scadyg_of(first)->compared,
                        sizeof sg_scadyg_of(first)->compared);
    assert_string_equal(scadyg_model_look(again)->answers_as, scadyg_model_look(first)->answers_as);
    scadyg_model_close(again);
    scadyg_model_close(first);
    scadyg_events_close(events);
}

/* ---- The shares ---- */

/* The error against pairs of a pool with these shares, as the rule asks for it. */
static double error_with(scadyg_events *events, scadyg_model *model, const char *pool, double met, double late)
{
    char settings[128];
    snprintf(settings, sizeof settings, "protocol=dyglib pool=%s part=validation queries=6000 baselines=0 seed=1",
             pool);
    sg_scadyg_of(model)->compared[1] = met;
    sg_scadyg_of(model)->compared[2] = late;
    scadyg_result *result = evaluated(NULL, model, events, settings);
    const double error = 1 - result->evaluated[0]->mean[SCADYG_AP];
    scadyg_result_free(result);
    return error;
}

/* Of those that keep the error against random pairs within what is allowed, the best against the others. */
static void shares_by_their_rule(void **state)
{
    (void)state;
    static const double tried[] = {0, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1};
    for (uint64_t seed = 1; seed <= 2; seed++) {
        scadyg_events *events = sample_events(seed);
        scadyg_model *model = trained(NULL, events, "scadyg", "link", SMALL LIVE "epochs=3");
        const double met = sg_scadyg_of(model)->compared[1], late = sg_scadyg_of(model)->compared[2];
        double random[100], least = 1, best = 1;
        for (size_t i = 0; i < 100; i++) {
            random[i] = error_with(events, model, "destination", tried[i / 10], tried[i % 10]);
            least = fmin(least, random[i]);
        }
        for (size_t i = 0; i < 100; i++)
            if (random[i] <= 1.1 * least + 0.001)
                best = fmin(best, error_with(events, model, "historical", tried[i / 10], tried[i % 10]) *
                                      error_with(events, model, "inductive", tried[i / 10], tried[i % 10]));
        print_message("shares %g and %g\n", met, late);
        assert_true(error_with(events, model, "destination", met, late) <= 1.1 * least + 0.001);
        assert_true(error_with(events, model, "historical", met, late) *
                        error_with(events, model, "inductive", met, late) ==
                    best);
        scadyg_model_close(model);
        scadyg_events_close(events);
    }
}

/* Stepwise nothing is learned of pairs that have met, so none of them counts. */
static void stepwise_compares_with_random_pairs(void **state)
{
    (void)state;
    scadyg_events *events = sample_events(2);
    scadyg_model *model = trained(NULL, events, "scadyg", "link", SMALL "epochs=1");
    assert_true(scadyg_model_figure(model, "share_random") == 1);
    assert_true(scadyg_model_figure(model, "share_met") == 0 && scadyg_model_figure(model, "share_late") == 0);
    scadyg_model_close(model);
    scadyg_events_close(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_as_the_rule),
        cmocka_unit_test(without_validation),
        cmocka_unit_test(answers_as_itself),
        cmocka_unit_test(no_room_for_rules),
        cmocka_unit_test(refit_keeps_it),
        cmocka_unit_test(shares_by_their_rule),
        cmocka_unit_test(stepwise_compares_with_random_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
