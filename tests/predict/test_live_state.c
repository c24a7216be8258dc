/*
 * A live state answers as a predictor over a file of the same events does, byte for byte: for every kind of model, wherever the
 * stream is cut, with late events, and with snapshots between.
 */
#include "predict/live_stream.h"

#include "base/memory.h"
#include "predict/live_parts.h"
#include "models/scadyg/scadyg.h"

static scadyg_model *model_of(const char *kind, const char *task, const char *settings)
{
    scadyg_events *events = sample_events(3);
    scadyg_model *model = trained(NULL, events, kind, task, settings);
    scadyg_events_close(events);
    return model;
}

/* ---- The same answers ---- */

static void compare_ranks(scadyg_live *live, scadyg_predictor *p, uint32_t source, double at, double just_after,
                          int exclude, size_t nodes)
{
    scadyg_error error = {0};
    uint32_t node[2][LIVE_NODES];
    double score[2][LIVE_NODES], probability[2][LIVE_NODES];
    size_t count[2];
    const size_t top = exclude ? nodes : 5;
    live_must(scadyg_rank(p, source, isnan(at) ? just_after : at, exclude, top, node[0], score[0], probability[0],
                          &count[0], &error),
              &error);
    live_must(
        scadyg_live_rank(live, source, at, exclude, top, node[1], score[1], probability[1], &count[1], &error),
        &error);
    assert_int_equal(count[0], count[1]);
    assert_memory_equal(node[0], node[1], count[0] * sizeof node[0][0]);
    assert_memory_equal(score[0], score[1], count[0] * sizeof score[0][0]);
    for (size_t i = 0; i < count[0]; i++)
        assert_true(probability[0][i] == probability[1][i] ||
                    (isnan(probability[0][i]) && isnan(probability[1][i])));
}

static void compare_scores(scadyg_live *live, scadyg_predictor *p, double at, double just_after, size_t nodes)
{
    enum { PAIRS = 40 };
    scadyg_error error = {0};
    uint32_t src[PAIRS], dst[PAIRS];
    double times[PAIRS], score[2][PAIRS];
    for (size_t i = 0; i < PAIRS; i++) {
        src[i] = (uint32_t)(sg_hash64(i + nodes) % nodes);
        dst[i] = (uint32_t)(sg_hash64(i + 977) % nodes);
        times[i] = isnan(at) ? just_after : at;
    }
    live_must(scadyg_predict(p, src, dst, times, PAIRS, score[0], &error), &error);
    live_must(scadyg_live_score(live, src, dst, PAIRS, at, score[1], &error), &error);
    assert_memory_equal(score[0], score[1], sizeof score[0]);
}

static void compare_embeddings(scadyg_live *live, scadyg_predictor *p, const scadyg_model *model, double at,
                               double just_after, size_t nodes)
{
    const size_t width = scadyg_model_look(model)->width;
    scadyg_error error = {0};
    if (!model->kind->embed) {
        assert_int_equal(scadyg_live_embed(live, at, NULL, nodes, NULL, &error), SCADYG_E_USAGE);
        return;
    }
    float *a = calloc(nodes * width, sizeof *a), *b = calloc(nodes * width, sizeof *b);
    live_must(scadyg_embed(p, isnan(at) ? just_after : at, NULL, nodes, a, &error), &error);
    live_must(scadyg_live_embed(live, at, NULL, nodes, b, &error), &error);
    assert_memory_equal(a, b, nodes * width * sizeof *a);
    free(a);
    free(b);
}

static void compare_affinities(scadyg_live *live, scadyg_predictor *p, const scadyg_model *model, double at,
                               double just_after, size_t nodes)
{
    const size_t classes = scadyg_model_look(model)->classes;
    scadyg_error error = {0};
    double *a = calloc(classes, sizeof *a), *b = calloc(classes, sizeof *b);
    for (uint32_t node = 0; node < nodes; node += 7) {
        live_must(scadyg_affinity(p, node, isnan(at) ? just_after : at, a, &error), &error);
        live_must(scadyg_live_affinity(live, node, at, b, &error), &error);
        assert_memory_equal(a, b, classes * sizeof *a);
    }
    free(a);
    free(b);
}

