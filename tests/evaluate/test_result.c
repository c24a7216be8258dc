/* Results: means and deviations over seeds, and JSON that reads back to the same doubles. */
#include "cmocka_all.h"

#include "base/rng.h"
#include "evaluate/evaluate.h"

#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *json_of(const scadyg_result *result)
{
    const size_t length = scadyg_result_json(result, NULL, 0);
    char *text = malloc(length + 1);
    assert_non_null(text);
    assert_int_equal(scadyg_result_json(result, text, length + 1), length);
    assert_int_equal(strlen(text), length);
    for (size_t size = 1; size <= length; size += 1 + length / 50) { /* cut off, never beyond */
        char cut[4096];
        memset(cut, 'x', sizeof cut);
        assert_int_equal(scadyg_result_json(result, cut, size), length);
        assert_memory_equal(cut, text, size - 1);
        assert_true(cut[size - 1] == 0 && cut[size] == 'x');
    }
    return text;
}

static json_t *parse(const scadyg_result *result)
{
    json_error_t error;
    char *text = json_of(result);
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!json) fail_msg("%s in %s", error.text, text);
    free(text);
    return json;
}

static double real(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_real(value));
    return json_real_value(value);
}

static void check_parts(const json_t *parts)
{
    const json_t *test = json_object_get(parts, "test"), *validation = json_object_get(parts, "validation");
    assert_int_equal(json_object_size(parts), 3);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(parts, "training"), "events")), 1000);
    assert_int_equal(json_integer_value(json_object_get(validation, "events")), 0);
    assert_true(json_is_null(json_object_get(validation, "first_time")));
    assert_true(real(test, "first_time") == 10 && real(test, "last_time") == 20);
}

static void three_seeds(void **state)
{
    (void)state;
    const char *const names[] = {"a \"model\" \\ with\ttabs", "popularity"};
    sg_scores scores[6];
    double seconds[] = {1.5, 2.5}, errors[] = {0, 0.125};
    for (size_t s = 0; s < 6; s++)
        for (size_t i = 0; i < SG_SCORES; i++)
            scores[s].of[i] = i == SCADYG_NDCG10 ? NAN : (double)(s % 3) + 10 * (double)(s / 3) + (double)i / 100;
    const sg_eval_options options = {
        .protocol = SG_PROTOCOL_DYGLIB, .reveal = SG_REVEAL_BATCH, .seeds = 3, .seed = -4};
    const sg_evaluation_scores out = {.scores = scores,
                                      .seconds = seconds,
                                      .errors = errors,
                                      .clusters = 4,
                                      .queries = 700,
                                      .left_out = 50,
                                      .parts = {{1000, 0, 9.5}, {0, NAN, NAN}, {750, 10, 20}},
                                      .one_in = 3,
                                      .negatives = 1,
                                      .pool = "destination"};
    scadyg_result *result;
    assert_int_equal(sg_result_make(&options, &out, names, 2, &result, NULL), SCADYG_OK);
    assert_string_equal(result->protocol, "dyglib");
    assert_string_equal(result->part, "test");
    assert_int_equal(result->main_score, SCADYG_AP);
    assert_int_equal(result->count, 2);
    assert_true(result->evaluated[0]->name != names[0]);
    assert_string_equal(result->evaluated[0]->name, names[0]);
    assert_true(result->evaluated[1]->seconds == 2.5);
    assert_true(result->evaluated[1]->mean[SCADYG_MRR] == 11 && result->evaluated[1]->spread[SCADYG_MRR] == 1);
    assert_true(isnan(result->evaluated[0]->mean[SCADYG_NDCG10]));
    assert_true(isnan(result->evaluated[0]->spread[SCADYG_NDCG10]));
    json_t *json = parse(result);
    static const char *const keys[] = {
        "protocol",         "pool",     "part",       "reveal",      "seeds",        "first_seed",    "negatives",
        "queries",          "one_in",   "left_out",   "parts",       "main_score",   "best_baseline", "difference",
        "difference_error", "clusters", "cluster_of", "model",       "mrr",          "hits@1",        "hits@3",
        "hits@10",          "ap",       "auc",        "ap_partners", "auc_partners", "baselines"};
    const char *key;
    json_t *value;
    size_t i = 0;
    json_object_foreach(json, key, value) assert_string_equal(key, keys[i++]); /* in this order */
    assert_int_equal(i, sizeof keys / sizeof *keys);
    assert_string_equal(json_string_value(json_object_get(json, "reveal")), "batch");
    assert_int_equal(json_integer_value(json_object_get(json, "first_seed")), -4);
    assert_int_equal(json_integer_value(json_object_get(json, "queries")), 700);
    assert_int_equal(json_integer_value(json_object_get(json, "one_in")), 3);
    assert_int_equal(json_integer_value(json_object_get(json, "left_out")), 50);
    check_parts(json_object_get(json, "parts"));
    /* The baseline is better by 10 under every seed. */
    assert_int_equal(result->best_baseline, 1);
    assert_true(fabs(real(json, "difference") + 10) < 1e-12 && real(json, "difference_error") == 0.125);
    assert_string_equal(json_string_value(json_object_get(json, "main_score")), "ap");
    assert_string_equal(json_string_value(json_object_get(json, "best_baseline")), "popularity");
    assert_string_equal(json_string_value(json_object_get(json, "cluster_of")), "batch");
    assert_int_equal(json_integer_value(json_object_get(json, "clusters")), 4);
    assert_string_equal(json_string_value(json_object_get(json, "model")), names[0]);
    assert_true(real(json_object_get(json, "mrr"), "mean") == 1 && real(json_object_get(json, "mrr"), "std") == 1);
    const json_t *rule = json_object_get(json_object_get(json, "baselines"), "popularity");
    assert_true(real(json_object_get(rule, "auc"), "mean") == result->evaluated[1]->mean[SCADYG_AUC]);
    assert_int_equal(json_object_size(rule), 8);
    json_decref(json);
    scadyg_result_free(result);
    scadyg_result_free(NULL);
}

