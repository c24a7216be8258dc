/* TGB's and DyGLib's protocols for links, on a graph small enough to work out by hand. */
#include "evaluate/fake.h"
#include "evaluate/rounds.h"

#include "base/rng.h"
#include "evaluate/negatives.h"

#include <math.h>

/*
 * Sources 0 and 1, destinations 2 to 5, ten events:
 *
 *   t  0     1     2     3     4     5     6   | 7     | 8     8
 *      0->2  1->3  0->3  1->4  0->2  1->5  0->4| 1->3  | 0->2  0->5
 *
 * Quantiles of the times: q70 at place 6.3 is 6.3, q85 at place 7.65 is 7.65. Training is up to t = 6, validation is
 * t = 7, test is t = 8.
 */
enum { EVENTS = 10, NODES = 6 };

static const uint32_t src[EVENTS] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 0}, dst[EVENTS] = {2, 3, 3, 4, 2, 5, 4, 3, 2, 5};
static const double when[EVENTS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 8};

static const sg_evaluated_data data = {.columns = {.count = EVENTS, .src = src, .dst = dst, .time = when},
                                       .nodes = NODES};

static double by_destination(uint32_t from, uint32_t to)
{
    static const double score[NODES] = {0, 0, 1, 1, 2, 3};
    (void)from;
    return score[to];
}

static void evaluate(fake *f, const sg_eval_options *options, sg_scores *scores, sg_evaluation_scores *out)
{
    *f = (fake){.rule = by_destination, .columns = &data.columns};
    sg_scorer scorer = fake_scorer(f);
    scadyg_error error;
    *out = (sg_evaluation_scores){.scores = scores};
    if (sg_evaluate_links(NULL, &data, options, &scorer, 1, NULL, out, &error)) fail_msg("%s", error.message);
}

/*
 * Test, all negatives: source 0 has the positives 2 and 5 at time 8, so both events have the negatives 3 and 4.
 *   0->2 (score 1): 4 is ahead, 3 is level: rank 1 + (1 + 2) / 2 = 2.5
 *   0->5 (score 3): rank 1
 */
static void tgb_all(void **state)
{
    (void)state;
    fake f;
    sg_scores scores[3];
    sg_evaluation_scores out;
    evaluate(&f, &(sg_eval_options){.protocol = SG_PROTOCOL_TGB_LINK, .seeds = 3}, scores, &out);
    for (int i = 0; i < 3; i++) {
        near(scores[i].of[SCADYG_MRR], (1 / 2.5 + 1) / 2);
        near(scores[i].of[SCADYG_HITS1], 0.5);
        near(scores[i].of[SCADYG_HITS3], 1);
        near(scores[i].of[SCADYG_HITS10], 1);
        assert_true(isnan(scores[i].of[SCADYG_AP]) && isnan(scores[i].of[SCADYG_AUC]));
    }
    assert_int_equal(out.queries, 2);
    assert_int_equal(out.negatives, 0);
    assert_int_equal(f.count, 1); /* one time, one question */
    assert_int_equal(f.questions[0].seen, 8);
    assert_true(f.questions[0].at == 8);
    assert_int_equal(f.questions[0].count, 2 * 3);
    fake_close(&f);
}

/*
 * Validation, two negatives: source 1 met 3, 4 and 5 in training, its positive is 3. One of 4 and 5 is historical; the
 * other is random from the destinations it has not met: 2.
 */
static void tgb_mix(void **state)
{
    (void)state;
    int times[NODES] = {0};
    for (int64_t seed = 0; seed < 40; seed++) {
        fake f;
        sg_scores scores;
        sg_evaluation_scores out;
        sg_eval_options options = {
            .protocol = SG_PROTOCOL_TGB_LINK, .part = SG_PART_VALIDATION, .negatives = 2, .seeds = 1, .seed = seed};
        evaluate(&f, &options, &scores, &out);
        assert_int_equal(f.pairs, 3);
        assert_int_equal(f.dst[0], 3);
        assert_true(f.dst[1] == 4 || f.dst[1] == 5);
        assert_int_equal(f.dst[2], 2);
        times[f.dst[1]]++;
        /* 3 (score 1): 4 or 5 is ahead, 2 is level: rank 1 + (1 + 2) / 2. */
        near(scores.of[SCADYG_MRR], 1 / 2.5);
        /* In the test part nothing is left for the random half: 2 and 5 are positives, 2, 3 and 4 were met. */
        fake_close(&f);
        options.part = SG_PART_TEST;
        evaluate(&f, &options, &scores, &out);
        assert_int_equal(f.pairs, 2 + 2);
        fake_close(&f);
    }
    assert_true(times[4] > 5 && times[5] > 5);
}

