/* Evaluation of models: the protocol that fits; single queries add up to the result, and say truly what was asked. */
#include "learn/sample.h"

enum { EVALUATED_MOST = 32 };

typedef struct heard {
    const uint32_t *src;
    const double *time;
    int grouped; /* queries of one time are a step, or a label time */
    int pairs;   /* an event against one negative */
    size_t count[EVALUATED_MOST];
    double sum[EVALUATED_MOST]; /* of scores, of the step or label time at hand */
    double in_step[EVALUATED_MOST], events_in_step[EVALUATED_MOST], at[EVALUATED_MOST];
    double total[EVALUATED_MOST], weight[EVALUATED_MOST];
    uint64_t seen[EVALUATED_MOST];
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

static void hear(void *data, const scadyg_query *query)
{
    heard *h = data;
    const size_t k = query->evaluated;
    assert_true(k < EVALUATED_MOST);
    assert_int_equal(query->seed, 0);
    assert_true(query->seen >= h->seen[k]);
    assert_true(query->score >= 0 && query->score <= 1);
    assert_true(isnan(query->negative) == !h->pairs);
    for (size_t i = 0; i < query->event_count; i++) {
        assert_int_equal(h->src[query->events[i]], query->node);
        assert_true(query->events[i] >= query->seen);
        assert_true(h->time[query->events[i]] >= query->at);
    }
    if (query->seen) assert_true(h->time[query->seen - 1] < query->at);
    if (!h->grouped || query->at != h->at[k]) close_step(h, k);
    h->at[k] = query->at;
    h->seen[k] = query->seen;
    h->count[k]++;
    h->sum[k] += query->score;
    h->in_step[k]++;
    h->events_in_step[k] += (double)query->event_count;
}

static void columns_of(scadyg_events *events, const uint32_t **src, const uint32_t **dst, const double **time)
{
    scadyg_error error = {0};
    const void *column;
    assert_int_equal(scadyg_events_column(events, SCADYG_COLUMN_SRC, &column, &error), SCADYG_OK);
    *src = column;
    assert_int_equal(scadyg_events_column(events, SCADYG_COLUMN_DST, &column, &error), SCADYG_OK);
    *dst = column;
    assert_int_equal(scadyg_events_column(events, SCADYG_COLUMN_TIME, &column, &error), SCADYG_OK);
    *time = column;
}

static scadyg_result *listen(scadyg_context *context, scadyg_events *events, const scadyg_model *model,
                             const char *protocol, void (*query)(void *, const scadyg_query *), void *data)
{
    scadyg_error error = {0};
    scadyg_result *result = NULL;
    scadyg_options *options = set_options("evaluate", NULL);
    assert_int_equal(scadyg_options_set(options, "protocol", protocol, NULL), SCADYG_OK);
    if (scadyg_evaluate_queries(context, model, events, options, query, data, &result, &error))
        fail_msg("%s", error.message);
    scadyg_options_close(options);
    return result;
}

static void add_up(scadyg_events *events, const scadyg_model *model, const char *protocol)
{
    heard h = {.grouped = !strcmp(protocol, "paper") || !strcmp(protocol, "tgb-node"),
               .pairs = !strcmp(protocol, "dyglib")};
    const uint32_t *dst;
    columns_of(events, &h.src, &dst, &h.time);
    scadyg_result *result = listen(context_of(2), events, model, protocol, hear, &h);
    assert_string_equal(result->protocol, protocol);
    assert_true(result->count > 1);
    for (size_t k = 0; k < result->count; k++) {
        close_step(&h, k);
        assert_int_equal(h.count[k], h.count[0]);
        const double mean = h.total[k] / h.weight[k];
        if (h.pairs) { /* AP and AUC are of batches */
            assert_true(h.count[k] <= result->queries && mean > 0.3);
            continue;
        }
        assert_true(fabs(mean - result->evaluated[k]->mean[result->main_score]) < 1e-9);
        assert_int_equal(h.count[k], result->queries);
    }
    scadyg_result_free(result);
}

static void they_add_up(void **state)
{
    (void)state;
    scadyg_events *events = sample_events(3);
    scadyg_model *model = trained(NULL, events, "scadyg", "link", SMALL LIVE "epochs=1");
    add_up(events, model, "live");
    add_up(events, model, "paper");
    add_up(events, model, "tgb-link");
    add_up(events, model, "dyglib");
    scadyg_model_close(model);
    model = trained(NULL, events, "scadyg", "affinity", "steps=30 epochs=1 hidden=16 lr=0.01 stepwise=0");
    add_up(events, model, "tgb-node");
    scadyg_model_close(model);
    scadyg_events_close(events);
}

/* The scores told by dyglib are those of scadyg_predict. */
typedef struct answers {
    uint64_t event[64];
    double score[64];
    size_t count;
} answers;

static void keep(void *data, const scadyg_query *query)
{
    answers *a = data;
    if (a->count == 64 || query->evaluated) return;
    a->event[a->count] = query->events[0];
    a->score[a->count++] = query->positive;
}

static void scores_are_those_of_predict(void **state)
{
    (void)state;
    scadyg_events *events = sample_events(4);
    scadyg_model *model = trained(NULL, events, "scadyg", "link", SMALL LIVE "epochs=1");
    scadyg_predictor *predictor = must_predictor(NULL, model, events);
    scadyg_error error = {0};
    answers a = {0};
    const uint32_t *src, *dst;
    const double *time;
    columns_of(events, &src, &dst, &time);
    scadyg_result_free(listen(NULL, events, model, "dyglib", keep, &a));
    assert_int_equal(a.count, 64);
    for (size_t i = 0; i < a.count; i++) {
        const uint64_t e = a.event[i];
        double score;
        assert_int_equal(scadyg_predict(predictor, src + e, dst + e, time + e, 1, &score, &error), SCADYG_OK);
        assert_true(fabs(score - a.score[i]) < 1e-5);
    }
    scadyg_predictor_close(predictor);
    scadyg_model_close(model);
    scadyg_events_close(events);
}

/* ---- What is seen ---- */

typedef struct sighting {
    uint64_t seen, events[SAMPLE_NODES];
    double at, positive;
    uint32_t node;
    size_t count;
} sighting;

typedef struct sightings {
    sighting all[SAMPLE_EVENTS];
    size_t count;
} sightings;

static void see(void *data, const scadyg_query *query)
{
    sightings *s = data;
    if (query->evaluated) return;
    sighting *one = &s->all[s->count++];
    *one = (sighting){.seen = query->seen, .at = query->at, .positive = query->positive, .node = query->node};
    for (size_t i = 0; i < query->event_count && i < SAMPLE_NODES; i++)
        one->events[one->count++] = query->events[i];
}

/* The best score of what a query looked for, from a log that ends where its sight does. */
static double score_from(const scadyg_model *model, const sample_log *l, const sighting *one)
{
    made_events made = l->made;
    made.count = one->seen;
    scadyg_events *events = make_events(&made);
    scadyg_predictor *p = must_predictor(NULL, model, events);
    scadyg_error error = {0};
    uint32_t nodes[SAMPLE_NODES];
    double scores[SAMPLE_NODES], best = -INFINITY;
    size_t count = 0;
    if (scadyg_rank(p, one->node, one->at, 0, SAMPLE_NODES, nodes, scores, NULL, &count, &error))
        fail_msg("%s", error.message);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < one->count; k++)
            if (nodes[i] == l->dst[one->events[k]]) best = fmax(best, scores[i]);
    scadyg_predictor_close(p);
    scadyg_events_close(events);
    return best;
}

