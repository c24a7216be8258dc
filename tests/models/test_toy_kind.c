/*
 * A kind of model is one folder and one row: the toy of tests/models/toy is trained, saved, loaded, evaluated and asked,
 * and nothing of the library knows it by name.
 */
#include "cmocka_all.h"

#include "models/toy/kinds.c"
#include "models/toy/toy.c"
#include "scadyg_lab.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static scadyg_error failure;
#define MUST(call)                                                                                                 \
    do {                                                                                                           \
        if (call) fail_msg("%s", failure.message);                                                                 \
    } while (0)

static void a_kind_is_a_folder_and_a_row(void **state)
{
    (void)state;
    char events_path[] = "/tmp/toy-events-XXXXXX", model_path[] = "/tmp/toy-model-XXXXXX";
    close(mkstemp(events_path)), close(mkstemp(model_path));
    scadyg_options *generated = NULL, *options = NULL;
    scadyg_events *events = NULL;
    scadyg_model *model = NULL, *loaded = NULL;
    scadyg_result *before = NULL, *after = NULL;
    scadyg_predictor *predictor = NULL;
    MUST(scadyg_options_open("generate", &generated, &failure));
    MUST(scadyg_options_set(generated, "events", "3000", &failure));
    MUST(scadyg_options_set(generated, "nodes", "60", &failure));
    MUST(scadyg_generate(NULL, events_path, NULL, generated, &failure));
    MUST(scadyg_events_open(events_path, &events, &failure));

    MUST(scadyg_options_open_train("toy", "link", &options, &failure));
    MUST(scadyg_options_set(options, "epochs", "2", &failure));
    assert_int_equal(scadyg_options_set(options, "hidden", "8", &failure), SCADYG_E_USAGE);
    assert_string_equal(failure.message, "--hidden is not an option of toy; it is of scadyg");
    MUST(scadyg_train(NULL, events, options, NULL, 0, NULL, &model, &failure));
    assert_int_equal(scadyg_model_look(model)->parameters, 2);
    MUST(scadyg_model_save(model, model_path, &failure));
    MUST(scadyg_model_open(model_path, &loaded, &failure));
    assert_string_equal(scadyg_model_look(loaded)->kind, "toy");

    MUST(scadyg_evaluate(NULL, model, events, NULL, &before, &failure));
    MUST(scadyg_evaluate(NULL, loaded, events, NULL, &after, &failure));
    assert_string_equal(after->evaluated[0]->name, "toy");
    assert_string_equal(after->evaluated[1]->name, "popularity");
    assert_memory_equal(before->evaluated[0]->mean, after->evaluated[0]->mean, sizeof(double));
    assert_true(after->evaluated[0]->mean[SCADYG_MRR] > 0.6 * after->evaluated[1]->mean[SCADYG_MRR]);

    uint32_t nodes[3];
    double scores[3], chances[3];
    size_t count = 0;
    MUST(scadyg_predictor_open(NULL, loaded, events, &predictor, &failure));
    MUST(scadyg_rank(predictor, 0, scadyg_events_shape(events)->last_time + 1, 0, 3, nodes, scores, chances, &count,
                     &failure));
    assert_int_equal(count, 3);
    assert_true(scores[0] >= scores[1] && scores[1] >= scores[2]);
    float out[1];
    assert_int_equal(scadyg_embed(predictor, scadyg_events_shape(events)->last_time, nodes, 1, out, &failure),
                     SCADYG_E_USAGE);
    assert_string_equal(failure.message, "toy for --task link has no embeddings");

    scadyg_predictor_close(predictor);
    scadyg_result_free(before), scadyg_result_free(after);
    scadyg_model_close(model), scadyg_model_close(loaded);
    scadyg_options_close(options), scadyg_options_close(generated);
    scadyg_events_close(events);
    unlink(events_path), unlink(model_path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_kind_is_a_folder_and_a_row)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
