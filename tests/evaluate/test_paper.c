/* The paper's protocol: worked out by hand, and again from the pairs that were scored. */
#include "evaluate/fake.h"
#include "evaluate/rounds.h"

#include "base/rng.h"
#include "evaluate/evaluation.h"

#include <math.h>

/*
 * Nodes 0 to 3, four steps by count (two events each; the third takes in the whole group at time 5):
 *
 *   step 0   0->1 at 0   0->2 at 1
 *   step 1   1->2 at 2   0->3 at 3
 *   step 2   0->1 at 4   0->2 at 5   0->1 at 5
 *   step 3   2->0 at 7   0->1 at 8
 */
static const uint32_t small_src[] = {0, 0, 1, 0, 0, 0, 0, 2, 0}, small_dst[] = {1, 2, 2, 3, 1, 2, 1, 0, 1};
static const double small_time[] = {0, 1, 2, 3, 4, 5, 5, 7, 8};

typedef struct small {
    sg_steps steps;
    sg_evaluated_data data;
} small;

static void small_open(small *s, uint64_t train_end, uint64_t validation_end)
{
    static uint64_t first[] = {0, 2, 4, 7, 9};
    static double begin[] = {0, 2, 4, 7}, end[] = {1, 3, 5, 8};
    s->steps = (sg_steps){
        .count = 4, .rule = SG_STEPS_EQUAL_COUNT, .range = 8, .first = first, .begin = begin, .end = end};
    s->data = (sg_evaluated_data){.columns = {.count = 9, .src = small_src, .dst = small_dst, .time = small_time},
                                  .nodes = 4,
                                  .steps = &s->steps,
                                  .split = {train_end, validation_end}};
}

/*
 * Step 2, source 0, positives 1, 2, 1: negatives are 0 and 3. All score 4, so the best positive is level with all
 * three negatives: rank 4, and AP = AUC = 1/2 by ties.
 * Step 3, source 2, positive 0 (score 9), negatives 1, 2, 3 (score 1): rank 1.
 *         source 0, positive 1 (score 2), negatives 0, 2, 3 (score 5): rank 4.
 *         pooled: 9+ 5- 2+ 1-: AP = (1/1 + 2/3) / 2 = 5/6, AUC = 3 of 4 pairs.
 */
static double by_hand_step2(uint32_t src, uint32_t dst)
{
    (void)src, (void)dst;
    return 4;
}

static double by_hand_step3(uint32_t src, uint32_t dst)
{
    if (src == 2) return dst == 0 ? 9 : 1;
    return dst == 1 ? 2 : 5;
}

static const sg_steps *current_steps;
static double (*current_rule)(uint32_t, uint32_t);

static double by_hand(uint32_t src, uint32_t dst)
{
    return current_rule(src, dst);
}

/* Steps are told apart by what is seen. */
static int by_hand_score(void *context, const sg_question *question, scadyg_error *error)
{
    current_rule = question->seen == current_steps->first[2] ? by_hand_step2 : by_hand_step3;
    return fake_score(context, question, error);
}

static void worked_by_hand(void **state)
{
    (void)state;
    small s;
    small_open(&s, 4, 4);
    current_steps = &s.steps;
    fake f = {.rule = by_hand, .columns = &s.data.columns, .steps = &s.steps};
    sg_scorer scorer = fake_scorer(&f);
    scorer.score = by_hand_score;
    sg_scores scores[2];
    double seconds = -1;
    sg_eval_options options = {.protocol = SG_PROTOCOL_PAPER, .negatives = 3, .seeds = 2, .seed = 5};
    sg_evaluation_scores out = {.scores = scores, .seconds = &seconds};
    scadyg_error error;
    assert_int_equal(sg_evaluate_links(NULL, &s.data, &options, &scorer, 1, NULL, &out, &error), SCADYG_OK);
    for (int i = 0; i < 2; i++) {
        /* Step 2 has 3 events and MRR 1/4, step 3 has 2 and (1 + 1/4) / 2 = 5/8. */
        near(scores[i].of[SCADYG_MRR], (3 * 0.25 + 2 * 0.625) / 5);
        near(scores[i].of[SCADYG_HITS1], (3 * 0.0 + 2 * 0.5) / 5);
        near(scores[i].of[SCADYG_HITS3], (3 * 0.0 + 2 * 0.5) / 5);
        near(scores[i].of[SCADYG_HITS10], 1);
        near(scores[i].of[SCADYG_AP], (3 * 0.5 + 2 * 5.0 / 6) / 5);
        near(scores[i].of[SCADYG_AUC], (3 * 0.5 + 2 * 0.75) / 5);
        assert_true(isnan(scores[i].of[SCADYG_NDCG10]));
    }
    assert_int_equal(out.queries, 3);
    assert_int_equal(out.negatives, 3);
    assert_string_equal(out.pool, "any");
    assert_true(seconds >= 0);
    assert_int_equal(f.count, 2);
    assert_int_equal(f.questions[0].step, 2);
    assert_int_equal(f.questions[0].seen, 4);
    assert_true(f.questions[0].at == nextafter(3, INFINITY));
    assert_int_equal(f.questions[0].count, 3 + 2 * 3); /* positives, then three negatives per seed */
    assert_int_equal(f.questions[1].count, 2 + 2 * 6);
    fake_close(&f);
}