/* Pools instead of the mix, in validation: source 1, positive 3. */
static void tgb_pools(void **state)
{
    (void)state;
    static const struct {
        int pool;
        size_t pairs;
        const char *negatives; /* in some order */
    } cases[] = {
        {SG_POOL_ANY, 6, "01245"},
        {SG_POOL_DESTINATION, 4, "245"},
        {SG_POOL_HISTORICAL, 4, "452"}, /* 4 and 5 were met */
        {SG_POOL_INDUCTIVE, 4, "245"},  /* nothing was met since training: all are random */
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        fake f;
        sg_scores scores;
        sg_evaluation_scores out;
        evaluate(
            &f,
            &(sg_eval_options){
                .protocol = SG_PROTOCOL_TGB_LINK, .part = SG_PART_VALIDATION, .pool = cases[c].pool, .seeds = 1},
            &scores, &out);
        assert_int_equal(f.pairs, cases[c].pairs);
        for (const char *node = cases[c].negatives; *node; node++) {
            int found = 0;
            for (size_t i = 1; i < f.pairs; i++) found += f.dst[i] == (uint32_t)(*node - '0');
            assert_int_equal(found, 1);
        }
        if (cases[c].pool == SG_POOL_HISTORICAL) assert_int_equal(f.dst[3], 2); /* after the met ones */
        fake_close(&f);
    }
}

/*
 * DyGLib, test: one batch, 0->2 (score 1) and 0->5 (score 3). Random negatives keep the source.
 * Historical: pairs that met before time 8 without 0->2: 1->3 0->3 1->4 1->5 0->4.
 * Inductive: no pair first met between validation and the batch, so all are random pairs of {0, 1} x {2, 3, 4, 5}
 * without 0->2 and 0->5.
 */
static void dyglib_draws(void **state)
{
    (void)state;
    for (int64_t seed = 0; seed < 100; seed++)
        for (int pool = 0; pool <= SG_POOL_INDUCTIVE; pool++) {
            fake f;
            sg_scores scores;
            sg_evaluation_scores out;
            evaluate(&f, &(sg_eval_options){.protocol = SG_PROTOCOL_DYGLIB, .pool = pool, .seeds = 1, .seed = seed},
                     &scores, &out);
            assert_int_equal(f.count, 1);
            assert_int_equal(f.pairs, 4);
            assert_int_equal(f.questions[0].seen, 8);
            assert_int_equal(out.queries, 2);
            for (size_t i = 2; i < 4; i++) {
                const uint32_t from = f.src[i], to = f.dst[i];
                if (pool == SG_POOL_DEFAULT || pool == SG_POOL_DESTINATION) assert_true(from == 0 && to >= 2);
                if (pool == SG_POOL_ANY) assert_true(from == 0 && to < NODES);
                if (pool < SG_POOL_HISTORICAL) continue;
                assert_false(from == 0 && (to == 2 || to == 5));
                assert_true(from <= 1 && to >= 2);
                if (pool == SG_POOL_HISTORICAL) assert_false(from == 1 && to == 2);
            }
            if (pool >= SG_POOL_HISTORICAL) assert_false(f.src[2] == f.src[3] && f.dst[2] == f.dst[3]);
            assert_true(isnan(scores.of[SCADYG_MRR]) && isnan(scores.of[SCADYG_HITS10]));
            fake_close(&f);
        }
}

