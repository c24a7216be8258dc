/* Learning links with the default model: it learns, with the same bytes however it is run, from options that fit. */
#include "learn/sample.h"

#include "messages/pairs/ledger_parts.h"
#include "models/scadyg/reader.h"

/* ---- It learns ---- */

static void compare_with_baselines(scadyg_events *events, const scadyg_model *model, const char *settings)
{
    scadyg_result *result = evaluated(context_of(2), model, events, settings);
    assert_true(result->left_out == 0);
    double best = 0;
    for (size_t i = 1; i < result->count; i++) {
        const double score = result->evaluated[i]->mean[result->main_score];
        if (score > best) best = score;
    }
    const double own = result->evaluated[0]->mean[result->main_score];
    print_message("%s, pool %s: %.3f, the best baseline %.3f\n", result->protocol, result->pool, own, best);
    assert_true(own > best);
    scadyg_result_free(result);
}

static void it_learns(void **state)
{
    (void)state;
    if (UNDER_SANITIZER) skip(); /* the others run the same code on less */
    scadyg_events *events = generated("events=5000 nodes=100 again=0.7", NULL);
    for (int live = 0; live <= 1; live++) {
        scadyg_model *model =
            trained(context_of(2), events, "scadyg", "link",
                    live ? SMALL LIVE "steps=40 hidden=32 epochs=12" : SMALL "steps=40 hidden=32 epochs=12");
        compare_with_baselines(events, model, "protocol=paper pool=any");
        compare_with_baselines(events, model, "protocol=paper pool=destination");
        if (live)
            compare_with_baselines(events, model,
                                   "protocol=dyglib answer=pool"); /* the baselines see every event */
        scadyg_model_close(model);
    }
    scadyg_events_close(events);
}

/* Stepwise a first step of more events than a chunk has no case in the whole chunk. */
static void long_first_step(void **state)
{
    (void)state;
    scadyg_events *events = generated("events=60000 nodes=100", NULL);
    scadyg_model *model = trained(context_of(2), events, "scadyg", "link", "stepwise=1 steps=14 hidden=2 epochs=1");
    assert_true(model->epochs == 1);
    scadyg_model_close(model);
    scadyg_events_close(events);
}

/* ---- The same bytes ---- */

/* Trains with other numbers of threads and compares; returns the model. */
static scadyg_model *same_for_threads(scadyg_events *events, const char *settings)
{
    scadyg_model *one = trained(NULL, events, "scadyg", "link", settings);
    for (int threads = 2; threads <= 3; threads++) {
        scadyg_model *other = trained(context_of(threads), events, "scadyg", "link", settings);
        assert_same_model(one, other);
        scadyg_model_close(other);
    }
    return one;
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    static const char *const settings[] = {SMALL "epochs=2", SMALL LIVE "epochs=2"};
    scadyg_events *events = sample_events(1);
    for (size_t i = 0; i < 2; i++) {
        char other_seed[256];
        scadyg_model *one = same_for_threads(events, settings[i]);
        snprintf(other_seed, sizeof other_seed, "%s seed=99", settings[i]);
        scadyg_model *other = trained(NULL, events, "scadyg", "link", other_seed);
        assert_memory_not_equal(one->values, other->values, one->count * sizeof *one->values);
        scadyg_model_close(other);
        scadyg_model_close(one);
    }
    scadyg_events_close(events);
}

/* Several chunks and long batches: the workers read one chunk and help to learn from another at the same time. */
#define LARGE "hidden=64 fallback=0 epochs=1 train-share=0.9 validation-share=0.02"

static void reading_beside_learning(void **state)
{
    (void)state;
    scadyg_events *events = generated("events=5000 nodes=60 again=0.5", NULL);
    static const char *const settings[] = {SMALL LARGE, SMALL LIVE LARGE};
    for (size_t i = 0; i < 2; i++) scadyg_model_close(same_for_threads(events, settings[i]));
    scadyg_events_close(events);
}

/* After the last chunk of an epoch nothing is being read. */
static int stop_at_the_end(void *data, const char *what, uint64_t done, uint64_t total)
{
    int *left = data;
    return strcmp(what, "learning") == 0 && done == total && (*left)-- == 0;
}

