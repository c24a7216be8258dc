/*
 * Proof that the thread sanitizer sees what it should: with an argument, pieces of work write to one place, which
 * is a race; without, each to its own, and the caller adds up, which is none.
 */
#include "base/context.h"

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static long sums[64];
static int together;
static atomic_int arrived;

static void add(void *data, size_t worker, size_t index)
{
    (void)data, (void)worker;
    /* The first two pieces meet, so that two threads are at work whatever else the machine does. Relaxed: meeting
     * must not put the threads' work in an order. */
    atomic_fetch_add_explicit(&arrived, 1, memory_order_relaxed);
    for (int i = 0; i < 20000 && atomic_load_explicit(&arrived, memory_order_relaxed) < 2; i++) usleep(100);
    for (int i = 0; i < 1000; i++) sums[together ? 0 : index] += i;
}

int main(int count, char **arguments)
{
    (void)arguments;
    scadyg_context *context;
    if (scadyg_context_open(&context, NULL)) return 1;
    scadyg_context_set_threads(context, 4);
    together = count > 1;
    for (int round = 0; round < 20; round++) {
        sg_parallel_for(context, 64, add, NULL);
        for (int i = 1; i < 64; i++) sums[0] += sums[i];
    }
    scadyg_context_close(context);
    printf("%ld\n", sums[0]);
    return 0;
}
