/*
 * A workers: threads that stand by for many short jobs of about a millisecond.
 *
 * Whoever gives a job works too, and at its end waits only for those of the workers that have begun. On a busy machine it
 * takes milliseconds until a thread has its turn; one that comes late finds nothing to do, and nobody has waited for
 * it. At the end of a loop of sg_parallel_for all threads must have come.
 */
#ifndef SG_BASE_WORKERS_H
#define SG_BASE_WORKERS_H

#include <stddef.h>

typedef struct sg_workers sg_workers;

/* `threads` with the caller. Fewer if the system does not grant them; NULL without memory. */
sg_workers *sg_workers_open(int threads);
void sg_workers_close(sg_workers *workers); /* NULL is fine */

/* How many there are with the caller. */
size_t sg_workers_threads(const sg_workers *workers);

/*
 * Calls body(context, worker, i) for i = 0 .. count-1, each once, in any order. No two calls at a time have the same
 * worker, which is below the number of threads. From one thread at a time.
 */
typedef void sg_workers_body(void *context, size_t worker, size_t index);
void sg_workers_run(sg_workers *workers, size_t count, sg_workers_body *body, void *context);

/*
 * A job of longer parts beside the short ones: the workers begins, the caller goes on, with short jobs too. One at a time.
 * sg_workers_finish takes what nobody has begun and returns when all is done.
 */
void sg_workers_start(sg_workers *workers, size_t count, sg_workers_body *body, void *context);
void sg_workers_finish(sg_workers *workers);

#endif
