/* The context: each piece once whoever asks, jobs side by side and inside each other, progress and cancelling. */
#include "cmocka_all.h"

#include "base/context.h"
#include "base/memory.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PIECES = 1000, MOST_THREADS = 8 };

/* What a job has seen: how often each piece, and whether two pieces at a time had the same worker. */
typedef struct job_record {
    atomic_int counts[MOST_PIECES];
    atomic_int at_work[MOST_THREADS];
    atomic_int clashes;
} job_record;

static void forget_record(job_record *record)
{
    for (size_t i = 0; i < MOST_PIECES; i++) atomic_store(&record->counts[i], 0);
}

static void do_piece(void *data, size_t worker, size_t index)
{
    job_record *record = data;
    if (worker >= MOST_THREADS || atomic_fetch_add(&record->at_work[worker], 1))
        atomic_fetch_add(&record->clashes, 1);
    atomic_fetch_add(&record->counts[index], 1);
    for (volatile int i = 0; i < 2000 && index % 8 == 0;) i++; /* long enough to meet others */
    atomic_fetch_sub(&record->at_work[worker], 1);
}

static void assert_each_once(job_record *record, size_t count)
{
    for (size_t i = 0; i < MOST_PIECES; i++)
        if (atomic_load(&record->counts[i]) != (i < count))
            fail_msg("piece %zu of %zu was done %d times", i, count, atomic_load(&record->counts[i]));
    assert_int_equal(atomic_load(&record->clashes), 0);
}

static scadyg_context *open_context(int64_t threads)
{
    scadyg_context *context = NULL;
    assert_int_equal(scadyg_context_open(&context, NULL), SCADYG_OK);
    scadyg_context_set_threads(context, threads);
    return context;
}

/* Many jobs, close after each other: none is missed, done twice, or seen by a worker that comes late. */
static void each_piece_once(void **state)
{
    (void)state;
    static job_record record;
    for (int threads = 0; threads <= MOST_THREADS; threads++) {
        scadyg_context *context = threads ? open_context(threads) : NULL;
        for (size_t job = 0; job < 200; job++) {
            const size_t count = job * 7 % 20 * (job % 50 ? 1 : 50);
            forget_record(&record);
            sg_parallel_for(context, count, do_piece, &record);
            assert_each_once(&record, count);
        }
        scadyg_context_close(context);
    }
}

/* A long job beside many short ones: no two pieces of both have the same worker but for 0, which is the caller's. */
static void background_beside_others(void **state)
{
    (void)state;
    static job_record record, beside;
    for (int threads = 0; threads <= 4; threads++) {
        scadyg_context *context = threads ? open_context(threads) : NULL;
        for (size_t job = 0; job < 50; job++) {
            sg_background background;
            forget_record(&beside);
            sg_background_start(context, &background, job * 20, do_piece, &beside);
            for (size_t i = 0; i < job % 7; i++) {
                forget_record(&record);
                sg_parallel_for(context, 10 * i, do_piece, &record);
                assert_each_once(&record, 10 * i);
            }
            sg_background_finish(context, &background);
            assert_each_once(&beside, job * 20);
        }
        scadyg_context_close(context);
    }
}

/* A second job in the background waits for its own finish, whatever the first does. */
static void two_in_the_background(void **state)
{
    (void)state;
    static job_record one, two;
    scadyg_context *context = open_context(3);
    for (int round = 0; round < 100; round++) {
        sg_background first, second;
        forget_record(&one);
        forget_record(&two);
        sg_background_start(context, &first, 300, do_piece, &one);
        sg_background_start(context, &second, 200, do_piece, &two);
        sg_background_finish(context, round % 2 ? &first : &second);
        sg_background_finish(context, round % 2 ? &second : &first);
        assert_each_once(&one, 300);
        assert_each_once(&two, 200);
    }
    scadyg_context_close(context);
}

