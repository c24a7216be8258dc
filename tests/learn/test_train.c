/* What training promises its caller, whatever the kind and the threads: it can be stopped, it tells, and leaves nothing
 * half-done. */
#include "learn/sample.h"

#include "learn/train.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

/* ---- Every kind that learns, on one log ---- */

static scadyg_events *events;
static char directory[64], checkpoint[96];

static int make_place(void **state)
{
    (void)state;
    events = sample_events(31);
    snprintf(directory, sizeof directory, "%s/scadyg-train-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(directory)) return -1;
    snprintf(checkpoint, sizeof checkpoint, "%s/checkpoint", directory);
    return 0;
}

static int remove_place(void **state)
{
    (void)state;
    scadyg_events_close(events);
    unlink(checkpoint);
    return rmdir(directory);
}

/* Files in the directory, hidden ones too. */
static int count_files(void)
{
    int count = 0;
    DIR *listing = opendir(directory);
    assert_non_null(listing);
    for (struct dirent *entry; (entry = readdir(listing));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(listing);
    return count;
}

/* More epochs than anybody waits for. */
#define ENDLESS "steps=12 hidden=8 epochs=100000 patience=100000 "

/* ---- Cancelled from another thread ---- */

typedef struct canceller {
    scadyg_context *context;
    atomic_int epochs; /* that the training has told of */
    int wanted;        /* cancels after so many */
} canceller;

static void *wait_and_cancel(void *data)
{
    canceller *c = data;
    while (atomic_load(&c->epochs) < c->wanted) usleep(100);
    scadyg_context_cancel(c->context);
    return NULL;
}

static void see_epoch(void *data, const scadyg_epoch *epoch, int resumed)
{
    canceller *c = data;
    (void)resumed;
    atomic_store(&c->epochs, (int)epoch->epoch);
}

/* The model that a training in one go has after so many epochs, best of them or not. */
static void check_checkpoint(const scadyg_kind *kind, int least)
{
    scadyg_options *options = train_options(kind->name, kind->task, ENDLESS);
    scadyg_model *expected = NULL, *model = NULL;
    sg_checkpoint reached = {0};
    scadyg_error error = {0};
    if (sg_model_new(options, events, &expected, &error) ||
        sg_checkpoint_open(checkpoint, expected, &model, &reached, &error))
        fail_msg("%s", error.message); /* it is whole */
    assert_true(reached.epoch >= least);
    scadyg_model_close(model);
    scadyg_model_close(expected);
    sg_checkpoint_free(&reached);
    scadyg_options_close(options);
}

static void cancel_one(const scadyg_kind *kind, int wanted)
{
    canceller c = {.context = context_of(2), .wanted = wanted};
    const scadyg_watch watch = {.size = sizeof watch, .data = &c, .epoch = see_epoch};
    scadyg_options *options = train_options(kind->name, kind->task, ENDLESS);
    scadyg_model *const untouched = (scadyg_model *)&c, *model = untouched;
    scadyg_error error = {0};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, wait_and_cancel, &c), 0);
    const int status = scadyg_train(c.context, events, options, checkpoint, 0, &watch, &model, &error);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(status, SCADYG_E_CANCELLED);
    assert_int_equal(error.status, SCADYG_E_CANCELLED);
    assert_non_null(strstr(error.message, "stopped while"));
    assert_ptr_equal(model, untouched);
    assert_int_equal(count_files(), wanted > 0); /* the checkpoint of the last whole epoch, and nothing beside it */
    if (wanted) check_checkpoint(kind, wanted);
    unlink(checkpoint);
    /* So does every call with this context, until it is reset. */
    assert_int_equal(scadyg_train(c.context, events, options, checkpoint, 0, NULL, &model, &error),
                     SCADYG_E_CANCELLED);
    assert_int_equal(count_files(), 0);
    scadyg_context_reset(c.context);
    apply_settings(options, "epochs=1");
    scadyg_model_close(must_train(c.context, events, options));
    scadyg_options_close(options);
}

static void cancelled_from_another_thread(void **state)
{
    (void)state;
    const scadyg_kind *kind;
    for (size_t i = 0; (kind = scadyg_kind_at(i)); i++)
        if (kind->learns)
            for (int wanted = 1; wanted <= 3; wanted += 2) cancel_one(kind, wanted);
}

/* Before it begins: nothing is written at all. */
static void cancelled_before(void **state)
{
    (void)state;
    const scadyg_kind *kind;
    scadyg_context *context = context_of(2);
    for (size_t i = 0; (kind = scadyg_kind_at(i)); i++) {
        if (!kind->learns) continue;
        scadyg_options *options = train_options(kind->name, kind->task, ENDLESS);
        scadyg_model *model = NULL;
        scadyg_error error = {0};
        scadyg_context_cancel(context);
        assert_int_equal(scadyg_train(context, events, options, checkpoint, 1, NULL, &model, &error),
                         SCADYG_E_CANCELLED);
        assert_null(model);
        assert_int_equal(count_files(), 0);
        scadyg_context_reset(context);
        scadyg_options_close(options);
    }
}

