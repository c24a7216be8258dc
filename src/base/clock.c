/* A clock that only goes forward. */
#include "base/clock.h"

#include <time.h>

double sg_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
