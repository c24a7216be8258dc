/* Learning affinities on a small log in which the past of a source says what it turns to. */
#include "tasks/model_bytes.h"

#include "base/rng.h"
#include "evaluate/evaluate.h"
#include "tasks/affinity_scorer.h"
#include "tasks/affinity_train.h"
#include "tasks/task_labels.h"
#include "under_sanitizer.h"
#include "defaults.h"

#include <math.h>
#include <string.h>

static void near(double x, double should, double by)
{
    if (!(fabs(x - should) <= by)) fail_msg("%.17g, should be %.17g", x, should);
}

enum { SOURCES = 40, CLASSES = 24, STEPS = 40, EACH = 3, KINDS = 6, EVENTS = SOURCES * STEPS * EACH };

/*
 * Every source has a mood, one of six, that shows in the features of its events and changes once in ten steps. It goes
 * to the destination of its mood, one time in ten to any other.
 */
static scadyg_events *moody_log(void)
{
    static uint32_t src[EVENTS], dst[EVENTS];
    static double time[EVENTS];
    static float features[EVENTS][KINDS];
    uint32_t mood[SOURCES];
    sg_rng rng;
    sg_rng_seed(&rng, 11, 0);
    for (size_t s = 0; s < SOURCES; s++) mood[s] = (uint32_t)sg_rng_below(&rng, KINDS);
    size_t e = 0;
    for (int step = 0; step < STEPS; step++)
        for (int round = 0; round < EACH; round++)
            for (uint32_t s = 0; s < SOURCES; s++, e++) {
                if (round == 0 && sg_rng_below(&rng, 10) == 0) mood[s] = (uint32_t)sg_rng_below(&rng, KINDS);
                const int stray = sg_rng_below(&rng, 10) == 0;
                src[e] = s;
                dst[e] = SOURCES + (stray ? (uint32_t)sg_rng_below(&rng, CLASSES) : mood[s]);
                time[e] = 10 * step + 3 * round;
                for (uint32_t k = 0; k < KINDS; k++)
                    features[e][k] = (k == mood[s]) + (float)(0.1 * sg_rng_unit(&rng));
            }
    const made_events made = {.count = EVENTS,
                              .nodes = SOURCES + CLASSES,
                              .src = src,
                              .dst = dst,
                              .time = time,
                              .edge_features = KINDS,
                              .features = features[0]};
    return make_events(&made);
}

static scadyg_train_options usual_options(void)
{
    scadyg_train_options options = default_train();
    options.task = SCADYG_TASK_AFFINITY;
    options.head = SCADYG_HEAD_PAPER;
    options.train_pool = 0;
    options.messages.steps = STEPS;
    options.messages.gamma0 = 0.2;
    options.normalise = SCADYG_NORMALISE_LOG_STANDARD;
    options.hidden = 16;
    options.learning_rate = 0.01;
    options.batch = 32;
    options.epochs = 8;
    options.seed = 5;
    options.threads = 2;
    return options;
}

static int try_train(scadyg_events *events, const scadyg_train_options *options, const char *checkpoint, int resume,
                     const scadyg_watch *watch, const scadyg_progress *progress, scadyg_model **model,
                     scadyg_error *error)
{
    int status = sg_model_new(options, events, model, error);
    if (!status) status = sg_affinity_train(*model, events, checkpoint, resume, watch, progress, error);
    if (!status) sg_model_settle(*model);
    return status;
}

static scadyg_model *train(scadyg_events *events, const scadyg_train_options *options)
{
    scadyg_model *model;
    scadyg_error error = {0};
    if (try_train(events, options, NULL, 0, NULL, NULL, &model, &error)) fail_msg("%s", error.message);
    return model;
}