static void stopped_at_the_end_of_an_epoch(void **state)
{
    (void)state;
    scadyg_events *small = sample_events(5), *large = generated("events=5000 nodes=60 again=0.5", NULL);
    scadyg_options *options[] = {train_options("scadyg", "link", SMALL "train-share=0.9 validation-share=0.02"),
                                 train_options("scadyg", "link", SMALL LIVE "epochs=2")};
    for (int round = 0; round < 6; round++) {
        scadyg_error error = {0};
        scadyg_model *model = NULL;
        int left = round % 2;
        scadyg_context *context = context_with(1 + round % 3, 0, stop_at_the_end, &left);
        assert_int_equal(
            scadyg_train(context, round < 3 ? small : large, options[round / 2 % 2], NULL, 0, NULL, &model, &error),
            SCADYG_E_CANCELLED);
        assert_null(model);
    }
    for (size_t i = 0; i < 2; i++) scadyg_options_close(options[i]);
    scadyg_events_close(small);
    scadyg_events_close(large);
}

static void go_on(scadyg_events *events, const scadyg_options *options, const char *checkpoint, sg_rng *rng)
{
    scadyg_model *whole = must_train(NULL, events, options), *model = NULL;
    scadyg_error error = {0};
    size_t stopped = 0;
    for (int round = 0; round < (long_tier() ? 10 : 1); round++) {
        unlink(checkpoint);
        for (uint64_t tries = 0;; tries++) { /* until it gets through */
            stopper s = {.left = sg_rng_below(rng, 10) + 4 * tries};
            scadyg_context *context = context_with(1 + (int)sg_rng_below(rng, 2), 0, stop_at, &s);
            int status = scadyg_train(context, events, options, checkpoint, 1, NULL, &model, &error);
            if (!status) break;
            if (status != SCADYG_E_CANCELLED) fail_msg("%s", error.message);
            stopped++;
        }
        assert_same_model(whole, model);
        scadyg_model_close(model);
        model = NULL;
    }
    assert_true(stopped > 1);
    scadyg_model_close(whole);
}

static void assert_refused(scadyg_context *context, scadyg_events *events, const char *settings,
                           const char *checkpoint, const char *sentence)
{
    scadyg_error error = {0};
    scadyg_model *model = NULL;
    scadyg_options *options = train_options("scadyg", "link", settings);
    assert_int_equal(scadyg_train(context, events, options, checkpoint, 1, NULL, &model, &error), SCADYG_E_USAGE);
    if (!strstr(error.message, sentence)) fail_msg("'%s' does not say '%s'", error.message, sentence);
    assert_null(model);
    scadyg_options_close(options);
}

static void goes_on_from_a_checkpoint(void **state)
{
    (void)state;
    char checkpoint[64];
    sg_rng rng;
    sg_rng_seed(&rng, 2, 2);
    make_path(checkpoint);
    scadyg_events *events = sample_events(2);
    /* The learning rate falls from the third epoch on. */
    scadyg_options *plain = train_options("scadyg", "link", SMALL "averaging=0 epochs=5 patience=5");
    go_on(events, plain, checkpoint, &rng);
    scadyg_options_close(plain);
    scadyg_options *averaged = train_options("scadyg", "link", SMALL LIVE "averaging=0.95 epochs=5 patience=5");
    go_on(events, averaged, checkpoint, &rng);
    scadyg_options_close(averaged);
    /* Of another training it does not go on. */
    assert_refused(NULL, events, SMALL LIVE "averaging=0.95 epochs=4 patience=5", checkpoint, "--epochs");
    assert_refused(NULL, events, SMALL LIVE "averaging=0 epochs=5 patience=5", checkpoint, "--averaging");
    unlink(checkpoint);
    scadyg_events_close(events);
}