/* What is as usual is not said; a number has 17 digits, whatever the locale has for a point. */
static void one_seed(void **state)
{
    (void)state;
    const char *const names[] = {"persistence"};
    setlocale(LC_ALL, "de_DE.UTF-8"); /* where there is one */
    for (uint64_t round = 0; round < 3000; round++) {
        sg_scores scores;
        sg_rng rng;
        sg_rng_seed(&rng, 71, round);
        for (size_t i = 0; i < SG_SCORES; i++)
            scores.of[i] = round % 3 ? sg_rng_unit(&rng) * pow(10, -(double)sg_rng_below(&rng, 40)) : (double)round;
        const sg_eval_options options = {.protocol = SG_PROTOCOL_TGB_NODE, .seeds = 1, .seed = 1};
        const sg_evaluation_scores out = {.scores = &scores, .queries = 5, .pool = "none"};
        scadyg_result *result;
        assert_int_equal(sg_result_make(&options, &out, names, 1, &result, NULL), SCADYG_OK);
        assert_int_equal(result->one_in, 1);
        json_t *json = parse(result);
        assert_true(json_is_null(json_object_get(json, "negatives")));
        assert_null(json_object_get(json, "reveal"));
        assert_null(json_object_get(json, "one_in"));
        assert_null(json_object_get(json, "parts")); /* of labels */
        assert_null(json_object_get(json, "best_baseline"));
        assert_true(isnan(result->difference));
        assert_int_equal(json_object_size(json_object_get(json, "baselines")), 0);
        for (size_t i = 0; i < SG_SCORES; i++) {
            assert_true(real(json, scadyg_score_at(i)->key) == scores.of[i]);
            assert_true(result->evaluated[0]->spread[i] == 0);
        }
        /* To the letter what jansson writes. */
        char *text = json_of(result), *theirs = json_dumps(json, JSON_REAL_PRECISION(17));
        assert_string_equal(text, theirs);
        free(text);
        free(theirs);
        json_decref(json);
        scadyg_result_free(result);
    }
    setlocale(LC_ALL, "C");
}

static void all_negatives(void **state)
{
    (void)state;
    const sg_eval_options options = {.protocol = SG_PROTOCOL_TGB_LINK, .seeds = 1, .seed = 1};
    const sg_evaluation_scores out = {.pool = "historical and random"};
    scadyg_result *result;
    assert_int_equal(sg_result_make(&options, &out, NULL, 0, &result, NULL), SCADYG_OK);
    json_t *json = parse(result);
    assert_string_equal(json_string_value(json_object_get(json, "negatives")), "all");
    assert_null(json_object_get(json, "model"));
    json_decref(json);
    scadyg_result_free(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(three_seeds), cmocka_unit_test(one_seed),
                                       cmocka_unit_test(all_negatives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
