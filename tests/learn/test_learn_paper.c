/* Learning links with the paper's model: the same bytes for any number of threads, any memory, and after any
 * interruption; and it learns. */
#include "learn/sample.h"

/* A graph without memory of pairs, which a model of nodes cannot see. */
#define FORGETFUL "again=0 "
#define PLAIN "steps=30 epochs=4 "

/* ---- The same bytes ---- */

static void assert_same_and_close(const scadyg_model *one, scadyg_model *other)
{
    assert_same_model(one, other);
    scadyg_model_close(other);
}

static void check_threads_and_memory(scadyg_events *events, const char *settings)
{
    scadyg_options *options = train_options("scadyg-paper", "link", settings);
    scadyg_model *first = must_train(NULL, events, options);
    assert_same_and_close(first, must_train(context_of(4), events, options));
    /* With so little memory messages are walked through again in every pass. */
    assert_same_and_close(first, must_train(context_with(2, 1, NULL, NULL), events, options));
    assert_int_equal(scadyg_options_set(options, "seed", "77", NULL), SCADYG_OK);
    scadyg_model *another = must_train(NULL, events, options);
    assert_memory_not_equal(another->values, first->values, first->count * sizeof *first->values);
    scadyg_model_close(another);
    scadyg_model_close(first);
    scadyg_options_close(options);
}

static void test_same_bytes(void **state)
{
    (void)state;
    scadyg_events *events = generated(FORGETFUL "events=2000 nodes=80 edge-features=4", NULL);
    check_threads_and_memory(events, PLAIN);
    check_threads_and_memory(events, PLAIN "epochs=2 normalise=log-standard window=5");
    check_threads_and_memory(events, PLAIN "epochs=2 normalise=log-standard window=5 stepwise=0");
    check_threads_and_memory(events, PLAIN "epochs=1 node-features=random:20"); /* a wide net */
    scadyg_events_close(events);
}

/* ---- Interrupted ---- */

static void test_resume(void **state)
{
    (void)state;
    char checkpoint[64];
    sg_rng rng;
    sg_rng_seed(&rng, 5, 5);
    scadyg_error error = {0};
    make_path(checkpoint);
    scadyg_events *events = generated(FORGETFUL "events=800 nodes=40", NULL);
    scadyg_options *options =
        train_options("scadyg-paper", "link", PLAIN "normalise=log-standard epochs=12 patience=3");
    scadyg_model *whole = must_train(NULL, events, options), *model = NULL;
    int stops = 0;
    for (int round = 0; round < (long_tier() ? 100 : 10); round++) {
        int status;
        unlink(checkpoint);
        uint64_t tries = 0;
        do { /* until it gets through */
            stopper s = {.left = sg_rng_below(&rng, 100) + 20 * tries++};
            scadyg_context *context = context_with(1 + (int)sg_rng_below(&rng, 2), 0, stop_at, &s);
            status = scadyg_train(context, events, options, checkpoint, 1, NULL, &model, &error);
            if (status && status != SCADYG_E_CANCELLED) fail_msg("%s", error.message);
            stops += status != 0;
        } while (status);
        assert_same_and_close(whole, model);
        model = NULL;
    }
    assert_true(stops > 10);
    assert_int_equal(scadyg_options_set(options, "seed", "77", NULL), SCADYG_OK);
    /* Another training cannot go on from there. */
    assert_int_equal(scadyg_train(NULL, events, options, checkpoint, 1, NULL, &model, &error), SCADYG_E_USAGE);
    assert_null(model);
    unlink(checkpoint);
    scadyg_options_close(options);
    scadyg_model_close(whole);
    scadyg_events_close(events);
}

/* ---- It learns ---- */

/* The mean reciprocal rank of the oracle over the events from `first` on. */
static double oracle_mrr(const char *path, uint64_t first)
{
    FILE *file = fopen(path, "r");
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
    if (UNDER_SANITIZER) skip(); /* the others run the same code on less */
    char oracle_path[64];
    make_path(oracle_path);
    scadyg_events *events = generated(FORGETFUL "events=16000 nodes=300 edge-features=16", oracle_path);
    double mrr[2];
    for (int round = 0; round < 2; round++) {
        /* First a model that cannot learn. gamma0: about a day. */
        scadyg_model *model = trained(context_of(2), events, "scadyg-paper", "link",
                                      round ? "steps=100 gamma0=1e-5 normalise=standard epochs=12 lr=0.005"
                                            : "steps=100 gamma0=1e-5 normalise=standard epochs=1 lr=1e-12");
        scadyg_result *result = evaluated(context_of(2), model, events, NULL);
        assert_string_equal(result->protocol, "paper");
        assert_int_equal(result->count, 9);
        assert_true(result->left_out == 0);
        mrr[round] = result->evaluated[0]->mean[SCADYG_MRR];
        for (size_t i = 1; i < result->count && round; i++)
            assert_true(mrr[1] > result->evaluated[i]->mean[SCADYG_MRR]);
        scadyg_result_free(result);
        scadyg_model_close(model);
    }
    const double oracle = oracle_mrr(oracle_path, 13600);
    print_message("MRR untrained %.3f, trained %.3f, which is %.0f %% of the oracle's %.3f\n", mrr[0], mrr[1],
                  100 * mrr[1] / oracle, oracle);
    assert_true(mrr[1] > mrr[0] + 0.1);
    assert_true(mrr[1] > 0.5 * oracle && mrr[1] < 1.1 * oracle);
    unlink(oracle_path);
    scadyg_events_close(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bytes), cmocka_unit_test(test_resume),
                                       cmocka_unit_test(test_it_learns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
