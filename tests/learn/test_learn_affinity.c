/* Learning affinities, with both kinds, on a small log in which the past of a source says what it turns to. */
#include "learn/sample.h"

#include "evaluate/evaluate.h"

/* ---- The log, which all tests share ---- */

enum { SOURCES = 30, CLASSES = 24, STEPS = 30, EACH = 2, MOODS = 6, EVENTS = SOURCES * STEPS * EACH };

static scadyg_events *moody;

/*
 * Every source has a mood, one of six, that shows in the features of its events and changes once in ten steps. It goes
 * to the destination of its mood, one time in ten to any other.
 */
static int make_log(void **state)
{
    static uint32_t src[EVENTS], dst[EVENTS];
    static double time[EVENTS];
    static float features[EVENTS][MOODS];
    (void)state;
    uint32_t mood[SOURCES];
    sg_rng rng;
    sg_rng_seed(&rng, 11, 0);
    for (size_t s = 0; s < SOURCES; s++) mood[s] = (uint32_t)sg_rng_below(&rng, MOODS);
    size_t e = 0;
    for (int step = 0; step < STEPS; step++)
        for (int round = 0; round < EACH; round++)
            for (uint32_t s = 0; s < SOURCES; s++, e++) {
                if (round == 0 && sg_rng_below(&rng, 10) == 0) mood[s] = (uint32_t)sg_rng_below(&rng, MOODS);
                const int stray = sg_rng_below(&rng, 10) == 0;
                src[e] = s;
                dst[e] = SOURCES + (stray ? (uint32_t)sg_rng_below(&rng, CLASSES) : mood[s]);
                time[e] = 10 * step + 4 * round;
                for (uint32_t k = 0; k < MOODS; k++)
                    features[e][k] = (k == mood[s]) + (float)(0.1 * sg_rng_unit(&rng));
            }
    const made_events made = {.count = EVENTS,
                              .nodes = SOURCES + CLASSES,
                              .src = src,
                              .dst = dst,
                              .time = time,
                              .edge_features = MOODS,
                              .features = features[0]};
    moody = make_events(&made);
    return 0;
}

static int close_log(void **state)
{
    (void)state;
    scadyg_events_close(moody);
    return 0;
}

/* Settings of both kinds; each test is the state of the kind's name. */
#define USUAL "steps=30 normalise=log-standard hidden=16 lr=0.01 batch=32 epochs=8 seed=5 "

static scadyg_model *train(scadyg_context *context, const char *kind, const char *settings)
{
    char all[512];
    snprintf(all, sizeof all, USUAL "%s%s", strcmp(kind, "scadyg") ? "gamma0=0.2 " : "", settings);
    return trained(context, moody, kind, "affinity", all);
}

/* What the protocol says of a model that reads its messages from the events. */
static double score_of(const scadyg_model *model, const char *part)
{
    char settings[64];
    snprintf(settings, sizeof settings, "baselines=0 part=%s", part);
    scadyg_result *result = evaluated(NULL, model, moody, settings);
    assert_string_equal(result->protocol, "tgb-node");
    const double score = result->evaluated[0]->mean[SCADYG_NDCG10];
    scadyg_result_free(result);
    return score;
}

/* The score of a baseline by the same labels. */
static double baseline_score(const char *kind, const char *part)
{
    scadyg_model *model = trained(NULL, moody, kind, "affinity", "steps=30");
    const double score = score_of(model, part);
    scadyg_model_close(model);
    return score;
}

/* ---- They learn ---- */

/* Messages made once and messages read from the log give the same score, stepwise and live. */
static void paper_learns(void **state)
{
    (void)state;
    if (UNDER_SANITIZER) skip(); /* the others run the same code for fewer epochs */
    for (int live = 0; live < 2; live++) {
        const char *settings = live ? LIVE "epochs=20" : STEPWISE "epochs=20";
        scadyg_model *raw =
            train(NULL, "scadyg-paper", live ? LIVE "epochs=1 lr=1e-12" : STEPWISE "epochs=1 lr=1e-12");
        scadyg_model *model = train(context_of(2), "scadyg-paper", settings);
        assert_int_equal(model->classes, CLASSES);
        assert_true(model->train_end < model->validation_end && model->validation_end < 10 * STEPS);
        const double before = score_of(raw, "test"), after = score_of(model, "test");
        print_message("live %d: NDCG@10 %.3f untrained, %.3f trained\n", live, before, after);
        assert_true(before < 0.5 && after > 0.7);
        assert_true(score_of(model, "validation") == model->validation);
        assert_true(score_of(raw, "validation") == raw->validation);
        scadyg_model_close(raw);
        scadyg_model_close(model);
    }
}

