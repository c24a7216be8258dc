/* The protocol for affinity: what it asks, when it reveals, and how it averages. */
#include "evaluate/fake.h"

#include "evaluate/evaluation.h"

#include <math.h>

/*
 * Three classes; node 0 and node 1. Events at 0, 1, .., 9, so q70 = 6.3 and q85 = 7.65.
 *
 *   time 2   node 0: (1, 0, 0)
 *   time 5   node 0: (0, 1, 0)      node 1: (0, 0, 1)
 *   time 7   node 0: (0, 1/2, 1/2)                        validation
 *   time 8   node 0: (0, 0, 1)      node 1: (0, 0, 1)     test
 *   time 20  node 1: (1, 0, 0)                            test
 */
static double label_time[] = {2, 5, 7, 8, 20};
static size_t first_row[] = {0, 1, 3, 4, 6, 7}, first[] = {0, 1, 2, 3, 5, 6, 7, 8};
static uint32_t node_of[] = {0, 0, 1, 0, 0, 1, 1}, class_of[] = {0, 1, 2, 1, 2, 2, 2, 0};
static float weight[] = {1, 1, 1, 0.5f, 0.5f, 1, 1, 1};
static const sg_labels labels = {3, NULL, 5, label_time, first_row, node_of, first, class_of, weight, {0, 0}};

static const uint32_t ends[10] = {0};
static const double when[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
static const sg_evaluated_data data = {
    .columns = {.count = 10, .src = ends, .dst = ends, .time = when}, .nodes = 2, .labels = &labels};

/* Checks the order: predict, then reveal, every label time in turn. */
typedef struct watch {
    size_t next, asked;
} watch;

static int watch_rewind(void *context, scadyg_error *error)
{
    (void)error;
    *(watch *)context = (watch){0};
    return SCADYG_OK;
}

static int watch_score(void *context, const sg_label_question *question, scadyg_error *error)
{
    (void)error;
    watch *w = context;
    assert_int_equal(question->group, w->next);
    assert_true(question->at == label_time[question->group]);
    assert_int_equal(question->seen, question->at == 20 ? 10 : (uint64_t)question->at); /* strictly before */
    assert_int_equal(question->count, first_row[question->group + 1] - first_row[question->group]);
    w->asked += question->count;
    for (size_t i = 0; i < question->count * 3; i++) question->score[i] = NAN;
    return SCADYG_OK;
}

static int watch_reveal(void *context, size_t group, scadyg_error *error)
{
    (void)error;
    assert_int_equal(group, ((watch *)context)->next++);
    return SCADYG_OK;
}

/* Says the truth of the first label time in the test part, 8, and nothing that tells classes apart at the second. */
static int half_right(void *context, const sg_label_question *question, scadyg_error *error)
{
    (void)context, (void)error;
    for (size_t i = 0; i < question->count * 3; i++) question->score[i] = question->at < 20 && i % 3 == 2;
    return SCADYG_OK;
}

static void listen(void *context, const scadyg_query *query)
{
    double *sums = context;
    assert_true(query->evaluated < 2 && !query->events);
    assert_true(query->at == 8 || (query->at == 20 && query->node == 1));
    sums[query->evaluated] += query->score;
}

static void worked_by_hand(void **state)
{
    (void)state;
    watch w, v;
    const sg_label_scorer scorers[2] = {{"watch", &w, watch_rewind, watch_score, watch_reveal, NULL},
                                        {"half right", &v, watch_rewind, half_right, NULL, NULL}};
    sg_scores scores[4];
    double seconds[2], sums[2] = {0};
    const sg_listener listener = {listen, sums};
    sg_evaluation_scores out = {.scores = scores, .seconds = seconds};
    const sg_eval_options options = {.protocol = SG_PROTOCOL_TGB_NODE, .seeds = 2};
    assert_int_equal(sg_evaluate_labels(NULL, &data, &options, scorers, 2, &listener, &out, NULL), SCADYG_OK);
    assert_int_equal(out.queries, 3);
    assert_int_equal(out.one_in, 1);
    assert_string_equal(out.pool, "none");
    assert_int_equal(w.asked, 3);
    assert_int_equal(w.next, 5);
    /* No numbers are one big tie: the only class of weight gets the mean discount (1 + 1/log2(3) + 1/2) / 3. */
    const double tie = (1 + 1 / log2(3) + 0.5) / 3;
    near(scores[0].of[SCADYG_NDCG10], tie);
    /* Two nodes at time 8 and one at time 20: the mean over label times, not over nodes. */
    near(scores[2].of[SCADYG_NDCG10], (1 + tie) / 2);
    assert_true(scores[3].of[SCADYG_NDCG10] == scores[2].of[SCADYG_NDCG10]); /* nothing is drawn: all seeds agree */
    near(sums[0], 3 * tie);
    near(sums[1], 2 + tie);
    for (size_t i = 0; i < SG_SCORES; i++) assert_int_equal(isnan(scores[2].of[i]) != 0, i != SCADYG_NDCG10);
}

static void errors(void **state)
{
    (void)state;
    sg_evaluation_scores out = {0};
    sg_evaluated_data none = data;
    scadyg_error error;
    sg_eval_options options = {.protocol = SG_PROTOCOL_TGB_NODE, .seeds = 1};
    none.labels = NULL;
    assert_int_equal(sg_evaluate_labels(NULL, &none, &options, NULL, 0, NULL, &out, &error), SCADYG_E_USAGE);
    sg_labels early = labels;
    early.groups = 2;
    none.labels = &early;
    assert_int_equal(sg_evaluate_labels(NULL, &none, &options, NULL, 0, NULL, &out, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "nothing to evaluate"));
    assert_int_equal(sg_evaluate_labels(NULL, &data, &options, NULL, 0, NULL, &out, &error), SCADYG_OK);
    assert_int_equal(out.queries, 3);
    options.pool = SG_POOL_ANY;
    assert_int_equal(sg_evaluate_labels(NULL, &data, &options, NULL, 0, NULL, &out, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "--pool is for links"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(worked_by_hand), cmocka_unit_test(errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
