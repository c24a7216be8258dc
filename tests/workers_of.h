/* Workers for tests: one for each number of threads, dismissed at the end of the program. */
#ifndef TESTS_WORKERS_OF_H
#define TESTS_WORKERS_OF_H

#include "base/workers.h"

#include <stdlib.h>

enum { WORKERS_MOST = 8 };
static sg_workers *pools[WORKERS_MOST + 1];

static void dismiss_workers(void)
{
    for (int i = 0; i <= WORKERS_MOST; i++) sg_workers_close(pools[i]);
}

static inline sg_workers *workers_of(int threads)
{
    static int any;
    if (!any) atexit(dismiss_workers);
    any = 1;
    if (!pools[threads] && !(pools[threads] = sg_workers_open(threads))) abort();
    return pools[threads];
}

#endif
