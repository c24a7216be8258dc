/* Contexts for tests: one for each number of threads, closed at the end of the program. */
#ifndef TESTS_CONTEXTS_H
#define TESTS_CONTEXTS_H

#include "scadyg.h"

#include <stdlib.h>

enum { CONTEXTS_MOST = 64 };
static scadyg_context *contexts[CONTEXTS_MOST + 1];

static inline void close_contexts(void)
{
    for (int i = 0; i <= CONTEXTS_MOST; i++) scadyg_context_close(contexts[i]);
}

/* With so many threads, at least 1, a bound of memory (0: none) and somebody to tell (NULL: nobody). */
static inline scadyg_context *context_with(int threads, uint64_t memory, scadyg_report *report, void *data)
{
    static int any;
    if (!any) atexit(close_contexts);
    any = 1;
    if (!contexts[threads]) {
        if (scadyg_context_open(&contexts[threads], NULL)) abort();
        scadyg_context_set_threads(contexts[threads], threads);
    }
    scadyg_context_set_memory(contexts[threads], memory);
    scadyg_context_set_progress(contexts[threads], report, data);
    return contexts[threads];
}

static inline scadyg_context *context_of(int threads)
{
    return context_with(threads, 0, NULL, NULL);
}

#endif
