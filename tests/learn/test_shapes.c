/* Logs of any shape, from their events to an evaluated model: four distinct times are enough, and fewer are refused by name. */
#include "events/shapes.h"
#include "make_events.h"
#include "train_options.h"

enum { LOGS = 3 * SHAPE_KINDS, NODES = 30 };

static const struct {
    const char *model, *task, *settings;
    int live;
} kinds[] = {
    {"scadyg", "link", "epochs=1 hidden=4 fallback=0 stepwise=1", 0},
    {"scadyg", "link", "epochs=1 hidden=4 fallback=0", 1},
    {"scadyg-paper", "link", "epochs=1 hidden=4", 0},
    {"scadyg-paper", "link", "epochs=1 hidden=4 step-rule=equal-count window=9", 0},
    {"scadyg-paper", "link", "epochs=1 hidden=4 stepwise=0", 1},
    {"popularity", "link", "", 1},
    {"scadyg", "affinity", "epochs=1 hidden=4", 0},
};

static scadyg_events *make_log(uint64_t number, size_t *distinct)
{
    static double time[SHAPES_MOST];
    static uint32_t src[SHAPES_MOST], dst[SHAPES_MOST];
    const size_t all = shape_make(number, time), count = all < 400 ? all : 400;
    sg_rng rng;
    sg_rng_seed(&rng, 8, number);
    for (size_t i = 0; i < all; i++) {
        src[i] = (uint32_t)sg_rng_below(&rng, NODES / 2);
        dst[i] = NODES / 2 + (uint32_t)sg_rng_below(&rng, NODES / 2);
    }
    /* Spread over the log, so that a shorter one has the same shape. */
    for (size_t i = 0; i < count; i++) time[i] = time[i * (all - 1) / (count - 1)];
    *distinct = shape_distinct(time, count);
    return make_events(&(made_events){.count = count, .nodes = NODES, .src = src, .dst = dst, .time = time});
}

static void count_note(void *data, const char *sentence)
{
    assert_true(strlen(sentence) > 20);
    ++*(int *)data;
}

static void check_evaluations(const scadyg_model *model, scadyg_events *events, int affinity, int live)
{
    static const char *const protocols[] = {"protocol=paper negatives=5", "protocol=tgb-link", "protocol=dyglib"};
    for (size_t i = 0; i < (affinity ? 1 : sizeof protocols / sizeof *protocols); i++) {
        /* What a live model was trained on, or steps it does not go by, may leave nothing of a protocol's test part. */
        scadyg_options *options = set_options("evaluate", affinity ? "protocol=tgb-node" : protocols[i]);
        scadyg_result *result = NULL;
        scadyg_error error = {0};
        if (scadyg_evaluate(NULL, model, events, options, &result, &error) == SCADYG_OK)
            scadyg_result_free(result);
        else if (!live || !strstr(error.message, "there is nothing to evaluate"))
            fail_msg("%s", error.message);
        scadyg_options_close(options);
    }
}

static void trained_and_evaluated(void **state)
{
    (void)state;
    int notes = 0;
    for (uint64_t number = 0; number < LOGS; number++) {
        size_t distinct;
        scadyg_events *events = make_log(number, &distinct);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            const int affinity = strcmp(kinds[k].task, "affinity") == 0;
            scadyg_options *options = train_options(kinds[k].model, kinds[k].task, kinds[k].settings);
            const scadyg_watch watch = {.size = sizeof watch, .data = &notes, .note = count_note};
            scadyg_model *model = NULL;
            scadyg_error error = {0};
            const int status = scadyg_train(NULL, events, options, NULL, 0, &watch, &model, &error);
            if (status == SCADYG_OK)
                check_evaluations(model, events, affinity, kinds[k].live);
            else if (status != (affinity ? SCADYG_E_USAGE : SCADYG_E_INPUT) ||
                     !strstr(error.message, affinity ? "learning takes at least three" : "distinct time"))
                fail_msg("log %d, %s: %s", (int)number, kinds[k].settings, error.message);
            if (!affinity) assert_int_equal(status == SCADYG_OK, kinds[k].live || distinct >= 4);
            scadyg_model_close(model);
            scadyg_options_close(options);
        }
        scadyg_events_close(events);
    }
    assert_true(notes > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(trained_and_evaluated)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
