/* However many scorers there are, an evaluation is one pass over the log: what they share of the past is followed once. */
#include "evaluate/fake.h"

#include "base/rng.h"
#include "events/steps.h"

enum { EVENTS = 20000, NODES = 300, SCORERS = 3, STEPS = 100 };

/* The past that several scorers share: events are taken in one after the other, and going back begins again. */
typedef struct shared_past {
    uint64_t seen, taken_in;
    int rewinds;
} shared_past;

static int rewind_shared(void *context, scadyg_error *error)
{
    (void)error;
    shared_past *past = context;
    past->seen = 0;
    past->rewinds++;
    return SCADYG_OK;
}

static int score_shared(void *context, const sg_question *question, scadyg_error *error)
{
    (void)error;
    shared_past *past = context;
    if (question->seen < past->seen) past->seen = 0;
    past->taken_in += question->seen - past->seen;
    past->seen = question->seen;
    for (size_t i = 0; i < question->count; i++) question->score[i] = question->dst[i] % 7;
    return SCADYG_OK;
}

/* Random pairs; so many distinct times. */
static void make_log(uint32_t *src, uint32_t *dst, double *time, uint64_t times)
{
    sg_rng rng;
    sg_rng_seed(&rng, 61, times);
    for (uint64_t i = 0; i < EVENTS; i++) {
        src[i] = (uint32_t)sg_rng_below(&rng, NODES);
        dst[i] = (uint32_t)sg_rng_below(&rng, NODES);
        time[i] = (double)(i * times / EVENTS);
    }
}

static void followed_once(void **state)
{
    (void)state;
    static const uint64_t times[] = {10, 500, EVENTS};
    static const int protocols[] = {SG_PROTOCOL_PAPER, SG_PROTOCOL_TGB_LINK, SG_PROTOCOL_DYGLIB};
    static uint32_t src[EVENTS], dst[EVENTS];
    static double time[EVENTS];
    for (size_t i = 0; i < 6 * sizeof times / sizeof *times; i++) {
        const int protocol = protocols[i % 3], reveal = i / 3 % 2 ? SG_REVEAL_BATCH : SG_REVEAL_EVENT;
        sg_steps steps;
        if (protocol == SG_PROTOCOL_PAPER && reveal == SG_REVEAL_BATCH) continue;
        make_log(src, dst, time, times[i / 6]);
        assert_int_equal(sg_steps_make(&steps, time, EVENTS, STEPS, SG_STEPS_EQUAL_TIME, NULL), SCADYG_OK);
        const sg_evaluated_data data = {.columns = {.count = EVENTS, .src = src, .dst = dst, .time = time},
                                        .nodes = NODES,
                                        .steps = &steps,
                                        .split = sg_split_time(time, EVENTS, 0.70, 0.15)};
        const sg_eval_options options = {.protocol = protocol, .reveal = reveal, .seeds = 2, .negatives = 1};
        shared_past past = {0};
        sg_scorer scorers[SCORERS];
        sg_scores scores[SCORERS * 2];
        sg_evaluation_scores out = {.scores = scores};
        for (size_t k = 0; k < SCORERS; k++)
            scorers[k] = (sg_scorer){"shared", &past, rewind_shared, score_shared, NULL, NULL};
        scadyg_error error;
        if (sg_evaluate_links(NULL, &data, &options, scorers, SCORERS, NULL, &out, &error))
            fail_msg("%s", error.message);
        assert_true(past.taken_in > 0 && past.taken_in <= EVENTS);
        assert_int_equal(past.rewinds, SCORERS); /* once each, whatever the number of seeds */
        sg_steps_free(&steps);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(followed_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
