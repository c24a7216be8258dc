/* Threads: fixed pieces of work over any number of them, so that results never depend on that number. */
#ifndef SG_BASE_PARALLEL_H
#define SG_BASE_PARALLEL_H

#include <stddef.h>

/* The number of threads to use for a request: 0 means as many as the process may use. Never less than 1. */
int sg_threads(long long requested);

/* Calls body(context, i) for i = 0 .. count-1, each once, on up to `threads` threads, in any order. */
void sg_parallel_for(int threads, size_t count, void (*body)(void *context, size_t index), void *context);

#endif