static void compare(scadyg_live *live, const scadyg_model *model, const arrivals *a, size_t count)
{
    scadyg_events *file = arrivals_file(a, count);
    scadyg_predictor *p = must_predictor(NULL, model, file);
    const double last = a->taken[count - 1], just_after = nextafter(last, INFINITY);
    const double at = count % 2 ? NAN : last + 17;
    const size_t nodes = a->nodes[count];
    scadyg_live_info info = {.size = sizeof info};
    scadyg_live_look(live, &info);
    assert_int_equal(info.events, count);
    assert_int_equal(info.nodes, nodes);
    assert_true(info.newest_time == last && info.first_time == a->taken[0]);
    if (model->kind->task == SG_TASK_LINK) {
        compare_scores(live, p, at, just_after, nodes);
        for (uint32_t i = 0; i < 6; i++)
            compare_ranks(live, p, (uint32_t)(sg_hash64(count + i) % nodes), at, just_after, (int)i % 2, nodes);
    } else {
        compare_affinities(live, p, model, at, just_after, nodes);
    }
    compare_embeddings(live, p, model, at, just_after, nodes);
    scadyg_predictor_close(p);
    scadyg_events_close(file);
}

/* ---- Streams ---- */

static scadyg_live *through_a_snapshot(scadyg_live *live, const scadyg_model *model, scadyg_context *context,
                                       const char *path, int in_background)
{
    scadyg_error error = {0};
    scadyg_live *restored = NULL;
    if (in_background) {
        int done = 0;
        live_must(scadyg_live_snapshot_start(live, path, &error), &error);
        assert_int_equal(scadyg_live_snapshot_start(live, path, &error), SCADYG_E_USAGE);
        live_must(scadyg_live_snapshot_finish(live, 1, &done, &error), &error);
        assert_int_equal(done, 1);
    } else {
        live_must(scadyg_live_snapshot(live, path, &error), &error);
    }
    scadyg_live_close(live);
    live_must(scadyg_live_restore(context, model, path, &restored, &error), &error);
    return restored;
}

static uint64_t count_late(const arrivals *a)
{
    uint64_t late = 0;
    for (size_t i = 0; i < a->count; i++) late += a->taken[i] > a->time[i];
    return late;
}

/* begin: so many events are in a file when it is opened. */
static void check_stream(const scadyg_model *model, uint64_t seed, size_t count, size_t begin, size_t comparisons)
{
    static arrivals a;
    scadyg_error error = {0};
    scadyg_context *context = context_of(1 + (int)(seed % 2));
    scadyg_live *live = NULL;
    scadyg_events *file = NULL;
    sg_rng rng;
    char path[64];
    make_path(path);
    make_arrivals(&a, seed, count, begin ? 0 : 9);
    memcpy(a.taken, a.time, sizeof a.time);
    if (begin) file = arrivals_file(&a, begin);
    sg_rng_seed(&rng, seed, 0x5ee);
    live_must(scadyg_live_open(context, model, file, &live, &error), &error);
    scadyg_events_close(file);
    if (begin) compare(live, model, &a, begin);
    for (size_t at = begin, next; at < count; at = next) {
        next = at + 1 + (size_t)sg_rng_below(&rng, sg_rng_below(&rng, 4) ? 3 : 2 * count / comparisons);
        if (next > count) next = count;
        live_observe(live, &a, at, next);
        if (sg_rng_below(&rng, count) < 2 * comparisons || next == count) compare(live, model, &a, next);
        if (sg_rng_below(&rng, count) < comparisons)
            live = through_a_snapshot(live, model, context, path, (int)sg_rng_below(&rng, 2));
    }
    scadyg_live_info info = {.size = sizeof info};
    scadyg_live_look(live, &info);
    assert_int_equal(info.late, count_late(&a));
    assert_true(begin || info.late > 0);
    scadyg_live_close(live);
    unlink(path);
}

static void default_model(void **state)
{
    (void)state;
    static const char *const settings[] = {SMALL LIVE "epochs=1", SMALL LIVE "epochs=1 vectors=on"};
    static const uint64_t vectors[] = {0, 1000, 1, 3, 12}; /* so few that most are forgotten */
    for (size_t i = 0; i < 5; i++) {
        scadyg_model *model = model_of("scadyg", "link", settings[i > 0]);
        sg_scadyg_of(model)->plan.vectors = vectors[i];
        for (uint64_t seed = 0; seed < 6; seed++)
            check_stream(model, 10 * i + seed, 100 + 200 * (size_t)seed, seed % 3 ? 0 : 60, 20);
        check_stream(model, 100 + i, 1200, 0, 1); /* whole groups at a time */
        scadyg_model_close(model);
    }
}

