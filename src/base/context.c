/* The context of long work, and its workers. */
#include "base/context.h"

#include "base/clock.h"
#include "base/memory.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#define THREADS_MOST 1024
#define STACK ((size_t)2 << 20) /* bytes; the most that is needed is a tenth */

typedef struct worker {
    struct sg_workers *pool;
    size_t number; /* from 1: 0 is whoever gives the job */
    pthread_t thread;
} worker;

/* Pieces that are taken one after the other by whoever comes. */
typedef struct shared_job {
    atomic_size_t next;
    size_t count;
    sg_body *body;
    void *data;
    int open;           /* whether workers may still begin; under the lock */
    atomic_size_t busy; /* workers at it; changes under the lock */
} shared_job;

typedef struct sg_workers {
    size_t count;
    worker *workers;
    pthread_mutex_t giver; /* held by whoever has a short job at work */
    pthread_mutex_t lock;
    pthread_cond_t job_given, workers_done;
    atomic_ulong jobs;            /* given so far; changes under the lock */
    shared_job brief, background; /* the short one and the long one */
    int background_taken;         /* under the lock */
    int quit;                     /* under the lock */
} sg_workers;

struct scadyg_context {
    size_t threads;
    uint64_t memory; /* 0: not bound */
    scadyg_report *report;
    void *report_data;
    atomic_int cancelled;
    pthread_mutex_t making; /* of the workers */
    scadyg_context *lender; /* whose workers it borrows; NULL: it has its own */
    _Atomic(sg_workers *) workers;
};

/* ---- Workers ---- */

/* Seconds to look for the next job before sleeping: to be woken takes longer than that. */
#define LOOK 50e-6

static void take_pieces(shared_job *work, size_t number)
{
    for (size_t i; (i = atomic_fetch_add(&work->next, 1)) < work->count;) work->body(work->data, number, i);
}

static void look_for_job(sg_workers *pool, unsigned long seen)
{
    const double begin = sg_seconds();
    while (atomic_load(&pool->jobs) == seen && sg_seconds() - begin < LOOK) sched_yield();
}

/* Under the lock, which is given back while at work. */
static void take_part(sg_workers *pool, shared_job *work, size_t number)
{
    if (!work->open) return;
    atomic_fetch_add(&work->busy, 1);
    pthread_mutex_unlock(&pool->lock);
    take_pieces(work, number);
    pthread_mutex_lock(&pool->lock);
    if (atomic_fetch_sub(&work->busy, 1) == 1) pthread_cond_broadcast(&pool->workers_done);
}