/* 3,000 events of one pair, but for one of another: batches, and a pool that is exhausted at once. */
static void dyglib_batches(void **state)
{
    (void)state;
    enum { MANY = 3000 };
    static uint32_t from[MANY], to[MANY];
    static double time[MANY];
    for (uint32_t i = 0; i < MANY; i++) from[i] = 0, to[i] = 1, time[i] = i;
    to[5] = 2;
    sg_evaluated_data long_data = {.columns = {.count = MANY, .src = from, .dst = to, .time = time}, .nodes = 3};
    fake f = {.rule = by_destination, .columns = &long_data.columns};
    sg_scorer scorer = fake_scorer(&f);
    sg_scores scores;
    sg_evaluation_scores out = {.scores = &scores};
    sg_eval_options options = {.protocol = SG_PROTOCOL_DYGLIB, .seeds = 1, .pool = SG_POOL_HISTORICAL};
    assert_int_equal(sg_evaluate_links(NULL, &long_data, &options, &scorer, 1, NULL, &out, NULL), SCADYG_OK);
    /* Test is t > 0.85 * 2999 = 2549.15: 450 events, batches of 200, 200 and 50. The only other pair is 0->2: it is
     * the historical negative, and as random pairs are not there it is repeated: all scores of positives are 0, of
     * negatives 1. Per batch of n: AP = n / 2n, AUC 0. */
    assert_int_equal(out.queries, 450);
    assert_int_equal(f.count, 450);
    assert_int_equal(f.pairs, 900);
    near(scores.of[SCADYG_AP], 0.5);
    near(scores.of[SCADYG_AUC], 0);
    options = (sg_eval_options){.protocol = SG_PROTOCOL_DYGLIB, .negatives = 2, .seeds = 1};
    assert_int_equal(sg_evaluate_links(NULL, &long_data, &options, &scorer, 1, NULL, &out, NULL), SCADYG_E_USAGE);
    fake_close(&f);
}

static double hashed(uint32_t from, uint32_t to)
{
    return (double)(sg_hash3(9, from, to) % 7);
}

/*
 * Random graphs with ties: what is seen is exactly what lies strictly before (the fake checks that), TGB's negatives
 * are no positives, and a seed means the same whatever else is evaluated with it.
 */
static void check_random(const sg_evaluated_data *some, int protocol, int pool)
{
    fake f = {.rule = hashed, .columns = &some->columns}, g = f;
    sg_scorer scorers[2] = {fake_scorer(&f), fake_scorer(&g)};
    sg_scores six[6], one;
    sg_evaluation_scores out = {.scores = six};
    sg_eval_options options = {.protocol = protocol, .pool = pool, .seeds = 3, .seed = 8};
    if (protocol == SG_PROTOCOL_TGB_LINK) options.negatives = 3;
    if (sg_evaluate_links(NULL, some, &options, scorers, 2, NULL, &out, NULL)) return; /* nothing to evaluate */
    const uint64_t queries = out.queries;
    assert_memory_equal(six, six + 3, sizeof six / 2);
    for (int i = 0; i < 3; i++) {
        options.seeds = 1;
        options.seed = 8 + i;
        out.scores = &one;
        assert_int_equal(sg_evaluate_links(NULL, some, &options, scorers, 1, NULL, &out, NULL), SCADYG_OK);
        assert_int_equal(out.queries, queries);
        assert_true(protocol == SG_PROTOCOL_DYGLIB
                        ? one.of[SCADYG_AP] == six[i].of[SCADYG_AP] && one.of[SCADYG_AUC] == six[i].of[SCADYG_AUC]
                        : one.of[SCADYG_MRR] == six[i].of[SCADYG_MRR] &&
                              one.of[SCADYG_HITS1] == six[i].of[SCADYG_HITS1]);
    }
    for (size_t b = 0; b < f.count && protocol == SG_PROTOCOL_TGB_LINK; b++) {
        size_t positives = 0;
        for (size_t i = f.questions[b].first; i < f.questions[b].first + f.questions[b].count; i++)
            for (uint64_t e = f.questions[b].seen; e < some->columns.count; e++)
                if (some->columns.time[e] == f.questions[b].at && some->columns.src[e] == f.src[i] &&
                    some->columns.dst[e] == f.dst[i]) {
                    positives++;
                    break;
                }
        size_t events = 0;
        for (uint64_t e = f.questions[b].seen; e < some->columns.count; e++)
            events += some->columns.time[e] == f.questions[b].at;
        assert_true(positives <= events);
    }
    fake_close(&f);
    fake_close(&g);
}

static void random_graphs(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < rounds(300); number++) {
        enum { COUNT = 60 };
        uint32_t from[COUNT], to[COUNT];
        double time[COUNT], now = 0;
        sg_rng rng;
        sg_rng_seed(&rng, 41, number);
        for (int i = 0; i < COUNT; i++) {
            from[i] = (uint32_t)sg_rng_below(&rng, 5);
            to[i] = (uint32_t)sg_rng_below(&rng, 9);
            time[i] = now += (double)(sg_rng_below(&rng, 3) == 0);
        }
        sg_evaluated_data some = {.columns = {.count = COUNT, .src = from, .dst = to, .time = time}, .nodes = 9};
        for (int pool = 0; pool <= SG_POOL_INDUCTIVE; pool++) {
            check_random(&some, SG_PROTOCOL_TGB_LINK, pool);
            check_random(&some, SG_PROTOCOL_DYGLIB, pool);
        }
    }
}