static void other_links(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *settings;
    } models[] = {{"scadyg", SMALL "epochs=1"},
                  {"scadyg", SMALL LIVE "epochs=1 without=pairs"},
                  {"scadyg", "steps=30 epochs=1 hidden=8 lr=0.0000001 negatives=1"},
                  {"scadyg-paper", "steps=30 epochs=1 hidden=8"},
                  {"scadyg-paper", "steps=30 epochs=1 hidden=8 stepwise=0"},
                  {"scadyg-paper", "steps=30 epochs=1 hidden=8 stepwise=0 node-features=random:4"},
                  {"scadyg-paper", "steps=30 epochs=1 hidden=8 stepwise=0 hops=2 window=4"}};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        scadyg_model *model = model_of(models[i].kind, "link", models[i].settings);
        check_stream(model, 40 + i, 260, i % 2 ? 30 : 0, 6);
        scadyg_model_close(model);
    }
}

static void baselines(void **state)
{
    (void)state;
    for (size_t i = 0; sg_kinds[i]; i++) {
        if (sg_kinds[i]->shown.learns || sg_kinds[i]->task != SG_TASK_LINK) continue;
        scadyg_model *model = model_of(sg_kinds[i]->shown.name, "link", "steps=30");
        check_stream(model, 60 + i, 500, i % 2 ? 40 : 0, 12);
        scadyg_model_close(model);
    }
}

static void affinities(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *settings;
    } models[] = {{"scadyg", "steps=30 epochs=1 hidden=8"},
                  {"scadyg-paper", "steps=30 epochs=1 hidden=8"},
                  {"persistence", "steps=30"},
                  {"moving-average", "steps=30"}};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        scadyg_model *model = model_of(models[i].kind, "affinity", models[i].settings);
        check_stream(model, 80 + i, 200, i % 2 ? 30 : 0, 4);
        scadyg_model_close(model);
    }
}

/* ---- The window ---- */

/* Stable by the given times, as import sorts. */
static void sort_arrivals(const arrivals *a, const double *time, arrivals *sorted)
{
    size_t order[ARRIVALS];
    for (size_t i = 0; i < a->count; i++) order[i] = i;
    for (size_t i = 1; i < a->count; i++)
        for (size_t k = i; k && time[order[k]] < time[order[k - 1]]; k--) {
            const size_t swap = order[k];
            order[k] = order[k - 1];
            order[k - 1] = swap;
        }
    *sorted = *a;
    for (size_t i = 0; i < a->count; i++) {
        sorted->from[i] = a->from[order[i]];
        sorted->to[i] = a->to[order[i]];
        sorted->time[i] = time[order[i]];
        sorted->weight[i] = a->weight[order[i]];
        memcpy(sorted->features + i * SAMPLE_FEATURES, a->features + order[i] * SAMPLE_FEATURES,
               SAMPLE_FEATURES * sizeof *a->features);
    }
}

/* A live state that is told of the same events in the order of these times has the same nodes and says the same. */
static void compare_sorted(scadyg_live *live, const scadyg_model *model, const arrivals *a, const double *time)
{
    static arrivals sorted;
    scadyg_error error = {0};
    scadyg_live *other = NULL;
    const size_t nodes = a->nodes[a->count];
    sort_arrivals(a, time, &sorted);
    live_must(scadyg_live_open(NULL, model, NULL, &other, &error), &error);
    live_observe(other, &sorted, 0, a->count);
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t found[2], node[2][LIVE_NODES];
        double score[2][LIVE_NODES];
        size_t count[2];
        live_must(scadyg_live_find(live, SCADYG_ANY_ROLE, a->text[i], &found[0], &error), &error);
        live_must(scadyg_live_find(other, SCADYG_ANY_ROLE, a->text[i], &found[1], &error), &error);
        assert_int_equal(found[0], found[1]);
        live_must(scadyg_live_rank(live, found[0], NAN, 0, nodes, node[0], score[0], NULL, &count[0], &error),
                  &error);
        live_must(scadyg_live_rank(other, found[0], NAN, 0, nodes, node[1], score[1], NULL, &count[1], &error),
                  &error);
        assert_int_equal(count[0], count[1]);
        assert_memory_equal(node[0], node[1], count[0] * sizeof node[0][0]);
        assert_memory_equal(score[0], score[1], count[0] * sizeof score[0][0]);
    }
    scadyg_live_close(other);
}