static void *stand_by(void *argument)
{
    const worker *self = argument;
    sg_workers *pool = self->pool;
    unsigned long seen = 0;
    pthread_mutex_lock(&pool->lock);
    while (!pool->quit) {
        if (atomic_load(&pool->jobs) == seen) {
            pthread_mutex_unlock(&pool->lock);
            look_for_job(pool, seen);
            pthread_mutex_lock(&pool->lock);
            while (!pool->quit && atomic_load(&pool->jobs) == seen)
                pthread_cond_wait(&pool->job_given, &pool->lock);
        }
        seen = atomic_load(&pool->jobs);
        take_part(pool, &pool->background, self->number);
        take_part(pool, &pool->brief, self->number);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* As many as the system grants. */
static void start_workers(sg_workers *pool, size_t count, const pthread_attr_t *attributes)
{
    for (; pool->count < count; pool->count++) {
        worker *next = &pool->workers[pool->count];
        *next = (worker){.pool = pool, .number = pool->count + 1};
        if (pthread_create(&next->thread, attributes, stand_by, next)) break;
    }
}

/*
 * Workers are begun with all signals blocked, so that the program's handlers run in threads of its own; but not those that
 * say what a thread did itself, which would end the process past any handler. They have a stack of their own size: that of
 * the limits may be too small.
 */
static void start_blocked(sg_workers *pool, size_t count)
{
    static const int own[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigset_t blocked, before;
    pthread_attr_t attributes;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&blocked, own[i]);
    if (pthread_attr_init(&attributes)) return;
    if (!pthread_attr_setstacksize(&attributes, STACK) && !pthread_sigmask(SIG_SETMASK, &blocked, &before)) {
        start_workers(pool, count, &attributes);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    pthread_attr_destroy(&attributes);
}

/* Locks and signs of a pool; non-zero if the system does not grant one of them. */
static int open_locks(sg_workers *pool)
{
    if (pthread_mutex_init(&pool->giver, NULL)) return -1;
    if (!pthread_mutex_init(&pool->lock, NULL)) {
        if (!pthread_cond_init(&pool->job_given, NULL)) {
            if (!pthread_cond_init(&pool->workers_done, NULL)) return 0;
            pthread_cond_destroy(&pool->job_given);
        }
        pthread_mutex_destroy(&pool->lock);
    }
    pthread_mutex_destroy(&pool->giver);
    return -1;
}

/* Fewer than asked for if the system does not grant them, down to none; NULL without memory. */
static sg_workers *open_workers(size_t count)
{
    sg_workers *pool = sg_alloc_zero(1, sizeof *pool);
    if (pool) pool->workers = sg_alloc_zero(count, sizeof *pool->workers);
    if (!pool || !pool->workers || open_locks(pool)) {
        if (pool) free(pool->workers);
        free(pool);
        return NULL;
    }
    start_blocked(pool, count);
    return pool;
}

static void close_workers(sg_workers *pool)
{
    if (!pool) return;
    pthread_mutex_lock(&pool->lock);
    pool->quit = 1;
    pthread_cond_broadcast(&pool->job_given);
    pthread_mutex_unlock(&pool->lock);
    for (size_t i = 0; i < pool->count; i++) pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->workers_done);
    pthread_cond_destroy(&pool->job_given);
    pthread_mutex_destroy(&pool->lock);
    pthread_mutex_destroy(&pool->giver);
    SG_FREE(pool->workers, pool);
}

/* NULL: there are none, and the caller works alone. */
static sg_workers *get_workers(scadyg_context *context)
{
    while (context && context->lender) context = context->lender;
    if (!context || context->threads < 2) return NULL;
    sg_workers *pool = atomic_load(&context->workers);
    if (pool) return pool;
    pthread_mutex_lock(&context->making);
    pool = atomic_load(&context->workers);
    if (!pool) atomic_store(&context->workers, pool = open_workers(context->threads - 1));
    pthread_mutex_unlock(&context->making);
    return pool;
}

/* ---- Jobs ---- */

/* Under the lock. */
static void give_job(sg_workers *pool, shared_job *work, size_t count, sg_body *body, void *data)
{
    work->count = count;
    work->body = body;
    work->data = data;
    work->open = 1;
    atomic_store(&work->next, 0);
    atomic_fetch_add(&pool->jobs, 1);
    pthread_cond_broadcast(&pool->job_given);
}

static void finish_job(sg_workers *pool, shared_job *work)
{
    take_pieces(work, 0);
    /* Most often the others are about to finish too. */
    for (int i = 0; i < 1000 && atomic_load(&work->busy); i++) {
    }
    pthread_mutex_lock(&pool->lock);
    work->open = 0;
    while (atomic_load(&work->busy)) pthread_cond_wait(&pool->workers_done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

void sg_parallel_for(scadyg_context *context, size_t count, sg_body *body, void *data)
{
    sg_workers *pool = count < 2 ? NULL : get_workers(context);
    if (!pool || !pool->count || pthread_mutex_trylock(&pool->giver)) {
        for (size_t i = 0; i < count; i++) body(data, 0, i);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    give_job(pool, &pool->brief, count, body, data);
    pthread_mutex_unlock(&pool->lock);
    finish_job(pool, &pool->brief);
    pthread_mutex_unlock(&pool->giver);
}

void sg_background_start(scadyg_context *context, sg_background *job, size_t count, sg_body *body, void *data)
{
    sg_workers *pool = get_workers(context);
    *job = (sg_background){0, count, body, data};
    if (!pool || !pool->count) return;
    pthread_mutex_lock(&pool->lock);
    job->on_workers = !pool->background_taken;
    pool->background_taken = 1;
    if (job->on_workers) give_job(pool, &pool->background, count, body, data);
    pthread_mutex_unlock(&pool->lock);
}

static void end_background(scadyg_context *context, sg_background *job)
{
    sg_workers *pool = get_workers(context);
    finish_job(pool, &pool->background);
    pthread_mutex_lock(&pool->lock);
    pool->background_taken = 0;
    pthread_mutex_unlock(&pool->lock);
    *job = (sg_background){0};
}

void sg_background_finish(scadyg_context *context, sg_background *job)
{
    if (job->on_workers) {
        end_background(context, job);
        return;
    }
    for (size_t i = 0; i < job->count; i++) job->body(job->data, 0, i);
    *job = (sg_background){0};
}

void sg_background_drop(scadyg_context *context, sg_background *job)
{
    if (job->on_workers) {
        atomic_store(&get_workers(context)->background.next, job->count);
        end_background(context, job);
    }
    *job = (sg_background){0};
}

/* ---- The context ---- */

/* As many as the process may use. */
static size_t count_processors(void)
{
    cpu_set_t set;
    const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > 0 ? (size_t)count : 1;
}

int scadyg_context_open(scadyg_context **out, scadyg_error *error)
{
    scadyg_context *context = sg_alloc_zero(1, sizeof *context);
    if (!context) return sg_fail_memory(error, "a context");
    if (pthread_mutex_init(&context->making, NULL)) {
        free(context);
        return sg_fail_memory(error, "a context");
    }
    context->threads = count_processors();
    *out = context;
    return SCADYG_OK;
}

void scadyg_context_close(scadyg_context *context)
{
    if (!context) return;
    close_workers(atomic_load(&context->workers));
    pthread_mutex_destroy(&context->making);
    free(context);
}

void scadyg_context_set_threads(scadyg_context *context, int64_t threads)
{
    close_workers(atomic_exchange(&context->workers, NULL));
    context->threads = threads <= 0 ? count_processors() : threads > THREADS_MOST ? THREADS_MOST : (size_t)threads;
}

void scadyg_context_set_memory(scadyg_context *context, uint64_t bytes)
{
    context->memory = bytes;
}

void scadyg_context_set_progress(scadyg_context *context, scadyg_report *report, void *data)
{
    context->report = report;
    context->report_data = data;
}

void scadyg_context_cancel(scadyg_context *context)
{
    atomic_store(&context->cancelled, 1);
}

void scadyg_context_reset(scadyg_context *context)
{
    atomic_store(&context->cancelled, 0);
}

size_t sg_context_threads(const scadyg_context *context)
{
    return context ? context->threads : 1;
}

uint64_t sg_context_memory(const scadyg_context *context, uint64_t share)
{
    return context && context->memory ? context->memory : sg_physical_memory() / share;
}

uint64_t sg_context_memory_or(const scadyg_context *context, uint64_t bytes)
{
    return context && context->memory ? context->memory : bytes;
}

int sg_context_tell(scadyg_context *context, const char *what, uint64_t done, uint64_t total)
{
    if (!context) return 0;
    return atomic_load(&context->cancelled) ||
           (context->report && context->report(context->report_data, what, done, total));
}

int sg_report(scadyg_context *context, const char *what, uint64_t done, uint64_t total, scadyg_error *error)
{
    return sg_context_tell(context, what, done, total)
               ? sg_fail(error, SCADYG_E_CANCELLED, "stopped while %s", what)
               : SCADYG_OK;
}

int sg_context_open_like(scadyg_context *other, scadyg_context **context, scadyg_error *error)
{
    int status = scadyg_context_open(context, error);
    if (status) return status;
    (*context)->threads = sg_context_threads(other);
    (*context)->lender = other;
    (*context)->memory = other ? other->memory : 0;
    return SCADYG_OK;
}
