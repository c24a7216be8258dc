/*
 * A lock for one who writes and many who read. A reader waits while a writer is at work, and those who waited read before the
 * next writer begins: so a reader waits for one turn of a writer at most. A writer waits while anybody reads; new readers pass it
 * until it has waited for as long as its patience is, and then wait behind it: so long questions, one overlapping the other, cannot
 * keep it out for ever.
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
    uint64_t turns;         /* that writers have had */
    double patience, since; /* of writers; when the first of those that wait came */
} sg_fair_lock;

/* patience in seconds. 0, or -1 if the system has no such lock. */
int sg_fair_lock_open(sg_fair_lock *lock, double patience);
void sg_fair_lock_close(sg_fair_lock *lock);

void sg_fair_lock_read(sg_fair_lock *lock);
void sg_fair_lock_read_end(sg_fair_lock *lock);
void sg_fair_lock_write(sg_fair_lock *lock);
void sg_fair_lock_write_end(sg_fair_lock *lock);

#endif
