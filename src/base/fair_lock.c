/* A lock for one who writes and many who read. */
#include "base/fair_lock.h"

#include "base/clock.h"

int sg_fair_lock_open(sg_fair_lock *lock, double patience)
{
    *lock = (sg_fair_lock){.patience = patience};
    if (pthread_mutex_init(&lock->mutex, NULL)) return -1;
    if (pthread_cond_init(&lock->turn, NULL) == 0) return 0;
    (void)pthread_mutex_destroy(&lock->mutex);
    return -1;
}

void sg_fair_lock_close(sg_fair_lock *lock)
{
    (void)pthread_cond_destroy(&lock->turn);
    (void)pthread_mutex_destroy(&lock->mutex);
}

/* Whether a reader may not begin. */
static int is_kept_out(const sg_fair_lock *lock)
{
    return lock->writing || (lock->writers && sg_seconds() - lock->since >= lock->patience);
}

void sg_fair_lock_read(sg_fair_lock *lock)
{
    (void)pthread_mutex_lock(&lock->mutex);
    if (is_kept_out(lock)) {
        const uint64_t turn = lock->turns;
        lock->waiting++;
        while (lock->turns == turn && is_kept_out(lock)) (void)pthread_cond_wait(&lock->turn, &lock->mutex);
        if (lock->turns != turn)
            lock->admitted--;
        else
            lock->waiting--;
    }
    lock->reading++;
    (void)pthread_mutex_unlock(&lock->mutex);
}

void sg_fair_lock_read_end(sg_fair_lock *lock)
{
    (void)pthread_mutex_lock(&lock->mutex);
    if (--lock->reading == 0) (void)pthread_cond_broadcast(&lock->turn);
    (void)pthread_mutex_unlock(&lock->mutex);
}

void sg_fair_lock_write(sg_fair_lock *lock)
{
    (void)pthread_mutex_lock(&lock->mutex);
    if (!lock->writers++) lock->since = sg_seconds();
    while (lock->writing || lock->reading || lock->admitted) (void)pthread_cond_wait(&lock->turn, &lock->mutex);
    lock->writers--;
    lock->writing = 1;
    (void)pthread_mutex_unlock(&lock->mutex);
}

void sg_fair_lock_write_end(sg_fair_lock *lock)
{
    (void)pthread_mutex_lock(&lock->mutex);
    lock->writing = 0;
    lock->since = sg_seconds(); /* of the next, if there is one */
    lock->turns++;
    lock->admitted += lock->waiting;
    lock->waiting = 0;
    (void)pthread_cond_broadcast(&lock->turn);
    (void)pthread_mutex_unlock(&lock->mutex);
}