/* What is dropped is not begun, and what was begun is whole. */
static void dropped_in_the_background(void **state)
{
    (void)state;
    static job_record record;
    for (int threads = 0; threads <= 3; threads++) {
        scadyg_context *context = threads ? open_context(threads) : NULL;
        for (int round = 0; round < 200; round++) {
            sg_background job;
            forget_record(&record);
            sg_background_start(context, &job, MOST_PIECES, do_piece, &record);
            sg_background_drop(context, &job);
            int done = 0;
            for (size_t i = 0; i < MOST_PIECES; i++) done += atomic_load(&record.counts[i]);
            if (threads < 2) assert_int_equal(done, 0);
            sg_background_start(context, &job, 10, do_piece, &record); /* the next one is not disturbed */
            sg_background_finish(context, &job);
            int later = 0;
            for (size_t i = 0; i < MOST_PIECES; i++) later += atomic_load(&record.counts[i]);
            assert_int_equal(later, done + 10);
            assert_int_equal(atomic_load(&record.clashes), 0);
        }
        scadyg_context_close(context);
    }
}

/* What a worker sees of itself. */
typedef struct worker_facts {
    atomic_int known;
    sigset_t blocked;
    size_t stack;
} worker_facts;

static void look_at_worker(void *data, size_t worker, size_t index)
{
    (void)index;
    worker_facts *facts = data;
    pthread_attr_t attributes;
    if (worker == 0) return;
    pthread_sigmask(SIG_SETMASK, NULL, &facts->blocked);
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstacksize(&attributes, &facts->stack);
        pthread_attr_destroy(&attributes);
    }
    atomic_store(&facts->known, 1);
}

/* Signals of the program are for its own threads, faults are for those that made them; the stack is large enough whatever
 * the limits say. */
static void workers_keep_apart(void **state)
{
    (void)state;
    static const int programs[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGUSR1, SIGCHLD, SIGPROF};
    static const int own[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL};
    worker_facts facts = {0};
    sigset_t before, after;
    pthread_attr_t usual, small;
    sg_background job;
    assert_int_equal(pthread_getattr_default_np(&usual), 0);
    assert_int_equal(pthread_attr_init(&small), 0);
    assert_int_equal(pthread_attr_setstacksize(&small, 64 << 10), 0);
    assert_int_equal(pthread_setattr_default_np(&small), 0);
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    scadyg_context *context = open_context(2);
    sg_background_start(context, &job, 1, look_at_worker, &facts);
    while (!atomic_load(&facts.known)) sched_yield();
    sg_background_finish(context, &job);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        assert_true(sigismember(&facts.blocked, programs[i]));
        assert_int_equal(sigismember(&before, programs[i]), sigismember(&after, programs[i]));
    }
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) assert_false(sigismember(&facts.blocked, own[i]));
    assert_true(facts.stack >= (size_t)1 << 20);
    scadyg_context_close(context);
    assert_int_equal(pthread_setattr_default_np(&usual), 0);
    pthread_attr_destroy(&small);
    pthread_attr_destroy(&usual);
}

typedef struct nested {
    scadyg_context *context;
    job_record inner[10];
} nested;

static void do_nested(void *data, size_t worker, size_t index)
{
    (void)worker;
    nested *n = data;
    sg_parallel_for(n->context, 50, do_piece, &n->inner[index]);
}

/* A piece that is itself cut into pieces, on the same workers. */
static void jobs_inside_each_other(void **state)
{
    (void)state;
    static nested n;
    n.context = open_context(4);
    for (int round = 0; round < 50; round++) {
        sg_background background;
        for (int i = 0; i < 10; i++) forget_record(&n.inner[i]);
        if (round % 2) {
            sg_parallel_for(n.context, 10, do_nested, &n);
        } else {
            sg_background_start(n.context, &background, 10, do_nested, &n);
            sg_background_finish(n.context, &background);
        }
        for (int i = 0; i < 10; i++) assert_each_once(&n.inner[i], 50);
    }
    scadyg_context_close(n.context);
}

typedef struct caller {
    scadyg_context *context;
    job_record record;
    int wrong;
} caller;

static void *call_often(void *data)
{
    caller *c = data;
    for (int job = 0; job < 300; job++) {
        const size_t count = (size_t)(job % 40);
        forget_record(&c->record);
        sg_parallel_for(c->context, count, do_piece, &c->record);
        for (size_t i = 0; i < MOST_PIECES; i++) c->wrong += atomic_load(&c->record.counts[i]) != (i < count);
    }
    return NULL;
}