/* A part that begins inside a step evaluates the rest of the step, and still sees only the steps before. */
static void clipped_steps(void **state)
{
    (void)state;
    small s;
    small_open(&s, 5, 8); /* validation: events 5 to 7 */
    fake f = {.rule = by_hand_step2, .columns = &s.data.columns, .steps = &s.steps};
    sg_scorer scorer = fake_scorer(&f);
    sg_scores scores;
    sg_eval_options options = {
        .protocol = SG_PROTOCOL_PAPER, .negatives = 1, .seeds = 1, .part = SG_PART_VALIDATION};
    sg_evaluation_scores out = {.scores = &scores};
    assert_int_equal(sg_evaluate_links(NULL, &s.data, &options, &scorer, 1, NULL, &out, NULL), SCADYG_OK);
    assert_int_equal(f.count, 2);
    assert_int_equal(f.questions[0].step, 2);
    assert_int_equal(f.questions[0].seen, 4);
    assert_int_equal(f.questions[0].count, 2 + 2); /* two events, and a negative for each */
    assert_int_equal(f.src[0], 0);
    assert_int_equal(f.dst[0], 2);
    assert_int_equal(f.dst[1], 1);
    assert_int_equal(f.questions[1].step, 3);
    assert_int_equal(f.questions[1].count, 1 + 1);
    fake_close(&f);
}

/* Pools: which negatives source 0 can have in step 2, positives 1 and 2. */
static void pools(void **state)
{
    (void)state;
    static const struct {
        int pool;
        const char *allowed; /* of source 0 in step 2 */
    } cases[] = {
        {SG_POOL_ANY, "03"},
        {SG_POOL_DESTINATION, "03"}, /* destinations: 0 1 2 3 */
        {SG_POOL_HISTORICAL, "30"},  /* it met 1, 2 and 3: first 3, then the destination it has not met */
        {SG_POOL_INDUCTIVE, "30"},   /* after training (events 0 to 2) it met 3 */
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        small s;
        small_open(&s, 3, 3);
        fake f = {.rule = by_hand_step2, .columns = &s.data.columns, .steps = &s.steps};
        sg_scorer scorer = fake_scorer(&f);
        sg_scores scores;
        sg_eval_options options = {
            .protocol = SG_PROTOCOL_PAPER, .negatives = 30, .seeds = 1, .pool = cases[c].pool};
        sg_evaluation_scores out = {.scores = &scores};
        assert_int_equal(sg_evaluate_links(NULL, &s.data, &options, &scorer, 1, NULL, &out, NULL), SCADYG_OK);
        assert_int_equal(f.questions[1].step, 2);
        int times[4] = {0};
        for (size_t i = 3; i < f.questions[1].count; i++) {
            assert_int_equal(f.src[f.questions[1].first + i], 0);
            times[f.dst[f.questions[1].first + i]]++;
        }
        for (uint32_t node = 0; node < 4; node++)
            assert_int_equal(times[node] > 0, strchr(cases[c].allowed, (char)('0' + node)) != NULL);
        if (cases[c].pool >= SG_POOL_HISTORICAL) assert_int_equal(times[3], 1); /* met ones only once */
        fake_close(&f);
    }
}

