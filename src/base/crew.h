/*
 * A crew: threads that stand by for many short jobs of about a millisecond.
 *
 * Whoever gives a job works too, and at its end waits only for those of the crew that have begun. On a busy machine it
 * takes milliseconds until a thread has its turn; one that comes late finds nothing to do, and nobody has waited for
 * it. At the end of a loop of sg_parallel_for all threads must have come.
 */
#ifndef SG_BASE_CREW_H
#define SG_BASE_CREW_H

#include <stddef.h>

typedef struct sg_crew sg_crew;

/* `threads` with the caller. Fewer if the system does not grant them; NULL without memory. */
sg_crew *sg_crew_open(int threads);
void sg_crew_close(sg_crew *crew); /* NULL is fine */

/* How many there are with the caller. */
size_t sg_crew_threads(const sg_crew *crew);

/*
 * Calls body(context, worker, i) for i = 0 .. count-1, each once, in any order. No two calls at a time have the same
 * worker, which is below the number of threads. From one thread at a time.
 */
typedef void sg_crew_body(void *context, size_t worker, size_t index);
void sg_crew_run(sg_crew *crew, size_t count, sg_crew_body *body, void *context);

/*
 * A job of longer parts beside the short ones: the crew begins, the caller goes on, with short jobs too. One at a time.
 * sg_crew_finish takes what nobody has begun and returns when all is done.
 */
void sg_crew_start(sg_crew *crew, size_t count, sg_crew_body *body, void *context);
void sg_crew_finish(sg_crew *crew);

#endif
