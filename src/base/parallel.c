/* Threads: fixed pieces of work over any number of them. The only file that speaks OpenMP. */
#include "base/parallel.h"

#include <omp.h>

int sg_threads(long long requested)
{
    if (requested <= 0) return omp_get_num_procs();
    return requested > 1024 ? 1024 : (int)requested;
}

void sg_parallel_for(int threads, size_t count, void (*body)(void *context, size_t index), void *context)
{
    if (threads <= 1 || count <= 1) {
        for (size_t i = 0; i < count; i++) body(context, i);
        return;
    }
    if ((size_t)threads > count) threads = (int)count;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (size_t i = 0; i < count; i++) body(context, i);
}