/* The default begins as good as the best of some averages, and ends better. */
static void default_learns(void **state)
{
    (void)state;
    if (UNDER_SANITIZER) skip(); /* the others run the same code for fewer epochs */
    const double rule =
        fmax(baseline_score("persistence", "validation"), baseline_score("moving-average", "validation"));
    for (int live = 0; live < 2; live++) {
        scadyg_model *start = train(NULL, "scadyg", live ? LIVE "epochs=1 lr=1e-12" : STEPWISE "epochs=1 lr=1e-12");
        assert_true(start->best_epoch == 0 || start->validation > 0);
        scadyg_model *model = train(context_of(2), "scadyg", live ? LIVE "epochs=12" : STEPWISE "epochs=12");
        print_message("live %d: NDCG@10 %.4f by rule, %.4f at the start, %.4f in the end, of epoch %d\n", live,
                      rule, start->validation, model->validation, (int)model->best_epoch);
        assert_true(start->validation > rule && model->validation > start->validation);
        assert_true(score_of(model, "validation") == model->validation);
        assert_true(score_of(start, "validation") == start->validation);
        scadyg_model_close(start);
        scadyg_model_close(model);
    }
}

/* ---- The same bytes ---- */

static void same_bytes_for_any_threads(void **state)
{
    const char *kind = *state;
    /* The default has enough work to share out only with many units. */
    const char *settings = strcmp(kind, "scadyg") ? "epochs=3"
                           : UNDER_SANITIZER      ? "epochs=1 hidden=128 steps=10"
                                                  : "epochs=1 hidden=256 steps=15";
    scadyg_model *one = train(NULL, kind, settings);
    for (int threads = 2; threads <= (UNDER_SANITIZER ? 2 : 4); threads += 2) {
        scadyg_model *other = train(context_of(threads), kind, settings);
        assert_same_model(one, other);
        scadyg_model_close(other);
    }
    scadyg_model_close(one);
    one = train(NULL, kind, "epochs=1 steps=10");
    scadyg_model *other = train(NULL, kind, "epochs=1 steps=10 seed=6");
    assert_memory_not_equal(one->values, other->values, one->count * sizeof(float));
    scadyg_model_close(other);
    scadyg_model_close(one);
}

static void count_epoch(void *data, const scadyg_epoch *epoch, int resumed)
{
    int *counts = data;
    assert_string_equal(epoch->score, "NDCG@10");
    assert_true(epoch->loss > 0 && epoch->events_per_second > 0);
    counts[resumed]++;
}

/* Stopped at one report after the other, all the way through. */
static void resume_equals_uninterrupted(void **state)
{
    const char *kind = *state;
    char checkpoint[64];
    make_path(checkpoint);
    unlink(checkpoint);
    stopper all = {.left = UINT64_MAX};
    scadyg_model *whole = train(context_with(2, 0, stop_at, &all), kind, "epochs=4 steps=10"), *model = NULL;
    /* The default chooses its start first, each time it begins: nothing of that is in the checkpoint. */
    stopper first = {.left = UINT64_MAX};
    scadyg_model_close(train(context_with(1, 0, stop_at, &first), kind, "epochs=1 steps=10"));
    const uint64_t epoch = (all.told - first.told) / 3;
    int resumed = 0, stops = 0;
    for (uint64_t calls = first.told - epoch + 1;; calls += epoch / (long_tier() ? 9 : 3)) {
        int counts[2] = {0};
        stopper s = {.left = calls};
        const scadyg_watch watch = {.size = sizeof watch, .epoch = count_epoch, .data = counts};
        scadyg_error error = {0};
        scadyg_options *options = train_options(kind, "affinity", USUAL "epochs=4 steps=10");
        if (strcmp(kind, "scadyg")) assert_int_equal(scadyg_options_set(options, "gamma0", "0.2", NULL), SCADYG_OK);
        int status =
            scadyg_train(context_with(2, 0, stop_at, &s), moody, options, checkpoint, 1, &watch, &model, &error);
        scadyg_options_close(options);
        resumed += counts[1] > 0;
        if (status == SCADYG_OK) {
            assert_int_equal(counts[0] + counts[1], 4);
            break;
        }
        assert_int_equal(status, SCADYG_E_CANCELLED);
        assert_null(model);
        stops++;
    }
    print_message("stopped %d times, went on from a checkpoint %d times\n", stops, resumed);
    assert_true(stops > 1 && resumed > 0);
    assert_same_model(whole, model);
    scadyg_model_close(model);
    scadyg_model_close(whole);
    unlink(checkpoint);
}

