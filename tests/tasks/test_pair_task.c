/* Learning links with the head `pair`: it learns, with the same bytes however it is run, from options that fit. */
#include "tasks/pair_sample.h"

#include "messages/pairs/ledger_parts.h"

/* ---- It learns ---- */

static void judge(scadyg_events *events, const scadyg_model *model, int protocol, int pool)
{
    scadyg_error error = {0};
    scadyg_result result;
    const scadyg_eval_options judging = {
        .protocol = protocol, .pool = pool, .seeds = 1, .seed = 1, .heuristics = 1, .threads = 2};
    if (scadyg_evaluate(model, events, &judging, NULL, &result, &error)) fail_msg("%s", error.message);
    assert_true(result.overlap == 0);
    const int ap = protocol == SCADYG_PROTOCOL_DYGLIB;
    double best = 0;
    for (size_t i = 1; i < result.count; i++) {
        const double score = ap ? result.judged[i].mean.ap : result.judged[i].mean.mrr;
        if (score > best) best = score;
    }
    const double own = ap ? result.judged[0].mean.ap : result.judged[0].mean.mrr;
    print_message("%s, pool %s: %.3f, the best rule %.3f\n", result.protocol, result.pool, own, best);
    assert_true(own > best);
}

static void it_learns(void **state)
{
    (void)state;
    if (UNDER_SANITIZER) skip();
    scadyg_events *events = generated_graph(14000, 250, 0.7);
    for (int freshness = 0; freshness <= 1; freshness++) {
        scadyg_train_options options = pair_options(freshness);
        options.messages.steps = 60;
        options.hidden = 32;
        options.epochs = 7;
        options.learning_rate = 0.005;
        options.threads = 2;
        scadyg_model *model = must_train(events, &options);
        judge(events, model, SCADYG_PROTOCOL_PAPER, SCADYG_POOL_ANY);
        judge(events, model, SCADYG_PROTOCOL_PAPER, SCADYG_POOL_DESTINATION);
        if (freshness == SCADYG_FRESHNESS_EVENT) /* the rules see every event */
            judge(events, model, SCADYG_PROTOCOL_DYGLIB, SCADYG_POOL_DESTINATION);
        scadyg_model_close(model);
    }
    scadyg_events_close(events);
}

/* ---- The same bytes ---- */

static void threads_do_not_matter(void **state)
{
    (void)state;
    scadyg_events *events = pair_events(1);
    for (int round = 0; round < 4; round++) {
        scadyg_train_options options = pair_options(round % 2);
        options.split = round / 2;
        options.epochs = 2;
        scadyg_model *one = must_train(events, &options);
        for (options.threads = 2; options.threads <= 3; options.threads++) {
            scadyg_model *other = must_train(events, &options);
            assert_same_model(one, other);
            scadyg_model_close(other);
        }
        options.seed = 99;
        scadyg_model *other = must_train(events, &options);
        assert_memory_not_equal(one->values, other->values, one->count * sizeof *one->values);
        scadyg_model_close(other);
        scadyg_model_close(one);
    }
    scadyg_events_close(events);
}

/* Several chunks and long batches: the workers reads one chunk and helps to learn from another at the same time. */
static void reading_beside_learning(void **state)
{
    (void)state;
    scadyg_events *events = generated_graph(8000, 60, 0.5);
    for (int freshness = 0; freshness < 2; freshness++) {
        scadyg_train_options options = pair_options(freshness);
        options.hidden = 64;
        options.walk_width = 64;
        options.batch = 200;
        options.epochs = 1;
        scadyg_model *one = must_train(events, &options);
        for (options.threads = 2; options.threads <= 3; options.threads++) {
            scadyg_model *other = must_train(events, &options);
            assert_same_model(one, other);
            scadyg_model_close(other);
        }
        scadyg_model_close(one);
    }
    scadyg_events_close(events);
}