/* A live model sees everything before an event; under the protocol paper nothing of the step that it predicts. */
static void live_and_step_by_step(void **state)
{
    (void)state;
    static sample_log l;
    static sightings seen;
    sample_log_make(&l, 6, 1e9);
    scadyg_events *events = make_events(&l.made);
    scadyg_model *model = trained(NULL, events, "scadyg", "link", SMALL LIVE "epochs=1");
    static const char *const protocols[] = {"live", "paper"};
    for (int i = 0; i < 2; i++) {
        uint64_t places = 0;
        seen.count = 0;
        scadyg_result_free(listen(NULL, events, model, protocols[i], see, &seen));
        assert_true(seen.count > 50);
        for (size_t k = 0; k < seen.count; k++) {
            const sighting *one = &seen.all[k];
            const double first = l.time[one->events[0]];
            places += k == 0 || one->seen != one[-1].seen;
            if (i == 0) assert_int_equal(one->seen, sg_events_before(l.time, SAMPLE_EVENTS, first));
            if (k % 9) continue;
            const double score = score_from(model, &l, one);
            assert_true(fabs(score - one->positive) < 1e-5);
        }
        if (i == 1) assert_in_range(places, 2, 6); /* 15 % of 30 steps */
        if (i == 0) assert_true(places > 50);
    }
    scadyg_model_close(model);
    scadyg_events_close(events);
}