/* Every node is a positive: there is nothing to tell apart, and no end to wait for. */
static void nothing_to_tell_apart(void **state)
{
    (void)state;
    static const uint32_t src[] = {0, 0, 0}, dst[] = {0, 0, 1};
    static const double time[] = {0, 1, 1};
    static uint64_t first[] = {0, 1, 3};
    static double begin[] = {0, 1}, end[] = {0, 1};
    sg_steps steps = {
        .count = 2, .rule = SG_STEPS_EQUAL_COUNT, .range = 1, .first = first, .begin = begin, .end = end};
    sg_evaluated_data data = {.columns = {.count = 3, .src = src, .dst = dst, .time = time},
                              .nodes = 2,
                              .steps = &steps,
                              .split = {1, 1}};
    sg_scores scores;
    sg_eval_options options = {.protocol = SG_PROTOCOL_PAPER, .seeds = 1};
    sg_evaluation_scores out = {.scores = &scores};
    scadyg_error error;
    assert_int_equal(sg_evaluate_links(NULL, &data, &options, NULL, 0, NULL, &out, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "nothing to evaluate"));
    options.part = SG_PART_VALIDATION;
    assert_int_equal(sg_evaluate_links(NULL, &data, &options, NULL, 0, NULL, &out, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "validation part has no events"));
    data.steps = NULL;
    assert_int_equal(sg_evaluate_links(NULL, &data, &options, NULL, 0, NULL, &out, &error), SCADYG_E_USAGE);
}

/*
 * Step 1: source 0 has both nodes as positives and is left out; source 1 has 0, against 1: a tie, so with one negative
 * rank 2, and AP = AUC = 1/2 of this one event.
 */
static void one_left_out(void **state)
{
    (void)state;
    static const uint32_t src[] = {0, 0, 0, 1}, dst[] = {0, 0, 1, 0};
    static const double time[] = {0, 1, 1, 1};
    static uint64_t first[] = {0, 1, 4};
    static double begin[] = {0, 1}, end[] = {0, 1};
    sg_steps steps = {
        .count = 2, .rule = SG_STEPS_EQUAL_COUNT, .range = 1, .first = first, .begin = begin, .end = end};
    sg_evaluated_data data = {.columns = {.count = 4, .src = src, .dst = dst, .time = time},
                              .nodes = 2,
                              .steps = &steps,
                              .split = {1, 1}};
    fake f = {.rule = by_hand_step2, .columns = &data.columns, .steps = &steps};
    sg_scorer scorer = fake_scorer(&f);
    sg_scores scores;
    sg_eval_options options = {.protocol = SG_PROTOCOL_PAPER, .seeds = 1, .negatives = 1};
    sg_evaluation_scores out = {.scores = &scores};
    assert_int_equal(sg_evaluate_links(NULL, &data, &options, &scorer, 1, NULL, &out, NULL), SCADYG_OK);
    assert_int_equal(out.queries, 1);
    near(scores.of[SCADYG_MRR], 0.5);
    near(scores.of[SCADYG_AP], 0.5);
    near(scores.of[SCADYG_AUC], 0.5);
    fake_close(&f);
}

enum { EVENTS = 80, NODES = 8 };

typedef struct random_file {
    uint32_t src[EVENTS], dst[EVENTS];
    double time[EVENTS];
    sg_steps steps;
    sg_evaluated_data data;
} random_file;

static void random_open(random_file *r, uint64_t number)
{
    sg_rng rng;
    double now = 0;
    sg_rng_seed(&rng, 31, number);
    for (int i = 0; i < EVENTS; i++) {
        r->src[i] = (uint32_t)sg_rng_below(&rng, NODES);
        r->dst[i] = (uint32_t)sg_rng_below(&rng, NODES);
        r->time[i] = now += (double)sg_rng_below(&rng, 3);
    }
    assert_int_equal(sg_steps_make(&r->steps, r->time, EVENTS, 2 + (int64_t)sg_rng_below(&rng, 20),
                                   (int)sg_rng_below(&rng, 2), NULL),
                     SCADYG_OK);
    r->data = (sg_evaluated_data){.columns = {.count = EVENTS, .src = r->src, .dst = r->dst, .time = r->time},
                                  .nodes = NODES,
                                  .steps = &r->steps,
                                  .split = {40 + sg_rng_below(&rng, 5), 60}};
}

static double mixed_rule(uint32_t src, uint32_t dst)
{
    return (double)(sg_hash3(7, src, dst) % 5);
}

/* A question's part of the score, from the pairs that were scored: positives, then negatives by source. */
static double slow_mrr(const fake *f, const fake_question *question, size_t events, size_t k, int pool,
                       size_t *sources)
{
    const uint32_t *src = f->src + question->first, *dst = f->dst + question->first;
    double sum = 0;
    *sources = 0;
    for (size_t i = events; i < question->count;) {
        size_t end = i, mine = 0, ahead = 0;
        double best = -1;
        while (end < question->count && src[end] == src[i]) end++;
        for (size_t e = 0; e < events; e++)
            if (src[e] == src[i]) mine++, best = fmax(best, f->rule(src[e], dst[e]));
        assert_true(mine > 0);
        if (pool < SG_POOL_HISTORICAL) assert_int_equal(end - i, mine > k ? mine : k);
        for (size_t j = i; j < end; j++) {
            for (size_t e = 0; e < events; e++) assert_false(src[e] == src[j] && dst[e] == dst[j]);
            if (j < i + k) ahead += f->rule(src[j], dst[j]) >= best;
        }
        sum += 1 / (1 + (double)ahead);
        ++*sources;
        i = end;
    }
    return *sources ? sum / (double)*sources : 0;
}