/* ---- Options ---- */

/* Every part can be left out. */
static void parts_left_out(void **state)
{
    (void)state;
    scadyg_model *full = train(NULL, "scadyg", "epochs=1 steps=10");
    size_t count = 0;
    for (const char *part; (part = scadyg_part_at(full->options, count)); count++) {
        char settings[64];
        snprintf(settings, sizeof settings, "epochs=1 steps=10 without=%s", part);
        scadyg_model *model = train(NULL, "scadyg", settings);
        assert_true(model->validation > 0.5);
        if (strcmp(part, "multirate") == 0)
            assert_int_equal(model->count, full->count);
        else
            assert_true(model->count < full->count);
        scadyg_model_close(model);
    }
    assert_int_equal(count, 5);
    scadyg_model_close(full);
    scadyg_error error = {0};
    scadyg_options *options = train_options("scadyg", "affinity", "without=partners");
    assert_int_equal(scadyg_options_check(options, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "hypernetwork,multirate,nodes,popularity,reverse"));
    scadyg_options_close(options);
}

/* Labels from a file; and what is said where a part has none. */
static void labels_from_a_file(void **state)
{
    const char *kind = *state;
    char path[64], settings[256];
    make_path(path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int t = 0; t < 10 * STEPS; t += 7)
        for (int s = 0; s < 5; s++) fprintf(file, "%d,%d,class %d,%d\n", t, s, (t + s) % 3, s + 1);
    fclose(file);
    snprintf(settings, sizeof settings, "epochs=2 labels=%s", path);
    scadyg_model *model = train(NULL, kind, settings);
    assert_int_equal(scadyg_model_look(model)->classes, 3);
    assert_string_equal(scadyg_model_class(model, 1), "class 1");
    assert_true(score_of(model, "validation") == model->validation);
    scadyg_model_close(model);
    /* A baseline keeps the classes and where its parts end. */
    snprintf(settings, sizeof settings, "steps=30 labels=%s", path);
    model = trained(NULL, moody, "persistence", "affinity", settings);
    assert_int_equal(model->classes, 3);
    assert_true(model->train_end > 150 && !model->values);
    scadyg_model_close(model);
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%d,1,a,1\n", 10 * STEPS - 6);
    fclose(file);
    scadyg_error error = {0};
    scadyg_options *options = train_options(kind, "affinity", settings);
    model = NULL;
    assert_int_equal(scadyg_train(NULL, moody, options, NULL, 0, NULL, &model, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "1 time of the log has labels; learning takes at least three"));
    assert_null(model);
    scadyg_options_close(options);
    unlink(path);
}

int main(void)
{
    static char kinds[][16] = {"scadyg", "scadyg-paper"};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paper_learns),
        cmocka_unit_test(default_learns),
        cmocka_unit_test(parts_left_out),
        cmocka_unit_test_prestate(same_bytes_for_any_threads, kinds[0]),
        cmocka_unit_test_prestate(same_bytes_for_any_threads, kinds[1]),
        cmocka_unit_test_prestate(resume_equals_uninterrupted, kinds[0]),
        cmocka_unit_test_prestate(resume_equals_uninterrupted, kinds[1]),
        cmocka_unit_test_prestate(labels_from_a_file, kinds[0]),
        cmocka_unit_test_prestate(labels_from_a_file, kinds[1]),
    };
    return cmocka_run_group_tests(tests, make_log, close_log);
}
