/* A crew: threads that stand by for many short jobs. */
#include "base/crew.h"

#include "base/clock.h"
#include "base/memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct hand {
    sg_crew *crew;
    size_t worker;
    pthread_t thread;
} hand;

/* Parts that are taken one after the other by whoever comes. */
typedef struct job {
    atomic_size_t next;
    size_t count;
    sg_crew_body *body;
    void *context;
    int open;           /* whether hands may still begin; under the lock */
    atomic_size_t busy; /* hands at work; changes under the lock */
} job;

struct sg_crew {
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

static void look_for_job(sg_crew *crew, unsigned long seen)
{
    const double begin = sg_seconds();
    while (atomic_load(&crew->jobs) == seen && sg_seconds() - begin < LOOK) sched_yield();
}

/* Under the lock, which is given back while at work. */
static void lend_a_hand(sg_crew *crew, job *work, size_t worker)
{
    if (!work->open) return;
    atomic_fetch_add(&work->busy, 1);
    pthread_mutex_unlock(&crew->lock);
    take_all(work, worker);
    pthread_mutex_lock(&crew->lock);
    if (atomic_fetch_sub(&work->busy, 1) == 1) pthread_cond_signal(&crew->hands_done);
}

static void *stand_by(void *argument)
{
    const hand *self = argument;
    sg_crew *crew = self->crew;
    unsigned long seen = 0;
    pthread_mutex_lock(&crew->lock);
    while (!crew->quit) {
        if (atomic_load(&crew->jobs) == seen) {
            pthread_mutex_unlock(&crew->lock);
            look_for_job(crew, seen);
            pthread_mutex_lock(&crew->lock);
            while (!crew->quit && atomic_load(&crew->jobs) == seen)
                pthread_cond_wait(&crew->job_given, &crew->lock);
        }
        seen = atomic_load(&crew->jobs);
        lend_a_hand(crew, &crew->beside, self->worker);
        lend_a_hand(crew, &crew->run, self->worker);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

sg_crew *sg_crew_open(int threads)
{
    const size_t most = threads > 1 ? (size_t)threads - 1 : 0;
    sg_crew *crew = sg_alloc_zero(1, sizeof *crew);
    if (!crew) return NULL;
    crew->hand = sg_alloc_zero(most, sizeof *crew->hand);
    if (!crew->hand) {
        free(crew);
        return NULL;
    }
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->job_given, NULL);
    pthread_cond_init(&crew->hands_done, NULL);
    for (; crew->hands < most; crew->hands++) {
        hand *next = &crew->hand[crew->hands];
        *next = (hand){.crew = crew, .worker = crew->hands + 1};
        if (pthread_create(&next->thread, NULL, stand_by, next)) break;
    }
    return crew;
}

void sg_crew_close(sg_crew *crew)
{
    if (!crew) return;
    pthread_mutex_lock(&crew->lock);
    crew->quit = 1;
    pthread_cond_broadcast(&crew->job_given);
    pthread_mutex_unlock(&crew->lock);
    for (size_t i = 0; i < crew->hands; i++) pthread_join(crew->hand[i].thread, NULL);
    pthread_cond_destroy(&crew->hands_done);
    pthread_cond_destroy(&crew->job_given);
    pthread_mutex_destroy(&crew->lock);
    free(crew->hand);
    free(crew);
}

size_t sg_crew_threads(const sg_crew *crew)
{
    return crew->hands + 1;
}

static void give(sg_crew *crew, job *work, size_t count, sg_crew_body *body, void *context)
{
    pthread_mutex_lock(&crew->lock);
    work->count = count;
    work->body = body;
    work->context = context;
    work->open = 1;
    atomic_store(&work->next, 0);
    atomic_fetch_add(&crew->jobs, 1);
    pthread_cond_broadcast(&crew->job_given);
    pthread_mutex_unlock(&crew->lock);
}

static void finish(sg_crew *crew, job *work)
{
    take_all(work, 0);
    /* Most often the others are about to finish too. */
    for (int i = 0; i < 1000 && atomic_load(&work->busy); i++) {
    }
    pthread_mutex_lock(&crew->lock);
    work->open = 0;
    while (atomic_load(&work->busy)) pthread_cond_wait(&crew->hands_done, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
}

void sg_crew_run(sg_crew *crew, size_t count, sg_crew_body *body, void *context)
{
    if (!crew->hands || count < 2) {
        for (size_t i = 0; i < count; i++) body(context, 0, i);
        return;
    }
    give(crew, &crew->run, count, body, context);
    finish(crew, &crew->run);
}

void sg_crew_start(sg_crew *crew, size_t count, sg_crew_body *body, void *context)
{
    give(crew, &crew->beside, count, body, context);
}

void sg_crew_finish(sg_crew *crew)
{
    finish(crew, &crew->beside);
}
