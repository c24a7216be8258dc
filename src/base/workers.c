/* A workers: threads that stand by for many short jobs. */
#include "base/workers.h"

#include "base/clock.h"
#include "base/memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct hand {
    sg_workers *workers;
    size_t worker;
    pthread_t thread;
} hand;

/* Parts that are taken one after the other by whoever comes. */
typedef struct job {
    atomic_size_t next;
    size_t count;
    sg_workers_body *body;
    void *context;
    int open;           /* whether hands may still begin; under the lock */
    atomic_size_t busy; /* hands at work; changes under the lock */
} job;

struct sg_workers {
    size_t hands; /* threads besides the caller's */
    hand *hand;

    pthread_mutex_t lock;
    pthread_cond_t job_given, hands_done;
    atomic_ulong jobs; /* given so far; changes under the lock */
    job run, beside;   /* the short one and the long one */
    int quit;          /* under the lock */
};

/* Seconds to look for the next job before sleeping: to be woken takes longer than that. */
#define LOOK 50e-6

static void take_all(job *work, size_t worker)
{
    for (size_t i; (i = atomic_fetch_add(&work->next, 1)) < work->count;) work->body(work->context, worker, i);
}

static void look_for_job(sg_workers *workers, unsigned long seen)
{
    const double begin = sg_seconds();
    while (atomic_load(&workers->jobs) == seen && sg_seconds() - begin < LOOK) sched_yield();
}

/* Under the lock, which is given back while at work. */
static void lend_a_hand(sg_workers *workers, job *work, size_t worker)
{
    if (!work->open) return;
    atomic_fetch_add(&work->busy, 1);
    pthread_mutex_unlock(&workers->lock);
    take_all(work, worker);
    pthread_mutex_lock(&workers->lock);
    if (atomic_fetch_sub(&work->busy, 1) == 1) pthread_cond_signal(&workers->hands_done);
}

static void *stand_by(void *argument)
{
    const hand *self = argument;
    sg_workers *workers = self->workers;
    unsigned long seen = 0;
    pthread_mutex_lock(&workers->lock);
    while (!workers->quit) {
        if (atomic_load(&workers->jobs) == seen) {
            pthread_mutex_unlock(&workers->lock);
            look_for_job(workers, seen);
            pthread_mutex_lock(&workers->lock);
            while (!workers->quit && atomic_load(&workers->jobs) == seen)
                pthread_cond_wait(&workers->job_given, &workers->lock);
        }
        seen = atomic_load(&workers->jobs);
        lend_a_hand(workers, &workers->beside, self->worker);
        lend_a_hand(workers, &workers->run, self->worker);
    }
    pthread_mutex_unlock(&workers->lock);
    return NULL;
}

sg_workers *sg_workers_open(int threads)
{
    const size_t most = threads > 1 ? (size_t)threads - 1 : 0;
    sg_workers *workers = sg_alloc_zero(1, sizeof *workers);
    if (!workers) return NULL;
    workers->hand = sg_alloc_zero(most, sizeof *workers->hand);
    if (!workers->hand) {
        free(workers);
        return NULL;
    }
    pthread_mutex_init(&workers->lock, NULL);
    pthread_cond_init(&workers->job_given, NULL);
    pthread_cond_init(&workers->hands_done, NULL);
    for (; workers->hands < most; workers->hands++) {
        hand *next = &workers->hand[workers->hands];
        *next = (hand){.workers = workers, .worker = workers->hands + 1};
        if (pthread_create(&next->thread, NULL, stand_by, next)) break;
    }
    return workers;
}

void sg_workers_close(sg_workers *workers)
{
    if (!workers) return;
    pthread_mutex_lock(&workers->lock);
    workers->quit = 1;
    pthread_cond_broadcast(&workers->job_given);
    pthread_mutex_unlock(&workers->lock);
    for (size_t i = 0; i < workers->hands; i++) pthread_join(workers->hand[i].thread, NULL);
    pthread_cond_destroy(&workers->hands_done);
    pthread_cond_destroy(&workers->job_given);
    pthread_mutex_destroy(&workers->lock);
    free(workers->hand);
    free(workers);
}

size_t sg_workers_threads(const sg_workers *workers)
{
    return workers->hands + 1;
}

static void give(sg_workers *workers, job *work, size_t count, sg_workers_body *body, void *context)
{
    pthread_mutex_lock(&workers->lock);
    work->count = count;
    work->body = body;
    work->context = context;
    work->open = 1;
    atomic_store(&work->next, 0);
    atomic_fetch_add(&workers->jobs, 1);
    pthread_cond_broadcast(&workers->job_given);
    pthread_mutex_unlock(&workers->lock);
}

static void finish(sg_workers *workers, job *work)
{
    take_all(work, 0);
    /* Most often the others are about to finish too. */
    for (int i = 0; i < 1000 && atomic_load(&work->busy); i++) {
    }
    pthread_mutex_lock(&workers->lock);
    work->open = 0;
    while (atomic_load(&work->busy)) pthread_cond_wait(&workers->hands_done, &workers->lock);
    pthread_mutex_unlock(&workers->lock);
}

void sg_workers_run(sg_workers *workers, size_t count, sg_workers_body *body, void *context)
{
    if (!workers->hands || count < 2) {
        for (size_t i = 0; i < count; i++) body(context, 0, i);
        return;
    }
    give(workers, &workers->run, count, body, context);
    finish(workers, &workers->run);
}

void sg_workers_start(sg_workers *workers, size_t count, sg_workers_body *body, void *context)
{
    give(workers, &workers->beside, count, body, context);
}

void sg_workers_finish(sg_workers *workers)
{
    finish(workers, &workers->beside);
}