/* What the protocol says of a model that reads its messages from the events. */
static double judge(const scadyg_model *model, scadyg_events *events, int part)
{
    sg_inputs inputs;
    sg_labels labels;
    sg_label_scorer scorer;
    scadyg_error error = {0};
    int bad = sg_inputs_open(model, events, 1, &inputs, &error);
    if (!bad) bad = sg_task_labels(model, events, &inputs.messages->steps, NULL, &labels, &error);
    if (!bad) bad = sg_affinity_scorer_open(&inputs, &labels, &scorer, &error);
    if (bad) fail_msg("%s", error.message);
    const sg_evaluated_data trial = {.events = events,
                                     .columns = inputs.messages->columns,
                                     .nodes = inputs.messages->nodes,
                                     .steps = &inputs.messages->steps,
                                     .labels = &labels,
                                     .threads = 1};
    const scadyg_eval_options options = {.protocol = SCADYG_PROTOCOL_TGB_NODE, .part = part, .seeds = 1, .seed = 1};
    scadyg_scores scores;
    sg_evaluation_scores scores_out = {.scores = &scores};
    if (sg_protocol_labels(&trial, &options, &scorer, 1, NULL, &scores_out, &error)) fail_msg("%s", error.message);
    scorer.close(scorer.context);
    sg_labels_free(&labels);
    sg_inputs_close(&inputs);
    return scores.ndcg10;
}

/* Messages made once and messages read from the log give the same score, by both freshness rules. */
static void learning_works(void **state)
{
    (void)state;
    if (UNDER_SANITIZER) skip(); /* the others run the same code for fewer epochs */
    scadyg_events *events = moody_log();
    scadyg_train_options options = usual_options();
    for (int freshness = 0; freshness < 2; freshness++) {
        options.freshness = freshness;
        options.epochs = 1;
        options.learning_rate = 1e-12;
        scadyg_model *raw = train(events, &options);
        options = usual_options();
        options.freshness = freshness;
        options.epochs = 20;
        scadyg_model *model = train(events, &options);
        assert_int_equal(model->classes, CLASSES);
        assert_true(model->train_end < model->validation_end && model->validation_end < 10 * STEPS);
        const double before = judge(raw, events, SCADYG_PART_TEST), after = judge(model, events, SCADYG_PART_TEST);
        print_message("freshness %d: NDCG@10 %.3f untrained, %.3f trained\n", freshness, before, after);
        assert_true(before < 0.5 && after > 0.7);
        assert_true(judge(model, events, SCADYG_PART_VALIDATION) == model->validation);
        assert_true(judge(raw, events, SCADYG_PART_VALIDATION) == raw->validation);
        scadyg_model_close(raw);
        scadyg_model_close(model);
    }
    scadyg_events_close(events);
}

static scadyg_train_options pair_options(void)
{
    scadyg_train_options options = usual_options();
    options.head = SCADYG_HEAD_PAIR;
    options.messages.gamma0 = 0;
    return options;
}

static void same_bytes_for_any_threads(void **state)
{
    scadyg_events *events = moody_log();
    scadyg_train_options options = *state ? pair_options() : usual_options();
    options.epochs = *state ? 1 : 3;
    if (*state) options.hidden = UNDER_SANITIZER ? 256 : 512; /* enough work to be shared out */
    options.threads = 1;
    scadyg_model *one = train(events, &options);
    for (int threads = 2; threads <= (UNDER_SANITIZER ? 2 : 4); threads += 2) {
        options.threads = threads;
        scadyg_model *other = train(events, &options);
        assert_same_model(one, other);
        scadyg_model_close(other);
    }
    options.seed++;
    scadyg_model *other = train(events, &options);
    assert_memory_not_equal(one->values, other->values, one->count * sizeof(float));
    scadyg_model_close(other);
    scadyg_model_close(one);
    scadyg_events_close(events);
}

/* Stops at the n-th call. */
static int stop_at(void *context, const char *what, uint64_t done, uint64_t total)
{
    (void)what;
    (void)done;
    (void)total;
    int *left = context;
    return *left > 0 && --*left == 0;
}

static void count_epoch(void *context, const scadyg_epoch *epoch, int resumed)
{
    int *counts = context;
    assert_string_equal(epoch->score, "NDCG@10");
    assert_true(epoch->loss > 0 && epoch->events_per_second > 0);
    counts[resumed]++;
}

