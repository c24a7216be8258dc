/*
 * One thread observes, eight ask: every answer is that of the state between two events, never of half an event. Under the thread
 * sanitizer this also shows that no two of them touch the same memory.
 */
#include "predict/live_stream.h"

#include "predict/live_parts.h"

#include <pthread.h>
#include <stdatomic.h>

enum { READERS = 8, COUNT = 1080, PAIRS = 6 };

/* What each state answers: after each number of events, of the same pairs at a far time. */
typedef struct stage {
    scadyg_live *live;
    arrivals *stream;
    double at, (*expected)[PAIRS]; /* [COUNT + 1][PAIRS] */
    uint32_t src[PAIRS], dst[PAIRS];
    atomic_int stop;
    atomic_long asked;
} stage;

static int score_all(stage *s, scadyg_live *live, double *score)
{
    return scadyg_live_score(live, s->src, s->dst, PAIRS, s->at, score, NULL);
}

static uint64_t count_events(scadyg_live *live)
{
    scadyg_live_info info = {.size = sizeof info};
    scadyg_live_look(live, &info);
    return info.events;
}

/* The answer is one of those between the events before and after it. */
static const char *ask_scores(stage *s)
{
    double score[PAIRS];
    const uint64_t before = count_events(s->live);
    if (score_all(s, s->live, score)) return "a score was refused";
    const uint64_t after = count_events(s->live);
    for (uint64_t n = before; n <= after; n++)
        if (memcmp(score, s->expected[n], sizeof score) == 0) return NULL;
    return "a score is of no state";
}

static const char *ask_rest(stage *s, uint64_t turn)
{
    uint32_t nodes[4], node = 0;
    double scores[4], probabilities[4];
    size_t count = 0;
    char name[16];
    if (scadyg_live_rank(s->live, (uint32_t)(turn % 6), s->at, (int)turn % 2, 4, nodes, scores, probabilities,
                         &count, NULL))
        return "a ranking was refused";
    for (size_t i = 1; i < count; i++)
        if (scores[i] > scores[i - 1]) return "a ranking is out of order";
    if (count && scadyg_live_name(s->live, nodes[0], name, sizeof name, NULL, NULL)) return "a name was refused";
    if (count && (scadyg_live_find(s->live, SCADYG_ANY_ROLE, name, &node, NULL) || node != nodes[0]))
        return "a node was not found by its name";
    const size_t width = 2 * 16;
    float embedding[2 * 16];
    if (scadyg_model_look(s->live->model)->width != width) return NULL;
    return scadyg_live_embed(s->live, s->at, &node, 1, embedding, NULL) ? "an embedding was refused" : NULL;
}

static void *keep_asking(void *data)
{
    stage *s = data;
    const char *fault = NULL;
    for (uint64_t turn = 0; !fault && (!s->stop || turn < 3); turn++) {
        fault = ask_scores(s);
        if (!fault && turn % 4 == 0) fault = ask_rest(s, turn);
        s->asked++;
    }
    return (void *)(uintptr_t)fault;
}

static void expect_all(stage *s, const scadyg_model *model)
{
    scadyg_error error = {0};
    scadyg_live *live = NULL;
    live_must(scadyg_live_open(NULL, model, NULL, &live, &error), &error);
    for (size_t n = 0; n < COUNT; n++) {
        live_observe(live, s->stream, n, n + 1);
        if (n + 1 >= 60) live_must(score_all(s, live, s->expected[n + 1]), &error);
    }
    scadyg_live_close(live);
}

/* One or a few, and now and then more than a group. */
static size_t next_call(size_t at)
{
    const size_t next = at + (at % 360 > 300 ? 280 : 1 + at % 5);
    return next < COUNT ? next : COUNT;
}

/* A snapshot in the background, one after the other, while all others go on. */
static void go_on_writing(stage *s, const char *path, int *begun)
{
    scadyg_error error = {0};
    int done = 0;
    if (*begun) live_must(scadyg_live_snapshot_finish(s->live, 0, &done, &error), &error);
    if (*begun && !done) return;
    live_must(scadyg_live_snapshot_start(s->live, path, &error), &error);
    *begun = 1;
}

/* What the last one has is the state between two events. */
static void check_written(stage *s, const scadyg_model *model, const char *path)
{
    scadyg_error error = {0};
    scadyg_live *restored = NULL;
    double score[PAIRS];
    int done;
    live_must(scadyg_live_snapshot_finish(s->live, 1, &done, &error), &error);
    live_must(scadyg_live_restore(NULL, model, path, &restored, &error), &error);
    live_must(score_all(s, restored, score), &error);
    assert_memory_equal(score, s->expected[count_events(restored)], sizeof score);
    scadyg_live_close(restored);
}

static void check_threads(const char *kind, const char *settings)
{
    static arrivals stream;
    static double expected[COUNT + 1][PAIRS];
    scadyg_error error = {0};
    scadyg_events *events = sample_events(3);
    scadyg_model *model = trained(NULL, events, kind, "link", settings);
    stage s = {.stream = &stream, .expected = expected};
    pthread_t readers[READERS];
    char path[2][64];
    int begun = 0;
    scadyg_events_close(events);
    make_path(path[0]);
    make_path(path[1]);
    make_arrivals(&stream, 21, COUNT, 7);
    s.at = stream.time[COUNT - 1] + 500;
    for (uint32_t i = 0; i < PAIRS; i++) s.src[i] = i % 4, s.dst[i] = i % 3 + 1;
    expect_all(&s, model);
    live_must(scadyg_live_open(context_of(2), model, NULL, &s.live, &error), &error);
    live_observe(s.live, &stream, 0, 60);
    for (int i = 0; i < READERS; i++) assert_int_equal(pthread_create(&readers[i], NULL, keep_asking, &s), 0);
    for (size_t at = 60, next; at < COUNT; at = next) {
        next = next_call(at);
        live_observe(s.live, &stream, at, next);
        if (at % 60 < 3) live_must(scadyg_live_snapshot(s.live, path[0], &error), &error);
        if (at % 10 < 3) go_on_writing(&s, path[1], &begun);
        /* On a busy machine the readers have their turn now and then. */
        const long asked = s.asked;
        for (int i = 0; i < 200 && s.asked < asked + 2; i++) usleep(100);
    }
    check_written(&s, model, path[1]);
    s.stop = 1;
    for (int i = 0; i < READERS; i++) {
        void *fault;
        pthread_join(readers[i], &fault);
        if (fault) fail_msg("%s", (const char *)fault);
    }
    assert_true(s.asked > READERS);
    scadyg_live_close(s.live);
    scadyg_model_close(model);
    unlink(path[0]);
    unlink(path[1]);
}

static void default_model(void **state)
{
    (void)state;
    check_threads("scadyg", SMALL LIVE "epochs=1 vectors=on");
}

/* With the log kept they ask one at a time. */
static void baseline(void **state)
{
    (void)state;
    check_threads("item-knn", "steps=30");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(default_model), cmocka_unit_test(baseline)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
