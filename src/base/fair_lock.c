/* A lock for one who writes and many who read. */
#include "base/fair_lock.h"

int sg_fair_lock_open(sg_fair_lock *lock)
{
    *lock = (sg_fair_lock){0};
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

void sg_fair_lock_read(sg_fair_lock *lock)
{
    (void)pthread_mutex_lock(&lock->mutex);
    if (lock->writing || lock->writers) {
        const uint64_t turn = lock->turns;
        lock->waiting++;
        while (lock->turns == turn && (lock->writing || lock->writers))
            (void)pthread_cond_wait(&lock->turn, &lock->mutex);
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
    lock->writers++;
    while (lock->writing || lock->reading || lock->admitted) (void)pthread_cond_wait(&lock->turn, &lock->mutex);
    lock->writers--;
    lock->writing = 1;
    (void)pthread_mutex_unlock(&lock->mutex);
}

void sg_fair_lock_write_end(sg_fair_lock *lock)
{
    (void)pthread_mutex_lock(&lock->mutex);
    lock->writing = 0;
    lock->turns++;
    lock->admitted += lock->waiting;
    lock->waiting = 0;
    (void)pthread_cond_broadcast(&lock->turn);
    (void)pthread_mutex_unlock(&lock->mutex);
}