static void resume_equals_uninterrupted(void **state)
{
    scadyg_events *events = moody_log();
    scadyg_train_options options = *state ? pair_options() : usual_options();
    options.epochs = 5;
    scadyg_model *whole = train(events, &options), *model = NULL;
    char checkpoint[64];
    make_path(checkpoint);
    unlink(checkpoint);
    int resumed = 0, stops = 0;
    /* With the head pair the start is chosen first, with as many calls. */
    for (int calls = *state ? 1020 : 36; calls < 3000; calls += *state ? 17 : 1) {
        int counts[2] = {0}, left = calls;
        const scadyg_watch watch = {.epoch = count_epoch, .context = counts};
        const scadyg_progress progress = {stop_at, &left};
        scadyg_error error = {0};
        int status = try_train(events, &options, checkpoint, 1, &watch, &progress, &model, &error);
        resumed += counts[1] > 0;
        if (status == SCADYG_OK) {
            assert_int_equal(counts[0] + counts[1], 5);
            break;
        }
        assert_int_equal(status, SCADYG_E_CANCELLED);
        stops++;
        scadyg_model_close(model);
        model = NULL;
    }
    assert_non_null(model);
    print_message("stopped %d times, went on from a checkpoint %d times\n", stops, resumed);
    assert_true(stops > 1 && resumed > 0);
    assert_same_model(whole, model);
    scadyg_model_close(model);
    scadyg_model_close(whole);
    unlink(checkpoint);
    scadyg_events_close(events);
}

/* The score of one of the rules by the same labels. */
static double judge_rule(scadyg_events *events, int kind, int part)
{
    scadyg_train_options options = usual_options();
    options.model = kind;
    scadyg_model *model = train(events, &options);
    scadyg_eval_options eval = {.protocol = SCADYG_PROTOCOL_TGB_NODE, .part = part, .seeds = 1, .seed = 1};
    scadyg_result result;
    scadyg_error error = {0};
    if (scadyg_evaluate(model, events, &eval, NULL, &result, &error)) fail_msg("%s", error.message);
    scadyg_model_close(model);
    return result.judged[0].mean.ndcg10;
}

/* It begins as good as the best of some averages, and ends better; the predictor says what the protocol judged. */
static void pair_head_learns(void **state)
{
    (void)state;
    if (UNDER_SANITIZER) skip(); /* the others run the same code for fewer epochs */
    scadyg_events *events = moody_log();
    scadyg_train_options options = pair_options();
    for (int freshness = 0; freshness < 2; freshness++) {
        options.freshness = freshness;
        options.epochs = 1;
        options.learning_rate = 1e-12;
        scadyg_model *start = train(events, &options);
        assert_true(start->best_epoch == 0 || start->validation > 0);
        options.epochs = 20;
        options.learning_rate = 0.01;
        scadyg_model *model = train(events, &options);
        const double rule = fmax(judge_rule(events, SCADYG_MODEL_PERSISTENCE, SCADYG_PART_VALIDATION),
                                 judge_rule(events, SCADYG_MODEL_MOVING_AVERAGE, SCADYG_PART_VALIDATION));
        print_message("freshness %d: NDCG@10 %.4f by rule, %.4f at the start, %.4f in the end, of epoch %d\n",
                      freshness, rule, start->validation, model->validation, (int)model->best_epoch);
        assert_true(start->validation > rule && model->validation > start->validation);
        assert_true(judge(model, events, SCADYG_PART_VALIDATION) == model->validation);
        assert_true(judge(start, events, SCADYG_PART_VALIDATION) == start->validation);
        scadyg_model_close(start);
        scadyg_model_close(model);
    }
    scadyg_events_close(events);
}