/* Events that come out of order within the window are taken in by time; what comes later than that is late. */
static void window_sorts(void **state)
{
    (void)state;
    enum { COUNT = 400 };
    static arrivals a;
    scadyg_error error = {0};
    scadyg_model *model = model_of("scadyg", "link", SMALL LIVE "epochs=1");
    scadyg_live *live = NULL;
    char path[64];
    make_path(path);
    make_arrivals(&a, 5, COUNT, 4); /* up to 89 late */
    live_must(scadyg_live_open(NULL, model, NULL, &live, &error), &error);
    assert_int_equal(scadyg_live_set_window(live, -1, &error), SCADYG_E_USAGE);
    live_must(scadyg_live_set_window(live, 100, &error), &error);
    for (size_t at = 0; at < COUNT; at += 10) {
        live_observe(live, &a, at, at + 10);
        if (at == 200) live = through_a_snapshot(live, model, NULL, path, 0);
    }
    assert_int_equal(count_late(&a), 0);
    scadyg_live_info info = {.size = sizeof info};
    scadyg_live_look(live, &info);
    assert_true(info.held > 0 && info.held + info.events == COUNT);
    live_must(scadyg_live_flush(live, &error), &error);
    scadyg_live_look(live, &info);
    assert_int_equal(info.held, 0);
    assert_int_equal(info.events, COUNT);
    compare_sorted(live, model, &a, a.time);
    scadyg_live_close(live);
    scadyg_model_close(model);
    unlink(path);
}

/* With windows that come and go, late events, flushes and snapshots between: the times that observe tells are the times of the
 * state, equal ones in the order of arrival. */
static void check_replay(const scadyg_model *model, uint64_t seed, size_t begin)
{
    enum { COUNT = 300 };
    static arrivals a;
    static const double windows[] = {0, 10, 40, 200};
    scadyg_error error = {0};
    scadyg_live *live = NULL;
    scadyg_events *file = NULL;
    sg_rng rng;
    char path[64];
    make_path(path);
    make_arrivals(&a, seed, COUNT, 3);
    sg_rng_seed(&rng, seed, 0x3e9);
    for (size_t i = 1; i < begin; i++) a.time[i] = fmax(a.time[i], a.time[i - 1]);
    memcpy(a.taken, a.time, sizeof a.time);
    if (begin) file = arrivals_file(&a, begin);
    live_must(scadyg_live_open(NULL, model, file, &live, &error), &error);
    scadyg_events_close(file);
    for (size_t at = begin, next; at < COUNT; at = next) {
        next = at + 1 + (size_t)sg_rng_below(&rng, 12);
        if (next > COUNT) next = COUNT;
        if (sg_rng_below(&rng, 4) == 0)
            live_must(scadyg_live_set_window(live, windows[sg_rng_below(&rng, 4)], &error), &error);
        live_observe(live, &a, at, next);
        if (sg_rng_below(&rng, 8) == 0) live_must(scadyg_live_flush(live, &error), &error);
        if (sg_rng_below(&rng, 12) == 0) live = through_a_snapshot(live, model, NULL, path, 0);
    }
    live_must(scadyg_live_flush(live, &error), &error);
    compare_sorted(live, model, &a, a.taken);
    scadyg_live_close(live);
    unlink(path);
}

static void window_replays(void **state)
{
    (void)state;
    static const char *const kinds[][2] = {{"scadyg", SMALL LIVE "epochs=1"}, {"markov", "steps=30"}};
    for (size_t i = 0; i < 2; i++) {
        scadyg_model *model = model_of(kinds[i][0], "link", kinds[i][1]);
        for (uint64_t seed = 0; seed < 8; seed++) check_replay(model, seed, seed % 2 ? 50 : 0);
        scadyg_model_close(model);
    }
}

