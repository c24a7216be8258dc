/* What a model was trained on is never evaluated, under no protocol for links. */
#include "evaluate/fake.h"

#include "base/rng.h"

#include <math.h>

static double hashed(uint32_t from, uint32_t to)
{
    return (double)(sg_hash3(9, from, to) % 7);
}

static void never_trained_on(void **state)
{
    (void)state;
    enum { MANY = 400 };
    static uint32_t from[MANY], to[MANY];
    static double time[MANY];
    sg_rng rng;
    sg_rng_seed(&rng, 48, 1);
    for (uint32_t i = 0; i < MANY; i++) {
        from[i] = (uint32_t)sg_rng_below(&rng, 8), to[i] = 8 + (uint32_t)sg_rng_below(&rng, 12);
        time[i] = floor(i / 2.);
    }
    sg_evaluated_data data = {.columns = {.count = MANY, .src = from, .dst = to, .time = time}, .nodes = 20};
    sg_steps steps;
    assert_int_equal(sg_steps_make(&steps, time, MANY, 20, SG_STEPS_EQUAL_TIME, NULL), SCADYG_OK);
    data.steps = &steps;
    for (int protocol = SG_PROTOCOL_LIVE; protocol <= SG_PROTOCOL_DYGLIB; protocol++)
        for (uint64_t trained = 0; trained <= MANY; trained += 20) {
            fake f = {.rule = hashed, .columns = &data.columns};
            f.steps = protocol == SG_PROTOCOL_PAPER ? &steps : NULL;
            f.batches = protocol == SG_PROTOCOL_PAPER; /* a step may be cut in two */
            sg_scorer scorer = fake_scorer(&f);
            sg_scores scores;
            scadyg_error error = {0};
            sg_evaluation_scores out = {.scores = &scores};
            const sg_eval_options options = {.protocol = protocol, .seeds = 1};
            data.trained = trained;
            data.split = (sg_split){280, 340};
            const int status = sg_evaluate_links(NULL, &data, &options, &scorer, 1, NULL, &out, &error);
            /* What is told of the parts is what was learned from, and what is evaluated. */
            const uint64_t begin = MANY - out.parts[2].events - out.left_out;
            assert_true(begin >= 338 && begin <= 342);
            assert_int_equal(out.left_out, trained > begin ? trained - begin : 0);
            if (trained) assert_int_equal(out.parts[0].events, trained);
            assert_int_equal(status, trained < MANY ? SCADYG_OK : SCADYG_E_USAGE);
            if (status) assert_non_null(strstr(error.message, "trained on all events of the test part"));
            if (!status && protocol != SG_PROTOCOL_PAPER)
                assert_int_equal(out.queries + out.unranked, MANY - (trained > begin ? trained : begin));
            for (size_t i = 0; i < f.count && trained && !f.steps; i++)
                assert_true(f.questions[i].at > time[trained - 1]);
            fake_close(&f);
        }
    sg_steps_free(&steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(never_trained_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
