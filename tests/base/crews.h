/* Crews for tests: one for each number of threads, dismissed at the end of the program. */
#ifndef TESTS_BASE_CREWS_H
#define TESTS_BASE_CREWS_H

#include "base/crew.h"

#include <stdlib.h>

enum { CREWS_MOST = 8 };
static sg_crew *crews[CREWS_MOST + 1];

static void dismiss_crews(void)
{
    for (int i = 0; i <= CREWS_MOST; i++) sg_crew_close(crews[i]);
}

static inline sg_crew *crew_of(int threads)
{
    static int any;
    if (!any) atexit(dismiss_crews);
    any = 1;
    if (!crews[threads] && !(crews[threads] = sg_crew_open(threads))) abort();
    return crews[threads];
}

#endif