/* Two threads with one context: one has the workers, the other works alone, and both get all done. */
static void two_callers(void **state)
{
    (void)state;
    static caller callers[2];
    scadyg_context *context = open_context(4);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        callers[i].context = context;
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, &callers[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(callers[i].wrong, 0);
        assert_int_equal(atomic_load(&callers[i].record.clashes), 0);
    }
    scadyg_context_close(context);
}

static void numbers_of_threads(void **state)
{
    (void)state;
    static job_record record;
    assert_int_equal(sg_context_threads(NULL), 1);
    scadyg_context *context = NULL;
    assert_int_equal(scadyg_context_open(&context, NULL), SCADYG_OK);
    const size_t all = sg_context_threads(context);
    assert_true(all >= 1);
    static const int64_t asked[] = {3, 1, 8, 2, 0, -5};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        scadyg_context_set_threads(context, asked[i]);
        assert_int_equal(sg_context_threads(context), asked[i] > 0 ? (size_t)asked[i] : all);
        forget_record(&record);
        sg_parallel_for(context, 100, do_piece, &record);
        assert_each_once(&record, 100);
    }
    scadyg_context_set_threads(context, (int64_t)1 << 40);
    assert_true(sg_context_threads(context) <= 1024);
    scadyg_context_close(context);
    scadyg_context_close(NULL);
}

static void bounds_of_memory(void **state)
{
    (void)state;
    scadyg_context *context = open_context(1);
    assert_true(sg_context_memory(NULL, 2) == sg_physical_memory() / 2);
    assert_true(sg_context_memory(context, 4) == sg_physical_memory() / 4);
    assert_true(sg_context_memory_or(NULL, 77) == 77 && sg_context_memory_or(context, 77) == 77);
    scadyg_context_set_memory(context, 1000);
    assert_true(sg_context_memory(context, 2) == 1000 && sg_context_memory_or(context, 77) == 1000);
    scadyg_context_close(context);
}

static int stop_at_third(void *data, const char *what, uint64_t done, uint64_t total)
{
    assert_string_equal(what, "testing");
    assert_true(total == 10 && done == (uint64_t) * (int *)data);
    return ++*(int *)data == 3;
}

static void progress_and_cancelling(void **state)
{
    (void)state;
    scadyg_error error = {0};
    scadyg_context *context = open_context(2);
    int calls = 0;
    assert_int_equal(sg_report(NULL, "testing", 0, 10, &error), SCADYG_OK);
    assert_int_equal(sg_report(context, "testing", 0, 10, &error), SCADYG_OK);
    scadyg_context_set_progress(context, stop_at_third, &calls);
    assert_int_equal(sg_report(context, "testing", 0, 10, &error), SCADYG_OK);
    assert_int_equal(sg_report(context, "testing", 1, 10, &error), SCADYG_OK);
    assert_int_equal(sg_report(context, "testing", 2, 10, &error), SCADYG_E_CANCELLED);
    assert_string_equal(error.message, "stopped while testing");
    scadyg_context_cancel(context);
    assert_int_equal(sg_report(context, "testing", 3, 10, &error), SCADYG_E_CANCELLED);
    assert_int_equal(calls, 3); /* nobody is told any more */
    scadyg_context_reset(context);
    assert_int_equal(sg_report(context, "testing", 3, 10, &error), SCADYG_OK);
    scadyg_context_set_progress(context, NULL, NULL);
    assert_int_equal(sg_report(context, "anything", 0, 0, &error), SCADYG_OK);
    scadyg_context_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_piece_once),       cmocka_unit_test(background_beside_others),
        cmocka_unit_test(two_in_the_background), cmocka_unit_test(dropped_in_the_background),
        cmocka_unit_test(workers_keep_apart),    cmocka_unit_test(jobs_inside_each_other),
        cmocka_unit_test(two_callers),           cmocka_unit_test(numbers_of_threads),
        cmocka_unit_test(bounds_of_memory),      cmocka_unit_test(progress_and_cancelling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
