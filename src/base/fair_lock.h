/*
 * A lock for one who writes and many who read, fair in turns: while a writer is at work or waits its turn, new readers wait;
 * when it is done all who wait read before the next writer begins. So a reader waits for one writer at most, and a writer for
 * those who read when it came.
 */
#ifndef SG_BASE_FAIR_LOCK_H
#define SG_BASE_FAIR_LOCK_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sg_fair_lock {
    pthread_mutex_t mutex;
    pthread_cond_t turn;
    size_t reading, waiting, admitted; /* readers: at work, waiting, and of those the ones that come next */
    size_t writers;                    /* waiting */
    int writing;
    uint64_t turns; /* that writers have had */
} sg_fair_lock;

int sg_fair_lock_open(sg_fair_lock *lock); /* 0, or -1 if the system has none */
void sg_fair_lock_close(sg_fair_lock *lock);

void sg_fair_lock_read(sg_fair_lock *lock);
void sg_fair_lock_read_end(sg_fair_lock *lock);
void sg_fair_lock_write(sg_fair_lock *lock);
void sg_fair_lock_write_end(sg_fair_lock *lock);

#endif