/* Stopped in the middle, twice, and resumed: the same bytes as in one go. */
static void stopped_and_resumed(void **state)
{
    (void)state;
    const scadyg_kind *kind;
    for (size_t i = 0; (kind = scadyg_kind_at(i)); i++) {
        if (!kind->learns) continue;
        scadyg_options *options = train_options(kind->name, kind->task, "steps=12 hidden=8 epochs=4 patience=4");
        stopper all = {.left = UINT64_MAX};
        scadyg_model *whole = must_train(context_with(1, 0, stop_at, &all), events, options), *model = NULL;
        scadyg_error error = {0};
        const double shares[] = {0.6, 0.9};
        for (size_t k = 0; k < 2; k++) {
            stopper s = {.left = (uint64_t)(shares[k] * (double)all.told) / (k + 1)};
            const int status =
                scadyg_train(context_with(2, 0, stop_at, &s), events, options, checkpoint, 1, NULL, &model, &error);
            assert_int_equal(status, SCADYG_E_CANCELLED);
            assert_null(model);
        }
        if (scadyg_train(context_of(2), events, options, checkpoint, 1, NULL, &model, &error))
            fail_msg("%s", error.message);
        assert_same_model(whole, model);
        scadyg_model_close(whole);
        scadyg_model_close(model);
        scadyg_options_close(options);
        unlink(checkpoint);
    }
}

/* ---- The watch ---- */

typedef struct told {
    int plans, prepared, epochs, ended;
} told;

static void see_plan(void *data, const scadyg_plan *plan)
{
    assert_true(plan->memory && plan->pairs && plan->inputs && plan->events && plan->slowest < plan->fastest);
    ((told *)data)->plans++;
}

static void see_prepared(void *data, double seconds, size_t width, uint64_t bytes, int kept)
{
    assert_true(seconds >= 0 && width > 0 && bytes > 0 && kept);
    ((told *)data)->prepared++;
}

static void count_epoch(void *data, const scadyg_epoch *epoch, int resumed)
{
    assert_int_equal(epoch->epoch, ++((told *)data)->epochs);
    assert_false(resumed);
    assert_true(isfinite(epoch->loss) && isfinite(epoch->validation) && epoch->score[0]);
}

static void count_end(void *data, const char *sentence)
{
    ((told *)data)->ended++;
    assert_non_null(strstr(sentence, "one epoch; "));
}

/* These events leave nothing to be done otherwise. */
static void no_note(void *data, const char *sentence)
{
    (void)data;
    fail_msg("%s", sentence);
}

/* A watch of an older caller is shorter; what lies behind its size is never looked at. */
static void shorter_watch(void **state)
{
    (void)state;
    static const struct {
        size_t size;
        told expected;
    } watches[] = {{sizeof(scadyg_watch), {1, 1, 1, 1}},
                   {offsetof(scadyg_watch, ended), {1, 1, 1, 0}},
                   {offsetof(scadyg_watch, note), {1, 1, 1, 0}},
                   {offsetof(scadyg_watch, epoch), {1, 1, 0, 0}},
                   {offsetof(scadyg_watch, prepared), {1, 0, 0, 0}},
                   {offsetof(scadyg_watch, plan), {0, 0, 0, 0}},
                   {sizeof(size_t), {0, 0, 0, 0}}};
    const scadyg_kind *kind;
    for (size_t i = 0; (kind = scadyg_kind_at(i)); i++) {
        if (!kind->learns) continue;
        scadyg_options *options = train_options(kind->name, kind->task, "steps=12 hidden=8 epochs=1");
        const int plans = strcmp(kind->name, "scadyg") == 0 && strcmp(kind->task, "link") == 0;
        if (plans) apply_settings(options, "fallback=0"); /* which would be told */
        scadyg_model *whole = must_train(NULL, events, options);
        for (size_t k = 0; k < sizeof watches / sizeof *watches; k++) {
            told seen = {0};
            scadyg_error error = {0};
            scadyg_model *model = NULL;
            /* In memory of exactly that size: a sanitizer sees whoever reads more. */
            const scadyg_watch full = {watches[k].size, &seen,   see_plan, see_prepared,
                                       count_epoch,     no_note, NULL,     count_end};
            scadyg_watch *cut = malloc(watches[k].size);
            assert_non_null(cut);
            memcpy(cut, &full, watches[k].size);
            if (scadyg_train(NULL, events, options, NULL, 0, cut, &model, &error)) fail_msg("%s", error.message);
            assert_int_equal(seen.plans, plans && watches[k].expected.plans);
            assert_int_equal(seen.prepared, watches[k].expected.prepared);
            assert_int_equal(seen.epochs, watches[k].expected.epochs);
            assert_int_equal(seen.ended, watches[k].expected.ended);
            assert_same_model(whole, model); /* whoever looks on changes nothing */
            scadyg_model_close(model);
            free(cut);
        }
        scadyg_model_close(whole);
        scadyg_options_close(options);
    }
}

/* ---- Wrong options ---- */

static void other_options(void **state)
{
    (void)state;
    scadyg_error error = {0};
    scadyg_model *model = NULL;
    scadyg_options *evaluate = set_options("evaluate", NULL);
    assert_int_equal(scadyg_train(NULL, events, evaluate, checkpoint, 0, NULL, &model, &error), SCADYG_E_USAGE);
    assert_true(error.message[0] && !model);
    assert_int_equal(count_files(), 0);
    scadyg_options_close(evaluate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cancelled_from_another_thread),
        cmocka_unit_test(cancelled_before),
        cmocka_unit_test(stopped_and_resumed),
        cmocka_unit_test(shorter_watch),
        cmocka_unit_test(other_options),
    };
    return cmocka_run_group_tests(tests, make_place, remove_place);
}