/* ---- Ids that are texts, of users and items that may have the same ---- */

static void check_name(scadyg_live *live, int role, const char *id, uint32_t expected)
{
    scadyg_error error = {0};
    char name[64];
    size_t length;
    uint32_t node = UINT32_MAX;
    live_must(scadyg_live_find(live, role, id, &node, &error), &error);
    assert_int_equal(node, expected);
    live_must(scadyg_live_name(live, node, name, sizeof name, &length, &error), &error);
    assert_string_equal(name, id);
    assert_int_equal(length, strlen(id));
}

static void texts_and_sides(void **state)
{
    (void)state;
    enum { COUNT = 300 };
    static arrivals a;
    static char text[LIVE_NODES][24];
    scadyg_error error = {0};
    scadyg_model *model = model_of("scadyg", "link", SMALL LIVE "epochs=1 vectors=on");
    scadyg_live *live = NULL;
    char path[64];
    uint32_t node;
    make_path(path);
    make_arrivals(&a, 77, COUNT, 0);
    for (size_t i = 0; i < LIVE_NODES; i++)
        snprintf(text[i], sizeof text[i], i % 3 ? "%zu \xc3\xa9t\xc3\xa9 of %zu" : "%zu", i, i * i);
    for (size_t i = 0; i < COUNT; i++) a.from[i] = text[a.src[i]], a.to[i] = text[a.dst[i]];
    model->shape.integer_ids = 0;
    model->shape.two_id_spaces = 1;
    live_must(scadyg_live_open(NULL, model, NULL, &live, &error), &error);
    for (size_t at = 0; at < COUNT; at += 30) {
        live_observe(live, &a, at, at + 30);
        if (at % 90 == 0) live = through_a_snapshot(live, model, NULL, path, at == 90);
    }
    /* Numbered as they came; each side by itself. */
    uint32_t number[2][LIVE_NODES], count = 0;
    memset(number, 0xFF, sizeof number);
    for (size_t i = 0; i < COUNT; i++) {
        if (number[0][a.src[i]] == UINT32_MAX) number[0][a.src[i]] = count++;
        if (number[1][a.dst[i]] == UINT32_MAX) number[1][a.dst[i]] = count++;
    }
    for (size_t i = 0; i < LIVE_NODES; i++) {
        if (number[0][i] != UINT32_MAX) check_name(live, SCADYG_SOURCE, text[i], number[0][i]);
        if (number[1][i] != UINT32_MAX) check_name(live, SCADYG_DESTINATION, text[i], number[1][i]);
        if (number[0][i] != UINT32_MAX && number[1][i] != UINT32_MAX)
            assert_int_equal(scadyg_live_find(live, SCADYG_ANY_ROLE, text[i], &node, &error), SCADYG_E_NOT_FOUND);
    }
    assert_int_equal(scadyg_live_find(live, SCADYG_SOURCE, "0 ", &node, &error), SCADYG_E_NOT_FOUND);
    scadyg_live_info info = {.size = sizeof info};
    scadyg_live_look(live, &info);
    assert_int_equal(info.nodes, count);
    scadyg_live_close(live);
    scadyg_model_close(model);
    unlink(path);
}

/* ---- Stopped ---- */

/* Events go on into the log while the context is cancelled; who asks is told, and answered when it is reset. */
static void cancelled(void **state)
{
    (void)state;
    static const char *const kinds[][2] = {{"popularity", "steps=30"},
                                           {"item-knn", "steps=30"},
                                           {"scadyg-paper", "steps=30 epochs=1 hidden=8 stepwise=0"},
                                           {"scadyg-paper", "steps=30 epochs=1 hidden=8"}};
    enum { COUNT = 1500 };
    static arrivals a;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        scadyg_error error = {0};
        scadyg_context *context = context_of(1);
        scadyg_model *model = model_of(kinds[i][0], "link", kinds[i][1]);
        scadyg_live *live = NULL;
        uint32_t src = 0, dst = 1;
        double score;
        make_arrivals(&a, 5, COUNT, 9);
        live_must(scadyg_live_open(context, model, NULL, &live, &error), &error);
        live_observe(live, &a, 0, 1);
        live_must(scadyg_live_score(live, &src, &dst, 1, NAN, &score, &error), &error);
        assert_int_equal(a.nodes[COUNT], LIVE_NODES); /* more than there was room for at first, 67 */
        scadyg_context_cancel(context);
        for (size_t at = 1; at < COUNT; at += 7) live_observe(live, &a, at, at + 7 < COUNT ? at + 7 : COUNT);
        assert_int_equal(scadyg_live_score(live, &src, &dst, 1, NAN, &score, &error), SCADYG_E_CANCELLED);
        scadyg_context_reset(context);
        compare(live, model, &a, COUNT);
        scadyg_live_close(live);
        scadyg_model_close(model);
    }
}

