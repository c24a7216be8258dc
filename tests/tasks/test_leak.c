/*
 * The leak test: whatever happens to the log at or after t, every prediction at t keeps its bits.
 *
 * Random logs with ties; random models of both tasks, both heads, both freshness rules, both step rules and all
 * heuristics. Events
 * at or after t are altered, deleted or joined by others; those at t itself count as the future too.
 */
#include "events/file.h"
#include "messages/random_graph.h"
#include "tasks/predictor.h"
#include "defaults.h"

#include <string.h>

enum { EVENTS = 90, NODES = 8, FEATURES = 3, MOST = EVENTS + 20 };
enum { HEAD_PAIR = -1 }; /* a kind of model: scadyg, with the head `pair` */

typedef struct history {
    uint32_t src[MOST], dst[MOST];
    double time[MOST];
    float weight[MOST], features[MOST * FEATURES];
    made_events made;
} history;

static void link_up(history *l, size_t count, int weighted, int featured)
{
    l->made = (made_events){.count = count,
                            .nodes = NODES,
                            .src = l->src,
                            .dst = l->dst,
                            .time = l->time,
                            .weight = weighted ? l->weight : NULL,
                            .edge_features = featured ? FEATURES : 0,
                            .features = l->features};
}

static void random_event(history *l, size_t i, double time, sg_rng *rng)
{
    l->src[i] = (uint32_t)pick(rng, NODES);
    l->dst[i] = (uint32_t)pick(rng, NODES);
    l->time[i] = time;
    l->weight[i] = (float)(1 + sg_rng_unit(rng));
    for (size_t j = 0; j < FEATURES; j++) l->features[i * FEATURES + j] = (float)(sg_rng_unit(rng) * 2 - 1);
}

/* Whole times in small gaps: many ties, and steps of equal length that end at event times. */
static void random_log(history *l, sg_rng *rng)
{
    double now = pick(rng, 2) ? 1e9 : 0;
    for (size_t i = 0; i < EVENTS; i++) {
        random_event(l, i, now, rng);
        now += (double)pick(rng, 3);
    }
    link_up(l, EVENTS, (int)pick(rng, 2), (int)pick(rng, 2));
}

/* The first `past` events as they are, all others altered in one of four ways. */
static void alter_from(history *other, const history *l, size_t past, double t, size_t way, sg_rng *rng)
{
    *other = *l;
    size_t count = l->made.count;
    switch (way) {
    case 0: /* other nodes and numbers */
        for (size_t i = past; i < count; i++) random_event(other, i, l->time[i], rng);
        break;
    case 1: /* deleted */ count = past; break;
    case 2: /* later, at other gaps */
        for (size_t i = past; i < count; i++)
            other->time[i] = (i > past ? other->time[i - 1] : t) + (double)pick(rng, 99);
        break;
    default: /* more events at t itself */
        count += 20;
        memmove(other->time + past + 20, other->time + past, (l->made.count - past) * sizeof *other->time);
        for (size_t i = past; i < count; i++) random_event(other, i, i < past + 20 ? t : other->time[i], rng);
    }
    link_up(other, count, l->made.weight != NULL, l->made.edge_features != 0);
}

/* The same past, another future. */
static void alter(history *other, const history *l, double t, sg_rng *rng)
{
    const size_t way = pick(rng, 4);
    alter_from(other, l, (size_t)sg_events_before(l->time, l->made.count, t), t, way, rng);
}

static void choose_pair(scadyg_train_options *options, sg_rng *rng)
{
    static const char *const without[] = {"none",  "none", "nodes", "pairs,walks2", "transitions,multirate",
                                          "walks1"};
    static const char *const of_affinity[] = {"none", "none", "reverse", "popularity", "hypernetwork,multirate",
                                              "nodes"};
    static const int pools[] = {0, 1, 3};
    options->head = SCADYG_HEAD_PAIR;
    options->messages.window = 0;
    options->messages.hops = 1;
    options->messages.node_features = "none";
    options->without = without[pick(rng, 6)];
    if (options->task == SCADYG_TASK_AFFINITY) options->without = of_affinity[pick(rng, 6)];
    options->walk_width = 16 * (int64_t)(1 + pick(rng, 3));
    options->train_pool = options->task == SCADYG_TASK_AFFINITY ? 3 : pools[pick(rng, 3)];
    options->historical = (double)pick(rng, 3) / 2;
    options->learning_rate = 0.05; /* one epoch that leaves its mark */
    options->epochs = 2;
}