/* AP and AUC of a question: the j-th event of a source against the source's j-th negative. */
static void slow_ap_auc(const fake *f, const fake_question *question, size_t events, double *ap, double *auc)
{
    const uint32_t *src = f->src + question->first, *dst = f->dst + question->first;
    double positive[EVENTS], negative[EVENTS];
    size_t count = 0;
    for (size_t e = 0; e < events; e++) {
        size_t number = 0, i = events;
        for (size_t before = 0; before < e; before++) number += src[before] == src[e];
        while (i < question->count && src[i] != src[e]) i++;
        if (i == question->count) continue;
        positive[count] = f->rule(src[e], dst[e]);
        negative[count++] = f->rule(src[i + number], dst[i + number]);
    }
    sg_ap_auc(positive, count, negative, count, ap, auc);
}

static int is_met(const sg_evaluated_data *data, uint32_t src, uint32_t dst, uint64_t from, uint64_t until)
{
    for (uint64_t e = from; e < until; e++)
        if (data->columns.src[e] == src && data->columns.dst[e] == dst) return 1;
    return 0;
}

/* Negatives of a source: first each node it has met (inductive: but not in training) once, then others. */
static void check_met(const sg_evaluated_data *data, const fake *f, const fake_question *question, size_t events,
                      int pool)
{
    const uint32_t *src = f->src + question->first, *dst = f->dst + question->first;
    for (size_t i = events, next; i < question->count; i = next) {
        size_t met = 0;
        int times[NODES] = {0};
        for (next = i; next < question->count && src[next] == src[i];) next++;
        for (uint32_t node = 0; node < NODES; node++) {
            int positive = 0;
            for (size_t e = 0; e < events; e++) positive |= src[e] == src[i] && dst[e] == node;
            int known = is_met(data, src[i], node, 0, question->seen) && !positive;
            if (pool == SG_POOL_INDUCTIVE) known &= !is_met(data, src[i], node, 0, data->split.train_end);
            times[node] = known ? 1 : -1;
            met += (size_t)known;
        }
        for (size_t j = i; j < next; j++) {
            assert_int_equal(times[dst[j]], j < i + met ? 1 : -1);
            if (times[dst[j]] == 1) times[dst[j]] = 0;
        }
    }
}

static void from_the_pairs(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < rounds(500); number++) {
        random_file r;
        random_open(&r, number);
        fake f = {.rule = mixed_rule, .columns = &r.data.columns, .steps = &r.steps};
        sg_scorer scorer = fake_scorer(&f);
        sg_scores scores;
        sg_eval_options options = {.protocol = SG_PROTOCOL_PAPER,
                                   .negatives = 5,
                                   .seeds = 1,
                                   .seed = (int64_t)number,
                                   .pool = (int)(number % 5)};
        sg_evaluation_scores out = {.scores = &scores};
        assert_int_equal(sg_evaluate_links(NULL, &r.data, &options, &scorer, 1, NULL, &out, NULL), SCADYG_OK);
        double sum = 0, weight = 0, queries = 0, ap_sum = 0, auc_sum = 0;
        for (size_t b = 0; b < f.count; b++) {
            const int64_t step = f.questions[b].step;
            const uint64_t from = r.steps.first[step] > 60 ? r.steps.first[step] : 60;
            const size_t events = (size_t)(r.steps.first[step + 1] - from);
            size_t sources;
            double ap = 0, auc = 0, mrr = slow_mrr(&f, &f.questions[b], events, 5, options.pool, &sources);
            slow_ap_auc(&f, &f.questions[b], events, &ap, &auc);
            if (options.pool >= SG_POOL_HISTORICAL) check_met(&r.data, &f, &f.questions[b], events, options.pool);
            if (!sources) continue;
            sum += mrr * (double)events, weight += (double)events;
            ap_sum += ap * (double)events, auc_sum += auc * (double)events;
            queries += (double)sources;
        }
        near(scores.of[SCADYG_MRR], sum / weight);
        if (options.pool < SG_POOL_HISTORICAL) { /* the others may be short of negatives */
            near(scores.of[SCADYG_AP], ap_sum / weight);
            near(scores.of[SCADYG_AUC], auc_sum / weight);
        }
        near((double)out.queries, queries);
        fake_close(&f);
        sg_steps_free(&r.steps);
    }
}