/* ---- Snapshots and the model's file ---- */

/* The state of a model as it was trained is that of the model in its file, and back. */
static void saved_model(void **state)
{
    (void)state;
    static const char *const kinds[][2] = {{"scadyg", SMALL LIVE "epochs=2"},
                                           {"scadyg-paper", "steps=30 epochs=1 hidden=8"},
                                           {"popularity", "steps=30"}};
    static arrivals a;
    make_arrivals(&a, 6, 120, 0);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        scadyg_error error = {0};
        scadyg_model *model = model_of(kinds[i][0], "link", kinds[i][1]), *opened = NULL;
        scadyg_live *live = NULL;
        char path[64], file[64];
        make_path(path);
        make_path(file);
        live_must(scadyg_model_save(model, file, &error), &error);
        live_must(scadyg_model_open(file, &opened, &error), &error);
        live_must(scadyg_live_open(NULL, model, NULL, &live, &error), &error);
        live_observe(live, &a, 0, 60);
        live = through_a_snapshot(live, opened, NULL, path, (int)i % 2);
        live_observe(live, &a, 60, 90);
        live = through_a_snapshot(live, model, NULL, path, (int)i % 2);
        live_observe(live, &a, 90, 120);
        compare(live, model, &a, 120);
        scadyg_live_close(live);
        scadyg_model_close(opened);
        scadyg_model_close(model);
        unlink(path);
        unlink(file);
    }
}

/* ---- What is refused ---- */

