/* Learning links: the same bytes for any number of threads, any memory, and after any interruption; and it learns. */
#include "cmocka_all.h"

#include "base/rng.h"
#include "scadyg.h"
#include "defaults.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char events_path[64], model_path[64], checkpoint_path[64], oracle_path[64];

static void make_paths(void)
{
    const char *place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(events_path, sizeof events_path, "%s/scadyg-link-%d.events", place, (int)getpid());
    snprintf(model_path, sizeof model_path, "%s/scadyg-link-%d.scadyg", place, (int)getpid());
    snprintf(checkpoint_path, sizeof checkpoint_path, "%s/scadyg-link-%d.checkpoint", place, (int)getpid());
    snprintf(oracle_path, sizeof oracle_path, "%s/scadyg-link-%d.csv", place, (int)getpid());
}

/* A graph without memory of pairs, which a model of nodes cannot see. With an oracle if that is wanted. */
static scadyg_events *generated_with(int64_t count, int64_t nodes, int64_t features, const char *oracle)
{
    scadyg_error error;
    scadyg_generate_options options = default_generate();
    scadyg_events *events;
    options.events = count;
    options.nodes = nodes;
    options.edge_features = features;
    options.again = 0;
    if (scadyg_generate(events_path, oracle, &options, NULL, &error)) fail_msg("%s", error.message);
    if (scadyg_events_open(events_path, &events, &error)) fail_msg("%s", error.message);
    return events;
}

static scadyg_events *generated(int64_t count, int64_t features)
{
    return generated_with(count, 80, features, NULL);
}

static scadyg_train_options plain(void)
{
    scadyg_train_options options = default_train();
    options.head = SCADYG_HEAD_PAPER;
    options.train_pool = 0;
    options.batch = 128;
    options.learning_rate = 0.003;
    options.messages.steps = 30;
    options.epochs = 4;
    options.threads = 1;
    return options;
}

/* The bytes of the model's file. */
typedef struct bytes {
    char *data;
    size_t size;
} bytes;

static bytes saved(const scadyg_model *model)
{
    scadyg_error error;
    if (scadyg_model_save(model, model_path, &error)) fail_msg("%s", error.message);
    FILE *file = fopen(model_path, "rb");
    assert_non_null(file);
    bytes b = {malloc(1 << 22), 0};
    assert_non_null(b.data);
    b.size = fread(b.data, 1, 1 << 22, file);
    fclose(file);
    return b;
}

static bytes trained(scadyg_events *events, const scadyg_train_options *options)
{
    scadyg_error error;
    scadyg_model *model;
    if (scadyg_train(events, options, NULL, 0, NULL, NULL, &model, &error)) fail_msg("%s", error.message);
    bytes b = saved(model);
    scadyg_model_close(model);
    return b;
}

static void assert_same(bytes one, bytes other)
{
    assert_int_equal(one.size, other.size);
    assert_memory_equal(one.data, other.data, one.size);
    free(other.data);
}

static void check_threads_and_memory(const scadyg_train_options *options, scadyg_events *events)
{
    scadyg_train_options other = *options;
    bytes first = trained(events, options);
    for (other.threads = 2; other.threads <= 4; other.threads *= 2) assert_same(first, trained(events, &other));
    other.threads = 2;
    other.memory = 1; /* messages are walked through again in every pass */
    assert_same(first, trained(events, &other));
    other.seed++;
    bytes another = trained(events, &other);
    assert_true(another.size != first.size || memcmp(another.data, first.data, first.size) != 0);
    free(another.data);
    free(first.data);
}

static void test_same_bytes(void **state)
{
    (void)state;
    scadyg_events *events = generated(3000, 4);
    scadyg_train_options options = plain();
    check_threads_and_memory(&options, events);
    options.normalise = SCADYG_NORMALISE_LOG_STANDARD;
    options.messages.window = 5;
    check_threads_and_memory(&options, events);
    options.freshness = SCADYG_FRESHNESS_EVENT;
    options.epochs = 2;
    check_threads_and_memory(&options, events);
    options = plain();
    options.messages.node_features = "random:20"; /* a wide net */
    options.epochs = 2;
    check_threads_and_memory(&options, events);
    scadyg_events_close(events);
}

/* Stops the work at the n-th report. */
typedef struct stopper {
    uint64_t left;
} stopper;