/* Pairs that were asked about at a time with so many events visible. */
static size_t asked(const fake *f, double at, uint64_t seen)
{
    size_t pairs = 0;
    for (size_t b = 0; b < f->count; b++)
        if (f->questions[b].at == at && f->questions[b].seen == seen) pairs += f->questions[b].count;
    return pairs;
}

/* Every event, with its one negative, sees what is strictly before it and before its batch; all else stays. */
static void check_reveal(const sg_evaluated_data *some, int protocol)
{
    const sg_columns *columns = &some->columns;
    const uint64_t begin = sg_split_time(columns->time, columns->count, 0.70, 0.15).validation_end;
    fake f = {.rule = hashed, .columns = columns}, g = {.rule = hashed, .columns = columns, .batches = 1};
    sg_scorer by_event = fake_scorer(&f), by_batch = fake_scorer(&g);
    sg_scores one, other;
    sg_evaluation_scores out = {.scores = &one};
    sg_eval_options options = {.protocol = protocol, .negatives = 1, .seeds = 1, .seed = 3};
    assert_int_equal(sg_evaluate_links(NULL, some, &options, &by_event, 1, NULL, &out, NULL), SCADYG_OK);
    assert_int_equal(out.queries, columns->count - begin);
    options.reveal = SG_REVEAL_BATCH;
    out.scores = &other;
    assert_int_equal(sg_evaluate_links(NULL, some, &options, &by_batch, 1, NULL, &out, NULL), SCADYG_OK);
    if (protocol == SG_PROTOCOL_DYGLIB)
        near(one.of[SCADYG_AP], other.of[SCADYG_AP]), near(one.of[SCADYG_AUC], other.of[SCADYG_AUC]);
    else
        near(one.of[SCADYG_MRR], other.of[SCADYG_MRR]), near(one.of[SCADYG_HITS1], other.of[SCADYG_HITS1]);
    size_t fewer = 0, pairs = 0;
    for (uint64_t e = begin; e < columns->count; e++) {
        const uint64_t before = sg_events_before(columns->time, columns->count, columns->time[e]);
        const uint64_t batch = begin + (e - begin) / 200 * 200, seen = before < batch ? before : batch;
        uint64_t same = 0; /* events of this time that see the same */
        for (uint64_t i = begin; i < columns->count; i++) {
            const uint64_t of = begin + (i - begin) / 200 * 200;
            same += columns->time[i] == columns->time[e] && (before < of ? before : of) == seen;
        }
        assert_int_equal(asked(&g, columns->time[e], seen), 2 * same);
        fewer += seen < before;
    }
    for (size_t b = 0; b < g.count; b++) pairs += g.questions[b].count;
    assert_int_equal(pairs, 2 * (columns->count - begin));
    assert_true(fewer > 0);
    fake_close(&f);
    fake_close(&g);
}

static void revealed_in_batches(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    static uint32_t from[COUNT], to[COUNT];
    static double time[COUNT];
    for (uint64_t number = 0; number < 4; number++) {
        double now = 0;
        sg_rng rng;
        sg_rng_seed(&rng, 43, number);
        for (int i = 0; i < COUNT; i++) {
            from[i] = (uint32_t)sg_rng_below(&rng, 5);
            to[i] = 5 + (uint32_t)sg_rng_below(&rng, 300);
            /* Single events, or some, many, now and then more than a batch of one time. */
            static const uint64_t run[] = {1, 3, 40, 100};
            time[i] = now += (double)(sg_rng_below(&rng, run[number]) == 0);
        }
        const sg_evaluated_data some = {.columns = {.count = COUNT, .src = from, .dst = to, .time = time},
                                        .nodes = 305};
        check_reveal(&some, SG_PROTOCOL_TGB_LINK);
        check_reveal(&some, SG_PROTOCOL_DYGLIB);
    }
}

/* Whether a pair meets at a time from <= t < until, or until inclusive. */
static int meets(const sg_columns *columns, uint32_t from, uint32_t to, double since, double until)
{
    for (uint64_t e = 0; e < columns->count; e++)
        if (columns->src[e] == from && columns->dst[e] == to && columns->time[e] >= since &&
            columns->time[e] <= until)
            return 1;
    return 0;
}