static void refusals(void **state)
{
    (void)state;
    static arrivals a;
    scadyg_error error = {0};
    scadyg_model *model = model_of("scadyg", "link", SMALL LIVE "epochs=1");
    scadyg_live *live = NULL;
    uint32_t node = 0;
    double score;
    size_t count;
    char name[4];
    make_arrivals(&a, 1, 100, 0);
    live_must(scadyg_live_open(NULL, model, NULL, &live, &error), &error);
    assert_int_equal(scadyg_live_rank(live, 0, NAN, 0, 1, &node, &score, NULL, &count, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "no event has been observed"));
    live_observe(live, &a, 0, 50);
    scadyg_live_info before = {.size = sizeof before}, after = {.size = sizeof after};
    scadyg_live_look(live, &before);
    scadyg_live_events some = arrivals_between(&a, 50, 100);
    const double good = a.time[99];
    a.time[99] = NAN;
    assert_int_equal(scadyg_live_observe(live, &some, NULL, &error), SCADYG_E_INPUT);
    assert_non_null(strstr(error.message, "event 50 of 50"));
    a.time[99] = good;
    a.from[60] = "seven";
    assert_int_equal(scadyg_live_observe(live, &some, NULL, &error), SCADYG_E_INPUT);
    assert_non_null(strstr(error.message, "is no integer"));
    a.from[60] = "";
    assert_int_equal(scadyg_live_observe(live, &some, NULL, &error), SCADYG_E_INPUT);
    some.weight = NULL;
    assert_int_equal(scadyg_live_observe(live, &some, NULL, &error), SCADYG_E_INPUT);
    scadyg_live_look(live, &after);
    assert_memory_equal(&before, &after,
                        offsetof(scadyg_live_info, keeps_log)); /* the last, and what fills up behind it */
    assert_int_equal(before.keeps_log, after.keeps_log);
    assert_int_equal(scadyg_live_rank(live, 0, a.taken[49], 0, 1, &node, &score, NULL, &count, &error),
                     SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "not after the newest event"));
    assert_int_equal(scadyg_live_rank(live, LIVE_NODES, NAN, 0, 1, &node, &score, NULL, &count, &error),
                     SCADYG_E_NOT_FOUND);
    assert_int_equal(scadyg_live_affinity(live, 0, NAN, &score, &error), SCADYG_E_USAGE);
    assert_int_equal(scadyg_live_find(live, SCADYG_SOURCE, "nobody", &node, &error), SCADYG_E_NOT_FOUND);
    live_must(scadyg_live_find(live, SCADYG_SOURCE, "1", &node, &error), &error);
    assert_int_equal(node, 1);
    live_must(scadyg_live_name(live, 1, name, sizeof name, &count, &error), &error);
    assert_string_equal(name, "1");
    assert_int_equal(scadyg_live_snapshot_finish(live, 1, NULL, &error), SCADYG_E_USAGE);
    scadyg_live_close(live);
    /* Within its memory there is no room for all nodes. */
    scadyg_context *small = context_with(1, 30000 + model->kind->live->bound(model), NULL, NULL);
    a.from[60] = a.text[a.src[60]];
    live_must(scadyg_live_open(small, model, NULL, &live, &error), &error);
    live_observe(live, &a, 0, 5);
    some = arrivals_between(&a, 5, 100);
    scadyg_live_look(live, &before);
    assert_int_equal(scadyg_live_observe(live, &some, NULL, &error),
                     a.nodes[100] > 30 ? SCADYG_E_MEMORY : SCADYG_OK);
    scadyg_live_look(live, &after);
    if (a.nodes[100] > 30) assert_memory_equal(&before, &after, sizeof after);
    scadyg_live_close(live);
    scadyg_model_close(model);
    /* Nor for the log, where it is kept. */
    model = model_of("popularity", "link", "steps=30");
    live_must(scadyg_live_open(context_with(1, 3000, NULL, NULL), model, NULL, &live, &error), &error);
    some = arrivals_between(&a, 0, 100);
    assert_int_equal(scadyg_live_observe(live, &some, NULL, &error), SCADYG_E_MEMORY);
    assert_non_null(strstr(error.message, "keeps its log"));
    live_observe(live, &a, 0, 20);
    scadyg_live_close(live);
    scadyg_model_close(model);
}

/* No two events may be so far apart that the time between them is no number, whether they come at once or one is held. */
static void far_times(void **state)
{
    (void)state;
    static arrivals a;
    scadyg_error error = {0};
    scadyg_model *model = model_of("scadyg", "link", SMALL LIVE "epochs=1");
    scadyg_live *live = NULL;
    scadyg_live_info info = {.size = sizeof info};
    make_arrivals(&a, 1, 10, 0);
    live_must(scadyg_live_open(NULL, model, NULL, &live, &error), &error);
    const scadyg_live_events both = arrivals_between(&a, 0, 2), next = arrivals_between(&a, 1, 2);
    for (int turn = 0; turn < 2; turn++) {
        a.time[turn] = -1e308;
        a.time[!turn] = 1.7e308;
        assert_int_equal(scadyg_live_observe(live, &both, NULL, &error), SCADYG_E_INPUT);
        assert_non_null(strstr(error.message, "event 2 of 2: the time is too far"));
    }
    live_must(scadyg_live_set_window(live, 1e300, &error), &error);
    a.time[0] = -1e308;
    a.time[1] = 1.7e308;
    live_observe(live, &a, 0, 1);
    scadyg_live_look(live, &info);
    assert_true(info.events == 0 && info.held == 1);
    assert_int_equal(scadyg_live_observe(live, &next, NULL, &error), SCADYG_E_INPUT);
    live_must(scadyg_live_flush(live, &error), &error);
    assert_int_equal(scadyg_live_observe(live, &next, NULL, &error), SCADYG_E_INPUT);
    scadyg_live_close(live);
    scadyg_model_close(model);
}

/* ---- Memory ---- */