/* After the last chunk of an epoch nothing is being read. */
static int stop_at_the_end(void *context, const char *what, uint64_t done, uint64_t total)
{
    int *left = context;
    return strcmp(what, "learning") == 0 && done == total && (*left)-- == 0;
}

static void stopped_at_the_end_of_an_epoch(void **state)
{
    (void)state;
    scadyg_events *small = pair_events(5), *large = generated_graph(8000, 60, 0.5);
    for (int round = 0; round < 12; round++) {
        scadyg_train_options options = pair_options(round % 2);
        scadyg_error error = {0};
        scadyg_model *model = NULL;
        int left = round / 4;
        const scadyg_progress progress = {stop_at_the_end, &left};
        options.threads = 1 + round % 3;
        assert_int_equal(
            scadyg_train(round % 4 < 2 ? small : large, &options, NULL, 0, NULL, &progress, &model, &error),
            SCADYG_E_CANCELLED);
    }
    scadyg_events_close(small);
    scadyg_events_close(large);
}

static int stop_at(void *context, const char *what, uint64_t done, uint64_t total)
{
    (void)what, (void)done, (void)total;
    uint64_t *left = context;
    return (*left)-- == 0;
}

static void go_on(scadyg_events *events, scadyg_train_options options, const char *checkpoint, sg_rng *rng)
{
    scadyg_model *whole = must_train(events, &options), *model = NULL;
    scadyg_error error = {0};
    size_t stopped = 0;
    for (int round = 0; round < 3; round++) {
        int status;
        unlink(checkpoint);
        for (uint64_t tries = 0;; tries++) { /* until it gets through */
            uint64_t left = sg_rng_below(rng, 60) + 10 * tries;
            const scadyg_progress progress = {stop_at, &left};
            options.threads = 1 + (int64_t)sg_rng_below(rng, 2);
            status = scadyg_train(events, &options, checkpoint, 1, NULL, &progress, &model, &error);
            if (!status) break;
            if (status != SCADYG_E_CANCELLED) fail_msg("%s", error.message);
            stopped++;
        }
        assert_same_model(whole, model);
        scadyg_model_close(model);
    }
    assert_true(stopped > 3);
    scadyg_model_close(whole);
}

static void assert_refused(scadyg_events *events, const scadyg_train_options *options, const char *checkpoint,
                           const char *sentence)
{
    scadyg_error error = {0};
    scadyg_model *model = NULL;
    assert_int_equal(scadyg_train(events, options, checkpoint, 1, NULL, NULL, &model, &error), SCADYG_E_USAGE);
    if (!strstr(error.message, sentence)) fail_msg("'%s' does not say '%s'", error.message, sentence);
    assert_null(model);
}

static void goes_on_from_a_checkpoint(void **state)
{
    (void)state;
    char checkpoint[64];
    sg_rng rng;
    sg_rng_seed(&rng, 2, 2);
    make_path(checkpoint);
    scadyg_events *events = pair_events(2);
    for (int averaged = 0; averaged <= 1; averaged++) {
        scadyg_train_options options = pair_options(averaged);
        options.averaging = averaged ? 0.95 : 0;
        options.epochs = 6; /* the learning rate falls from the third on */
        options.patience = 6;
        go_on(events, options, checkpoint, &rng);
        /* Of another training it does not go on. */
        options.epochs = 7;
        assert_refused(events, &options, checkpoint, "--epochs");
        options.epochs = 6;
        options.averaging = averaged ? 0 : 0.95;
        assert_refused(events, &options, checkpoint, "--averaging");
        options.averaging = averaged ? 0.95 : 0;
    }
    unlink(checkpoint);
    scadyg_events_close(events);
}