static scadyg_train_options random_model(sg_rng *rng, int task, int kind, int freshness)
{
    static const char *const features[] = {"none", "none", "onehot", "random:5"};
    scadyg_train_options options = default_train();
    options.head = SCADYG_HEAD_PAPER;
    options.train_pool = 0;
    options.task = task;
    options.model = kind == HEAD_PAIR ? SCADYG_MODEL_SCADYG : kind;
    options.freshness = freshness;
    options.messages.steps = 14 + (int64_t)pick(rng, 20);
    options.messages.step_rule = (int)pick(rng, 2);
    options.messages.window = pick(rng, 2) ? 0 : 1 + (int64_t)pick(rng, 4);
    options.messages.hops = pick(rng, 4) ? 1 : 2;
    options.messages.node_features = features[pick(rng, 4)];
    options.normalise = (int)pick(rng, 4);
    options.split = (int)pick(rng, 2);
    options.hidden = 5;
    options.batch = 16;
    options.epochs = 1;
    options.seed = (int64_t)pick(rng, 1000);
    options.threads = 1 + (int64_t)pick(rng, 2);
    if (kind == HEAD_PAIR) choose_pair(&options, rng);
    return options;
}

/* Everything a model says at t: scores of all pairs, ranks, embeddings; or shares of the classes. */
typedef struct said {
    double numbers[NODES * NODES + 2 * NODES * NODES];
    float embeddings[NODES * 64];
    size_t count, width;
} said;

static void ask_links(scadyg_predictor *predictor, const scadyg_model *model, double t, said *s,
                      scadyg_error *error)
{
    uint32_t src[NODES * NODES], dst[NODES * NODES], ranked[NODES];
    double time[NODES * NODES];
    for (uint32_t i = 0; i < NODES * NODES; i++) {
        src[i] = i / NODES;
        dst[i] = i % NODES;
        time[i] = t;
    }
    if (scadyg_predict(predictor, src, dst, time, NODES * NODES, s->numbers, NULL, error))
        fail_msg("%s", error->message);
    s->count = NODES * NODES;
    for (uint32_t i = 0; i < NODES; i++) {
        size_t found;
        double scores[NODES];
        assert_int_equal(scadyg_rank(predictor, i, t, i % 2, NODES, ranked, scores, NULL, &found, error),
                         SCADYG_OK);
        for (size_t k = 0; k < found; k++) {
            s->numbers[s->count++] = ranked[k];
            s->numbers[s->count++] = scores[k];
        }
    }
    s->width = scadyg_model_look(model)->width;
    if (s->width) assert_int_equal(scadyg_embed(predictor, t, NULL, NODES, s->embeddings, NULL, error), SCADYG_OK);
}

static void ask(const scadyg_model *model, const history *l, double t, said *s)
{
    scadyg_error error = {0};
    scadyg_predictor *predictor;
    scadyg_events *events = make_events(&l->made);
    memset(s, 0, sizeof *s);
    if (scadyg_predictor_open(model, events, 1, &predictor, &error)) fail_msg("%s", error.message);
    if (scadyg_model_look(model)->options->task == SCADYG_TASK_LINK) {
        ask_links(predictor, model, t, s, &error);
    } else {
        const size_t classes = scadyg_model_look(model)->classes;
        for (uint32_t i = 0; i < NODES; i++, s->count += classes)
            if (scadyg_affinity(predictor, i, t, s->numbers + s->count, &error)) fail_msg("%s", error.message);
    }
    scadyg_predictor_close(predictor);
    scadyg_events_close(events);
}

static void check_round(sg_rng *rng, int task, int kind, int freshness, size_t *done)
{
    static history l, other;
    static said before, after;
    random_log(&l, rng);
    const scadyg_train_options options = random_model(rng, task, kind, freshness);
    scadyg_error error = {0};
    scadyg_model *model;
    scadyg_events *events = make_events(&l.made);
    int status = scadyg_train(events, &options, NULL, 0, NULL, NULL, &model, &error);
    scadyg_events_close(events);
    if (status == SCADYG_E_USAGE && (strstr(error.message, "empty") || strstr(error.message, "no labels")))
        return; /* a split without a part */
    if (status) fail_msg("%s", error.message);
    for (int i = 0; i < 4; i++) {
        /* At an event, between events, or behind the last. */
        const double t = l.time[1 + pick(rng, EVENTS - 1)] + (pick(rng, 3) ? 0 : 0.5);
        ask(model, &l, t, &before);
        alter(&other, &l, t, rng);
        if (other.made.count == 0 || other.time[0] > t) continue; /* nothing is known then */
        ask(model, &other, t, &after);
        assert_int_equal(before.count, after.count);
        assert_memory_equal(before.numbers, after.numbers, before.count * sizeof *before.numbers);
        assert_memory_equal(before.embeddings, after.embeddings, NODES * before.width * sizeof(float));
        ++*done;
    }
    scadyg_model_close(model);
}

static size_t rounds(void)
{
    const char *text = getenv("SCADYG_TEST_ROUNDS");
    const size_t most = text ? strtoul(text, NULL, 10) : 400;
    return most < 400 ? most : 400;
}

static void check_task(int task, const int *kinds, size_t count)
{
    sg_rng rng;
    sg_rng_seed(&rng, 3, (uint64_t)task);
    size_t done = 0;
    for (size_t round = 0; round < rounds(); round++)
        check_round(&rng, task, kinds[round % count], (int)(round / count % 2), &done);
    assert_true(done > rounds());
}

