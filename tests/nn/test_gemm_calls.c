/*
 * Calls of OpenBLAS, which crashes when too many go on at a time and waits for ever where there is no memory for another
 * buffer: never more than it can take, one after the other where memory is short, and a failure where there is none at all.
 * The calls are watched on their way (the linker's --wrap), and large mappings fail at will.
 */
#include "cmocka_all.h"

#include "base/context.h"
#include "nn/gemm.h"

#ifdef SCADYG_HAVE_BLAS

#include <cblas.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { THREADS = 80, SIZE = 104, ROUNDS = 2 };

static atomic_int going_on, most;
static atomic_int no_memory;

void *__real_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    if (atomic_load(&no_memory) && size > (size_t)100 << 20) return MAP_FAILED;
    return __real_mmap(address, size, protection, flags, fd, offset);
}

#define GEMM_ARGUMENTS                                                                                             \
    const enum CBLAS_ORDER order, const enum CBLAS_TRANSPOSE a_by, const enum CBLAS_TRANSPOSE b_by,                \
        const blasint rows, const blasint columns, const blasint depth, const float alpha, const float *a,         \
        const blasint a_step, const float *b, const blasint b_step, const float beta, float *c,                    \
        const blasint c_step
void __real_cblas_sgemm(GEMM_ARGUMENTS);
void __wrap_cblas_sgemm(GEMM_ARGUMENTS);
void __wrap_cblas_sgemm(GEMM_ARGUMENTS)
{
    const int now = atomic_fetch_add(&going_on, 1) + 1;
    for (int known = atomic_load(&most); known < now && !atomic_compare_exchange_weak(&most, &known, now);) {
    }
    for (int i = 0; i < 50; i++) sched_yield(); /* the others come meanwhile */
    __real_cblas_sgemm(order, a_by, b_by, rows, columns, depth, alpha, a, a_step, b, b_step, beta, c, c_step);
    atomic_fetch_sub(&going_on, 1);
}

static float x[SIZE * SIZE], y[SIZE * SIZE], expected[SIZE * SIZE];

static void *multiply(void *data)
{
    int *good = data;
    float *out = malloc(sizeof expected);
    *good = out != NULL;
    for (int i = 0; i < ROUNDS && out; i++) {
        memset(out, 0, sizeof expected);
        sg_gemm_rows(sg_kernels_best(), SIZE, SIZE, SIZE, x, NULL, y, out);
        *good &= memcmp(out, expected, sizeof expected) == 0;
    }
    free(out);
    return NULL;
}

/* From many threads at once: the same bytes each time. */
static void multiply_together(void)
{
    static pthread_t threads[THREADS];
    static int good[THREADS];
    atomic_store(&most, 0);
    for (size_t i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, multiply, &good[i]), 0);
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_true(good[i]);
    }
}

/* In this order, since a buffer that OpenBLAS has it keeps. */
static void calls(void **state)
{
    (void)state;
    scadyg_error error;
    for (size_t i = 0; i < SIZE * SIZE; i++) x[i] = (float)(i % 7), y[i] = (float)(i % 5);
    atomic_store(&no_memory, 1);
    assert_int_equal(sg_gemm_ready(8, 8, 8, &error), SCADYG_OK); /* it is not called for such */
    assert_int_equal(sg_gemm_ready(SIZE, SIZE, SIZE, &error), SCADYG_E_MEMORY);
    atomic_store(&no_memory, 0);
    assert_int_equal(sg_gemm_ready(SIZE, SIZE, SIZE, &error), SCADYG_OK);
    sg_gemm_rows(sg_kernels_best(), SIZE, SIZE, SIZE, x, NULL, y, expected);
    atomic_store(&no_memory, 1);
    assert_int_equal(sg_gemm_ready(SIZE, SIZE, SIZE, &error), SCADYG_OK);
    multiply_together();
    assert_int_equal(atomic_load(&most), 1);
    atomic_store(&no_memory, 0);
    multiply_together();
    assert_true(atomic_load(&most) > 1);
    assert_true(atomic_load(&most) <= 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(calls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    return 77;
}

#endif