/* A batch of DyGLib's, by definition: eligible pairs at the end, each once; before them pairs not in the batch. */
static void check_batch(const sg_dyglib_negatives *draw, const sg_columns *columns, const uint32_t *from,
                        const uint32_t *to, size_t drawn)
{
    const double first = columns->time[draw->begin], last = columns->time[draw->end - 1], ever = -1;
    const size_t size = (size_t)(draw->end - draw->begin);
    size_t eligible = 0;
    int is_eligible[9][9];
    for (uint32_t a = 0; a < 9; a++)
        for (uint32_t b = 0; b < 9; b++) {
            int fits = meets(columns, a, b, ever, nextafter(first, ever)) && !meets(columns, a, b, first, last);
            if (draw->pool == SG_POOL_INDUCTIVE)
                fits &= !meets(columns, a, b, ever, columns->time[draw->observed - 1]);
            is_eligible[a][b] = fits;
            eligible += (size_t)fits;
        }
    const size_t met = eligible < size ? eligible : size;
    assert_int_equal(drawn, size);
    for (size_t i = 0; i < size; i++) {
        if (i >= size - met) {
            assert_int_equal(is_eligible[from[i]][to[i]], 1);
            is_eligible[from[i]][to[i]] = 2; /* only once */
        }
        for (uint64_t e = draw->begin; e < draw->end; e++)
            assert_false(columns->src[e] == from[i] && columns->dst[e] == to[i]);
        for (size_t j = 0; j < i && i < size - met; j++) assert_false(from[j] == from[i] && to[j] == to[i]);
    }
}

static void dyglib_by_definition(void **state)
{
    (void)state;
    enum { COUNT = 90, SIZE = 8 };
    for (uint64_t number = 0; number < rounds(200); number++) {
        uint32_t from[COUNT], to[COUNT], negative_from[SIZE], negative_to[SIZE];
        double time[COUNT], now = 0;
        sg_rng rng;
        sg_rng_seed(&rng, 42, number);
        for (int i = 0; i < COUNT; i++) {
            from[i] = (uint32_t)sg_rng_below(&rng, 5);
            to[i] = (uint32_t)sg_rng_below(&rng, 9);
            time[i] = now += (double)(sg_rng_below(&rng, 3) == 0);
        }
        const sg_columns columns = {.count = COUNT, .src = from, .dst = to, .time = time};
        uint64_t observed = 20 + sg_rng_below(&rng, 20);
        while (time[observed] == time[observed - 1]) observed++;
        for (int pool = SG_POOL_HISTORICAL; pool <= SG_POOL_INDUCTIVE; pool++) {
            sg_dyglib_negatives draw;
            assert_int_equal(sg_dyglib_negatives_open(&draw, &columns, 9, pool, observed, SIZE, NULL, NULL),
                             SCADYG_OK);
            for (uint64_t begin = observed; begin + SIZE <= COUNT; begin += SIZE) {
                sg_dyglib_negatives_batch(&draw, begin, begin + SIZE);
                size_t drawn = sg_dyglib_negatives_next(&draw, &rng, negative_from, negative_to);
                check_batch(&draw, &columns, negative_from, negative_to, drawn);
            }
            sg_dyglib_negatives_close(&draw);
        }
    }
}

/* Equal times over the border of two batches: both see only what is strictly before. */
static void ties_across_batches(void **state)
{
    (void)state;
    enum { MANY = 1800 };
    static uint32_t from[MANY], to[MANY];
    static double time[MANY];
    for (uint32_t i = 0; i < MANY; i++) from[i] = i % 7, to[i] = 7 + i % 5, time[i] = i / 3;
    const sg_evaluated_data tied = {.columns = {.count = MANY, .src = from, .dst = to, .time = time}, .nodes = 12};
    fake f = {.rule = hashed, .columns = &tied.columns};
    sg_scorer scorer = fake_scorer(&f);
    sg_scores scores;
    sg_evaluation_scores out = {.scores = &scores};
    sg_eval_options options = {.protocol = SG_PROTOCOL_DYGLIB, .seeds = 1};
    assert_int_equal(sg_evaluate_links(NULL, &tied, &options, &scorer, 1, NULL, &out, NULL), SCADYG_OK);
    assert_int_equal(f.count, 90 + 1); /* 270 events at 90 times, one of them in both batches */
    fake_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tgb_all),
        cmocka_unit_test(tgb_mix),
        cmocka_unit_test(tgb_pools),
        cmocka_unit_test(dyglib_draws),
        cmocka_unit_test(dyglib_batches),
        cmocka_unit_test(random_graphs),
        cmocka_unit_test(revealed_in_batches),
        cmocka_unit_test(dyglib_by_definition),
        cmocka_unit_test(ties_across_batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
