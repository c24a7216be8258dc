/*
 * The context of long work: how many threads, how much memory, whom to tell of progress, whether to stop. It goes to
 * every long call, and NULL is a context too: the calling thread alone, no bound, nobody to tell.
 *
 * Threads are one pool of workers that stand by, made when the first job needs them. Work is cut into fixed pieces, so
 * results never depend on their number. Whoever gives a job works too, and at its end waits only for those workers that
 * have begun: on a busy machine it takes milliseconds until a thread has its turn, and one that comes late finds nothing
 * to do. Where the pool is at work for somebody else (another thread with the same context, or a piece that is itself
 * cut into pieces) the caller does its job alone.
 */
#ifndef SG_BASE_CONTEXT_H
#define SG_BASE_CONTEXT_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* How many pieces can be at work at once: one more than the largest `worker` that a body sees. */
size_t sg_context_threads(const scadyg_context *context);

/* The bound of memory in bytes: what was set, else a share of what the machine has: one over `share`. */
uint64_t sg_context_memory(const scadyg_context *context, uint64_t share);

/* The same with so many bytes if none was set. */
uint64_t sg_context_memory_or(const scadyg_context *context, uint64_t bytes);

/* Tells of progress. SCADYG_E_CANCELLED if the caller wants to stop, else SCADYG_OK. From the calling thread. */
int sg_report(scadyg_context *context, const char *what, uint64_t done, uint64_t total, scadyg_error *error);

/* The same as a bare question: whether the caller wants to stop. */
int sg_context_tell(scadyg_context *context, const char *what, uint64_t done, uint64_t total);

/* A context with the same threads and memory and the same workers, for work inside of which progress is told otherwise. The
 * other one must stay. */
int sg_context_open_like(scadyg_context *other, scadyg_context **context, scadyg_error *error);

/*
 * Calls body(data, worker, i) for i = 0 .. count-1, each once, in any order. No two calls at a time have the same
 * worker; the caller is worker 0.
 */
typedef void sg_body(void *data, size_t worker, size_t index);
void sg_parallel_for(scadyg_context *context, size_t count, sg_body *body, void *data);

/*
 * A job of longer pieces in the background: the workers begin, the caller goes on, with other jobs too.
 * sg_background_finish takes what nobody has begun and returns when all is done. No two calls at a time have the same
 * worker, and the caller is worker 0 only while it finishes.
 */
typedef struct sg_background {
    int on_workers; /* else all is left to sg_background_finish */
    size_t count;
    sg_body *body;
    void *data;
} sg_background;
void sg_background_start(scadyg_context *context, sg_background *job, size_t count, sg_body *body, void *data);
void sg_background_finish(scadyg_context *context, sg_background *job);

/* What nobody has begun is left undone; returns when the rest is. */
void sg_background_drop(scadyg_context *context, sg_background *job);

#endif
