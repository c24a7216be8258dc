/* Single queries of an evaluation: they add up to its result, and say truly what was asked. */
#include "tasks/pair_sample.h"

typedef struct heard {
    scadyg_events *events;
    const uint32_t *src;
    const double *time;
    int protocol;
    size_t count[SCADYG_JUDGED_MOST];
    double sum[SCADYG_JUDGED_MOST]; /* of scores, of the step or label time at hand */
    double in_step[SCADYG_JUDGED_MOST], events_in_step[SCADYG_JUDGED_MOST], at[SCADYG_JUDGED_MOST];
    double total[SCADYG_JUDGED_MOST], weight[SCADYG_JUDGED_MOST];
    uint64_t seen[SCADYG_JUDGED_MOST];
} heard;

/* A step (or label time) is over: its mean counts by its events. */
static void close_step(heard *h, size_t k)
{
    if (!(h->in_step[k] > 0)) return;
    const double weight = h->events_in_step[k] > 0 ? h->events_in_step[k] : 1;
    h->total[k] += weight * h->sum[k] / h->in_step[k];
    h->weight[k] += weight;
    h->sum[k] = h->in_step[k] = h->events_in_step[k] = 0;
}

static void hear(void *context, const scadyg_query *query)
{
    heard *h = context;
    const size_t k = query->judged;
    assert_true(k < SCADYG_JUDGED_MOST);
    assert_int_equal(query->seed, 0);
    assert_true(query->seen >= h->seen[k]);
    assert_true(query->score >= 0 && query->score <= 1);
    assert_true(isnan(query->negative) == (h->protocol != SCADYG_PROTOCOL_DYGLIB));
    for (size_t i = 0; i < query->event_count; i++) {
        assert_int_equal(h->src[query->events[i]], query->node);
        assert_true(query->events[i] >= query->seen);
        assert_true(h->time[query->events[i]] >= query->at);
    }
    if (query->seen) assert_true(h->time[query->seen - 1] < query->at);
    const int grouped = h->protocol == SCADYG_PROTOCOL_PAPER || h->protocol == SCADYG_PROTOCOL_TGB_NODE;
    if (!grouped || query->at != h->at[k]) close_step(h, k);
    h->at[k] = query->at;
    h->seen[k] = query->seen;
    h->count[k]++;
    h->sum[k] += query->score;
    h->in_step[k]++;
    h->events_in_step[k] += (double)query->event_count;
}

static void listen(scadyg_events *events, const scadyg_model *model, int protocol)
{
    scadyg_error error = {0};
    scadyg_result result;
    heard h = {.events = events, .protocol = protocol};
    const void *column;
    assert_int_equal(scadyg_events_column(events, SCADYG_COLUMN_SRC, &column, &error), SCADYG_OK);
    h.src = column;
    assert_int_equal(scadyg_events_column(events, SCADYG_COLUMN_TIME, &column, &error), SCADYG_OK);
    h.time = column;
    const scadyg_eval_options options = {.protocol = protocol,
                                         .pool = SCADYG_POOL_DEFAULT,
                                         .seeds = 1,
                                         .seed = 1,
                                         .heuristics = 1,
                                         .threads = 2,
                                         .query = hear,
                                         .query_context = &h};
    if (scadyg_evaluate(model, events, &options, NULL, &result, &error)) fail_msg("%s", error.message);
    assert_true(result.count > 1);
    for (size_t k = 0; k < result.count; k++) {
        close_step(&h, k);
        assert_int_equal(h.count[k], h.count[0]);
        const scadyg_scores *scores = &result.judged[k].mean;
        const double mean = h.total[k] / h.weight[k];
        if (protocol == SCADYG_PROTOCOL_DYGLIB)
            assert_true(h.count[k] <= result.queries && mean > 0.3); /* AP and AUC are of batches */
        else
            assert_true(fabs(mean - (protocol == SCADYG_PROTOCOL_TGB_NODE ? scores->ndcg10 : scores->mrr)) < 1e-9);
        if (protocol != SCADYG_PROTOCOL_DYGLIB) assert_int_equal(h.count[k], result.queries);
    }
}

static void they_add_up(void **state)
{
    (void)state;
    scadyg_events *events = pair_events(3);
    scadyg_train_options options = pair_options(SCADYG_FRESHNESS_EVENT);
    options.epochs = 1;
    scadyg_model *model = must_train(events, &options);
    listen(events, model, SCADYG_PROTOCOL_PAPER);
    listen(events, model, SCADYG_PROTOCOL_TGB_LINK);
    listen(events, model, SCADYG_PROTOCOL_DYGLIB);
    scadyg_model_close(model);
    options.task = SCADYG_TASK_AFFINITY;
    model = must_train(events, &options);
    listen(events, model, SCADYG_PROTOCOL_TGB_NODE);
    scadyg_model_close(model);
    scadyg_events_close(events);
}

/* The scores told by dyglib are those of scadyg_predict. */
typedef struct answers {
    uint64_t event[64];
    double score[64];
    size_t count;
} answers;

static void keep(void *context, const scadyg_query *query)
{
    answers *a = context;
    if (a->count == 64) return;
    a->event[a->count] = query->events[0];
    a->score[a->count++] = query->positive;
}

static void scores_are_those_of_predict(void **state)
{
    (void)state;
    scadyg_events *events = pair_events(4);
    scadyg_train_options options = pair_options(SCADYG_FRESHNESS_EVENT);
    options.epochs = 1;
    scadyg_model *model = must_train(events, &options);
    scadyg_predictor *predictor = must_predictor(model, events, 1);
    scadyg_error error = {0};
    scadyg_result result;
    answers a = {0};
    const void *src, *dst, *time;
    scadyg_events_column(events, SCADYG_COLUMN_SRC, &src, &error);
    scadyg_events_column(events, SCADYG_COLUMN_DST, &dst, &error);
    scadyg_events_column(events, SCADYG_COLUMN_TIME, &time, &error);
    const scadyg_eval_options judging = {.protocol = SCADYG_PROTOCOL_DYGLIB,
                                         .seeds = 1,
                                         .seed = 1,
                                         .threads = 1,
                                         .query = keep,
                                         .query_context = &a};
    if (scadyg_evaluate(model, events, &judging, NULL, &result, &error)) fail_msg("%s", error.message);
    assert_int_equal(a.count, 64);
    for (size_t i = 0; i < a.count; i++) {
        double score;
        assert_int_equal(scadyg_predict(predictor, (const uint32_t *)src + a.event[i],
                                        (const uint32_t *)dst + a.event[i], (const double *)time + a.event[i], 1,
                                        &score, NULL, &error),
                         SCADYG_OK);
        assert_true(fabs(score - a.score[i]) < 1e-5);
    }
    scadyg_predictor_close(predictor);
    scadyg_model_close(model);
    scadyg_events_close(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(they_add_up),
                                       cmocka_unit_test(scores_are_those_of_predict)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