static void kept_in_a_file(void **state)
{
    (void)state;
    char path[64];
    scadyg_error error = {0};
    make_path(path);
    scadyg_events *events = sample_events(3);
    for (int live = 0; live <= 1; live++) {
        scadyg_model *model =
                         trained(NULL, events, "scadyg", "link", live ? SMALL LIVE "epochs=1" : SMALL "epochs=1"),
                     *back = NULL;
        if (scadyg_model_save(model, path, &error)) fail_msg("%s", error.message);
        if (scadyg_model_open(path, &back, &error)) fail_msg("%s", error.message);
        assert_same_model(model, back);
        assert_memory_equal(&sg_scadyg_of(model)->plan, &sg_scadyg_of(back)->plan, sizeof(sg_ledger_plan));
        const double last = scadyg_events_shape(events)->last_time;
        const uint32_t src[] = {0, 1, 2, 3}, dst[] = {7, 9, 9, 3};
        const double time[] = {last, last + 5, last - 300, last};
        double score[4], again[4];
        scadyg_predictor *one = must_predictor(NULL, model, events);
        scadyg_predictor *other = must_predictor(context_of(2), back, events);
        if (scadyg_predict(one, src, dst, time, 4, score, &error) ||
            scadyg_predict(other, src, dst, time, 4, again, &error))
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

static void check_without(scadyg_events *events, const scadyg_model *full, const char *parts)
{
    char settings[256];
    snprintf(settings, sizeof settings, SMALL LIVE "epochs=1 without=%s", parts);
    scadyg_model *model = trained(NULL, events, "scadyg", "link", settings);
    scadyg_model *again = trained(context_of(2), events, "scadyg", "link", settings);
    assert_same_model(model, again);
    assert_true(model->count != full->count ||
                memcmp(model->values, full->values, full->count * sizeof *full->values) != 0);
    scadyg_model_close(model);
    scadyg_model_close(again);
}

/* Each part there is, some together, and all. */
static void parts_can_be_left_out(void **state)
{
    (void)state;
    scadyg_events *events = sample_events(4);
    scadyg_model *full = trained(NULL, events, "scadyg", "link", SMALL LIVE "epochs=1");
    char all[256] = "";
    size_t count = 0;
    for (const char *part; (part = scadyg_part_at(full->options, count)); count++) {
        check_without(events, full, part);
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", count ? "," : "", part);
    }
    assert_int_equal(count, 7);
    check_without(events, full, all);
    check_without(events, full, "nodes,pairs,transitions,partners");
    scadyg_model_close(full);
    scadyg_events_close(events);
}

static void assert_not_set(const char *model, const char *name, const char *value, const char *sentence)
{
    scadyg_error error = {0};
    scadyg_options *options = train_options(model, "link", NULL);
    int status = scadyg_options_set(options, name, value, &error);
    if (!status) status = scadyg_options_check(options, &error);
    assert_int_equal(status, SCADYG_E_USAGE);
    if (!strstr(error.message, sentence)) fail_msg("'%s' does not say '%s'", error.message, sentence);
    scadyg_options_close(options);
}

static void wrong_options(void **state)
{
    (void)state;
    assert_not_set("scadyg", "without", "time", "--without takes none, or some of multirate,");
    assert_not_set("scadyg", "without", "nodes,time", "--without takes");
    assert_not_set("scadyg", "without", "hypernetwork", "--without takes");
    assert_not_set("scadyg", "train-pool", "seen", "any|destination|mixed");
    assert_not_set("scadyg-paper", "without", "partners", "some of time,hypernetwork,multirate");
    assert_not_set("scadyg-paper", "train-pool", "mixed", "any|destination|seen");
    assert_not_set("popularity", "without", "pairs", "--without is not an option of popularity");
    assert_not_set("scadyg", "negatives", "0", "--negatives");
    assert_not_set("scadyg", "vectors", "1.5", "--vectors");
    assert_not_set("scadyg", "averaging", "1", "--averaging");
    assert_not_set("scadyg", "model", "scadyg-paper", "cannot be changed");
    assert_not_set("scadyg", "window", "3", "it is of scadyg-paper");
}

/* The ends of what options allow. */
static void extreme_options(void **state)
{
    (void)state;
    static const char *const settings[] = {
        SMALL "epochs=1 batch=1000000",
        SMALL LIVE "epochs=1 batch=1",
        SMALL "epochs=1 negatives=100",
        SMALL LIVE "epochs=1 negatives=1 vectors=on binary=1",
        SMALL "epochs=1 vectors=on binary=0 averaging=0.999999",
        SMALL LIVE "epochs=1 hidden=1",
    };
    scadyg_events *events = sample_events(6);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        scadyg_model *model = trained(NULL, events, "scadyg", "link", settings[i]);
        assert_true(isfinite(model->validation));
        scadyg_model_close(model);
    }
    scadyg_events_close(events);
}

/* ---- Memory ---- */

/* Pairs over the whole log; *vectors that there are in the end. */
static uint64_t forgotten(scadyg_events *events, const scadyg_model *model, size_t *vectors)
{
    scadyg_error error = {0};
    sg_view view;
    sg_pair_reader reader;
    if (sg_view_open(NULL, model, events, &view, &error) || sg_pair_reader_open(&reader, &view, &error))
        fail_msg("%s", error.message);
    const scadyg_shape *shape = scadyg_events_shape(events);
    const sg_ledger_group group = {shape->events, shape->last_time + 1, 0, 0};
    if (sg_pair_reader_run(&reader, &(sg_read_plan){.groups = &group, .count = 1}, &error))
        fail_msg("%s", error.message);
    const uint64_t count = sg_pair_store_forgotten(reader.ledger->pairs);
    assert_true(sg_pair_store_bytes(reader.ledger->pairs) <= sg_scadyg_of(model)->plan.pair_bytes);
    *vectors = reader.ledger->vectors ? sg_vectors_known(reader.ledger->vectors) : 0;
    sg_pair_reader_close(&reader);
    sg_view_close(&view);
    return count;
}

static void little_memory(void **state)
{
    (void)state;
    if (UNDER_SANITIZER) skip();
    scadyg_events *events = generated("events=200000 nodes=4000 again=0", NULL);
    scadyg_error error = {0};
    scadyg_model *model = NULL;
    static const char settings[] =
        LIVE "steps=30 train-share=0.9 validation-share=0.01 epochs=1 hidden=4 negatives=1 "
             "batch=1000";
    scadyg_options *options = train_options("scadyg", "link", settings);
    char checkpoint[64];
    make_path(checkpoint);
    unlink(checkpoint);
    assert_int_equal(
        scadyg_train(context_with(1, 1 << 20, NULL, NULL), events, options, NULL, 0, NULL, &model, &error),
        SCADYG_E_MEMORY);
    const char *needed = strstr(error.message, "at least ");
    assert_non_null(needed);
    const uint64_t memory = strtoull(needed + 9, NULL, 10);
    assert_int_equal(
        scadyg_train(context_with(1, memory - 1, NULL, NULL), events, options, NULL, 0, NULL, &model, &error),
        SCADYG_E_MEMORY);
    /* What it said is enough, and so little that pairs are forgotten. */
    if (scadyg_train(context_with(2, memory, NULL, NULL), events, options, checkpoint, 0, NULL, &model, &error))
        fail_msg("%s", error.message);
    size_t vectors;
    const uint64_t lost = forgotten(events, model, &vectors);
    print_message("%llu bytes: %llu pairs forgotten\n", (unsigned long long)memory, (unsigned long long)lost);
    assert_true(lost > 1000);
    if (long_tier()) {
        scadyg_model *again = must_train(context_with(1, memory, NULL, NULL), events, options);
        assert_same_model(model, again);
        scadyg_model_close(again);
    }
    /* With more memory it would be another model, so it does not go on from there. */
    assert_refused(context_with(2, 4 * memory, NULL, NULL), events, settings, checkpoint, "--memory");
    unlink(checkpoint);
    scadyg_model_close(model);
    scadyg_options_close(options);
    scadyg_events_close(events);
}

/* As little as it says is needed: so little that vectors are forgotten; four times as much: nothing is. */
static void little_memory_for_vectors(void **state)
{
    (void)state;
    if (UNDER_SANITIZER) skip();
    scadyg_events *events = generated("events=60000 nodes=20000 again=0", NULL);
    scadyg_error error = {0};
    scadyg_model *model = NULL;
    scadyg_options *options = train_options(
        "scadyg", "link",
        LIVE "steps=30 train-share=0.9 validation-share=0.01 epochs=1 hidden=4 negatives=1 vectors=on");
    assert_int_equal(
        scadyg_train(context_with(1, 1 << 20, NULL, NULL), events, options, NULL, 0, NULL, &model, &error),
        SCADYG_E_MEMORY);
    const char *needed = strstr(error.message, "at least ");
    assert_non_null(needed);
    for (uint64_t times = 1; times <= 4; times += 3) {
        const uint64_t memory = times * strtoull(needed + 9, NULL, 10);
        size_t vectors;
        model = must_train(context_with(2, memory, NULL, NULL), events, options);
        const sg_ledger_plan *plan = &sg_scadyg_of(model)->plan;
        (void)forgotten(events, model, &vectors);
        print_message("%llu bytes: %zu vectors of at most %llu\n", (unsigned long long)memory, vectors,
                      (unsigned long long)plan->vectors);
        assert_true(plan->vectors * SG_VECTOR_ROW_BYTES <= memory / 4);
        assert_true(plan->vectors * SG_VECTOR_ROW_BYTES + plan->pair_bytes <= memory);
        assert_true(times == 1 ? vectors == plan->vectors : vectors < plan->vectors);
        scadyg_model_close(model);
    }
    scadyg_options_close(options);
    scadyg_events_close(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_learns),
        cmocka_unit_test(long_first_step),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(reading_beside_learning),
        cmocka_unit_test(stopped_at_the_end_of_an_epoch),
        cmocka_unit_test(goes_on_from_a_checkpoint),
        cmocka_unit_test(kept_in_a_file),
        cmocka_unit_test(parts_can_be_left_out),
        cmocka_unit_test(wrong_options),
        cmocka_unit_test(extreme_options),
        cmocka_unit_test(little_memory),
        cmocka_unit_test(little_memory_for_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