static int stop_at(void *context, const char *what, uint64_t done, uint64_t total)
{
    (void)what, (void)done, (void)total;
    stopper *s = context;
    return s->left-- == 0;
}

static void test_resume(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 5, 5);
    scadyg_error error;
    scadyg_events *events = generated(1500, 0);
    scadyg_train_options options = plain();
    options.normalise = SCADYG_NORMALISE_LOG_STANDARD;
    options.epochs = 12;
    options.patience = 3;
    bytes whole = trained(events, &options);
    for (int round = 0; round < 20; round++) {
        unlink(checkpoint_path);
        scadyg_model *model = NULL;
        int stops = 0, status;
        do { /* until it gets through */
            stopper s = {sg_rng_below(&rng, 400) + (uint64_t)(40 * stops++)};
            const scadyg_progress progress = {stop_at, &s};
            options.threads = 1 + (int64_t)sg_rng_below(&rng, 2);
            status = scadyg_train(events, &options, checkpoint_path, 1, NULL, &progress, &model, &error);
            if (status && status != SCADYG_E_CANCELLED) fail_msg("%s", error.message);
        } while (status);
        assert_same(whole, saved(model));
        scadyg_model_close(model);
    }
    options.seed = 77; /* another training cannot go on from there */
    scadyg_model *model;
    assert_int_equal(scadyg_train(events, &options, checkpoint_path, 1, NULL, NULL, &model, &error),
                     SCADYG_E_USAGE);
    free(whole.data);
    scadyg_events_close(events);
}

/* The mean reciprocal rank of the oracle over the events from `first` on. */
static double oracle_mrr(uint64_t first)
{
    FILE *file = fopen(oracle_path, "r");
    assert_non_null(file);
    char line[128];
    double sum = 0, count = 0;
    while (fgets(line, sizeof line, file)) {
        char *comma = strchr(line, ',');
        assert_non_null(comma);
        if (line[0] < '0' || line[0] > '9' || strtoull(line, NULL, 10) < first) continue;
        sum += 1 / strtod(comma + 1, NULL);
        count++;
    }
    fclose(file);
    assert_true(count > 0);
    return sum / count;
}

static void test_it_learns(void **state)
{
    (void)state;
    scadyg_error error;
    scadyg_events *events = generated_with(30000, 500, 16, oracle_path);
    scadyg_train_options options = plain();
    options.messages.steps = 200;
    options.messages.gamma0 = 1e-5; /* about a day */
    options.normalise = SCADYG_NORMALISE_STANDARD;
    options.epochs = 12;
    double mrr[2];
    for (int round = 0; round < 2; round++) {
        scadyg_model *model;
        scadyg_result result;
        const scadyg_eval_options judging = {.seeds = 1, .seed = 1, .heuristics = 1};
        options.learning_rate = round ? 0.005 : 1e-12; /* first a model that cannot learn */
        if (scadyg_train(events, &options, NULL, 0, NULL, NULL, &model, &error)) fail_msg("%s", error.message);
        if (scadyg_evaluate(model, events, &judging, NULL, &result, &error)) fail_msg("%s", error.message);
        assert_true(result.count == 7);
        assert_true(result.overlap == 0);
        mrr[round] = result.judged[0].mean.mrr;
        for (size_t i = 1; i < result.count && round; i++) assert_true(mrr[1] > result.judged[i].mean.mrr);
        scadyg_model_close(model);
    }
    const double oracle = oracle_mrr(25500);
    print_message("MRR untrained %.3f, trained %.3f, which is %.0f %% of the oracle's %.3f\n", mrr[0], mrr[1],
                  100 * mrr[1] / oracle, oracle);
    assert_true(mrr[1] > mrr[0] + 0.1);
    assert_true(mrr[1] > 0.5 * oracle && mrr[1] < 1.1 * oracle);
    scadyg_events_close(events);
}

static int forget(void **state)
{
    (void)state;
    unlink(events_path);
    unlink(model_path);
    unlink(checkpoint_path);
    unlink(oracle_path);
    return 0;
}

int main(void)
{
    make_paths();
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(test_same_bytes, forget),
                                       cmocka_unit_test_teardown(test_resume, forget),
                                       cmocka_unit_test_teardown(test_it_learns, forget)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