static void test_links(void **state)
{
    (void)state;
    static const int kinds[] = {SCADYG_MODEL_SCADYG,
                                SCADYG_MODEL_SCADYG,
                                SCADYG_MODEL_SCADYG,
                                HEAD_PAIR,
                                HEAD_PAIR,
                                SCADYG_MODEL_POPULARITY,
                                SCADYG_MODEL_EDGEBANK,
                                SCADYG_MODEL_EDGEBANK_WINDOW,
                                SCADYG_MODEL_PAIR_RECENCY,
                                SCADYG_MODEL_PAIR_THEN_POPULARITY,
                                SCADYG_MODEL_MARKOV};
    check_task(SCADYG_TASK_LINK, kinds, sizeof kinds / sizeof *kinds);
}

static void test_affinity(void **state)
{
    (void)state;
    static const int kinds[] = {SCADYG_MODEL_SCADYG, HEAD_PAIR, HEAD_PAIR, SCADYG_MODEL_PERSISTENCE,
                                SCADYG_MODEL_MOVING_AVERAGE};
    check_task(SCADYG_TASK_AFFINITY, kinds, sizeof kinds / sizeof *kinds);
}

/* ---- Revealed in batches: nothing is known of a batch but its times ---- */

static void score_all(const scadyg_model *model, const history *l, double at, uint64_t seen, double *score)
{
    scadyg_error error = {0};
    scadyg_predictor *predictor;
    scadyg_events *events = make_events(&l->made);
    uint32_t src[NODES * NODES], dst[NODES * NODES];
    for (uint32_t i = 0; i < NODES * NODES; i++) src[i] = i / NODES, dst[i] = i % NODES;
    const sg_question block = {at, seen, -1, src, dst, NODES * NODES, score, SG_ASK_ORDER};
    if (scadyg_predictor_open(model, events, 1, &predictor, &error) ||
        predictor->scorer.score(predictor->scorer.context, &block, &error))
        fail_msg("%s", error.message);
    scadyg_predictor_close(predictor);
    scadyg_events_close(events);
}

/* A batch begins at some event; one of its events is asked about. */
static void check_batch(const scadyg_model *model, const history *l, sg_rng *rng)
{
    static history other;
    double before[NODES * NODES], after[NODES * NODES];
    const scadyg_train_options *options = scadyg_model_look(model)->options;
    const int learned = options->model == SCADYG_MODEL_SCADYG;
    const int by_steps = learned && options->freshness == SCADYG_FRESHNESS_STEP;
    const int by_count = learned && options->messages.step_rule == SCADYG_STEPS_EQUAL_COUNT;
    const size_t batch = 1 + pick(rng, EVENTS - 1), event = batch + pick(rng, EVENTS - batch);
    const double at = l->time[event], first = l->time[batch];
    const uint64_t past = sg_events_before(l->time, EVENTS, at), seen = past < batch ? past : batch;
    score_all(model, l, at, seen, before);
    /* The times of a batch say which steps are over, and where a window of steps of so many events ends; and to the head
     * `pair` whether the latest event it sees was the last of its time. Whatever else must not notice if they change. */
    const int pair = learned && options->head == SCADYG_HEAD_PAIR;
    const int times = by_steps || (!pair && by_count && options->messages.window) ||
                      (pair && seen && l->time[seen] == l->time[seen - 1]);
    alter_from(&other, l, (size_t)seen, at, times ? 0 : pick(rng, 3), rng);
    if (other.made.count == 0) return;
    score_all(model, &other, at, seen, after);
    assert_memory_equal(before, after, sizeof before);
    if (!by_steps) return;
    /* The whole batch is predicted from what is known when it begins. */
    score_all(model, l, first, sg_events_before(l->time, EVENTS, first), after);
    assert_memory_equal(before, after, sizeof before);
}

static void test_batches(void **state)
{
    (void)state;
    static history l;
    sg_rng rng;
    sg_rng_seed(&rng, 4, 0);
    size_t done = 0;
    for (size_t round = 0; round < rounds(); round++) {
        const size_t kind = round % (SG_LINK_HEURISTICS + 8), learned = kind - SG_LINK_HEURISTICS;
        const int model_kind = kind < SG_LINK_HEURISTICS ? sg_link_heuristics[kind]
                               : learned < 4             ? SCADYG_MODEL_SCADYG
                                                         : HEAD_PAIR;
        random_log(&l, &rng);
        const scadyg_train_options options = random_model(&rng, SCADYG_TASK_LINK, model_kind, (int)kind % 2);
        scadyg_error error = {0};
        scadyg_model *model;
        scadyg_events *events = make_events(&l.made);
        int status = scadyg_train(events, &options, NULL, 0, NULL, NULL, &model, &error);
        scadyg_events_close(events);
        if (status == SCADYG_E_USAGE && strstr(error.message, "empty")) continue; /* a split without a part */
        if (status) fail_msg("%s", error.message);
        for (int i = 0; i < 6; i++) check_batch(model, &l, &rng);
        scadyg_model_close(model);
        done++;
    }
    assert_true(done > rounds() / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_links), cmocka_unit_test(test_affinity),
                                       cmocka_unit_test(test_batches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