/* ---- The protocol that fits the model ---- */

static void check_auto(scadyg_events *events, const char *kind, const char *task, const char *settings,
                       const char *protocol, int main_score)
{
    scadyg_model *model = trained(NULL, events, kind, task, settings);
    assert_string_equal(scadyg_model_protocol(model), protocol);
    scadyg_result *result = evaluated(NULL, model, events, NULL);
    assert_string_equal(result->protocol, protocol);
    assert_int_equal(result->main_score, main_score);
    assert_string_equal(result->evaluated[0]->name, kind);
    /* It is what one gets who says so; and NULL is as good as all defaults. */
    char settled[64];
    snprintf(settled, sizeof settled, "protocol=%s", protocol);
    scadyg_result *same = evaluated(NULL, model, events, settled), *bare = NULL;
    assert_int_equal(scadyg_evaluate(NULL, model, events, NULL, &bare, NULL), SCADYG_OK);
    assert_int_equal(same->count, result->count);
    assert_int_equal(bare->count, result->count);
    for (size_t i = 0; i < result->count; i++) {
        const double score = result->evaluated[i]->mean[main_score];
        assert_true(isfinite(score) && score == same->evaluated[i]->mean[main_score]);
        assert_true(score == bare->evaluated[i]->mean[main_score]);
    }
    scadyg_result_free(result);
    scadyg_result_free(same);
    scadyg_result_free(bare);
    scadyg_model_close(model);
}

static void protocol_by_itself(void **state)
{
    (void)state;
    const scadyg_kind *kind;
    scadyg_events *events = sample_events(5);
    for (size_t i = 0; (kind = scadyg_kind_at(i)); i++) {
        const char *small = kind->learns ? "steps=30 epochs=1 hidden=8" : "steps=30";
        if (strcmp(kind->task, "affinity") == 0) {
            check_auto(events, kind->name, kind->task, small, "tgb-node", SCADYG_NDCG10);
            continue;
        }
        if (!kind->learns) {
            check_auto(events, kind->name, kind->task, small, "live", SCADYG_MRR);
            continue;
        }
        check_auto(events, kind->name, kind->task, "steps=30 epochs=1 hidden=8 stepwise=1", "paper", SCADYG_MRR);
        check_auto(events, kind->name, kind->task, "steps=30 epochs=1 hidden=8 stepwise=0", "live", SCADYG_MRR);
    }
    /* One for the other task is refused. */
    scadyg_model *model = trained(NULL, events, "popularity", "link", "steps=30");
    scadyg_options *options = set_options("evaluate", "protocol=tgb-node");
    scadyg_result *result = NULL;
    scadyg_error error = {0};
    assert_int_equal(scadyg_evaluate(NULL, model, events, options, &result, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "tgb-node"));
    assert_null(result);
    scadyg_options_close(options);
    scadyg_model_close(model);
    scadyg_events_close(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(they_add_up), cmocka_unit_test(scores_are_those_of_predict),
                                       cmocka_unit_test(live_and_step_by_step),
                                       cmocka_unit_test(protocol_by_itself)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