static void kept_in_a_file(void **state)
{
    (void)state;
    char path[64];
    scadyg_error error = {0};
    make_path(path);
    scadyg_events *events = pair_events(3);
    for (int freshness = 0; freshness <= 1; freshness++) {
        const scadyg_train_options options = pair_options(freshness);
        scadyg_model *model = must_train(events, &options), *back;
        if (scadyg_model_save(model, path, &error)) fail_msg("%s", error.message);
        if (scadyg_model_open(path, &back, &error)) fail_msg("%s", error.message);
        assert_same_model(model, back);
        assert_memory_equal(&model->plan, &back->plan, sizeof model->plan);
        const double last = scadyg_events_shape(events)->last_time;
        const uint32_t src[] = {0, 1, 2, 3}, dst[] = {7, 9, 9, 3};
        const double time[] = {last, last + 5, last - 300, last};
        double score[4], again[4];
        scadyg_predictor *one = must_predictor(model, events, 1), *other = must_predictor(back, events, 2);
        if (scadyg_predict(one, src, dst, time, 4, score, NULL, &error) ||
            scadyg_predict(other, src, dst, time, 4, again, NULL, &error))
            fail_msg("%s", error.message);
        assert_memory_equal(score, again, sizeof score);
        for (int i = 0; i < 4; i++) assert_true(isfinite(score[i]));
        scadyg_predictor_close(one);
        scadyg_predictor_close(other);
        scadyg_model_close(model);
        scadyg_model_close(back);
    }
    unlink(path);
    scadyg_events_close(events);
}

/* ---- Options ---- */

static void parts_can_be_left_out(void **state)
{
    (void)state;
    static const char *const lists[] = {"hypernetwork",
                                        "multirate",
                                        "nodes",
                                        "pairs",
                                        "transitions",
                                        "walks1",
                                        "walks2",
                                        "ranking",
                                        "walks1,walks2",
                                        "nodes,pairs,transitions,walks1",
                                        "hypernetwork,multirate,nodes,pairs,transitions,walks1,walks2,ranking"};
    scadyg_events *events = pair_events(4);
    scadyg_train_options options = pair_options(SCADYG_FRESHNESS_EVENT);
    options.epochs = 1;
    scadyg_model *full = must_train(events, &options);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        options.without = lists[i];
        options.threads = 1;
        scadyg_model *model = must_train(events, &options);
        options.threads = 2;
        scadyg_model *again = must_train(events, &options);
        assert_same_model(model, again);
        assert_true(model->count != full->count ||
                    memcmp(model->values, full->values, full->count * sizeof *full->values) != 0);
        scadyg_model_close(model);
        scadyg_model_close(again);
    }
    scadyg_model_close(full);
    scadyg_events_close(events);
}

static void set(scadyg_train_options *options, const char *name, const char *text)
{
    size_t count, i = 0;
    scadyg_error error = {0};
    const scadyg_option *table = scadyg_train_option_table(&count);
    while (i < count && strcmp(table[i].name, name) != 0) i++;
    assert_true(i < count);
    if (scadyg_option_set(&table[i], options, text, &error)) fail_msg("%s", error.message);
}

static void wrong_combinations(void **state)
{
    (void)state;
    static const char *const wrong[][5] = {
        {"head", "pair", "without", "time", "--without time"},
        {"head", "pair", "without", "hypernetwork,time", "--without time"},
        {"head", "pair", "without", "walks3", "--without takes"},
        {"head", "pair", "train-pool", "seen", "--train-pool seen"},
        {"head", "paper", "without", "walks1", "--head paper"},
        {"head", "paper", "without", "ranking", "--head paper"},
        {"model", "popularity", "without", "pairs", "has no parts"},
    };
    scadyg_events *events = pair_events(5);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        scadyg_train_options options = pair_options(0);
        options.train_pool = 0;
        set(&options, wrong[i][0], wrong[i][1]);
        set(&options, wrong[i][2], wrong[i][3]);
        assert_refused(events, &options, NULL, wrong[i][4]);
    }
    scadyg_train_options options = pair_options(0);
    options.negatives = 0;
    assert_refused(events, &options, NULL, "negatives");
    options = pair_options(0);
    options.historical = 1.5;
    assert_refused(events, &options, NULL, "historical");
    options = pair_options(0);
    options.walk_width = 8;
    assert_refused(events, &options, NULL, "walk-width");
    options = pair_options(0);
    options.averaging = 1;
    assert_refused(events, &options, NULL, "averaging");
    scadyg_events_close(events);
}