/* Asked in any order of times, a predictor says what a fresh one says; and again what the labels' order says. */
static void pair_head_predicts(void **state)
{
    (void)state;
    scadyg_events *events = moody_log();
    scadyg_train_options options = pair_options();
    options.epochs = 2;
    scadyg_model *model = train(events, &options);
    scadyg_predictor *all, *one;
    scadyg_error error = {0};
    double a[CLASSES], b[CLASSES];
    assert_int_equal(scadyg_predictor_open(model, events, 1, &all, &error), SCADYG_OK);
    static const double times[] = {400, 120, 125, 390, 0, 1e6, 60};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        assert_int_equal(scadyg_affinity(all, 3, times[i], a, &error), SCADYG_OK);
        assert_int_equal(scadyg_predictor_open(model, events, 2, &one, &error), SCADYG_OK);
        assert_int_equal(scadyg_affinity(one, 3, times[i], b, &error), SCADYG_OK);
        assert_memory_equal(a, b, sizeof a);
        double sum = 0;
        for (size_t c = 0; c < CLASSES; c++) sum += a[c];
        near(sum, 1, 1e-6);
        scadyg_predictor_close(one);
    }
    float weights[64];
    assert_int_equal(scadyg_node_weights(all, 3, 400, weights, &error), SCADYG_E_USAGE);
    float *h = malloc(SOURCES * 64 * sizeof *h);
    assert_non_null(h);
    const uint32_t nodes[] = {1, 2};
    assert_int_equal(scadyg_embed(all, 400, nodes, 2, h, NULL, &error), SCADYG_OK);
    free(h);
    scadyg_predictor_close(all);
    scadyg_model_close(model);
    scadyg_events_close(events);
}

/* Every part can be left out. */
static void parts_left_out(void **state)
{
    (void)state;
    static const char *const words[] = {"none", "hypernetwork", "multirate", "nodes", "popularity", "reverse"};
    scadyg_events *events = moody_log();
    scadyg_train_options options = pair_options();
    options.epochs = 1;
    size_t counts[6];
    for (size_t i = 0; i < 6; i++) {
        options.without = words[i];
        scadyg_model *model = train(events, &options);
        counts[i] = model->count;
        assert_true(model->validation > 0.5);
        scadyg_model_close(model);
    }
    for (size_t i = 1; i < 6; i++) assert_true(i == 2 ? counts[i] == counts[0] : counts[i] < counts[0]);
    options.without = "walks1";
    scadyg_error error = {0};
    assert_int_equal(scadyg_train_check(&options, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "hypernetwork, multirate, nodes, popularity and reverse"));
    scadyg_events_close(events);
}

/* Labels from a file; and what is said where a part has none. */
static void labels_from_a_file(void **state)
{
    scadyg_events *events = moody_log();
    scadyg_train_options options = *state ? pair_options() : usual_options();
    char path[64];
    make_path(path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int t = 0; t < 400; t += 7)
        for (int s = 0; s < 5; s++) fprintf(file, "%d,%d,class %d,%d\n", t, s, (t + s) % 3, s + 1);
    fclose(file);
    options.labels = path;
    options.epochs = 2;
    scadyg_model *model = train(events, &options);
    assert_int_equal(model->classes, 3);
    assert_string_equal(scadyg_model_class(model, 1), "class 1");
    assert_true(judge(model, events, SCADYG_PART_VALIDATION) == model->validation);
    scadyg_model_close(model);
    /* A rule keeps the classes and where its parts end. */
    options.model = SCADYG_MODEL_PERSISTENCE;
    model = train(events, &options);
    assert_int_equal(model->classes, 3);
    assert_true(model->train_end > 200 && !model->values);
    scadyg_model_close(model);
    options.model = SCADYG_MODEL_SCADYG;
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "399,1,a,1\n");
    fclose(file);
    scadyg_error error = {0};
    assert_int_equal(try_train(events, &options, NULL, 0, NULL, NULL, &model, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "no labels in the training part"));
    scadyg_model_close(model);
    unlink(path);
    scadyg_events_close(events);
}

int main(void)
{
    static int pair = 1; /* the state of tests of the head pair */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learning_works),
        cmocka_unit_test(pair_head_learns),
        cmocka_unit_test(pair_head_predicts),
        cmocka_unit_test(parts_left_out),
        cmocka_unit_test(same_bytes_for_any_threads),
        cmocka_unit_test_prestate(same_bytes_for_any_threads, &pair),
        cmocka_unit_test(resume_equals_uninterrupted),
        cmocka_unit_test_prestate(resume_equals_uninterrupted, &pair),
        cmocka_unit_test(labels_from_a_file),
        cmocka_unit_test_prestate(labels_from_a_file, &pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