static double hashed_rule(uint32_t src, uint32_t dst)
{
    return sg_unit(sg_hash3(8, src, dst));
}

static int hashed_score(void *context, const sg_question *question, scadyg_error *error)
{
    (void)error;
    ++*(size_t *)context;
    for (size_t i = 0; i < question->count; i++)
        question->score[i] = hashed_rule(question->src[i], question->dst[i]);
    return SCADYG_OK;
}

static int no_rewind(void *context, scadyg_error *error)
{
    (void)context, (void)error;
    return SCADYG_OK;
}

/* A seed means the same whatever else is evaluated with it, also where a step is scored in several questions. */
static void seeds_stand_alone(void **state)
{
    (void)state;
    enum { MANY = 3000, SEEDS = 4 };
    static uint32_t src[MANY], dst[MANY];
    static double time[MANY];
    sg_steps steps;
    for (uint32_t i = 0; i < MANY; i++) src[i] = i % 1500, dst[i] = (uint32_t)(sg_hash64(i) % MANY), time[i] = i;
    assert_int_equal(sg_steps_make(&steps, time, MANY, 2, SG_STEPS_EQUAL_COUNT, NULL), SCADYG_OK);
    sg_evaluated_data data = {.columns = {.count = MANY, .src = src, .dst = dst, .time = time},
                              .nodes = MANY,
                              .steps = &steps,
                              .split = {100, 1500}};
    size_t questions[2] = {0};
    sg_scorer scorers[2] = {{"a", &questions[0], no_rewind, hashed_score, NULL, NULL},
                            {"b", &questions[1], no_rewind, hashed_score, NULL, NULL}};
    for (int pool = 1; pool <= SG_POOL_INDUCTIVE; pool++) {
        sg_scores together[2 * SEEDS], alone;
        sg_eval_options options = {.protocol = SG_PROTOCOL_PAPER, .seeds = SEEDS, .seed = 3, .pool = pool};
        sg_evaluation_scores out = {.scores = together};
        questions[0] = 0;
        assert_int_equal(sg_evaluate_links(NULL, &data, &options, scorers, 2, NULL, &out, NULL), SCADYG_OK);
        assert_true(questions[0] > 1);
        assert_memory_equal(together, together + SEEDS, sizeof together / 2);
        for (int i = 0; i < SEEDS; i++) {
            options = (sg_eval_options){.protocol = SG_PROTOCOL_PAPER, .seeds = 1, .seed = 3 + i, .pool = pool};
            out.scores = &alone;
            assert_int_equal(sg_evaluate_links(NULL, &data, &options, scorers, 1, NULL, &out, NULL), SCADYG_OK);
            assert_true(alone.of[SCADYG_MRR] == together[i].of[SCADYG_MRR] &&
                        alone.of[SCADYG_AP] == together[i].of[SCADYG_AP] &&
                        alone.of[SCADYG_AUC] == together[i].of[SCADYG_AUC]);
            assert_true(i == 0 || together[i].of[SCADYG_MRR] != together[0].of[SCADYG_MRR]);
        }
    }
    sg_steps_free(&steps);
}

static int stop(void *context, const char *what, uint64_t done, uint64_t total)
{
    assert_string_equal(what, "evaluating");
    assert_true(done <= total && total > 0);
    return ++*(int *)context >= 2;
}

static void progress_can_stop_it(void **state)
{
    (void)state;
    small s;
    small_open(&s, 2, 2); /* test: steps 1, 2 and 3 */
    int calls = 0;
    scadyg_context *context;
    assert_int_equal(scadyg_context_open(&context, NULL), SCADYG_OK);
    scadyg_context_set_progress(context, stop, &calls);
    sg_eval_options options = {.protocol = SG_PROTOCOL_PAPER, .seeds = 1};
    sg_evaluation_scores out = {0};
    assert_int_equal(sg_evaluate_links(context, &s.data, &options, NULL, 0, NULL, &out, NULL), SCADYG_E_CANCELLED);
    assert_int_equal(calls, 2);
    assert_int_equal(sg_evaluate_links(NULL, &s.data, &options, NULL, 0, NULL, &out, NULL), SCADYG_OK);
    assert_int_equal(out.queries, 2 + 1 + 2);
    scadyg_context_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_by_hand),
        cmocka_unit_test(clipped_steps),
        cmocka_unit_test(pools),
        cmocka_unit_test(nothing_to_tell_apart),
        cmocka_unit_test(from_the_pairs),
        cmocka_unit_test(seeds_stand_alone),
        cmocka_unit_test(progress_can_stop_it),
        cmocka_unit_test(one_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