/* So many pairs that they are forgotten again and again, of as many nodes as there is room for. */
static void fill_up(scadyg_live *live, uint64_t memory, size_t nodes)
{
    enum { GROUP = 1000, GROUPS = 60 };
    static char text[2][GROUP][24];
    static const char *from[GROUP], *to[GROUP];
    static double time[GROUP];
    static float weight[GROUP], features[GROUP * SAMPLE_FEATURES];
    scadyg_error error = {0};
    scadyg_live_info info = {.size = sizeof info};
    const scadyg_live_events some = {.size = sizeof some,
                                     .count = GROUP,
                                     .src = from,
                                     .dst = to,
                                     .time = time,
                                     .weight = weight,
                                     .features = features};
    for (size_t group = 0; group < GROUPS; group++) {
        for (size_t i = 0; i < GROUP; i++) {
            const size_t at = group * GROUP + i;
            snprintf(text[0][i], sizeof text[0][i], "%zu", at < nodes ? at : sg_hash64(2 * at) % nodes);
            snprintf(text[1][i], sizeof text[1][i], "%zu", sg_hash64(2 * at + 1) % nodes);
            from[i] = text[0][i];
            to[i] = text[1][i];
            time[i] = (double)at;
        }
        live_must(scadyg_live_observe(live, &some, NULL, &error), &error);
        scadyg_live_look(live, &info);
        assert_in_range(info.bytes, 1, memory);
    }
    assert_int_equal(info.nodes, nodes);
    snprintf(text[0][0], sizeof text[0][0], "%zu", nodes);
    assert_int_equal(scadyg_live_observe(live, &some, NULL, &error), SCADYG_E_MEMORY);
}

/* The bounds of pairs and vectors come first, and what they leave is for nodes: all together stay within the context's memory. */
static void within_memory(void **state)
{
    (void)state;
    static arrivals a;
    char path[64], figure[2][32];
    scadyg_error error = {0};
    scadyg_live *live = NULL;
    scadyg_events *file = sample_events(3);
    make_path(path);
    make_arrivals(&a, 3, 100, 0);
    for (int vectors = 0; vectors < 2; vectors++) {
        scadyg_model *model =
            model_of("scadyg", "link", vectors ? SMALL LIVE "epochs=1 vectors=on" : SMALL LIVE "epochs=1");
        sg_scadyg_of(model)->plan.pair_bytes = 6u << 20;
        const uint64_t bound = model->kind->live->bound(model), memory = bound + (1u << 20);
        assert_true(bound > 5u << 20);
        scadyg_context *context = context_with(1, memory, NULL, NULL);
        live_must(scadyg_live_open(context, model, NULL, &live, &error), &error);
        fill_up(live, memory, live->node_limit);
        live_must(scadyg_live_snapshot(live, path, &error), &error);
        scadyg_live_close(live);
        live = NULL;
        /* The bounds alone are too much; the nodes are. */
        snprintf(figure[0], sizeof figure[0], "%llu bytes", (unsigned long long)bound);
        snprintf(figure[1], sizeof figure[1], "%u in all", 4u << 20);
        for (int i = 0; i < 3; i++) {
            scadyg_context_set_memory(context, 4u << 20);
            assert_int_equal(i < 2 ? scadyg_live_open(context, model, i ? file : NULL, &live, &error)
                                   : scadyg_live_restore(context, model, path, &live, &error),
                             SCADYG_E_MEMORY);
            assert_true(strstr(error.message, figure[0]) && strstr(error.message, figure[1]));
            scadyg_context_set_memory(context, bound + 1000);
            if (i)
                assert_int_equal(i == 1 ? scadyg_live_open(context, model, file, &live, &error)
                                        : scadyg_live_restore(context, model, path, &live, &error),
                                 SCADYG_E_MEMORY);
            assert_null(live);
        }
        scadyg_model_close(model);
    }
    /* Of a log that is kept, nodes and events together. */
    scadyg_model *model = model_of("popularity", "link", "steps=30");
    assert_int_equal(scadyg_live_open(context_with(1, 3000, NULL, NULL), model, file, &live, &error),
                     SCADYG_E_MEMORY);
    assert_null(live);
    scadyg_events_close(file);
    scadyg_model_close(model);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_model),   cmocka_unit_test(other_links),  cmocka_unit_test(baselines),
        cmocka_unit_test(affinities),      cmocka_unit_test(window_sorts), cmocka_unit_test(window_replays),
        cmocka_unit_test(texts_and_sides), cmocka_unit_test(cancelled),    cmocka_unit_test(far_times),
        cmocka_unit_test(within_memory),   cmocka_unit_test(saved_model),  cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