/* The ends of what options allow. */
static void extreme_options(void **state)
{
    (void)state;
    scadyg_events *events = pair_events(6);
    for (int round = 0; round < 6; round++) {
        scadyg_train_options options = pair_options(round % 2);
        options.epochs = 1;
        if (round == 0) options.batch = 1000000;
        if (round == 1) options.batch = 1;
        if (round == 2) options.negatives = 100;
        if (round == 3) options.negatives = 1, options.historical = 1, options.binary = 1;
        if (round == 4) options.historical = 0, options.binary = 0, options.averaging = 0.999999;
        if (round == 5) options.hidden = 1, options.walk_width = 17; /* rounded up */
        scadyg_model *model = must_train(events, &options);
        assert_true(isfinite(model->validation));
        if (round == 5) assert_int_equal(model->plan.width, 32);
        scadyg_model_close(model);
    }
    scadyg_events_close(events);
}

/* ---- Memory ---- */

static uint64_t forgotten(scadyg_events *events, const scadyg_model *model)
{
    scadyg_error error = {0};
    sg_inputs inputs;
    sg_pair_reader reader;
    if (sg_inputs_open(model, events, 1, &inputs, &error) || sg_pair_reader_open(&reader, &inputs, &error))
        fail_msg("%s", error.message);
    const scadyg_shape *shape = scadyg_events_shape(events);
    const sg_ledger_group group = {shape->events, shape->last_time + 1, 0, 0};
    if (sg_pair_reader_run(&reader, &(sg_read_plan){.groups = &group, .count = 1}, &error))
        fail_msg("%s", error.message);
    const uint64_t count = sg_pair_store_forgotten(reader.ledger->pairs);
    assert_true(sg_pair_store_bytes(reader.ledger->pairs) <= model->plan.pair_bytes);
    sg_pair_reader_close(&reader);
    sg_inputs_close(&inputs);
    return count;
}

static void little_memory(void **state)
{
    (void)state;
    if (UNDER_SANITIZER) skip();
    scadyg_events *events = generated_graph(260000, 4000, 0);
    scadyg_train_options options = pair_options(SCADYG_FRESHNESS_EVENT);
    options.epochs = 1;
    options.hidden = 4;
    options.negatives = 1;
    options.walk_width = 0;
    options.memory = 1 << 20;
    options.batch = 1000;
    scadyg_error error = {0};
    scadyg_model *model = NULL;
    assert_int_equal(scadyg_train(events, &options, NULL, 0, NULL, NULL, &model, &error), SCADYG_E_USAGE);
    const char *needed = strstr(error.message, "at least ");
    assert_non_null(needed);
    options.memory = strtoull(needed + 9, NULL, 10) - 1;
    assert_int_equal(scadyg_train(events, &options, NULL, 0, NULL, NULL, &model, &error), SCADYG_E_USAGE);
    options.memory++; /* what it said is enough, and so little that pairs are forgotten */
    model = must_train(events, &options);
    assert_int_equal(model->plan.width, SG_BLOCK);
    const uint64_t lost = forgotten(events, model);
    print_message("%llu bytes: %llu pairs forgotten\n", (unsigned long long)options.memory,
                  (unsigned long long)lost);
    assert_true(lost > 1000);
    options.threads = 2;
    scadyg_model *again = must_train(events, &options);
    assert_same_model(model, again);
    scadyg_model_close(again);
    scadyg_model_close(model);
    scadyg_events_close(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_learns),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(reading_beside_learning),
        cmocka_unit_test(stopped_at_the_end_of_an_epoch),
        cmocka_unit_test(goes_on_from_a_checkpoint),
        cmocka_unit_test(kept_in_a_file),
        cmocka_unit_test(parts_can_be_left_out),
        cmocka_unit_test(wrong_combinations),
        cmocka_unit_test(extreme_options),
        cmocka_unit_test(little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
