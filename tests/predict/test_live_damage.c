/*
 * Snapshots of live states that are cut off, damaged or forged: refused with a sentence, or taken and safe to use. What was
 * written before stays as it was when writing fails.
 */
#include "predict/live_stream.h"
#include "models/scadyg/scadyg.h"
#include "predict/live_parts.h"
#include "repair_state.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

typedef struct saved {
    scadyg_model *model;
    char path[64];
    unsigned char *bytes;
    size_t size;
} saved;

static void write_bytes(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* With events that are held. */
static saved make_saved(arrivals *a, const char *kind, const char *settings, uint64_t vectors)
{
    scadyg_error error = {0};
    scadyg_events *events = sample_events(3);
    saved s = {.model = trained(NULL, events, kind, "link", settings)};
    scadyg_live *live = NULL;
    scadyg_events_close(events);
    if (vectors) sg_scadyg_of(s.model)->plan.vectors = vectors;
    make_path(s.path);
    make_arrivals(a, 9, 300, 5);
    live_must(scadyg_live_open(NULL, s.model, NULL, &live, &error), &error);
    live_observe(live, a, 0, 150);
    live_must(scadyg_live_set_window(live, 30, &error), &error);
    live_observe(live, a, 150, 200);
    live_must(scadyg_live_snapshot(live, s.path, &error), &error);
    scadyg_live_close(live);
    FILE *file = fopen(s.path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    s.size = (size_t)ftell(file);
    rewind(file);
    s.bytes = malloc(s.size);
    assert_int_equal(fread(s.bytes, 1, s.size, file), s.size);
    fclose(file);
    return s;
}

static void drop(saved *s)
{
    scadyg_model_close(s->model);
    unlink(s->path);
    free(s->bytes);
}

/* What is taken is asked and told of more. */
static int use(const saved *s, arrivals *a, const unsigned char *bytes, size_t size)
{
    scadyg_error error = {0};
    scadyg_live *live = NULL;
    scadyg_live_info info = {.size = sizeof info};
    write_bytes(s->path, bytes, size);
    const int status = scadyg_live_restore(NULL, s->model, s->path, &live, &error);
    if (status) {
        assert_null(live);
        assert_true(status == SCADYG_E_FORMAT || status == SCADYG_E_VERSION || status == SCADYG_E_USAGE ||
                    status == SCADYG_E_MEMORY);
        assert_non_null(strstr(error.message, s->path));
        return status;
    }
    uint32_t nodes[LIVE_NODES];
    double scores[LIVE_NODES];
    size_t count;
    scadyg_live_look(live, &info);
    (void)scadyg_live_rank(live, 1, NAN, 1, LIVE_NODES, nodes, scores, NULL, &count, &error);
    const scadyg_live_events more = arrivals_between(a, 200, 300);
    (void)scadyg_live_observe(live, &more, NULL, &error);
    (void)scadyg_live_flush(live, &error);
    (void)scadyg_live_rank(live, 2, NAN, 0, LIVE_NODES, nodes, scores, NULL, &count, &error);
    scadyg_live_close(live);
    return SCADYG_OK;
}

static void check_damage(const char *kind, const char *settings, uint64_t vectors)
{
    static arrivals a;
    sg_rng rng;
    saved s = make_saved(&a, kind, settings, vectors);
    unsigned char *bytes = malloc(s.size);
    size_t refused = 0, taken = 0;
    sg_rng_seed(&rng, 2, 2);
    assert_int_equal(use(&s, &a, s.bytes, s.size), SCADYG_OK);
    assert_int_equal(use(&s, &a, s.bytes, 0), SCADYG_E_FORMAT);
    for (int i = 0; i < 40; i++)
        assert_int_not_equal(use(&s, &a, s.bytes, (size_t)sg_rng_below(&rng, s.size)), SCADYG_OK);
    for (int i = 0; i < 120; i++) {
        memcpy(bytes, s.bytes, s.size);
        damage_state(bytes, &rng);
        assert_int_not_equal(use(&s, &a, bytes, s.size), SCADYG_OK);
    }
    for (int i = 0; i < 400; i++) {
        memcpy(bytes, s.bytes, s.size);
        forge_state(bytes, &rng);
        if (use(&s, &a, bytes, s.size))
            refused++;
        else
            taken++;
    }
    assert_true(refused > 20 && taken > 20);
    free(bytes);
    drop(&s);
}

static void default_model(void **state)
{
    (void)state;
    check_damage("scadyg", SMALL LIVE "epochs=1", 0);
}

/* So few that they are forgotten before and after. */
static void few_vectors(void **state)
{
    (void)state;
    check_damage("scadyg", SMALL LIVE "epochs=1 vectors=on", 7);
}

static void baseline(void **state)
{
    (void)state;
    check_damage("markov", "steps=30", 0);
}

/* One number of a section of its kind. */
static void put_number(saved *s, unsigned char *bytes, uint32_t kind, size_t at, const void *number, size_t size)
{
    uint32_t sections;
    memcpy(bytes, s->bytes, s->size);
    const sg_state_section *table = state_table(bytes, &sections);
    while (table->kind != kind && --sections) table++;
    assert_true(table->kind == kind && table->size >= at + size);
    memcpy(bytes + table->offset + at, number, size);
    repair_state(bytes);
}

/* The latest time that came, and times and features of what is held, that are none. */
static void numbers_that_are_none(void **state)
{
    (void)state;
    enum { FIGURES = 40, LATEST = 64, HELD = 47, HELD_FEATURES = 32 };
    static const double times[] = {NAN, INFINITY, -INFINITY, 1.7e308};
    static const float features[] = {NAN, INFINITY};
    static arrivals a;
    saved s = make_saved(&a, "scadyg", SMALL LIVE "epochs=1", 0);
    unsigned char *bytes = malloc(s.size);
    for (size_t i = 0; i < 4; i++) {
        if (i < 3) { /* the last is a time, though a far one */
            put_number(&s, bytes, FIGURES, LATEST, &times[i], sizeof times[i]);
            assert_int_equal(use(&s, &a, bytes, s.size), SCADYG_E_FORMAT);
        }
        put_number(&s, bytes, HELD, 0, &times[i], sizeof times[i]);
        assert_int_equal(use(&s, &a, bytes, s.size), SCADYG_E_FORMAT);
    }
    for (size_t i = 0; i < 2; i++) {
        put_number(&s, bytes, HELD, HELD_FEATURES, &features[i], sizeof features[i]);
        assert_int_equal(use(&s, &a, bytes, s.size), SCADYG_E_FORMAT);
    }
    free(bytes);
    drop(&s);
}

/* ---- A child that takes long ---- */

/* In the place of the child that wrote: one that ends when it is told to, or after ten seconds. */
static void put_slow_child(scadyg_live *live)
{
    assert_true(live->child > 0);
    assert_int_equal(waitpid(live->child, NULL, 0), live->child);
    live->child = fork();
    if (live->child == 0) {
        alarm(10);
        signal(SIGTERM, SIG_DFL);
        for (;;) pause();
    }
    assert_true(live->child > 0);
}

typedef struct finishing {
    scadyg_live *live;
    scadyg_error error;
    int status, done;
} finishing;

static void *finish(void *data)
{
    finishing *f = data;
    f->status = scadyg_live_snapshot_finish(f->live, 1, &f->done, &f->error);
    return NULL;
}

/* While one thread waits for it, others observe, ask and begin none; and it is said how it ended. */
static void slow_child(void **state)
{
    (void)state;
    static arrivals a;
    scadyg_error error = {0};
    saved s = make_saved(&a, "popularity", "steps=30", 0);
    finishing f = {.done = -1};
    pthread_t thread;
    int done = 1;
    live_must(scadyg_live_restore(NULL, s.model, s.path, &f.live, &error), &error);
    live_must(scadyg_live_snapshot_start(f.live, s.path, &error), &error);
    put_slow_child(f.live);
    const pid_t child = f.live->child;
    assert_int_equal(pthread_create(&thread, NULL, finish, &f), 0);
    usleep(50000);
    live_observe(f.live, &a, 200, 220);
    live_must(scadyg_live_snapshot_finish(f.live, 0, &done, &error), &error);
    assert_int_equal(done, 0);
    assert_int_equal(scadyg_live_snapshot_start(f.live, s.path, &error), SCADYG_E_USAGE);
    assert_int_equal(kill(child, SIGTERM), 0); /* it was still there */
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(f.done, 1);
    assert_int_equal(f.status, SCADYG_E_IO);
    assert_non_null(strstr(f.error.message, "was ended by signal 15"));
    assert_int_equal(scadyg_live_snapshot_finish(f.live, 1, &done, &error), SCADYG_E_USAGE);
    live_must(scadyg_live_snapshot_start(f.live, s.path, &error), &error);
    live_must(scadyg_live_snapshot_finish(f.live, 1, &done, &error), &error);
    assert_int_equal(done, 1);
    scadyg_live_close(f.live);
    drop(&s);
}

/* Of another model, of a file that is not there, to a place that is not there. */
static void refusals(void **state)
{
    (void)state;
    static arrivals a;
    scadyg_error error = {0};
    scadyg_live *live = NULL;
    int done;
    saved s = make_saved(&a, "scadyg", SMALL LIVE "epochs=1", 0),
          other = make_saved(&a, "popularity", "steps=30", 0);
    assert_int_equal(scadyg_live_restore(NULL, other.model, s.path, &live, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "is the state of another model"));
    assert_int_equal(scadyg_live_restore(NULL, s.model, "/nowhere/at.all", &live, &error), SCADYG_E_IO);
    assert_int_equal(scadyg_live_restore(NULL, s.model, "/tmp", &live, &error), SCADYG_E_IO);
    assert_null(live);
    live_must(scadyg_live_restore(NULL, s.model, s.path, &live, &error), &error);
    assert_int_equal(scadyg_live_snapshot(live, "/nowhere/at.all", &error), SCADYG_E_IO);
    assert_int_equal(scadyg_live_snapshot_start(live, "/nowhere/at.all", &error), SCADYG_E_IO);
    assert_int_equal(scadyg_live_snapshot_finish(live, 1, &done, &error), SCADYG_E_USAGE);
    /* In a program that ignores its children. */
    void (*before)(int) = signal(SIGCHLD, SIG_IGN);
    live_must(scadyg_live_snapshot_start(live, s.path, &error), &error);
    live_must(scadyg_live_snapshot_finish(live, 1, &done, &error), &error);
    signal(SIGCHLD, before);
    /* Over the very file that is mapped, and one begun and left. */
    live_must(scadyg_live_snapshot(live, s.path, &error), &error);
    live_observe(live, &a, 200, 220);
    live_must(scadyg_live_snapshot_start(live, s.path, &error), &error);
    scadyg_live_close(live);
    live_must(scadyg_live_restore(NULL, s.model, s.path, &live, &error), &error);
    scadyg_live_close(live);
    drop(&s);
    drop(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(default_model), cmocka_unit_test(few_vectors),
                                       cmocka_unit_test(baseline),      cmocka_unit_test(numbers_that_are_none),
                                       cmocka_unit_test(slow_child),    cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
